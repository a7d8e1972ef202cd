//! Loads and stores of vector registers, in LDS and in device memory, as machine code.
//!
//! Mostly all lanes of the wave are enabled and side by side. If not, three kinds are compiled for a quarter of the
//! wave: lanes side by side, lanes that all load the same, and, of dwords, lanes anywhere in one window of memory or in
//! LDS. The code looks before it changes anything. What is none of these is executed as the run loop executes it.

use crate::jit::lower::vmem::gather_scatter::{HIGH, LANES, LOADED, Routine, STORED};
use crate::jit::lower::vmem::regs::{BEHIND, HOST, LIMIT, TO_DISTANCE};
use crate::jit::x64::assembler::{
    ABOVE, ALL, BELOW, Code, Jump, LDS, LDS_BYTES, NOT_ALL, NOT_ZERO, RAX, RCX, Rm, SGPR, VGPR, ZERO,
};
use crate::jit::x64::avx512::*;
use crate::jit::x64::tlb_lookup::{END, START};
use gcn_alu::wave::reg;

pub(crate) use crate::jit::lower::vmem::gather_scatter::Routines;

mod buffer;
mod consecutive;
mod full_wave;
mod gather_scatter;
mod regs;
mod rows;
mod select;

/// What a lane accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Element {
    Byte { signed: bool },
    Short { signed: bool },
    Dwords(u8),
}

impl Element {
    /// Its bytes.
    fn size(self) -> i32 {
        match self {
            Element::Byte { .. } => 1,
            Element::Short { .. } => 2,
            Element::Dwords(count) => 4 * i32::from(count),
        }
    }

    fn registers(self) -> usize {
        match self {
            Element::Dwords(count) => usize::from(count),
            _ => 1,
        }
    }

    /// The distances of lanes side by side.
    fn row(self) -> Option<&'static [u32; 16]> {
        static ROWS: [[u32; 16]; 5] = [multiples(1), multiples(2), multiples(4), multiples(8), multiples(16)];
        Some(&ROWS[self.order()?])
    }

    /// Base-2 logarithm of its bytes.
    fn order(self) -> Option<usize> {
        let size = self.size() as u32;
        size.is_power_of_two().then(|| size.trailing_zeros() as usize)
    }
}

