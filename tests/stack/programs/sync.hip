// Programs for `vgpu check` that wait for each other: waves at barriers, and the host for packets. Ones that are right, and the same with a fault that changes nothing on the virtual GPU.
#include "common.h"
#include <hsa/hsa.h>
#include <thread>

const int GROUP = 256; // four waves

// Each work-item takes what the opposite one stored. With a fault, waves come to two barriers.
template <bool RIGHT> __global__ void exchange(const int *in, int *out) {
    __shared__ int tile[GROUP];
    if (RIGHT) {
        tile[threadIdx.x] = in[threadIdx.x];
        __syncthreads();
    } else if (threadIdx.x < 64) {
        tile[threadIdx.x] = in[threadIdx.x];
        __syncthreads(); // barrier of the first wave
        asm volatile("s_nop 1");
    } else {
        tile[threadIdx.x] = in[threadIdx.x];
        __syncthreads(); // barrier of the others
        asm volatile("s_nop 2");
    }
    out[threadIdx.x] = tile[GROUP - 1 - threadIdx.x];
}

// With a fault, half of the work-items of each wave come to the barrier.
template <bool RIGHT> __global__ void half(const int *in, int *out) {
    __shared__ int tile[GROUP];
    tile[threadIdx.x] = in[threadIdx.x];
    if (RIGHT || threadIdx.x % 64 < 32) __syncthreads(); // barrier of half
    out[threadIdx.x] = tile[threadIdx.x];                // store of half
}

// Two waves have nothing to do. The others wait without them.
__global__ void early(const int *in, int *out, int n) {
    __shared__ int tile[GROUP];
    if (threadIdx.x >= n) return; // end of early
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads(); // barrier of early
    out[threadIdx.x] = tile[n - 1 - threadIdx.x];
}

// What a kernel and the host tell each other.
struct Shared {
    uint64_t packet[8];   // the dispatch packet
    void *arguments;      // where they are
    volatile int runs;    // set by the kernel when the above is there
    volatile int may_end; // set by the host
};

__global__ void wait(Shared *shared, int unused) {
    for (int i = 0; i < 8; i++) shared->packet[i] = ((const uint64_t *)__builtin_amdgcn_dispatch_ptr())[i];
    shared->arguments = (void *)__builtin_amdgcn_kernarg_segment_ptr();
    __threadfence_system();
    shared->runs = 1;
    while (!shared->may_end) __builtin_amdgcn_s_sleep(1);
}

struct Waiter {
    Shared *shared;
    Waiter() {
        HIP(hipHostMalloc((void **)&shared, sizeof(Shared), hipHostMallocCoherent));
        memset(shared, 0, sizeof(Shared));
    }
    ~Waiter() { HIP(hipHostFree(shared)); }
    void until_it_runs() const {
        while (!shared->runs) std::this_thread::yield();
    }
    void end() const { shared->may_end = 1; }
};

template <bool RIGHT> static void exchanged() {
    std::vector<int> in(GROUP);
    for (int i = 0; i < GROUP; i++) in[i] = hash(i);
    Buffer<int> data(in), out(GROUP);
    exchange<RIGHT><<<1, GROUP>>>(data.data, out.data);
    std::vector<int> got = out.host();
    for (int i = 0; i < GROUP; i++) equal("exchanged", i, got[i], in[GROUP - 1 - i]);
}

template <bool RIGHT> static void halved() {
    std::vector<int> in(GROUP);
    for (int i = 0; i < GROUP; i++) in[i] = hash(i);
    Buffer<int> data(in), out(GROUP);
    half<RIGHT><<<1, GROUP>>>(data.data, out.data);
    std::vector<int> got = out.host();
    for (int i = 0; i < GROUP; i++) equal("half", i, got[i], in[i]);
}

static void ended_early() {
    const int n = 128;
    std::vector<int> in(GROUP);
    for (int i = 0; i < GROUP; i++) in[i] = hash(i);
    Buffer<int> data(in), out(GROUP);
    early<<<1, GROUP>>>(data.data, out.data, n);
    std::vector<int> got = out.host();
    for (int i = 0; i < n; i++) equal("early", i, got[i], in[n - 1 - i]);
}

// The host writes to arguments of a kernel: of one that runs, or of one that has ended.
template <bool RIGHT> static void arguments() {
    Waiter waiter;
    wait<<<1, 64>>>(waiter.shared, 5);
    waiter.until_it_runs();
    if (RIGHT) {
        waiter.end();
        HIP(hipDeviceSynchronize());
    }
    volatile int *unused = (volatile int *)((char *)waiter.shared->arguments + 8);
    *unused = 6;
    waiter.end();
    HIP(hipDeviceSynchronize());
    equal("runs", 0, waiter.shared->runs, 1);
}

