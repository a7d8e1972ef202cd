// rocBLAS and rocSOLVER against plain loops on the CPU.
#include "common.h"
#include <complex>
#include <rocblas/rocblas.h>
#include <rocsolver/rocsolver.h>

#define BLAS(call)                                                                                           \
    do {                                                                                                     \
        rocblas_status status_ = (call);                                                                     \
        if (status_ != rocblas_status_success) {                                                             \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, rocblas_status_to_string(status_)); \
            exit(2);                                                                                         \
        }                                                                                                    \
    } while (0)

typedef std::complex<float> complex;

static float number(float *, uint32_t i) { return (int)(hash(i) % 2001 - 1000) / 1000.0f; }
static double number(double *, uint32_t i) { return (int)(hash(i) % 2001 - 1000) / 1000.0; }
static complex number(complex *, uint32_t i) { return complex(number((float *)0, 2 * i), number((float *)0, 2 * i + 1)); }

template <class T> static std::vector<T> matrix(size_t rows, size_t columns, uint32_t seed) {
    std::vector<T> values(rows * columns);
    for (size_t i = 0; i < values.size(); i++) values[i] = number((T *)0, i + seed);
    return values;
}

static rocblas_status gemm(rocblas_handle h, rocblas_operation ta, rocblas_operation tb, int m, int n, int k, const float *alpha,
                           const float *a, const float *b, const float *beta, float *c) {
    return rocblas_sgemm(h, ta, tb, m, n, k, alpha, a, m, b, k, beta, c, m);
}
static rocblas_status gemm(rocblas_handle h, rocblas_operation ta, rocblas_operation tb, int m, int n, int k, const double *alpha,
                           const double *a, const double *b, const double *beta, double *c) {
    return rocblas_dgemm(h, ta, tb, m, n, k, alpha, a, m, b, k, beta, c, m);
}
static rocblas_status gemm(rocblas_handle h, rocblas_operation ta, rocblas_operation tb, int m, int n, int k, const complex *alpha,
                           const complex *a, const complex *b, const complex *beta, complex *c) {
    typedef rocblas_float_complex rc;
    return rocblas_cgemm(h, ta, tb, m, n, k, (const rc *)alpha, (const rc *)a, m, (const rc *)b, k, (const rc *)beta, (rc *)c, m);
}

// C = alpha A B + beta C, column by column; the error bound is that of k rounded products and sums.
template <class T> static void multiply(double epsilon) {
    const int m = 77, n = 61, k = 133;
    std::vector<T> a = matrix<T>(m, k, 1), b = matrix<T>(k, n, 100000), c = matrix<T>(m, n, 200000);
    T alpha = number((T *)0, 7), beta = number((T *)0, 8);
    rocblas_handle handle;
    BLAS(rocblas_create_handle(&handle));
    Buffer<T> da(a), db(b), dc(c);
    BLAS(gemm(handle, rocblas_operation_none, rocblas_operation_none, m, n, k, &alpha, da.data, db.data, &beta, dc.data));
    HIP(hipDeviceSynchronize());
    std::vector<T> got = dc.host();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            std::complex<double> sum = 0;
            for (int p = 0; p < k; p++) sum += std::complex<double>(a[i + p * m]) * std::complex<double>(b[p + j * k]);
            sum = std::complex<double>(alpha) * sum + std::complex<double>(beta) * std::complex<double>(c[i + j * m]);
            close_to("product", i + j * m, std::abs(std::complex<double>(got[i + j * m]) - sum), 0, 4 * k * epsilon);
        }
    BLAS(rocblas_destroy_handle(handle));
}

static void sgemm() { multiply<float>(6e-8); }
static void dgemm() { multiply<double>(1.2e-16); }
static void cgemm() { multiply<complex>(6e-8); }

// A = L L^H of a Hermitian, positive definite matrix.
static void cpotrf() {
    const int n = 48;
    std::vector<complex> g = matrix<complex>(n, n, 5), a(n * n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            std::complex<double> sum = i == j ? n : 0;
            for (int p = 0; p < n; p++) sum += std::complex<double>(g[i + p * n]) * std::conj(std::complex<double>(g[j + p * n]));
            a[i + j * n] = complex(sum);
        }
    rocblas_handle handle;
    BLAS(rocblas_create_handle(&handle));
    Buffer<complex> da(a);
    Buffer<int> info(std::vector<int>{-1});
    BLAS(rocsolver_cpotrf(handle, rocblas_fill_lower, n, (rocblas_float_complex *)da.data, n, info.data));
    HIP(hipDeviceSynchronize());
    std::vector<complex> l = da.host();
    equal("info", 0, info.host()[0], 0);
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            std::complex<double> sum = 0;
            for (int p = 0; p <= j; p++) sum += std::complex<double>(l[i + p * n]) * std::conj(std::complex<double>(l[j + p * n]));
            close_to("L L^H", i + j * n, std::abs(sum - std::complex<double>(a[i + j * n])), 0, 4 * n * 6e-8 * n);
        }
    BLAS(rocblas_destroy_handle(handle));
}

// P A = L U with row exchanges.
static void cgetrf() {
    const int n = 40;
    std::vector<complex> a = matrix<complex>(n, n, 9);
    rocblas_handle handle;
    BLAS(rocblas_create_handle(&handle));
    Buffer<complex> da(a);
    Buffer<int> pivots(n), info(std::vector<int>{-1});
    BLAS(rocsolver_cgetrf(handle, n, n, (rocblas_float_complex *)da.data, n, pivots.data, info.data));
    HIP(hipDeviceSynchronize());
    std::vector<complex> lu = da.host(), permuted = a;
    std::vector<int> exchanges = pivots.host();
    equal("info", 0, info.host()[0], 0);
    for (int i = 0; i < n; i++) {
        equal("pivot is in range", i, exchanges[i] >= i + 1 && exchanges[i] <= n, true);
        for (int j = 0; j < n; j++) std::swap(permuted[i + j * n], permuted[exchanges[i] - 1 + j * n]);
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            std::complex<double> sum = 0;
            for (int p = 0; p <= std::min(i, j); p++)
                sum += (p == i ? std::complex<double>(1) : std::complex<double>(lu[i + p * n])) * std::complex<double>(lu[p + j * n]);
            close_to("L U", i + j * n, std::abs(sum - std::complex<double>(permuted[i + j * n])), 0, 8 * n * 6e-8 * 10);
        }
    BLAS(rocblas_destroy_handle(handle));
}

int main(int argc, char **argv) {
    const Case cases[] = {{"sgemm", sgemm}, {"dgemm", dgemm}, {"cgemm", cgemm}, {"cpotrf", cpotrf}, {"cgetrf", cgetrf}};
    return run_case(argc, argv, cases);
}
