// Programs for `vgpu check` whose kernels load arguments and use private memory: ones that are right, and the same with a fault. Each says what it computed, all the same.
#include "common.h"

const int N = 64; // one wave: what it stores outside of its private memory is nobody's
const int MINE = 200; // too many numbers for registers and for LDS

// Its second argument, or a load behind all of them. By hand: compilers load those that are there.
__global__ void argument(int *out, int n, int by) {
    auto arguments = __builtin_amdgcn_kernarg_segment_ptr();
    int value;
    if (by == 0) {
        asm volatile("s_load_dword %0, %1, 0x8\n s_waitcnt lgkmcnt(0)" : "=&s"(value) : "s"(arguments));
    } else if (by == 1) {
        int more;
        asm volatile("s_load_dword %0, %1, 0x400\n s_waitcnt lgkmcnt(0)" : "=&s"(more) : "s"(arguments)); // scalar
        value = n + (more & 0);
    } else {
        int more, offset = 1024 + 4 * (threadIdx.x & 1);
        asm volatile("global_load_dword %0, %1, %2\n s_waitcnt vmcnt(0)" // vector
                     : "=&v"(more)
                     : "v"(offset), "s"(arguments));
        value = n + (more & 0);
    }
    out[threadIdx.x] = value;
}

// The numbers that a work-item has put into its private memory, summed, and one of them by its index.
__global__ void sum(const int *in, int *out, int at) {
    int mine[MINE];
    for (int i = 0; i < MINE; i++) mine[i * 7 % MINE] = in[i] + threadIdx.x;
    int all = 0;
    for (int i = 0; i < MINE; i++) all += mine[i];
    out[threadIdx.x] = all;
    out[threadIdx.x + N] = mine[at]; // load of sum
}

// The same by a pointer that may be to any memory.
__device__ __attribute__((noinline)) int element(const int *from, int at) {
    return from[at]; // load of element
}

__global__ void pointer(const int *in, int *out, int at) {
    int mine[MINE];
    for (int i = 0; i < MINE; i++) mine[i * 7 % MINE] = in[i] + threadIdx.x;
    out[threadIdx.x] = element(mine, threadIdx.x);
    out[threadIdx.x + N] = element(mine, at);
}

static std::vector<int> numbers() {
    std::vector<int> values(MINE);
    for (int i = 0; i < MINE; i++) values[i] = hash(i) >> 12;
    return values;
}

template <int BY> static void arguments() {
    Buffer<int> out(N);
    argument<<<1, N>>>(out.data, 12345, BY);
    std::vector<int> got = out.host();
    for (int i = 0; i < N; i++) equal("argument", i, got[i], 12345);
}

// Where `at` is beyond the numbers, what is loaded from there is anything.
template <int AT> static void summed() {
    Buffer<int> in(numbers()), out(2 * N);
    sum<<<1, N>>>(in.data, out.data, AT);
    std::vector<int> got = out.host(), values = numbers();
    int all = 0;
    for (int value : values) all += value;
    for (int i = 0; i < N; i++) equal("sum", i, got[i], all + MINE * i);
    // AT times 143 modulo 200 is the number that was put there: 7 times 143 is 1001.
    for (int i = 0; AT < MINE && i < N; i++) equal("loaded", i, got[i + N], values[AT * 143 % MINE] + i);
}

template <int AT> static void pointed() {
    Buffer<int> in(numbers()), out(2 * N);
    pointer<<<1, N>>>(in.data, out.data, AT);
    std::vector<int> got = out.host(), values = numbers();
    for (int i = 0; i < N; i++) equal("own", i, got[i], values[i * 143 % MINE] + i);
    for (int i = 0; AT < MINE && i < N; i++) equal("loaded", i, got[i + N], values[AT * 143 % MINE] + i);
}

int main(int argc, char **argv) {
    const Case cases[] = {{"argument", arguments<0>},         {"scalar", arguments<1>},
                          {"vector", arguments<2>},           {"private", summed<17>},
                          {"private_outside", summed<250>},   {"pointer", pointed<17>},
                          {"pointer_outside", pointed<250>}};
    return run_case(argc, argv, cases);
}
