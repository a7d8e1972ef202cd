//! Executing random code ends in an outcome, never in a panic.

#[path = "support/memory.rs"]
mod memory;
mod support;

use gcn::decode::decode;
use gcn::exec::{Code, Compile, Exception, Launch, LaunchError, LaunchParameters, Order, Outcome, Scratch, Workgroup};
use gcn::inst::{Format, Inst};
use gcn::op::Op;
use gcn::sanitizer::Wanted;
use gcn::target::Target;
use memory::Memory;
use std::collections::{BTreeMap, BTreeSet};
use support::Random;
use support::words::{FORMATS, instruction};

/// Where the only memory is: half of it code, half data.
const BASE: u64 = 0x1_0000;
const BYTES: usize = 0x4000;

fn parameters(target: Target, random: &mut Random) -> LaunchParameters {
    let mut packet = [0; 64];
    packet[0] = 2;
    packet[2] = 3;
    packet[4..10].copy_from_slice(&[100, 0, 2, 0, 1, 0]);
    packet[12..24].copy_from_slice(&[150, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0]);
    packet[24] = 64;
    packet[29] = 4;
    packet[32..40].copy_from_slice(&BASE.to_le_bytes());
    packet[40..48].copy_from_slice(&(BASE + 0x2000).to_le_bytes());
    let mut descriptor = [0; 64];
    // All user and system SGPRs, three work-item ids, random modes.
    descriptor[48..52].copy_from_slice(&(random.next() as u32 & 0x00ff_f3ff).to_le_bytes());
    descriptor[52..56].copy_from_slice(&(1u32 | 15 << 1 | 15 << 7 | 2 << 11).to_le_bytes());
    // With architected flat scratch there are none for private memory.
    descriptor[56] = if target == Target::Gfx942 { 0x5e } else { 0x7f };
    LaunchParameters {
        packet,
        packet_address: BASE + 0x2000,
        dispatch_id: random.next(),
        queue_address: BASE + 0x2100,
        descriptor,
        scratch: Scratch { base: BASE + 0x2000, bytes: 0x10000 },
        shared_base: 1 << 48,
        private_base: 2 << 48,
        sram_ecc: true,
    }
}

/// Instructions, mostly: few of those that are known to stop a wave (graphics, wild memory accesses).
fn code(target: Target, random: &mut Random) -> Vec<u8> {
    let mut code = Vec::new();
    while code.len() < 0x1800 {
        let bytes: [u8; 12] = std::array::from_fn(|_| random.next() as u8);
        match decode(target, &bytes) {
            Ok(inst) if stops(&inst) && !random.next().is_multiple_of(64) => {}
            Ok(inst) => code.extend(&bytes[..usize::from(inst.len)]),
            Err(_) if random.next().is_multiple_of(4000) => code.extend(&bytes[..4]),
            Err(_) => {}
        }
    }
    code.truncate(0x1800);
    code
}

fn stops(inst: &Inst) -> bool {
    use Format::*;
    matches!(inst.format, Exp | Vintrp | Smem | Flat | Global | Scratch | Mubuf | Mtbuf | Mimg | Sopk | Sopp | Sop1)
}

#[test]
fn random_code_never_panics() {
    Target::ALL.iter().for_each(|&target| random_code(target));
}

