// A pool that says to `vgpu check` what it gives out, and kernels that use it: right, and with a fault. Flags of a work-group, of which the program says that they are some.
#include "../../../crates/vgpu/include/vgpu-check.h"
#include "common.h"

const int N = 100;
const int GROUP = 128; // two waves

// Memory from one allocation, in pieces that are apart.
struct Pool {
    Buffer<char> all{1 << 16};
    size_t used = 0;
    int *take(int count) {
        const size_t bytes = count * sizeof(int);
        int *const piece = (int *)(all.data + used);
        used += (bytes + 16 + 63) / 64 * 64;
        vgpu_check_allocated(piece, bytes);
        return piece;
    }
    void give_back(int *piece) {
        used = 0;
        vgpu_check_freed(piece);
    }
};

__global__ void fill(int *out, int count) {
    if (threadIdx.x < count) out[threadIdx.x] = 3 * threadIdx.x; // line of fill
}

__global__ void sum(const int *in, int count, int *out) {
    if (threadIdx.x < count) atomicAdd(out, in[threadIdx.x]); // line of sum
}

// The second wave waits for the first, and counts how long. In the code these are a plain store and a plain load.
__global__ void pass_on(int *data, int *flag, int *out) {
    if (threadIdx.x == 0) {
        *data = 42; // line of pass_on
        __hip_atomic_store(flag, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);
    } else if (threadIdx.x == 64) {
        int rounds = 0;
        while (!__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP)) out[1] = ++rounds;
        out[0] = *data;
    }
}

// The sum of what is in one piece, to another one behind it.
static void summed(int stored, bool freed) {
    Pool pool;
    int *in = pool.take(N), *out = pool.take(1);
    HIP(hipMemset(out, 0, sizeof(int)));
    fill<<<1, GROUP>>>(in, stored);
    HIP(hipDeviceSynchronize());
    if (freed) pool.give_back(in);
    sum<<<1, GROUP>>>(in, N, out);
    int got;
    HIP(hipMemcpy(&got, out, sizeof(int), hipMemcpyDeviceToHost));
    if (stored >= N) equal("sum", 0, got, 3 * N * (N - 1) / 2);
    if (stored < N) equal("left", 0, N, N);
}

static void right() { summed(N, false); }
static void overflow() { summed(N + 1, false); }
static void used_late() { summed(N, true); }
static void unwritten() { summed(N - 1, false); }

static void again() {
    Pool pool;
    int *first = pool.take(N), *out;
    fill<<<1, GROUP>>>(first, N);
    HIP(hipDeviceSynchronize());
    pool.give_back(first);
    // Nobody has written to it since.
    first = pool.take(N);
    out = pool.take(1);
    HIP(hipMemset(out, 0, sizeof(int)));
    sum<<<1, GROUP>>>(first, N, out);
    HIP(hipDeviceSynchronize());
    equal("left", 0, N, N);
}

template <bool SAYS> static void flagged() {
    Buffer<int> data(std::vector<int>(64, 0)), flag(std::vector<int>(64, 0)), out(64);
    if (SAYS) vgpu_check_flag(flag.data, sizeof(int));
    pass_on<<<1, GROUP>>>(data.data, flag.data, out.data);
    equal("passed on", 0, out.host()[0], 42);
}

int main(int argc, char **argv) {
    const Case cases[] = {{"right", right},         {"overflow", overflow},      {"used_late", used_late},
                          {"unwritten", unwritten}, {"again", again},            {"flag", flagged<true>},
                          {"flag_without", flagged<false>}};
    return run_case(argc, argv, cases);
}
