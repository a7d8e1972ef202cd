// Programs for `vgpu check --only init` whose kernels load device memory and private memory: ones that are right, and the same with a fault. Each says what it computed of what
// was written.
#include "common.h"

const int N = 1000;
const int GROUP = 128;
const int MINE = 200; // too many numbers for registers and for LDS

static int groups(int n) { return (n + GROUP - 1) / GROUP; }

__global__ void twice(const int *in, int *out, int n) {
    int i = blockIdx.x * GROUP + threadIdx.x;
    if (i < n) out[i] = 2 * in[i]; // load of twice
}

__global__ void fill(int *out, int n) {
    int i = blockIdx.x * GROUP + threadIdx.x;
    if (i < n) out[i] = i;
}

__global__ void sum(const int *in, int *all, int n) {
    int i = blockIdx.x * GROUP + threadIdx.x;
    if (i < n) atomicAdd(all, in[i]); // sum of all
}

// Bytes between those of a structure that nobody writes, and that go with the others where it is loaded as a whole.
struct Pair {
    char flag;
    int key;
};

__global__ void make_pairs(const int *in, Pair *out, int n) {
    int i = blockIdx.x * GROUP + threadIdx.x;
    if (i < n) out[i].flag = in[i], out[i].key = in[i];
}

__global__ void copy_pairs(const Pair *in, Pair *out, int n) {
    int i = blockIdx.x * GROUP + threadIdx.x;
    if (i < n) out[i] = in[i];
}

__global__ void read_pairs(const Pair *in, int *out, int n) {
    int i = blockIdx.x * GROUP + threadIdx.x;
    if (i < n) out[i] = in[i].flag + in[i].key;
}

__global__ void if_set(const bool *set, int *out) { out[threadIdx.x] = *set ? 1 : 2; }

// Sets `count` of the numbers in its private memory and adds all of them.
__global__ void add_own(const int *in, int *out, int count) {
    int mine[MINE];
    for (int i = 0; i < count; i++) mine[i * 7 % MINE] = in[i];
    int all = 0;
#pragma unroll 1
    for (int i = 0; i < MINE; i++) all += mine[i]; // load of add_own
    out[threadIdx.x] = all;
}

static std::vector<int> numbers(int n) {
    std::vector<int> values(n);
    for (int i = 0; i < n; i++) values[i] = hash(i) >> 8;
    return values;
}

// Doubles `n` numbers, of which `written` are expected to be right.
static void doubled(const int *in, const std::vector<int> &values, int written) {
    int n = values.size();
    Buffer<int> out(n);
    twice<<<groups(n), GROUP>>>(in, out.data, n);
    std::vector<int> got = out.host();
    for (int i = 0; i < written; i++) equal("doubled", i, got[i], 2 * values[i]);
}

// From pageable and from page-locked memory, few bytes and many, and within the device.
static void copied() {
    for (int n : {1, 3, N, 1 << 20}) {
        std::vector<int> values = numbers(n);
        Buffer<int> in(values);
        doubled(in.data, values, n);
        int *host;
        HIP(hipHostMalloc((void **)&host, n * sizeof(int)));
        memcpy(host, values.data(), n * sizeof(int));
        Buffer<int> locked(n), second(n);
        HIP(hipMemcpyAsync(locked.data, host, n * sizeof(int), hipMemcpyHostToDevice, nullptr));
        doubled(locked.data, values, n);
        HIP(hipMemcpy(second.data, locked.data, n * sizeof(int), hipMemcpyDeviceToDevice));
        doubled(second.data, values, n);
        HIP(hipHostFree(host));
    }
}

static void set() {
    Buffer<int> in(N), all(1);
    HIP(hipMemset(in.data, 1, N * sizeof(int)));
    doubled(in.data, std::vector<int>(N, 0x01010101), N);
    HIP(hipMemset(all.data, 0, sizeof(int)));
    sum<<<groups(N), GROUP>>>(in.data, all.data, N);
    equal("sum", 0, all.host()[0], int(0x01010101u * N));
}

