//! Any code: a work-group that runs it ends in an outcome.
//!
//! `cargo +nightly fuzz run execute` in `crates/gcn`.
#![no_main]

use std::cell::UnsafeCell;

use gcn::bus::{Access, Bus, MemoryFault, Window};
use gcn::exec::{Code, Launch, LaunchParameters, Order, Scratch, Workgroup};

const BASE: u64 = 0x1_0000;
const BYTES: usize = 0x4000;

/// The only memory: code first, data behind it.
struct Memory(Box<[UnsafeCell<u64>]>);

// SAFETY: one thread runs.
unsafe impl Sync for Memory {}

// SAFETY: the window is all of the box, which lives as long as `self`.
unsafe impl Bus for Memory {
    fn window(&self, address: u64, access: Access) -> Result<Window, MemoryFault> {
        if !(BASE..BASE + BYTES as u64).contains(&address) {
            return Err(MemoryFault { address, access, protection: false });
        }
        let host = self.0.as_ptr().cast_mut().cast();
        Ok(Window { start: BASE, end: BASE + BYTES as u64, host, writable: true })
    }
    fn realtime(&self) -> u64 {
        1
    }
    fn memtime(&self) -> u64 {
        2
    }
    fn interrupt(&self, _: u32) {}
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let words = bytes.chunks_exact(8).map(|c| u64::from_le_bytes(c.try_into().expect("8 bytes")));
    let words = words.chain(std::iter::repeat(0)).take(BYTES / 8).map(UnsafeCell::new);
    let memory = Memory(words.collect());
    let mut packet = [0; 64];
    packet[2] = 1;
    packet[4..10].copy_from_slice(&[100, 0, 1, 0, 1, 0]);
    packet[12..24].copy_from_slice(&[100, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
    packet[29] = 4;
    packet[32..40].copy_from_slice(&BASE.to_le_bytes());
    packet[40..48].copy_from_slice(&(BASE + 0x2000).to_le_bytes());
    let mut descriptor = [0; 64];
    descriptor[52..56].copy_from_slice(&(1u32 | 15 << 1 | 15 << 7 | 2 << 11).to_le_bytes());
    descriptor[56] = 0x7f;
    let parameters = LaunchParameters {
        packet,
        packet_address: BASE + 0x2000,
        dispatch_id: 0,
        queue_address: BASE + 0x2100,
        descriptor,
        scratch: Scratch { base: BASE + 0x2000, bytes: 0x10000 },
        shared_base: 1 << 48,
        private_base: 2 << 48,
    };
    let code = Code::new();
    let launch = Launch::new(&parameters, &code).expect("the packet and the descriptor are valid");
    let mut group = Workgroup::new();
    group.start(&launch, [0; 3], 0);
    group.run(&memory, &code, 10_000, &mut Order::seeded(1));
});
