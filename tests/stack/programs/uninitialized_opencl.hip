// As uninitialized.hip, in OpenCL.
#include "opencl.h"

static const char *SOURCE = R"(
kernel void twice(global const int *in, global int *out) { out[get_global_id(0)] = 2 * in[get_global_id(0)]; }
kernel void once(global int *out) { out[get_global_id(0)] = get_global_id(0); }
)";

const int N = 1024;

static std::vector<int> numbers() {
    std::vector<int> values(N);
    for (int i = 0; i < N; i++) values[i] = hash(i) >> 8;
    return values;
}

static void doubled(cl_mem in, const std::vector<int> &values, int written) {
    cl_mem out = buffer(N * sizeof(int));
    cl_kernel k = kernel(SOURCE, "twice");
    argument(k, 0, in), argument(k, 1, out);
    launch(k, N, 64);
    std::vector<int> got = read<int>(out, N);
    for (int i = 0; i < written; i++) equal("doubled", i, got[i], 2 * values[i]);
}

// Copied when it is made, written, filled, mapped, written by a kernel.
static void right() {
    std::vector<int> values = numbers();
    doubled(buffer(N * sizeof(int), values.data()), values, N);
    cl_mem in = buffer(N * sizeof(int));
    CL(clEnqueueWriteBuffer(queue, in, CL_TRUE, 0, N * sizeof(int), values.data(), 0, nullptr, nullptr));
    doubled(in, values, N);
    cl_mem filled = buffer(N * sizeof(int));
    int seven = 7;
    CL(clEnqueueFillBuffer(queue, filled, &seven, sizeof seven, 0, N * sizeof(int), 0, nullptr, nullptr));
    doubled(filled, std::vector<int>(N, 7), N);
    cl_int status;
    cl_mem mapped = buffer(N * sizeof(int));
    void *host = clEnqueueMapBuffer(queue, mapped, CL_TRUE, CL_MAP_WRITE, 0, N * sizeof(int), 0, nullptr, nullptr, &status);
    CL(status);
    memcpy(host, values.data(), N * sizeof(int));
    CL(clEnqueueUnmapMemObject(queue, mapped, host, 0, nullptr, nullptr));
    doubled(mapped, values, N);
    cl_mem stored = buffer(N * sizeof(int));
    cl_kernel k = kernel(SOURCE, "once");
    argument(k, 0, stored);
    launch(k, N, 64);
    for (int i = 0; i < N; i++) values[i] = i;
    doubled(stored, values, N);
}

static void tail() {
    std::vector<int> values = numbers();
    cl_mem in = buffer(N * sizeof(int));
    CL(clEnqueueWriteBuffer(queue, in, CL_TRUE, 0, (N - 100) * sizeof(int), values.data(), 0, nullptr, nullptr));
    doubled(in, values, N - 100);
}

int main(int argc, char **argv) {
    open_device();
    const Case cases[] = {{"right", right}, {"tail_without", tail}};
    return run_case(argc, argv, cases);
}
