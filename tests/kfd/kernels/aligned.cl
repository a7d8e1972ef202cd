// Data with an alignment of more than a page, which the whole image gets.
typedef unsigned int uint;
typedef unsigned long ulong;

__attribute__((aligned(65536))) global uint table[4] = {10, 20, 30, 40};

kernel void table_at(global ulong *out) {
    out[0] = (ulong)table;
    out[1] = table[3];
}
