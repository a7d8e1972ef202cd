//! Execution does not allocate: not per instruction, not per work-group after the first, nor in code that is compiled
//! already.

#[path = "opencl/device.rs"]
mod device;
#[path = "opencl/program.rs"]
mod program;

use allocation_counter::measure;
use device::Loaded;
use gcn::exec::{Compile, Order};
use program::{Arg, compile};

/// Loads and stores, LDS, atomics, barriers, divergence, private memory, f16, f64: `rounds` times.
const SOURCE: &str = "
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global float *data, global half *halves, global double *doubles, volatile global uint *counter, uint rounds) {
    local float shared[256]; local uint sum;
    uint i = get_global_id(0), l = get_local_id(0); float spilled[16];
    for (uint n = 0; n < 16; n++) spilled[n] = n * data[i];
    if (l == 0) sum = 0;
    for (uint round = 0; round < rounds; round++) {
        shared[l] = data[i]; barrier(CLK_LOCAL_MEM_FENCE);
        float value = shared[(l * 7 + round) & 255] + spilled[(i + round) & 15];
        if (i % 3 == round % 3) value = sqrt(fabs(value)) / 3; else atomic_add(&sum, 1);
        halves[i] = halves[i] * (half)0.5 + (half)value;
        doubles[i] = fma(doubles[i], 0.5, (double)value);
        barrier(CLK_LOCAL_MEM_FENCE);
        data[i] = value + sum; atomic_add(counter, 1);
    }
}";

/// Allocations of a run of `groups` work-groups that has run before, and its instructions.
fn allocations(rounds: u32, groups: u32, compile_when: Compile) -> (u64, u64) {
    let object = compile(SOURCE, &[]).unwrap_or_else(|e| panic!("{e}"));
    let items = 256 * groups as usize;
    let args = [
        Arg::buffer(&vec![1f32; items]),
        Arg::Buffer(vec![0; 2 * items]),
        Arg::Buffer(vec![0; 8 * items]),
        Arg::Buffer(vec![0; 4]),
        Arg::value(rounds),
    ];
    let loaded = Loaded::new(&object, "k", [256 * groups, 1, 1], [256, 1, 1], &args).compiled(compile_when);
    let run = || loaded.run(&mut Order::round_robin()).unwrap_or_else(|e| panic!("{e}"));
    run();
    let mut executed = 0;
    let allocations = measure(|| executed = run());
    (allocations.count_total, executed)
}

#[test]
fn allocations_do_not_grow_with_instructions_or_work_groups() {
    if let Some(why) = program::missing() {
        test_skip::skip!("no OpenCL compiler for gfx908: {why}");
    }
    for when in [Compile::Never, Compile::After(0)] {
        let (short, few) = allocations(1, 2, when);
        for (rounds, groups) in [(100, 2), (1, 40)] {
            let (long, many) = allocations(rounds, groups, when);
            assert!(many > 10 * few, "{many} instructions are not many more than {few}");
            assert_eq!(long, short, "{when:?}: allocations of {many} instructions and of {few}");
        }
    }
}
