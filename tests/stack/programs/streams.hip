// Programs for `vgpu check` whose streams share memory: ones that wait for each other, and the same without. What those without compute is luck, and not looked at.
#include "common.h"
#include <atomic>
#include <unistd.h>

const int N = 1 << 16;
const int GROUP = 256;

__global__ void fill(int *out, int value) {
    int i = blockIdx.x * GROUP + threadIdx.x;
    out[i] = value + i; // store of fill
}

__global__ void add(const int *in, int *out) {
    int i = blockIdx.x * GROUP + threadIdx.x;
    out[i] = in[i] + 1; // load of add
}

__global__ void same(int *out) { *out = 7; }

__global__ void count(int *counts) { atomicAdd(counts + (threadIdx.x & 7), 1); }

// Two streams that do not wait for the null stream either.
struct Streams {
    hipStream_t first, second;
    Streams() {
        HIP(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
        HIP(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
    }
    ~Streams() {
        HIP(hipStreamDestroy(first));
        HIP(hipStreamDestroy(second));
    }
};

// How one stream waits for the other.
enum How { NOT, EVENT, DEVICE, STREAM, EVENT_ON_HOST, EVENT_QUERY, STREAM_QUERY, CALLBACK };

static void let_go(hipStream_t, hipError_t, void *flag) { ((std::atomic<bool> *)flag)->store(true); }

static void wait(How how, hipStream_t first, hipStream_t second) {
    std::atomic<bool> done{false};
    hipEvent_t event;
    HIP(hipEventCreateWithFlags(&event, hipEventDisableTiming));
    switch (how) {
    case NOT: break;
    case EVENT:
        HIP(hipEventRecord(event, first));
        HIP(hipStreamWaitEvent(second, event, 0));
        break;
    case DEVICE: HIP(hipDeviceSynchronize()); break;
    case STREAM: HIP(hipStreamSynchronize(first)); break;
    case EVENT_ON_HOST:
        HIP(hipEventRecord(event, first));
        HIP(hipEventSynchronize(event));
        break;
    case EVENT_QUERY:
        HIP(hipEventRecord(event, first));
        while (hipEventQuery(event) == hipErrorNotReady) {}
        break;
    case STREAM_QUERY:
        while (hipStreamQuery(first) == hipErrorNotReady) {}
        break;
    case CALLBACK:
        HIP(hipStreamAddCallback(first, let_go, &done, 0));
        while (!done) {}
        break;
    }
    HIP(hipEventDestroy(event));
}

// A kernel loads what one of another stream stores.
template <How HOW> static void kernels() {
    Streams streams;
    Buffer<int> data(N), out(N);
    fill<<<N / GROUP, GROUP, 0, streams.first>>>(data.data, 5);
    wait(HOW, streams.first, streams.second);
    add<<<N / GROUP, GROUP, 0, streams.second>>>(data.data, out.data);
    HIP(hipDeviceSynchronize());
    std::vector<int> got = out.host();
    for (int i = 0; i < (HOW == NOT ? 0 : N); i++) equal("sum", i, got[i], i + 6);
}

// The same, the other way round: it stores what one loads.
template <How HOW> static void overwritten() {
    Streams streams;
    Buffer<int> data(std::vector<int>(N, 3)), out(N);
    add<<<N / GROUP, GROUP, 0, streams.first>>>(data.data, out.data);
    wait(HOW, streams.first, streams.second);
    fill<<<N / GROUP, GROUP, 0, streams.second>>>(data.data, 5);
    HIP(hipDeviceSynchronize());
    std::vector<int> got = out.host();
    for (int i = 0; i < (HOW == NOT ? 0 : N); i++) equal("sum", i, got[i], 4);
}

// The host gets what a kernel of another stream stores.
template <How HOW> static void copied() {
    Streams streams;
    Buffer<int> data(N);
    int *host;
    HIP(hipHostMalloc((void **)&host, N * sizeof(int), 0));
    fill<<<N / GROUP, GROUP, 0, streams.first>>>(data.data, 5);
    wait(HOW, streams.first, streams.second);
    HIP(hipMemcpyAsync(host, data.data, N * sizeof(int), hipMemcpyDeviceToHost, streams.second));
    HIP(hipDeviceSynchronize());
    for (int i = 0; i < (HOW == NOT ? 0 : N); i++) equal("copy", i, host[i], i + 5);
    HIP(hipHostFree(host));
}

// A stream sets what a kernel of another one stores, when that is over by luck.
template <How HOW> static void cleared() {
    Streams streams;
    Buffer<int> data(N);
    fill<<<N / GROUP, GROUP, 0, streams.first>>>(data.data, 5);
    wait(HOW, streams.first, streams.second);
    if (HOW == NOT) usleep(500000);
    HIP(hipMemsetAsync(data.data, 0, N * sizeof(int), streams.second));
    HIP(hipDeviceSynchronize());
    std::vector<int> got = data.host();
    for (int i = 0; i < (HOW == NOT ? 0 : N); i++) equal("zero", i, got[i], 0);
}

// A copy from the host, which may be under way when the kernel loads it.
template <bool RIGHT> static void uploaded() {
    Streams streams;
    Buffer<int> data(N), out(N);
    int *host;
    HIP(hipHostMalloc((void **)&host, N * sizeof(int), 0));
    for (int i = 0; i < N; i++) host[i] = i;
    HIP(hipMemcpyAsync(data.data, host, N * sizeof(int), hipMemcpyHostToDevice, streams.first));
    add<<<N / GROUP, GROUP, 0, RIGHT ? streams.first : streams.second>>>(data.data, out.data);
    HIP(hipDeviceSynchronize());
    std::vector<int> got = out.host();
    for (int i = 0; i < (RIGHT ? N : 0); i++) equal("sum", i, got[i], i + 1);
    HIP(hipHostFree(host));
}

// The null stream waits for streams that are not made to be apart from it, and they for it.
template <bool RIGHT> static void null_stream() {
    hipStream_t stream;
    HIP(hipStreamCreateWithFlags(&stream, RIGHT ? hipStreamDefault : hipStreamNonBlocking));
    Buffer<int> data(N), out(N), more(N);
    fill<<<N / GROUP, GROUP, 0, stream>>>(data.data, 5);
    add<<<N / GROUP, GROUP>>>(data.data, out.data);
    add<<<N / GROUP, GROUP, 0, stream>>>(out.data, more.data);
    HIP(hipStreamSynchronize(stream));
    HIP(hipDeviceSynchronize());
    std::vector<int> got = more.host();
    for (int i = 0; i < (RIGHT ? N : 0); i++) equal("sum", i, got[i], i + 7);
    HIP(hipStreamDestroy(stream));
}

// Kernels that store the same, or count by atomics, need not wait.
static void harmless() {
    Streams streams;
    Buffer<int> flag(1), counts(std::vector<int>(8, 0));
    for (hipStream_t stream : {streams.first, streams.second}) {
        same<<<1, 1, 0, stream>>>(flag.data);
        count<<<4, GROUP, 0, stream>>>(counts.data);
    }
    HIP(hipDeviceSynchronize());
    equal("flag", 0, flag.host()[0], 7);
    std::vector<int> got = counts.host();
    for (int i = 0; i < 8; i++) equal("count", i, got[i], 2 * 4 * GROUP / 8);
}

// A graph whose second kernel depends on the first, in a stream and then in another that waits for it.
static void graph() {
    Streams streams;
    Buffer<int> data(N), out(N), more(N);
    hipGraph_t graph;
    hipGraphExec_t exec;
    HIP(hipStreamBeginCapture(streams.first, hipStreamCaptureModeGlobal));
    fill<<<N / GROUP, GROUP, 0, streams.first>>>(data.data, 5);
    add<<<N / GROUP, GROUP, 0, streams.first>>>(data.data, out.data);
    HIP(hipStreamEndCapture(streams.first, &graph));
    HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    for (int round = 0; round < 3; round++) HIP(hipGraphLaunch(exec, streams.first));
    wait(EVENT, streams.first, streams.second);
    add<<<N / GROUP, GROUP, 0, streams.second>>>(out.data, more.data);
    HIP(hipDeviceSynchronize());
    std::vector<int> got = more.host();
    for (int i = 0; i < N; i++) equal("sum", i, got[i], i + 7);
    HIP(hipGraphExecDestroy(exec));
    HIP(hipGraphDestroy(graph));
}

// Two streams that give a buffer to each other by events, again and again.
static void turns() {
    Streams streams;
    Buffer<int> data(std::vector<int>(N, 0));
    hipEvent_t events[2];
    for (hipEvent_t &event : events) HIP(hipEventCreateWithFlags(&event, hipEventDisableTiming));
    for (int round = 0; round < 40; round++) {
        hipStream_t stream = round % 2 ? streams.second : streams.first;
        if (round > 0) HIP(hipStreamWaitEvent(stream, events[(round + 1) % 2], 0));
        add<<<N / GROUP, GROUP, 0, stream>>>(data.data, data.data);
        HIP(hipEventRecord(events[round % 2], stream));
    }
    HIP(hipDeviceSynchronize());
    std::vector<int> got = data.host();
    for (int i = 0; i < N; i++) equal("rounds", i, got[i], 40);
    for (hipEvent_t event : events) HIP(hipEventDestroy(event));
}

// As kernels<NOT>, of which each stream has several.
static void repeated() {
    Streams streams;
    Buffer<int> data(N), out(N);
    for (int i = 0; i < 4; i++) fill<<<N / GROUP, GROUP, 0, streams.first>>>(data.data, 5);
    for (int i = 0; i < 4; i++) add<<<N / GROUP, GROUP, 0, streams.second>>>(data.data, out.data);
    HIP(hipDeviceSynchronize());
}

// Three streams upload, compute and download batches in two buffers by turns. Each waits for what the others still do with a buffer, but for one wait that may be left out.
enum Left { NOTHING, UPLOAD, COMPUTE };
template <Left LEFT> static void pipeline() {
    const int BATCHES = 6;
    Streams streams;
    hipStream_t up = streams.first, compute = streams.second, down;
    HIP(hipStreamCreateWithFlags(&down, hipStreamNonBlocking));
    Buffer<int> in0(N), in1(N), out0(N), out1(N);
    Buffer<int> *in[] = {&in0, &in1}, *out[] = {&out0, &out1};
    hipEvent_t uploaded[2], computed[2], downloaded[2];
    for (int i = 0; i < 2; i++) {
        for (hipEvent_t *event : {uploaded + i, computed + i, downloaded + i}) {
            HIP(hipEventCreateWithFlags(event, hipEventDisableTiming));
        }
    }
    int *from, *to;
    for (int **memory : {&from, &to}) HIP(hipHostMalloc((void **)memory, BATCHES * N * sizeof(int), 0));
    for (int i = 0; i < BATCHES * N; i++) from[i] = i;
    for (int batch = 0; batch < BATCHES; batch++) {
        int turn = batch % 2;
        if (batch > 1 && LEFT != UPLOAD) HIP(hipStreamWaitEvent(up, computed[turn], 0));
        HIP(hipMemcpyAsync(in[turn]->data, from + batch * N, N * sizeof(int), hipMemcpyHostToDevice, up));
        HIP(hipEventRecord(uploaded[turn], up));
        HIP(hipStreamWaitEvent(compute, uploaded[turn], 0));
        if (batch > 1 && LEFT != COMPUTE) HIP(hipStreamWaitEvent(compute, downloaded[turn], 0));
        add<<<N / GROUP, GROUP, 0, compute>>>(in[turn]->data, out[turn]->data);
        HIP(hipEventRecord(computed[turn], compute));
        HIP(hipStreamWaitEvent(down, computed[turn], 0));
        HIP(hipMemcpyAsync(to + batch * N, out[turn]->data, N * sizeof(int), hipMemcpyDeviceToHost, down));
        HIP(hipEventRecord(downloaded[turn], down));
    }
    HIP(hipDeviceSynchronize());
    for (int i = 0; i < (LEFT == NOTHING ? N : 0); i++) equal("sum", i, to[(BATCHES - 1) * N + i], (BATCHES - 1) * N + i + 1);
    for (int i = 0; i < 2; i++) {
        for (hipEvent_t event : {uploaded[i], computed[i], downloaded[i]}) HIP(hipEventDestroy(event));
    }
    for (int *memory : {from, to}) HIP(hipHostFree(memory));
    HIP(hipStreamDestroy(down));
}

int main(int argc, char **argv) {
    const Case cases[] = {
        {"kernels", kernels<EVENT>},
        {"kernels_device", kernels<DEVICE>},
        {"kernels_stream", kernels<STREAM>},
        {"kernels_event", kernels<EVENT_ON_HOST>},
        {"kernels_event_query", kernels<EVENT_QUERY>},
        {"kernels_stream_query", kernels<STREAM_QUERY>},
        {"kernels_callback", kernels<CALLBACK>},
        {"kernels_without", kernels<NOT>},
        {"overwritten", overwritten<EVENT>},
        {"overwritten_without", overwritten<NOT>},
        {"copied", copied<EVENT>},
        {"copied_stream", copied<STREAM>},
        {"copied_without", copied<NOT>},
        {"cleared", cleared<EVENT>},
        {"cleared_without", cleared<NOT>},
        {"uploaded", uploaded<true>},
        {"uploaded_without", uploaded<false>},
        {"null_stream", null_stream<true>},
        {"null_stream_without", null_stream<false>},
        {"harmless", harmless},
        {"graph", graph},
        {"turns", turns},
        {"repeated_without", repeated},
        {"pipeline", pipeline<NOTHING>},
        {"pipeline_without_upload", pipeline<UPLOAD>},
        {"pipeline_without_compute", pipeline<COMPUTE>},
    };
    return run_case(argc, argv, cases);
}
