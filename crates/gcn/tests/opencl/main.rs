//! Kernels compiled by clang for each chip and executed here, against PoCL running the same source on the CPU.

mod device;
mod features;
mod generated;
mod images;
mod program;
mod reference;

use device::Loaded;
use gcn::exec::{Compile, Order};
use gcn::target::Target;
use program::{Arg, Run, compile_for};
use reference::Pocl;

/// Runs it compiled for a chip, and by PoCL. Returns (ours, PoCL's) buffers. Ours are the same, bit for bit, if code is
/// compiled further for the host.
fn both(target: Target, pocl: &Pocl, run: &Run) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let object = compile_for(target, &run.source, &[]).unwrap_or_else(|e| panic!("{e}"));
    let [single, compiled] = [Compile::Never, Compile::After(0)].map(|compile| {
        let loaded = Loaded::new(&object, run.kernel, run.global, run.local, &run.args).compiled(compile);
        if let Err(exception) = loaded.run(&mut Order::round_robin()) {
            panic!("{target}, {}, {compile:?}: {exception}\n{}", run.kernel, run.source);
        }
        loaded.buffers()
    });
    assert!(single == compiled, "{target}, {}: results differ once it is compiled\n{}", run.kernel, run.source);
    let built = pocl.build(run).unwrap_or_else(|e| panic!("{e}"));
    built.run().unwrap_or_else(|e| panic!("{e}"));
    (single, built.buffers().unwrap_or_else(|e| panic!("{e}")))
}

/// SplitMix64: the same sequence everywhere for the same seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

#[test]
fn vector_add() {
    if let Some(why) = program::missing() {
        test_skip::skip!("no OpenCL compiler for gfx908: {why}");
    }
    let Some(pocl) = Pocl::new() else { test_skip::skip!("PoCL is not installed") };
    let a: Vec<f32> = (0..1000).map(|i| i as f32 * 0.37).collect();
    let b: Vec<f32> = (0..1000).map(|i| 1e3 / (i as f32 + 1.0)).collect();
    let run = Run {
        source: "#pragma OPENCL FP_CONTRACT OFF\nkernel void add(global const float *a, global const float *b, global float *c) { size_t i = get_global_id(0); c[i] = a[i] + b[i]; }".into(),
        kernel: "add",
        global: [1000, 1, 1],
        local: [100, 1, 1],
        args: vec![Arg::buffer(&a), Arg::buffer(&b), Arg::Buffer(vec![0; 4000])],
    };
    for &target in Target::ALL {
        let (ours, theirs) = both(target, &pocl, &run);
        assert_eq!(ours, theirs, "{target}");
        assert_eq!(ours[2][4..8], (a[1] + b[1]).to_le_bytes());
    }
}
