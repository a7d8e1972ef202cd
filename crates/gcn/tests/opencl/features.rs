//! One kernel per feature of the machine, compared with PoCL bit by bit.

use super::{Arg, Pocl, Run, Target, both, program};

/// Runs one-dimensional `source` (kernel `k`) with 64-item groups over three groups, the last one partial where PoCL
/// allows, and compares every byte.
fn same(source: &str, local: u32, args: Vec<Arg>) {
    compare(source, [256, 1, 1], [local, 1, 1], args, |ours, theirs| {
        assert!(ours == theirs, "{}", first_difference(ours, theirs, source));
    });
}

fn first_difference(ours: &[Vec<u8>], theirs: &[Vec<u8>], source: &str) -> String {
    for (b, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        for (i, (a, b2)) in ours.chunks(4).zip(theirs.chunks(4)).enumerate() {
            if a != b2 {
                return format!("buffer {b}, dword {i}: ours {a:02x?}, PoCL's {b2:02x?}\n{source}");
            }
        }
    }
    String::new()
}

fn compare(source: &str, global: [u32; 3], local: [u32; 3], args: Vec<Arg>, check: impl Fn(&[Vec<u8>], &[Vec<u8>])) {
    if let Some(why) = program::missing() {
        test_skip::skip!("no OpenCL compiler for gfx908: {why}");
    }
    let Some(pocl) = Pocl::new() else { test_skip::skip!("PoCL is not installed") };
    let source = format!("#pragma OPENCL FP_CONTRACT OFF\n{source}");
    let run = Run { source, kernel: "k", global, local, args };
    for &target in Target::ALL {
        println!("{target}");
        let (ours, theirs) = both(target, &pocl, &run);
        check(&ours, &theirs);
    }
}

/// 256 words that cover signs, carries and special floats.
fn words(seed: u64) -> Arg {
    let mut random = super::Random(seed);
    let special = [0u32, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX, 0x3f80_0000, 0x0000_8000, 0xffff];
    let values: Vec<u32> =
        (0..1024).map(|i| if i % 5 == 0 { special[i / 5 % 8] } else { random.next() as u32 >> (i % 32) }).collect();
    Arg::buffer(&values)
}

/// Finite floats of many magnitudes.
fn floats(seed: u64) -> Arg {
    let mut random = super::Random(seed);
    let values: Vec<f32> = (0..1024)
        .map(|i| {
            let mantissa = random.next() as i32 as f32 / 2f32.powi(31);
            mantissa * 2f32.powi(i % 40 - 20)
        })
        .collect();
    Arg::buffer(&values)
}

fn doubles(seed: u64) -> Arg {
    let mut random = super::Random(seed);
    let values: Vec<f64> =
        (0..1024).map(|i| random.next() as i64 as f64 / 2f64.powi(63) * 2f64.powi(i % 80 - 40)).collect();
    Arg::buffer(&values)
}

fn out(dwords: usize) -> Arg {
    Arg::Buffer(vec![0; dwords * 4])
}

