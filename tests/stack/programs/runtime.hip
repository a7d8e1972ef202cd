// The HIP runtime: streams, events, graphs, modules, cooperative launch.
#include "common.h"
#include <string>
#include <sys/resource.h>
#include <time.h>
#include <hip/hip_cooperative_groups.h>
#include <hip/hiprtc.h>

__global__ void affine(int *values, int n, int factor, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = values[i] * factor + offset;
}

// Many kernels in order in each of several streams.
static void streams() {
    const int n = 3001, count = 4, rounds = 25;
    hipStream_t stream[count];
    std::vector<Buffer<int> *> buffers;
    for (int s = 0; s < count; s++) {
        HIP(hipStreamCreateWithFlags(&stream[s], hipStreamNonBlocking));
        buffers.push_back(new Buffer<int>(std::vector<int>(n, s)));
    }
    for (int r = 0; r < rounds; r++)
        for (int s = 0; s < count; s++) affine<<<(n + 255) / 256, 256, 0, stream[s]>>>(buffers[s]->data, n, 3, r);
    for (int s = 0; s < count; s++) {
        HIP(hipStreamSynchronize(stream[s]));
        unsigned expected = s;
        for (int r = 0; r < rounds; r++) expected = expected * 3 + r;
        std::vector<int> got = buffers[s]->host();
        for (int i = 0; i < n; i++) equal("value", i, (unsigned)got[i], expected);
        delete buffers[s];
        HIP(hipStreamDestroy(stream[s]));
    }
}

// One stream waits for the other; elapsed time is that of the device's clock.
static void events() {
    const int n = 100000;
    hipStream_t a, b;
    hipEvent_t begin, end;
    HIP(hipStreamCreate(&a));
    HIP(hipStreamCreate(&b));
    HIP(hipEventCreate(&begin));
    HIP(hipEventCreate(&end));
    Buffer<int> values(std::vector<int>(n, 1));
    HIP(hipEventRecord(begin, a));
    for (int r = 0; r < 10; r++) affine<<<(n + 255) / 256, 256, 0, a>>>(values.data, n, 2, 0);
    HIP(hipEventRecord(end, a));
    HIP(hipStreamWaitEvent(b, end, 0));
    affine<<<(n + 255) / 256, 256, 0, b>>>(values.data, n, 1, 7);
    HIP(hipStreamSynchronize(b));
    std::vector<int> got = values.host();
    for (int i = 0; i < n; i++) equal("value", i, got[i], 1024 + 7);
    float milliseconds = -1;
    HIP(hipEventElapsedTime(&milliseconds, begin, end));
    equal("elapsed time is positive and less than a minute", 0, milliseconds > 0 && milliseconds < 60000, true);
    HIP(hipEventDestroy(begin));
    HIP(hipEventDestroy(end));
    HIP(hipStreamDestroy(a));
    HIP(hipStreamDestroy(b));
}

static void adds(hipStream_t, hipError_t status, void *data) { *(int *)data += status == hipSuccess ? 5 : 50; }

static void callback() {
    int seen = 1;
    hipStream_t stream;
    HIP(hipStreamCreate(&stream));
    Buffer<int> values(std::vector<int>(64, 1));
    affine<<<1, 64, 0, stream>>>(values.data, 64, 2, 0);
    HIP(hipStreamAddCallback(stream, adds, &seen, 0));
    affine<<<1, 64, 0, stream>>>(values.data, 64, 2, 0);
    HIP(hipStreamSynchronize(stream));
    equal("the callback ran", 0, seen, 6);
    equal("value", 0, values.host()[0], 4);
    HIP(hipStreamDestroy(stream));
}

static void graph() {
    const int n = 5000;
    hipStream_t stream;
    hipGraph_t graph;
    hipGraphExec_t exec;
    HIP(hipStreamCreate(&stream));
    std::vector<int> in(n), out(n);
    for (int i = 0; i < n; i++) in[i] = i;
    Buffer<int> values(n);
    HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    HIP(hipMemcpyAsync(values.data, in.data(), n * 4, hipMemcpyHostToDevice, stream));
    affine<<<(n + 255) / 256, 256, 0, stream>>>(values.data, n, 3, 1);
    affine<<<(n + 255) / 256, 256, 0, stream>>>(values.data, n, 2, 5);
    HIP(hipMemcpyAsync(out.data(), values.data, n * 4, hipMemcpyDeviceToHost, stream));
    HIP(hipStreamEndCapture(stream, &graph));
    HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    for (int launch = 0; launch < 3; launch++) {
        for (int i = 0; i < n; i++) in[i] = i + launch;
        HIP(hipGraphLaunch(exec, stream));
        HIP(hipStreamSynchronize(stream));
        for (int i = 0; i < n; i++) equal("value", i, out[i], ((i + launch) * 3 + 1) * 2 + 5);
    }
    HIP(hipGraphExecDestroy(exec));
    HIP(hipGraphDestroy(graph));
    HIP(hipStreamDestroy(stream));
}

