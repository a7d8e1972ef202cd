// Programs for `vgpu check` whose host uses pinned memory beside copies by the GPU: ones that wait, and the same without. What those without get is luck, and not looked at.
#include "common.h"
#include <atomic>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

const int N = 1 << 16;
const size_t BYTES = N * sizeof(int);
// Less than a page: `SMALL` numbers.
const int SMALL = 16;

__global__ void fill(int *out, int value) {
    int i = blockIdx.x * 256 + threadIdx.x;
    out[i] = value + i;
}

__global__ void raise_flag(int *flag) { __hip_atomic_store(flag, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM); }

__global__ void await_flag(int *flag) {
    while (!__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM)) {}
}

// A stream, memory of the GPU, and pinned memory with zeros.
struct Memory {
    hipStream_t stream;
    int *device, *host;
    Memory() {
        HIP(hipStreamCreate(&stream));
        HIP(hipMalloc((void **)&device, BYTES));
        HIP(hipHostMalloc((void **)&host, BYTES, 0)); // of Memory
        for (int i = 0; i < N; i++) host[i] = 0;
        fill<<<N / 256, 256, 0, stream>>>(device, 5);
        HIP(hipStreamSynchronize(stream));
    }
    ~Memory() {
        HIP(hipStreamSynchronize(stream));
        HIP(hipHostFree(host));
        HIP(hipFree(device));
        HIP(hipStreamDestroy(stream));
    }
    void download(size_t bytes = BYTES) { HIP(hipMemcpyAsync(host, device, bytes, hipMemcpyDeviceToHost, stream)); }
    void upload(size_t bytes = BYTES) { HIP(hipMemcpyAsync(device, host, bytes, hipMemcpyHostToDevice, stream)); }
};

// How the host waits.
enum How { NOT, STREAM, EVENT, EVENT_QUERY, STREAM_QUERY, DEVICE, COPY, CALLBACK };

static void let_go(hipStream_t, hipError_t, void *flag) { ((std::atomic<bool> *)flag)->store(true); }

static void wait(How how, Memory &memory) {
    std::atomic<bool> done{false};
    hipEvent_t event;
    int value;
    HIP(hipEventCreateWithFlags(&event, hipEventDisableTiming));
    switch (how) {
    case NOT: break;
    case STREAM: HIP(hipStreamSynchronize(memory.stream)); break;
    case EVENT:
        HIP(hipEventRecord(event, memory.stream));
        HIP(hipEventSynchronize(event));
        break;
    case EVENT_QUERY:
        HIP(hipEventRecord(event, memory.stream));
        while (hipEventQuery(event) == hipErrorNotReady) {}
        break;
    case STREAM_QUERY:
        while (hipStreamQuery(memory.stream) == hipErrorNotReady) {}
        break;
    case DEVICE: HIP(hipDeviceSynchronize()); break;
    case COPY: HIP(hipMemcpyWithStream(&value, memory.device, sizeof value, hipMemcpyDeviceToHost, memory.stream)); break;
    case CALLBACK:
        HIP(hipStreamAddCallback(memory.stream, let_go, &done, 0));
        while (!done) {}
        break;
    }
    HIP(hipEventDestroy(event));
}

static void check_filled(const int *got, int value, int count = N) {
    for (int i = 0; i < count; i++) equal("number", i, got[i], i + value);
}

static volatile int sink;

// The host loads what a copy stores.
template <How HOW> static void loaded() {
    Memory memory;
    memory.download(); // of loaded
    wait(HOW, memory);
    sink = memory.host[7]; // load of loaded
    if (HOW != NOT) check_filled(memory.host, 5);
}

// A copy of less than a page.
template <How HOW> static void few() {
    Memory memory;
    memory.download(SMALL * sizeof(int));
    wait(HOW, memory);
    sink = memory.host[7]; // load of few
    if (HOW != NOT) check_filled(memory.host, 5, SMALL);
}

// The copy waits for a kernel, which the host does not wait for either.
template <How HOW> static void behind_kernel() {
    Memory memory;
    for (int i = 0; i < 20; i++) fill<<<N / 256, 256, 0, memory.stream>>>(memory.device, i);
    memory.download();
    wait(HOW, memory);
    sink = memory.host[7]; // load of behind_kernel
    if (HOW != NOT) check_filled(memory.host, 19);
}

// The host stores where a copy stores.
template <How HOW> static void stored() {
    Memory memory;
    memory.download();
    wait(HOW, memory);
    memory.host[7] = 3; // store of stored
    HIP(hipStreamSynchronize(memory.stream));
    if (HOW != NOT) equal("number", 7, memory.host[7], 3);
}

