// The kernels of verdict_loops.hip, right and with a fault.
#pragma once
#include "verdicts.h"
#include <hip/hip_cooperative_groups.h>

const int ITEMS = 256; // of a work-group: four waves
const int GROUPS = 8;
const int N = ITEMS * GROUPS;

// Of N elements each: numbers, the same to be changed, and two of zeros.
struct Arrays {
    const int *in;
    int *a, *b, *out;
};

__device__ int id() { return blockIdx.x * ITEMS + threadIdx.x; }

template <bool right> __global__ void anti_dependence(Arrays x) {
    const int i = id();
    if (i + 1 < N) (right ? x.out : x.a)[i] = x.a[i + 1] + 1;
}

template <bool right> __global__ void true_dependence(Arrays x) {
    const int i = id();
    if (right)
        x.out[i] = x.in[0] + i;
    else if (i + 1 < N)
        x.a[i + 1] = x.a[i] + 1;
}

// The last iteration decides.
template <bool right> __global__ void last_value(Arrays x) {
    if (!right || id() == N - 1) x.out[0] = x.in[id()];
}

// Where an index is there twice, an element is too.
template <bool right> __global__ void indirect(Arrays x) {
    const int i = id();
    x.out[right ? i * 5 % N : i * 5 % (N - 100)] += x.in[i];
}

template <bool right> __global__ void sum(Arrays x) {
    if (right)
        atomicAdd(x.out, x.in[id()]);
    else
        *x.out += x.in[id()];
}

// As a sum, but each work-group's is in LDS first.
template <bool right> __global__ void sum_of_sums(Arrays x) {
    __shared__ int part;
    if (threadIdx.x == 0) part = 0;
    __syncthreads();
    if (right)
        atomicAdd(&part, x.in[id()]);
    else
        part += x.in[id()];
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(x.out, part);
}

// A variable that each iteration should have for itself.
template <bool right> __global__ void temporary(Arrays x) {
    const int i = id();
    int *const mine = right ? x.b + i : x.b + blockIdx.x;
    *mine = x.in[i] * 3;
    __threadfence_block();
    x.out[i] = *mine + 1;
}

// Two loops, of which the second begins before the first is done.
template <bool right> __global__ void two_loops(Arrays x) {
    const int start = blockIdx.x * ITEMS;
    x.b[start + threadIdx.x] = x.in[start + threadIdx.x];
    if (right) __syncthreads();
    x.out[start + threadIdx.x] = x.b[start + ITEMS - 1 - threadIdx.x];
}

// A fence orders what a work-item does, and waits for nobody.
template <bool right> __global__ void fence_for_barrier(Arrays x) {
    __shared__ int tile[ITEMS];
    tile[threadIdx.x] = x.in[id()];
    if (right)
        __syncthreads();
    else
        __threadfence_block();
    x.out[id()] = tile[ITEMS - 1 - threadIdx.x];
}

__global__ void first_loop(Arrays x) { x.b[id()] = x.in[id()]; }
__global__ void second_loop(Arrays x) { x.out[id()] = x.b[N - 1 - id()]; }
__global__ void both_loops(Arrays x) {
    x.b[id()] = x.in[id()];
    __syncthreads();
    x.out[id()] = x.b[N - 1 - id()];
}

__device__ void acquire(int *lock) {
    while (atomicCAS(lock, 0, 1) != 0) __builtin_amdgcn_s_sleep(1);
    __threadfence();
}
__device__ void release(int *lock) {
    __threadfence();
    atomicExch(lock, 0);
}

// Each work-group adds its first number behind a lock: the same one, or one of two.
template <bool right> __global__ void locked(Arrays x) {
    if (threadIdx.x != 0) return;
    int *const lock = x.b + (right ? 0 : blockIdx.x % 2);
    acquire(lock);
    x.out[0] += x.in[id()];
    release(lock);
}

template <bool right> __global__ void lock_for_some(Arrays x) {
    if (threadIdx.x != 0) return;
    if (right || blockIdx.x != 3) acquire(x.b);
    x.out[0] += x.in[id()];
    if (right || blockIdx.x != 3) release(x.b);
}

// The last work-group does without an atomic.
template <bool right> __global__ void atomic_for_some(Arrays x) {
    if (right || blockIdx.x != GROUPS - 1)
        atomicAdd(x.out, x.in[id()]);
    else if (threadIdx.x == 0)
        *x.out += x.in[id()];
}

// Counts down from zero.
template <bool right> __global__ void count_down(Arrays x) {
    if (x.in[id()] & 1) {
        if (right)
            atomicSub(x.out, 1);
        else
            --*x.out;
    }
}

// A work-group has a row, and its work-items parts of the product.
template <bool right> __global__ void matrix_vector(Arrays x) {
    const int product = x.in[id()] * x.in[threadIdx.x];
    if (right)
        atomicAdd(x.out + blockIdx.x, product);
    else
        x.out[blockIdx.x] += product;
}

// The mean of the neighbours to the left and above.
template <bool right> __global__ void stencil(Arrays x) {
    const int row = id() / 64, column = id() % 64;
    if (row > 0 && column > 0) (right ? x.out : x.a)[id()] = x.a[id() - 1] + x.a[id() - 64];
}

// Running sums, by doubling: two barriers a round.
template <bool right> __global__ void running_sums(Arrays x) {
    __shared__ int sums[ITEMS];
    sums[threadIdx.x] = x.in[id()];
    __syncthreads();
    for (int by = 1; by < ITEMS; by *= 2) {
        const int more = threadIdx.x >= by ? sums[threadIdx.x - by] : 0;
        if (right) __syncthreads();
        sums[threadIdx.x] += more;
        __syncthreads();
    }
    x.out[id()] = sums[threadIdx.x];
}