macro_rules! features {
    ($($(#[$doc:meta])* $name:ident ($local:expr, $($arg:expr),*) $source:literal;)*) => {
        $($(#[$doc])* #[test] fn $name() { same($source, $local, vec![$($arg),*]); })*
    };
}

features! {
    integer_arithmetic(64, words(1), words(2), out(4096))
        "kernel void k(global const uint *a, global const uint *b, global uint *o) {
            size_t i = get_global_id(0); uint x = a[i], y = b[i];
            o[i*16+0] = x + y; o[i*16+1] = x - y; o[i*16+2] = x * y; o[i*16+3] = mul_hi(x, y);
            o[i*16+4] = mul_hi((int)x, (int)y); o[i*16+5] = x / (y|1); o[i*16+6] = x % (y|1); o[i*16+7] = (int)x >> (y&31);
            o[i*16+8] = x >> (y&31); o[i*16+9] = x << (y&31); o[i*16+10] = rotate(x, y); o[i*16+11] = clz(x);
            o[i*16+12] = popcount(x); o[i*16+13] = add_sat((int)x, (int)y); o[i*16+14] = sub_sat(x, y); o[i*16+15] = abs_diff(x, y); }";
    long_arithmetic(64, words(3), words(4), out(4096))
        "kernel void k(global const ulong *a, global const ulong *b, global ulong *o) {
            size_t i = get_global_id(0); ulong x = a[i], y = b[i];
            o[i*8+0] = x + y; o[i*8+1] = x - y; o[i*8+2] = x * y; o[i*8+3] = mul_hi(x, y);
            o[i*8+4] = x / (y|1); o[i*8+5] = (long)x % (long)(y|1); o[i*8+6] = (long)x >> (y&63); o[i*8+7] = x << (y&63); }";
    narrow_integers(64, words(5), out(2048))
        "kernel void k(global const char4 *a, global int *o) {
            size_t i = get_global_id(0); char4 x = a[i]; uchar4 y = as_uchar4(a[i+1]);
            o[i*8+0] = x.x * x.y; o[i*8+1] = x.z + x.w; o[i*8+2] = y.x * y.w; o[i*8+3] = as_int(add_sat(x, as_char4(y)));
            o[i*8+4] = as_int(hadd(x, as_char4(y))); short2 s = as_short2(x); o[i*8+5] = as_int(s * as_short2(y)); o[i*8+6] = as_int(max(s, as_short2(y)));
            o[i*8+7] = upsample(s.x, as_ushort2(y).y); }";
    float_arithmetic(64, floats(6), floats(7), floats(8), out(4096))
        "kernel void k(global const float *a, global const float *b, global const float *c, global float *o) {
            size_t i = get_global_id(0); float x = a[i], y = b[i], z = c[i];
            o[i*16+0] = x + y; o[i*16+1] = x * y; o[i*16+2] = fma(x, y, z); o[i*16+3] = x / y;
            o[i*16+4] = sqrt(fabs(x)); o[i*16+5] = fmin(x, y); o[i*16+6] = fmax(x, y); o[i*16+7] = floor(x);
            o[i*16+8] = rint(x); o[i*16+9] = trunc(x); o[i*16+10] = x * y + z; o[i*16+11] = copysign(x, y);
            o[i*16+12] = ldexp(x, 3); o[i*16+13] = fmod(x, y); o[i*16+14] = x < y ? z : x; o[i*16+15] = ceil(x); }";
    float_conversions(64, floats(9), words(10), out(4096))
        "kernel void k(global const float *a, global const uint *b, global uint *o) {
            size_t i = get_global_id(0); float x = a[i]; uint y = b[i];
            o[i*16+0] = convert_int_sat(x); o[i*16+1] = convert_uint_sat(x); o[i*16+2] = convert_int_rte(x); o[i*16+3] = convert_uchar_sat(x);
            o[i*16+4] = as_uint(convert_float(y)); o[i*16+5] = as_uint(convert_float((int)y)); o[i*16+6] = as_uint(convert_float(((ulong)y << 20) | y));
            o[i*16+7] = convert_int_rtp(x); o[i*16+8] = convert_int_rtn(x); o[i*16+9] = as_uint((float)(y & 0xff)); o[i*16+10] = as_uint((float)((y >> 8) & 0xff)); }";
    double_arithmetic(64, doubles(11), doubles(12), doubles(13), out(4096))
        "#pragma OPENCL EXTENSION cl_khr_fp64 : enable
        kernel void k(global const double *a, global const double *b, global const double *c, global double *o) {
            size_t i = get_global_id(0); double x = a[i], y = b[i], z = c[i];
            o[i*8+0] = x + y; o[i*8+1] = x * y; o[i*8+2] = fma(x, y, z); o[i*8+3] = x / y;
            o[i*8+4] = sqrt(fabs(x)); o[i*8+5] = fmin(x, y); o[i*8+6] = floor(x); o[i*8+7] = rint(x) + convert_double((int)clamp(x, -1e9, 1e9)); }";
    divergence(64, words(14), out(1024))
        "kernel void k(global const uint *a, global uint *o) {
            size_t i = get_global_id(0); uint x = a[i] & 0xff, n = 0;
            while (x != 1 && n < 300) { if (x & 1) { x = 3 * x + 1; } else { x >>= 1; if (x == 0) break; } n++; }
            switch (i % 5) { case 0: n += 1000; break; case 1: n *= 3; break; case 2: n ^= 0x55; case 3: n -= 7; break; default: n = ~n; }
            o[i] = n; }";
    local_memory_and_barriers(128, words(15), Arg::Local(512), out(1024))
        "kernel void k(global const uint *a, local uint *t, global uint *o) {
            size_t i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
            t[l] = a[i]; barrier(CLK_LOCAL_MEM_FENCE);
            for (size_t s = 1; s < n; s <<= 1) { uint v = l >= s ? t[l - s] : 0; barrier(CLK_LOCAL_MEM_FENCE); t[l] += v; barrier(CLK_LOCAL_MEM_FENCE); }
            o[i] = t[l] ^ t[n - 1 - l]; }";
    local_widths(64, words(16), Arg::Local(4096), out(4096))
        "kernel void k(global const uchar *a, local uchar *t, global uint4 *o) {
            size_t i = get_global_id(0), l = get_local_id(0);
            local ushort *h = (local ushort *)(t + 256); local ulong *q = (local ulong *)(t + 512); local uint4 *v = (local uint4 *)(t + 1024);
            t[l] = a[i]; h[l] = a[i+1] * 77; q[l] = (ulong)a[i+2] * 0x123456789abcdUL; v[l] = (uint4)(a[i], a[i+1], a[i+2], a[i+3]);
            barrier(CLK_LOCAL_MEM_FENCE);
            uint m = 63 - l; o[i*2] = v[m] + (uint4)((char)t[m], (short)h[m], (uint)q[m], (uint)(q[m] >> 32)); o[i*2+1] = v[(l * 7) & 63]; }";
    global_atomics(64, words(17), words(18), out(64))
        "kernel void k(global const uint *a, volatile global uint *o, global uint *p) {
            size_t i = get_global_id(0); uint x = a[i];
            if (i < 1000) { atomic_add(o + 0, x); atomic_sub(o + 1, x); atomic_max(o + 2, x); atomic_min((volatile global int *)o + 3, (int)x);
            atomic_and(o + 4, x | 0xff00); atomic_or(o + 5, x & 0xf0f); atomic_xor(o + 6, x); atomic_inc(o + 7); atomic_dec(o + 8); }
            uint old = atomic_xchg(o + 16 + i % 64 * 4, x & 0) ; p[i % 64] = 5; }";
    long_atomics(64, words(19), out(64))
        "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
        #pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
        kernel void k(global const uint *a, volatile global long *o) {
            size_t i = get_global_id(0); long x = (long)a[i] * 0x100000001L;
            atom_add(o, x); atom_max(o + 1, x); atom_min(o + 2, x); atom_xor(o + 3, x); atom_or(o + 4, x); }";
    local_atomics(64, words(20), out(1024))
        "kernel void k(global const uint *a, global uint *o) {
            local uint t[16]; size_t i = get_global_id(0), l = get_local_id(0);
            if (l < 16) t[l] = 0; barrier(CLK_LOCAL_MEM_FENCE);
            atomic_add(t + (a[i] & 7), 1); atomic_max(t + 8, a[i]); atomic_xor(t + 9, a[i]); atomic_cmpxchg(t + 10, 0, 77);
            barrier(CLK_LOCAL_MEM_FENCE); o[i] = t[l & 15]; }";
    private_arrays(64, words(21), out(1024))
        "kernel void k(global const uint *a, global uint *o) {
            size_t i = get_global_id(0); uint t[32]; uchar b[64];
            for (int j = 0; j < 32; j++) { t[j] = a[i + j] * (j + 1); b[j * 2] = a[i + j]; b[j * 2 + 1] = a[i] >> 8; }
            for (int j = 0; j < 64; j++) { uint s = a[j] & 31; t[s] += t[(s * 5 + j) & 31]; b[(a[j] >> 3) & 63] += j; }
            uint r = 0; for (int j = 0; j < 32; j++) r = r * 31 + t[j] + b[j] * b[63 - j]; o[i] = r; }";
    function_calls(64, words(23), out(1024))
        "__attribute__((noinline)) uint fib(uint n, uint a) { uint x = a, y = 1; for (uint j = 0; j < n; j++) { uint z = x + y; x = y; y = z; } return x; }
        __attribute__((noinline)) uint two(uint n, uint a) { return fib(n, a) * fib(n / 2, a ^ 1); }
        kernel void k(global const uint *a, global uint *o) { size_t i = get_global_id(0); o[i] = i & 1 ? two(a[i] & 15, i) : fib(a[i] & 31, i); }";
    vector_types(64, words(24), out(4096))
        "kernel void k(global const uint *a, global uint *o) {
            size_t i = get_global_id(0); uint4 x = vload4(i, a); uint3 y = vload3(i, a); ushort8 z = as_ushort8(x);
            vstore4(x.wzyx * 3, i, o); vstore3(y + x.xxy, i, o + 1024); vstore2(convert_uint2(z.s17) , i, o + 2048); o[3072 + i] = shuffle(x, (uint4)(3,2,1,0)).y + z.s5; }";
    bit_tricks(64, words(25), words(26), out(2048))
        "kernel void k(global const uint *a, global const uint *b, global uint *o) {
            size_t i = get_global_id(0); uint x = a[i], y = b[i];
            o[i*8+0] = bitselect(x, y, 0xf0f0u); o[i*8+1] = (x >> 5) & 0x3ff; o[i*8+2] = ((int)(x << 7)) >> 20; o[i*8+3] = (x & y) | (~x & 0xff);
            o[i*8+4] = mad24(((int)(x << 8)) >> 8, (int)y >> 8, 5); o[i*8+5] = mul24(x & 0xffffff, y & 0xffffff); o[i*8+6] = __builtin_bswap32(x); o[i*8+7] = __builtin_bitreverse32(x) ^ (x + (y << 3)); }";
    half_storage(64, floats(27), out(1024))
        "kernel void k(global const float *a, global half *o) {
            size_t i = get_global_id(0); vstore_half(a[i], i, o); vstore_half_rtz(a[i], i + 256, o); vstore_half_rtp(a[i], i + 512, o);
            ((global float *)o)[512 + i] = vload_half(i, o) * 2.0f; }";
    dynamic_index(64, words(28), out(1024))
        "kernel void k(global const uint *a, global uint *o) {
            size_t i = get_global_id(0); uint8 v = vload8(i & 15, a); uint u[8]; vstore8(v, 0, u);
            uint s = a[0] & 7; for (int j = 0; j < 9; j++) { u[(s + j) & 7] ^= u[(s * 3 + j * 5) & 7] + i; } uint r = 0; for (int j = 0; j < 8; j++) r += u[j] * j; o[i] = r; }";
}

