// AMD's OpenCL: kernels compiled at run time, and every kind of memory object.
#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "common.h"
#include <CL/cl.h>
#include <string>

#define CL(call)                                                                                             \
    do {                                                                                                     \
        cl_int status_ = (call);                                                                             \
        if (status_ != CL_SUCCESS) {                                                                         \
            fprintf(stderr, "%s:%d: %s: error %d\n", __FILE__, __LINE__, #call, status_);                    \
            exit(2);                                                                                         \
        }                                                                                                    \
    } while (0)

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

static void open_device() {
    cl_platform_id platforms[8];
    cl_uint count = 0;
    CL(clGetPlatformIDs(8, platforms, &count));
    for (cl_uint i = 0; i < count; i++) {
        char name[100] = "";
        CL(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, nullptr));
        if (!strcmp(name, "AMD Accelerated Parallel Processing"))
            CL(clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_GPU, 1, &device, nullptr));
    }
    if (!device) {
        fprintf(stderr, "no GPU on AMD's OpenCL platform\n");
        exit(2);
    }
    cl_int status;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    CL(status);
    queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
    CL(status);
}

static cl_kernel kernel(const char *source, const char *name) {
    cl_int status;
    cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &status);
    CL(status);
    if (clBuildProgram(program, 1, &device, "-cl-std=CL2.0", nullptr, nullptr) != CL_SUCCESS) {
        std::vector<char> log(1 << 16);
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
        fprintf(stderr, "%s\n", log.data());
        exit(2);
    }
    cl_kernel k = clCreateKernel(program, name, &status);
    CL(status);
    CL(clReleaseProgram(program));
    return k;
}

static cl_mem buffer(size_t bytes, const void *data = nullptr) {
    cl_int status;
    cl_mem m = clCreateBuffer(context, CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0), bytes, (void *)data, &status);
    CL(status);
    return m;
}

template <class T> static void argument(cl_kernel k, cl_uint index, const T &value) {
    CL(clSetKernelArg(k, index, sizeof value, &value));
}

static void launch(cl_kernel k, size_t global, size_t local) {
    CL(clEnqueueNDRangeKernel(queue, k, 1, nullptr, &global, &local, 0, nullptr, nullptr));
}

template <class T> static std::vector<T> read(cl_mem m, size_t count) {
    std::vector<T> values(count);
    CL(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, count * sizeof(T), values.data(), 0, nullptr, nullptr));
    return values;
}

static std::vector<float> floats(size_t n) {
    std::vector<float> values(n);
    for (size_t i = 0; i < n; i++) values[i] = (int)(hash(i) % 4001) - 2000;
    return values;
}

static void vector_add() {
    const size_t n = 1 << 16;
    std::vector<float> a = floats(n), b(n, 0.25f);
    cl_mem ma = buffer(n * 4, a.data()), mb = buffer(n * 4, b.data()), mc = buffer(n * 4);
    cl_kernel k = kernel("kernel void add(global const float *a, global const float *b, global float *c) {"
                         "  size_t i = get_global_id(0); c[i] = a[i] + b[i]; }", "add");
    argument(k, 0, ma), argument(k, 1, mb), argument(k, 2, mc);
    cl_event event;
    size_t global = n, local = 256;
    CL(clEnqueueNDRangeKernel(queue, k, 1, nullptr, &global, &local, 0, nullptr, &event));
    std::vector<float> c = read<float>(mc, n);
    for (size_t i = 0; i < n; i++) equal("sum", i, c[i], a[i] + b[i]);
    cl_ulong queued, submitted, begin, end;
    CL(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED, 8, &queued, nullptr));
    CL(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_SUBMIT, 8, &submitted, nullptr));
    CL(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, 8, &begin, nullptr));
    CL(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 8, &end, nullptr));
    equal("times are in order", 0, queued <= submitted && begin < end, true);
    equal("the kernel took less than a minute", 0, end - begin < 60000000000ull, true);
}

static void local_memory() {
    const size_t n = 8192;
    std::vector<float> a = floats(n);
    cl_mem ma = buffer(n * 4, a.data()), ms = buffer(n / 128 * 4);
    cl_kernel k = kernel("kernel void sums(global const float *a, global float *s, local float *part) {"
                         "  int l = get_local_id(0); part[l] = a[get_global_id(0)];"
                         "  for (int h = get_local_size(0) / 2; h; h /= 2) {"
                         "    barrier(CLK_LOCAL_MEM_FENCE); if (l < h) part[l] += part[l + h]; }"
                         "  if (l == 0) s[get_group_id(0)] = part[0]; }", "sums");
    argument(k, 0, ma), argument(k, 1, ms);
    CL(clSetKernelArg(k, 2, 128 * 4, nullptr));
    launch(k, n, 128);
    std::vector<float> s = read<float>(ms, n / 128);
    for (size_t g = 0; g < n / 128; g++) {
        float sum = 0;
        for (int i = 0; i < 128; i++) sum += a[g * 128 + i];
        equal("sum", g, s[g], sum);
    }
}

