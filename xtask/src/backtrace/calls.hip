// The calls whose way through AMD's libraries `cargo xtask backtrace` shows. Each but the stream's has been made once
// before, so that nothing of a first use is in it.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>

__global__ void add(float *x, float y) { x[threadIdx.x] += y; }

static void check(hipError_t error) {
    if (error != hipSuccess) {
        fprintf(stderr, "%s\n", hipGetErrorString(error));
        exit(1);
    }
}

// gdb looks from the one to the other.
extern "C" __attribute__((noinline)) void calls_begin() { asm volatile(""); }
extern "C" __attribute__((noinline)) void calls_end() { asm volatile(""); }

int main() {
    float host[64] = {};
    for (bool first : {true, false}) {
        if (!first) {
            calls_begin();
            hipStream_t stream;
            check(hipStreamCreate(&stream));
        }
        float *x;
        check(hipMalloc(&x, 4 << 20));
        check(hipMemcpy(x, host, sizeof host, hipMemcpyHostToDevice));
        add<<<1, 64>>>(x, 2.0f);
        check(hipGetLastError());
        check(hipDeviceSynchronize());
    }
    calls_end();
}
