//! Kernels here, on one thread and on all cores, and by PoCL, which uses all cores, in the same run; single operations
//! in several modes; and image instructions beside plain loads. Rates are of lane operations (64 a wave instruction,
//! scalar ones counted alike), those of the empty kernel of waves. Matrix instructions have multiplications with
//! additions as their rate, and next to them as many of the host on one thread.

#[path = "support/cores.rs"]
mod cores;

#[path = "../tests/opencl/device.rs"]
mod device;
#[path = "support/images.rs"]
mod images;
#[path = "../tests/opencl/program.rs"]
mod program;
#[path = "../tests/opencl/reference.rs"]
mod reference;

use cores::on_all_cores;
use criterion::{BenchmarkId, Criterion, Throughput};
use device::Loaded;
use gcn::exec::{Compile, Order, Simd};
use gcn::target::Target;
use program::{Arg, Run};
use std::hint::black_box;

const VECTOR_ADD: &str = "kernel void k(global const float *a, global const float *b, global float *c) {
    size_t i = get_global_id(0); c[i] = a[i] + b[i]; }";

const MANDELBROT: &str = "kernel void k(global uint *o, uint width) {
    uint x = get_global_id(0), y = get_global_id(1); float cr = x * (3.0f / width) - 2.0f, ci = y * (2.0f / width) - 1.0f, r = 0, i = 0; uint n = 0;
    while (n < 256 && r * r + i * i < 4.0f) { float t = r * r - i * i + cr; i = 2 * r * i + ci; r = t; n++; }
    o[y * width + x] = n; }";

const MATMUL: &str = "kernel void k(global const float *a, global const float *b, global float *c) {
    uint x = get_global_id(0), y = get_global_id(1); float s = 0;
    for (uint j = 0; j < 256; j++) s += a[y * 256 + j] * b[j * 256 + x];
    c[y * 256 + x] = s; }";

const MATMUL_TILED: &str = "kernel void k(global const float *a, global const float *b, global float *c) {
    local float ta[16][16], tb[16][16]; uint x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1); float s = 0;
    for (uint t = 0; t < 256; t += 16) {
        ta[ly][lx] = a[y * 256 + t + lx]; tb[ly][lx] = b[(t + ly) * 256 + x]; barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = 0; j < 16; j++) s += ta[ly][j] * tb[j][lx];
        barrier(CLK_LOCAL_MEM_FENCE); }
    c[y * 256 + x] = s; }";

const EMPTY: &str = "kernel void k(global uint *o) { }";

fn floats(count: usize) -> Arg {
    Arg::buffer(&(0..count).map(|i| (i % 1000) as f32 * 0.001).collect::<Vec<f32>>())
}

fn out(dwords: usize) -> Arg {
    Arg::Buffer(vec![0; dwords * 4])
}

fn compare(criterion: &mut Criterion, name: &str, source: &str, global: [u32; 3], local: [u32; 3], args: Vec<Arg>) {
    let object = program::compile(source, &[]).unwrap_or_else(|e| panic!("{e}"));
    let loaded = Loaded::new(&object, "k", global, local, &args);
    let executed = loaded.run(&mut Order::round_robin()).unwrap_or_else(|e| panic!("{e}"));
    let mut group = criterion.benchmark_group(name);
    let waves = u64::from(global.iter().product::<u32>() / 64);
    group.throughput(Throughput::Elements(if source == EMPTY { waves } else { 64 * executed })).sample_size(10);
    group.bench_function("gcn", |b| b.iter(|| loaded.run(&mut Order::round_robin())));
    if Compile::is_available() {
        let single = Loaded::new(&object, "k", global, local, &args).compiled(Compile::Never);
        group.bench_function("gcn without compiled code", |b| b.iter(|| single.run(&mut Order::round_robin())));
    } else {
        eprintln!("code is compiled for hosts with AVX2 or AVX-512 only: {name} has one figure of `gcn`");
    }
    on_all_cores(&loaded, |run| {
        group.bench_function("gcn on all cores", |b| b.iter(run));
    });
    if let Some(pocl) = reference::Pocl::new() {
        let run = Run { source: source.into(), kernel: "k", global, local, args };
        let built = pocl.build(&run).unwrap_or_else(|e| panic!("{e}"));
        built.run().unwrap_or_else(|e| panic!("{e}"));
        group.bench_function("reference PoCL", |b| b.iter(|| built.run()));
    } else {
        eprintln!("PoCL is not installed: {name} has no reference");
    }
    group.finish();
}

