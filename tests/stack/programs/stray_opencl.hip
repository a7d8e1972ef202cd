// As stray.hip, in OpenCL.
#include "opencl.h"

static const char *SOURCE = R"(
kernel void shift(global const int *in, global int *out, int n) {
    int i = get_global_id(0);
    if (i < n)
        out[i] = in[i + 1];
}
kernel void count(global int *out, int at) { atomic_add(&out[at], 1); }
)";

const int N = 1000;
const size_t GROUP = 200;

static std::vector<int> numbers(int count) {
    std::vector<int> values(count);
    for (int i = 0; i < count; i++) values[i] = hash(i);
    return values;
}

static std::vector<int> shifted(cl_mem in) {
    cl_mem out = buffer(N * sizeof(int));
    cl_kernel k = kernel(SOURCE, "shift");
    argument(k, 0, in), argument(k, 1, out), argument(k, 2, N);
    launch(k, N, GROUP);
    return read<int>(out, N);
}

static void check_shifted(const std::vector<int> &got, int count) {
    std::vector<int> in = numbers(N + 1);
    for (int i = 0; i < count; i++) equal("shifted", i, got[i], in[i + 1]);
}

static void right() { check_shifted(shifted(buffer((N + 1) * sizeof(int), numbers(N + 1).data())), N); }

static void load() { check_shifted(shifted(buffer(N * sizeof(int), numbers(N).data())), N - 1); }

static void atomic() {
    std::vector<int> zeros(N, 0);
    cl_mem out = buffer(N * sizeof(int), zeros.data());
    cl_kernel k = kernel(SOURCE, "count");
    argument(k, 0, out), argument(k, 1, N);
    launch(k, 64, 64);
    std::vector<int> got = read<int>(out, N);
    for (int i = 0; i < N; i++) equal("counted", i, got[i], 0);
}

int main(int argc, char **argv) {
    open_device();
    const Case cases[] = {{"right", right}, {"load", load}, {"atomic", atomic}};
    return run_case(argc, argv, cases);
}
