// 256 and not blockDim.x: newer code objects read that from hidden arguments, which HIP's launch fills in and a bare packet does not.
extern "C" __global__ void saxpy(float a, unsigned n, const float *x, float *y)
{
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
