//! The fast path for all lanes against the path for single lanes.

use crate::interp::image::by_lanes;
use crate::interp::image::full_wave::*;
use crate::interp::image::tests::instructions::{Test, with};
use crate::interp::image::tests::{Fields, LINE, LINE_ARRAY, PLAIN, PLANE, PLANE_ARRAY, VOLUME, XYZW};
use gcn_alu::simd::{simd, vectored_by};

/// Why an instruction was left to the lanes.
const LEFT: &str = "left out";

/// `W`, but never lane by lane.
fn alone<W: Whole>(level: Simd) -> CoreFn {
    fn by<W: Whole>(level: Simd, wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
        let attempt = Attempt::<W> { wave, inst, machine, whole: PhantomData };
        // SAFETY: the processor has all levels up to that one.
        let is_done = unsafe { vectored_by(level.min(simd()), attempt) }?;
        if is_done { Ok(Flow::Next) } else { Err(Stop::Illegal(LEFT)) }
    }
    match level {
        Simd::Avx512 => |w, i, m| by::<W>(Simd::Avx512, w, i, m),
        Simd::Avx2 => |w, i, m| by::<W>(Simd::Avx2, w, i, m),
        Simd::Baseline => |w, i, m| by::<W>(Simd::Baseline, w, i, m),
    }
}

fn load_by_lanes(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    crate::interp::image::load(wave, inst, machine, false)
}

fn either(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    run::<Load>(wave, inst, machine, load_by_lanes)
}

/// An instruction by lanes, and at once with the instructions of a level.
type Ways = (CoreFn, fn(Simd) -> CoreFn);

struct Random(u64);

impl Random {
    fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    fn below(&mut self, limit: u32) -> u32 {
        ((u64::from(self.word()) * u64::from(limit)) >> 32) as u32
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u32) as usize]
    }

    fn float(&mut self) -> f32 {
        self.word() as f32 / 2f32.powi(32)
    }

    /// Floats and halves of which some are none, or no numbers.
    fn texel(&mut self) -> u32 {
        match self.below(32) {
            0 => self.of(&[0x7fc0_1234, 0xff80_0000, 0x7f80_0000, 0x7f80_0001, 0x8000_0000, 0, 1, 0xffff_ffff]),
            1 => self.of(&[0x7c00_7e01, 0xfc00_7c01, 0x8000_0001, 0xfe00_03ff]),
            2..10 => (self.float() * 8.0 - 4.0).to_bits(),
            _ => self.word(),
        }
    }

    fn fields(&mut self) -> Fields {
        let kind = self.of(&[LINE, PLANE, PLANE, PLANE, VOLUME, LINE_ARRAY, PLANE_ARRAY]);
        let data = self.of(&[1, 2, 3, 4, 5, 10, 10, 11, 12, 14, 9]);
        let number = self.of(&[0, 0, 1, 4, 5, 7, 7, 7, 2]);
        let size = match self.below(4) {
            0 => [1 + self.below(4), 1 + self.below(3), 1 + self.below(3)],
            1 => [64, 32, 4],
            _ => [1 + self.below(150), 1 + self.below(60), 1 + self.below(6)],
        };
        let select = if self.below(3) > 0 { XYZW } else { self.word() & 0xfff };
        let mode = self.of(&[0, 0, 10, 20, 22, 24, 25, 26, 27, self.0 as u32 >> 3 & 31]);
        Fields { data, number, size, select, mode, kind, pitch: size[0] + self.below(40), ..PLAIN }
    }

    /// A coordinate of a texel, or somewhere near them.
    fn position(&mut self, size: u32) -> u32 {
        if self.below(16) == 0 { self.word() >> self.below(32) } else { self.below(size + 1) }
    }

    /// A coordinate for samplers. `strange`: also of what is no place, or far away.
    fn coordinate(&mut self, size: f32, strange: bool) -> f32 {
        match self.below(if strange { 40 } else { 39 }) {
            39 => self.of(&[f32::INFINITY, f32::MIN, 1e9, -7e6, 1e20]),
            38 => f32::NAN,
            37 => (self.float() - 0.5) * 1000.0 * size,
            36 => self.of(&[0.0, -0.0, size, 1e-30, -1e-30]),
            34 | 35 => self.below(size as u32 + 1) as f32 / 2.0,
            _ => (self.float() * 2.0 - 0.5) * size,
        }
    }
}

