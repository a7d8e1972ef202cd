// Compiled without device libraries (-nogpulib): arguments, memory and hidden arguments of many kinds.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

struct pair {
    int a;
    float b;
};

constant int table[4] = {1, 20, 300, 4000};

// Data that holds an address: the linker leaves a relocation, R_AMDGPU_RELATIVE64 for the hidden symbol, R_AMDGPU_ABS64 for the other.
global int counter = 7;
__attribute__((visibility("default"))) global int exported[3] = {10, 11, 12};
__attribute__((visibility("default"))) global int *global pointers[2] = {&counter, &exported[2]};

kernel void saxpy(global float *y, global const float *restrict x, float a, uint n) {
    uint i = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
    if (i < n)
        y[i] += a * x[i] + table[i & 3];
}

__attribute__((reqd_work_group_size(64, 2, 1))) kernel void
arguments(global int *p, local int *first, struct pair s, constant int *c, local double4 *second, char small, short half_of,
          double d, float4 v) {
    uint i = __builtin_amdgcn_workitem_id_x();
    first[i] = s.a + c[0] + small + half_of;
    second[i] = (double4)(d);
    __builtin_amdgcn_s_barrier();
    p[i] = first[63 - i] + (int)second[63 - i].x + (int)v.y + *pointers[i & 1];
}

kernel void shared(global int *p) {
    local int tile[96];
    uint i = __builtin_amdgcn_workitem_id_x();
    tile[i] = p[i];
    __builtin_amdgcn_s_barrier();
    p[i] = tile[63 - i];
}

kernel void scratch(global int *p) {
    volatile int room[100];
    uint i = __builtin_amdgcn_workitem_id_x();
    room[i] = p[i];
    p[i] = room[99 - i];
}

// Uses what tells the launch's geometry, and the compiler can prove that it is all.
kernel void geometry(global uint *p) {
    constant uint *implicit = (constant uint *)__builtin_amdgcn_implicitarg_ptr();
    for (uint i = 0; i < 18; i++)
        p[i] = implicit[i];
}

// The compiler cannot tell which of the hidden arguments it uses, and declares all.
kernel void any_hidden(global uint *p, uint n) {
    constant uint *implicit = (constant uint *)__builtin_amdgcn_implicitarg_ptr();
    for (uint i = 0; i < n; i++)
        p[i] = implicit[i];
}

kernel void images(read_only image2d_t in, write_only image2d_t out, sampler_t sampler, write_only pipe int channel, queue_t queue) {}

kernel void nothing(void) {}