// A kernel compiled at run time, loaded as a module, with a variable that the host sets.
static void module() {
    const char *source = "__constant__ int offset;\n"
                         "extern \"C\" __global__ void scale(int *v, int n, int f) {\n"
                         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "  if (i < n) v[i] = v[i] * f + offset;\n"
                         "}\n";
    hiprtcProgram program;
    hipDeviceProp_t device;
    HIP(hipGetDeviceProperties(&device, 0));
    // Without the settings behind the processor's name.
    std::string architecture = "--offload-arch=" + std::string(device.gcnArchName).substr(0, 6);
    const char *options[] = {architecture.c_str()};
    if (hiprtcCreateProgram(&program, source, "scale.hip", 0, nullptr, nullptr) != HIPRTC_SUCCESS) exit(2);
    if (hiprtcCompileProgram(program, 1, options) != HIPRTC_SUCCESS) {
        size_t size = 0;
        hiprtcGetProgramLogSize(program, &size);
        std::vector<char> log(size + 1);
        hiprtcGetProgramLog(program, log.data());
        fprintf(stderr, "%s\n", log.data());
        exit(2);
    }
    size_t size;
    if (hiprtcGetCodeSize(program, &size) != HIPRTC_SUCCESS) exit(2);
    std::vector<char> code(size);
    if (hiprtcGetCode(program, code.data()) != HIPRTC_SUCCESS) exit(2);
    hipModule_t loaded;
    hipFunction_t scale;
    hipDeviceptr_t offset;
    size_t offset_size;
    HIP(hipModuleLoadData(&loaded, code.data()));
    HIP(hipModuleGetFunction(&scale, loaded, "scale"));
    HIP(hipModuleGetGlobal(&offset, &offset_size, loaded, "offset"));
    equal("size of the variable", 0, offset_size, 4);
    int eleven = 11, n = 1000, factor = 3;
    HIP(hipMemcpyHtoD(offset, &eleven, 4));
    std::vector<int> in(n);
    for (int i = 0; i < n; i++) in[i] = i;
    Buffer<int> values(in);
    void *arguments[] = {&values.data, &n, &factor};
    HIP(hipModuleLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
    std::vector<int> got = values.host();
    for (int i = 0; i < n; i++) equal("value", i, got[i], i * 3 + 11);
    equal("no such kernel", 0, hipModuleGetFunction(&scale, loaded, "nothing"), hipErrorNotFound);
    HIP(hipModuleUnload(loaded));
    hiprtcDestroyProgram(&program);
}

// Every work-group waits for all others, so all of them must be running.
__global__ void rounds(int *values, int count) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    for (int r = 0; r < count; r++) {
        int next = values[(i + 1) % n];
        grid.sync();
        values[i] = next + 1;
        grid.sync();
    }
}

static void cooperative() {
    int groups = 12, size = 64, n = groups * size, count = 5;
    std::vector<int> in(n);
    for (int i = 0; i < n; i++) in[i] = i * 10;
    Buffer<int> values(in);
    void *arguments[] = {&values.data, &count};
    HIP(hipLaunchCooperativeKernel((const void *)rounds, dim3(groups), dim3(size), arguments, 0, nullptr));
    std::vector<int> got = values.host();
    for (int i = 0; i < n; i++) equal("value", i, got[i], (i + count) % n * 10 + count);
}

static void device() {
    // What each virtual GPU is called by the compiler and by AMD, and its compute units.
    const struct { const char *architecture, *name; int units; } models[] = {
        {"gfx908", "AMD Instinct MI100", 120},
        {"gfx90a", "AMD Instinct MI210", 104},
        {"gfx942", "AMD Instinct MI300X", 304},
    };
    hipDeviceProp_t p;
    char bus[32];
    HIP(hipGetDeviceProperties(&p, 0));
    const size_t known = sizeof models / sizeof *models;
    size_t model = 0;
    while (model < known && strncmp(p.gcnArchName, models[model].architecture, 6)) model++;
    equal("the architecture is a known one", 0, model < known, true);
    equal("name", 0, strcmp(p.name, models[model].name), 0);
    equal("compute units", 0, p.multiProcessorCount, models[model].units);
    equal("wavefront", 0, p.warpSize, 64);
    equal("LDS", 0, p.sharedMemPerBlock, 65536);
    HIP(hipDeviceGetPCIBusId(bus, sizeof bus, 0));
    printf("%s at %s\n", p.name, bus);
}

