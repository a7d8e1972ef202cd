// What rocm-trace is shown: `launch`, `threads`, `fork`, `hang`; each may be given the number of launches. `timed` asks how long one took by the
// GPU's clock. `time` prints the nanoseconds that the calls of so many launches take.
#include "common.h"
#include <hip/hip_ext.h>

#include <chrono>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

__global__ void add(int *data, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] += value;
}

__global__ void spin(volatile int *stop) {
    while (*stop == 0) {
    }
}

// Launches `launches` kernels on a stream of its own; gives the number of right values.
static int work(int launches) {
    const int n = 1000;
    std::vector<int> host(n);
    for (int i = 0; i < n; ++i) host[i] = i;
    hipStream_t stream;
    HIP(hipStreamCreate(&stream));
    int *data;
    HIP(hipMalloc(&data, n * sizeof(int)));
    HIP(hipMemcpy(data, host.data(), n * sizeof(int), hipMemcpyHostToDevice));
    for (int launch = 0; launch < launches; ++launch) add<<<4, 256, 0, stream>>>(data, n, 3);
    HIP(hipGetLastError());
    HIP(hipStreamSynchronize(stream));
    HIP(hipMemcpy(host.data(), data, n * sizeof(int), hipMemcpyDeviceToHost));
    HIP(hipFree(data));
    HIP(hipStreamDestroy(stream));
    int right = 0;
    for (int i = 0; i < n; ++i) right += host[i] == i + 3 * launches;
    return right;
}

int main(int count, char **words) {
    const char *mode = count > 1 ? words[1] : "launch";
    const int launches = count > 2 ? atoi(words[2]) : 3;
    if (!strcmp(mode, "threads")) {
        std::vector<int> right(4);
        std::vector<std::thread> threads;
        for (int &value : right) threads.emplace_back([&value, launches] { value = work(launches); });
        for (std::thread &thread : threads) thread.join();
        printf("threads: %d values checked\n", right[0] + right[1] + right[2] + right[3]);
    } else if (!strcmp(mode, "fork")) {
        // HIP is first used in the children.
        int right = 0;
        for (int child = 0; child < 2; ++child) {
            pid_t pid = fork();
            if (pid == 0) _exit(work(launches) == 1000 ? 7 : 8);
            int status;
            waitpid(pid, &status, 0);
            right += WIFEXITED(status) && WEXITSTATUS(status) == 7 ? 1000 : 0;
        }
        printf("fork: %d values checked\n", right);
    } else if (!strcmp(mode, "timed")) {
        const int n = 1000;
        std::vector<int> host(n, 1);
        int *data;
        HIP(hipMalloc(&data, n * sizeof(int)));
        HIP(hipMemcpy(data, host.data(), n * sizeof(int), hipMemcpyHostToDevice));
        hipEvent_t start, stop;
        HIP(hipEventCreate(&start));
        HIP(hipEventCreate(&stop));
        // The events are the kernel's own: the times are those of its packet.
        hipExtLaunchKernelGGL(add, dim3(4), dim3(256), 0, 0, start, stop, 0, data, n, 3);
        HIP(hipGetLastError());
        HIP(hipEventSynchronize(stop));
        float milliseconds = -1;
        HIP(hipEventElapsedTime(&milliseconds, start, stop));
        HIP(hipMemcpy(host.data(), data, n * sizeof(int), hipMemcpyDeviceToHost));
        int right = 0;
        for (int value : host) right += value == 4 && milliseconds > 0;
        printf("timed: %d values checked\n", right);
    } else if (!strcmp(mode, "time")) {
        int *data;
        HIP(hipMalloc(&data, sizeof(int)));
        HIP(hipMemset(data, 0, sizeof(int)));
        // Batches that the queue has room for.
        const int batch = 1000;
        std::chrono::nanoseconds spent(0);
        for (int left = launches + batch; left > 0; left -= batch) {
            auto start = std::chrono::steady_clock::now();
            for (int launch = 0; launch < std::min(batch, left); ++launch) add<<<1, 64>>>(data, 1, 1);
            // The first batch warms up.
            if (left <= launches) spent += std::chrono::steady_clock::now() - start;
            HIP(hipDeviceSynchronize());
        }
        int sum;
        HIP(hipMemcpy(&sum, data, sizeof(int), hipMemcpyDeviceToHost));
        if (sum != launches + batch) return 1;
        printf("%lld\n", (long long)spent.count());
    } else if (!strcmp(mode, "hang")) {
        printf("hang: %d values checked\n", work(launches));
        fflush(stdout);
        int *stop;
        HIP(hipMalloc(&stop, sizeof(int)));
        HIP(hipMemset(stop, 0, sizeof(int)));
        spin<<<1, 1>>>(stop);
        HIP(hipDeviceSynchronize());
    } else {
        printf("launch: %d values checked\n", work(launches));
    }
    return 0;
}
