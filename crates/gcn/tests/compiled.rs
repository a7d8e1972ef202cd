//! Kernels that clang compiled, disassembled by LLVM and by this crate.

mod support;

#[path = "support/objects.rs"]
mod objects;

#[path = "opencl/program.rs"]
mod program;

use gcn::op::Op;
use gcn::target::Target;
use support::{Tally, objdump_each};

/// Arithmetic of every type, calls into the math library, LDS, barriers, atomics of both widths, scratch, divergence.
const SOURCE: &str = r"
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

kernel void arithmetic(global int *i, global uint *u, global long *l, global float *f, global double *d, global half *h) {
    size_t at = get_global_id(0);
    i[at] = mad24(i[at], i[at + 1], i[at + 2]) / (i[at + 3] | 1) + clz(i[at]) + mul_hi(i[at], i[at + 1]);
    u[at] = rotate(u[at], 7u) % (u[at + 1] | 1) + popcount(u[at + 2]) + bitselect(u[at], u[at + 1], u[at + 2]);
    l[at] = l[at] * l[at + 1] + (l[at + 2] >> (l[at + 3] & 63)) - l[at + 4] / (l[at + 5] | 1);
    f[at] = sin(f[at]) + exp2(f[at + 1]) / sqrt(fabs(f[at + 2])) + fma(f[at], -f[at + 1], ldexp(f[at + 3], 3)) + fract(f[at], f + at + 4);
    d[at] = exp(d[at]) / d[at + 1] + fma(d[at], d[at + 1], -d[at + 2]) + floor(d[at + 3]) + (double)l[at] + (double)f[at];
    h[at] = fma(h[at], h[at + 1], h[at + 2]) / h[at + 3] + (half)f[at] + max(h[at], h[at + 1]) + (half)(short)i[at];
}

kernel void packed(global half2 *h, global short2 *s, global char4 *c, global uchar4 *u) {
    size_t at = get_global_id(0);
    h[at] = fma(h[at], h[at + 1], h[at + 2]) * max(h[at], h[at + 3]);
    s[at] = s[at] * s[at + 1] + max(s[at], s[at + 2]) - (s[at] >> (short2)3);
    c[at] = c[at] * c[at + 1] + (char4)3;
    u[at] = add_sat(u[at], u[at + 1]) + convert_uchar4_sat(convert_float4(u[at + 2]) * 1.5f);
}

kernel void shared_memory(global float4 *out, global const float4 *in, local float4 *tile, global int *total, global long *wide) {
    size_t at = get_local_id(0);
    tile[at] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 sum = 0;
    for (size_t i = 0; i < get_local_size(0); i++)
        sum += tile[i] * tile[at ^ i];
    out[get_global_id(0)] = sum;
    if (sum.x > 0)
        atomic_add(total, (int)sum.x);
    else
        atomic_cmpxchg(total + 1, 3, (int)sum.y);
    atom_max(wide, (long)sum.z);
}

kernel void scratch(global int *out, int index) {
    int table[64];
    for (int i = 0; i < 64; i++)
        table[i] = out[i] * i;
    switch (index & 3) {
    case 0: table[index] = 7; break;
    case 1: table[index / 2] += out[0]; break;
    default: table[63 - index] ^= index;
    }
    out[get_global_id(0)] = table[(index + get_global_id(0)) & 63];
}
";

const IMAGES: &str = r"
kernel void images(read_only image2d_t in, sampler_t sampler, write_only image2d_t out) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(out, at, read_imagef(in, sampler, convert_float2(at) + 0.5f) + read_imagef(in, at));
}
";

#[test]
fn compiled_kernels_disassemble_as_llvm_does() {
    if !support::has_llvm() {
        test_skip::skip!("llvm-mc and llvm-objdump (Debian package llvm-19) are not installed");
    }
    if let Some(reason) = program::missing() {
        test_skip::skip!("nothing can be compiled for gfx908: {reason}");
    }
    for &target in Target::ALL {
        compare(target);
    }
}

fn compare(target: Target) {
    let mut tally = Tally::new(target);
    for options in [&["-O0"][..], &["-O2"], &["-O3", "-cl-fast-relaxed-math"]] {
        // LLVM compiles images for chips without any, too.
        let images = if Op::ImageLoad.info().is_on(target) { IMAGES } else { "" };
        let object = program::compile_for(target, &format!("{SOURCE}{images}"), options).expect("our kernels compile");
        let (found, _) = objects::find(target, &object);
        assert_eq!(found.len(), 1, "one code object");
        for section in objects::code_sections(&object) {
            let code = &object[section];
            assert!(objdump_each(target, code, |line| tally.compare(&line, &code[line.address..])));
        }
    }
    tally.report(&format!("{target}: compiled kernels"));
    assert!(tally.equal > 1000 && tally.both_refuse == 0 && tally.remarked == 0);
}
