//! 64-bit accesses are not torn for another thread; parts of dwords at separate addresses.

use crate::interp::vmem::element::{Byte, Dword, Short};
use crate::interp::vmem::*;
use crate::machine::bus::{Bus, MemoryFault, Window};
use crate::machine::memory::Windows;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

const BASE: u64 = 0x1_0000;

struct Ram([AtomicU64; 4 * LANES]);

impl Ram {
    fn new() -> Ram {
        Ram([const { AtomicU64::new(0) }; 4 * LANES])
    }
}

// SAFETY: the window is the array, whose words may change at any time as they are atomic.
unsafe impl Bus for Ram {
    fn window(&self, _: u64, _: Access) -> Result<Window, MemoryFault> {
        let host = self.0.as_ptr().cast_mut().cast();
        Ok(Window { start: BASE, end: BASE + size_of_val(&self.0) as u64, host, writable: true })
    }
    fn realtime(&self) -> u64 {
        0
    }
    fn memtime(&self) -> u64 {
        0
    }
    fn interrupt(&self, _: u32, _: bool) {}
}

/// Lanes side by side, apart, in reverse, and some of them only: every way by which accesses go, for `bytes` a lane.
fn patterns(bytes: u64) -> [Addresses; 4] {
    let at = |f: fn(u64) -> u64, bytes: u64| std::array::from_fn(|lane| BASE + bytes * f(lane as u64));
    let some = 0x7fff_0000_ffff_5555;
    [
        Addresses::all(at(|lane| lane, bytes), u64::MAX),
        Addresses::all(at(|lane| lane, 32), u64::MAX),
        Addresses::all(at(|lane| 63 - lane, bytes), u64::MAX),
        Addresses::all(at(|lane| lane, bytes), some),
    ]
}

fn torn(word: u64) -> bool {
    word as u32 != (word >> 32) as u32
}

/// Stores words of two equal halves, while a thread looks for others.
fn stores(how: impl Fn(&Wave, &mut Memory, &Addresses) -> Result<(), Fault>, bytes: u64) {
    for addresses in patterns(bytes) {
        let (ram, done) = (Ram::new(), AtomicBool::new(false));
        std::thread::scope(|scope| {
            let looks = scope.spawn(|| {
                let mut seen = None;
                while !done.load(Relaxed) {
                    seen = seen.or(ram.0.iter().map(|word| word.load(Relaxed)).find(|&word| torn(word)));
                }
                seen
            });
            let (mut wave, mut windows) = (Wave::default(), Windows::NONE);
            let mut memory = Memory::new(&ram, false, false, &mut windows);
            wave.set_exec(addresses.mask[0]);
            for round in 0..20_000 {
                wave.vgpr[4..8].fill(wave::Lanes([round; LANES]));
                how(&wave, &mut memory, &addresses).expect("mapped");
            }
            done.store(true, Relaxed);
            assert_eq!(looks.join().expect("does not panic"), None);
        });
        let expected = u64::from(addresses.mask[0].count_ones()) * bytes / 8;
        assert_eq!(ram.0.iter().filter(|word| word.load(Relaxed) == 19_999 << 32 | 19_999).count() as u64, expected);
    }
}

/// Loads words that a thread changes, always to two equal halves.
fn loads(how: impl Fn(&mut Wave, &mut Memory, &Addresses) -> Result<(), Fault>, bytes: u64) {
    for addresses in patterns(bytes) {
        let (ram, done) = (Ram::new(), AtomicBool::new(false));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for round in (0..u64::from(u32::MAX)).take_while(|_| !done.load(Relaxed)) {
                    ram.0.iter().for_each(|word| word.store(round << 32 | round, Relaxed));
                }
            });
            let (mut wave, mut windows) = (Wave::default(), Windows::NONE);
            let mut memory = Memory::new(&ram, false, false, &mut windows);
            wave.set_exec(addresses.mask[0]);
            let mut wrong = 0;
            for _ in 0..20_000 {
                how(&mut wave, &mut memory, &addresses).expect("mapped");
                let pairs = (4..4 + bytes as usize / 4).step_by(2);
                wrong += pairs.filter(|&k| wave.vgpr[k].0 != wave.vgpr[k + 1].0).count();
            }
            done.store(true, Relaxed);
            assert_eq!(wrong, 0);
        });
    }
}

#[test]
fn aligned_stores_of_64_bits_are_never_seen_in_halves() {
    stores(|wave, memory, addresses| store::<Dword, 2>(wave, memory, addresses, 4), 8);
    stores(|wave, memory, addresses| store::<Dword, 4>(wave, memory, addresses, 4), 16);
    stores(|wave, memory, addresses| store_any::<Dword, 2>(wave, memory, addresses, 4), 8);
}

