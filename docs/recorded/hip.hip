// What `cargo xtask record` records of HIP: one case a run.
#include "recorded.h"
#include <hip/hip_runtime.h>
#include <hsa/hsa.h>
#include <vector>

#define HIP(call)                                                                                            \
    do {                                                                                                     \
        hipError_t error_ = (call);                                                                          \
        if (error_ != hipSuccess) {                                                                          \
            fprintf(stderr, "%s: %s\n", #call, hipGetErrorName(error_));                                     \
            exit(2);                                                                                         \
        }                                                                                                    \
    } while (0)

__global__ void add(float *x, float y) { x[threadIdx.x] += y; }

static const size_t N = 64, MIDDLE = 1 << 20, LARGE = 16 << 20;
static std::vector<float> ones(N, 1.0f);

static float *allocate(size_t bytes) {
    void *memory;
    HIP(hipMalloc(&memory, bytes));
    return (float *)memory;
}

// A device buffer of 64 ones. When it is there, runtime, queue, copy engines and the kernel have been used once.
static float *warm() {
    float *x = allocate(N * sizeof(float));
    std::vector<float> back(N);
    HIP(hipMemcpy(x, ones.data(), N * sizeof(float), hipMemcpyHostToDevice));
    add<<<1, N>>>(x, 0.0f);
    HIP(hipDeviceSynchronize());
    HIP(hipMemcpy(back.data(), x, N * sizeof(float), hipMemcpyDeviceToHost));
    expect("warm", back == ones);
    return x;
}

static void check(float *x, float value) {
    std::vector<float> back(N);
    HIP(hipMemcpy(back.data(), x, N * sizeof(float), hipMemcpyDeviceToHost));
    expect("result", back == std::vector<float>(N, value));
}

static void launch() {
    float *x = warm();
    begin();
    add<<<1, N>>>(x, 2.0f);
    HIP(hipDeviceSynchronize());
    end();
    check(x, 3.0f);
}

// The first calls of a process, and what runs before main.
static void first_launch() {
    begin_with_process();
    float *x = allocate(N * sizeof(float));
    HIP(hipMemcpy(x, ones.data(), N * sizeof(float), hipMemcpyHostToDevice));
    add<<<1, N>>>(x, 2.0f);
    HIP(hipDeviceSynchronize());
    end();
    check(x, 3.0f);
}

// The last call of a process, and what runs behind main. There is no end to mark.
static void last_calls() {
    float *x = warm();
    hipStream_t stream;
    HIP(hipStreamCreate(&stream));
    add<<<1, N, 0, stream>>>(x, 2.0f);
    HIP(hipStreamSynchronize(stream));
    check(x, 3.0f);
    begin();
    HIP(hipStreamDestroy(stream));
}

static void allocation() {
    warm();
    void *memory;
    begin();
    HIP(hipMalloc(&memory, LARGE));
    HIP(hipFree(memory));
    end();
}

static void copy(size_t bytes) {
    warm();
    float *x = allocate(bytes);
    std::vector<char> there(bytes, 7), back(bytes);
    begin();
    HIP(hipMemcpy(x, there.data(), bytes, hipMemcpyHostToDevice));
    HIP(hipMemcpy(back.data(), x, bytes, hipMemcpyDeviceToHost));
    end();
    expect("copy", there == back);
}

static void stream() {
    float *x = warm();
    hipStream_t first, second;
    hipEvent_t event;
    HIP(hipStreamCreate(&first));
    HIP(hipStreamCreate(&second));
    HIP(hipEventCreate(&event));
    // Both streams have run something, so that their queues are there.
    add<<<1, N, 0, first>>>(x, 0.0f);
    HIP(hipStreamSynchronize(first));
    add<<<1, N, 0, second>>>(x, 0.0f);
    HIP(hipStreamSynchronize(second));
    begin();
    add<<<1, N, 0, first>>>(x, 1.0f);
    HIP(hipEventRecord(event, first));
    HIP(hipStreamWaitEvent(second, event, 0));
    add<<<1, N, 0, second>>>(x, 2.0f);
    HIP(hipStreamSynchronize(second));
    end();
    check(x, 4.0f);
}

// What host and kernel tell each other of.
struct Gate {
    int runs, open;
};

// Keeps its stream busy until the host opens the gate.
__global__ void gate(Gate *gate) {
    __hip_atomic_store(&gate->runs, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
    while (!__hip_atomic_load(&gate->open, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM)) {
        __builtin_amdgcn_s_sleep(127);
    }
}

// The kernel before the event runs until the other stream waits for the event.
static void wait_event() {
    float *x = warm();
    Gate *shared;
    HIP(hipHostMalloc((void **)&shared, sizeof(Gate), hipHostMallocCoherent));
    *shared = {0, 1};
    hipStream_t first, second;
    hipEvent_t event;
    HIP(hipStreamCreate(&first));
    HIP(hipStreamCreate(&second));
    HIP(hipEventCreate(&event));
    gate<<<1, 1, 0, first>>>(shared);
    HIP(hipStreamSynchronize(first));
    add<<<1, N, 0, second>>>(x, 0.0f);
    HIP(hipStreamSynchronize(second));
    *shared = {0, 0};
    begin();
    gate<<<1, 1, 0, first>>>(shared);
    while (!__atomic_load_n(&shared->runs, __ATOMIC_ACQUIRE)) {
        sched_yield();
    }
    HIP(hipEventRecord(event, first));
    HIP(hipStreamWaitEvent(second, event, 0));
    add<<<1, N, 0, second>>>(x, 2.0f);
    // It has not ended: whoever needs it does wait.
    expect("event", hipEventQuery(event) == hipErrorNotReady);
    __atomic_store_n(&shared->open, 1, __ATOMIC_RELEASE);
    HIP(hipStreamSynchronize(second));
    end();
    check(x, 3.0f);
}

// From one buffer of the GPU to another.
static void copy_device() {
    warm();
    std::vector<char> there(MIDDLE, 7), back(MIDDLE);
    float *from = allocate(MIDDLE), *to = allocate(MIDDLE);
    HIP(hipMemcpy(from, there.data(), MIDDLE, hipMemcpyHostToDevice));
    // Once before, of other bytes.
    HIP(hipMemcpy(to, from + N, N, hipMemcpyDeviceToDevice));
    HIP(hipDeviceSynchronize());
    begin();
    HIP(hipMemcpy(to, from, MIDDLE, hipMemcpyDeviceToDevice));
    HIP(hipDeviceSynchronize());
    end();
    HIP(hipMemcpy(back.data(), to, MIDDLE, hipMemcpyDeviceToHost));
    expect("copy", there == back);
}

// A function of the host between two kernels. It asks ROCr for the time, so that the recording shows where it runs.
static void noted(void *when) {
    if (hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, when) != HSA_STATUS_SUCCESS) {
        fprintf(stderr, "no time\n");
        exit(2);
    }
}

static void callback() {
    float *x = warm();
    uint64_t when = 0;
    hipStream_t stream;
    HIP(hipStreamCreate(&stream));
    add<<<1, N, 0, stream>>>(x, 0.0f);
    HIP(hipLaunchHostFunc(stream, noted, &when));
    HIP(hipStreamSynchronize(stream));
    when = 0;
    begin();
    add<<<1, N, 0, stream>>>(x, 1.0f);
    HIP(hipLaunchHostFunc(stream, noted, &when));
    add<<<1, N, 0, stream>>>(x, 2.0f);
    HIP(hipStreamSynchronize(stream));
    end();
    expect("callback", when != 0);
    check(x, 4.0f);
}

// Three kernels in a line.
static void graph() {
    float *x = warm();
    hipStream_t stream;
    hipGraph_t graph;
    hipGraphExec_t ready;
    HIP(hipStreamCreate(&stream));
    HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    for (float y : {1.0f, 2.0f, 3.0f}) {
        add<<<1, N, 0, stream>>>(x, y);
    }
    HIP(hipStreamEndCapture(stream, &graph));
    HIP(hipGraphInstantiate(&ready, graph, nullptr, nullptr, 0));
    HIP(hipGraphLaunch(ready, stream));
    HIP(hipStreamSynchronize(stream));
    begin();
    HIP(hipGraphLaunch(ready, stream));
    HIP(hipStreamSynchronize(stream));
    end();
    check(x, 13.0f);
}

// A kernel that runs until the graph is launched, two that need it, on buffers of their own, and one that needs both.
static void graph_branches() {
    float *x = warm(), *y = warm();
    hipStream_t stream, branch;
    hipEvent_t fork, join;
    hipGraph_t graph;
    hipGraphExec_t ready;
    HIP(hipStreamCreate(&stream));
    HIP(hipStreamCreate(&branch));
    HIP(hipEventCreate(&fork));
    HIP(hipEventCreate(&join));
    Gate *shared;
    HIP(hipHostMalloc((void **)&shared, sizeof(Gate), hipHostMallocCoherent));
    *shared = {0, 1};
    HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    gate<<<1, 1, 0, stream>>>(shared);
    HIP(hipEventRecord(fork, stream));
    HIP(hipStreamWaitEvent(branch, fork, 0));
    add<<<1, N, 0, stream>>>(x, 2.0f);
    add<<<1, N, 0, branch>>>(y, 3.0f);
    HIP(hipEventRecord(join, branch));
    HIP(hipStreamWaitEvent(stream, join, 0));
    add<<<1, N, 0, stream>>>(y, 4.0f);
    HIP(hipStreamEndCapture(stream, &graph));
    HIP(hipGraphInstantiate(&ready, graph, nullptr, nullptr, 0));
    HIP(hipGraphLaunch(ready, stream));
    HIP(hipStreamSynchronize(stream));
    *shared = {0, 0};
    begin();
    HIP(hipGraphLaunch(ready, stream));
    __atomic_store_n(&shared->open, 1, __ATOMIC_RELEASE);
    HIP(hipStreamSynchronize(stream));
    end();
    check(x, 5.0f);
    check(y, 15.0f);
}

static void queue() {
    float *x = warm();
    hipStream_t stream;
    begin();
    HIP(hipStreamCreate(&stream));
    add<<<1, N, 0, stream>>>(x, 2.0f);
    HIP(hipStreamSynchronize(stream));
    end();
    check(x, 3.0f);
}

// A queue that the driver may refuse, by `vgpu run --faults`.
static void refused() {
    void *memory;
    begin();
    hipError_t error = hipMalloc(&memory, N * sizeof(float));
    if (error == hipSuccess) {
        error = hipMemcpy(memory, ones.data(), N * sizeof(float), hipMemcpyHostToDevice);
    }
    end();
    printf("%s\n", hipGetErrorName(error));
}

static void fault() {
    warm();
    begin();
    // An address that nothing is mapped at.
    add<<<1, N>>>((float *)0x1000, 2.0f);
    hipError_t error = hipDeviceSynchronize();
    end();
    printf("%s\n", hipGetErrorName(error));
}

static void missing_kernel() {
    warm();
    begin();
    hipModule_t module;
    hipError_t error = hipModuleLoad(&module, "no-such-file.co");
    printf("hipModuleLoad: %s\n", hipGetErrorName(error));
    hipFuncAttributes attributes;
    int nothing = 0;
    // An address that no kernel of the program has.
    error = hipFuncGetAttributes(&attributes, &nothing);
    printf("hipFuncGetAttributes: %s\n", hipGetErrorName(error));
    error = hipLaunchKernel(&nothing, dim3(1), dim3(N), nullptr, 0, nullptr);
    printf("hipLaunchKernel: %s\n", hipGetErrorName(error));
    end();
}

int main(int argc, char **argv) {
    struct {
        const char *name;
        void (*run)();
    } cases[] = {
        {"first-launch", first_launch},
        {"launch", launch},
        {"malloc", allocation},
        {"copy-small", [] { copy(1 << 10); }},
        {"copy-large", [] { copy(LARGE); }},
        {"copy-device", copy_device},
        {"stream", stream},
        {"wait-event", wait_event},
        {"callback", callback},
        {"graph", graph},
        {"graph-branches", graph_branches},
        {"queue", queue},
        {"refused", refused},
        {"fault", fault},
        {"missing-kernel", missing_kernel},
        {"exit", last_calls},
    };
    for (auto &one : cases) {
        if (argc == 2 && !strcmp(argv[1], one.name)) {
            one.run();
            return 0;
        }
    }
    fprintf(stderr, "usage: hip CASE\n");
    return 2;
}
