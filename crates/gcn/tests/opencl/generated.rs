//! Random kernels from seeds: integers of all widths, f16, f32 and f64, divergence, loops, local memory, atomics,
//! private arrays, sub-group functions. See `generated/prelude.cl` for what PoCL does in place of the features that it
//! lacks.

mod generator;

use super::{Arg, Pocl, Random, Run, Target, both, program};
use generator::Generator;

/// Items of a work-group (one sub-group of gfx908) and of the range.
const LOCAL: u32 = 64;
const GLOBAL: u32 = 192;

const PRELUDE: &str = include_str!("generated/prelude.cl");

fn kernel(seed: u64) -> String {
    let mut generator = Generator { random: Random(seed), source: String::new() };
    for _ in 0..4 {
        generator.block(2, true);
    }
    let body = generator.source;
    format!(
        "{PRELUDE}
kernel void k(global const uint *a, global uint *o, volatile global uint *g, global const uint *zeros) {{
local uint t[64], q[64], mine[64]; local uint s; uint i = get_global_id(0), l = get_local_id(0), zero = zeros[i];
uint u0 = a[i], u1 = a[i + 1], u2 = i * 7, u3 = a[i + 64]; float f0 = (float)(int)u0, f1 = 1.25f + zero; double d0 = u1; ulong l0 = u3;
H h0 = h_bits_to(u0), h1 = h_from_short(u1); H2 w0 = (H2)(h1, h0);
volatile global uint *own = g + 32 + i * 4; volatile global ulong *own64 = (volatile global ulong *)own + 1;
volatile local uint *own_local = mine + l; *own_local = l;
uint p[8]; for (uint j = 0; j < 8; j++) p[j] = a[j + i];
if (l == 0) s = 1; barrier(CLK_LOCAL_MEM_FENCE);
{body}
o[i * 12] = u0; o[i * 12 + 1] = u1; o[i * 12 + 2] = u2; o[i * 12 + 3] = u3; o[i * 12 + 4] = bits(f0); o[i * 12 + 5] = bits(f1);
o[i * 12 + 6] = bits64(d0); o[i * 12 + 7] = (uint)(l0 >> 9) ^ p[u1 & 7]; o[i * 12 + 8] = h_bits(h0); o[i * 12 + 9] = h_bits(h1);
o[i * 12 + 10] = h_bits(w0.x) | h_bits(w0.y) << 16; o[i * 12 + 11] = *own_local;
}}"
    )
}

/// `GCN_GENERATED_KERNELS` sets how many (24 in CI), `GCN_GENERATED_FROM` the first seed.
#[test]
fn generated_kernels() {
    if let Some(why) = program::missing() {
        test_skip::skip!("no OpenCL compiler for gfx908: {why}");
    }
    let Some(pocl) = Pocl::new() else { test_skip::skip!("PoCL is not installed") };
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let from = number("GCN_GENERATED_FROM").unwrap_or(0);
    let mut different = Vec::new();
    for seed in from..from + number("GCN_GENERATED_KERNELS").unwrap_or(24) {
        let mut random = Random(seed ^ 0xabcd);
        let input: Vec<u32> = (0..GLOBAL as usize + 64).map(|i| random.next() as u32 >> (i % 24)).collect();
        let run = Run {
            source: kernel(seed),
            kernel: "k",
            global: [GLOBAL, 1, 1],
            local: [LOCAL, 1, 1],
            args: vec![
                Arg::buffer(&input),
                Arg::Buffer(vec![0; GLOBAL as usize * 48]),
                Arg::Buffer(vec![0; 128 + GLOBAL as usize * 16]),
                Arg::Buffer(vec![0; GLOBAL as usize * 4]),
            ],
        };
        for &target in Target::ALL {
            let (ours, theirs) = both(target, &pocl, &run);
            if ours != theirs {
                println!("{target}: {}", run.source);
                report(seed, &ours, &theirs);
                different.push((target, seed));
            }
        }
    }
    assert!(different.is_empty(), "results differ from PoCL's for seeds {different:?}");
}

/// Prints the first differences by item and variable.
fn report(seed: u64, ours: &[Vec<u8>], theirs: &[Vec<u8>]) {
    const VARIABLES: [&str; 12] = ["u0", "u1", "u2", "u3", "f0", "f1", "d0", "l0 or p", "h0", "h1", "w0", "own_local"];
    for (buffer, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        let dwords = ours.chunks(4).zip(theirs.chunks(4)).enumerate();
        for (at, (ours, theirs)) in dwords.filter(|(_, (ours, theirs))| ours != theirs).take(8) {
            let place = match buffer {
                1 => format!("{} of item {}", VARIABLES[at % 12], at / 12),
                _ => format!("dword {at} of buffer {buffer}"),
            };
            let value = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("4 bytes"));
            println!("seed {seed}: {place}: ours {:#x}, PoCL's {:#x}", value(ours), value(theirs));
        }
    }
}
