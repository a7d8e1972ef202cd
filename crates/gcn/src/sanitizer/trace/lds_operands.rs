//! The bytes of LDS that an instruction will access, from its operands. The interpreter does not report them, because
//! it moves whole waves at once.

use crate::interp::atomic::{Atomic, by_op};
use crate::interp::vmem::vector;
use crate::interp::{buffer, ds, flat};
use crate::machine::bus;
use crate::sanitizer::trace::lds::{Kind, Touches, lowest};
use gcn_alu::wave::Wave;
use gcn_isa::inst::{Format, Inst, Mods, Operand, Special};
use gcn_isa::op::Op;
use once_cell::race::OnceBox;

/// What a DS instruction or a FLAT one accesses, or a load to LDS.
#[derive(Clone, Copy)]
struct Shape {
    access: Access,
    bytes: u8,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Load,
    Store,
    Atomic,
    /// Two of one kind, of which the offsets count these bytes.
    Two(Kind, u32),
    /// An atomic whose operand is in LDS too.
    Source2,
    /// At M0 and four times the lane.
    Thread(Kind),
    /// One atomic of the wave, at M0.
    Wave,
}

impl Shape {
    fn of(op: Op) -> Option<Shape> {
        static ALL: OnceBox<Vec<Option<Shape>>> = OnceBox::new();
        ALL.get_or_init(|| Box::new(by_op(Shape::from_mnemonic)))[op as usize]
    }

    fn from_mnemonic(op: Op) -> Option<Shape> {
        match op.mnemonic().split_once('_')? {
            ("ds", name) => Shape::of_ds(op, name),
            ("flat", name) => Shape::of_flat(op, name),
            ("global" | "scratch", name) if name.starts_with("load_lds_") => {
                Some(Shape { access: Access::Thread(Kind::Store), bytes: 4 })
            }
            _ => None,
        }
    }

    fn of_ds(op: Op, name: &str) -> Option<Shape> {
        let wide = |shape: Access| {
            let bits = ["128", "96", "64", "32", "16", "8"].into_iter().find(|bits| {
                let mut parts = name.split('_').map(|part| part.trim_start_matches(['b', 'u', 'i']));
                parts.any(|part| part == *bits)
            })?;
            Some(Shape { access: shape, bytes: bits.parse::<u8>().ok()? / 8 })
        };
        let two = |kind| {
            let scale = if name.contains("2st64") { 64 } else { 1 };
            wide(Access::Load)
                .map(|Shape { bytes, .. }| Shape { access: Access::Two(kind, u32::from(bytes) * scale), bytes })
        };
        match op {
            Op::DsReadAddtidB32 => wide(Access::Thread(Kind::Load)),
            Op::DsWriteAddtidB32 => wide(Access::Thread(Kind::Store)),
            Op::DsAppend | Op::DsConsume => Some(Shape { access: Access::Wave, bytes: 4 }),
            Op::DsCondxchg32RtnB64 => Some(Shape { access: Access::Atomic, bytes: 8 }),
            _ if name.starts_with("read2") => two(Kind::Load),
            _ if name.starts_with("write2") => two(Kind::Store),
            _ if name.starts_with("wrxchg2") => two(Kind::Atomic { returns: true }),
            _ => match ds::read_modify_write(op) {
                Some((_, wide, source2)) => Some(Shape {
                    access: if source2 { Access::Source2 } else { Access::Atomic },
                    bytes: if wide { 8 } else { 4 },
                }),
                None if name.starts_with("read_") => wide(Access::Load),
                None if name.starts_with("write_") => wide(Access::Store),
                // Permutations, which use no LDS, and global wave sync.
                None => None,
            },
        }
    }

    fn of_flat(op: Op, name: &str) -> Option<Shape> {
        let (access, what) = name.split_once('_')?;
        let access = match access {
            "load" => Access::Load,
            "store" => Access::Store,
            "atomic" => Access::Atomic,
            _ => return None,
        };
        let bytes = match what.split('_').next()? {
            _ if access == Access::Atomic && Atomic::is_wide(op) => 8,
            _ if access == Access::Atomic => 4,
            "ubyte" | "sbyte" | "byte" => 1,
            "ushort" | "sshort" | "short" => 2,
            "dword" => 4,
            "dwordx2" => 8,
            "dwordx3" => 12,
            "dwordx4" => 16,
            _ => return None,
        };
        Some(Shape { access, bytes })
    }
}

/// What an instruction of FLAT, GLOBAL, SCRATCH or MUBUF does to the memory of each lane, and to how many bytes. `None`
/// for those that convert formats, and for all others.
pub(crate) fn piece(op: Op) -> Option<(bus::Access, u8)> {
    static ALL: OnceBox<Vec<Option<(bus::Access, u8)>>> = OnceBox::new();
    ALL.get_or_init(|| {
        Box::new(by_op(|op| {
            let (format, name) = op.mnemonic().split_once('_')?;
            if !["flat", "global", "scratch", "buffer"].contains(&format) {
                return None;
            }
            let Shape { access, bytes } = Shape::of_flat(op, &name.replace("load_lds_", "load_"))?;
            let access = match access {
                Access::Load => bus::Access::Read,
                Access::Store => bus::Access::Write,
                _ => bus::Access::Atomic,
            };
            Some((access, bytes))
        }))
    })[op as usize]
}