/// Vector operations, and what MODE asks of them: the low 10 bits.
const OPERATIONS: [&str; 10] = [
    "v_add_f32 v10, v11, v12",
    "v_fma_f32 v10, v11, v12, v13",
    "v_max_f32 v10, v11, v12",
    "v_fma_f64 v[10:11], v[12:13], v[14:15], v[16:17]",
    "v_fma_f16 v10, v11, v12, v13",
    "v_pk_add_f16 v10, v11, v12",
    "v_pk_fma_f16 v10, v11, v12, v13",
    "v_pk_max_f16 v10, v11, v12",
    "v_cvt_f16_f32 v10, v11",
    "ds_bpermute_b32 v10, v11, v12",
];
const MODES: [(&str, u32); 4] = [
    ("usual modes", 0x3f0),
    ("f32 denormals flushed", 0x3c0),
    ("all denormals flushed", 0x300),
    ("rounding to zero", 0x3ff),
];

/// A wave that does nothing but one operation, some 10,000 times.
fn operations(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("operations");
    group.sample_size(10);
    for operation in OPERATIONS {
        for (mode, bits) in MODES {
            let constants: String = (10..18).map(|v| format!("v_mov_b32 v{v}, 0x3c{v}3e{v}\\n")).collect();
            let clobbers: String = (10..18).map(|v| format!(", \"v{v}\"")).collect();
            let source = format!(
                "kernel void k(global uint *o) {{
                    __asm__ volatile(\"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 10), {bits}\\n{constants}\" ::: \"scc\"{clobbers});
                    for (uint i = 0; i < 50; i++)
                        __asm__ volatile(\".rept 200\\n{operation}\\n.endr\" ::: \"scc\"{clobbers}); }}"
            );
            let object = program::compile(&source, &[]).unwrap_or_else(|e| panic!("{e}"));
            let loaded = Loaded::new(&object, "k", [64, 1, 1], [64, 1, 1], &[out(1)]);
            let executed = loaded.run(&mut Order::round_robin()).unwrap_or_else(|e| panic!("{e}"));
            group.throughput(Throughput::Elements(64 * executed));
            let name = operation.split(' ').next().unwrap_or(operation);
            group.bench_function(BenchmarkId::new(name, mode), |b| b.iter(|| loaded.run(&mut Order::round_robin())));
        }
    }
    group.finish();
}

/// Image instructions beside plain loads.
fn images(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("images");
    group.sample_size(10);
    for (name, loaded) in images::loaded() {
        let executed = loaded.run(&mut Order::round_robin()).unwrap_or_else(|e| panic!("{e}"));
        group.throughput(Throughput::Elements(64 * executed));
        group.bench_function(name, |b| b.iter(|| loaded.run(&mut Order::round_robin())));
    }
    group.finish();
}

/// Matrix instructions, the chip whose code has them, and how often each multiplies and adds.
const MATRICES: [(&str, Target, u64); 12] = [
    ("v_mfma_f32_32x32x1f32 a[0:31], v10, v12, a[0:31]", Target::Gfx908, 2 * 32 * 32),
    ("v_mfma_f32_32x32x2f32 a[0:15], v10, v12, a[0:15]", Target::Gfx908, 32 * 32 * 2),
    ("v_mfma_f32_16x16x4f32 a[0:3], v10, v12, a[0:3]", Target::Gfx908, 16 * 16 * 4),
    ("v_mfma_f32_4x4x1f32 a[0:3], v10, v12, a[0:3]", Target::Gfx908, 16 * 4 * 4),
    ("v_mfma_f32_32x32x8f16 a[0:15], v[10:11], v[12:13], a[0:15]", Target::Gfx908, 32 * 32 * 8),
    ("v_mfma_f32_16x16x16f16 a[0:3], v[10:11], v[12:13], a[0:3]", Target::Gfx908, 16 * 16 * 16),
    ("v_mfma_f32_32x32x4bf16 a[0:15], v10, v12, a[0:15]", Target::Gfx908, 32 * 32 * 4),
    ("v_mfma_f32_32x32x8bf16_1k a[0:15], v[10:11], v[12:13], a[0:15]", Target::Gfx90a, 32 * 32 * 8),
    ("v_mfma_f32_32x32x8_f16 a[0:15], v[10:11], v[12:13], a[0:15]", Target::Gfx942, 32 * 32 * 8),
    ("v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[10:11], v[12:13], a[0:15]", Target::Gfx942, 32 * 32 * 16),
    ("v_mfma_i32_32x32x8i8 a[0:15], v10, v12, a[0:15]", Target::Gfx908, 32 * 32 * 8),
    ("v_mfma_f64_16x16x4f64 a[0:7], v[10:11], v[12:13], a[0:7]", Target::Gfx90a, 16 * 16 * 4),
];

/// `count` fused multiplications and additions on vectors that stay in registers of the host.
macro_rules! fused {
    ($name:ident, $float:ty, $lanes:literal) => {
        #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx512f,avx512vl,fma"))]
        fn $name(count: u64) -> $float {
            let mut sums = [[1.0; $lanes]; 12];
            for _ in 0..count / ($lanes * 12) {
                for sum in sums.as_flattened_mut() {
                    *sum = <$float>::mul_add(*sum, 0.5, 0.25);
                }
            }
            sums.as_flattened().iter().sum()
        }
    };
}
fused!(fused_f32, f32, 16);
fused!(fused_f64, f64, 8);

/// A wave that does nothing but one matrix instruction, 1,000 times.
fn matrices(criterion: &mut Criterion) {
    // With what `gcn` may use itself.
    let has_bound = cfg!(not(target_arch = "x86_64")) || Simd::chosen() == Ok(Simd::Avx512);
    if !has_bound {
        eprintln!("the bound of matrix instructions needs AVX-512: they have no reference");
    }
    for (operation, target, fused) in MATRICES {
        let registers: String = (10..14).map(|v| format!("v_mov_b32 v{v}, 0x3c{v}3e{v}\\n")).collect();
        let sums: String = (0..32).map(|a| format!("v_accvgpr_write_b32 a{a}, 0\\n")).collect();
        let clobbers: String =
            (10..14).map(|v| format!(", \"v{v}\"")).chain((0..32).map(|a| format!(", \"a{a}\""))).collect();
        let source = format!(
            "kernel void k(global uint *o) {{
                __asm__ volatile(\"{registers}{sums}\" ::: \"scc\"{clobbers});
                for (uint i = 0; i < 10; i++)
                    __asm__ volatile(\".rept 100\\n{operation}\\n.endr\" ::: \"scc\"{clobbers}); }}"
        );
        let object = program::compile_for(target, &source, &[]).unwrap_or_else(|e| panic!("{e}"));
        let loaded = Loaded::new(&object, "k", [64, 1, 1], [64, 1, 1], &[out(1)]);
        loaded.run(&mut Order::round_robin()).unwrap_or_else(|e| panic!("{e}"));
        let count = 1000 * fused;
        let mut group = criterion.benchmark_group(operation.split(' ').next().unwrap_or(operation));
        group.sample_size(10).throughput(Throughput::Elements(count));
        group.bench_function("gcn", |b| b.iter(|| loaded.run(&mut Order::round_robin())));
        if has_bound {
            let bound = || {
                // SAFETY: the processor has the features, see above.
                #[allow(unused_unsafe)]
                unsafe {
                    match operation.contains("f64") {
                        true => fused_f64(black_box(count)),
                        false => fused_f32(black_box(count)).into(),
                    }
                }
            };
            group.bench_function("bound", |b| b.iter(bound));
        }
        group.finish();
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let n = 1 << 20;
    compare(
        &mut criterion,
        "vector_add_1M",
        VECTOR_ADD,
        [n, 1, 1],
        [256, 1, 1],
        vec![floats(n as usize), floats(n as usize), out(n as usize)],
    );
    let width = 256u32;
    compare(
        &mut criterion,
        "mandelbrot_256",
        MANDELBROT,
        [width, width, 1],
        [16, 16, 1],
        vec![out(65536), Arg::value(width)],
    );
    let square = || vec![floats(65536), floats(65536), out(65536)];
    compare(&mut criterion, "matmul_256_naive", MATMUL, [256, 256, 1], [16, 16, 1], square());
    compare(&mut criterion, "matmul_256_tiled", MATMUL_TILED, [256, 256, 1], [16, 16, 1], square());
    compare(&mut criterion, "launch_1024_waves", EMPTY, [65536, 1, 1], [64, 1, 1], vec![out(1)]);
    operations(&mut criterion);
    images(&mut criterion);
    matrices(&mut criterion);
    criterion.final_summary();
}
