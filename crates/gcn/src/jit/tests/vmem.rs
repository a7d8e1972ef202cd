//! Compiled loads and stores of vector registers against single lanes.

use crate::jit::tests::{NOWHERE, Random, access_of, block_of_access, copy};
use crate::machine::bus::Window;
use gcn_alu::wave::{Wave, vector_index};
use gcn_isa::inst::{Cache, Inst, Mods, Operand};
use gcn_isa::op::Op;

/// Bytes of an element, whether it has a sign, how many registers, whether it is a load, and what multiplies the
/// offsets of two.
pub type Kind = (usize, bool, usize, bool, u32);

const LDS: [(Op, Kind); 21] = [
    (Op::DsReadU8, (1, false, 1, true, 0)),
    (Op::DsReadI8, (1, true, 1, true, 0)),
    (Op::DsReadU16, (2, false, 1, true, 0)),
    (Op::DsReadI16, (2, true, 1, true, 0)),
    (Op::DsReadB32, (4, false, 1, true, 0)),
    (Op::DsReadB64, (4, false, 2, true, 0)),
    (Op::DsReadB96, (4, false, 3, true, 0)),
    (Op::DsReadB128, (4, false, 4, true, 0)),
    (Op::DsRead2B32, (4, false, 1, true, 4)),
    (Op::DsRead2st64B32, (4, false, 1, true, 256)),
    (Op::DsRead2B64, (4, false, 2, true, 8)),
    (Op::DsRead2st64B64, (4, false, 2, true, 512)),
    (Op::DsWriteB8, (1, false, 1, false, 0)),
    (Op::DsWriteB16, (2, false, 1, false, 0)),
    (Op::DsWriteB32, (4, false, 1, false, 0)),
    (Op::DsWriteB64, (4, false, 2, false, 0)),
    (Op::DsWriteB128, (4, false, 4, false, 0)),
    (Op::DsWrite2B32, (4, false, 1, false, 4)),
    (Op::DsWrite2st64B32, (4, false, 1, false, 256)),
    (Op::DsWrite2B64, (4, false, 2, false, 8)),
    (Op::DsWrite2st64B64, (4, false, 2, false, 512)),
];

const DEVICE: [(Op, Kind); 26] = [
    (Op::GlobalLoadUbyte, (1, false, 1, true, 0)),
    (Op::GlobalLoadSbyte, (1, true, 1, true, 0)),
    (Op::GlobalLoadUshort, (2, false, 1, true, 0)),
    (Op::GlobalLoadSshort, (2, true, 1, true, 0)),
    (Op::GlobalLoadDword, (4, false, 1, true, 0)),
    (Op::GlobalLoadDwordx2, (4, false, 2, true, 0)),
    (Op::GlobalLoadDwordx3, (4, false, 3, true, 0)),
    (Op::GlobalLoadDwordx4, (4, false, 4, true, 0)),
    (Op::GlobalStoreByte, (1, false, 1, false, 0)),
    (Op::GlobalStoreShort, (2, false, 1, false, 0)),
    (Op::GlobalStoreDword, (4, false, 1, false, 0)),
    (Op::GlobalStoreDwordx2, (4, false, 2, false, 0)),
    (Op::GlobalStoreDwordx4, (4, false, 4, false, 0)),
    (Op::FlatLoadUbyte, (1, false, 1, true, 0)),
    (Op::FlatLoadSbyte, (1, true, 1, true, 0)),
    (Op::FlatLoadUshort, (2, false, 1, true, 0)),
    (Op::FlatLoadSshort, (2, true, 1, true, 0)),
    (Op::FlatLoadDword, (4, false, 1, true, 0)),
    (Op::FlatLoadDwordx2, (4, false, 2, true, 0)),
    (Op::FlatLoadDwordx3, (4, false, 3, true, 0)),
    (Op::FlatLoadDwordx4, (4, false, 4, true, 0)),
    (Op::FlatStoreByte, (1, false, 1, false, 0)),
    (Op::FlatStoreShort, (2, false, 1, false, 0)),
    (Op::FlatStoreDword, (4, false, 1, false, 0)),
    (Op::FlatStoreDwordx2, (4, false, 2, false, 0)),
    (Op::FlatStoreDwordx4, (4, false, 4, false, 0)),
];

pub fn vector(first: u8, count: usize) -> Operand {
    Operand::Vgpr { first, count: count as u8 }
}

pub fn index(operand: Operand) -> usize {
    vector_index(operand).expect("a vector register")
}

