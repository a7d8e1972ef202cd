// Programs for `vgpu check` whose waves share device memory: ones that are right, and the same with a fault. Each says what it computed, all the same: the virtual GPU's
// waves take long turns, so most faults change nothing there.
#include "common.h"
#include <algorithm>
#include <hip/hip_cooperative_groups.h>

const int GROUP = 256; // four waves
const int GROUPS = 8;

// Each work-item gives its number to the one that is opposite, of its work-group.
template <bool RIGHT> __global__ void reverse(const int *in, int *tile, int *out) {
    int start = blockIdx.x * GROUP;
    tile[start + threadIdx.x] = in[start + threadIdx.x]; // store of reverse
    if (RIGHT) __syncthreads();
    out[start + threadIdx.x] = tile[start + GROUP - 1 - threadIdx.x]; // load of reverse
}

// Each work-group writes what it found first.
template <bool RIGHT> __global__ void first(const int *in, int *out) {
    int *place = out + (RIGHT ? blockIdx.x : 0);
    if (threadIdx.x == 0) *place = in[blockIdx.x]; // store of first
}

// All work-groups say the same, and need not wait for each other to do so.
__global__ void any_is_odd(const int *in, int *out) {
    if (in[blockIdx.x * GROUP + threadIdx.x] & 1) *out = 1;
}

// How often each of 64 values is there.
template <bool RIGHT> __global__ void histogram(const int *in, int *out) {
    int *bin = out + (in[blockIdx.x * GROUP + threadIdx.x] & 63);
    if (RIGHT)
        atomicAdd(bin, 1);
    else
        *bin += 1; // count of histogram
}

// A stencil, in place: each work-group overwrites what its neighbour loads.
template <bool RIGHT> __global__ void smooth(const int *in, int *out) {
    int i = blockIdx.x * GROUP + threadIdx.x;
    int value = (RIGHT ? in[i + 1] : out[i + 1]) / 2; // load of smooth
    __syncthreads();
    out[i] = value; // store of smooth
}

// Each work-group leaves its sum, and the last one that comes adds them.
enum Fence { BOTH, NO_RELEASE, NO_ACQUIRE };
template <Fence FENCE> __global__ void last_of_groups(const int *in, int *parts, int *arrived, int *out) {
    __shared__ int sum;
    __shared__ bool is_last;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[blockIdx.x * GROUP + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = sum; // store of a part
        if (FENCE != NO_RELEASE) __threadfence();
        is_last = atomicAdd(arrived, 1) == GROUPS - 1;
        if (FENCE != NO_ACQUIRE) __threadfence();
    }
    __syncthreads();
    if (is_last && threadIdx.x < GROUPS) atomicAdd(out, parts[threadIdx.x]); // load of the parts
}

