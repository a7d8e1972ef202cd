// rocblas_gemm_ex and its batched forms against plain loops on the CPU: types, transposes, sizes, leading dimensions.
//
// All numbers are small integers: every product and sum is exact in whatever order and precision a kernel makes it, and only the result is
// rounded, once. So results are compared for equality. Between the columns of A and B are NaNs, which must not reach a result, and between
// those of D marks, which must stay.
//
// STACK_TESTS_GEMM_SIZES=N adds N sizes of its own choice.
#include "common.h"
#include <complex>
#include <map>
#include <rocblas/rocblas.h>
#include <string>

#define BLAS(call)                                                                                           \
    do {                                                                                                     \
        rocblas_status status_ = (call);                                                                     \
        if (status_ != rocblas_status_success) {                                                             \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, rocblas_status_to_string(status_)); \
            exit(2);                                                                                         \
        }                                                                                                    \
    } while (0)

struct Bfloat {
    uint16_t bits;
};

// Numbers in memory and what the CPU computes with; `limit` is the largest integer in A and B. With the sizes here no sum of f16 arithmetic
// passes 2048, no sum of f32 arithmetic 2^24, no result 65504.
template <class T> struct Number;
template <> struct Number<_Float16> {
    static constexpr rocblas_datatype type = rocblas_datatype_f16_r;
    static double load(_Float16 v) { return (float)v; }
    static _Float16 store(double v) { return (_Float16)(float)v; }
};
template <> struct Number<Bfloat> {
    static constexpr rocblas_datatype type = rocblas_datatype_bf16_r;
    static double load(Bfloat v) {
        uint32_t bits = (uint32_t)v.bits << 16;
        float value;
        memcpy(&value, &bits, 4);
        return value;
    }
    static Bfloat store(double v) {
        float value = (float)v;
        uint32_t bits;
        memcpy(&bits, &value, 4);
        if (value != value) return Bfloat{0x7fc0};
        return Bfloat{(uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
    }
};
template <class T, rocblas_datatype TYPE> struct Plain {
    static constexpr rocblas_datatype type = TYPE;
    static double load(T v) { return (double)v; }
    // What is no number becomes one that spoils an integer's result.
    static T store(double v) { return v != v && std::is_integral<T>::value ? (T)101 : (T)v; }
};
template <> struct Number<int8_t> : Plain<int8_t, rocblas_datatype_i8_r> {};
template <> struct Number<int32_t> : Plain<int32_t, rocblas_datatype_i32_r> {};
template <> struct Number<float> : Plain<float, rocblas_datatype_f32_r> {};
template <> struct Number<double> : Plain<double, rocblas_datatype_f64_r> {};
template <class T, rocblas_datatype TYPE> struct Complex {
    static constexpr rocblas_datatype type = TYPE;
    static std::complex<double> load(std::complex<T> v) { return v; }
    static std::complex<T> store(std::complex<double> v) { return std::complex<T>(v); }
};
template <> struct Number<std::complex<float>> : Complex<float, rocblas_datatype_f32_c> {};
template <> struct Number<std::complex<double>> : Complex<double, rocblas_datatype_f64_c> {};

static void multiply_add(double &sum, double a, double b) { sum += a * b; }
static void multiply_add(std::complex<double> &sum, std::complex<double> a, std::complex<double> b) {
    sum += std::complex<double>(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
}
static double conjugate(double v) { return v; }
static std::complex<double> conjugate(std::complex<double> v) { return std::conj(v); }
static void integer(double &v, int limit, uint32_t i) { v = (int)(hash(i) % (2 * limit + 1)) - limit; }
static void integer(std::complex<double> &v, int limit, uint32_t i) {
    double real, imaginary;
    integer(real, limit, 2 * i);
    integer(imaginary, limit, 2 * i + 1);
    v = std::complex<double>(real, imaginary);
}
static std::complex<double> factor(std::complex<double> *, int real, int imaginary) { return {(double)real, (double)imaginary}; }
static double factor(double *, int real, int) { return real; }

struct Size {
    int m, n, k;
    // What leading dimensions are more than they must be.
    int pad;
    // One of STACK_TESTS_GEMM_SIZES, whose values the program's count leaves out.
    bool more = false;
};

enum Form { PLAIN, BATCHED, STRIDED };
static const char *const FORMS[] = {"gemm_ex", "gemm_batched_ex", "gemm_strided_batched_ex"};

// Device memory of all calls: four matrices, and their addresses for batches.
struct Memory {
    Buffer<char> matrices[4] = {Buffer<char>(1 << 22), Buffer<char>(1 << 22), Buffer<char>(1 << 22), Buffer<char>(1 << 22)};
    Buffer<void *> addresses{4 * 16};
};

static size_t combinations = 0, wrong = 0;
// What rocBLAS does not do, by the name of the type and of the status.
static std::map<std::string, size_t> refused;

// A matrix, or several at equal distances: the columns, and what lies between them.
template <class T> struct Matrices {
    typedef decltype(Number<T>::load(T())) Wide;
    int rows, columns, ld, count;
    size_t stride;
    std::vector<T> storage;
    Matrices(int rows, int columns, int pad, int count, Wide between)
        : rows(rows), columns(columns), ld(rows + pad), count(count), stride((size_t)ld * columns + 3 * pad),
          storage(stride * count, Number<T>::store(between)) {}
    size_t at(int matrix, int row, int column) const { return matrix * stride + (size_t)column * ld + row; }
    void fill(int limit, uint32_t seed) {
        for (int b = 0; b < count; b++)
            for (int j = 0; j < columns; j++)
                for (int i = 0; i < rows; i++) {
                    Wide value;
                    integer(value, limit, seed + (uint32_t)at(b, i, j));
                    storage[at(b, i, j)] = Number<T>::store(value);
                }
    }
    // op(X), row by row or column by column.
    std::vector<Wide> operand(int matrix, rocblas_operation op, bool by_row) const {
        bool transposed = op != rocblas_operation_none;
        int outer = by_row != transposed ? rows : columns, inner = by_row != transposed ? columns : rows;
        std::vector<Wide> values((size_t)outer * inner);
        for (int o = 0; o < outer; o++)
            for (int i = 0; i < inner; i++) {
                Wide value = Number<T>::load(by_row != transposed ? storage[at(matrix, o, i)] : storage[at(matrix, i, o)]);
                values[(size_t)o * inner + i] = op == rocblas_operation_conjugate_transpose ? conjugate(value) : value;
            }
        return values;
    }
    void upload(Buffer<char> &to) const {
        if (storage.size() * sizeof(T) > to.count) {
            fprintf(stderr, "a matrix of %zu bytes has no room\n", storage.size() * sizeof(T));
            exit(2);
        }
        HIP(hipMemcpy(to.data, storage.data(), storage.size() * sizeof(T), hipMemcpyHostToDevice));
    }
};

// D = alpha op(A) op(B) + beta C: once with IN, OUT and COMPUTE.
template <class In, class Out, class Compute>
static void multiply(rocblas_handle handle, Memory &memory, const char *name, int limit, Form form, rocblas_operation ta, rocblas_operation tb,
                     const Size &size, uint32_t seed) {
    typedef decltype(Number<Out>::load(Out())) Wide;
    static const int FACTORS[4][2] = {{1, 0}, {2, 1}, {-1, 2}, {1, -1}};
    const int m = size.m, n = size.n, k = size.k, batch = form == PLAIN ? 1 : 2;
    const int *factors = FACTORS[hash(seed) % 4];
    const Wide alpha = factor((Wide *)0, factors[0], 1), beta = factor((Wide *)0, factors[1], factors[1] ? -1 : 0);
    const Compute device_alpha = Number<Compute>::store(alpha), device_beta = Number<Compute>::store(beta);
    const bool in_place = hash(seed + 1) % 2;
    const Wide nan = Wide(NAN), mark = Wide(77);

    bool na = ta == rocblas_operation_none, nb = tb == rocblas_operation_none;
    Matrices<In> a(na ? m : k, na ? k : m, size.pad, batch, nan), b(nb ? k : n, nb ? n : k, 2 * size.pad, batch, nan);
    Matrices<Out> c(m, n, size.pad, batch, mark), d(m, n, in_place ? size.pad : 3 * size.pad, batch, mark);
    a.fill(limit, seed);
    b.fill(limit, seed + 1000000);
    c.fill(limit, seed + 2000000);
    // With a beta of 0, C is not read.
    if (beta == Wide(0))
        for (int j = 0; j < n; j++) c.storage[c.at(0, 0, j)] = Number<Out>::store(nan);
    Buffer<char> &da = memory.matrices[0], &db = memory.matrices[1], &dc = memory.matrices[2], &dd = memory.matrices[in_place ? 2 : 3];
    a.upload(da);
    b.upload(db);
    if (!in_place) d.upload(dd);
    c.upload(dc);

    std::vector<void *> addresses(4 * 16);
    for (int i = 0; i < batch; i++) {
        addresses[i] = (In *)da.data + i * a.stride;
        addresses[16 + i] = (In *)db.data + i * b.stride;
        addresses[32 + i] = (Out *)dc.data + i * c.stride;
        addresses[48 + i] = (Out *)dd.data + i * d.stride;
    }
    void **p = memory.addresses.data;
    const rocblas_datatype in = Number<In>::type, out = Number<Out>::type, compute = Number<Compute>::type;
    const rocblas_gemm_algo algorithm = rocblas_gemm_algo_standard;
    rocblas_status status;
    switch (form) {
    case PLAIN:
        status = rocblas_gemm_ex(handle, ta, tb, m, n, k, &device_alpha, da.data, in, a.ld, db.data, in, b.ld, &device_beta, dc.data, out,
                                 c.ld, dd.data, out, d.ld, compute, algorithm, 0, 0);
        break;
    case BATCHED:
        HIP(hipMemcpy(p, addresses.data(), addresses.size() * sizeof(void *), hipMemcpyHostToDevice));
        status = rocblas_gemm_batched_ex(handle, ta, tb, m, n, k, &device_alpha, p, in, a.ld, p + 16, in, b.ld, &device_beta, p + 32, out,
                                         c.ld, p + 48, out, d.ld, batch, compute, algorithm, 0, 0);
        break;
    default:
        status = rocblas_gemm_strided_batched_ex(handle, ta, tb, m, n, k, &device_alpha, da.data, in, a.ld, a.stride, db.data, in, b.ld,
                                                 b.stride, &device_beta, dc.data, out, c.ld, c.stride, dd.data, out, d.ld, d.stride, batch,
                                                 compute, algorithm, 0, 0);
    }
    combinations++;
    if (status != rocblas_status_success) {
        refused[std::string(name) + " " + rocblas_status_to_string(status)]++;
        return;
    }
    std::vector<Out> got(d.storage.size());
    HIP(hipMemcpy(got.data(), dd.data, got.size() * sizeof(Out), hipMemcpyDeviceToHost));

    std::vector<Wide> expected(got.size(), mark);
    for (int i = 0; i < batch; i++) {
        std::vector<Wide> rows = a.operand(i, ta, true), columns = b.operand(i, tb, false);
        for (int y = 0; y < n; y++)
            for (int x = 0; x < m; x++) {
                Wide sum = 0, result = 0;
                for (int z = 0; z < k; z++) multiply_add(sum, rows[(size_t)x * k + z], columns[(size_t)y * k + z]);
                multiply_add(result, alpha, sum);
                if (beta != Wide(0)) multiply_add(result, beta, Number<Out>::load(c.storage[c.at(i, x, y)]));
                expected[d.at(i, x, y)] = Number<Out>::load(Number<Out>::store(result));
            }
    }
    size_t differ = 0, first = 0;
    for (size_t i = got.size(); i-- > 0;)
        if (!(Number<Out>::load(got[i]) == expected[i])) differ++, first = i;
    if (!size.more) checked += got.size();
    if (differ) {
        wrong++;
        auto show = [](Wide v) { return std::complex<double>(v); };
        std::complex<double> is = show(Number<Out>::load(got[first])), should = show(expected[first]);
        fprintf(stderr, "%s %s, %c%c, %d x %d x %d, %d more a column, alpha %d, beta %d: %zu of %zu wrong, [%zu] is %g%+gi instead of %g%+gi\n",
                name, FORMS[form], "NTC"[ta - rocblas_operation_none], "NTC"[tb - rocblas_operation_none], m, n, k, size.pad, factors[0],
                factors[1], differ, got.size(), first, is.real(), is.imag(), should.real(), should.imag());
    }
}

template <class In, class Out, class Compute>
static void all(const char *name, int limit, int operations, const std::vector<Size> &sizes) {
    static const rocblas_operation OPERATIONS[] = {rocblas_operation_none, rocblas_operation_transpose,
                                                   rocblas_operation_conjugate_transpose};
    rocblas_handle handle;
    BLAS(rocblas_create_handle(&handle));
    Memory memory;
    uint32_t seed = 1;
    size_t before = combinations, wrong_before = wrong;
    for (const Size &size : sizes)
        for (int form = PLAIN; form <= STRIDED; form++)
            for (int i = 0; i < operations * operations; i++)
                multiply<In, Out, Compute>(handle, memory, name, limit, (Form)form, OPERATIONS[i / operations], OPERATIONS[i % operations],
                                           size, seed++);
    printf("%s: %zu combinations, %zu wrong\n", name, combinations - before, wrong - wrong_before);
    BLAS(rocblas_destroy_handle(handle));
}

static std::vector<Size> sizes() {
    std::vector<Size> sizes = {{64, 64, 64, 0}, {1, 1, 1, 0}, {33, 65, 17, 1}, {127, 31, 50, 3}, {96, 128, 160, 4}};
    const char *more = getenv("STACK_TESTS_GEMM_SIZES");
    int count = more ? atoi(more) : 0;
    for (int i = 0; i < count; i++) {
        auto random = [i](int n, int of) { return (int)(hash(8 * i + n) % of); };
        sizes.push_back({1 + random(0, 160), 1 + random(1, 160), 1 + random(2, 160), random(3, 6), true});
    }
    return sizes;
}

static void finish() {
    size_t refusals = 0;
    for (const auto &entry : refused) {
        printf("refused: %s, %zu times\n", entry.first.c_str(), entry.second);
        refusals += entry.second;
    }
    printf("%zu combinations run, %zu wrong, %zu refused\n", combinations - refusals, wrong, refusals);
    if (wrong || refusals) exit(1);
}

static void halves() {
    all<_Float16, _Float16, _Float16>("f16", 2, 2, sizes());
    all<_Float16, _Float16, float>("f16, sums f32", 8, 2, sizes());
    all<_Float16, float, float>("f16 to f32", 30, 2, sizes());
    all<Bfloat, Bfloat, float>("bf16", 8, 2, sizes());
    all<Bfloat, float, float>("bf16 to f32", 30, 2, sizes());
    finish();
}

static void others() {
    all<int8_t, int32_t, int32_t>("i8 to i32", 100, 2, sizes());
    all<float, float, float>("f32", 100, 2, sizes());
    all<double, double, double>("f64", 100, 2, sizes());
    all<std::complex<float>, std::complex<float>, std::complex<float>>("complex f32", 50, 3, sizes());
    all<std::complex<double>, std::complex<double>, std::complex<double>>("complex f64", 50, 3, sizes());
    finish();
}

int main(int argc, char **argv) {
    const Case cases[] = {{"halves", halves}, {"others", others}};
    return run_case(argc, argv, cases);
}
