//! Image instructions, executed on a wave with an image in memory.

use crate::interp::image::lower;
use crate::interp::image::tests::{Fields, LINE_ARRAY, PLAIN, PLANE_ARRAY, VOLUME};
use crate::machine::bus::{Access, Bus, MemoryFault, Window};
use crate::machine::context::{CoreFn, Device, Lds, Machine, Stop};
use crate::machine::memory::{Memory, Windows};
use crate::machine::segments::Segments;
use gcn_alu::wave::Wave;
use gcn_isa::inst::{Cache, Format, Inst, Mods, Operand};
use gcn_isa::op::Op;
use gcn_isa::target::Target;

/// Where the memory begins.
const BASE: u64 = 0x10_0000;

struct Ram {
    words: Vec<u64>,
    host: *mut u8,
}

// SAFETY: only this thread uses it.
unsafe impl Sync for Ram {}

// SAFETY: the window is memory that `self` owns and does not move.
unsafe impl Bus for Ram {
    fn window(&self, address: u64, access: Access) -> Result<Window, MemoryFault> {
        let end = BASE + self.words.len() as u64 * 8;
        if !(BASE..end).contains(&address) {
            return Err(MemoryFault { address, access, protection: false });
        }
        Ok(Window { start: BASE, end, host: self.host, writable: true })
    }
    fn realtime(&self) -> u64 {
        0
    }
    fn memtime(&self) -> u64 {
        0
    }
    fn interrupt(&self, _: u32, _: bool) {}
}

/// A wave with an image in s0..s7 and a sampler in s8..s11. The address is in v0.., data in v32...
pub(crate) struct Test {
    ram: Ram,
    pub wave: Wave,
}

const LINEAR: u32 = 1 << 20 | 1 << 22;

impl Test {
    /// The image's memory holds `texels`.
    pub fn new(fields: Fields, texels: &[u32]) -> Test {
        let mut words: Vec<u64> =
            texels.chunks(2).map(|pair| u64::from(pair[0]) | u64::from(*pair.get(1).unwrap_or(&0)) << 32).collect();
        words.resize(words.len().max(1024), 0);
        let host = words.as_mut_ptr().cast();
        let mut test = Test { ram: Ram { words, host }, wave: Wave::default() };
        test.image(fields);
        test.wave.set_exec(1);
        test
    }

    /// Replaces the image resource in s0..s7.
    pub fn image(&mut self, fields: Fields) {
        self.wave.sgpr[..8].copy_from_slice(&Fields { base: BASE, ..fields }.words());
    }

    /// A plane of 8 x 4 floats, 10 * y + x.
    fn plane() -> Test {
        let texels: Vec<u32> = (0..256).map(|i| ((10 * (i / 64) + i % 64) as f32).to_bits()).collect();
        Test::new(PLAIN, &texels)
    }

    fn sampler(mut self, words: [u32; 4]) -> Test {
        self.wave.sgpr[8..12].copy_from_slice(&words);
        self
    }

    /// Address registers of lane 0.
    fn at(&mut self, address: &[u32]) -> &mut Test {
        for (i, &value) in address.iter().enumerate() {
            self.wave.vgpr[i].0[0] = value;
        }
        self
    }

    fn at_floats(&mut self, address: &[f32]) -> &mut Test {
        self.at(&address.iter().map(|value| value.to_bits()).collect::<Vec<u32>>())
    }

    fn data(&mut self, data: &[u32]) -> &mut Test {
        for (i, &value) in data.iter().enumerate() {
            self.wave.vgpr[32 + i].0[0] = value;
        }
        self
    }

    fn run(&mut self, op: Op, mods: Mods) -> Result<(), Stop> {
        self.run_by(op, mods, |inst| lower(inst).unwrap_or_else(|| panic!("{op:?} is executed")))
    }