/// Registers and memory after an instruction, or why there are none.
fn after(test: &mut Test, op: Op, mods: Mods, function: CoreFn) -> Result<Vec<u32>, Stop> {
    test.run_by(op, mods, |_| function)?;
    Ok(test.wave.vgpr[..40].iter().flat_map(|register| register.0).collect())
}

#[test]
fn lanes_at_once_get_the_bits_of_lanes_one_by_one() {
    let mut random = Random(7);
    let load: Ways = (load_by_lanes, alone::<Load>);
    let store: Ways = (|w, i, m| crate::interp::image::store(w, i, m, false), alone::<Store>);
    let sample: Ways = (by_lanes::<crate::interp::image::Sample>, alone::<Sample>);
    let gather: Ways = (by_lanes::<crate::interp::image::Gather>, alone::<Sample>);
    let operations: [(Op, Ways); 10] = [
        (Op::ImageLoad, load),
        (Op::ImageStore, store),
        (Op::ImageSample, sample),
        (Op::ImageSampleL, sample),
        (Op::ImageSampleLz, sample),
        (Op::ImageSampleLz, sample),
        (Op::ImageSampleB, sample),
        (Op::ImageSampleD, sample),
        (Op::ImageGather4, gather),
        (Op::ImageGather4Lz, gather),
    ];
    let levels: Vec<Simd> = Simd::usable().filter(|&level| level > Simd::Baseline).collect();
    if levels.is_empty() {
        test_skip::skip!("images are accessed lane by lane on hosts without AVX2");
    }
    let texels: Vec<u32> = (0..1 << 18).map(|_| random.texel()).collect();
    let mut test = Test::new(PLAIN, &texels);
    let (mut compared, mut filtered, mut left) = ([0u64; 3], [0u64; 3], 0u64);
    for case in 0..6000 {
        let fields = random.fields();
        let (op, (by_lanes, at_once)) = random.of(&operations);
        let stores = op == Op::ImageStore;
        let samples = !matches!(op, Op::ImageLoad | Op::ImageStore);
        test.image(fields);
        // Not where the memory begins: bits of the address toggle those of offsets.
        test.wave.sgpr[0] += random.below(300);
        test.wave.sgpr[5] = if random.below(3) == 0 { random.below(2) } else { 0 };
        let linear = random.below(4) > 0;
        let filter = if linear { 1 << 20 | 1 << 22 } else { 0 } | random.of(&[0, 0, 1, 2]) << 24;
        let flags = random.of(&[0, 1 << 15, 1 << 15, 1 << 27, 1 << 15 | 1 << 27]);
        let edges = random.word() & 0x1ff;
        test.wave.sgpr[8..12].copy_from_slice(&[edges | flags, 4095 << 12, filter, random.below(3) << 30]);
        let names = [["", "unorm"][random.below(4) as usize / 3], ["", "da"][random.below(2) as usize]].join(" ");
        let normalized = flags & 1 << 15 == 0 && !names.contains("unorm");
        let strange = random.below(12) == 0;
        for register in 0..10 {
            let size = fields.size[register % 3];
            for lane in 0..LANES {
                test.wave.vgpr[register].0[lane] = if samples {
                    random.coordinate(if normalized { 1.0 } else { size as f32 }, strange).to_bits()
                } else {
                    random.position(size)
                };
            }
        }
        for register in 32..40 {
            test.wave.vgpr[register].0 = std::array::from_fn(|_| random.texel());
        }
        // Results may come where the addresses are.
        let word = u64::from(random.word()) << 32 | u64::from(random.word());
        test.wave.set_exec(random.of(&[u64::MAX, u64::MAX, word, 1 << (word & 63)]));
        let mods = with(1 + random.below(15) as u8, &names);
        let start = test.wave.vgpr[..40].to_vec();
        let scalars = test.wave.sgpr;
        let expected = after(&mut test, op, mods, by_lanes);
        let stored = if stores { test.memory().to_vec() } else { Vec::new() };
        for &level in &levels {
            if stores {
                test.fill(&texels);
            }
            test.wave.vgpr[..40].copy_from_slice(&start);
            let got = after(&mut test, op, mods, at_once(level));
            if let Err(Stop::Illegal(LEFT)) = got {
                assert_eq!(test.wave.vgpr[..40], start, "{op:?} {fields:?}");
                left += 1;
                continue;
            }
            let context =
                format!("case {case}, {level:?}: {op:?} {mods:?} of {fields:?}, sampler {:x?}", &scalars[8..12]);
            match (&expected, &got) {
                (Ok(expected), Ok(got)) => {
                    for (i, (expected, got)) in expected.iter().zip(got).enumerate() {
                        assert_eq!(
                            got,
                            expected,
                            "{context}, v{} lane {}: {:x?}",
                            i / LANES,
                            i % LANES,
                            start[..4].iter().map(|register| register.0[i % LANES]).collect::<Vec<u32>>()
                        );
                    }
                    let lanes = u64::from(test.wave.exec().count_ones());
                    compared[level as usize] += lanes;
                    filtered[level as usize] += if samples && linear { lanes } else { 0 };
                    if stores {
                        assert!(test.memory() == stored, "{context}");
                    }
                }
                (Err(Stop::Illegal(expected)), Err(Stop::Illegal(got))) => assert_eq!(got, expected),
                (Err(_), _) | (_, Err(_)) => panic!("{context}: {got:?}"),
            }
        }
        if stores {
            test.fill(&texels);
        }
    }
    println!(
        "lanes compared by set of the host: {compared:?}, with filters {filtered:?}; {left} instructions left out"
    );
    for level in levels {
        let (compared, filtered) = (compared[level as usize], filtered[level as usize]);
        assert!(compared > 100_000 && filtered > 25_000, "{level}: {compared} {filtered} {left}");
    }
}