// The same with one barrier a round, and two arrays by turns.
template <bool right> __global__ void by_turns(Arrays x) {
    __shared__ int sums[2][ITEMS];
    int from = 0;
    sums[0][threadIdx.x] = x.in[id()];
    __syncthreads();
    for (int by = 1; by < ITEMS; by *= 2) {
        const int to = right ? 1 - from : from;
        sums[to][threadIdx.x] = sums[from][threadIdx.x] + (threadIdx.x >= by ? sums[from][threadIdx.x - by] : 0);
        from = to;
        __syncthreads();
    }
    x.out[id()] = sums[from][threadIdx.x];
}

// Lanes of a wave: in order on the GPU, not in C++.
template <bool right> __global__ void lanes(Arrays x) {
    const int i = id();
    if (right)
        x.out[i] = i % 64 ? x.a[i - 1] + 1 : 0;
    else if (i % 64)
        x.a[i] = x.a[i - 1] + 1;
}

// One does what all need.
template <bool right> __global__ void one_for_all(Arrays x) {
    __shared__ int first;
    if (threadIdx.x == 0) first = x.in[id()];
    if (right) __syncthreads();
    x.out[id()] = first;
}

// Bytes beside each other are no race, and bits are.
template <bool right> __global__ void parts_of_a_dword(Arrays x) {
    unsigned char *const bytes = (unsigned char *)x.out;
    if (threadIdx.x < 64) {
        if (right)
            bytes[threadIdx.x * GROUPS + blockIdx.x] = blockIdx.x + 1;
        else
            bytes[threadIdx.x] |= 1 << blockIdx.x;
    }
}

template <bool right> __global__ void bitmap(Arrays x) {
    if (x.in[id()] & 1) {
        if (right)
            atomicOr(x.out + id() / 1024, 1 << id() % 32);
        else
            x.out[id() / 1024] |= 1 << id() % 32;
    }
}

// A wide store over what another work-group stores to.
template <bool right> __global__ void wide_store(Arrays x) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 1) *(int4 *)x.out = make_int4(1, 2, 3, 4);
    if (blockIdx.x == 0) x.out[right ? 4 : 3] = 5;
}

// Each element of a row needs the one before it: a work-item has a row, or a column.
template <bool right> __global__ void rows(Arrays x) {
    if (blockIdx.x != 0) return;
    for (int k = 0; k < (right ? ITEMS : GROUPS); k++) {
        const int row = right ? threadIdx.x : k, column = right ? k : threadIdx.x;
        if (row < GROUPS && column > 0) x.a[row * ITEMS + column] = x.a[row * ITEMS + column - 1] + 1;
    }
}

// Two work-groups that have different things to do, with one variable.
template <bool right> __global__ void sections(Arrays x) {
    if (threadIdx.x == 0 && blockIdx.x < 2) x.out[right ? blockIdx.x : 0] = 7 + blockIdx.x;
}

// Each work-group has one element too many.
template <bool right> __global__ void chunks(Arrays x) {
    for (int k = threadIdx.x; k < ITEMS + !right; k += ITEMS) {
        const int i = blockIdx.x * ITEMS + k;
        if (i < N) x.out[i] = x.in[i] + blockIdx.x;
    }
}

// Halves change places.
template <bool right> __global__ void reverse_in_place(Arrays x) {
    const int i = id();
    if (right && i >= N / 2) return;
    const int other = x.a[N - 1 - i];
    x.a[N - 1 - i] = x.a[i];
    x.a[i] = other;
}

template <bool right> __global__ void histogram(Arrays x) {
    __shared__ int counts[64];
    if (threadIdx.x < 64) counts[threadIdx.x] = 0;
    if (right) __syncthreads();
    atomicAdd(&counts[x.in[id()] & 63], 1);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(x.out + threadIdx.x, counts[threadIdx.x]);
}

template <bool right> __global__ void transposed(Arrays x) {
    __shared__ int tile[16][17];
    const int row = threadIdx.x / 16, column = threadIdx.x % 16;
    tile[row][column] = x.in[id()];
    if (right) __syncthreads();
    x.out[id()] = tile[column][row];
}

// Work-groups take the next part that nobody has.
template <bool right> __global__ void tickets(Arrays x) {
    __shared__ int mine;
    if (threadIdx.x == 0) {
        if (right)
            mine = atomicAdd(x.b, 1);
        else
            mine = x.b[0]++;
    }
    __syncthreads();
    x.out[mine * ITEMS + threadIdx.x] = x.in[mine * ITEMS + threadIdx.x];
}

// All say the same.
template <bool right> __global__ void same_value(Arrays x) {
    if (x.in[id()] & 1) {
        if (right)
            atomicExch(x.out, 1);
        else
            *x.out = 1;
    }
}

template <bool right> __global__ void rounds(Arrays x) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int *from = x.a, *to = x.b;
    for (int round = 0; round < 2; round++) {
        to[(id() + ITEMS) % N] = from[id()] + 1;
        if (right) grid.sync();
        int *const other = from;
        from = to;
        to = other;
    }
}

// A round for each of so many numbers of a work-group, with a barrier in a loop that all leave at once.
template <bool right> __global__ void uneven(Arrays x) {
    __shared__ int best;
    if (threadIdx.x == 0) best = 0;
    __syncthreads();
    for (int k = 0; k <= blockIdx.x; k++) {
        if (threadIdx.x == k * 64 % ITEMS) best += x.in[blockIdx.x * ITEMS + k];
        if (right) __syncthreads();
    }
    __syncthreads();
    x.out[id()] = best;
}
