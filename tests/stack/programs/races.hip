// Programs for `vgpu check` that use LDS: ones that are right, and the same with a fault. Each says what it computed, all the same: the virtual GPU's waves take long
// turns, so most faults change nothing there.
#include "common.h"

const int GROUP = 256; // four waves
const int GROUPS = 3;

// Each work-item gives its number to the one that is opposite.
template <bool RIGHT> __global__ void reverse(int *data) {
    __shared__ int tile[GROUP];
    int *mine = data + blockIdx.x * GROUP;
    tile[threadIdx.x] = mine[threadIdx.x]; // store of reverse
    if (RIGHT) __syncthreads();
    mine[threadIdx.x] = tile[GROUP - 1 - threadIdx.x]; // load of reverse
}

// A sum in rounds, each of which stores where the next one loads.
template <bool RIGHT> __global__ void sum(const int *in, int *out) {
    __shared__ int part[GROUP];
    part[threadIdx.x] = in[blockIdx.x * GROUP + threadIdx.x];
    __syncthreads();
    for (int half = GROUP / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half]; // round of sum
        if (RIGHT || half <= 64) __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

// How often each of 64 values is there.
template <bool RIGHT> __global__ void histogram(const int *in, int *out) {
    __shared__ int bins[64];
    if (threadIdx.x < 64) bins[threadIdx.x] = 0; // zeros of histogram
    if (RIGHT) __syncthreads();
    atomicAdd(&bins[in[blockIdx.x * GROUP + threadIdx.x] & 63], 1); // count of histogram
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

// Each wave adds its part to the sum of all, and the last one that comes writes it.
__global__ void last_of_waves(const int *in, int *out) {
    __shared__ int parts[GROUP / 64];
    __shared__ int arrived;
    if (threadIdx.x == 0) arrived = 0;
    __syncthreads();
    int value = in[blockIdx.x * GROUP + threadIdx.x];
    for (int at = 1; at < 64; at *= 2) value += __shfl_xor(value, at);
    if (threadIdx.x % 64 == 0) {
        parts[threadIdx.x / 64] = value;
        __threadfence_block();
        if (atomicAdd(&arrived, 1) == GROUP / 64 - 1) {
            int all = 0;
            for (int part : parts) all += part;
            out[blockIdx.x] = all;
        }
    }
}

// All work-items say the same, and need not wait for each other to do so.
__global__ void any_is_odd(const int *in, int *out) {
    __shared__ int any;
    if (threadIdx.x == 0) any = 0;
    __syncthreads();
    if (in[blockIdx.x * GROUP + threadIdx.x] & 1) any = 1;
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = any;
}

// Wave 0 stores, wave 1 loads, and both count that they came. If wave 0 comes first its count orders them; but nobody waits for that.
__global__ void first_come(int *out) {
    __shared__ int value, arrived;
    if (threadIdx.x == 0) value = arrived = 0;
    __syncthreads();
    if (threadIdx.x == 0) value = blockIdx.x + 1; // store of first_come
    __threadfence_block();
    int before = threadIdx.x % 64 ? 0 : atomicAdd(&arrived, 1);
    __threadfence_block();
    if (threadIdx.x == 64) out[3 * blockIdx.x + 2] = value; // load of first_come
    if (threadIdx.x % 64 == 0) out[3 * blockIdx.x + threadIdx.x / 64] = before;
}

// LDS whose size the launch says.
__global__ void shifted(const int *in, int *out) {
    extern __shared__ int all[];
    all[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = all[threadIdx.x + 1]; // load of shifted
}

static std::vector<int> numbers(int count) {
    std::vector<int> values(count);
    for (int i = 0; i < count; i++) values[i] = hash(i) >> 8;
    return values;
}

template <bool RIGHT> static void reversed() {
    std::vector<int> in = numbers(GROUP * GROUPS);
    Buffer<int> data(in);
    reverse<RIGHT><<<GROUPS, GROUP>>>(data.data);
    std::vector<int> got = data.host();
    for (int i = 0; RIGHT && i < GROUP * GROUPS; i++) equal("reversed", i, got[i], in[i ^ (GROUP - 1)]);
    if (!RIGHT) equal("left", 0, got.size(), in.size());
}

template <bool RIGHT> static void summed() {
    std::vector<int> in = numbers(GROUP * GROUPS);
    Buffer<int> data(in), out(GROUPS);
    sum<RIGHT><<<GROUPS, GROUP>>>(data.data, out.data);
    std::vector<int> got = out.host();
    for (int group = 0; group < GROUPS; group++) {
        int all = 0;
        for (int i = 0; i < GROUP; i++) all += in[group * GROUP + i];
        if (RIGHT) equal("sum", group, got[group], all);
    }
    if (!RIGHT) equal("left", 0, got.size(), GROUPS);
}

template <bool RIGHT> static void counted() {
    std::vector<int> in = numbers(GROUP * GROUPS), expected(64, 0);
    for (int value : in) expected[value & 63]++;
    Buffer<int> data(in), out(std::vector<int>(64, 0));
    histogram<RIGHT><<<GROUPS, GROUP>>>(data.data, out.data);
    std::vector<int> got = out.host();
    for (int i = 0; i < 64; i++) equal("count", i, got[i], expected[i]);
}

static void synced() {
    std::vector<int> in = numbers(GROUP * GROUPS);
    Buffer<int> data(in), out(GROUPS), odd(GROUPS);
    last_of_waves<<<GROUPS, GROUP>>>(data.data, out.data);
    any_is_odd<<<GROUPS, GROUP>>>(data.data, odd.data);
    std::vector<int> got = out.host(), any = odd.host();
    for (int group = 0; group < GROUPS; group++) {
        int all = 0;
        for (int i = 0; i < GROUP; i++) all += in[group * GROUP + i];
        equal("sum", group, got[group], all);
        equal("odd", group, any[group], 1);
    }
}

static void came() {
    const int groups = 32;
    Buffer<int> out(3 * groups);
    first_come<<<groups, 128>>>(out.data);
    std::vector<int> got = out.host();
    for (int group = 0; group < groups; group++) equal("came", group, got[3 * group] + got[3 * group + 1], 1);
}

template <bool RIGHT> static void sized() {
    std::vector<int> in = numbers(GROUP);
    Buffer<int> data(in), out(GROUP);
    shifted<<<1, GROUP, (GROUP + RIGHT) * sizeof(int)>>>(data.data, out.data);
    std::vector<int> got = out.host();
    for (int i = 0; i < GROUP - 1; i++) equal("shifted", i, got[i], in[i + 1]);
}

int main(int argc, char **argv) {
    const Case cases[] = {{"reverse", reversed<true>},        {"reverse_without", reversed<false>},
                          {"sum", summed<true>},              {"sum_without", summed<false>},
                          {"histogram", counted<true>},       {"histogram_without", counted<false>},
                          {"synced", synced},                 {"sized", sized<true>},
                          {"sized_without", sized<false>},    {"first_come", came}};
    return run_case(argc, argv, cases);
}