    /// Executes it by the function that `choose` gives.
    pub fn run_by(&mut self, op: Op, mods: Mods, choose: impl FnOnce(&Inst) -> CoreFn) -> Result<(), Stop> {
        let vgpr = |first| Operand::Vgpr { first, count: 4 };
        let sgpr = |first, count| Operand::Sgpr { first, count };
        let info = op.info();
        let stores = info.src[0] == gcn_isa::op::Kind::Vdata;
        let src = if stores {
            [vgpr(32), vgpr(0), sgpr(0, 8), Operand::None]
        } else {
            [vgpr(0), sgpr(0, 8), sgpr(8, 4), Operand::None]
        };
        let inst = Inst {
            op,
            format: Format::Mimg,
            target: Target::Gfx908,
            len: 8,
            dst: [vgpr(32), Operand::None],
            src,
            mods,
        };
        let mut lds = Lds::default();
        let mut windows = Windows::NONE;
        let mut machine = Machine {
            memory: Memory::new(&self.ram, false, false, &mut windows),
            lds: &mut lds,
            device: &Device::of(&self.ram, None),
            tool: None,
            segments: &Segments::default(),
            shared_base: 0,
            waves: 1,
            at_barrier: 0,
            leaving: false,
            slept: false,
        };
        choose(&inst)(&mut self.wave, &inst, &mut machine).map(|_| ())
    }

    #[track_caller]
    fn ok(&mut self, op: Op, mods: Mods) {
        self.run(op, mods).unwrap_or_else(|stop| panic!("{op:?}: {stop:?}"));
    }

    /// The data registers after it.
    #[track_caller]
    fn get(&mut self, op: Op, mods: Mods) -> [u32; 6] {
        self.data(&[NONE; 6]).ok(op, mods);
        std::array::from_fn(|i| self.wave.vgpr[32 + i].0[0])
    }

    #[track_caller]
    fn float(&mut self, op: Op, mods: Mods) -> f32 {
        f32::from_bits(self.get(op, mods)[0])
    }

    fn word(&self, index: usize) -> u32 {
        self.memory()[index]
    }

    /// The image's memory.
    pub fn memory(&self) -> &[u32] {
        // SAFETY: all of `words`, which nothing else uses now.
        unsafe { std::slice::from_raw_parts(self.ram.host.cast(), self.ram.words.len() * 2) }
    }

    /// Fills the image with `texels`, one for each texel.
    pub fn fill(&mut self, texels: &[u32]) {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.ram.host.cast(), self.ram.words.len() * 2) }
            .copy_from_slice(texels);
    }
}

const NONE: u32 = 0xdead_beef;

fn mods(dmask: u8) -> Mods {
    with(dmask, "")
}

/// Modifiers by their names.
pub(crate) fn with(dmask: u8, names: &str) -> Mods {
    let has = |name| names.split(' ').any(|n| n == name);
    Mods::Image {
        dmask,
        unorm: has("unorm"),
        cache: Cache::default().with(Cache::GLC, has("glc")).with(Cache::COHERENT, has("glc")),
        a16: has("a16"),
        tfe: has("tfe"),
        lwe: has("lwe"),
        da: has("da"),
        d16: has("d16"),
    }
}

#[test]
fn masks_pack_registers_and_missing_components_are_selected() {
    let bytes = Fields { data: 10, number: 4, size: [4, 1, 1], ..PLAIN };
    let mut test = Test::new(bytes, &[0x0403_0201, 0x0807_0605]);
    test.at(&[1, 0]);
    assert_eq!(test.get(Op::ImageLoad, mods(15)), [5, 6, 7, 8, NONE, NONE]);
    assert_eq!(test.get(Op::ImageLoad, mods(0b1010)), [6, 8, NONE, NONE, NONE, NONE]);
    assert_eq!(test.get(Op::ImageLoad, with(0b0100, "tfe")), [7, 0, NONE, NONE, NONE, NONE]);
    assert_eq!(test.get(Op::ImageLoad, mods(0)), [0, NONE, NONE, NONE, NONE, NONE]);
    // z, 0, x, 1.
    test.wave.sgpr[3] = test.wave.sgpr[3] & !0xfff | 6 | 4 << 6 | 1 << 9;
    assert_eq!(test.get(Op::ImageLoad, mods(15)), [7, 0, 5, 1, NONE, NONE]);
    // Past the edge: zeros, and what the resource says that does not come from memory.
    test.at(&[4, 0]);
    assert_eq!(test.get(Op::ImageLoad, mods(15)), [0, 0, 0, 1, NONE, NONE]);
    test.at(&[u32::MAX, 0]);
    assert_eq!(test.get(Op::ImageLoad, mods(1))[0], 0);
}

