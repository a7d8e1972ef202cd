// Noise of -1 to 1 from a number: what an antenna receives.
float noise(uint x)
{
    x = (x ^ 61) ^ (x >> 16);
    x *= 9;
    x ^= x >> 4;
    x *= 0x27d4eb2d;
    x ^= x >> 15;
    return (int)(x % 2001) / 1000.0f - 1.0f;
}

kernel void sample(global float2 *x)
{
    const uint i = get_global_id(0);
    x[i] = (float2)(noise(2 * i), noise(2 * i + 1));
}

kernel void diagonal(global float2 *matrix, float value)
{
    const size_t row = get_global_id(0), column = get_global_id(1);
    matrix[row + column * get_global_size(0)] = (float2)(row == column ? value : 0.0f, 0.0f);
}

// Clears what is above the diagonal.
kernel void lower(global float2 *matrix)
{
    const size_t row = get_global_id(0), column = get_global_id(1);
    if (row < column)
        matrix[row + column * get_global_size(0)] = (float2)(0.0f, 0.0f);
}
