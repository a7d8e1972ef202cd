// Programs for `vgpu check`: frees that a program must not make, and the codes of calls about memory that is free, which are the same with and without a check.
#include "common.h"
#include <dlfcn.h>
#include <hsa/hsa_ext_amd.h>

// Not from a block that ROCr divides.
const size_t BYTES = 4 << 20;

template <class T = char> static T *device() {
    T *memory;
    HIP(hipMalloc((void **)&memory, BYTES)); // device memory
    return memory;
}

static char *host() {
    char *memory;
    HIP(hipHostMalloc((void **)&memory, BYTES, 0)); // memory of the host
    return memory;
}

__global__ void fill(int *out) { out[threadIdx.x] = threadIdx.x; }

// Frees by all functions, each memory of its kind.
static void right() {
    HIP(hipFree(nullptr));
    int *filled = device<int>();
    fill<<<1, 64>>>(filled);
    HIP(hipFree(filled));
    HIP(hipHostFree(host()));
    char *managed, *pitched;
    size_t pitch;
    HIP(hipMallocManaged((void **)&managed, BYTES));
    HIP(hipFree(managed));
    HIP(hipMallocPitch((void **)&pitched, &pitch, 100, 100));
    HIP(hipFree(pitched));
    // HIP 5.2 ends with a segmentation fault in the first call.
#if HIP_VERSION >= 50700000
    char *pooled;
    HIP(hipMallocAsync((void **)&pooled, BYTES, nullptr));
    HIP(hipFreeAsync(pooled, nullptr));
#endif
    // The same addresses again and again: more than what is kept of freed memory.
    for (int i = 0; i < 40; i++) {
        char *large;
        HIP(hipMalloc((void **)&large, 32 * BYTES));
        HIP(hipFree(large));
    }
    equal("freed", 0, 1, 1);
}

static void twice() {
    char *memory = device();
    HIP(hipFree(memory)); // first
    equal("code", 0, hipFree(memory), hipErrorInvalidValue); // second
}

// Of what is too large to stay mapped when it is free.
static void large() {
    char *memory;
    HIP(hipMalloc((void **)&memory, 512 * BYTES));
    HIP(hipFree(memory)); // first of large
    equal("code", 0, hipFree(memory), hipErrorInvalidValue); // second of large
}

// By functions that the program looks up.
static void by_pointer() {
    void *library = dlopen(nullptr, RTLD_NOW);
    hipError_t (*release)(void *) = (hipError_t(*)(void *))dlsym(library, "hipFree");
    char *memory = device();
    HIP(release(memory));
    equal("code", 0, release(memory), hipErrorInvalidValue); // second by pointer
}

static void inside() {
    equal("code", 0, hipFree(device() + 256), hipSuccess); // inside
}

static void by_other() {
    equal("code", 0, hipHostFree(device()), hipSuccess); // device memory by the host's function
    equal("code", 1, hipFree(host()), hipSuccess);       // memory of the host by the device's function
}

static void by_hsa() {
    char *memory = device();
    HIP(hipFree(memory));
    equal("code", 0, hsa_amd_memory_pool_free(memory) != HSA_STATUS_SUCCESS, true); // second by HSA
}

static void codes() {
    char *memory = device(), *pinned = host();
    size_t size = 0, free = 0, total = 0;
    hipPointerAttribute_t attributes = {};
    hipDeviceptr_t base = nullptr;
    hipIpcMemHandle_t handle;
    std::vector<char> own(BYTES);
    int number = 0;
#define CODE(call) printf("code %d of " #call ": %d\n", ++number, (int)(call))
    size_t before = 0, after = 0;
    HIP(hipMemGetInfo(&before, &total));
    for (int round = 0; round < 3; round++) {
        CODE(hipPointerGetAttributes(&attributes, memory));
        CODE(hipPointerGetAttributes(&attributes, memory + 4096));
        CODE(hipMemPtrGetInfo(memory, &size));
        CODE(hipMemGetAddressRange(&base, &size, memory + 16));
        CODE(hipIpcGetMemHandle(&handle, memory));
        CODE(hipMemset(memory, 1, 16));
        CODE(hipMemsetAsync(memory, 1, 16, nullptr));
        CODE(hipPointerGetAttributes(&attributes, pinned));
        CODE(hipHostGetFlags((unsigned *)&size, pinned));
        CODE(hipHostGetDevicePointer((void **)&base, pinned, 0));
        hsa_amd_pointer_info_t info = {};
        info.size = sizeof info;
        CODE(hsa_amd_pointer_info(memory, &info, nullptr, nullptr, nullptr));
        printf("type %d of %zu bytes\n", (int)info.type, info.sizeInBytes);
        CODE(hsa_amd_pointer_info(pinned, &info, nullptr, nullptr, nullptr));
        printf("type %d of %zu bytes\n", (int)info.type, info.sizeInBytes);
        hsa_amd_ipc_memory_t ipc;
        CODE(hsa_amd_ipc_memory_create(memory, BYTES, &ipc));
        CODE(hsa_amd_pointer_info_set_userdata(memory, nullptr));
        if (round == 0) {
            CODE(hipFree(memory));
            CODE(hipHostFree(pinned));
        } else {
            CODE(hipFree(memory));
            CODE(hipFree(memory + 256));
            CODE(hipFreeAsync(memory, nullptr));
            CODE(hipHostFree(memory));
            CODE(hipHostFree(pinned));
            CODE(hipFree(pinned));
            CODE(hipHostUnregister(pinned));
            CODE(hsa_amd_memory_pool_free(memory));
            CODE(hsa_memory_free(memory));
            CODE(hsa_memory_free(pinned));
        }
    }
    HIP(hipMemGetInfo(&after, &total));
    printf("%lld bytes more are free\n", (long long)after - (long long)before);
    CODE(hipFree(own.data()));
    CODE(hipHostFree(own.data()));
    CODE(hipHostRegister(own.data(), BYTES, 0));
    CODE(hipHostRegister(own.data(), BYTES, 0));
    CODE(hipHostUnregister(own.data()));
    CODE(hipHostUnregister(own.data()));
    CODE(hipMemGetInfo(&free, &total));
    CODE(hipMalloc((void **)&memory, total));
    CODE(hipGetLastError());
    equal("codes", 0, number, 73);
}

int main(int argc, char **argv) {
    const Case cases[] = {{"right", right},   {"twice", twice},       {"large", large},   {"by_pointer", by_pointer},
                          {"inside", inside}, {"by_other", by_other}, {"by_hsa", by_hsa}, {"codes", codes}};
    return run_case(argc, argv, cases);
}