#[test]
fn halves_beside_an_odd_component_become_zero_with_ecc_and_stay_without() {
    let bytes = Fields { data: 10, number: 4, size: [4, 1, 1], ..PLAIN };
    for (sram_ecc, beside) in [(true, 0), (false, NONE & 0xffff_0000)] {
        let mut test = Test::new(bytes, &[0x0403_0201, 0x0807_0605]).sampler([0; 4]);
        test.wave.sram_ecc = sram_ecc;
        test.at(&[1, 0]);
        for (op, mods) in [(Op::ImageLoad, ""), (Op::ImageLoadMip, ""), (Op::ImageSampleLz, "unorm ")] {
            if op == Op::ImageSampleLz {
                test.at_floats(&[1.0, 0.0]);
            }
            let all = with(0b0111, &format!("{mods}d16 tfe"));
            assert_eq!(test.get(op, all)[..4], [0x0006_0005, beside | 7, 0, NONE], "{op:?}, ECC {sram_ecc}");
            let one = with(0b1000, &format!("{mods}d16"));
            assert_eq!(test.get(op, one)[..2], [beside | 8, NONE], "{op:?}, ECC {sram_ecc}");
            let all = with(15, &format!("{mods}d16"));
            assert_eq!(test.get(op, all)[..3], [0x0006_0005, 0x0008_0007, NONE], "{op:?}, ECC {sram_ecc}");
        }
        // Past the edge the component is 0, and what is beside it no other.
        test.at(&[4, 0]);
        assert_eq!(test.get(Op::ImageLoad, with(0b0001, "d16"))[0], beside);
    }
}

#[test]
fn stores_take_components_back_to_where_they_come_from() {
    // Memory holds blue, green, red, alpha.
    let fields = Fields { data: 10, number: 4, size: [4, 1, 1], select: 6 | 5 << 3 | 4 << 6 | 7 << 9, ..PLAIN };
    let mut test = Test::new(fields, &[0; 4]);
    test.at(&[2, 0]).data(&[1, 2, 3, 4]).ok(Op::ImageStore, mods(15));
    assert_eq!(test.word(2), 0x0401_0203);
    // What the mask leaves out becomes 0; where there is no texel nothing is stored.
    test.data(&[9, 8]).ok(Op::ImageStore, mods(0b1001));
    assert_eq!(test.word(2), 0x0809_0000);
    test.at(&[4, 0]).ok(Op::ImageStore, mods(15));
    test.at(&[0, 1]).ok(Op::ImageStore, mods(15));
    test.at(&[0, 0]).ok(Op::ImageStore, mods(0));
    assert_eq!([0, 1, 3, 4, 64].map(|i| test.word(i)), [0; 5]);
    test.at(&[3, 0]).data(&[0x0006_0005, 0x0008_0007]);
    test.ok(Op::ImageStore, with(15, "d16"));
    assert_eq!(test.word(3), 0x0805_0607);
}

#[test]
fn slices_and_levels() {
    let texels: Vec<u32> = (0..1024).collect();
    let array = Fields { number: 4, size: [8, 4, 3], kind: PLANE_ARRAY, ..PLAIN };
    let mut test = Test::new(array, &texels);
    test.at(&[5, 2, 1]);
    assert_eq!(test.get(Op::ImageLoad, with(1, "da"))[0], 64 * 6 + 5);
    assert_eq!(test.get(Op::ImageLoad, mods(1))[0], 64 * 2 + 5, "without `da` there is no slice");
    test.at(&[5, 2, 3]);
    assert_eq!(test.get(Op::ImageLoad, with(1, "da"))[0], 0);
    test.at(&[2 << 16 | 5, 1]);
    assert_eq!(test.get(Op::ImageLoad, with(1, "da a16"))[0], 64 * 6 + 5);
    for (level, expected) in [(0, 64 * 6 + 5), (1, 0)] {
        test.at(&[5, 2, 1, level]);
        assert_eq!(test.get(Op::ImageLoadMip, with(1, "da"))[0], expected);
    }
    let mut lines = Test::new(Fields { number: 4, size: [8, 1, 3], kind: LINE_ARRAY, ..PLAIN }, &texels);
    lines.at(&[5, 2]);
    assert_eq!(lines.get(Op::ImageLoad, with(1, "da"))[0], 64 * 2 + 5);
    let mut volume = Test::new(Fields { number: 4, size: [8, 4, 3], kind: VOLUME, ..PLAIN }, &texels);
    volume.at(&[5, 2, 1]);
    assert_eq!(volume.get(Op::ImageLoad, mods(1))[0], 64 * 6 + 5);
}

