//! Detects two lanes that store different values to the same place in one instruction. Which value stays is not
//! defined.

use crate::machine::bus::Access;
use crate::sanitizer::race::lds::bits;
use crate::sanitizer::report::{Checks, Race, Racer, Space, Unordered};
use crate::sanitizer::trace::global::{Part, Touch};
use crate::sanitizer::trace::lds::{Kind, Row, Touches};
use gcn_alu::wave::{Wave, vector_index};
use gcn_isa::inst::Inst;

/// An instruction, and who executes it.
pub(crate) struct At<'a> {
    pub wave: &'a Wave,
    pub inst: &'a Inst,
    pub workgroup: [u32; 3],
}

/// Two of `count` accesses that are to the same address, and `differ`.
fn two(count: usize, address: impl Fn(usize) -> u64, differ: impl Fn(usize, usize) -> bool) -> Option<[usize; 2]> {
    // Mostly each lane has its own place, in order.
    if (1..count).all(|at| address(at - 1) < address(at)) {
        return None;
    }
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&at| address(at));
    order.windows(2).map(|two| [two[0], two[1]]).find(|&[a, b]| address(a) == address(b) && differ(a, b))
}

/// Tells of a store to device memory that is about to be made. Not to a flag: stores that are atomic in the source are
/// plain in the code.
pub(crate) fn tell(at: &At, touch: &Touch, checks: &dyn Checks) {
    // Mostly each lane has its own place, in order.
    if touch.access != Access::Write || touch.ascends() {
        return;
    }
    let (&At { wave, inst, .. }, parts) = (at, touch.parts().collect::<Vec<_>>());
    let both = |a: &Part, b: &Part| if a.lane == b.lane { 0 } else { a.bytes & b.bytes };
    let differ = |a: usize, b: usize| {
        let bytes = both(&parts[a], &parts[b]);
        bytes != 0
            && matches!((touch.stored(wave, inst, parts[a]), touch.stored(wave, inst, parts[b])), (Some(a), Some(b)) if (a ^ b) & bits(bytes) != 0)
    };
    let Some([first, second]) = two(parts.len(), |at| parts[at].address, differ) else { return };
    let (first, second) = (&parts[first], &parts[second]);
    let is_plain = |address| Some(!checks.shadow()?.page(address, checks)?.dword(address)?.is_flag());
    if is_plain(first.address) == Some(true) {
        let address = first.address + u64::from(both(first, second).trailing_zeros());
        at.tell(Space::Device, address, [first.lane, second.lane], checks);
    }
}

/// Tells of a store to the `bytes` bytes of LDS.
pub(crate) fn tell_of_lds(at: &At, touches: &Touches, bytes: u32, checks: &dyn Checks) {
    let &At { wave, inst, .. } = at;
    let in_order = |row: &Row| row.addresses.windows(2).all(|two| two[0] < two[1]);
    match touches.rows() {
        [row] if row.kind == Kind::Store && !in_order(row) => {}
        [row, _] if row.kind == Kind::Store => {}
        _ => return,
    }
    let all: Vec<_> = touches.all().collect();
    // What one stores in its dword `k`. The second one of a lane has the next operand.
    let stored = |at: usize, k: usize| {
        let is_second = at > 0 && all[at - 1].lane == all[at].lane;
        let register = vector_index(inst.src[1 + usize::from(is_second)])? + k;
        Some(wave.vgpr.get(register)?.0[usize::from(all[at].lane)])
    };
    let size = usize::from(all[0].bytes);
    let shift = if inst.op.mnemonic().ends_with("_d16_hi") { 16 } else { 0 };
    let mask = if size < 4 { ((1u32 << (8 * size)) - 1) << shift } else { u32::MAX };
    let differ = |a: usize, b: usize| {
        let dword = |k| matches!((stored(a, k), stored(b, k)), (Some(a), Some(b)) if (a ^ b) & mask != 0);
        all[a].lane != all[b].lane && (0..size.div_ceil(4)).any(dword)
    };
    let Some([first, second]) = two(all.len(), |at| all[at].address.into(), differ) else { return };
    // What is outside is told as such.
    if all[first].address.checked_add(size as u32).is_some_and(|end| end <= bytes) {
        let (address, lanes) = (all[first].address.into(), [all[first].lane, all[second].lane]);
        at.tell(Space::Lds { bytes }, address, lanes, checks);
    }
}

impl At<'_> {
    fn tell(&self, space: Space, address: u64, lanes: [u8; 2], checks: &dyn Checks) {
        let &At { wave, inst, workgroup } = self;
        let [first, second] = lanes.map(|lane| Racer {
            pc: wave.pc.wrapping_sub(inst.len.into()),
            instruction: inst,
            workgroup,
            wave: wave.index,
            lane: Some(lane),
            access: Access::Write,
        });
        checks.race(&Race { space, address, unordered: Unordered::Lanes, first, second });
    }
}