/// FLAT instructions that reach private, local and global memory in one wave. PoCL 3.1 has no generic pointers, so the
/// values are computed here.
#[test]
fn generic_pointers() {
    if let Some(why) = program::missing() {
        test_skip::skip!("no OpenCL compiler for gfx908: {why}");
    }
    let source = "__attribute__((noinline)) uint sum(uint *p, uint n) { uint s = 0; for (uint j = 0; j < n; j++) { s = s * 3 + p[j]; p[j] = s; } return s; }
        kernel void k(global uint *a, local uint *t, global uint *o) {
            uint i = get_global_id(0), l = get_local_id(0); uint q[4] = {i, l, i * l, 7};
            for (uint j = 0; j < 4; j++) t[l * 4 + j] = i * 11 + j;
            uint *p = i % 3 == 0 ? q : i % 3 == 1 ? (uint *)(t + l * 4) : (uint *)(a + i * 4);
            uint s = sum(p, 4); o[i] = s + q[3] + t[l * 4 + 1] + a[i * 4 + 2]; }";
    let input: Vec<u32> = (0..1024).map(|i| i * i).collect();
    let args = [Arg::buffer(&input), Arg::Local(64 * 16), out(256)];
    let run = |target| {
        let object = program::compile_for(target, source, &[]).unwrap_or_else(|e| panic!("{e}"));
        let loaded = super::Loaded::new(&object, "k", [256, 1, 1], [64, 1, 1], &args);
        loaded.run(&mut super::Order::seeded(1)).unwrap_or_else(|e| panic!("{e}"));
        loaded.buffers().swap_remove(1)
    };
    let expected: Vec<u8> = (0..256u32)
        .flat_map(|i| {
            let l = i % 64;
            let mut q = [i, l, i * l, 7];
            let mut t = [i * 11, i * 11 + 1, i * 11 + 2, i * 11 + 3];
            let mut a: [u32; 4] = std::array::from_fn(|j| input[i as usize * 4 + j]);
            let p = [&mut q, &mut t, &mut a];
            let mut s = 0u32;
            for value in p.into_iter().nth(i as usize % 3).into_iter().flatten() {
                s = s.wrapping_mul(3).wrapping_add(*value);
                *value = s;
            }
            s.wrapping_add(q[3]).wrapping_add(t[1]).wrapping_add(a[2]).to_le_bytes()
        })
        .collect();
    for &target in Target::ALL {
        assert_eq!(run(target), expected, "{target}");
    }
}