#[test]
fn resource_info() {
    let mut test = Test::new(Fields { size: [8, 4, 3], kind: PLANE_ARRAY, ..PLAIN }, &[]);
    test.at(&[0]);
    assert_eq!(test.get(Op::ImageGetResinfo, mods(15))[..4], [8, 4, 3, 1]);
    test.at(&[1]);
    assert_eq!(test.get(Op::ImageGetResinfo, mods(15))[..4], [0, 0, 0, 1]);
}

#[test]
fn atomics() {
    let mut test = Test::new(Fields { number: 4, ..PLAIN }, &[5, 6]);
    test.at(&[1, 0]).data(&[10]).ok(Op::ImageAtomicAdd, mods(1));
    assert_eq!((test.word(1), test.wave.vgpr[32].0[0]), (16, 10), "without glc nothing is returned");
    test.data(&[3, 16]).ok(Op::ImageAtomicCmpswap, with(3, "glc"));
    assert_eq!((test.word(1), test.wave.vgpr[32].0[0]), (3, 16));
    test.at(&[8, 0]).data(&[3]).ok(Op::ImageAtomicSwap, with(1, "glc"));
    assert_eq!((test.word(8), test.wave.vgpr[32].0[0]), (0, 0), "past the edge");
    assert!(matches!(test.run(Op::ImageAtomicAdd, mods(3)), Err(Stop::Illegal(why)) if why.contains("texels")));
    let mut wide = Test::new(Fields { data: 11, number: 4, ..PLAIN }, &[1, 2, u32::MAX, 4]);
    wide.at(&[1, 0]).data(&[1, 0]).ok(Op::ImageAtomicAdd, with(3, "glc"));
    assert_eq!([wide.word(2), wide.word(3), wide.wave.vgpr[32].0[0], wide.wave.vgpr[33].0[0]], [0, 5, u32::MAX, 4]);
}

#[test]
fn filters_and_edges() {
    let unnormalized = |edge: u32, filter| [edge | edge << 3 | 1 << 15, 4095 << 12, filter, 0];
    let mut near = Test::plane().sampler(unnormalized(2, 0));
    near.at_floats(&[3.7, 2.2]);
    assert_eq!(near.float(Op::ImageSampleLz, mods(1)), 23.0);
    let mut test = Test::plane().sampler(unnormalized(2, LINEAR));
    test.at_floats(&[3.75, 2.0]);
    assert_eq!(test.float(Op::ImageSampleLz, mods(1)), 18.25);
    // Edges: repeat, mirror, clamp, mirror once, half border, half border mirrored once, border, border mirrored once.
    for (edge, at, expected) in [
        (0, -0.25, 7.0 * 0.75),
        (0, 8.25, 7.0 * 0.25),
        (1, -1.25, 0.75),
        (1, 9.25, 6.25),
        (2, -3.0, 0.0),
        (2, 100.0, 7.0),
        (3, -1.25, 0.75),
        (3, -100.0, 7.0),
        (4, 9.0, 3.5),
        (5, -9.0, 3.5),
        (6, 8.25, 1.75),
        (6, 9.0, 0.0),
        (7, -8.25, 1.75),
        (7, -9.0, 0.0),
    ] {
        let mut test = Test::plane().sampler(unnormalized(edge, LINEAR));
        // Vertically it is the middle of the first row.
        test.at_floats(&[at, 0.5]);
        assert_eq!(test.float(Op::ImageSampleLz, mods(1)), expected, "edge {edge} at {at}");
    }
}

