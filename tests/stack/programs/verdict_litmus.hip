// Litmus tests of the memory model: two to four threads with a few accesses each, after those that are usual for GPUs (Alglave, Batty, Donaldson, Gopalakrishnan, Ketema, Poetzl, Sorensen,
// Wickerson, ASPLOS 2015), with scopes as in ScoRD (Kamath, George, Basu, ISCA 2020). The threads are waves of one work-group, or of two. What is right is said by HSA's memory model, as LLVM's
// AMDGPUUsage has it: of two accesses that nothing orders, and of which one stores, both are to be atomics whose scopes have both threads in them; and what is to
// order has to be a release and an acquire of such a scope.
#include "verdicts.h"

const int LANES = 64;

// Where the threads are.
enum Place { GROUP, GROUPS };
// How far an access or a fence is to be seen.
enum Scope { PLAIN, WORKGROUP, AGENT };
static const char *const SCOPES[] = {"plain", "workgroup", "agent"};
enum Memory { DEVICE, LDS };

constexpr bool reaches(Scope scope, Place place) { return scope == AGENT || (scope == WORKGROUP && place == GROUP); }

template <Scope scope> __device__ int load(int *at) {
    if (scope == PLAIN) return *at;
    return __hip_atomic_load(at, __ATOMIC_RELAXED, scope == AGENT ? __HIP_MEMORY_SCOPE_AGENT : __HIP_MEMORY_SCOPE_WORKGROUP);
}
template <Scope scope> __device__ void store(int *at, int value) {
    if (scope == PLAIN)
        *at = value;
    else
        __hip_atomic_store(at, value, __ATOMIC_RELAXED, scope == AGENT ? __HIP_MEMORY_SCOPE_AGENT : __HIP_MEMORY_SCOPE_WORKGROUP);
}
template <Scope scope> __device__ int add(int *at, int value) {
    return __hip_atomic_fetch_add(at, value, __ATOMIC_RELAXED, scope == AGENT ? __HIP_MEMORY_SCOPE_AGENT : __HIP_MEMORY_SCOPE_WORKGROUP);
}
template <Scope scope> __device__ int swap(int *at, int expected, int value) {
    const int reach = scope == AGENT ? __HIP_MEMORY_SCOPE_AGENT : __HIP_MEMORY_SCOPE_WORKGROUP;
    __hip_atomic_compare_exchange_strong(at, &expected, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED, reach);
    return expected;
}
template <Scope scope> __device__ void release() {
    if (scope == WORKGROUP) __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    if (scope == AGENT) __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
}
template <Scope scope> __device__ void acquire() {
    if (scope == WORKGROUP) __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    if (scope == AGENT) __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
}

// The memory of a test: dwords that are apart, and what the threads found.
struct Test {
    int *data, *found;
};
const int APART = 32, DWORDS = 4;

__device__ int thread_number(Place place) { return place == GROUP ? threadIdx.x / LANES : blockIdx.x; }

// Calls a test with the number of the thread, one lane of it, and dwords of zeros.
template <class Body> __device__ void threads(Place place, Memory memory, Test test, Body body) {
    __shared__ int local[APART * DWORDS];
    int *const data = memory == LDS ? local : test.data;
    if (memory == LDS) {
        for (int i = threadIdx.x; i < APART * DWORDS; i += blockDim.x) local[i] = 0;
        __syncthreads();
    }
    if (threadIdx.x % LANES == 0) body(thread_number(place), data, data + APART, data + 2 * APART);
}

// How a flag is set, and waited for.
enum Flag { BY_STORE, BY_ADD, BY_SWAP, VOLATILE };
static const char *const FLAGS[] = {"store", "add", "swap", "volatile"};

template <Flag flag, Scope scope> __device__ void set(int *at) {
    switch (flag) {
    case BY_STORE: return store<scope>(at, 1);
    case BY_ADD: add<scope>(at, 1); return;
    case BY_SWAP: swap<scope>(at, 0, 1); return;
    case VOLATILE: *(volatile int *)at = 1;
    }
}
template <Flag flag, Scope scope> __device__ void wait(int *at) {
    const auto is_set = [at] {
        switch (flag) {
        case BY_STORE: return load<scope>(at);
        case BY_ADD: return add<scope>(at, 0); // compilers make a load of it
        case BY_SWAP: return swap<scope>(at, 0, 0);
        case VOLATILE: return *(volatile int *)at;
        }
    };
    while (!is_set()) __builtin_amdgcn_s_sleep(1);
}

// Message passing: data, then a flag. The other waits for the flag, so it always comes to the data.
template <Place place, Memory memory, Flag flag, Scope scope, Scope releases, Scope acquires> __global__ void message(Test test) {
    threads(place, memory, test, [=](int thread, int *data, int *at, int *) {
        if (thread == 0) {
            *data = 42;
            release<releases>();
            set<flag, scope>(at);
        } else {
            wait<flag, scope>(at);
            acquire<acquires>();
            test.found[0] = *data;
        }
    });
}

