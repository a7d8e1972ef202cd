// What `cargo xtask record` records of OpenCL.
#define CL_TARGET_OPENCL_VERSION 200
#include "recorded.h"
#include <CL/cl.h>
#include <vector>

static void ok(const char *what, cl_int status) {
    if (status != CL_SUCCESS) {
        fprintf(stderr, "%s: %d\n", what, status);
        exit(2);
    }
}

static const char *SOURCE = "kernel void add(global float *x, float y) { x[get_global_id(0)] += y; }";

int main() {
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    ok("clGetPlatformIDs", clGetPlatformIDs(1, &platform, nullptr));
    ok("clGetDeviceIDs", clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, nullptr));
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    ok("clCreateContext", status);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, nullptr, &status);
    ok("clCreateCommandQueueWithProperties", status);
    cl_program program = clCreateProgramWithSource(context, 1, &SOURCE, nullptr, &status);
    ok("clCreateProgramWithSource", status);
    ok("clBuildProgram", clBuildProgram(program, 1, &device, "", nullptr, nullptr));
    cl_kernel kernel = clCreateKernel(program, "add", &status);
    ok("clCreateKernel", status);
    const size_t count = 64, group = 64;
    std::vector<float> x(count, 1.0f);
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, count * sizeof(float), x.data(), &status);
    ok("clCreateBuffer", status);
    const float zero = 0.0f, two = 2.0f;
    ok("clSetKernelArg", clSetKernelArg(kernel, 0, sizeof memory, &memory));
    ok("clSetKernelArg", clSetKernelArg(kernel, 1, sizeof zero, &zero));
    // Once before, so that the queue is there.
    ok("clEnqueueNDRangeKernel", clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &count, &group, 0, nullptr, nullptr));
    ok("clFinish", clFinish(queue));
    begin();
    ok("clSetKernelArg", clSetKernelArg(kernel, 1, sizeof two, &two));
    ok("clEnqueueNDRangeKernel", clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &count, &group, 0, nullptr, nullptr));
    ok("clFinish", clFinish(queue));
    end();
    ok("clEnqueueReadBuffer", clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, count * sizeof(float), x.data(), 0, nullptr, nullptr));
    expect("opencl", x == std::vector<float>(count, 3.0f));
}
