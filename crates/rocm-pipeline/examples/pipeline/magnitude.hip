extern "C" __global__ void scale(float2 *data, float factor)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i].x *= factor;
    data[i].y *= factor;
}

extern "C" __global__ void magnitude(const float2 *data, float *out)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = sqrtf(data[i].x * data[i].x + data[i].y * data[i].y);
}
