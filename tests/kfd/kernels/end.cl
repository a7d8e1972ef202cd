// A variable without a value, which ends the image at the end of a page.
typedef unsigned int uint;
typedef unsigned long ulong;

__attribute__((aligned(4096))) global uint last[1024];

// What is at a place of it, or behind it.
kernel void at(ulong place, global ulong *out) {
    out[0] = (ulong)last;
    out[1] = last[place];
}
