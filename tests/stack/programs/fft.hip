// rocFFT against the definition of the transform, computed in double precision on the CPU.
#include "common.h"
#include <complex>
#include <rocfft/rocfft.h>

#define FFT(call)                                                                                            \
    do {                                                                                                     \
        rocfft_status status_ = (call);                                                                      \
        if (status_ != rocfft_status_success) {                                                              \
            fprintf(stderr, "%s:%d: %s: rocfft_status %d\n", __FILE__, __LINE__, #call, (int)status_);       \
            exit(2);                                                                                         \
        }                                                                                                    \
    } while (0)

typedef std::complex<float> complex;
typedef std::complex<double> exact;

static std::vector<complex> signal(size_t n) {
    std::vector<complex> values(n);
    for (size_t i = 0; i < n; i++)
        values[i] = complex((int)(hash(2 * i) % 2001 - 1000) / 1000.0f, (int)(hash(2 * i + 1) % 2001 - 1000) / 1000.0f);
    return values;
}

// The transform of `n` values that lie `stride` apart.
static void transform(std::vector<exact> &values, size_t start, size_t n, size_t stride, int sign) {
    std::vector<exact> roots(n), result(n);
    for (size_t i = 0; i < n; i++) roots[i] = std::polar(1.0, sign * 2 * M_PI * i / n);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++) result[k] += values[start + i * stride] * roots[k * i % n];
    for (size_t k = 0; k < n; k++) values[start + k * stride] = result[k];
}

// Transforms `batch` signals of the given lengths (the first varies fastest) and checks every value.
static void check(rocfft_transform_type type, std::vector<size_t> lengths, size_t batch) {
    size_t n = 1;
    for (size_t length : lengths) n *= length;
    std::vector<complex> in = signal(n * batch);
    Buffer<complex> from(in), to(n * batch);
    rocfft_plan plan = nullptr;
    FFT(rocfft_plan_create(&plan, rocfft_placement_notinplace, type, rocfft_precision_single, lengths.size(), lengths.data(), batch,
                           nullptr));
    size_t bytes = 0;
    FFT(rocfft_plan_get_work_buffer_size(plan, &bytes));
    Buffer<char> work(bytes ? bytes : 1);
    rocfft_execution_info info = nullptr;
    FFT(rocfft_execution_info_create(&info));
    if (bytes) FFT(rocfft_execution_info_set_work_buffer(info, work.data, bytes));
    void *source = from.data, *target = to.data;
    FFT(rocfft_execute(plan, &source, &target, info));
    HIP(hipDeviceSynchronize());
    std::vector<complex> got = to.host();
    std::vector<exact> expected(in.begin(), in.end());
    int sign = type == rocfft_transform_type_complex_forward ? -1 : 1;
    for (size_t stride = 1, d = 0; d < lengths.size(); stride *= lengths[d++])
        for (size_t start = 0; start < n * batch; start++)
            if (start / stride % lengths[d] == 0) transform(expected, start, lengths[d], stride, sign);
    // Values are sums of n numbers below 1.5; single precision loses a few units in each of the log2 n steps.
    double tolerance = 6e-8 * 4 * std::log2(n) * std::sqrt(n);
    for (size_t i = 0; i < got.size(); i++) close_to("coefficient", i, std::abs(exact(got[i]) - expected[i]), 0, tolerance);
    FFT(rocfft_execution_info_destroy(info));
    FFT(rocfft_plan_destroy(plan));
}

static void forward() {
    check(rocfft_transform_type_complex_forward, {1024}, 3);
    check(rocfft_transform_type_complex_forward, {840}, 2);
}
static void inverse() { check(rocfft_transform_type_complex_inverse, {512}, 2); }
static void planes() { check(rocfft_transform_type_complex_forward, {48, 32}, 1); }

template <void (*run)()> static void in_library() {
    FFT(rocfft_setup());
    run();
    FFT(rocfft_cleanup());
}

int main(int argc, char **argv) {
    const Case cases[] = {{"forward", in_library<forward>}, {"inverse", in_library<inverse>}, {"planes", in_library<planes>}};
    return run_case(argc, argv, cases);
}
