// Adds an offset to every sample.
kernel void add(global float2 *data, float offset)
{
    data[get_global_id(0)] += (float2)(offset, 0.0f);
}

float2 cmul(float2 a, float2 b)
{
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// Forward FFT of rows of 4096 samples, in place: one work-group of 256 a row, six radix-4 steps (Stockham: the order comes out right).
#define N 4096
#define ITEMS 256
__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void fft4096(global float2 *data)
{
    local float2 row[N];
    global float2 *base = data + get_group_id(0) * N;
    const int item = get_local_id(0);
    for (int i = item; i < N; i += ITEMS)
        row[i] = base[i];
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int done = 1; done < N; done *= 4) {
        float2 out[4][4];
        for (int part = 0; part < 4; part++) {
            const int j = item + part * ITEMS;
            const int k = j % done;
            const float angle = -6.28318530717958647692f * k / (4 * done);
            const float2 w1 = (float2)(cos(angle), sin(angle));
            const float2 w2 = cmul(w1, w1), w3 = cmul(w2, w1);
            const float2 a = row[j], b = cmul(w1, row[j + N / 4]);
            const float2 c = cmul(w2, row[j + N / 2]), d = cmul(w3, row[j + 3 * N / 4]);
            const float2 even = a + c, odd = a - c, sum = b + d;
            const float2 difference = (float2)((b - d).y, -(b - d).x); // -i times b - d
            out[part][0] = even + sum;
            out[part][1] = odd + difference;
            out[part][2] = even - sum;
            out[part][3] = odd - difference;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int part = 0; part < 4; part++) {
            const int j = item + part * ITEMS;
            const int to = (j / done) * done * 4 + j % done;
            for (int q = 0; q < 4; q++)
                row[to + q * done] = out[part][q];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = item; i < N; i += ITEMS)
        base[i] = row[i];
}