/// What the instruction does, lane by lane, where `at` says which byte of memory a lane's address is. Without the
/// instruction's own function, so that this is a second opinion.
pub fn single_lanes(
    inst: &Inst,
    (bytes, signed, registers, is_load, _): Kind,
    offsets: &[u32],
    wave: &mut Wave,
    memory: &mut [u8],
    at: impl Fn(&Wave, usize) -> u64,
) {
    let before = copy(wave);
    for (part, offset) in offsets.iter().enumerate() {
        for k in 0..registers {
            for lane in (0..64).filter(|lane| before.exec() >> lane & 1 != 0) {
                let start = at(&before, lane).wrapping_add(u64::from(*offset) + 4 * k as u64);
                let place = usize::try_from(start).ok().and_then(|start| memory.get_mut(start..start + bytes));
                let place = place.unwrap_or_else(|| panic!("{inst}: lane {lane} is outside, at {start:#x}"));
                if is_load {
                    let mut value = [0; 4];
                    value[..bytes].copy_from_slice(place);
                    let unused = 32 - 8 * bytes as u32;
                    let value = u32::from_le_bytes(value) << unused;
                    let value = if signed { (value as i32 >> unused) as u32 } else { value >> unused };
                    wave.vgpr[index(inst.dst[0]) + part * registers + k].0[lane] = value;
                } else {
                    let value = before.vgpr[index(inst.src[1 + part]) + k].0[lane];
                    place.copy_from_slice(&value.to_le_bytes()[..bytes]);
                }
            }
        }
    }
}

/// What lanes of a quarter add to its first address.
pub fn distances(random: &mut Random, size: u64) -> [u64; 16] {
    let step = [0, size, size, 4 * u64::from(random.below(9)), size + 1][usize::from(random.below(5))];
    let mut distances = std::array::from_fn(|lane| step * lane as u64);
    if random.chance(8) {
        distances[usize::from(random.below(16))] = 4 * u64::from(random.below(100));
    }
    distances
}

/// What an access that was compiled has left in registers is what single lanes have, or what was there.
pub(super) fn same_registers(round: usize, inst: &Inst, compiled: &Wave, expected: &Wave) {
    assert!(compiled.vgpr == expected.vgpr, "round {round}: {inst}, EXEC {:#x}", expected.exec());
    assert_eq!((compiled.sgpr, compiled.scc), (expected.sgpr, expected.scc));
}

/// Compiled code has done each of `operations` for lanes elsewhere, more often than `least` says of loads and stores,
/// and for lanes side by side, where such are compiled.
pub(super) fn are_done(operations: &[(Op, Kind)], done: &[[i32; 2]], least: [i32; 2]) {
    for ((op, (_, _, registers, is_load, _)), [other, row]) in operations.iter().zip(done) {
        assert!(*other > least[usize::from(!is_load)], "{}: {other}", op.mnemonic());
        assert!(*row > 10 || *registers == 3, "{}: {row}", op.mnemonic());
    }
}

#[test]
fn accesses_of_lds_are_those_of_single_lanes_or_none() {
    skip_unless_available!();
    let mut random = Random(2);
    let mut done = [[0; 2]; LDS.len()];
    for round in 0..60_000 {
        let which = round % LDS.len();
        let (op, kind) = LDS[which];
        let (bytes, _, registers, is_load, scale) = kind;
        let mut before = random.wave();
        let mut inst = gcn_isa::inst::Inst::example(op);
        inst.src[0] = vector(random.below(8), 1);
        let count = registers * if scale == 0 { 1 } else { 2 };
        if is_load {
            inst.dst[0] = vector(random.below(8), count);
        } else {
            (inst.src[1], inst.src[2]) = (vector(random.below(8), registers), vector(random.below(8), registers));
        }
        let (offset0, offset1) = (u16::from(random.below(40)), random.below(40));
        inst.mods = Mods::Ds { offset0, offset1: if scale == 0 { 0 } else { offset1 }, gds: false };
        let offsets = match scale {
            0 => vec![u32::from(offset0)],
            _ if !is_load && offset0 == u16::from(offset1) => vec![u32::from(offset0) * scale],
            _ => vec![u32::from(offset0) * scale, u32::from(offset1) * scale],
        };
        let size = if random.chance(4) { random.next() % 700 } else { 32768 };
        let lds: Vec<u8> = (0..size).map(|_| random.next() as u8).collect();
        // Some outside, or just not.
        let mut is_row = true;
        for row in 0..4 {
            let element = (bytes * registers) as u64;
            let start = match random.below(4) {
                0 => size.wrapping_sub(16 * element + 40).wrapping_add(random.below(80).into()) as u32,
                1 => 20 * u32::from(random.below(200)),
                _ => 4 * u32::from(random.below(200)) + 2000 * row,
            };
            let distances = distances(&mut random, element);
            is_row &= distances[15] == 15 * element;
            for (lane, distance) in distances.into_iter().enumerate() {
                let address = &mut before.vgpr[index(inst.src[0])].0[16 * row as usize + lane];
                *address = start.wrapping_add(distance as u32);
            }
        }
        let block = block_of_access(inst);
        let (mut compiled, mut expected) = (copy(&before), copy(&before));
        let (mut got, mut right) = (lds.clone(), lds.clone());
        if access_of(&block, &mut compiled, &mut got, &NOWHERE) {
            done[which][usize::from(is_row)] += 1;
            let at = |wave: &Wave, lane: usize| u64::from(wave.vgpr[index(inst.src[0])].0[lane]);
            single_lanes(&inst, kind, &offsets, &mut expected, &mut right, at);
        }
        assert!(got == right, "round {round}: {inst}");
        same_registers(round, &inst, &compiled, &expected);
    }
    are_done(&LDS, &done, [300, 100]);
}

