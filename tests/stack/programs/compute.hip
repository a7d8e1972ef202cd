// Kernels: one case for each feature of the instruction set and of dispatch.
#include "common.h"
#include <sys/mman.h>

__global__ void add(const float *a, const float *b, float *c, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

static void vector_add() {
    const size_t n = 100003; // not a multiple of the work-group
    std::vector<float> a(n), b(n);
    for (size_t i = 0; i < n; i++) a[i] = i * 0.5f, b[i] = hash(i) % 1000;
    Buffer<float> da(a), db(b), dc(n);
    add<<<(n + 255) / 256, 256>>>(da.data, db.data, dc.data, n);
    HIP(hipGetLastError());
    std::vector<float> c = dc.host();
    for (size_t i = 0; i < n; i++) equal("sum", i, c[i], a[i] + b[i]);
}

// A tree in LDS, then one atomic a work-group.
__global__ void reduce(const int *in, size_t n, int *total) {
    __shared__ int part[256];
    int sum = 0;
    for (size_t i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += in[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 128; half; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(total, part[0]);
}

static void reduction() {
    const size_t n = 300001;
    std::vector<int> in(n);
    int expected = 0;
    for (size_t i = 0; i < n; i++) expected += in[i] = (int)(hash(i) % 2001) - 1000;
    Buffer<int> din(in), total(std::vector<int>{0});
    reduce<<<37, 256>>>(din.data, n, total.data);
    equal("total", 0, total.host()[0], expected);
}

const int TILE = 16;

__global__ void tiled(const float *a, const float *b, float *c, int n) {
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < n; t += TILE) {
        as[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

static void matmul_lds() {
    const int n = 128;
    std::vector<float> a(n * n), b(n * n); // small integers: exact whatever the order of the sums
    for (int i = 0; i < n * n; i++) a[i] = (int)(hash(i) % 17) - 8, b[i] = (int)(hash(i + n * n) % 17) - 8;
    Buffer<float> da(a), db(b), dc(n * n);
    tiled<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(da.data, db.data, dc.data, n);
    std::vector<float> c = dc.host();
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
            equal("product", i * n + j, c[i * n + j], sum);
        }
}

__global__ void histogram(unsigned *bins, unsigned long long *sum, unsigned *max, int *flag, float *fsum, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd(&bins[i % 61], 1u);
    atomicAdd(sum, (unsigned long long)i << 20);
    atomicMax(max, (i * 2654435761u) >> 8);
    atomicAdd(fsum, 1.0f);
    // A counter advanced by compare-and-swap.
    int seen = *(volatile int *)flag, assumed;
    do {
        assumed = seen;
        seen = atomicCAS(flag, assumed, assumed + 3);
    } while (seen != assumed);
}

static void atomics() {
    const unsigned n = 20000;
    Buffer<unsigned> bins(std::vector<unsigned>(61, 0)), max(std::vector<unsigned>{0});
    Buffer<unsigned long long> sum(std::vector<unsigned long long>{0});
    Buffer<int> flag(std::vector<int>{5});
    Buffer<float> fsum(std::vector<float>{0});
    histogram<<<(n + 255) / 256, 256>>>(bins.data, sum.data, max.data, flag.data, fsum.data, n);
    std::vector<unsigned> expected(61, 0);
    unsigned long long total = 0;
    unsigned largest = 0;
    for (unsigned i = 0; i < n; i++) {
        expected[i % 61]++;
        total += (unsigned long long)i << 20;
        unsigned value = (i * 2654435761u) >> 8;
        if (value > largest) largest = value;
    }
    std::vector<unsigned> got = bins.host();
    for (int i = 0; i < 61; i++) equal("bin", i, got[i], expected[i]);
    equal("sum", 0, sum.host()[0], total);
    equal("max", 0, max.host()[0], largest);
    equal("flag", 0, flag.host()[0], 5 + 3 * (int)n);
    equal("float sum", 0, fsum.host()[0], (float)n);
}

// An array that is indexed by data lives in scratch memory.
__global__ void sorts(unsigned *out, int rounds) {
    unsigned values[64], id = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < 64; i++) values[i] = (id * 64 + i) * 2654435761u;
    for (int r = 0; r < rounds; r++) {
        unsigned at = values[r % 64] % 64;
        unsigned other = values[(r * 7 + id) % 64] % 64;
        unsigned t = values[at];
        values[at] = values[other] + r;
        values[other] = t ^ id;
    }
    unsigned sum = 0;
    for (int i = 0; i < 64; i++) sum = sum * 31 + values[i];
    out[id] = sum;
}

static void scratch() {
    const unsigned n = 1500;
    Buffer<unsigned> out(n);
    sorts<<<n / 100, 100>>>(out.data, 200);
    HIP(hipDeviceSynchronize());
    std::vector<unsigned> got = out.host();
    for (unsigned id = 0; id < n; id++) {
        unsigned values[64];
        for (int i = 0; i < 64; i++) values[i] = (id * 64 + i) * 2654435761u;
        for (int r = 0; r < 200; r++) {
            unsigned at = values[r % 64] % 64, other = values[(r * 7 + id) % 64] % 64, t = values[at];
            values[at] = values[other] + r;
            values[other] = t ^ id;
        }
        unsigned sum = 0;
        for (int i = 0; i < 64; i++) sum = sum * 31 + values[i];
        equal("sum", id, got[id], sum);
    }
}

// Lanes leave the loop one after the other.
__global__ void collatz(unsigned *steps, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long x = i + 1;
    unsigned count = 0;
    while (x != 1) {
        x = x & 1 ? 3 * x + 1 : x / 2;
        count++;
    }
    steps[i] = count;
}

static void divergence() {
    const unsigned n = 5000;
    Buffer<unsigned> steps(n);
    collatz<<<(n + 63) / 64, 64>>>(steps.data, n);
    std::vector<unsigned> got = steps.host();
    for (unsigned i = 0; i < n; i++) {
        unsigned long long x = i + 1;
        unsigned count = 0;
        for (; x != 1; count++) x = x & 1 ? 3 * x + 1 : x / 2;
        equal("steps", i, got[i], count);
    }
}

__global__ void lanes(int *out) {
    int lane = threadIdx.x;
    int *o = out + lane * 6;
    o[0] = __shfl_down(lane * 10, 5);
    o[1] = __shfl_xor(lane * 10, 21);
    o[2] = __shfl(lane * 10, (lane * 7) % 64);
    o[3] = __popcll(__ballot(lane % 3 == 0));
    o[4] = __any(lane == 40);
    o[5] = __all(lane < 63);
}

static void wavefront() {
    Buffer<int> out(64 * 6);
    lanes<<<1, 64>>>(out.data);
    std::vector<int> got = out.host();
    for (int lane = 0; lane < 64; lane++) {
        const int *o = &got[lane * 6];
        equal("down", lane, o[0], (lane + 5 < 64 ? lane + 5 : lane) * 10);
        equal("xor", lane, o[1], (lane ^ 21) * 10);
        equal("index", lane, o[2], lane * 7 % 64 * 10);
        equal("ballot", lane, o[3], 22);
        equal("any", lane, o[4], 1);
        equal("all", lane, o[5], 0);
    }
}

__global__ void functions(const double *in, double *out, const float *fin, float *fout, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = in[i];
    float f = fin[i];
    out[i * 4] = sqrt(x), out[i * 4 + 1] = exp(-x), out[i * 4 + 2] = sin(x), out[i * 4 + 3] = x / 3.7;
    fout[i * 4] = sqrtf(f), fout[i * 4 + 1] = expf(-f), fout[i * 4 + 2] = sinf(f), fout[i * 4 + 3] = f / 3.7f;
}

static void math() {
    const int n = 1000;
    std::vector<double> in(n);
    std::vector<float> fin(n);
    for (int i = 0; i < n; i++) in[i] = fin[i] = hash(i) % 100000 / 8192.0f + 0.001f;
    Buffer<double> din(in), dout(n * 4);
    Buffer<float> dfin(fin), dfout(n * 4);
    functions<<<(n + 127) / 128, 128>>>(din.data, dout.data, dfin.data, dfout.data, n);
    std::vector<double> out = dout.host();
    std::vector<float> fout = dfout.host();
    for (int i = 0; i < n; i++) {
        double x = in[i], expected[] = {std::sqrt(x), std::exp(-x), std::sin(x), x / (double)3.7};
        double fexpected[] = {std::sqrt(x), std::exp(-x), std::sin(x), x / (double)3.7f};
        for (int f = 0; f < 4; f++) {
            // Bounds of the OpenCL C specification, which AMD's math functions keep: 4 ulp, near zero of sin absolute.
            close_to("f64", i * 4 + f, out[i * 4 + f], expected[f], 4 * 2.3e-16 * std::fmax(std::fabs(expected[f]), 0.1));
            close_to("f32", i * 4 + f, fout[i * 4 + f], fexpected[f], 4 * 1.2e-7 * std::fmax(std::fabs(fexpected[f]), 0.1));
        }
    }
}

__global__ void says(int n) {
    if (threadIdx.x % 32 == 5) printf("work-item %d of %d: %s %.3f\n", (int)threadIdx.x, n, "says", threadIdx.x * 0.25);
}

static void print() {
    says<<<1, 128>>>(128);
    HIP(hipDeviceSynchronize());
}

__global__ void ids(unsigned *out) {
    unsigned group = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned item = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned *o = out + (group * blockDim.x * blockDim.y * blockDim.z + item) * 2;
    o[0] = blockIdx.x | blockIdx.y << 8 | blockIdx.z << 16 | gridDim.x << 24;
    o[1] = threadIdx.x | threadIdx.y << 8 | threadIdx.z << 16 | blockDim.y << 24;
}

static void geometry() {
    dim3 grid(3, 4, 5), block(7, 5, 3);
    unsigned items = 7 * 5 * 3, groups = 3 * 4 * 5;
    Buffer<unsigned> out(items * groups * 2);
    ids<<<grid, block>>>(out.data);
    std::vector<unsigned> got = out.host();
    size_t at = 0;
    for (unsigned bz = 0; bz < 5; bz++)
        for (unsigned by = 0; by < 4; by++)
            for (unsigned bx = 0; bx < 3; bx++)
                for (unsigned tz = 0; tz < 3; tz++)
                    for (unsigned ty = 0; ty < 5; ty++)
                        for (unsigned tx = 0; tx < 7; tx++, at += 2) {
                            equal("group", at / 2, got[at], bx | by << 8 | bz << 16 | 3u << 24);
                            equal("item", at / 2, got[at + 1], tx | ty << 8 | tz << 16 | 5u << 24);
                        }
}

__global__ void one(int *p) { *p = 1; }

// A store 1 TiB past anything that is mapped: AMD's runtime reports the memory fault and aborts.
__global__ void stray(int *p) { p[1ull << 38] = 1; }

static void memory_fault() {
    Buffer<int> p(1);
    stray<<<1, 1>>>(p.data);
    HIP(hipDeviceSynchronize());
}

// Memory that the program gave back to the system while it was still registered with the GPU.
static void freed_memory() {
    const size_t bytes = 1 << 20;
    int *memory = (int *)mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *device = nullptr;
    if (memory == MAP_FAILED) exit(2);
    HIP(hipHostRegister(memory, bytes, hipHostRegisterMapped));
    HIP(hipHostGetDevicePointer((void **)&device, memory, 0));
    one<<<1, 1>>>(device);
    HIP(hipDeviceSynchronize());
    equal("stored", 0, memory[0], 1);
    printf("used while it was there\n");
    fflush(stdout);
    munmap(memory, bytes);
    one<<<1, 1>>>(device);
    HIP(hipDeviceSynchronize());
}

__global__ void undefined() { asm volatile(".long 0xbf9fffff"); }

static void illegal_instruction() {
    undefined<<<1, 1>>>();
    HIP(hipDeviceSynchronize());
}

int main(int argc, char **argv) {
    const Case cases[] = {{"vector_add", vector_add}, {"reduction", reduction},   {"matmul_lds", matmul_lds},
                          {"atomics", atomics},       {"scratch", scratch},       {"divergence", divergence},
                          {"wavefront", wavefront},   {"math", math},             {"print", print},
                          {"geometry", geometry},     {"memory_fault", memory_fault},
                          {"freed_memory", freed_memory},
                          {"illegal_instruction", illegal_instruction}};
    return run_case(argc, argv, cases);
}