#[test]
fn coordinates_that_are_no_places() {
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN] {
        for edge in 0..8 {
            for filter in [0, LINEAR] {
                let mut test = Test::plane().sampler([edge | edge << 3, 4095 << 12, filter, 0]);
                test.at_floats(&[value, value, value, value]);
                for op in [Op::ImageSampleLz, Op::ImageSample, Op::ImageSampleL, Op::ImageGather4, Op::ImageGetLod] {
                    let _ = test.get(op, mods(1));
                }
            }
        }
    }
}

/// What stands before and behind the coordinates.
#[test]
fn address_registers_of_variants() {
    let sampler = [2 | 2 << 3 | 1 << 15 | 1 << 12, 4095 << 12, 1 << 22, 0];
    let mut test = Test::plane().sampler(sampler);
    // Offset by (1, -1).
    test.at(&[1 | 0x3f << 8, 2.5f32.to_bits(), 2.5f32.to_bits()]);
    assert_eq!(test.float(Op::ImageSampleLzO, mods(1)), 13.0);
    // Reference 12.5 is less than 13.
    test.at(&[1 | 0x3f << 8, 12.5f32.to_bits(), 2.5f32.to_bits(), 2.5f32.to_bits()]);
    assert_eq!(test.get(Op::ImageSampleCLzO, mods(15))[..4], [1f32.to_bits(), 0, 0, 1f32.to_bits()]);
    test.at(&[1 | 0x3f << 8, 13f32.to_bits(), 2.5f32.to_bits(), 2.5f32.to_bits()]);
    assert_eq!(test.float(Op::ImageSampleCLzO, mods(1)), 0.0);
    // The filter for reduced images is linear, the other one is not: the level of detail chooses.
    test.at_floats(&[2.75, 2.5, 0.5]);
    assert_eq!(test.float(Op::ImageSampleL, mods(1)), 22.25);
    test.at_floats(&[2.75, 2.5, 0.0]);
    assert_eq!(test.float(Op::ImageSampleL, mods(1)), 22.0);
    // Two texels to the right are level 1; a bias of -1 makes it 0 again.
    test.at_floats(&[2.0, 0.0, 0.0, 1.0, 2.75, 2.5]);
    assert_eq!(test.float(Op::ImageSampleD, mods(1)), 22.25);
    test.at_floats(&[1.0, 0.0, 0.0, 1.0, 2.75, 2.5]);
    assert_eq!(test.float(Op::ImageSampleD, mods(1)), 22.0);
    // A lower bound.
    test.at_floats(&[1.0, 0.0, 0.0, 1.0, 2.75, 2.5, 0.5]);
    assert_eq!(test.float(Op::ImageSampleDCl, mods(1)), 22.25);
    // Halves: derivatives in pairs, then the coordinates.
    let halves = |a: u32, b: u32| a | b << 16;
    test.at(&[halves(0x4000, 0), halves(0, 0x3c00), halves(0x4180, 0x4100)]);
    assert_eq!(test.float(Op::ImageSampleD, with(1, "a16")), 22.25);
}

/// Without derivatives of its own an instruction takes them from four neighbouring lanes.
#[test]
fn derivatives_of_neighbours() {
    let mut test = Test::plane().sampler([2 | 2 << 3 | 1 << 15, 4095 << 12, 1 << 22, 0]);
    test.wave.set_exec(0xff);
    for lane in 0..8 {
        let step = if lane < 4 { 1.0 } else { 4.0 };
        test.wave.vgpr[0].0[lane] = ((lane % 2) as f32 * step).to_bits();
        test.wave.vgpr[1].0[lane] = ((lane % 4 / 2) as f32).to_bits();
    }
    test.ok(Op::ImageGetLod, mods(3));
    let lods: [f32; 8] = std::array::from_fn(|lane| f32::from_bits(test.wave.vgpr[33].0[lane]));
    assert_eq!(lods, [0.0, 0.0, 0.0, 0.0, 2.0, 2.0, 2.0, 2.0]);
    assert_eq!(test.wave.vgpr[32].0[4], 0);
    // The second group's filter is the linear one: half of 0 and half of 4 in each row, the rows 0 and 10.
    for lane in 0..8 {
        test.wave.vgpr[1].0[lane] = 0;
    }
    test.wave.vgpr[0].0[5] = 4.0f32.to_bits();
    test.ok(Op::ImageSample, mods(1));
    let values: [f32; 8] = std::array::from_fn(|lane| f32::from_bits(test.wave.vgpr[32].0[lane]));
    assert_eq!(values, [0.0, 1.0, 0.0, 1.0, 0.0, 3.5, 0.0, 3.5]);
}

