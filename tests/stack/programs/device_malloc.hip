// Programs for `vgpu check` in which kernels of AMD's own run: the one that makes the heap of `malloc` in kernels, and those that fill memory.
#include "common.h"

const int N = 4096, GROUP = 256;

__global__ void allocate(int *out) {
    int *own = (int *)malloc(sizeof(int));
    if (own) {
        *own = threadIdx.x;
        out[threadIdx.x] = *own;
        free(own);
    }
}

// A kernel of the program, by a name as AMD has them.
extern "C" __global__ void __amd_rocclr_mine(int *out) {
    __shared__ int numbers[GROUP];
    numbers[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = numbers[GROUP - 1 - threadIdx.x]; // no barrier before
}

__global__ void fill(int *out) { out[blockIdx.x * GROUP + threadIdx.x] = threadIdx.x; }

static void heap() {
    Buffer<int> out(64);
    allocate<<<1, 64>>>(out.data);
    std::vector<int> got = out.host();
    for (int i = 0; i < 64; i++) equal("allocated", i, got[i], i);
}

static void named() {
    Buffer<int> out(GROUP);
    __amd_rocclr_mine<<<1, GROUP>>>(out.data);
    HIP(hipDeviceSynchronize());
    equal("count", 0, out.count, GROUP);
}

// AMD's kernel in one stream and the program's in another.
static void filled() {
    hipStream_t streams[2];
    for (hipStream_t &stream : streams) HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    Buffer<int> data(N);
    HIP(hipDeviceSynchronize());
    fill<<<N / GROUP, GROUP, 0, streams[0]>>>(data.data);
    HIP(hipMemsetAsync(data.data, 1, N * sizeof(int), streams[1]));
    HIP(hipDeviceSynchronize());
    equal("count", 0, data.count, N);
    for (hipStream_t stream : streams) HIP(hipStreamDestroy(stream));
}

int main(int argc, char **argv) {
    const Case cases[] = {{"heap", heap}, {"named", named}, {"filled", filled}};
    return run_case(argc, argv, cases);
}
