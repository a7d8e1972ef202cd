// Programs for `vgpu check` that load from LDS: ones that are right, and the same with a fault. Each says what it computed, all the same: the virtual GPU begins each
// work-group with zeros.
#include "common.h"

const int GROUP = 128; // two waves
const int GROUPS = 3;

// A sum of the first `count` numbers, in rounds. What the others add has to be 0.
template <bool RIGHT> __global__ void sum(const int *in, int *out, int count) {
    __shared__ int part[GROUP];
    if (threadIdx.x < count) part[threadIdx.x] = in[blockIdx.x * GROUP + threadIdx.x];
    if (RIGHT && threadIdx.x >= count) part[threadIdx.x] = 0;
    __syncthreads();
    for (int half = GROUP / 2; half > 0; half /= 2) {
        int other = 0;
        if (threadIdx.x < half) other = part[threadIdx.x + half]; // load of sum
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] += other;
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

// How often each of 64 values is there.
template <bool RIGHT> __global__ void histogram(const int *in, int *out) {
    __shared__ int bins[64];
    if (RIGHT && threadIdx.x < 64) bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[in[blockIdx.x * GROUP + threadIdx.x] & 63], 1); // count of histogram
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

// Bytes between those of a structure that nobody writes, and that go with the others where it is loaded as a whole.
struct Pair {
    int key;
    char flag;
};

__global__ void padded(const int *in, uint2 *out) {
    __shared__ __attribute__((aligned(8))) Pair pairs[GROUP];
    int value = in[blockIdx.x * GROUP + threadIdx.x];
    pairs[threadIdx.x].key = value;
    pairs[threadIdx.x].flag = value & 1;
    __syncthreads();
    // A structure that is copied is copied with its padding.
    out[blockIdx.x * GROUP + threadIdx.x] = reinterpret_cast<uint2 *>(pairs)[GROUP - 1 - threadIdx.x];
}

// A tile whose rows are a number longer than they have to be, so that columns are in different banks.
__global__ void transpose(const int *in, int *out) {
    __shared__ int tile[8][17];
    int row = threadIdx.x / 16, column = threadIdx.x % 16;
    tile[row][column] = in[blockIdx.x * GROUP + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * GROUP + threadIdx.x] = tile[threadIdx.x % 8][threadIdx.x / 8];
}

static std::vector<int> numbers() {
    std::vector<int> values(GROUP * GROUPS);
    for (int i = 0; i < GROUP * GROUPS; i++) values[i] = hash(i) >> 8;
    return values;
}

template <bool RIGHT> static void summed() {
    std::vector<int> in = numbers();
    Buffer<int> data(in), out(GROUPS);
    const int count = 100;
    sum<RIGHT><<<GROUPS, GROUP>>>(data.data, out.data, count);
    std::vector<int> got = out.host();
    for (int group = 0; group < GROUPS; group++) {
        int all = 0;
        for (int i = 0; i < count; i++) all += in[group * GROUP + i];
        equal("sum", group, got[group], all);
    }
}

template <bool RIGHT> static void counted() {
    std::vector<int> in = numbers(), expected(64, 0);
    for (int value : in) expected[value & 63]++;
    Buffer<int> data(in), out(std::vector<int>(64, 0));
    histogram<RIGHT><<<GROUPS, GROUP>>>(data.data, out.data);
    std::vector<int> got = out.host();
    for (int i = 0; i < 64; i++) equal("count", i, got[i], expected[i]);
}

static void copied() {
    std::vector<int> in = numbers();
    Buffer<int> data(in);
    Buffer<uint2> out(GROUP * GROUPS);
    padded<<<GROUPS, GROUP>>>(data.data, out.data);
    std::vector<uint2> got = out.host();
    for (int i = 0; i < GROUP * GROUPS; i++) {
        int from = in[i ^ (GROUP - 1)];
        equal("key", i, int(got[i].x), from);
        equal("flag", i, got[i].y & 0xff, from & 1);
    }
}

static void transposed() {
    std::vector<int> in = numbers();
    Buffer<int> data(in), out(GROUP * GROUPS);
    transpose<<<GROUPS, GROUP>>>(data.data, out.data);
    std::vector<int> got = out.host();
    for (int i = 0; i < GROUP * GROUPS; i++) {
        int item = i % GROUP;
        equal("transposed", i, got[i], in[i - item + item % 8 * 16 + item / 8]);
    }
}

int main(int argc, char **argv) {
    const Case cases[] = {{"sum", summed<true>},         {"sum_without", summed<false>},
                          {"histogram", counted<true>},  {"histogram_without", counted<false>},
                          {"padded", copied},            {"transpose", transposed}};
    return run_case(argc, argv, cases);
}