// Two threads that store and load two dwords, each in one of four ways. All accesses are of a scope, or plain.
enum Shape { STORE_BUFFERING, LOAD_BUFFERING, COHERENCE, WRITES, INDEPENDENT };
static const char *const SHAPES[] = {"store-buffering", "load-buffering", "coherence", "two-writes", "independent-reads"};

template <Place place, Memory memory, Shape shape, Scope scope> __global__ void relaxed(Test test) {
    threads(place, memory, test, [=](int thread, int *x, int *y, int *) {
        const auto get = [](int *at) { return load<scope>(at); };
        const auto put = [](int *at, int value) { store<scope>(at, value); };
        int first = 0, second = 0;
        switch (shape) {
        case STORE_BUFFERING:
            put(thread ? y : x, 1);
            first = get(thread ? x : y);
            break;
        case LOAD_BUFFERING:
            first = get(thread ? y : x);
            put(thread ? x : y, 1);
            break;
        case COHERENCE:
            if (thread) {
                first = get(x);
                second = get(x);
            } else {
                put(x, 1);
            }
            break;
        case WRITES: put(x, 1 + thread); break;
        case INDEPENDENT:
            // Two that store, and two that load in different orders.
            if (thread < 2) {
                put(thread ? y : x, 1);
            } else {
                first = get(thread == 2 ? x : y);
                second = get(thread == 2 ? y : x);
            }
        }
        test.found[2 * thread] = first;
        test.found[2 * thread + 1] = second;
    });
}

// A lock, and a count behind it.
template <Place place, Memory memory, Scope releases, Scope acquires> __global__ void locked(Test test) {
    threads(place, memory, test, [=](int, int *count, int *lock, int *) {
        while (atomicCAS(lock, 0, 1)) __builtin_amdgcn_s_sleep(1);
        acquire<acquires>();
        const int now = *count + 1;
        *count = now;
        test.found[now - 1] = now;
        release<releases>();
        atomicExch(lock, 0);
    });
}

// A message by way of a third thread, which has orders of its own.
template <Place place, Memory memory, Scope order> __global__ void relayed(Test test) {
    threads(place, memory, test, [=](int thread, int *data, int *first, int *second) {
        if (thread == 0) {
            *data = 42;
            release<AGENT>();
            set<BY_SWAP, AGENT>(first);
        } else if (thread == 1) {
            wait<BY_SWAP, AGENT>(first);
            acquire<order>();
            release<order>();
            set<BY_SWAP, AGENT>(second);
        } else {
            wait<BY_SWAP, AGENT>(second);
            acquire<AGENT>();
            test.found[0] = *data;
        }
    });
}

// A barrier orders LDS and device memory of a work-group.
template <Memory memory, bool has_barrier> __global__ void barrier(Test test) {
    __shared__ int local;
    int *const data = memory == LDS ? &local : test.data;
    if (threadIdx.x == 0) *data = 42;
    if (has_barrier) __syncthreads();
    if (threadIdx.x == LANES) test.found[0] = *data;
}

static std::vector<Verdict> all;

template <class Kernel> static void add_test(const std::string &name, const Truth &truth, Place place, int threads, Kernel kernel, std::vector<int> expected) {
    const auto run = [=](bool is_right) {
        Buffer<int> data(std::vector<int>(APART * DWORDS, 0)), found(std::vector<int>(8, 0));
        kernel<<<place == GROUP ? 1 : threads, place == GROUP ? threads * LANES : LANES>>>(Test{data.data, found.data});
        const std::vector<int> got = found.host();
        for (size_t i = 0; is_right && i < expected.size(); i++) equal("found", i, got[i], expected[i]);
    };
    all.push_back({name, [=] { return truth; }, run});
}

static std::string where(Place place, Memory memory) { return memory == LDS ? "lds" : place == GROUP ? "group" : "groups"; }

// A fence that is missing, or too small. Within a work-group the hardware does without.
static Truth without_fence(Place place, Scope releases, Scope acquires) {
    if (place == GROUP) return {"no fence, within a work-group", RACE};
    const bool is_small = releases == WORKGROUP || acquires == WORKGROUP;
    return {is_small ? "fence whose scope is too small" : "no fence", RACE};
}

