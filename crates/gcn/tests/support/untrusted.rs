//! Properties that hold for any input bytes. The fuzz targets in `fuzz/` run these functions; `tests/corpus.rs` runs
//! them on the inputs that fuzzing has found.

#[path = "memory.rs"]
mod memory;

use std::fmt::Write;

use gcn::exec::{Code, Launch, LaunchParameters, Order, Scratch, Workgroup};
use gcn::target::Target;
use memory::Memory;

/// Decoding does not panic, and what it accepts prints and lies within the bytes.
pub fn decode(bytes: &[u8]) {
    Target::ALL.iter().for_each(|&target| decode_of(target, bytes));
}

fn decode_of(target: Target, bytes: &[u8]) {
    let mut text = String::new();
    match gcn::decode::decode(target, bytes) {
        Ok(inst) => {
            assert!(matches!(inst.len, 4 | 8 | 12) && usize::from(inst.len) <= bytes.len());
            write!(text, "{inst}").expect("a string");
            assert!(text.starts_with(inst.op.mnemonic()), "{bytes:02x?}: {text}");
            // Nothing behind the instruction matters.
            assert_eq!(gcn::decode::decode(target, &bytes[..usize::from(inst.len)]), Ok(inst));
        }
        Err(error) => write!(text, "{error}").expect("a string"),
    }
    assert!(!text.is_empty());
}

/// Where the only memory is: code first, data behind it.
const BASE: u64 = 0x1_0000;
const BYTES: usize = 0x2000;
const DATA: u64 = BASE + 0x1000;

/// Code, then `s_endpgm` up to the data, which is the code again: addresses and constants of its own.
fn memory(code: &[u8]) -> Memory {
    const S_ENDPGM: [u8; 4] = 0xbf81_0000u32.to_le_bytes();
    let mut half = vec![0; code.len().next_multiple_of(8)];
    half[..code.len()].copy_from_slice(code);
    half.extend(S_ENDPGM.iter().cycle().take(BYTES / 2 - half.len()));
    Memory::new(BASE, &half.repeat(2))
}

fn parameters(packet: [u8; 64], descriptor: [u8; 64]) -> LaunchParameters {
    LaunchParameters {
        packet,
        packet_address: DATA,
        dispatch_id: 0,
        queue_address: DATA + 0x100,
        descriptor,
        scratch: Scratch { base: DATA, bytes: 0x10000 },
        shared_base: 1 << 48,
        private_base: 2 << 48,
        sram_ecc: true,
    }
}

/// A work-group that runs any code ends in an outcome. The first byte sets the rounding and denormal modes.
pub fn execute(bytes: &[u8]) {
    let Some((modes, bytes)) = bytes.split_first() else { return };
    let mut packet = [0; 64];
    packet[2] = 1;
    packet[4..10].copy_from_slice(&[100, 0, 1, 0, 1, 0]);
    packet[12..24].copy_from_slice(&[100, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
    packet[29] = 4;
    packet[32..40].copy_from_slice(&BASE.to_le_bytes());
    packet[40..48].copy_from_slice(&DATA.to_le_bytes());
    let mut descriptor = [0; 64];
    // 32 vector registers of each kind: more take most of the time to clear.
    descriptor[48..52].copy_from_slice(&(7 | u32::from(*modes) << 12).to_le_bytes());
    descriptor[52..56].copy_from_slice(&(1u32 | 15 << 1 | 15 << 7 | 2 << 11).to_le_bytes());
    descriptor[56] = 0x7f;
    run(&parameters(packet, descriptor), bytes);
}

/// A packet, a kernel descriptor and code: refused, or ends in an outcome.
pub fn launch(bytes: &[u8]) {
    let Some((packet, bytes)) = bytes.split_first_chunk::<64>() else { return };
    let Some((descriptor, bytes)) = bytes.split_first_chunk::<64>() else { return };
    let mut packet = *packet;
    // Most addresses would only fault.
    packet[34..40].copy_from_slice(&[1, 0, 0, 0, 0, 0]);
    packet[33] &= 0x1f;
    let mut descriptor = *descriptor;
    descriptor[18..24].fill(0);
    run(&parameters(packet, descriptor), bytes);
}

fn run(parameters: &LaunchParameters, code: &[u8]) {
    Target::ALL.iter().for_each(|&target| run_on(target, parameters, code));
}

fn run_on(target: Target, parameters: &LaunchParameters, code: &[u8]) {
    let memory = memory(&code[..code.len().min(BYTES / 2)]);
    let cache = Code::new(target);
    let Ok(launch) = Launch::new(parameters, &cache) else { return };
    let last = launch.workgroups().map(|count| count - 1);
    let mut group = Workgroup::new();
    group.start(&launch, last, 0);
    group.run(&mut memory.view(&cache), 1000, &mut Order::seeded(1));
}