/// A source that is LDS.
const DIRECT: Operand = Operand::Special { reg: Special::LdsDirect, count: 1 };

/// Whether it may do anything to LDS.
fn may_touch(inst: &Inst) -> bool {
    match (inst.format, inst.mods) {
        (Format::Ds | Format::Flat, _) | (Format::Mubuf, Mods::Buffer { lds: true, .. }) => true,
        (Format::Global | Format::Scratch, Mods::Flat { lds, .. }) => lds || Shape::of(inst.op).is_some(),
        _ => inst.src[0] == DIRECT,
    }
}

/// What `inst` is about to do to LDS. `None`: nothing.
pub(crate) fn touches(wave: &Wave, inst: &Inst) -> Option<Touches> {
    // Before there is room for all that it may do, which takes longer.
    if !may_touch(inst) {
        return None;
    }
    match (inst.format, inst.mods) {
        (Format::Ds, _) => of_ds(wave, inst),
        (Format::Flat, _) => of_flat(wave, inst),
        (Format::Mubuf, Mods::Buffer { lds: true, .. }) => {
            let stores = inst.op == Op::BufferStoreLdsDword;
            let kind = if stores { Kind::Load } else { Kind::Store };
            let mut touches = Touches::new(4);
            touches.push(kind, wave.exec(), |lane| buffer::lds_address(wave, inst, lane));
            Some(touches)
        }
        (Format::Global | Format::Scratch, _) => {
            let base = flat::lds_base(wave, inst);
            let mut touches = Touches::new(4);
            touches.push(Kind::Store, wave.exec(), |lane| base.wrapping_add(lane as u32 * 4));
            Some(touches)
        }
        _ => {
            let (address, bytes) = match wave.m0() >> 16 & 3 {
                0 => (wave.m0() & 0xffff, 1),
                1 => (wave.m0() & 0xfffe, 2),
                _ => (wave.m0() & 0xfffc, 4),
            };
            let mut touches = Touches::new(bytes);
            touches.push(Kind::Load, lowest(wave.exec()), |_| address);
            Some(touches)
        }
    }
}

fn of_ds(wave: &Wave, inst: &Inst) -> Option<Touches> {
    let Shape { access, bytes } = Shape::of(inst.op)?;
    let mut touches = Touches::new(bytes);
    let (offset0, offset1) = ds::operands::offsets(inst);
    let exec = wave.exec();
    let returns = inst.dst[0] != Operand::None;
    let atomic = Kind::Atomic { returns };
    // An atomic ignores the lowest bits.
    let aligned = |address: u32| address & !(u32::from(bytes) - 1);
    let base = wave.m0() & 0xffff;
    match access {
        Access::Thread(kind) => {
            touches.push(kind, exec, |lane| base.wrapping_add(offset0 + lane as u32 * 4));
            return Some(touches);
        }
        Access::Wave => {
            touches.push(atomic, lowest(exec), |_| aligned((wave.m0() >> 16).wrapping_add(offset0)));
            return Some(touches);
        }
        _ => {}
    }
    let at = &wave.vgpr[vector(inst.src[0]).ok()?].0;
    match access {
        Access::Load => touches.push(Kind::Load, exec, |lane| at[lane].wrapping_add(offset0)),
        Access::Store => touches.push(Kind::Store, exec, |lane| at[lane].wrapping_add(offset0)),
        Access::Atomic => touches.push(atomic, exec, |lane| aligned(at[lane].wrapping_add(offset0))),
        Access::Two(kind, scale) => {
            let count = if kind == Kind::Load { 2 } else { ds::operands::accesses(inst) };
            for offset in [offset0, offset1].into_iter().take(count) {
                touches.push(kind, exec, |lane| at[lane].wrapping_add(offset * scale));
            }
        }
        Access::Source2 => {
            touches.push(Kind::Load, exec, |lane| aligned(ds::source2_addresses(at[lane], inst).1));
            touches.push(atomic, exec, |lane| aligned(ds::source2_addresses(at[lane], inst).0));
        }
        Access::Thread(_) | Access::Wave => {}
    }
    Some(touches)
}

fn of_flat(wave: &Wave, inst: &Inst) -> Option<Touches> {
    let Shape { access, bytes } = Shape::of(inst.op)?;
    let mut touches = Touches::new(bytes);
    let (lanes, at) = flat::lds_lanes(wave, inst).ok()?;
    let returns = inst.dst[0] != Operand::None;
    match access {
        Access::Load => touches.push(Kind::Load, lanes, |lane| at[lane]),
        Access::Store => touches.push(Kind::Store, lanes, |lane| at[lane]),
        _ => touches.push(Kind::Atomic { returns }, lanes, |lane| at[lane] & !(u32::from(bytes) - 1)),
    }
    Some(touches)
}
