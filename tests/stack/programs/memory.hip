// Memory: every way to fill, copy and share it.
#include "common.h"

static std::vector<uint32_t> numbers(size_t n, uint32_t seed) {
    std::vector<uint32_t> values(n);
    for (size_t i = 0; i < n; i++) values[i] = hash(i + seed);
    return values;
}

static void same(const char *what, const uint32_t *got, const std::vector<uint32_t> &expected) {
    for (size_t i = 0; i < expected.size(); i++) equal(what, i, got[i], expected[i]);
}

// Sizes around those at which the runtimes change the way they copy.
static void copies() {
    for (size_t n : {1, 3, 1000, 16384, 262144 + 5, 1500001}) {
        std::vector<uint32_t> in = numbers(n, n), out(n);
        Buffer<uint32_t> a(in), b(n);
        HIP(hipMemcpy(b.data, a.data, n * 4, hipMemcpyDeviceToDevice));
        HIP(hipMemcpy(out.data(), b.data, n * 4, hipMemcpyDeviceToHost));
        same("pageable", out.data(), in);
        // An unaligned part, by bytes.
        if (n > 100) {
            HIP(hipMemcpy((char *)b.data + 17, (char *)a.data + 2, 301, hipMemcpyDeviceToDevice));
            out = b.host();
            for (size_t i = 0; i < 301; i++) equal("part", i, ((uint8_t *)out.data())[17 + i], ((uint8_t *)in.data())[2 + i]);
        }
    }
}

static void pinned() {
    size_t n = 700001;
    std::vector<uint32_t> in = numbers(n, 1), registered(n);
    uint32_t *host;
    HIP(hipHostMalloc((void **)&host, n * 4, hipHostMallocDefault));
    memcpy(host, in.data(), n * 4);
    Buffer<uint32_t> device(n);
    hipStream_t stream;
    HIP(hipStreamCreate(&stream));
    HIP(hipMemcpyAsync(device.data, host, n * 4, hipMemcpyHostToDevice, stream));
    HIP(hipStreamSynchronize(stream));
    memset(host, 0, n * 4);
    HIP(hipMemcpyAsync(host, device.data, n * 4, hipMemcpyDeviceToHost, stream));
    HIP(hipHostRegister(registered.data(), n * 4, hipHostRegisterDefault));
    HIP(hipMemcpyAsync(registered.data(), device.data, n * 4, hipMemcpyDeviceToHost, stream));
    HIP(hipStreamSynchronize(stream));
    same("pinned", host, in);
    same("registered", registered.data(), in);
    HIP(hipHostUnregister(registered.data()));
    HIP(hipStreamDestroy(stream));
    HIP(hipHostFree(host));
}

__global__ void increment(uint32_t *values, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) values[i]++;
}

// Kernels on memory of the host.
static void host_access() {
    size_t n = 50001;
    std::vector<uint32_t> in = numbers(n, 7), plain = in;
    uint32_t *host, *device;
    HIP(hipHostMalloc((void **)&host, n * 4, hipHostMallocMapped));
    memcpy(host, in.data(), n * 4);
    HIP(hipHostGetDevicePointer((void **)&device, host, 0));
    increment<<<(n + 255) / 256, 256>>>(device, n);
    HIP(hipHostRegister(plain.data(), n * 4, hipHostRegisterMapped));
    HIP(hipHostGetDevicePointer((void **)&device, plain.data(), 0));
    increment<<<(n + 255) / 256, 256>>>(device, n);
    HIP(hipDeviceSynchronize());
    for (size_t i = 0; i < n; i++) {
        equal("mapped", i, host[i], in[i] + 1);
        equal("registered", i, plain[i], in[i] + 1);
    }
    HIP(hipHostUnregister(plain.data()));
    HIP(hipHostFree(host));
}

static void managed() {
    size_t n = 30001;
    std::vector<uint32_t> in = numbers(n, 9);
    uint32_t *values;
    HIP(hipMallocManaged((void **)&values, n * 4, hipMemAttachGlobal));
    memcpy(values, in.data(), n * 4);
    for (int round = 1; round <= 3; round++) {
        increment<<<(n + 255) / 256, 256>>>(values, n);
        HIP(hipDeviceSynchronize());
        for (size_t i = 0; i < n; i++) equal("managed", i, values[i], in[i] + round);
    }
    HIP(hipFree(values));
}

