// Global variables that the host sets and reads by name. The compiler hides those of OpenCL C unless told otherwise; HIP's `__device__` ones it does not.
typedef unsigned int uint;

__attribute__((visibility("protected"))) global uint table[4] = {10, 20, 30, 40};
__attribute__((visibility("protected"))) global uint counted;

kernel void look(global uint *out) {
    uint lane = __builtin_amdgcn_workitem_id_x();
    out[lane] = table[lane & 3];
    if (lane == 0) counted += 1;
}