/// After a barrier one wave overwrites what the others are about to read, with a value from memory: on hardware it
/// comes too late for that, so programs get away with it, as RCCL's kernels do. A seeded order may let it be first.
#[test]
fn waves_leave_a_barrier_before_any_of_them_has_loaded() {
    if let Some(why) = program::missing() {
        test_skip::skip!("no OpenCL compiler for gfx908: {why}");
    }
    let source =
        "__attribute__((reqd_work_group_size(512, 1, 1))) kernel void k(global volatile uint *a, global uint *o) {
        local volatile uint t; uint l = get_local_id(0), seen = 0;
        for (uint i = 0; i < 8; i++) {
            if (l == 0) t = 7;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (l / 64 == i) t = a[i]; else seen += t;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        o[l] = seen; }";
    let args = [Arg::buffer(&[1000u32; 8]), out(512)];
    let object = program::compile(source, &[]).unwrap_or_else(|e| panic!("{e}"));
    let seen = |mut order: super::Order| {
        let loaded = super::Loaded::new(&object, "k", [512, 1, 1], [512, 1, 1], &args);
        loaded.run(&mut order).unwrap_or_else(|e| panic!("{e}"));
        let bytes = loaded.buffers().swap_remove(1);
        bytes.as_chunks().0.iter().map(|&b| u32::from_le_bytes(b)).collect::<Vec<_>>()
    };
    assert_eq!(seen(super::Order::round_robin()), [49; 512]);
    assert!((0..16).any(|seed| seen(super::Order::seeded(seed)).iter().any(|&sum| sum > 1000)));
}