// Work-groups that take all of a compute unit's local memory: no two of them are on one. They wait until `expected` were there at once,
// however long that takes, and then a while for more.
__global__ void meet(uint32_t *here, uint32_t *most, uint32_t expected) {
    __shared__ uint32_t all[16384];
    all[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == all[0]) {
        atomicMax(most, atomicAdd(here, 1) + 1);
        while (atomicAdd(most, 0) < expected) __builtin_amdgcn_s_sleep(8);
        for (int i = 0; i < 200; i++) __builtin_amdgcn_s_sleep(8);
        atomicSub(here, 1);
    }
}

// A stream on two compute units runs two such work-groups at a time; another runs all four. Of a GPU of several dies (XCC) each takes its part of the
// work-groups, and has every eighth bit.
static void cu_mask() {
    hipDeviceProp_t p;
    HIP(hipGetDeviceProperties(&p, 0));
    const uint32_t xccs = strncmp(p.gcnArchName, "gfx942", 6) ? 1 : 8, groups = 4 * xccs;
    const uint32_t words = (p.multiProcessorCount + 31) / 32;
    std::vector<uint32_t> two(words), mask(words);
    for (uint32_t unit : {0, 4})
        for (uint32_t xcc = 0; xcc < xccs; xcc++) two[(unit * xccs + xcc) / 32] |= 1u << (unit * xccs + xcc) % 32;
    hipStream_t masked, whole;
    HIP(hipExtStreamCreateWithCUMask(&masked, words, two.data()));
    HIP(hipStreamCreate(&whole));
    HIP(hipExtStreamGetCUMask(masked, words, mask.data()));
    equal("mask", 0, mask == two, true);
    for (hipStream_t stream : {masked, whole}) {
        Buffer<uint32_t> counts(std::vector<uint32_t>{0, 0});
        uint32_t expected = stream == masked ? 2 * xccs : groups;
        meet<<<groups, 64, 0, stream>>>(counts.data, counts.data + 1, expected);
        HIP(hipStreamSynchronize(stream));
        equal("work-groups at a time", 0, counts.host()[1], expected);
    }
    HIP(hipStreamDestroy(masked));
    HIP(hipStreamDestroy(whole));
}

__global__ void wait_for(const volatile int *word) {
    while (*word == 0) {
    }
}

// Does not end, for a test that kills it.
static void endless() {
    Buffer<int> zero(std::vector<int>{0});
    wait_for<<<3, 64>>>(zero.data);
    HIP(hipDeviceSynchronize());
}

__global__ void count(int *out, int rounds) {
    int sum = threadIdx.x;
    for (int i = 0; i < rounds; i++) sum = sum * 3 + i;
    out[threadIdx.x] = sum;
}

static double seconds(clockid_t clock) {
    timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

static long sleeps() {
    rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

// A program that waits for a kernel leaves the CPU to the virtual GPU.
static void waiting() {
    Buffer<int> out(64);
    double wall = 0, cpu = 0;
    long slept = 0;
    int rounds = 10000;
    for (; wall < 0.2; rounds *= 2) {
        count<<<1, 64>>>(out.data, rounds);
        double wall_start = seconds(CLOCK_MONOTONIC), cpu_start = seconds(CLOCK_THREAD_CPUTIME_ID);
        slept = -sleeps();
        HIP(hipDeviceSynchronize());
        slept += sleeps();
        cpu = seconds(CLOCK_THREAD_CPUTIME_ID) - cpu_start;
        wall = seconds(CLOCK_MONOTONIC) - wall_start;
    }
    int sum = 5;
    for (int i = 0; i < rounds / 2; i++) sum = (int)((unsigned)sum * 3 + i);
    equal("sum", 5, out.host()[5], sum);
    // Mostly a few hundred times. On a busy machine who only looks without a pause gets little of the CPU too, but does not sleep.
    equal("it sleeps", 0, slept > 4 && cpu < wall / 4, true);
}

int main(int argc, char **argv) {
    const Case cases[] = {{"streams", streams}, {"events", events}, {"callback", callback},
                          {"graph", graph},     {"module", module}, {"cooperative", cooperative},
                          {"device", device},   {"cu_mask", cu_mask}, {"endless", endless},
                          {"waiting", waiting}};
    return run_case(argc, argv, cases);
}