static void memset_bytes() {
    size_t n = 200003;
    Buffer<uint8_t> bytes(n);
    HIP(hipMemset(bytes.data, 0x5a, n));
    HIP(hipMemset(bytes.data + 13, 0xc3, 70001));
    std::vector<uint8_t> got = bytes.host();
    for (size_t i = 0; i < n; i++) equal("byte", i, (int)got[i], i >= 13 && i < 13 + 70001 ? 0xc3 : 0x5a);
    Buffer<uint32_t> words(5001);
    HIP(hipMemsetD32((hipDeviceptr_t)words.data, 0x12345678, 5001));
    std::vector<uint32_t> got32 = words.host();
    for (size_t i = 0; i < got32.size(); i++) equal("word", i, got32[i], 0x12345678u);
}

static void copies_2d() {
    const size_t width = 300, height = 77, from_pitch = 512, to_pitch = 448;
    std::vector<uint8_t> in(from_pitch * height), out(to_pitch * height, 0xee);
    for (size_t i = 0; i < in.size(); i++) in[i] = hash(i);
    uint8_t *device;
    size_t pitch;
    HIP(hipMallocPitch((void **)&device, &pitch, width, height));
    HIP(hipMemset2D(device, pitch, 0x11, width, height));
    HIP(hipMemcpy2D(device, pitch, in.data(), from_pitch, width - 50, height, hipMemcpyHostToDevice));
    HIP(hipMemcpy2D(out.data(), to_pitch, device, pitch, width, height, hipMemcpyDeviceToHost));
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < to_pitch; x++)
            equal("2D", y * to_pitch + x, (int)out[y * to_pitch + x],
                  x < width - 50 ? in[y * from_pitch + x] : x < width ? 0x11 : 0xee);
    HIP(hipFree(device));
}

static void copies_3d() {
    const size_t w = 60, h = 20, d = 9;
    hipPitchedPtr device;
    HIP(hipMalloc3D(&device, make_hipExtent(w * 4, h, d)));
    std::vector<uint32_t> in = numbers(w * h * d, 3), out(w * h * d, 0);
    hipMemcpy3DParms to = {}, from = {};
    to.srcPtr = make_hipPitchedPtr(in.data(), w * 4, w, h);
    to.dstPtr = device;
    to.extent = make_hipExtent(w * 4, h, d);
    to.kind = hipMemcpyHostToDevice;
    HIP(hipMemcpy3D(&to));
    from.srcPtr = device;
    from.dstPtr = make_hipPitchedPtr(out.data(), w * 4, w, h);
    from.extent = to.extent;
    from.kind = hipMemcpyDeviceToHost;
    HIP(hipMemcpy3D(&from));
    same("3D", out.data(), in);
    HIP(hipFree(device.ptr));
}

static void accounting() {
    size_t before, total, during, after;
    HIP(hipMemGetInfo(&before, &total));
    {
        Buffer<uint8_t> gigabyte(1ull << 30);
        HIP(hipMemGetInfo(&during, &total));
    }
    HIP(hipMemGetInfo(&after, &total));
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, 0));
    const std::string isa(properties.gcnArchName, 6);
    const size_t gibibytes = isa == "gfx908" ? 32 : isa == "gfx90a" ? 64 : 192;
    equal("total", 0, total >= (gibibytes - 1) << 30 && total <= gibibytes << 30, true);
    equal("used", 0, before - during >= (1ull << 30) && before - during < (1ull << 30) + (64 << 20), true);
    equal("freed", 0, after >= during + (1ull << 30), true);
    void *pointer = nullptr;
    equal("too much", 0, hipMalloc(&pointer, total + (1ull << 30)), hipErrorOutOfMemory);
}

int main(int argc, char **argv) {
    const Case cases[] = {{"copies", copies},       {"pinned", pinned},       {"host_access", host_access},
                          {"managed", managed},     {"memset", memset_bytes}, {"copies_2d", copies_2d},
                          {"copies_3d", copies_3d}, {"accounting", accounting}};
    return run_case(argc, argv, cases);
}