static void stored() {
    Buffer<int> in(N);
    fill<<<groups(N), GROUP>>>(in.data, N);
    std::vector<int> values(N);
    for (int i = 0; i < N; i++) values[i] = i;
    doubled(in.data, values, N);
}

// Written by the host where it is.
static void by_host() {
    std::vector<int> values = numbers(N);
    int *host, *managed;
    HIP(hipHostMalloc((void **)&host, N * sizeof(int)));
    HIP(hipMallocManaged((void **)&managed, N * sizeof(int)));
    for (int *memory : {host, managed}) {
        for (int i = 0; i < N; i++) memory[i] = values[i];
        doubled(memory, values, N);
    }
    HIP(hipFree(managed));
    HIP(hipHostFree(host));
}

// Each single byte that was copied, whatever it is.
static void single_bytes() {
    Buffer<int> out(GROUP);
    for (int i = 0; i < 20; i++) {
        Buffer<bool> set(1);
        bool value = i & 1;
        HIP(hipMemcpy(set.data, &value, 1, hipMemcpyHostToDevice));
        if_set<<<1, GROUP>>>(set.data, out.data);
        equal("set", i, out.host()[i], value ? 1 : 2);
    }
}

// Structures by their parts and as a whole, with what is between them.
static void parts() {
    std::vector<int> values = numbers(N);
    Buffer<int> in(values), sums(N);
    Buffer<Pair> pairs(N), copies(N);
    make_pairs<<<groups(N), GROUP>>>(in.data, pairs.data, N);
    copy_pairs<<<groups(N), GROUP>>>(pairs.data, copies.data, N);
    read_pairs<<<groups(N), GROUP>>>(copies.data, sums.data, N);
    std::vector<int> got = sums.host();
    for (int i = 0; i < N; i++) equal("pair", i, got[i], values[i] + char(values[i]));
}

// Memory of one place after the other.
template <bool RIGHT> static void reused() {
    std::vector<int> values = numbers(N);
    for (int i = 0; i < 4; i++) {
        Buffer<int> in(N);
        if (RIGHT || i < 3) HIP(hipMemcpy(in.data, values.data(), N * sizeof(int), hipMemcpyHostToDevice));
        doubled(in.data, values, RIGHT || i < 3 ? N : 0);
    }
}

template <bool RIGHT> static void tail() {
    std::vector<int> values = numbers(N);
    int written = RIGHT ? N : N - 100;
    Buffer<int> in(N); // of tail
    HIP(hipMemcpy(in.data, values.data(), written * sizeof(int), hipMemcpyHostToDevice));
    doubled(in.data, values, written);
}

static void accumulator() {
    Buffer<int> in(numbers(N)), all(1);
    // hipMemset is missing
    sum<<<groups(N), GROUP>>>(in.data, all.data, N);
    equal("count", 0, all.host().size(), 1u);
}

template <int COUNT> static void own() {
    std::vector<int> values = numbers(MINE);
    Buffer<int> in(values), out(GROUP);
    add_own<<<1, GROUP>>>(in.data, out.data, COUNT);
    int all = 0;
    for (int value : values) all += value;
    std::vector<int> got = out.host();
    for (int i = 0; i < GROUP; i++) equal("sum", i, COUNT == MINE ? got[i] : all, all);
}

int main(int argc, char **argv) {
    const Case cases[] = {{"copied", copied},
                          {"set", set},
                          {"stored", stored},
                          {"by_host", by_host},
                          {"single_bytes", single_bytes},
                          {"parts", parts},
                          {"reused", reused<true>},
                          {"reused_without", reused<false>},
                          {"tail", tail<true>},
                          {"tail_without", tail<false>},
                          {"accumulator", accumulator},
                          {"own", own<MINE>},
                          {"own_without", own<MINE - 50>}};
    return run_case(argc, argv, cases);
}
