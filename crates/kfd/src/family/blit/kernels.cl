// The kernels that copy and fill. The code objects are made of them by
//   for chip in gfx908 gfx90a gfx942; do
//     clang-19 -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=$chip -nogpulib -O2 kernels.cl -o $chip.co
//   done
//
// Stores of 16 bytes are aligned: `head` bytes or words come before the first, `tail` after the last, both fewer than fill one. All work-items
// together go over the `pieces` of 16 bytes, so that a wave accesses 1 KiB in a row at a time. Loads may lie anywhere, as the driver has unaligned
// access on for all processes (SH_MEM_CONFIG.ALIGNMENT_MODE of Linux's `update_qpd_v9`).
#define GROUP 256
#define ID (__builtin_amdgcn_workgroup_id_x() * GROUP + __builtin_amdgcn_workitem_id_x())

typedef unsigned char uchar;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef uint uint4 __attribute__((ext_vector_type(4)));
typedef uint4 __attribute__((aligned(1))) unaligned_uint4;

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
copy(global const uchar *restrict from, ulong from_at, global uchar *restrict to, ulong to_at, uint head, ulong pieces, uint tail, uint items) {
    uint id = ID;
    from += from_at;
    to += to_at;
    ulong end = head + pieces * 16;
    if (id < head) to[id] = from[id];
    if (id < tail) to[end + id] = from[end + id];
    global const unaligned_uint4 *loads = (global const unaligned_uint4 *)(from + head);
    global uint4 *stores = (global uint4 *)(to + head);
    for (ulong i = id; i < pieces; i += items) stores[i] = loads[i];
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
fill(global uint *to, ulong at, uint value, uint head, ulong pieces, uint tail, uint items) {
    uint id = ID;
    to += at;
    if (id < head) to[id] = value;
    if (id < tail) to[head + pieces * 4 + id] = value;
    global uint4 *stores = (global uint4 *)(to + head);
    for (ulong i = id; i < pieces; i += items) stores[i] = (uint4)(value);
}
