// The source of the corpus's code objects, for VERSION 3 (clang 15), 4, 5 and 6 (clang 19):
// clang -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=gfx908 -O2 -nogpulib -mcode-object-version=VERSION
//     saxpy.cl -o corpus/code_object/saxpy-vVERSION
kernel void saxpy(global float *y, global const float *x, float a, uint n) {
    uint i = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
    if (i < n)
        y[i] += a * x[i];
}
