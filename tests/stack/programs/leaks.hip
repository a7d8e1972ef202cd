// Programs for `vgpu check --only leak`: one that frees all that it allocates, in all the ways, and one that does not.
#include "common.h"

const int N = 1000;

__global__ void fill(int *out) { out[threadIdx.x] = threadIdx.x; }

static int *allocated(size_t bytes) {
    int *memory;
    HIP(hipMalloc((void **)&memory, bytes)); // of all
    return memory;
}

// What the runtime itself needs for it is not the program's.
static void used(int *memory) {
    hipStream_t stream;
    hipEvent_t event;
    HIP(hipStreamCreate(&stream));
    HIP(hipEventCreate(&event));
    fill<<<1, 64, 0, stream>>>(memory);
    HIP(hipEventRecord(event, stream));
    std::vector<int> got(64);
    HIP(hipMemcpyAsync(got.data(), memory, 64 * sizeof(int), hipMemcpyDeviceToHost, stream));
    HIP(hipStreamSynchronize(stream));
    HIP(hipEventDestroy(event));
    HIP(hipStreamDestroy(stream));
    for (int i = 0; i < 64; i++) equal("filled", i, got[i], i);
}

// Frees when the process ends, in two ways.
static struct Kept {
    int *memory = nullptr;
    ~Kept() {
        if (memory) (void)hipFree(memory);
    }
} kept;
static int *last;
static void free_last() { (void)hipFree(last); }

static void freed() {
    int *host, *managed;
    kept.memory = allocated(N);
    last = allocated(N);
    atexit(free_last);
    HIP(hipHostMalloc((void **)&host, N * sizeof(int)));
    HIP(hipMallocManaged((void **)&managed, N * sizeof(int)));
    {
        Buffer<int> buffer(1 << 20);
        for (int *memory : {host, managed, kept.memory, buffer.data}) used(memory);
    }
    HIP(hipFree(managed));
    HIP(hipHostFree(host));
}

static void leaked() {
    for (int i = 0; i < 2; i++) used(allocated(N * sizeof(int))); // two of one line
    int *host;
    HIP(hipHostMalloc((void **)&host, 5000)); // one of another
    used(host);
    Buffer<int> buffer(N);
    used(buffer.data);
}

int main(int argc, char **argv) {
    const Case cases[] = {{"freed", freed}, {"leaked", leaked}};
    return run_case(argc, argv, cases);
}
