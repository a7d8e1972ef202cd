// As streams.hip, in OpenCL: two queues that wait for each other, and the same without.
#include "opencl.h"

static const char *SOURCE = R"(
kernel void fill(global int *out, int value) { out[get_global_id(0)] = value + get_global_id(0); }
kernel void add(global const int *in, global int *out) { out[get_global_id(0)] = in[get_global_id(0)] + 1; }
)";

const size_t N = 1 << 16;
const size_t GROUP = 256;

// How the second kernel waits for the first.
enum How { NOT, EVENT, FINISH, WAIT, OUT_OF_ORDER, OUT_OF_ORDER_BARRIER };

template <How HOW> static void kernels() {
    const bool one = HOW == OUT_OF_ORDER || HOW == OUT_OF_ORDER_BARRIER;
    cl_int status;
    cl_command_queue first =
        clCreateCommandQueue(context, device, one ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &status);
    CL(status);
    cl_command_queue second = one ? first : clCreateCommandQueue(context, device, 0, &status);
    CL(status);
    cl_mem data = buffer(N * sizeof(int)), out = buffer(N * sizeof(int));
    cl_kernel fill = kernel(SOURCE, "fill"), add = kernel(SOURCE, "add");
    argument(fill, 0, data), argument(fill, 1, 5);
    argument(add, 0, data), argument(add, 1, out);
    cl_event filled;
    CL(clEnqueueNDRangeKernel(first, fill, 1, nullptr, &N, &GROUP, 0, nullptr, &filled));
    if (HOW == FINISH) CL(clFinish(first));
    if (HOW == WAIT) CL(clWaitForEvents(1, &filled));
    if (HOW == OUT_OF_ORDER_BARRIER) CL(clEnqueueBarrierWithWaitList(first, 0, nullptr, nullptr));
    bool waits = HOW == EVENT || HOW == OUT_OF_ORDER;
    CL(clEnqueueNDRangeKernel(second, add, 1, nullptr, &N, &GROUP, waits, waits ? &filled : nullptr, nullptr));
    CL(clFlush(first));
    CL(clFlush(second));
    CL(clFinish(first));
    CL(clFinish(second));
    std::vector<int> got = read<int>(out, N);
    for (size_t i = 0; i < (HOW == NOT ? 0 : N); i++) equal("sum", i, got[i], i + 6);
}

int main(int argc, char **argv) {
    open_device();
    const Case cases[] = {{"event", kernels<EVENT>},
                          {"finish", kernels<FINISH>},
                          {"wait", kernels<WAIT>},
                          {"out_of_order", kernels<OUT_OF_ORDER>},
                          {"barrier", kernels<OUT_OF_ORDER_BARRIER>},
                          {"without", kernels<NOT>}};
    return run_case(argc, argv, cases);
}
