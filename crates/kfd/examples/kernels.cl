// The kernels of the examples. kernels.co, a bundle of the code objects for each of these chips, is made of them by
//   targets=host-x86_64-unknown-linux-gnu inputs=--input=/dev/null
//   for chip in gfx908 gfx90a gfx942; do
//     clang-19 -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=$chip -nogpulib -O2 kernels.cl -o $chip.one
//     targets=$targets,hipv4-amdgcn-amd-amdhsa--$chip inputs="$inputs --input=$chip.one"
//   done
//   clang-offload-bundler-19 --type=o --targets=$targets $inputs --output=kernels.co
//   rm *.one
#define ID (__builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x())

typedef unsigned int uint;
typedef unsigned long ulong;

// y = a * x + y
kernel void saxpy(int n, float a, global const float *x, global float *y) {
    uint i = ID;
    if (i < n) y[i] = a * x[i] + y[i];
}

// c = a * b, of each value
kernel void multiply(int n, global const float *a, global const float *b, global float *c) {
    uint i = ID;
    if (i < n) c[i] = a[i] * b[i];
}

// Writes to where nothing is.
kernel void wild(ulong address) {
    *(global volatile uint *)address = 1;
}

// Ends by a trap.
kernel void trap(void) {
    __builtin_trap();
}
