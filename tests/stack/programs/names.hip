// Programs for `vgpu check` that fail in kernels and functions whose names and places are to be told.
#include "common.h"

// The names of types in mangled C++, which these are not.
#define KERNEL(name)                                                                                                   \
    extern "C" __global__ void name(int *out) { out[64] = 1; }
KERNEL(f)
KERNEL(i)
KERNEL(d)
KERNEL(v)
KERNEL(x)
KERNEL(b)
KERNEL(Sa)
KERNEL(a1)

static void c_names() {
    Buffer<int> out(64);
    for (auto kernel : {f, i, d, v, x, b, Sa, a1}) kernel<<<1, 1>>>(out.data);
    HIP(hipDeviceSynchronize());
}

__global__ void writer(int *out) { out[threadIdx.x] = 7; }
__global__ void reader(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x]; }

// A kernel of the second GPU loads what one of the first stores.
static void two_gpus() {
    hipStream_t streams[2];
    int *data, *out;
    HIP(hipSetDevice(1));
    HIP(hipDeviceEnablePeerAccess(0, 0));
    HIP(hipMalloc((void **)&out, 256));
    HIP(hipStreamCreateWithFlags(&streams[1], hipStreamNonBlocking));
    HIP(hipSetDevice(0));
    HIP(hipMalloc((void **)&data, 256));
    HIP(hipStreamCreateWithFlags(&streams[0], hipStreamNonBlocking));
    HIP(hipMemset(data, 0, 256));
    HIP(hipDeviceSynchronize());
    writer<<<1, 64, 0, streams[0]>>>(data);
    HIP(hipSetDevice(1));
    reader<<<1, 64, 0, streams[1]>>>(data, out);
    for (int gpu : {1, 0}) {
        HIP(hipSetDevice(gpu));
        HIP(hipDeviceSynchronize());
    }
}

__device__ __noinline__ static void store_behind(int *out, int count) { out[count] = count; }

__global__ void calls(int *out, int count) { store_behind(out + threadIdx.x, count); }

// In a function that the code object does not export.
static void function() {
    Buffer<int> out(64);
    calls<<<1, 64>>>(out.data, 1);
    HIP(hipDeviceSynchronize());
}

__global__ void late(int *out, long long ticks) {
    long long begin = (long long)__builtin_amdgcn_s_memrealtime();
    while ((long long)__builtin_amdgcn_s_memrealtime() - begin < ticks) __builtin_amdgcn_s_sleep(10);
    out[threadIdx.x] = 7;
}

// Nobody waits for the kernel, which stores behind its buffer when main has returned.
template <int SECONDS> static void unfinished() {
    int *out, kilohertz;
    HIP(hipMalloc((void **)&out, 63 * sizeof(int)));
#if HIP_VERSION >= 50700000
    HIP(hipDeviceGetAttribute(&kilohertz, hipDeviceAttributeWallClockRate, 0));
#else
    // HIP 5.2 cannot be asked. The clock of gfx9 has 100 MHz.
    kilohertz = 100000;
#endif
    late<<<1, 64>>>(out, 1000LL * kilohertz * SECONDS);
}

int main(int argc, char **argv) {
    const Case cases[] = {
        {"c_names", c_names},
        {"two_gpus", two_gpus},
        {"function", function},
        {"unfinished", unfinished<1>},
        {"unfinished_for_long", unfinished<6>},
    };
    return run_case(argc, argv, cases);
}