static void copies() {
    const size_t n = 70000;
    std::vector<float> a = floats(n);
    cl_mem ma = buffer(n * 4, a.data()), mb = buffer(n * 4);
    uint32_t pattern = 0x01020304;
    CL(clEnqueueFillBuffer(queue, mb, &pattern, 4, 0, n * 4, 0, nullptr, nullptr));
    CL(clEnqueueCopyBuffer(queue, ma, mb, 40, 400, 8000, 0, nullptr, nullptr));
    std::vector<uint32_t> got = read<uint32_t>(mb, n);
    for (size_t i = 0; i < n; i++) {
        uint32_t expected = pattern;
        if (i >= 100 && i < 2100) memcpy(&expected, &a[i - 90], 4);
        equal("copy", i, got[i], expected);
    }
    // A rectangle of 20 x 30 floats in rows of 100 floats.
    size_t from[] = {5 * 4, 2, 0}, to[] = {0, 0, 0}, region[] = {20 * 4, 30, 1};
    std::vector<float> out(20 * 30);
    CL(clEnqueueReadBufferRect(queue, ma, CL_TRUE, from, to, region, 400, 0, 80, 0, out.data(), 0, nullptr, nullptr));
    for (size_t y = 0; y < 30; y++)
        for (size_t x = 0; x < 20; x++) equal("rectangle", y * 20 + x, out[y * 20 + x], a[(y + 2) * 100 + x + 5]);
    cl_int status;
    float *mapped = (float *)clEnqueueMapBuffer(queue, ma, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, n * 4, 0, nullptr, nullptr, &status);
    CL(status);
    for (size_t i = 0; i < n; i++) equal("mapped", i, mapped[i], a[i]), mapped[i] += 1;
    CL(clEnqueueUnmapMemObject(queue, ma, mapped, 0, nullptr, nullptr));
    out = read<float>(ma, n);
    for (size_t i = 0; i < n; i++) equal("unmapped", i, out[i], a[i] + 1);
}

static void svm() {
    const size_t n = 20000;
    cl_kernel k = kernel("kernel void twice(global float *v) { v[get_global_id(0)] *= 2; }", "twice");
    std::vector<float> a = floats(n), got(n);
    float *coarse = (float *)clSVMAlloc(context, CL_MEM_READ_WRITE, n * 4, 0);
    float *fine = (float *)clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, n * 4, 0);
    equal("allocated", 0, coarse && fine, true);
    CL(clEnqueueSVMMemcpy(queue, CL_TRUE, coarse, a.data(), n * 4, 0, nullptr, nullptr));
    memcpy(fine, a.data(), n * 4);
    for (float *v : {coarse, fine}) {
        CL(clSetKernelArgSVMPointer(k, 0, v));
        launch(k, n, 100);
    }
    CL(clEnqueueSVMMemcpy(queue, CL_TRUE, got.data(), coarse, n * 4, 0, nullptr, nullptr));
    CL(clFinish(queue));
    for (size_t i = 0; i < n; i++) equal("coarse", i, got[i], a[i] * 2), equal("fine", i, fine[i], a[i] * 2);
    clSVMFree(context, coarse);
    clSVMFree(context, fine);
}

static void images() {
    const size_t w = 65, h = 33;
    std::vector<uint8_t> in(w * h * 4), out(w * h * 4);
    for (size_t i = 0; i < in.size(); i++) in[i] = hash(i);
    cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    cl_image_desc desc = {};
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = w, desc.image_height = h;
    cl_int status;
    cl_mem from = clCreateImage(context, CL_MEM_READ_ONLY, &format, &desc, nullptr, &status);
    CL(status);
    cl_mem to = clCreateImage(context, CL_MEM_WRITE_ONLY, &format, &desc, nullptr, &status);
    CL(status);
    size_t origin[] = {0, 0, 0}, region[] = {w, h, 1};
    CL(clEnqueueWriteImage(queue, from, CL_TRUE, origin, region, 0, 0, in.data(), 0, nullptr, nullptr));
    // Mirrors the picture and swaps red and blue; past the border the nearest pixel is read.
    cl_kernel k = kernel("constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;"
                         "kernel void mirror(read_only image2d_t in, write_only image2d_t out) {"
                         "  int x = get_global_id(0), y = get_global_id(1);"
                         "  float4 c = read_imagef(in, s, (int2)(get_image_width(in) - x, y));"
                         "  write_imagef(out, (int2)(x, y), c.zyxw); }", "mirror");
    argument(k, 0, from), argument(k, 1, to);
    size_t global[] = {w, h};
    CL(clEnqueueNDRangeKernel(queue, k, 2, nullptr, global, nullptr, 0, nullptr, nullptr));
    CL(clEnqueueReadImage(queue, to, CL_TRUE, origin, region, 0, 0, out.data(), 0, nullptr, nullptr));
    const int order[] = {2, 1, 0, 3};
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++)
            for (int c = 0; c < 4; c++) {
                size_t source = x == 0 ? w - 1 : w - x;
                equal("pixel", (y * w + x) * 4 + c, (int)out[(y * w + x) * 4 + c], (int)in[(y * w + source) * 4 + order[c]]);
            }
}

// LLVM 17 forgets the end of a string argument whose length is a multiple of 4, and what follows it is misread.
static void print() {
    cl_kernel k = kernel("kernel void says(int n) { if (get_global_id(0) % 40 == 3)"
                         "  printf(\"work-item %d of %d: %s %.2f\\n\", (int)get_global_id(0), n, \"speaks\", get_global_id(0) * 0.5f); }",
                         "says");
    argument(k, 0, 100);
    launch(k, 100, 50);
    CL(clFinish(queue));
}

static void build_errors() {
    const char *source = "kernel void k(global int *p) { p[0] = nothing_of_that_name; }";
    cl_int status;
    cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &status);
    CL(status);
    equal("build", 0, clBuildProgram(program, 1, &device, "", nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE);
    std::vector<char> log(1 << 16);
    CL(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr));
    equal("the log names it", 0, std::string(log.data()).find("nothing_of_that_name") != std::string::npos, true);
}

int main(int argc, char **argv) {
    const Case cases[] = {{"vector_add", vector_add}, {"local_memory", local_memory}, {"copies", copies}, {"svm", svm},
                          {"images", images},         {"print", print},               {"build_errors", build_errors}};
    open_device();
    return run_case(argc, argv, cases);
}