fn random_code(target: Target) {
    let count = std::env::var("GCN_RANDOM_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(300);
    let mut outcomes = BTreeMap::new();
    let mut executed = 0;
    let mut group = Workgroup::new();
    let cache = Code::new(target);
    for seed in 0..count {
        let mut random = Random(seed);
        let data: Vec<u8> = (0..BYTES).map(|_| random.next() as u8).collect();
        let mut memory = Memory::new(BASE, &data);
        memory.fill(0, &code(target, &mut random));
        let parameters = parameters(target, &mut random);
        let launch = Launch::new(&parameters, &cache).expect("valid");
        group.start(&launch, [1, 1, 0], 0);
        let mut order = Order::seeded(seed);
        // Exceptions end a program early: go on behind the instruction by starting at random places.
        let mut outcome = group.run(&mut memory.view(&cache), 20_000, &mut order);
        executed += group.executed();
        for _ in 0..20 {
            let mut moved = parameters;
            moved.descriptor[16..24].copy_from_slice(&((random.next() % 0x1800) & !3).to_le_bytes());
            let launch = Launch::new(&moved, &cache).expect("valid");
            let id = [random.next() as u32 % 2, 0, 0];
            group.start(&launch, id, 1);
            starts_as_new(&group, &launch, id, target, &parameters);
            outcome = group.run(&mut memory.view(&cache), 5_000, &mut order);
            executed += group.executed();
        }
        let name = match outcome {
            Outcome::Done => "done",
            Outcome::Yielded => "yielded",
            Outcome::Trapped(_) => "trapped",
            Outcome::Exception(Exception::IllegalInstruction { .. }) => "illegal instruction",
            Outcome::Faulted(_) | Outcome::Exception(Exception::MemoryFault { .. }) => "memory fault",
            Outcome::Exception(Exception::ApertureViolation { .. }) => "aperture violation",
            Outcome::Exception(Exception::Trap { .. }) => "trap",
        };
        *outcomes.entry(name).or_insert(0) += 1;
    }
    println!("{target}: {executed} instructions, last outcomes {outcomes:?}");
    assert!(executed > count * 50, "random programs hardly run: {executed}");
    assert!(outcomes.contains_key("memory fault"), "{outcomes:?}");
}

/// Waves find in their registers what waves of a new work-group find there, whatever ran before.
fn starts_as_new(group: &Workgroup, launch: &Launch, id: [u32; 3], target: Target, parameters: &LaunchParameters) {
    let mut other = Workgroup::new();
    other.start(launch, id, 1);
    let dword = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| parameters.descriptor[at + i]));
    let [vector, accumulation] = target.registers(dword(48), dword(44));
    for (wave, new) in group.waves().iter().zip(other.waves()) {
        assert_eq!(wave.sgpr, new.sgpr);
        let half = wave.vgpr.len() / 2;
        assert_eq!(wave.vgpr[..vector], new.vgpr[..vector]);
        assert_eq!(wave.vgpr[half..][..accumulation], new.vgpr[half..][..accumulation]);
    }
}

/// Returns from a test that compares code with itself where none is compiled.
macro_rules! skip_unless_compiled {
    () => {
        if !Compile::is_available() {
            test_skip::skip!("code is compiled for hosts with AVX2 or AVX-512 only");
        }
    };
}

/// Code that is compiled when waves come to it first does what code does that never is: outcomes, memory and registers
/// are the same.
#[test]
fn compiled_random_code_does_what_single_instructions_do() {
    skip_unless_compiled!();
    Target::ALL.iter().for_each(|&target| compiled_random_code(target, None, 300));
}

/// It also does on devices that check accesses, which are told of the same.
#[test]
fn compiled_random_code_is_told_of_as_single_instructions_are() {
    skip_unless_compiled!();
    let strays = Wanted { strays: true, ..Wanted::NOTHING };
    let unwritten = Wanted { unwritten: true, ..Wanted::NOTHING };
    let barriers = Wanted { barriers: true, ..Wanted::NOTHING };
    for wanted in [strays, unwritten, barriers, Wanted::USUAL] {
        Target::ALL.iter().for_each(|&target| compiled_random_code(target, Some(wanted), 100));
    }
}

