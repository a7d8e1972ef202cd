//! The launch of one wave.

use gcn::exec::{LaunchParameters, Scratch};

/// One work-group of 64 work-items, whose code begins at `code`, with a descriptor of zeros.
pub fn one_wave(code: u64) -> LaunchParameters {
    let mut packet = [0; 64];
    packet[2] = 1;
    packet[4..10].copy_from_slice(&[64, 0, 1, 0, 1, 0]);
    packet[12..24].copy_from_slice(&[64, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
    packet[32..40].copy_from_slice(&code.to_le_bytes());
    LaunchParameters {
        packet,
        packet_address: 0,
        dispatch_id: 0,
        queue_address: 0,
        descriptor: [0; 64],
        scratch: Scratch::default(),
        shared_base: 1 << 48,
        private_base: 2 << 48,
        sram_ecc: true,
    }
}