template <Place place, Memory memory, Flag flag, Scope scope, Scope releases, Scope acquires> static void add_message() {
    Truth truth = {"nothing", ""};
    if (flag == VOLATILE)
        truth = {"volatile for atomic", RACE};
    else if (!reaches(releases, place) || !reaches(acquires, place))
        truth = without_fence(place, releases, acquires);
    else if (!reaches(scope, place))
        truth = {"atomic whose scope is too small", RACE};
    else if (memory == LDS && flag != BY_SWAP)
        truth = {"nothing, with atomic loads of LDS", ""};
    else if (scope == WORKGROUP && flag == BY_STORE)
        truth = {"nothing, with atomic loads of a work-group", ""};
    const std::string scopes = std::string(SCOPES[scope]) + "-" + SCOPES[releases] + "-" + SCOPES[acquires];
    const std::string name = "message-" + where(place, memory) + "-" + FLAGS[flag] + "-" + scopes;
    add_test(name, truth, place, 2, message<place, memory, flag, scope, releases, acquires>, {42});
}

template <Place place, Memory memory, Flag flag, Scope scope> static void add_messages() {
    add_message<place, memory, flag, scope, AGENT, AGENT>();
    add_message<place, memory, flag, scope, WORKGROUP, WORKGROUP>();
    add_message<place, memory, flag, scope, PLAIN, AGENT>();
    add_message<place, memory, flag, scope, AGENT, PLAIN>();
    add_message<place, memory, flag, scope, WORKGROUP, AGENT>();
    add_message<place, memory, flag, scope, AGENT, WORKGROUP>();
}

template <Place place, Memory memory, Shape shape, Scope scope> static void add_relaxed() {
    Truth truth = {"nothing", ""};
    if (scope == PLAIN)
        truth = {"no atomic", RACE};
    else if (!reaches(scope, place))
        truth = {"atomic whose scope is too small", RACE};
    else if (memory == LDS)
        truth = {"nothing, with atomic loads of LDS", ""};
    else if (scope == WORKGROUP)
        truth = {"nothing, with atomic loads of a work-group", ""};
    else if (shape == WRITES)
        truth = {"nothing, with atomic stores only", ""};
    const std::string name = std::string(SHAPES[shape]) + "-" + where(place, memory) + "-" + SCOPES[scope];
    add_test(name, truth, place, shape == INDEPENDENT ? 4 : 2, relaxed<place, memory, shape, scope>, {});
}

template <Place place, Memory memory, Scope scope> static void add_shapes() {
    add_relaxed<place, memory, STORE_BUFFERING, scope>();
    add_relaxed<place, memory, LOAD_BUFFERING, scope>();
    add_relaxed<place, memory, COHERENCE, scope>();
    add_relaxed<place, memory, WRITES, scope>();
    add_relaxed<place, memory, INDEPENDENT, scope>();
}

template <Place place, Memory memory, Scope releases, Scope acquires> static void add_lock() {
    const bool is_right = reaches(releases, place) && reaches(acquires, place);
    const std::string name = "lock-" + where(place, memory) + "-" + SCOPES[releases] + "-" + SCOPES[acquires];
    const Truth truth = is_right ? Truth{"nothing", ""} : without_fence(place, releases, acquires);
    add_test(name, truth, place, 4, locked<place, memory, releases, acquires>, {1, 2, 3, 4});
}

template <Place place, Memory memory> static void add_place() {
    add_messages<place, memory, BY_SWAP, AGENT>();
    add_messages<place, memory, BY_SWAP, WORKGROUP>();
    add_messages<place, memory, BY_ADD, AGENT>();
    add_messages<place, memory, BY_STORE, AGENT>();
    add_message<place, memory, BY_STORE, WORKGROUP, WORKGROUP, WORKGROUP>();
    add_message<place, memory, VOLATILE, PLAIN, AGENT, AGENT>();
    add_shapes<place, memory, PLAIN>();
    add_shapes<place, memory, WORKGROUP>();
    add_shapes<place, memory, AGENT>();
    add_lock<place, memory, AGENT, AGENT>();
    add_lock<place, memory, WORKGROUP, WORKGROUP>();
    add_lock<place, memory, PLAIN, AGENT>();
    add_lock<place, memory, AGENT, PLAIN>();
    const std::string relay = "relayed-" + where(place, memory);
    add_test(relay, {"nothing", ""}, place, 3, relayed<place, memory, AGENT>, {42});
    add_test(relay + "-plain", {"no fence between two flags", RACE}, place, 3, relayed<place, memory, PLAIN>, {42});
}

int main(int argc, char **argv) {
    add_place<GROUP, DEVICE>();
    add_place<GROUPS, DEVICE>();
    add_place<GROUP, LDS>();
    const Truth right = {"nothing", ""}, faulty = {"no barrier", RACE};
    add_test("barrier-group", right, GROUP, 2, barrier<DEVICE, true>, {42});
    add_test("barrier-group-none", faulty, GROUP, 2, barrier<DEVICE, false>, {});
    add_test("barrier-lds", right, GROUP, 2, barrier<LDS, true>, {42});
    add_test("barrier-lds-none", faulty, GROUP, 2, barrier<LDS, false>, {});
    return verdicts(argc, argv, all);
}
