// Programs for `vgpu check`: one that is right, and others that access what they did not ask for. Each says what it computed, all the same.
#include "common.h"

const int N = 1000; // not a multiple of a page, of the work-group or of the wave
const int GROUP = 128;

__global__ void shift(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i + 1]; // line of shift
}

__global__ void fill(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) out[i] = 3 * i; // line of fill
}

__global__ void count(int *out, int at) {
    int old = atomicAdd(&out[at + (threadIdx.x & 1)], 1); // line of count
    if (old < 0) out[0] = old;
}

static std::vector<int> numbers(int count) {
    std::vector<int> values(count);
    for (int i = 0; i < count; i++) values[i] = hash(i);
    return values;
}

static void check_shifted(const Buffer<int> &out, int count) {
    std::vector<int> in = numbers(N + 1), got = out.host();
    for (int i = 0; i < count; i++) equal("shifted", i, got[i], in[i + 1]);
}

static void right() {
    Buffer<int> in(numbers(N + 1)), out(N);
    shift<<<(N + GROUP - 1) / GROUP, GROUP>>>(in.data, out.data, N);
    check_shifted(out, N);
}

static void load() {
    Buffer<int> in(numbers(N)), out(N); // of load
    for (int i = 0; i < 3; i++) shift<<<(N + GROUP - 1) / GROUP, GROUP>>>(in.data, out.data, N);
    check_shifted(out, N - 1);
}

static void store() {
    Buffer<int> out(N);
    fill<<<(N + GROUP) / GROUP, GROUP>>>(out.data, N);
    std::vector<int> got = out.host();
    for (int i = 0; i < N; i++) equal("filled", i, got[i], 3 * i);
}

// Every second work-item counts in the last element, the others behind it.
static void atomic() {
    Buffer<int> out(std::vector<int>(N, 0));
    count<<<3, GROUP>>>(out.data, N - 1);
    equal("counted", 0, out.host()[N - 1], 3 * GROUP / 2);
}

static void freed() {
    Buffer<int> out(N);
    int *stale;
    {
        Buffer<int> in(numbers(N + 1));
        stale = in.data;
    }
    shift<<<(N + GROUP - 1) / GROUP, GROUP>>>(stale, out.data, N);
    check_shifted(out, N);
}

// Of memory of the host that the GPU can access.
static void host() {
    int *in;
    HIP(hipHostMalloc((void **)&in, N * sizeof(int), 0));
    memcpy(in, numbers(N).data(), N * sizeof(int));
    Buffer<int> out(N);
    shift<<<(N + GROUP - 1) / GROUP, GROUP>>>(in, out.data, N);
    check_shifted(out, N - 1);
    HIP(hipHostFree(in));
}

// Behind the last page, where nothing is: HIP ends the program.
static void far() {
    Buffer<int> out(N);
    count<<<1, 1>>>(out.data, 1024);
    HIP(hipDeviceSynchronize());
}

int main(int argc, char **argv) {
    const Case cases[] = {{"right", right}, {"load", load},   {"store", store}, {"atomic", atomic},
                          {"freed", freed}, {"host", host}, {"far", far}};
    return run_case(argc, argv, cases);
}
