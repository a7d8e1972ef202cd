// The kinds of faults that the manual of NVIDIA's Compute Sanitizer describes: of memcheck (accesses outside, misaligned ones, memory that was freed, leaks), racecheck (hazards in
// shared memory), initcheck (memory that nobody wrote) and synccheck (barriers that not all come to). Of each a kernel with the fault, and one without.
#include "verdicts.h"
#include <functional>

const int ITEMS = 128; // of a work-group: two waves
const int GROUPS = 8;
const int N = 1000; // not a multiple of a page or of a work-group

// Elements `by` from the work-item's own, of so many.
template <class T> __global__ void load(const T *in, T *out, int count, int by) {
    const int i = blockIdx.x * ITEMS + threadIdx.x;
    if (i < count) out[i] = in[i + by];
}
template <class T> __global__ void store(T *out, int count, int by) {
    const int i = blockIdx.x * ITEMS + threadIdx.x;
    if (i < count) out[i + by] = T(i);
}
__global__ void atomic(int *out, int at) { atomicAdd(out + at, 1); }

template <class T> static std::vector<T> zeros() { return std::vector<T>(N); }

template <class T> static void loads(int by) {
    Buffer<T> in(zeros<T>()), out(N);
    load<<<GROUPS, ITEMS>>>(in.data, out.data, N, by);
    HIP(hipDeviceSynchronize());
}
template <class T> static void stores(int count, int by) {
    Buffer<T> out(N);
    store<<<GROUPS, ITEMS>>>(out.data, count, by);
    HIP(hipDeviceSynchronize());
}
static void atomics(int at) {
    Buffer<int> out(zeros<int>());
    atomic<<<GROUPS, ITEMS>>>(out.data, at);
    HIP(hipDeviceSynchronize());
}

// From one allocation into another.
static void neighbour(bool is_far) {
    Buffer<int> in(zeros<int>()), other(zeros<int>()), out(N);
    load<<<GROUPS, ITEMS>>>(in.data, out.data, N, is_far ? int(other.data - in.data) : 0);
    HIP(hipDeviceSynchronize());
}

__global__ void twisted(const char *in, int *out, int by) { out[threadIdx.x] = *(const int *)(in + 4 * threadIdx.x + by); }
static void aligned(int by) {
    Buffer<int> in(zeros<int>()), out(N);
    twisted<<<1, ITEMS>>>((const char *)in.data, out.data, by);
    HIP(hipDeviceSynchronize());
}

// Work that uses memory beside its end, or behind it.
enum Freed { LATER, BEFORE, TAKEN_AGAIN };
static void freed(Freed when) {
    int *in, *again = nullptr;
    Buffer<int> out(N);
    HIP(hipMalloc((void **)&in, N * sizeof(int)));
    HIP(hipMemset(in, 1, N * sizeof(int)));
    if (when != LATER) HIP(hipFree(in));
    if (when == TAKEN_AGAIN) HIP(hipMalloc((void **)&again, N * sizeof(int)));
    if (again) HIP(hipMemset(again, 2, N * sizeof(int)));
    load<<<GROUPS, ITEMS>>>(in, out.data, N, 0);
    HIP(hipDeviceSynchronize());
    if (when == LATER) HIP(hipFree(in));
    if (again) HIP(hipFree(again));
}

static void on_host(int by) {
    int *in;
    Buffer<int> out(N);
    HIP(hipHostMalloc((void **)&in, N * sizeof(int), 0));
    memset(in, 1, N * sizeof(int));
    load<<<GROUPS, ITEMS>>>(in, out.data, N, by);
    HIP(hipDeviceSynchronize());
    HIP(hipHostFree(in));
}

static void nowhere() {
    Buffer<int> out(N);
    load<int><<<GROUPS, ITEMS>>>(nullptr, out.data, N, 0);
    HIP(hipDeviceSynchronize());
}

__global__ void in_lds(int *out, int by) {
    extern __shared__ int tile[];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x + by];
}
static void lds(int by) {
    Buffer<int> out(N);
    in_lds<<<1, ITEMS, ITEMS * sizeof(int)>>>(out.data, by);
    HIP(hipDeviceSynchronize());
}

__global__ void in_two_arrays(int *out, int at) {
    __shared__ int first[ITEMS], second[ITEMS];
    first[threadIdx.x] = threadIdx.x;
    second[threadIdx.x] = -1;
    __syncthreads();
    out[threadIdx.x] = first[at] + second[threadIdx.x];
}
static void two_arrays(int at) {
    Buffer<int> out(N);
    in_two_arrays<<<1, ITEMS>>>(out.data, at);
    HIP(hipDeviceSynchronize());
}