// Running sums of the work-groups' first numbers: each waits for the one before it.
template <int RELEASE, int ACQUIRE> __global__ void chain(const int *in, int *sums, int *flags) {
    if (threadIdx.x != 0) return;
    int sum = in[blockIdx.x * GROUP];
    if (blockIdx.x > 0) {
        while (!__hip_atomic_load(&flags[blockIdx.x - 1], ACQUIRE, __HIP_MEMORY_SCOPE_AGENT)) __builtin_amdgcn_s_sleep(1);
        sum += sums[blockIdx.x - 1]; // load of chain
    }
    sums[blockIdx.x] = sum; // store of chain
    __hip_atomic_store(&flags[blockIdx.x], 1, RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

// All waves of the grid exchange numbers, several times.
template <bool RIGHT> __global__ void rotate(int *from, int *to, int rounds) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x, count = gridDim.x * blockDim.x;
    for (int round = 0; round < rounds; round++) {
        to[(i + GROUP + 1) % count] = from[i]; // round of rotate
        if (RIGHT) grid.sync();
        int *other = from;
        from = to;
        to = other;
    }
}

// A lock, behind which a work-group counts.
template <bool RIGHT> __global__ void locked(int *lock, int *count) {
    if (threadIdx.x != 0) return;
    if (RIGHT)
        while (atomicCAS(lock, 0, 1) != 0) __builtin_amdgcn_s_sleep(1);
    __threadfence();
    *count += 1; // count of locked
    __threadfence();
    if (RIGHT) atomicExch(lock, 0);
}

// The compiler makes a loop of compare-and-swap of it, in front of which is a plain load.
__global__ void sum_of_doubles(const int *in, double *out) { atomicAdd(out, (double)in[blockIdx.x * GROUP + threadIdx.x]); }

// The highest number. Who has none that is higher than what is there need not raise it.
template <bool RIGHT> __global__ void highest(const int *in, int *out) {
    int value = in[blockIdx.x * GROUP + threadIdx.x];
    int before = RIGHT ? __hip_atomic_load(out, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) : *out; // look of highest
    if (before < value) atomicMax(out, value);                                                      // rise of highest
}

// Each wave says which of its numbers is odd.
template <bool RIGHT> __global__ void odd_one(const int *in, int *out) {
    int i = blockIdx.x * GROUP + threadIdx.x;
    if (!(in[i] & 1)) return;
    if (RIGHT)
        atomicMax(out + i / 64, i);
    else
        out[i / 64] = i; // store of odd one
}

static std::vector<int> numbers(int count) {
    std::vector<int> values(count);
    for (int i = 0; i < count; i++) values[i] = hash(i) >> 8;
    return values;
}

static const std::vector<int> in = numbers(GROUP *GROUPS + 1);
static const std::vector<int> zeros(GROUP *GROUPS + 1, 0);

template <bool RIGHT> static void reversed() {
    Buffer<int> data(in), tile(zeros), out(zeros);
    reverse<RIGHT><<<GROUPS, GROUP>>>(data.data, tile.data, out.data);
    std::vector<int> got = out.host();
    for (int i = 0; RIGHT && i < GROUP * GROUPS; i++) equal("reversed", i, got[i], in[i ^ (GROUP - 1)]);
    if (!RIGHT) equal("left", 0, got.size(), in.size());
}

template <bool RIGHT> static void found() {
    Buffer<int> data(in), out(zeros), odd(zeros);
    first<RIGHT><<<GROUPS, GROUP>>>(data.data, out.data);
    any_is_odd<<<GROUPS, GROUP>>>(data.data, odd.data);
    std::vector<int> got = out.host();
    for (int i = 0; RIGHT && i < GROUPS; i++) equal("first", i, got[i], in[i]);
    equal("odd", 0, odd.host()[0], 1);
}

template <bool RIGHT> static void counted() {
    std::vector<int> expected(64, 0);
    for (int i = 0; i < GROUP * GROUPS; i++) expected[in[i] & 63]++;
    Buffer<int> data(in), out(zeros);
    histogram<RIGHT><<<GROUPS, GROUP>>>(data.data, out.data);
    std::vector<int> got = out.host();
    for (int i = 0; RIGHT && i < 64; i++) equal("count", i, got[i], expected[i]);
    if (!RIGHT) equal("left", 0, got.size(), in.size());
}

template <bool RIGHT> static void smoothed() {
    Buffer<int> data(in), out(in);
    smooth<RIGHT><<<GROUPS, GROUP>>>(data.data, out.data);
    std::vector<int> got = out.host();
    for (int i = 0; RIGHT && i < GROUP * GROUPS; i++) equal("smooth", i, got[i], in[i + 1] / 2);
    if (!RIGHT) equal("left", 0, got.size(), in.size());
}

template <Fence FENCE> static void summed() {
    int all = 0;
    for (int i = 0; i < GROUP * GROUPS; i++) all += in[i];
    Buffer<int> data(in), parts(zeros), arrived(zeros), out(zeros);
    last_of_groups<FENCE><<<GROUPS, GROUP>>>(data.data, parts.data, arrived.data, out.data);
    equal("sum", 0, out.host()[0], all);
}

template <int RELEASE, int ACQUIRE> static void chained() {
    Buffer<int> data(in), sums(zeros), flags(zeros);
    chain<RELEASE, ACQUIRE><<<GROUPS, 64>>>(data.data, sums.data, flags.data);
    std::vector<int> got = sums.host();
    for (int i = 0, sum = 0; i < GROUPS; i++) equal("sum", i, got[i], sum += in[i * GROUP]);
}

template <bool RIGHT> static void rotated() {
    Buffer<int> from(in), to(in);
    int rounds = 3, count = GROUP * GROUPS;
    void *arguments[] = {&from.data, &to.data, &rounds};
    HIP(hipLaunchCooperativeKernel((const void *)rotate<RIGHT>, dim3(GROUPS), dim3(GROUP), arguments, 0, nullptr));
    std::vector<int> got = to.host();
    for (int i = 0; RIGHT && i < count; i++) equal("rotated", (i + 3 * (GROUP + 1)) % count, got[(i + 3 * (GROUP + 1)) % count], in[i]);
    if (!RIGHT) equal("left", 0, got.size(), in.size());
}

template <bool RIGHT> static void with_lock() {
    Buffer<int> lock(zeros), count(zeros), data(in);
    Buffer<double> sum(std::vector<double>(1, 0.0));
    locked<RIGHT><<<GROUPS, 64>>>(lock.data, count.data);
    int counted = count.host()[0];
    if (RIGHT)
        equal("count", 0, counted, GROUPS);
    else // work-groups may overwrite each other's counts
        equal("some count", 0, counted >= 1 && counted <= GROUPS, true);
    sum_of_doubles<<<GROUPS, GROUP>>>(data.data, sum.data);
    double all = 0;
    for (int i = 0; i < GROUP * GROUPS; i++) all += in[i];
    equal("sum", 0, sum.host()[0], all);
}

template <bool RIGHT> static void raised() {
    Buffer<int> data(in), out(zeros);
    highest<RIGHT><<<GROUPS, GROUP>>>(data.data, out.data);
    equal("highest", 0, out.host()[0], *std::max_element(in.begin(), in.begin() + GROUP * GROUPS));
}

template <bool RIGHT> static void chosen() {
    std::vector<int> expected(GROUP * GROUPS / 64, 0);
    for (int i = 0; i < GROUP * GROUPS; i++)
        if (in[i] & 1) expected[i / 64] = i;
    Buffer<int> data(in), out(zeros);
    odd_one<RIGHT><<<GROUPS, GROUP>>>(data.data, out.data);
    std::vector<int> got = out.host();
    for (size_t i = 0; RIGHT && i < expected.size(); i++) equal("odd one", i, got[i], expected[i]);
    if (!RIGHT) equal("left", 0, got.size(), in.size());
}

int main(int argc, char **argv) {
    const Case cases[] = {{"reverse", reversed<true>},
                          {"reverse_without", reversed<false>},
                          {"first", found<true>},
                          {"first_without", found<false>},
                          {"histogram", counted<true>},
                          {"histogram_without", counted<false>},
                          {"smooth", smoothed<true>},
                          {"smooth_without", smoothed<false>},
                          {"last", summed<BOTH>},
                          {"last_without_release", summed<NO_RELEASE>},
                          {"last_without_acquire", summed<NO_ACQUIRE>},
                          {"chain", chained<__ATOMIC_RELEASE, __ATOMIC_ACQUIRE>},
                          {"chain_without_release", chained<__ATOMIC_RELAXED, __ATOMIC_ACQUIRE>},
                          {"chain_without_acquire", chained<__ATOMIC_RELEASE, __ATOMIC_RELAXED>},
                          {"rotate", rotated<true>},
                          {"rotate_without", rotated<false>},
                          {"highest", raised<true>},
                          {"highest_without", raised<false>},
                          {"odd_one", chosen<true>},
                          {"odd_one_without", chosen<false>},
                          {"lock", with_lock<true>},
                          {"lock_without", with_lock<false>}};
    return run_case(argc, argv, cases);
}