// The host stores what a copy loads. What it loads itself is no matter.
template <How HOW> static void changed() {
    Memory memory;
    for (int i = 0; i < N; i++) memory.host[i] = i;
    memory.upload();
    sink = memory.host[7];
    wait(HOW, memory);
    memory.host[8] = 3; // store of changed
    HIP(hipStreamSynchronize(memory.stream));
    if (HOW == NOT) return;
    memory.host[8] = 4;
    memory.download();
    HIP(hipStreamSynchronize(memory.stream));
    check_filled(memory.host, 0);
}

// The C library loads it.
template <How HOW> static void by_library() {
    Memory memory;
    std::vector<int> got(N);
    memory.download();
    wait(HOW, memory);
    memcpy(got.data(), memory.host, BYTES); // load of by_library
    sink = got[7];
    if (HOW != NOT) check_filled(got.data(), 5);
}

// The kernel of the host loads it, and stores to it.
template <How HOW> static void by_kernel_of_host() {
    Memory memory;
    int ends[2], more[SMALL], got[SMALL];
    for (int i = 0; i < SMALL; i++) more[i] = i;
    if (pipe(ends)) exit(2);
    memory.download();
    wait(HOW, memory);
    if (write(ends[1], memory.host, sizeof got) != sizeof got) exit(2);
    if (read(ends[0], got, sizeof got) != sizeof got) exit(2);
    if (HOW != NOT) check_filled(got, 5, SMALL);
    memory.upload();
    wait(HOW, memory);
    if (write(ends[1], more, sizeof more) != sizeof more) exit(2);
    if (read(ends[0], memory.host, sizeof more) != sizeof more) exit(2);
    check_filled(memory.host, 0, SMALL);
    close(ends[0]);
    close(ends[1]);
}

// Another thread of the host loads it.
template <How HOW> static void by_thread() {
    Memory memory;
    memory.download();
    wait(HOW, memory);
    std::thread([&] { sink = memory.host[7]; }).join(); // load of by_thread
    if (HOW != NOT) check_filled(memory.host, 5);
}

// Some of the memory is copied, while the host uses the rest, of the same page too.
static void parts() {
    for (int start : {0, 100, 1024, 5000}) {
        Memory memory;
        int *part = memory.host + start;
        HIP(hipMemcpyAsync(part, memory.device, 20000, hipMemcpyDeviceToHost, memory.stream));
        for (int i = 0; i < start; i++) memory.host[i] = i;
        for (int i = start + 5000; i < N; i++) memory.host[i] = i;
        HIP(hipStreamSynchronize(memory.stream));
        check_filled(memory.host, 0, start);
        check_filled(part, 5, 5000);
    }
}

// The host does what it likes before it lets the copy begin: by a callback, and by a flag for which a kernel waits.
static void store_and_go(hipStream_t, hipError_t, void *host) {
    usleep(20000);
    for (int i = 0; i < N; i++) ((int *)host)[i] = i + 9;
}

static void before() {
    Memory memory;
    HIP(hipStreamAddCallback(memory.stream, store_and_go, memory.host, 0));
    memory.upload();
    memory.download();
    HIP(hipStreamSynchronize(memory.stream));
    check_filled(memory.host, 9);
    int *flag;
    HIP(hipHostMalloc((void **)&flag, sizeof *flag, hipHostMallocCoherent));
    *flag = 0;
    await_flag<<<1, 1, 0, memory.stream>>>(flag);
    memory.upload();
    usleep(20000);
    for (int i = 0; i < N; i++) memory.host[i] = i + 2;
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    HIP(hipStreamSynchronize(memory.stream));
    memory.download();
    HIP(hipStreamSynchronize(memory.stream));
    check_filled(memory.host, 2);
    HIP(hipHostFree(flag));
}

// A kernel behind the copy tells the host by a flag: in memory that HIP allocates, or that the program registers.
static void flags() {
    for (bool registered : {false, true}) {
        Memory memory;
        int *flag, *mapped;
        if (registered) {
            flag = (int *)aligned_alloc(4096, 4096);
            HIP(hipHostRegister(flag, 4096, hipHostRegisterMapped));
            HIP(hipHostGetDevicePointer((void **)&mapped, flag, 0));
        } else {
            HIP(hipHostMalloc((void **)&flag, sizeof *flag, hipHostMallocCoherent));
            mapped = flag;
        }
        *flag = 0;
        memory.download();
        raise_flag<<<1, 1, 0, memory.stream>>>(mapped);
        while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE)) {}
        check_filled(memory.host, 5);
        HIP(hipStreamSynchronize(memory.stream));
        if (registered) {
            HIP(hipHostUnregister(flag));
            free(flag);
        } else {
            HIP(hipHostFree(flag));
        }
    }
}