#define HSA(call)                                                                                            \
    do {                                                                                                     \
        hsa_status_t status_ = (call);                                                                       \
        if (status_ != HSA_STATUS_SUCCESS) {                                                                 \
            fprintf(stderr, "%s:%d: %s: %#x\n", __FILE__, __LINE__, #call, status_);                         \
            exit(2);                                                                                         \
        }                                                                                                    \
    } while (0)

static hsa_status_t first_gpu(hsa_agent_t agent, void *found) {
    hsa_device_type_t type;
    HSA(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
    if (type != HSA_DEVICE_TYPE_GPU) return HSA_STATUS_SUCCESS;
    *(hsa_agent_t *)found = agent;
    return HSA_STATUS_INFO_BREAK;
}

// A queue of the program's own, that runs `wait`.
struct Queue {
    hsa_queue_t *queue;
    uint64_t kernel_object;
    struct Arguments {
        Shared *shared;
        int unused;
        char hidden[256];
    } *all;

    Queue() {
        Waiter waiter;
        waiter.end();
        wait<<<1, 64>>>(waiter.shared, 0);
        HIP(hipDeviceSynchronize());
        kernel_object = waiter.shared->packet[4];
        HIP(hipHostMalloc((void **)&all, 64 * sizeof(Arguments), hipHostMallocCoherent));
        memset(all, 0, 64 * sizeof(Arguments));
        HSA(hsa_init());
        hsa_agent_t gpu;
        hsa_iterate_agents(first_gpu, &gpu);
        HSA(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &queue));
    }
    ~Queue() {
        HSA(hsa_queue_destroy(queue));
        HIP(hipHostFree(all));
    }
    void submit(const Waiter &waiter, hsa_signal_t completion) const {
        uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
        all[index] = Arguments{waiter.shared};
        hsa_kernel_dispatch_packet_t *packet = (hsa_kernel_dispatch_packet_t *)queue->base_address + index;
        memset((char *)packet + 4, 0, 60);
        packet->workgroup_size_x = packet->workgroup_size_y = packet->workgroup_size_z = 1;
        packet->grid_size_x = packet->grid_size_y = packet->grid_size_z = 1;
        packet->kernel_object = kernel_object;
        packet->kernarg_address = all + index;
        packet->completion_signal = completion;
        uint32_t fences = HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                          HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
        __atomic_store_n((uint32_t *)packet, HSA_PACKET_TYPE_KERNEL_DISPATCH | fences | 1 << 16, __ATOMIC_RELEASE);
        hsa_signal_store_screlease(queue->doorbell_signal, index);
    }
};

static void until_below(hsa_signal_t signal, int value) {
    hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, value, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
}

// Two packets with one signal, which counts both or is set for the second one while the first one runs.
template <bool RIGHT> static void reused() {
    Queue queue;
    Waiter first, second;
    hsa_signal_t signal;
    HSA(hsa_signal_create(RIGHT ? 2 : 1, 0, nullptr, &signal));
    queue.submit(first, signal);
    first.until_it_runs();
    if (!RIGHT) hsa_signal_store_relaxed(signal, 1); // for the second
    queue.submit(second, signal);
    first.end();
    second.end();
    until_below(signal, RIGHT ? 1 : 0);
    equal("runs", 0, first.shared->runs + second.shared->runs, 2);
    HSA(hsa_signal_destroy(signal));
}

// A signal is destroyed when its packet is over, or before.
template <bool RIGHT> static void destroyed() {
    Queue queue;
    Waiter waiter;
    hsa_signal_t signal, other;
    HSA(hsa_signal_create(1, 0, nullptr, &signal));
    HSA(hsa_signal_create(1, 0, nullptr, &other));
    queue.submit(waiter, signal);
    waiter.until_it_runs();
    if (!RIGHT) HSA(hsa_signal_destroy(signal)); // too early
    waiter.end();
    if (RIGHT) {
        until_below(signal, 1);
        HSA(hsa_signal_destroy(signal));
    }
    // Signals may be used again behind each other.
    Waiter last;
    last.end();
    queue.submit(last, other);
    until_below(other, 1);
    hsa_signal_store_relaxed(other, 1);
    queue.submit(last, other);
    until_below(other, 1);
    equal("runs", 0, waiter.shared->runs, 1);
    HSA(hsa_signal_destroy(other));
}

int main(int argc, char **argv) {
    const Case cases[] = {{"exchange", exchanged<true>},   {"exchange_without", exchanged<false>},
                          {"half", halved<true>},          {"half_without", halved<false>},
                          {"early", ended_early},          {"arguments", arguments<true>},
                          {"arguments_early", arguments<false>}, {"reused", reused<true>},
                          {"reused_early", reused<false>}, {"destroyed", destroyed<true>},
                          {"destroyed_early", destroyed<false>}};
    return run_case(argc, argv, cases);
}