/// Biases are added to the level of detail that derivatives give: the sampler's, and the instruction's, which has a
/// register of its own.
#[test]
fn biases_of_the_level_of_detail() {
    let sampler = |bias: i32| [2 | 2 << 3 | 1 << 15, 4095 << 12, 1 << 22 | (bias * 256) as u32 & 0x3fff, 0];
    // Two texels to the right and one downwards are level 1.
    let places = [(0, 0), (2, 0), (0, 1), (2, 1)];
    for (bias, lod) in [(0, 1.0), (2, 3.0), (3, 4.0), (-1, 0.0)] {
        let mut test = Test::plane().sampler(sampler(bias));
        for (lane, (x, y)) in places.into_iter().enumerate() {
            test.wave.vgpr[0].0[lane] = (x as f32).to_bits();
            test.wave.vgpr[1].0[lane] = (y as f32).to_bits();
        }
        assert_eq!(f32::from_bits(test.get(Op::ImageGetLod, mods(3))[1]), lod, "{bias}");
    }
    // The filter for reduced images is linear, the other one is not: the level of detail chooses. Halves: the bias does
    // not share its register.
    let linear = 22.25;
    for (of_sampler, bias, expected) in
        [(0, 0.0, linear), (0, -1.0, 22.0), (0, -2.0, 22.0), (-1, 0.5, linear), (-2, 0.5, 22.0), (-2, 1.5, linear)]
    {
        for halves in [false, true] {
            let mut test = Test::plane().sampler(sampler(of_sampler));
            for (lane, (x, y)) in places.into_iter().enumerate() {
                let (x, y) = (2.75 + x as f32, 2.5 + y as f32);
                let half = |value: f32| u32::from(crate::interp::atomic::f64_to_f16(value.into()));
                let registers =
                    if halves { [half(bias), half(x) | half(y) << 16, NONE] } else { [bias, x, y].map(f32::to_bits) };
                registers.into_iter().enumerate().for_each(|(i, value)| test.wave.vgpr[i].0[lane] = value);
            }
            let mods = with(1, if halves { "a16" } else { "" });
            assert_eq!(test.float(Op::ImageSampleB, mods), expected, "{of_sampler} {bias} halves: {halves}");
        }
    }
}

#[test]
fn gathers() {
    let mut test = Test::plane().sampler([2 | 2 << 3 | 1 << 15, 4095 << 12, 0, 0]);
    test.at_floats(&[3.2, 2.2]);
    assert_eq!(test.get(Op::ImageGather4, mods(1)).map(f32::from_bits)[..4], [22.0, 23.0, 13.0, 12.0]);
    // A component that the image does not have.
    assert_eq!(test.get(Op::ImageGather4Lz, mods(8)).map(f32::from_bits)[..4], [1.0; 4]);
}

#[test]
fn minimum_and_maximum() {
    for (mode, expected) in [(1, 2.0), (2, 13.0)] {
        let mut test = Test::plane().sampler([2 | 2 << 3 | 1 << 15 | mode << 29, 4095 << 12, LINEAR, 0]);
        test.at_floats(&[3.2, 1.2]);
        assert_eq!(test.float(Op::ImageSampleLz, mods(1)), expected);
    }
}