// In memory of its own.
__global__ void own(int *out, int count, int at) {
    int mine[200];
    for (int i = 0; i < count; i++) mine[i * 7 % 200] = i + threadIdx.x;
    int sum = mine[at];
#pragma unroll 1
    for (int i = 0; i < 200; i++) sum += mine[i];
    out[threadIdx.x] = sum;
}
static void owned(int count, int at) {
    Buffer<int> out(N);
    own<<<1, ITEMS>>>(out.data, count, at);
    HIP(hipDeviceSynchronize());
}

// Hazards: a load after a store, a store after a load, a store after a store.
enum Hazard { RAW, WAR, WAW };
template <Hazard hazard, bool right> __global__ void hazards(int *out) {
    __shared__ int tile[ITEMS];
    const int i = threadIdx.x, other = ITEMS - 1 - i;
    if (hazard == WAW && i < 64) tile[i] = 1;
    if (hazard != WAW) tile[i] = i;
    if (hazard == WAR || right) __syncthreads();
    if (hazard == WAW && i >= 64) tile[i - 64] = 2;
    if (hazard == WAW) __syncthreads();
    int value = tile[hazard == WAW ? i % 64 : other];
    if (hazard == WAR) {
        if (right) __syncthreads();
        tile[i] = value + 1;
        __syncthreads();
        value = tile[other];
    }
    out[i] = value;
}
template <Hazard hazard, bool right> static void hazardous() {
    Buffer<int> out(N);
    hazards<hazard, right><<<1, ITEMS>>>(out.data);
    HIP(hipDeviceSynchronize());
}

// Who has written what is loaded.
enum Written { SET, COPIED, STORED, NOBODY, A_PART, NOBODY_AGAIN, BY_A_COPY_OF_NOBODY };
static void written(Written by) {
    Buffer<int> in(N), out(N), other(N);
    switch (by) {
    case NOBODY_AGAIN: {
        // What another allocation has left is nothing.
        Buffer<int> before(zeros<int>());
        break;
    }
    case NOBODY: break;
    case SET: HIP(hipMemset(in.data, 1, N * sizeof(int))); break;
    case A_PART: HIP(hipMemset(in.data, 1, N)); break;
    case COPIED: HIP(hipMemcpy(in.data, zeros<int>().data(), N * sizeof(int), hipMemcpyHostToDevice)); break;
    case STORED: store<<<GROUPS, ITEMS>>>(in.data, N, 0); break;
    case BY_A_COPY_OF_NOBODY: HIP(hipMemcpy(in.data, other.data, N * sizeof(int), hipMemcpyDeviceToDevice));
    }
    load<<<GROUPS, ITEMS>>>(in.data, out.data, N, 0);
    HIP(hipDeviceSynchronize());
}

