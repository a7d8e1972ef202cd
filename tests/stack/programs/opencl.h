// What the OpenCL programs share: the GPU on AMD's platform, kernels, buffers.
#pragma once
#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "common.h"
#include <CL/cl.h>

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

[[maybe_unused]] static void open_device() {
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
