#include <hip/hip_runtime.h>
#include <cstdio>
#include <vector>

__global__ void add(float *x, float y) { x[threadIdx.x] += y; }

static void check(hipError_t error) {
    if (error != hipSuccess) {
        fprintf(stderr, "%s\n", hipGetErrorString(error));
        exit(1);
    }
}

int main() {
    std::vector<float> ones(64, 1.0f);
    const size_t bytes = 64 * sizeof(float);
    float *x;
    check(hipMalloc(&x, bytes));
    check(hipMemcpy(x, ones.data(), bytes, hipMemcpyHostToDevice));
    add<<<1, 64>>>(x, 2.0f);
    check(hipGetLastError());
    check(hipDeviceSynchronize());
    check(hipMemcpy(ones.data(), x, bytes, hipMemcpyDeviceToHost));
    check(hipFree(x));
    printf("%g %g\n", ones.front(), ones.back());
}