#[test]
fn aligned_loads_of_64_bits_never_see_halves() {
    loads(|wave, memory, addresses| load::<Dword, 2>(wave, memory, addresses, 4), 8);
    loads(|wave, memory, addresses| load::<Dword, 4>(wave, memory, addresses, 4), 16);
    loads(|wave, memory, addresses| load_any::<Dword, 2>(wave, memory, addresses, 4), 8);
}

/// Private memory interleaves the dwords of a wave: what a piece has behind the end of its dword is in the lane's next
/// dword.
#[test]
fn pieces_go_on_in_the_lanes_next_dword() {
    let ram = Ram::new();
    for (i, word) in ram.0.iter().enumerate() {
        word.store(u64::from_le_bytes(std::array::from_fn(|k| (13 * (8 * i + k)) as u8)), Relaxed);
    }
    let byte = |place: u64| (13 * place) as u8;
    let mut windows = Windows::NONE;
    let mut memory = Memory::new(&ram, false, false, &mut windows);
    for stride in [4, 256] {
        for offset in 0..8 {
            // In a lane's own bytes, of which each four are `stride` apart.
            let of_lane = |k: u64| byte((offset + k) / 4 * u64::from(stride) + (offset + k) % 4);
            let at = BASE + offset / 4 * u64::from(stride) + offset % 4;
            let expected = |bytes: u64| (0..bytes).rev().fold(0, |all, k| all << 8 | u32::from(of_lane(k)));
            let got = [
                read_piece::<Byte>(&mut memory, at, stride),
                read_piece::<Short>(&mut memory, at, stride),
                read_piece::<Dword>(&mut memory, at, stride),
            ];
            let got = got.map(|piece| piece.expect("mapped"));
            assert_eq!(got, [1, 2, 4].map(expected), "{offset} of {stride}");
        }
    }
}

/// Lanes side by side, all of them or by rows, which may lie apart or over each other; and other ways.
fn places(bytes: u64) -> Vec<[u64; LANES]> {
    let row = ROW as u64;
    let by_rows = |distance: u64| move |lane: u64| lane / row * distance + lane % row * bytes;
    let mut places: Vec<[u64; LANES]> =
        [by_rows(row * bytes), by_rows(row * bytes + 4), by_rows(row * bytes - 4), by_rows(0), by_rows(8)]
            .map(|place| std::array::from_fn(|lane| place(lane as u64)))
            .into();
    places.push(std::array::from_fn(|lane| (LANES - 1 - lane) as u64 * bytes));
    places.push(std::array::from_fn(|lane| lane as u64 * 4));
    places.push(std::array::from_fn(|lane| lane as u64 * bytes + if lane == 37 { 4 } else { 0 }));
    places
}

fn wide_accesses<const N: usize>() {
    let filled = |ram: &Ram| {
        ram.0
            .iter()
            .enumerate()
            .for_each(|(i, word)| word.store((i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15), Relaxed))
    };
    let registers = || {
        let mut wave = Wave::default();
        for (k, register) in wave.vgpr[4..4 + N].iter_mut().enumerate() {
            *register = wave::Lanes(std::array::from_fn(|lane| (1000 * (k + 1) + lane) as u32));
        }
        wave
    };
    for place in places(4 * N as u64) {
        for (shift, mask) in
            [(0, u64::MAX), (4, u64::MAX), (2, u64::MAX), (0, 0x7fff_ffff_ffff_fffe), (8, 0xffff_0000_ffff_5555)]
        {
            let addresses = Addresses::all(place.map(|place| BASE + shift + place), mask);
            let both = [true, false].map(|whole| {
                let ram = Ram::new();
                filled(&ram);
                let (mut wave, mut windows) = (registers(), Windows::NONE);
                let mut memory = Memory::new(&ram, false, false, &mut windows);
                wave.set_exec(mask);
                let load = if whole { load::<Dword, N> } else { load_any::<Dword, N> };
                load(&mut wave, &mut memory, &addresses, 4).expect("mapped");
                let loaded: [_; N] = std::array::from_fn(|k| wave.vgpr[4 + k]);
                let mut wave = registers();
                wave.set_exec(mask);
                let store = if whole { store::<Dword, N> } else { store_any::<Dword, N> };
                store(&wave, &mut memory, &addresses, 4).expect("mapped");
                (loaded, ram.0.iter().map(|word| word.load(Relaxed)).collect::<Vec<u64>>())
            });
            assert_eq!(both[0], both[1], "{N} dwords at {place:?} + {shift}, lanes {mask:#x}");
        }
    }
}

#[test]
fn wide_accesses_are_those_of_single_lanes() {
    wide_accesses::<1>();
    wide_accesses::<2>();
    wide_accesses::<3>();
    wide_accesses::<4>();
}