#[test]
fn accesses_of_memory_are_those_of_single_lanes_or_none() {
    const BYTES: usize = 32768;
    skip_unless_available!();
    let mut random = Random(3);
    let mut done = [[0; 2]; DEVICE.len()];
    for round in 0..80_000 {
        let which = round % DEVICE.len();
        let (op, kind) = DEVICE[which];
        let (bytes, _, registers, is_load, _) = kind;
        let mut before = random.wave();
        // What is behind 4 GiB is part of it.
        let device = 0x7fff_ffff_c000 + if random.chance(2) { 0 } else { 0x10_0000 };
        let size = if random.chance(8) { 4 + random.next() as usize % 600 } else { BYTES };
        let mut memory: Vec<u8> = (0..size).map(|_| random.next() as u8).collect();
        let mut right = memory.clone();
        let mut windows = NOWHERE;
        let writable = !random.chance(8);
        let host = memory.as_mut_ptr();
        windows[usize::from(random.below(8))] = Window { start: device, end: device + size as u64, host, writable };

        let is_global = op.mnemonic().starts_with("global");
        let mut inst = gcn_isa::inst::Inst::example(op);
        let scalar = if is_global && random.chance(2) { Operand::Sgpr { first: 4, count: 2 } } else { Operand::None };
        let offset = if is_global { random.next() as i16 % 300 } else { (random.next() % 300) as i16 };
        inst.mods = Mods::Flat { offset, cache: Cache::default(), lds: false, nv: false };
        inst.src = [Operand::None; 4];
        inst.src[0] = vector(random.below(8), if scalar == Operand::None { 2 } else { 1 });
        if is_load {
            inst.dst[0] = vector(random.below(8), registers);
            inst.src[1] = scalar;
        } else {
            inst.src[1] = vector(random.below(8), registers);
            inst.src[2] = scalar;
        }
        // Offsets from it are small, or overflow now and then.
        let below = if random.chance(4) { 0xffff_ffff - 4 * u64::from(random.below(32)) } else { 0x8000 };
        let base = if scalar == Operand::None { 0 } else { device - below };
        (before.sgpr[4], before.sgpr[5]) = (base as u32, (base >> 32) as u32);
        let first = index(inst.src[0]);
        let mut is_row = true;
        for row in 0..4 {
            let element = (bytes * registers) as u64;
            let start = match random.below(4) {
                // At its end, or just behind.
                0 => (size as u64).wrapping_sub(16 * element + 40).wrapping_add(random.below(80).into()),
                _ => 4 * u64::from(random.below(200)) + 2000 * row,
            };
            let mut start = (device - base).wrapping_add(start).wrapping_sub_signed(offset.into());
            // Addresses of which the low half overflows, and the high one does not follow.
            let stays = random.chance(8);
            if random.chance(8) {
                // Lanes that are off may have any address: these are in front of the end of all memory.
                before.set_exec(before.exec() & !(0xffff << (16 * row)));
                start = (-4_i64).wrapping_sub(i64::from(offset)).wrapping_sub_unsigned(base) as u64;
            }
            let distances = distances(&mut random, element);
            is_row &= distances[15] == 15 * element;
            for (lane, distance) in distances.into_iter().enumerate() {
                let (at, lane) = (start.wrapping_add(distance), 16 * row as usize + lane);
                before.vgpr[first].0[lane] = at as u32;
                if scalar == Operand::None {
                    before.vgpr[first + 1].0[lane] = (if stays { start } else { at } >> 32) as u32;
                }
            }
        }
        let block = block_of_access(inst);
        let (mut compiled, mut expected) = (copy(&before), copy(&before));
        if access_of(&block, &mut compiled, &mut [], &windows) {
            done[which][usize::from(is_row)] += 1;
            assert!(is_load || writable || before.exec() == 0, "round {round}: {inst}");
            let at = |wave: &Wave, lane: usize| {
                let low = u64::from(wave.vgpr[first].0[lane]);
                let high = match scalar {
                    Operand::None => u64::from(wave.vgpr[first + 1].0[lane]) << 32,
                    _ => base,
                };
                low.wrapping_add(high).wrapping_add_signed(offset.into()).wrapping_sub(device)
            };
            single_lanes(&inst, kind, &[0], &mut expected, &mut right, at);
        }
        assert!(memory == right, "round {round}: {inst}");
        same_registers(round, &inst, &compiled, &expected);
    }
    are_done(&DEVICE, &done, [300, 100]);
}
