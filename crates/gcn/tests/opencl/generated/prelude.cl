// What generated kernels use beside OpenCL C 1.2. For gfx908 these are halves and sub-group functions of the machine. PoCL 3.1 has
// neither: there, halves are floats that each operation rounds to the grid of f16 (exact, see h_round), and a sub-group is the
// whole work-group of 64 items, which exchange values through local memory.
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

// Which NaN an operation makes is not compared.
uint bits(float x) { return isnan(x) ? 0x7fc00000u : as_uint(x); }
uint bits64(double x) { ulong b = isnan(x) ? 0x7ff8000000000000UL : as_ulong(x); return (uint)(b >> 32) ^ (uint)b; }

uint dot4(char4 a, char4 b, uint c) { return (uint)(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w) + c; }
uint udot4(uchar4 a, uchar4 b, uint c) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w + c; }
uint dot2(short2 a, short2 b, uint c) { return (uint)(a.x * b.x) + (uint)(a.y * b.y) + c; }

// PoCL 3.1 converts NaN to the smallest int; 0 is what OpenCL recommends.
double number(double x) { return isnan(x) ? 0 : x; }

// h_from_float adds 0, which makes -0 of it 0: LLVM (19 and 21) makes `v_fma_mixlo_f16 a, b, 0` of a product that becomes a half, and that loses
// the sign of -0.
#ifdef __AMDGCN__
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
typedef half H;
typedef half2 H2;
H h_bits_to(uint b) { half x = as_half((ushort)b); return x != x ? (half)NAN : x; }
uint h_bits(H x) { return x != x ? 0x7e00u : as_ushort(x); }
#define h_add(a, b) ((a) + (b))
#define h_sub(a, b) ((a) - (b))
#define h_mul(a, b) ((a) * (b))
#define h_fma(a, b, c) fma(a, b, c)
#define h_floor(a) floor(a)
#define h_ceil(a) ceil(a)
#define h_trunc(a) trunc(a)
#define h_rint(a) rint(a)
#define h_from_float(a) ((half)((float)(a) + 0.0f))
#define h_from_double(a) ((half)(double)(a))
#define h_from_short(a) ((half)(short)(a))
#define h2_add(a, b) ((a) + (b))
#define h2_mul(a, b) ((a) * (b))
#define h2_fma(a, b, c) fma(a, b, c)

#define sg_add(x) sub_group_reduce_add((uint)(x))
#define sg_min(x) ((uint)sub_group_reduce_min((int)(x)))
#define sg_max(x) sub_group_reduce_max((uint)(x))
#define sg_scan_add(x) sub_group_scan_inclusive_add((uint)(x))
#define sg_scan_max(x) ((uint)sub_group_scan_inclusive_max((int)(x)))
#define sg_before_add(x) sub_group_scan_exclusive_add((uint)(x))
#define sg_broadcast(x, k) sub_group_broadcast((uint)(x), k)
#define sg_any(x) ((uint)sub_group_any((int)(x)) != 0)
#define sg_all(x) ((uint)sub_group_all((int)(x)) != 0)
#define sg_ballot(x) ((uint)(__builtin_amdgcn_ballot_w64(x) >> 17))
#define sg_pull(x, from) ((uint)__builtin_amdgcn_ds_bpermute((int)((from) << 2), (int)(x)))
#define sg_push_xor(x, mask) ((uint)__builtin_amdgcn_ds_permute((int)((l ^ (mask)) << 2), (int)(x)))
#define sg_swizzle(x, pattern) ((uint)__builtin_amdgcn_ds_swizzle((int)(x), pattern))
#define sg_dpp(old, x, control, rows, banks) \
    ((uint)__builtin_amdgcn_update_dpp((int)(old), (int)(x), control, rows, banks, false))

#else
typedef float H;
typedef float2 H2;
// To nearest even of f16. `x` is the exact result or its f64 rounding: products of halves have 22 bits; a sum or fused sum loses bits
// in f64 only where one part is less than half a unit of f64 of the other, which is a half itself and so no midpoint.
H h_round(double x) {
    if (isnan(x) || isinf(x)) return (float)x;
    int e = max((int)(as_ulong(x) >> 52 & 0x7ff) - 1023, -14);
    double unit = as_double((ulong)(e - 10 + 1023) << 52), inverse = as_double((ulong)(1023 + 10 - e) << 52);
    double r = rint(x * inverse) * unit;
    return fabs(r) >= 65520.0 ? copysign(INFINITY, (float)x) : copysign((float)r, (float)x);
}
H h_bits_to(uint b) {
    uint e = b >> 10 & 31, m = b & 0x3ff;
    float x = e == 31 ? (m ? NAN : INFINITY) : e ? (1024 + m) * as_float((e - 25 + 127) << 23) : m * as_float((127 - 24) << 23);
    return b & 0x8000 ? -x : x;
}
uint h_bits(H x) {
    if (isnan(x)) return 0x7e00u;
    uint s = as_uint(x) >> 16 & 0x8000, e = as_uint(x) >> 23 & 0xff;
    if (isinf(x)) return s | 0x7c00;
    if (e < 127 - 14) return s | (uint)(fabs(x) * 16777216.0f);
    return s | (e - 112) << 10 | (as_uint(x) >> 13 & 0x3ff);
}
#define h_add(a, b) h_round((double)(a) + (double)(b))
#define h_sub(a, b) h_round((double)(a) - (double)(b))
#define h_mul(a, b) h_round((double)(a) * (double)(b))
#define h_fma(a, b, c) h_round((double)(a) * (double)(b) + (double)(c))
// PoCL 3.1 takes these of what it knows to be NaN for undefined.
H h_floor(H a) { return isnan(a) ? a : floor(a); }
H h_ceil(H a) { return isnan(a) ? a : ceil(a); }
H h_trunc(H a) { return isnan(a) ? a : trunc(a); }
H h_rint(H a) { return isnan(a) ? a : rint(a); }
#define h_from_float(a) h_round((double)((float)(a) + 0.0f))
#define h_from_double(a) h_round((double)(a))
#define h_from_short(a) h_round((double)(short)(a))
H2 h2_round(double2 x) { return (H2)(h_round(x.x), h_round(x.y)); }
#define wide(a) ((double2)((double)(a).x, (double)(a).y))
H2 h2_add(H2 a, H2 b) { return h2_round(wide(a) + wide(b)); }
H2 h2_mul(H2 a, H2 b) { return h2_round(wide(a) * wide(b)); }
H2 h2_fma(H2 a, H2 b, H2 c) { return h2_round(wide(a) * wide(b) + wide(c)); }

