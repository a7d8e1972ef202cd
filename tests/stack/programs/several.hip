// Several GPUs, several processes.
#include "common.h"
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void increment(uint32_t *values, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) values[i]++;
}

static const size_t N = 100001;

static std::vector<uint32_t> numbers() {
    std::vector<uint32_t> values(N);
    for (size_t i = 0; i < N; i++) values[i] = hash(i);
    return values;
}

static void expect_plus(const std::vector<uint32_t> &got, uint32_t plus) {
    for (size_t i = 0; i < N; i++) equal("value", i, got[i], hash(i) + plus);
}

// A kernel on GPU 1 works on memory of GPU 0, and copies go between them.
static void peer() {
    int count = 0, can = 0;
    HIP(hipGetDeviceCount(&count));
    equal("GPUs", 0, count, 2);
    HIP(hipDeviceCanAccessPeer(&can, 1, 0));
    equal("GPU 1 can use GPU 0's memory", 0, can, 1);
    HIP(hipSetDevice(0));
    Buffer<uint32_t> first(numbers());
    HIP(hipSetDevice(1));
    HIP(hipDeviceEnablePeerAccess(0, 0));
    increment<<<(N + 255) / 256, 256>>>(first.data, N);
    HIP(hipDeviceSynchronize());
    Buffer<uint32_t> second(N);
    HIP(hipMemcpyPeer(second.data, 1, first.data, 0, N * 4));
    increment<<<(N + 255) / 256, 256>>>(second.data, N);
    HIP(hipDeviceSynchronize());
    expect_plus(first.host(), 1);
    expect_plus(second.host(), 2);
    HIP(hipSetDevice(0));
}

// Each of the eight partitions of one card computes, on memory of its own and then, beside its neighbour, on that one's.
static void partitions() {
    const int PARTITIONS = 8;
    int count = 0;
    HIP(hipGetDeviceCount(&count));
    equal("GPUs", 0, count, PARTITIONS);
    std::vector<Buffer<uint32_t> *> own;
    for (int gpu = 0; gpu < PARTITIONS; gpu++) {
        hipDeviceProp_t properties;
        HIP(hipGetDeviceProperties(&properties, gpu));
        equal("compute units", gpu, properties.multiProcessorCount, 38);
        equal("bus", gpu, properties.pciBusID, 0x23);
        HIP(hipSetDevice(gpu));
        own.push_back(new Buffer<uint32_t>(numbers()));
        increment<<<(N + 255) / 256, 256>>>(own[gpu]->data, N);
    }
    for (int gpu = 0; gpu < PARTITIONS; gpu++) {
        HIP(hipSetDevice(gpu));
        HIP(hipDeviceSynchronize());
    }
    for (int gpu = 0; gpu < PARTITIONS; gpu++) {
        int next = (gpu + 1) % PARTITIONS, can = 0;
        HIP(hipDeviceCanAccessPeer(&can, gpu, next));
        equal("uses its neighbour's memory", gpu, can, 1);
        HIP(hipSetDevice(gpu));
        HIP(hipDeviceEnablePeerAccess(next, 0));
        increment<<<(N + 255) / 256, 256>>>(own[next]->data, N);
        HIP(hipDeviceSynchronize());
    }
    for (int gpu = 0; gpu < PARTITIONS; gpu++) {
        HIP(hipSetDevice(gpu));
        expect_plus(own[gpu]->host(), 2);
        delete own[gpu];
    }
}

// A child process opens the parent's memory, changes it, and the parent sees that.
static void ipc() {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair)) exit(2);
    // Both processes initialise HIP after the fork: a HIP context does not survive one.
    pid_t child = fork();
    hipIpcMemHandle_t handle;
    if (child == 0) {
        if (read(pair[1], &handle, sizeof handle) != sizeof handle) _exit(3);
        uint32_t *opened;
        HIP(hipIpcOpenMemHandle((void **)&opened, handle, hipIpcMemLazyEnablePeerAccess));
        increment<<<(N + 255) / 256, 256>>>(opened, N);
        HIP(hipDeviceSynchronize());
        HIP(hipIpcCloseMemHandle(opened));
        _exit(0);
    }
    Buffer<uint32_t> values(numbers());
    HIP(hipDeviceSynchronize());
    hipError_t error = hipIpcGetMemHandle(&handle, values.data);
    if (error != hipSuccess) {
        printf("hipIpcGetMemHandle: %s\n", hipGetErrorName(error));
        close(pair[0]), close(pair[1]);
        waitpid(child, nullptr, 0);
        exit(3);
    }
    if (write(pair[0], &handle, sizeof handle) != sizeof handle) exit(2);
    int status = -1;
    waitpid(child, &status, 0);
    equal("the child's status", 0, status, 0);
    expect_plus(values.host(), 1);
}

// The child of a process that uses the GPU uses it too.
static void forks() {
    pid_t child = fork();
    Buffer<uint32_t> values(numbers());
    increment<<<(N + 255) / 256, 256>>>(values.data, N);
    expect_plus(values.host(), 1);
    if (child == 0) _exit(0);
    int status = -1;
    waitpid(child, &status, 0);
    equal("the child's status", 0, status, 0);
}

int main(int argc, char **argv) {
    const Case cases[] = {{"peer", peer}, {"partitions", partitions}, {"ipc", ipc}, {"forks", forks}};
    return run_case(argc, argv, cases);
}