// It is freed before the copy is over, as the host knows, and something else is there.
static void freed() {
    for (int i = 0; i < 8; i++) {
        int *host, *device;
        HIP(hipHostMalloc((void **)&host, BYTES, 0));
        HIP(hipMalloc((void **)&device, BYTES));
        host[0] = i;
        HIP(hipMemcpyAsync(device, host, BYTES, hipMemcpyHostToDevice, 0));
        HIP(hipHostFree(host));
        HIP(hipHostMalloc((void **)&host, BYTES, 0));
        host[0] = 1;
        equal("number", 0, host[0], 1);
        HIP(hipHostFree(host));
        HIP(hipFree(device));
    }
}

// The process forks while a copy is under way.
static void forked() {
    Memory memory;
    memory.download();
    pid_t child = fork();
    if (!child) _exit(0);
    int status = 1;
    waitpid(child, &status, 0);
    equal("status of the child", 0, status, 0);
    HIP(hipStreamSynchronize(memory.stream));
    check_filled(memory.host, 5);
}

// Several threads copy and wait, each its own.
static void threads() {
    std::atomic<int> right{0};
    std::vector<std::thread> all;
    for (int t = 0; t < 4; t++)
        all.emplace_back([&] {
            Memory memory;
            bool same = true;
            for (int turn = 0; turn < 20; turn++) {
                for (int i = 0; i < N; i++) memory.host[i] = i + turn;
                memory.upload();
                HIP(hipStreamSynchronize(memory.stream));
                for (int i = 0; i < N; i++) memory.host[i] = 0;
                memory.download();
                HIP(hipStreamSynchronize(memory.stream));
                for (int i = 0; i < N; i++) same &= memory.host[i] == i + turn;
            }
            right += same;
        });
    for (std::thread &thread : all) thread.join();
    equal("threads that are right", 0, right.load(), 4);
}

// Two buffers in turn, each used again when its own copy is over.
static void turns() {
    Memory memory;
    int *host[2];
    hipEvent_t over[2];
    for (int i = 0; i < 2; i++) {
        HIP(hipHostMalloc((void **)&host[i], BYTES, 0));
        HIP(hipEventCreateWithFlags(&over[i], hipEventDisableTiming));
    }
    for (int turn = 0; turn < 20; turn++) {
        int now = turn % 2;
        if (turn >= 2) HIP(hipEventSynchronize(over[now]));
        for (int i = 0; i < N; i++) host[now][i] = i + turn;
        HIP(hipMemcpyAsync(memory.device, host[now], BYTES, hipMemcpyHostToDevice, memory.stream));
        HIP(hipEventRecord(over[now], memory.stream));
    }
    memory.download();
    HIP(hipStreamSynchronize(memory.stream));
    check_filled(memory.host, 19);
    for (int i = 0; i < 2; i++) {
        HIP(hipHostFree(host[i]));
        HIP(hipEventDestroy(over[i]));
    }
}

int main(int argc, char **argv) {
    static const Case CASES[] = {
        {"loaded_without", loaded<NOT>},
        {"loaded_stream", loaded<STREAM>},
        {"loaded_event", loaded<EVENT>},
        {"loaded_event_query", loaded<EVENT_QUERY>},
        {"loaded_stream_query", loaded<STREAM_QUERY>},
        {"loaded_device", loaded<DEVICE>},
        {"loaded_copy", loaded<COPY>},
        {"loaded_callback", loaded<CALLBACK>},
        {"few_without", few<NOT>},
        {"few", few<STREAM>},
        {"behind_kernel_without", behind_kernel<NOT>},
        {"behind_kernel", behind_kernel<STREAM>},
        {"stored_without", stored<NOT>},
        {"stored", stored<EVENT>},
        {"changed_without", changed<NOT>},
        {"changed", changed<STREAM>},
        {"by_library_without", by_library<NOT>},
        {"by_library", by_library<STREAM>},
        {"by_kernel_of_host_without", by_kernel_of_host<NOT>},
        {"by_kernel_of_host", by_kernel_of_host<STREAM>},
        {"by_thread_without", by_thread<NOT>},
        {"by_thread", by_thread<STREAM>},
        {"parts", parts},
        {"before", before},
        {"flags", flags},
        {"freed", freed},
        {"forked", forked},
        {"threads", threads},
        {"turns", turns},
    };
    return run_case(argc, argv, CASES);
}
