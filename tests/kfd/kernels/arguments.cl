// Arguments of some sizes and alignments, and those that the source does not mention.
typedef unsigned int uint;
typedef unsigned long ulong;
typedef ulong ulong16 __attribute__((ext_vector_type(16)));

struct large {
    uint values[800];
};

kernel void small(global ulong *out) {
    out[0] = (ulong)__builtin_amdgcn_kernarg_segment_ptr();
}

// Aligned to 128 bytes.
kernel void wide(ulong16 values, global ulong *out) {
    out[0] = (ulong)__builtin_amdgcn_kernarg_segment_ptr();
    out[1] = values.sf;
}

// More than three quarters of a page.
kernel void large(struct large values, uint index, global ulong *out) {
    out[0] = (ulong)__builtin_amdgcn_kernarg_segment_ptr();
    out[1] = values.values[index];
}

// `hidden_heap_v1` and `hidden_queue_ptr` of code objects of version 5. The queue is an `amd_queue_t`: its size is at byte 24.
kernel void services(global ulong *out) {
    constant ulong *hidden = (constant ulong *)__builtin_amdgcn_implicitarg_ptr();
    out[0] = hidden[96 / 8];
    out[1] = ((global uint *)hidden[200 / 8])[24 / 4];
}
