// Kernels of a small machine-learning backend: matrices of floats, row by row.
#define ID (__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x())

typedef unsigned int uint;

// c = a * b of m x k and k x n values; a's and b's values are so far apart from row to row and from column to column, so that either may be transposed.
kernel void matmul(uint m, uint n, uint k, global const float *a, uint a_row, uint a_column, global const float *b, uint b_row,
                   uint b_column, global float *c) {
    uint i = ID;
    if (i >= m * n) return;
    uint row = i / n, column = i % n;
    float sum = 0;
    for (uint j = 0; j < k; j++) sum += a[row * a_row + j * a_column] * b[j * b_row + column * b_column];
    c[i] = sum;
}

kernel void add_row(uint count, uint columns, global const float *a, global const float *row, global float *out) {
    uint i = ID;
    if (i < count) out[i] = a[i] + row[i % columns];
}

kernel void relu(uint count, global const float *a, global float *out) {
    uint i = ID;
    if (i < count) out[i] = a[i] > 0 ? a[i] : 0;
}

kernel void relu_gradient(uint count, global const float *gradient, global const float *a, global float *out) {
    uint i = ID;
    if (i < count) out[i] = a[i] > 0 ? gradient[i] : 0;
}

kernel void softmax(uint rows, uint columns, global const float *a, global float *out) {
    uint row = ID;
    if (row >= rows) return;
    a += row * columns;
    out += row * columns;
    float most = a[0], sum = 0;
    for (uint i = 1; i < columns; i++) most = a[i] > most ? a[i] : most;
    for (uint i = 0; i < columns; i++) sum += out[i] = __builtin_exp2f((a[i] - most) * 1.44269504f);
    for (uint i = 0; i < columns; i++) out[i] /= sum;
}

kernel void scaled_difference(uint count, float scale, global const float *a, global const float *b, global float *out) {
    uint i = ID;
    if (i < count) out[i] = scale * (a[i] - b[i]);
}

kernel void sum_columns(uint rows, uint columns, global const float *a, global float *out) {
    uint column = ID;
    if (column >= columns) return;
    float sum = 0;
    for (uint row = 0; row < rows; row++) sum += a[row * columns + column];
    out[column] = sum;
}

// weight -= rate * gradient
kernel void descend(uint count, float rate, global const float *gradient, global float *weight) {
    uint i = ID;
    if (i < count) weight[i] -= rate * gradient[i];
}