/// `wanted`: of a device that checks accesses.
fn compiled_random_code(target: Target, wanted: Option<Wanted>, count: u64) {
    let count = std::env::var("GCN_RANDOM_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(count);
    let mut told = 0;
    let codes = [Compile::After(0), Compile::Never].map(|compile| Code::compiled(target, compile));
    let mut groups = [Workgroup::new(), Workgroup::new()];
    let mut executed = 0;
    for seed in 0..count {
        let mut random = Random(seed);
        let mut data: Vec<u8> = (0..BYTES).map(|_| random.next() as u8).collect();
        let code = code(target, &mut random);
        data[..code.len()].copy_from_slice(&code);
        let memories = [(); 2].map(|()| match wanted {
            // The last KiB is not for waves.
            Some(wanted) => Memory::new(BASE, &data).up_to(BASE + BYTES as u64 - 0x400).wanting(wanted),
            None => Memory::new(BASE, &data),
        });
        let mut parameters = parameters(target, &mut random);
        parameters.descriptor[8..12].copy_from_slice(&0x40u32.to_le_bytes());
        if !random.next().is_multiple_of(4) {
            // The modes that are compiled: IEEE's NaNs, DX10's clamp, and denormals of all types or not of f32.
            let rsrc1 = u32::from_le_bytes(std::array::from_fn(|n| parameters.descriptor[48 + n]));
            let denormals = if random.next().is_multiple_of(3) { 0xc0 } else { 0xf0 };
            let rsrc1 = rsrc1 & !(0xff << 12 | 1 << 26) | denormals << 12 | 1 << 21 | 1 << 23;
            parameters.descriptor[48..52].copy_from_slice(&rsrc1.to_le_bytes());
        }
        for start in 0..20 {
            let (entry, group, budget) =
                ((random.next() % 0x1800) & !3, random.next() as u32 % 2, random.next() % 5000);
            parameters.descriptor[16..24].copy_from_slice(&entry.to_le_bytes());
            let order = if start % 2 == 0 { Order::round_robin() } else { Order::seeded(seed) };
            let came: [_; 2] = std::array::from_fn(|n| {
                let launch = Launch::new(&parameters, &codes[n]).expect("valid");
                groups[n].start(&launch, [group, 0, 0], 1);
                let mut order = order.clone();
                let outcome = groups[n].run(&mut memories[n].view(&codes[n]), budget, &mut order);
                (outcome, groups[n].executed())
            });
            let faulted = match &came[0].0 {
                Outcome::Exception(exception) | Outcome::Trapped(exception) | Outcome::Faulted(exception) => {
                    matches!(exception, Exception::MemoryFault { .. })
                }
                Outcome::Done | Outcome::Yielded => false,
            };
            executed += groups[0].executed();
            let place = format!("{target}, seed {seed}, start {start} at {entry:#x}");
            assert_eq!(came[0], came[1], "{place}");
            for (wave, (compiled, single)) in groups[0].waves().iter().zip(groups[1].waves()).enumerate() {
                let place = format!("{place}, wave {wave}");
                assert_eq!((compiled.pc, compiled.scc), (single.pc, single.scc), "{place}");
                // Where an access faults, a mask that nobody would have read may not be there.
                if wave != groups[0].last_wave() || !faulted {
                    assert_eq!(compiled.sgpr, single.sgpr, "{place}");
                }
                let mut registers = compiled.vgpr.iter().zip(single.vgpr.iter());
                assert_eq!(registers.position(|(compiled, single)| compiled != single), None, "{place}");
            }
        }
        assert_eq!(memories[0].told(), memories[1].told(), "{target}, seed {seed}");
        assert_eq!(memories[0].raced(), memories[1].raced(), "{target}, seed {seed}");
        told += memories[0].told().len() + memories[0].raced().len();
        let [compiled, single] = memories.map(Memory::into_bytes);
        assert_eq!(compiled.iter().zip(&single).position(|(compiled, single)| compiled != single), None, "seed {seed}");
    }
    println!("{target}: {executed} instructions, {told} findings");
    // Few programs come to a barrier.
    assert!(told > 0 || wanted.is_none_or(|wanted| wanted.barriers), "{target}: {wanted:?}");
}

/// Every operation with random operands on a wave with random registers, until it was executed 30 times: none panics,
/// and those that never are executed are known.
#[test]
fn every_operation_runs_alone() {
    Target::ALL.iter().for_each(|&target| every_operation(target));
}

fn every_operation(target: Target) {
    let mut memory = Memory::new(BASE, &[0; BYTES]);
    let cache = Code::new(target);
    let mut group = Workgroup::new();
    let mut random = Random(7);
    let parameters = parameters(target, &mut random);
    let mut executed = BTreeMap::new();
    for (format, max) in FORMATS {
        for opcode in (0..max).filter(|&opcode| Op::from_opcode(target, format, opcode as u16).is_some()) {
            let mut left = 30;
            for _ in 0..3000 {
                let bytes = instruction(format, max, opcode, &mut random);
                let Ok(inst) = decode(target, &bytes) else { continue };
                memory.fill(0, &bytes);
                // s_endpgm behind it.
                memory.fill(usize::from(inst.len), &0xbf81_0000u32.to_le_bytes());
                let launch = Launch::new(&parameters, &cache).expect("valid");
                group.start(&launch, [0, 0, 0], 0);
                let outcome = group.run(&mut memory.view(&cache), 64, &mut Order::round_robin());
                if !matches!(outcome, Outcome::Exception(Exception::IllegalInstruction { pc: BASE, .. })) {
                    *executed.entry(inst.op.mnemonic()).or_insert(0) += 1;
                    left -= 1;
                }
                if left == 0 {
                    break;
                }
            }
        }
    }
    let operations = Op::ALL.iter().filter(|op| op.info().is_on(target));
    let never = operations.map(|op| op.mnemonic()).filter(|name| !executed.contains_key(name));
    // Images have a resource in registers, which random ones are not; `opencl/images.rs` is about them.
    let never: BTreeSet<&str> = never.filter(|name| !name.starts_with("image_")).collect();
    // What the documentation of `exec` says is not executed, and what needs global wave sync or a trap handler, which
    // this memory has not.
    let known = [
        "ds_gws_init",
        "ds_gws_sema_br",
        "ds_gws_sema_p",
        "ds_gws_sema_release_all",
        "ds_gws_sema_v",
        "ds_ordered_count",
        "exp",
        "s_rfe_b64",
        "s_rfe_restore_b64",
        "v_interp_mov_f32",
        "v_interp_p1_f32",
        "v_interp_p1ll_f16",
        "v_interp_p1lv_f16",
        "v_interp_p2_f16",
        "v_interp_p2_f32",
        "v_interp_p2_legacy_f16",
        "v_screen_partition_4se_b32",
    ];
    let has = |name: &str| Op::ALL.iter().any(|op| op.mnemonic() == name && op.info().is_on(target));
    assert_eq!(never, known.into_iter().filter(|name| has(name)).collect(), "{target}");
}

#[test]
fn wrong_dispatches_are_errors() {
    let code = Code::new(Target::Gfx908);
    let good = parameters(Target::Gfx908, &mut Random(1));
    let error = |change: &dyn Fn(&mut LaunchParameters)| {
        let mut parameters = good;
        change(&mut parameters);
        Launch::new(&parameters, &code).err()
    };
    assert_eq!(error(&|_| {}), None);
    assert_eq!(error(&|p| p.packet[2] = 0), Some(LaunchError::Dimensions { setup: 0, dimensions: 0 }));
    assert!(matches!(error(&|p| p.packet[4] = 0), Some(LaunchError::EmptyDimension { .. })));
    assert!(matches!(error(&|p| p.packet[12] = 0), Some(LaunchError::EmptyDimension { .. })));
    assert!(matches!(error(&|p| p.packet[5] = 4), Some(LaunchError::WorkgroupTooLarge([1124, 2, 1]))));
    assert_eq!(error(&|p| p.packet[30] = 2), Some(LaunchError::LdsTooLarge(0x2_0400)));
    assert!(matches!(error(&|p| p.descriptor[57] = 4), Some(LaunchError::Descriptor(_))));
    assert!(matches!(error(&|p| p.descriptor[52] = 1), Some(LaunchError::Descriptor(_))));
    assert!(matches!(error(&|p| p.scratch.bytes = 100), Some(LaunchError::Scratch { available: 100, .. })));
}
