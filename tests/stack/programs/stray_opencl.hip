// As stray.hip, in OpenCL.
#include "opencl.h"

static const char *SOURCE = R"(
kernel void shift(global const int *in, global int *out, int n) {
    int i = get_global_id(0);
    if (i < n)
        out[i] = in[i + 1];
}
kernel void count(global int *out, int at) { atomic_add(&out[at], 1); }
)";