#[test]
fn borders_have_colours() {
    let bytes = Fields { data: 10, number: 0, size: [4, 1, 1], ..PLAIN };
    let border = |colour: u32| [6 | 6 << 3, 4095 << 12, 0, colour << 30];
    for (colour, expected) in [(0, [0.0; 4]), (1, [0.0, 0.0, 0.0, 1.0]), (2, [1.0; 4])] {
        let mut test = Test::new(bytes, &[]).sampler(border(colour));
        test.at_floats(&[-0.5, 0.5]);
        assert_eq!(test.get(Op::ImageSampleLz, mods(15)).map(f32::from_bits)[..4], expected);
    }
    // Alpha first in memory: the resource says so for the border too.
    let mut test = Test::new(Fields { select: 5 | 6 << 3 | 7 << 6 | 4 << 9, ..bytes }, &[]).sampler(border(1));
    test.wave.sgpr[4] |= 3 << 29;
    test.at_floats(&[-0.5, 0.5]);
    assert_eq!(test.get(Op::ImageSampleLz, mods(15)).map(f32::from_bits)[..4], [0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn unmapped_images_fault() {
    let mut test = Test::plane();
    test.wave.sgpr[0] = 0;
    test.at(&[1, 0]);
    for op in [Op::ImageLoad, Op::ImageStore, Op::ImageAtomicAdd] {
        assert!(matches!(test.run(op, mods(1)), Err(Stop::Memory(fault)) if fault.address == 4), "{op:?}");
    }
}

fn is_executed(op: Op) -> bool {
    let (dst, src) = ([Operand::None; 2], [Operand::None; 4]);
    lower(&Inst { op, format: Format::Mimg, target: Target::Gfx908, len: 8, dst, src, mods: mods(1) }).is_some()
}

/// Any resource, sampler and address end in data, a memory fault or an exception.
#[test]
fn anything_goes() {
    let ops: Vec<Op> = (0..=255u32)
        .filter_map(|opcode| {
            let word = 0xf000_0000 | (opcode & 0x7f) << 18 | opcode >> 7 | 0x100;
            let mut bytes = [0; 8];
            bytes[..4].copy_from_slice(&word.to_le_bytes());
            gcn_isa::decode::decode(Target::Gfx908, &bytes).ok().map(|inst| inst.op)
        })
        .collect();
    let mut seed = 1u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 32) as u32
    };
    let (mut done, mut faults, mut refused) = (0, 0, 0);
    for i in 0..40_000 {
        let kind = [8, 9, 10, 12, 13, random() & 15][i % 6];
        let data = [1, 2, 3, 4, 5, 9, 10, 11, 12, 14, 16, random() & 63][i % 12];
        let number = [4, 5, 4, 7, 0, 1, random() & 15][i % 7];
        let mut test =
            Test::new(Fields { kind, data, number, mode: random() & 31, select: random() & 0xfff, ..PLAIN }, &[]);
        test.wave.sgpr[2] = random();
        test.wave.sgpr[4] = random() & 0x1fff_ffff;
        if i % 5 == 0 {
            for k in 4..8 {
                test.wave.sgpr[k] |= random() & random();
            }
        }
        // Mostly without the fields that are refused.
        let clear = if i % 4 == 0 { [0; 4] } else { [3 << 29 | 7 << 9, 0, 3 << 24, 1 << 31] };
        for (k, clear) in clear.into_iter().enumerate() {
            test.wave.sgpr[8 + k] = random() & !clear;
        }
        for k in 0..16 {
            test.wave.vgpr[k].0[0] = if i % 2 == 0 { random() } else { random() & 0x7 };
        }
        let op = ops[random() as usize % ops.len()];
        if !is_executed(op) {
            continue;
        }
        let bits = random();
        let bit = |n: u32| bits >> n & 1 != 0;
        let names = ["unorm", "glc", "a16", "tfe", "lwe", "da", "d16"];
        let names = names.into_iter().enumerate().filter(|&(i, _)| bit(4 + i as u32)).map(|(_, name)| name);
        match test.run(op, with((bits & 15) as u8, &names.collect::<Vec<_>>().join(" "))) {
            Ok(()) => done += 1,
            Err(Stop::Memory(_)) => faults += 1,
            Err(Stop::Illegal(_)) => refused += 1,
            Err(other) => panic!("{other:?}"),
        }
    }
    println!("{done} done, {faults} faults, {refused} refused");
    assert!(done > 5000 && faults > 1000 && refused > 5000);
}

#[test]
fn what_is_left_out_is_not_executed() {
    for op in [Op::ImageLoadPck, Op::ImageLoadMipPckSgn, Op::ImageStorePck, Op::ImageGather4h] {
        assert!(!is_executed(op), "{op:?}");
    }
}
