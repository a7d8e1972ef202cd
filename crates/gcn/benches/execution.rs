//! Kernels on one thread here, and by PoCL (all cores) in the same run.

#[path = "../tests/opencl/device.rs"]
mod device;
#[path = "../tests/opencl/program.rs"]
mod program;
#[path = "../tests/opencl/reference.rs"]
mod reference;

use criterion::{Criterion, Throughput};
use device::Loaded;
use gcn::exec::Order;
use program::{Arg, Run};

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
    // Elements are wave instructions, each of 64 lanes.
    group.throughput(Throughput::Elements(executed)).sample_size(10);
    group.bench_function("gcn", |b| b.iter(|| loaded.run(&mut Order::round_robin())));
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
    criterion.final_summary();
}