/// Three dimensions, ids, sizes and offsets.
#[test]
fn work_item_functions() {
    let source = "kernel void k(global uint *o) {
        uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2); uint i = (z * get_global_size(1) + y) * get_global_size(0) + x;
        o[i] = get_local_id(0) + get_local_id(1) * 100 + get_local_id(2) * 10000 + get_group_id(0) * 3 + get_group_id(1) * 5 + get_group_id(2) * 7
            + get_num_groups(0) * 11 + get_num_groups(1) * 13 + get_num_groups(2) * 17 + get_local_size(0) * get_work_dim(); }";
    compare(source, [15, 6, 4], [5, 3, 2], vec![out(15 * 6 * 4)], |ours, theirs| assert_eq!(ours, theirs));
}

/// Device libraries' functions, within the limits of the OpenCL specification (which both may use).
#[test]
fn math_library() {
    let names = [
        "sin", "cos", "tan", "exp", "exp2", "log", "log2", "log10", "atan", "sinh", "tanh", "cbrt", "rsqrt", "erf",
        "tgamma", "asin",
    ];
    let results: String =
        names.iter().enumerate().map(|(n, name)| format!("o[{n} * 256 + i] = {name}(x);\n")).collect();
    let source = format!(
        "kernel void k(global const float *a, global float *o) {{ size_t i = get_global_id(0); float x = a[i]; {results} }}"
    );
    compare(&source, [256, 1, 1], [64, 1, 1], vec![floats(30), out(256 * names.len())], |ours, theirs| {
        for (i, (a, b)) in ours[1].chunks(4).zip(theirs[1].chunks(4)).enumerate() {
            let [a, b] = [a, b].map(|x| f32::from_le_bytes(x.try_into().expect("4 bytes")));
            let close = a.to_bits().abs_diff(b.to_bits()) <= 32 || a.is_nan() && b.is_nan();
            assert!(close || (a - b).abs() < 1e-37, "{} of item {}: ours {a:e}, PoCL's {b:e}", names[i / 256], i % 256);
        }
    });
}
