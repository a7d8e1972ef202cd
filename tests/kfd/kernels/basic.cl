// Kernels of the tests. Without AMD's device libraries, so with the compiler's own functions.
#define LOCAL_SIZE(d) ((uint)((constant ushort *)__builtin_amdgcn_dispatch_ptr())[2 + d])
#define ID_X (__builtin_amdgcn_workgroup_id_x() * LOCAL_SIZE(0) + __builtin_amdgcn_workitem_id_x())
#define ID_Y (__builtin_amdgcn_workgroup_id_y() * LOCAL_SIZE(1) + __builtin_amdgcn_workitem_id_y())
#define ID_Z (__builtin_amdgcn_workgroup_id_z() * LOCAL_SIZE(2) + __builtin_amdgcn_workitem_id_z())

typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned long ulong;

kernel void saxpy(int n, float a, global const float *x, global float *y) {
    uint i = ID_X;
    if (i < n) y[i] = a * x[i] + y[i];
}

kernel void increment(global uint *counter) {
    counter[0] += 1;
}

// Every place of a box with partial work-groups at its ends.
kernel void box3(uint width, uint height, uint depth, global uint *out) {
    uint x = ID_X, y = ID_Y, z = ID_Z;
    if (x < width && y < height && z < depth) out[(z * height + y) * width + x] = x | y << 10 | z << 20;
}

// Sum of each group of 256 values, by halving in LDS.
kernel __attribute__((reqd_work_group_size(256, 1, 1))) void reduce(global const uint *in, global uint *out) {
    local uint part[256];
    uint lane = __builtin_amdgcn_workitem_id_x(), group = __builtin_amdgcn_workgroup_id_x();
    part[lane] = in[group * 256 + lane];
    for (uint step = 128; step > 0; step /= 2) {
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
        __builtin_amdgcn_s_barrier();
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
        if (lane < step) part[lane] += part[lane + step];
    }
    if (lane == 0) out[group] = part[0];
}

// Reverses 64 values in memory given by the launch.
kernel void reverse(global uint *data, local uint *room) {
    uint lane = __builtin_amdgcn_workitem_id_x();
    room[lane] = data[lane];
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    data[lane] = room[63 - lane];
}

// An array that is indexed by data, and a call: both need scratch memory.
__attribute__((noinline)) uint mix(private uint *values, uint seed) {
    for (uint i = 0; i < 64; i++) values[(i * 7 + seed) & 63] += i * seed;
    return values[seed & 63];
}

kernel void scratchy(global uint *out) {
    private uint values[64];
    uint i = ID_X;
    for (uint k = 0; k < 64; k++) values[k] = i + k;
    out[i] = mix(values, i);
}

// The same with more of it.
kernel void deep(global uint *out) {
    private uint values[1024];
    uint i = ID_X;
    for (uint k = 0; k < 1024; k++) values[k] = i * k;
    uint sum = 0;
    for (uint k = 0; k < 1024; k += 5) sum += values[(k * 7 + i) & 1023];
    out[i] = sum;
}

// Global and LDS atomics.
kernel void histogram(uint n, global const uint *in, global uint *bins) {
    local uint part[16];
    uint lane = __builtin_amdgcn_workitem_id_x(), i = ID_X;
    if (lane < 16) part[lane] = 0;
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    if (i < n) __opencl_atomic_fetch_add((local atomic_uint *)&part[in[i] & 15], 1, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_WORK_GROUP);
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    if (lane < 16) __opencl_atomic_fetch_add((global atomic_uint *)&bins[lane], part[lane], __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_DEVICE);
}

// One wave multiplies 32x32 by 32x32 with a matrix instruction: the k-th column of a by the k-th row of b, two at a time.
#if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)
typedef float float16 __attribute__((ext_vector_type(16)));
kernel void mfma(global const float *a, global const float *b, global float *c) {
    uint lane = __builtin_amdgcn_workitem_id_x(), row = lane % 32, k = lane / 32;
    float16 sum = 0;
    for (uint step = 0; step < 32; step += 2)
        sum = __builtin_amdgcn_mfma_f32_32x32x2f32(a[row * 32 + step + k], b[(step + k) * 32 + row], sum, 0, 0, 0);
    for (uint i = 0; i < 16; i++) c[(8 * (i / 4) + 4 * k + i % 4) * 32 + row] = sum[i];
}
#endif

// Which work-item of which work-group it is, for each that there is.
kernel void items(global uint *out) {
    out[ID_X] = __builtin_amdgcn_workgroup_id_x() << 16 | __builtin_amdgcn_workitem_id_x() + 1;
}

// The same, of those below n.
kernel void items_below(global uint *out, uint n) {
    uint i = ID_X;
    if (i < n) out[i] = __builtin_amdgcn_workgroup_id_x() << 16 | __builtin_amdgcn_workitem_id_x() + 1;
}

// Waits for the host, which writes 1.
kernel void gate(global uint *flag) {
    while (__opencl_atomic_load((global atomic_uint *)flag, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES) != 1)
        __builtin_amdgcn_s_sleep(1);
}

// Faults.
kernel void wild(ulong address) {
    *(global volatile uint *)address = 1;
}

kernel void trap(global uint *out) {
    out[0] = 1;
    __builtin_trap();
}

kernel void illegal(global uint *out) {
    out[0] = 1;
    __asm__ volatile(".long 0xffffffff");
}

// The LDS aperture ends 4 GiB behind its base; a work-group's memory long before that.
kernel void outside(global uint *out) {
    out[0] = 1;
    *(volatile uint *)0x1000080000000 = 1;
}

kernel void debug(global uint *out) {
    uint id = ID_X;
    out[id] = id;
    __builtin_debugtrap();
    out[id] += 1;
}

// What comes behind the arguments: the global offset's x, y and z, from byte 40 on since version 5 of code objects, which is clang 18's, and
// first before.
kernel void offset(global ulong *out) {
    constant ulong *hidden = (constant ulong *)__builtin_amdgcn_implicitarg_ptr();
    for (int d = 0; d < 3; d++) out[d] = hidden[(__clang_major__ >= 18 ? 5 : 0) + d];
}

// The compute unit that each work-item runs on: CU_ID, SH_ID and SE_ID of HW_ID, register 4 of gfx9, and above them XCC_ID, register 20 of gfx942.
kernel void unit(global uint *out) {
    uint place = (uint)__builtin_amdgcn_s_getreg(4 | 31 << 11) & 0x7f00;
#if defined(__gfx942__)
    place |= (uint)__builtin_amdgcn_s_getreg(20 | 3 << 11) << 16;
#endif
    out[ID_X] = place;
}

// Each work-item writes its number, one of them elsewhere.
kernel void stray(global uint *out, uint item, ulong elsewhere) {
    uint i = ID_X;
    *(i == item ? (global uint *)elsewhere : out + i) = i;
}
