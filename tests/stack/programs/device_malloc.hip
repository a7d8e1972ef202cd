// Programs for `vgpu check`: one in which a kernel of AMD's makes the heap of `malloc` in kernels, and one whose kernel is only named so.
#include "common.h"

const int GROUP = 256;

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

int main(int argc, char **argv) {
    const Case cases[] = {{"heap", heap}, {"named", named}};
    return run_case(argc, argv, cases);
}