/// An image that is not all there is read as far as it is, and the lane that goes further faults.
#[test]
fn images_that_end_too_early_go_lane_by_lane() {
    let texels: Vec<u32> = (0..2048).collect();
    let mut test = Test::new(Fields { number: 4, size: [64, 4096, 1], ..PLAIN }, &texels);
    test.wave.set_exec(u64::MAX);
    for lane in 0..LANES {
        (test.wave.vgpr[0].0[lane], test.wave.vgpr[1].0[lane]) = (lane as u32, lane as u32 / 2);
    }
    let at_once = |inst: &Inst| {
        assert_eq!(suits(inst), simd() > Simd::Baseline);
        alone::<Load>(simd())
    };
    assert!(matches!(test.run_by(Op::ImageLoad, with(1, ""), at_once), Err(Stop::Illegal(LEFT))));
    assert!(test.run_by(Op::ImageLoad, with(1, ""), |_| either).is_ok());
    let expected: [u32; LANES] = std::array::from_fn(|lane| 64 * (lane as u32 / 2) + lane as u32);
    assert_eq!(test.wave.vgpr[32].0, expected);
    test.wave.vgpr[1].0[40] = 4000;
    match test.run_by(Op::ImageLoad, with(1, ""), |_| either) {
        Err(Stop::Memory(fault)) => assert_eq!(fault.lane(), Some(40)),
        other => panic!("{other:?}"),
    }
}
