//! Compiled loads and stores through buffer resources against single lanes.

use crate::jit::tests::vmem::{Kind, are_done, distances, index, same_registers, single_lanes, vector};
use crate::jit::tests::{NOWHERE, Random, access_of, block_of_access, copy};
use crate::machine::bus::Window;
use gcn_alu::wave::Wave;
use gcn_isa::inst::{Cache, Mods, Operand};
use gcn_isa::op::Op;

const BUFFERS: [(Op, Kind); 13] = [
    (Op::BufferLoadUbyte, (1, false, 1, true, 0)),
    (Op::BufferLoadSbyte, (1, true, 1, true, 0)),
    (Op::BufferLoadUshort, (2, false, 1, true, 0)),
    (Op::BufferLoadSshort, (2, true, 1, true, 0)),
    (Op::BufferLoadDword, (4, false, 1, true, 0)),
    (Op::BufferLoadDwordx2, (4, false, 2, true, 0)),
    (Op::BufferLoadDwordx3, (4, false, 3, true, 0)),
    (Op::BufferLoadDwordx4, (4, false, 4, true, 0)),
    (Op::BufferStoreByte, (1, false, 1, false, 0)),
    (Op::BufferStoreShort, (2, false, 1, false, 0)),
    (Op::BufferStoreDword, (4, false, 1, false, 0)),
    (Op::BufferStoreDwordx2, (4, false, 2, false, 0)),
    (Op::BufferStoreDwordx4, (4, false, 4, false, 0)),
];

/// Where a test's resource and scalar offset are.
const RESOURCE: usize = 8;
const SCALAR: usize = 4;

/// The fourth dword of a resource of 32-bit elements.
const USUAL_FLAGS: u32 = 0x0002_7000;

/// What of a resource other than address and size is not as it is where memory is a row of bytes: `above` the address
/// and `flags`.
fn some_other_kind(random: &mut Random) -> (u32, u32) {
    match random.below(4) {
        0 => (1 << (16 + random.below(14)), USUAL_FLAGS),
        1 => (1 << 31, USUAL_FLAGS),
        2 => (0, USUAL_FLAGS | 1 << 23),
        // No format: nothing is in range.
        _ => (0, USUAL_FLAGS & !(15 << 15)),
    }
}

#[test]
fn accesses_of_buffers_are_those_of_single_lanes_or_none() {
    const BYTES: usize = 32768;
    skip_unless_available!();
    let mut random = Random(6);
    let mut done = [[0; 2]; BUFFERS.len()];
    let mut shortened = 0;
    for round in 0..40_000 {
        let which = round % BUFFERS.len();
        let (op, kind) = BUFFERS[which];
        let (bytes, _, registers, is_load, _) = kind;
        let mut before = random.wave();
        let device = 0x7fff_ffff_c000 + if random.chance(2) { 0 } else { 0x10_0000 };
        let mut memory: Vec<u8> = (0..BYTES).map(|_| random.next() as u8).collect();
        let mut right = memory.clone();
        let mut windows = NOWHERE;
        let writable = !random.chance(8);
        let host = memory.as_mut_ptr();

        // It begins in front of the window, or in it, and ends in it or behind.
        let base = device + 0x4000 - (random.next() & 0x7ffc);
        let to_end = device + BYTES as u64 - base;
        let records = match random.below(4) {
            0 => (to_end - random.next() % to_end) as u32,
            1 => to_end as u32 + random.next() as u32 % 64,
            2 => random.next() as u32 % 64,
            _ => u32::MAX,
        };
        let is_plain = !random.chance(8);
        let (above, flags) = if is_plain { (0, USUAL_FLAGS) } else { some_other_kind(&mut random) };
        // There is memory also where all bits of the first two dwords would be an address.
        let start = device + (u64::from(above) << 32);
        windows[usize::from(random.below(8))] = Window { start, end: start + BYTES as u64, host, writable };
        before.sgpr[RESOURCE..RESOURCE + 4].copy_from_slice(&[
            base as u32,
            (base >> 32) as u32 | above,
            records,
            flags,
        ]);
        let (operand, scalar) = match random.below(4) {
            0 => (Operand::Int(0), 0),
            1 => (Operand::Int(64), 64),
            2 => (Operand::Int(-1), u32::MAX),
            _ => {
                let scalar = if random.chance(8) { random.next() as u32 } else { 4 * u32::from(random.below(99)) };
                (Operand::Sgpr { first: SCALAR as u8, count: 1 }, scalar)
            }
        };
        before.sgpr[SCALAR] = scalar;

        let mut inst = gcn_isa::inst::Inst::example(op);
        let offset = if random.chance(2) { 0 } else { random.next() as u16 & 0xfff };
        inst.mods = Mods::Buffer {
            offset,
            offen: true,
            idxen: false,
            cache: Cache::default(),
            lds: false,
            tfe: false,
            dfmt: 0,
            nfmt: 0,
        };
        let resource = Operand::Sgpr { first: RESOURCE as u8, count: 4 };
        let address = vector(random.below(8), 1);
        let data = vector(random.below(8), registers);
        inst.src =
            if is_load { [address, resource, operand, Operand::None] } else { [data, address, resource, operand] };
        if is_load {
            inst.dst[0] = data;
        }
        let element = (bytes * registers) as u64;
        let mut is_row = true;
        for row in 0..4 {
            // The end of what is in both.
            let end = u64::from(records).min(to_end);
            let start = match random.below(8) {
                0 => end.wrapping_sub(16 * element + 40).wrapping_add(random.below(80).into()),
                // As far as that an address overflows, in 32 bits or with a base.
                1 => u64::from(u32::MAX) - 4 * u64::from(random.below(99)),
                2 => u64::from(random.next() as u32),
                _ => (device.saturating_sub(base)) + 4 * u64::from(random.below(200)) + 2000 * row,
            };
            let start = start.wrapping_sub(u64::from(offset)).wrapping_sub(u64::from(scalar)) as u32;
            let distances = distances(&mut random, element);
            is_row &= distances[15] == 15 * element;
            for (lane, distance) in distances.into_iter().enumerate() {
                before.vgpr[index(address)].0[16 * row as usize + lane] = start.wrapping_add(distance as u32);
            }
        }
        let block = block_of_access(inst);
        let (mut compiled, mut expected) = (copy(&before), copy(&before));
        if access_of(&block, &mut compiled, &mut [], &windows) {
            done[which][usize::from(is_row)] += 1;
            shortened += u32::from(before.exec() != 0 && u64::from(records) < to_end);
            assert!((is_plain && (is_load || writable)) || before.exec() == 0, "round {round}: {inst}");
            let at = |wave: &Wave, lane: usize| {
                let linear = wave.vgpr[index(address)].0[lane].wrapping_add(offset.into());
                let behind = u64::from(linear) + u64::from(scalar);
                assert!(behind + element <= u64::from(records), "round {round}: {inst}: lane {lane} at {behind:#x}");
                (base + behind).wrapping_sub(device)
            };
            // Where its lanes' data are: of stores, `single_lanes` takes the source that others have behind the
            // address.
            let mut described = inst;
            described.src[1] = if is_load { inst.src[1] } else { data };
            single_lanes(&described, kind, &[0], &mut expected, &mut right, at);
        }
        assert!(memory == right, "round {round}: {inst}");
        same_registers(round, &inst, &compiled, &expected);
    }
    assert!(shortened > 500, "{shortened}");
    are_done(&BUFFERS, &done, [200, 50]);
}