__global__ void sum_in_lds(int *out, int count) {
    __shared__ int part[ITEMS];
    if (threadIdx.x < count) part[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (int half = ITEMS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = part[0];
}
static void summed(int count) {
    Buffer<int> out(N);
    sum_in_lds<<<1, ITEMS>>>(out.data, count);
    HIP(hipDeviceSynchronize());
}

static void leak(bool on_host, bool right) {
    int *data;
    if (on_host)
        HIP(hipHostMalloc((void **)&data, N * sizeof(int), 0));
    else
        HIP(hipMalloc((void **)&data, N * sizeof(int)));
    HIP(hipMemset(data, 0, N * sizeof(int)));
    HIP(hipDeviceSynchronize());
    if (!right) return;
    if (on_host)
        HIP(hipHostFree(data));
    else
        HIP(hipFree(data));
}

// Barriers: of all, of the first wave only while the other goes on, of each wave another, of half a wave.
enum Barrier { ALL, ONE_WAVE, TWO_PLACES, HALF_A_WAVE };
template <Barrier who> __global__ void barriers(int *out) {
    __shared__ int tile[ITEMS];
    const int i = threadIdx.x;
    tile[i] = i;
    if (who == ALL) {
        __syncthreads();
    } else if (who == ONE_WAVE) {
        if (i < 64) __syncthreads();
    } else if (who == TWO_PLACES) {
        if (i < 64) {
            __syncthreads();
            out[i] = 1;
        } else {
            __syncthreads();
            out[i] = 2;
        }
    } else if (i % 64 < 32) {
        __syncthreads();
    }
    out[i] += tile[i];
}
template <Barrier who> static void synchronised() {
    Buffer<int> out(zeros<int>());
    barriers<who><<<1, ITEMS>>>(out.data);
    HIP(hipDeviceSynchronize());
}

int main(int argc, char **argv) {
    std::vector<Verdict> all;
    const auto right = [&](const char *name, std::function<void()> run) {
        all.push_back({name, [] { return Truth{"nothing", ""}; }, [=](bool) { run(); }});
    };
    const auto faulty = [&](const char *name, const char *fault, const char *told, std::function<void()> run) {
        all.push_back({name, [=] { return Truth{fault, told}; }, [=](bool) { run(); }});
    };
    const char *const outside = "outside of an allocation";
    right("load", [] { loads<int>(0); });
    right("load-bytes", [] { loads<char>(0); });
    faulty("load-behind", outside, STRAY, [] { loads<int>(1); });
    faulty("load-before", outside, STRAY, [] { loads<int>(-1); });
    faulty("load-byte-behind", outside, STRAY, [] { loads<char>(1); });
    faulty("load-double-behind", outside, STRAY, [] { loads<double>(1); });
    faulty("load-far-behind", outside, STRAY, [] { loads<int>(1 << 28); });
    right("store", [] { stores<int>(N, 0); });
    faulty("store-behind", outside, STRAY, [] { stores<int>(N + 1, 0); });
    faulty("store-before", outside, STRAY, [] { stores<int>(N, -1); });
    faulty("store-short-behind", outside, STRAY, [] { stores<short>(N + 1, 0); });
    right("atomic", [] { atomics(N - 1); });
    faulty("atomic-behind", outside, STRAY, [] { atomics(N); });
    right("host-memory", [] { on_host(0); });
    faulty("host-memory-behind", outside, STRAY, [] { on_host(1); });
    faulty("null", outside, STRAY, [] { nowhere(); });
    right("two-allocations", [] { neighbour(false); });
    faulty("another-allocation", "in another allocation", STRAY, [] { neighbour(true); });
    right("aligned", [] { aligned(0); });
    faulty("misaligned", "misaligned", STRAY, [] { aligned(2); });
    const char *const after = "use after free";
    right("free-later", [] { freed(LATER); });
    faulty("free-before", after, "use-after-free", [] { freed(BEFORE); });
    faulty("free-and-allocate", after, "use-after-free", [] { freed(TAKEN_AGAIN); });
    right("lds", [] { lds(0); });
    faulty("lds-behind", "outside of LDS", "lds-out-of-bounds", [] { lds(1); });
    right("lds-arrays", [] { two_arrays(ITEMS - 1); });
    faulty("lds-other-array", "in another array of LDS", "lds-out-of-bounds", [] { two_arrays(ITEMS + 1); });
    right("own", [] { owned(200, 199); });
    faulty("own-behind", "outside of private memory", "scratch-out-of-bounds", [] { owned(200, 300); });

    const char *const hazard = "hazard in LDS";
    right("raw", [] { hazardous<RAW, true>(); });
    faulty("raw-faulty", hazard, RACE, [] { hazardous<RAW, false>(); });
    right("war", [] { hazardous<WAR, true>(); });
    faulty("war-faulty", hazard, RACE, [] { hazardous<WAR, false>(); });
    right("waw", [] { hazardous<WAW, true>(); });
    faulty("waw-faulty", hazard, RACE, [] { hazardous<WAW, false>(); });

    const char *const nobody = "not written";
    right("written-set", [] { written(SET); });
    right("written-copied", [] { written(COPIED); });
    right("written-stored", [] { written(STORED); });
    faulty("written-not", nobody, "uninitialized", [] { written(NOBODY); });
    faulty("written-part", nobody, "uninitialized", [] { written(A_PART); });
    faulty("written-before", nobody, "uninitialized", [] { written(NOBODY_AGAIN); });
    faulty("written-not-and-copied", "not written, and copied", "uninitialized", [] { written(BY_A_COPY_OF_NOBODY); });
    right("written-lds", [] { summed(ITEMS); });
    faulty("written-lds-part", nobody, "lds-uninitialized", [] { summed(100); });
    faulty("written-own-part", nobody, "scratch-uninitialized", [] { owned(150, 0); });

    for (bool on_host : {false, true}) {
        right(on_host ? "freed-host-memory" : "freed", [=] { leak(on_host, true); });
        faulty(on_host ? "leak-host-memory" : "leak", "leak", "leak", [=] { leak(on_host, false); });
    }

    const char *const barrier = "barrier that not all come to";
    right("barrier", [] { synchronised<ALL>(); });
    faulty("barrier-one-wave", barrier, "barrier,ended-before-barrier", [] { synchronised<ONE_WAVE>(); });
    faulty("barrier-two-places", barrier, "barrier", [] { synchronised<TWO_PLACES>(); });
    faulty("barrier-half-a-wave", barrier, "barrier", [] { synchronised<HALF_A_WAVE>(); });
    return verdicts(argc, argv, all);
}