// All items of the group call these together: `x` goes into `q`, and each item combines what it wants of it.
#define exchange(x, result) \
    q[l] = (x); barrier(CLK_LOCAL_MEM_FENCE); uint r = (result); barrier(CLK_LOCAL_MEM_FENCE); return r
uint sum_of(local uint *q, uint n) { uint r = 0; for (uint j = 0; j < n; j++) r += q[j]; return r; }
uint max_of(local uint *q, uint n) { uint r = 0; for (uint j = 0; j < n; j++) r = max(r, q[j]); return r; }
uint smin_of(local uint *q, uint n) { int r = 0x7fffffff; for (uint j = 0; j < n; j++) r = min(r, (int)q[j]); return r; }
uint smax_of(local uint *q, uint n) { int r = -0x7fffffff - 1; for (uint j = 0; j < n; j++) r = max(r, (int)q[j]); return r; }
uint mask_of(local uint *q) { ulong r = 0; for (uint j = 0; j < 64; j++) r |= (ulong)(q[j] != 0) << j; return (uint)(r >> 17); }
uint count_of(local uint *q) { uint r = 0; for (uint j = 0; j < 64; j++) r += q[j] != 0; return r; }
// The lane that a swizzle pattern reads (bit masks within 32 lanes, or quads).
uint swizzled(uint l, uint p) {
    if (p & 0x8000) return (l & ~3) | (p >> (l & 3) * 2 & 3);
    return (l & 32) | ((((l & 31) & (p & 31)) | (p >> 5 & 31)) ^ (p >> 10 & 31));
}
// The lane that a DPP control reads, -1 for none.
int dpp_lane(uint l, uint c) {
    uint row = l & 48, at = l & 15, n = c & 15;
    if (c < 0x100) return (l & ~3) | (c >> (l & 3) * 2 & 3);
    if (c < 0x110) return at + n < 16 ? (int)(row | (at + n)) : -1;
    if (c < 0x120) return at >= n ? (int)(row | (at - n)) : -1;
    if (c < 0x130) return row | ((at - n) & 15);
    if (c == 0x130) return l < 63 ? (int)l + 1 : -1;
    if (c == 0x134) return (l + 1) & 63;
    if (c == 0x138) return (int)l - 1;
    if (c == 0x13c) return (l - 1) & 63;
    if (c == 0x140) return row | (15 - at);
    if (c == 0x141) return l ^ 7;
    if (c == 0x142) return l >= 16 ? (int)row - 1 : -1;
    return l >= 32 ? 31 : -1;
}
uint dpp(local uint *q, uint l, uint old, uint c, uint rows, uint banks) {
    int from = dpp_lane(l, c);
    return from >= 0 && rows >> (l >> 4) & 1 && banks >> (l >> 2 & 3) & 1 ? q[from] : old;
}
uint add_(uint x, local uint *q, uint l) { exchange(x, sum_of(q, 64)); }
uint min_(uint x, local uint *q, uint l) { exchange(x, smin_of(q, 64)); }
uint max_(uint x, local uint *q, uint l) { exchange(x, max_of(q, 64)); }
uint scan_add_(uint x, local uint *q, uint l) { exchange(x, sum_of(q, l + 1)); }
uint scan_max_(uint x, local uint *q, uint l) { exchange(x, smax_of(q, l + 1)); }
uint before_add_(uint x, local uint *q, uint l) { exchange(x, sum_of(q, l)); }
uint count_(uint x, local uint *q, uint l) { exchange(x, count_of(q)); }
uint ballot_(uint x, local uint *q, uint l) { exchange(x, mask_of(q)); }
uint pull_(uint x, uint from, local uint *q, uint l) { exchange(x, q[from & 63]); }
uint dpp_(uint old, uint x, uint c, uint rows, uint banks, local uint *q, uint l) { exchange(x, dpp(q, l, old, c, rows, banks)); }
#define sg_add(x) add_(x, q, l)
#define sg_min(x) min_(x, q, l)
#define sg_max(x) max_(x, q, l)
#define sg_scan_add(x) scan_add_(x, q, l)
#define sg_scan_max(x) scan_max_(x, q, l)
#define sg_before_add(x) before_add_(x, q, l)
#define sg_broadcast(x, k) pull_(x, k, q, l)
#define sg_any(x) (count_(x, q, l) != 0)
#define sg_all(x) (count_(x, q, l) == 64)
#define sg_ballot(x) ballot_(x, q, l)
#define sg_pull(x, from) pull_(x, from, q, l)
#define sg_push_xor(x, mask) pull_(x, l ^ (mask), q, l)
#define sg_swizzle(x, pattern) pull_(x, swizzled(l, pattern), q, l)
#define sg_dpp(old, x, control, rows, banks) dpp_(old, x, control, rows, banks, q, l)
#endif