/// The first multiples of a number.
const fn multiples<const N: usize>(of: u32) -> [u32; N] {
    let mut table = [0; N];
    let mut lane = 0;
    while lane < N {
        table[lane] = of.wrapping_mul(lane as u32);
        lane += 1;
    }
    table
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Space {
    Lds,
    /// With the first of two scalar registers that have the base; without, lanes have addresses in two registers.
    Device {
        base: Option<usize>,
    },
    /// Through the buffer resource in four scalar registers, of which this is the first. Another one may have an offset
    /// for all lanes.
    Buffer {
        resource: usize,
        scalar: Option<usize>,
    },
}

impl Space {
    /// The first of the scalar registers that have the base, and the one that has an offset for all lanes.
    fn base_and_offset(self) -> (Option<usize>, Option<usize>) {
        match self {
            Space::Lds => (None, None),
            Space::Device { base } => (base, None),
            Space::Buffer { resource, scalar } => (Some(resource), scalar),
        }
    }
}

/// An access that is compiled.
#[derive(Clone)]
pub(crate) struct Access {
    space: Space,
    /// The first vector register of the addresses.
    address: usize,
    /// Offsets from the address, and the first vector register that is loaded or stored there.
    parts: Vec<(i32, usize)>,
    element: Element,
    is_load: bool,
}

impl Access {
    /// Scalar registers that it reads, besides EXEC and M0: the first ones, and how many.
    pub fn scalars(&self) -> impl Iterator<Item = (u8, u8)> {
        let (base, offset) = self.space.base_and_offset();
        let base_registers = if matches!(self.space, Space::Buffer { .. }) { 4 } else { 2 };
        let base = base.map(|first| (first as u8, base_registers));
        base.into_iter().chain(offset.map(|register| (register as u8, 1)))
    }

    /// Appends the code for what most are: all lanes are enabled, and side by side. Gives jumps for what is not so, to
    /// what [`Access::emit_rest`] appends, and for what is not done at all. The wave goes on behind the code.
    pub fn emit(&self, code: &mut Code, routines: &mut Routines) -> [Vec<Jump>; 2] {
        let mut failures = Vec::new();
        let rest = self.emit_whole(code, routines, &mut failures);
        [rest, failures]
    }

    /// As [`Access::emit_rest`], or a jump for all if the host lacks what that needs.
    pub fn rest(&self, code: &mut Code, routines: &mut Routines) -> Vec<Jump> {
        let is_encoded = |emit: fn(&Access, &mut Code, &mut Routines)| {
            Code::encodes(code.isa(), |trial| {
                let mut called = Routines::default();
                emit(self, trial, &mut called);
                called.emit(trial);
            })
        };
        let has_rows = code.has_halves()
            && is_encoded(|access, code, routines| {
                access.emit_rows(code, routines, &mut Vec::new());
            });
        let has_rest = is_encoded(|access, code, routines| {
            access.emit_rest(code, routines);
        });
        let mut failures = Vec::new();
        let mut done = Vec::new();
        if has_rows {
            let others;
            [done, others] = self.emit_rows(code, routines, &mut failures);
            others.into_iter().for_each(|jump| code.land(jump));
        }
        if has_rest {
            failures.extend(self.emit_rest(code, routines));
        } else {
            failures.push(code.jump(None));
        }
        done.into_iter().for_each(|jump| code.land(jump));
        failures
    }

    /// Appends the code for lanes that are enabled in part, or elsewhere. The jumps are for what it does not do.
    pub fn emit_rest(&self, code: &mut Code, routines: &mut Routines) -> Vec<Jump> {
        let mut failures = Vec::new();
        let nobody = self.find(code, routines, &mut failures);
        if self.is_load {
            self.load(code, routines, &mut failures);
        } else {
            self.store(code, routines, &mut failures);
        }
        nobody.into_iter().for_each(|jump| code.land(jump));
        failures
    }

    /// The lowest of the offsets.
    fn lowest(&self) -> i32 {
        self.parts.iter().map(|(offset, _)| *offset).min().unwrap_or(0)
    }

    /// Distances of parts from the lowest.
    fn displacements(&self) -> impl Iterator<Item = i32> {
        self.parts.iter().map(|(offset, _)| offset - self.lowest())
    }

    /// Bytes that are accessed at the smallest: loads of less than a dword load one.
    fn unit(&self) -> i32 {
        if self.is_load { self.element.size().max(4) } else { self.element.size() }
    }

    fn has_high(&self) -> bool {
        self.space == Space::Device { base: None }
    }

    /// Finds memory: [`HOST`], [`TO_DISTANCE`], [`LIMIT`]. Gives the jump for where no lane is enabled.
    fn find(&self, code: &mut Code, routines: &mut Routines, failures: &mut Vec<Jump>) -> Option<Jump> {
        let spread = self.displacements().max().unwrap_or(0) + self.unit();
        let lowest = self.lowest();
        if self.space == Space::Lds {
            code.between(true, &[0x8b], HOST, LDS);
            code.between(true, &[0x8b], LIMIT, LDS_BYTES);
            code.set(TO_DISTANCE, lowest);
            code.subtract(LIMIT, spread);
            failures.push(code.jump(BELOW));
            return None;
        }
        // The first lane that is enabled.
        code.scalar(true, &[0x8b], RCX, SGPR, 4 * reg::EXEC as i32);
        code.between(true, &[0x85], RCX, RCX);
        let nobody = code.jump(ZERO);
        code.trailing_zeros(RCX);
        code.lane(&[0x8b], RAX, 256 * self.address as i32);
        if self.has_high() {
            code.lane(&[0x8b], TO_DISTANCE, 256 * (self.address as i32 + 1));
            code.shift_left(TO_DISTANCE, 32);
            code.between(true, &[0x0b], RAX, TO_DISTANCE);
        }
        self.find_host(code, routines, failures);
        code.between(true, &[0x03], HOST, START);
        code.between(true, &[0x8b], LIMIT, END);
        code.between(true, &[0x2b], LIMIT, START);
        code.subtract(LIMIT, spread);
        failures.push(code.jump(BELOW));
        // The offset and the base less where the window begins.
        code.set(TO_DISTANCE, lowest);
        code.between(true, &[0x2b], TO_DISTANCE, START);
        self.add_base(code, TO_DISTANCE);
        Some(nobody)
    }

    /// Makes the lowest address of a lane of what its vector registers have, in RAX, and finds where it is: [`END`],
    /// and what makes a host address of it, in [`HOST`]. Of LDS an address is a distance.
    fn find_host(&self, code: &mut Code, routines: &mut Routines, failures: &mut Vec<Jump>) {
        self.add_base(code, RAX);
        code.sum(RAX, RAX, self.lowest());
        if self.space == Space::Lds {
            code.between(true, &[0x8b], HOST, LDS);
            code.between(true, &[0x8b], END, LDS_BYTES);
            return;
        }
        if let Space::Buffer { resource, .. } = self.space {
            failures.extend(buffer::not_plain(code, resource));
        }
        failures.push(routines.window(code, self.is_load));
        if let Space::Buffer { resource, .. } = self.space {
            failures.push(buffer::end(code, resource));
        }
    }

    /// Adds what scalar registers say of all lanes' addresses to a register other than RCX.
    fn add_base(&self, code: &mut Code, register: u8) {
        let (base, offset) = self.space.base_and_offset();
        if let Some(base) = base {
            code.scalar(true, &[0x03], register, SGPR, 4 * base as i32);
        }
        if let Some(offset) = offset {
            code.scalar(false, &[0x8b], RCX, SGPR, 4 * offset as i32);
            code.between(true, &[0x03], register, RCX);
        }
    }

    /// The mask of the quarter's enabled lanes, in register 4 and further. Gives the jump for where there are none.
    fn mask(code: &mut Code, quarter: u8) -> Jump {
        code.load_mask(4 + quarter, SGPR, 4 * reg::EXEC as i32 + 2 * i32::from(quarter));
        code.test_masks(4 + quarter, 4 + quarter);
        code.jump(ZERO)
    }

    /// The addresses of the quarter in registers 0 and [`HIGH`].
    fn addresses(&self, code: &mut Code, quarter: u8) {
        code.vector(LOAD, 0, ALL, 0, place(self.address, quarter), None);
        if self.has_high() {
            code.vector(LOAD, HIGH, ALL, 0, place(self.address + 1, quarter), None);
        }
    }

    /// What the vector registers have for the quarter's first lane, in RAX.
    fn first(&self, code: &mut Code, quarter: u8) {
        let at = 256 * self.address as i32 + 64 * i32::from(quarter);
        code.scalar(false, &[0x8b], RAX, VGPR, at);
        if self.has_high() {
            code.scalar(false, &[0x8b], RCX, VGPR, at + 256);
            code.shift_left(RCX, 32);
            code.between(true, &[0x0b], RAX, RCX);
        }
    }

    /// The distance of the quarter's first lane in RAX.
    fn first_distance(&self, code: &mut Code, quarter: u8) {
        self.first(code, quarter);
        code.between(true, &[0x03], RAX, TO_DISTANCE);
    }

    /// Jumps for where the low halves of 16 lanes side by side overflow, of which the quarter's first one is the first,
    /// with its distance in RAX, or where the last one is not inside. RAX is not above [`LIMIT`], which is far below
    /// what sums here overflow at.
    fn bounds(&self, code: &mut Code, quarter: u8) -> [Jump; 2] {
        let size = self.element.size();
        code.scalar(false, &[0x8b], RCX, VGPR, 256 * self.address as i32 + 64 * i32::from(quarter));
        code.add32(RCX, 15 * size);
        let overflows = code.jump(BELOW);
        code.sum(RCX, RAX, 16 * size - self.unit());
        code.between(true, &[0x3b], RCX, LIMIT);
        [overflows, code.jump(ABOVE)]
    }

    /// Looks at the quarter's addresses in registers 0 and [`HIGH`]: the distance of its first lane in RAX, what lanes
    /// add in register 1. Gives jumps for where they are anywhere, and one for where they are not side by side.
    fn look(&self, code: &mut Code, quarter: u8) -> (Vec<Jump>, Jump) {
        let mut anywhere = vec![self.first_inside(code, quarter)];
        code.vector(BROADCAST, 1, ALL, 0, Rm::Register(0), None);
        code.vector(SUB, 1, ALL, 0, Rm::Register(1), None);
        if self.has_high() {
            code.vector(BROADCAST, 3, ALL, 0, Rm::Register(HIGH), None);
            code.vector(COMPARE_I, 2, 4 + quarter, HIGH, Rm::Register(3), Some(4));
            code.test_masks(2, 2);
            anywhere.push(code.jump(NOT_ZERO));
        }
        let Some(row) = self.element.row() else {
            return (anywhere, code.jump(None));
        };
        code.vector(COMPARE_I, 2, 4 + quarter, 1, Rm::Table(row), Some(4));
        code.test_masks(2, 2);
        let not_in_row = code.jump(NOT_ZERO);
        anywhere.extend(self.bounds(code, quarter));
        (anywhere, not_in_row)
    }

    /// Everything is loaded before anything changes: register 4 and further have what quarter 0 loads, and so on.
    fn load(&self, code: &mut Code, routines: &mut Routines, failures: &mut Vec<Jump>) {
        let registers = self.element.registers();
        let count = self.parts.len() * registers;
        let dwords: Vec<i32> =
            self.displacements().flat_map(|from| (0..registers).map(move |k| from + 4 * k as i32)).collect();
        for quarter in 0..4u8 {
            let to = 4 + quarter * count as u8;
            let none = Access::mask(code, quarter);
            self.addresses(code, quarter);
            let (anywhere, not_in_row) = self.look(code, quarter);
            let mut done = vec![none];
            if self.element.row().is_some() {
                for (part, from) in (0..).zip(self.displacements()) {
                    self.load_row(code, to + part * registers as u8, from);
                }
                done.push(code.jump(None));
            }
            code.land(not_in_row);
            code.vector(TEST, 2, 4 + quarter, 1, Rm::Register(1), None);
            code.test_masks(2, 2);
            let differs = code.jump(NOT_ZERO);
            for (to, from) in (to..).zip(&dwords) {
                code.vector(BROADCAST, to, ALL, 0, Rm::Indexed(HOST, RAX, *from), None);
                self.extend(code, to);
            }
            done.push(code.jump(None));
            anywhere.into_iter().chain([differs]).for_each(|jump| code.land(jump));
            code.copy_mask(LANES, 4 + quarter);
            self.call(code, routines, Routine::Load(dwords.clone()), failures);
            for (to, from) in (to..).zip(LOADED..).take(count) {
                code.vector(LOAD, to, ALL, 0, Rm::Register(from), None);
                self.extend(code, to);
            }
            done.into_iter().for_each(|jump| code.land(jump));
        }
        for quarter in 0..4u8 {
            let registers = self.parts.iter().flat_map(|(_, first)| *first..first + registers);
            for (from, register) in (4 + quarter * count as u8..).zip(registers) {
                code.vector(STORE, from, 4 + quarter, 0, place(register, quarter), None);
            }
        }
    }

    /// Makes what it is of a dword that begins with it.
    fn extend(&self, code: &mut Code, register: u8) {
        let (bits, signed) = match self.element {
            Element::Byte { signed } => (24, signed),
            Element::Short { signed } => (16, signed),
            Element::Dwords(_) => return,
        };
        // Shifts left, then right: what is in the place of a register says which.
        let right = if signed { 4 } else { 2 };
        for digit in [6, right] {
            code.vector(SHIFT_BY, digit, ALL, register, Rm::Register(register), Some(bits));
        }
    }

    /// Whether lanes anywhere are compiled.
    fn stores_anywhere(&self) -> bool {
        self.element == Element::Dwords(1) && self.parts.len() == 1
    }

    fn store(&self, code: &mut Code, routines: &mut Routines, failures: &mut Vec<Jump>) {
        let mut anywhere = Vec::new();
        let is_several = self.element.registers() > 1;
        if is_several {
            code.set(BEHIND, 0);
        }
        for quarter in 0..4 {
            let none = Access::mask(code, quarter);
            if is_several {
                // What some lanes leave out would be in the middle of rows.
                failures.push(code.jump(NOT_ALL));
            }
            self.addresses(code, quarter);
            let (outside, not_in_row) = self.look(code, quarter);
            anywhere.extend(outside);
            anywhere.push(not_in_row);
            if is_several {
                // Which of two lanes' dwords comes last is seen where rows overlap.
                code.between(true, &[0x3b], RAX, BEHIND);
                failures.push(code.jump(BELOW));
                code.sum(BEHIND, RAX, 16 * self.element.size());
            }
            code.land(none);
        }
        for (from, &(_, register)) in self.displacements().zip(&self.parts) {
            for quarter in 0..4 {
                code.test_masks(4 + quarter, 4 + quarter);
                let none = code.jump(ZERO);
                self.first_distance(code, quarter);
                self.store_row(code, register, quarter, 4 + quarter, from);
                code.land(none);
            }
        }
        if !self.stores_anywhere() {
            failures.extend(anywhere);
            return;
        }
        let done = code.jump(None);
        anywhere.into_iter().for_each(|jump| code.land(jump));
        for routine in [Routine::Look, Routine::Store] {
            for quarter in 0..4 {
                let none = Access::mask(code, quarter);
                self.addresses(code, quarter);
                code.copy_mask(LANES, 4 + quarter);
                if routine == Routine::Store {
                    code.vector(LOAD, STORED, ALL, 0, place(self.parts[0].1, quarter), None);
                }
                self.call(code, routines, routine.clone(), failures);
                code.land(none);
            }
        }
        code.land(done);
    }

    /// Calls a routine with what [`Access::addresses`] gave.
    fn call(&self, code: &mut Code, routines: &mut Routines, routine: Routine, failures: &mut Vec<Jump>) {
        if !self.has_high() {
            code.vector(XOR, HIGH, ALL, HIGH, Rm::Register(HIGH), None);
        }
        routines.0.push((routine, code.call()));
        failures.push(code.jump(NOT_ZERO));
    }
}

/// A quarter of a vector register.
fn place(index: usize, quarter: u8) -> Rm {
    Rm::Memory(VGPR, index as i32 * 256 + i32::from(quarter) * 64)
}
