//! Regions: code that ran often, with what can be compiled as one function of the host.
//!
//! A region is a row of instructions with the branches between them. Vector and scalar instructions that work on
//! registers alone are compiled, and most loads and stores that find their memory in a window. At the others the
//! function leaves: they are executed as the run loop executes them, and the function goes on behind. So a region is an
//! optimisation and not a second meaning: what it does not have, the run loop does, from any instruction on. One thing
//! differs: where an access faults, [scalar registers that the block writes once more before it reads them](live) may
//! have what they had before.
//!
//! Only two modes have regions, the usual one and that in which denormals of f32 are zero, and only processors with
//! AVX2 or AVX-512 that [is not hidden](Simd::VARIABLE). On devices that check accesses, regions leave at what is
//! [inspected](ExitMask). A wave whose turn is shorter than what is in front of the next branch goes on by single
//! instructions.
pub(crate) mod lower;
pub(crate) mod x64;

use crate::jit::code_memory::Executable;
use crate::jit::x64::avx2::Frame;
use crate::jit::x64::frame::Context;
use crate::machine::bus::Window;
use crate::machine::exit_mask::ExitMask;
use crate::machine::memory::WINDOWS;
use gcn_alu::fp;
use gcn_alu::simd::{Simd, simd};
use gcn_alu::wave::{Mode, Wave};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

mod code_memory;
mod live;
mod liveness;
mod part;
mod phase;
mod translate;

/// Bytes of machine code that all devices of the process may have.
const MOST: usize = 256 << 20;

/// What a region counts at least: each has a mapping of its own, of which Linux gives a process 65,530 in all.
const LEAST: usize = MOST / 8192;

static BYTES: AtomicUsize = AtomicUsize::new(0);

/// Whether regions can be made here. Miri runs no machine code.
pub(crate) fn is_available() -> bool {
    simd() >= Simd::Avx2 && !cfg!(miri)
}

/// Where a block may begin.
#[derive(Default)]
pub(crate) struct Entry {
    /// How often a wave came here.
    visits: AtomicU32,
    block: OnceLock<Option<Block>>,
}

impl Entry {
    /// The block that begins here, once waves have come here `often` enough: of what `compile` gives, whose other
    /// blocks are given to `others`.
    #[inline]
    pub fn block<'a>(
        &self,
        often: u32,
        compile: impl FnOnce() -> Option<Region>,
        others: impl Fn(usize) -> Option<&'a Entry>,
    ) -> Option<&Block> {
        if let Some(block) = self.block.get() {
            return block.as_ref();
        }
        // Visits that two threads count as one are none too few.
        let visits = self.visits.load(Ordering::Relaxed);
        self.visits.store(visits.saturating_add(1), Ordering::Relaxed);
        if visits < often { None } else { self.make(compile, others) }
    }

    #[cold]
    fn make<'a>(
        &self,
        compile: impl FnOnce() -> Option<Region>,
        others: impl Fn(usize) -> Option<&'a Entry>,
    ) -> Option<&Block> {
        let region = compile().map(Arc::new);
        if let Some(region) = &region {
            for (head, Head { index, .. }) in region.heads.iter().enumerate().skip(1) {
                if let Some(entry) = others(*index as usize) {
                    // One that is in an older region stays there.
                    let _ = entry.block.set(Some(Block { region: Arc::clone(region), head }));
                }
            }
        }
        self.block.get_or_init(|| region.map(|region| Block { region, head: 0 })).as_ref()
    }
}

/// Instructions of a region that a wave can come to from elsewhere, up to the next branch.
pub(crate) struct Block {
    region: Arc<Region>,
    head: usize,
}

/// A row of instructions, compiled.
pub(crate) struct Region {
    /// What waves have that it is for, of MODE as [`fp::of_results`] gives it. Code that waves in the other one come to
    /// is executed one by one.
    mode: Mode,
    /// What of it is executed by itself, as the device inspects it.
    inspected: ExitMask,
    /// Of its blocks, in order. The first one is its beginning.
    heads: Vec<Head>,
    exits: Vec<Exit>,
    code: Executable,
    bytes: usize,
}

/// The beginning of a block.
struct Head {
    /// The dword of the page.
    index: u32,
    /// Where its code begins.
    start: usize,
    instructions: u32,
}

/// Why the code of a region was left.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Exit {
    /// So many instructions from dword `index` on are to be executed one by one, and then it goes on in code at
    /// `resume`, or in another region. They, and `rest` instructions behind them, are taken from the turn already.
    Singles { index: u32, count: u32, rest: u32, resume: Option<usize> },
    /// The wave goes on at this dword, counted from the beginning of the page.
    Elsewhere(i64),
    /// The wave ends, in front of this dword.
    End(u32),
}

impl Block {
    /// Where its code begins.
    #[inline]
    pub fn start(&self) -> usize {
        self.region.heads[self.head].start
    }

    /// How many instructions are in front of the next branch: a wave needs as many to begin.
    #[inline]
    pub fn instructions(&self) -> u64 {
        self.region.heads[self.head].instructions.into()
    }

    /// Whether it does what the run loop would do with a wave in this mode, on a device that inspects this.
    #[inline]
    pub fn is_for(&self, mode: Mode, inspected: ExitMask) -> bool {
        fp::of_results(mode) == self.region.mode
            && mode.0 & (Mode::GPR_IDX_EN | Mode::VSKIP) == 0
            && inspected == self.region.inspected
    }

    /// Runs the code from `start` on, with the work-group's LDS and what windows of memory were found, and takes the
    /// instructions from what is `left` of the turn. `leaving`: as
    /// [`machine::Machine::leaving`](crate::machine::context::Machine::leaving).
    #[inline]
    pub fn run(
        &self,
        start: usize,
        wave: &mut Wave,
        lds: &mut [u8],
        windows: &[Window; WINDOWS],
        leaving: bool,
        left: &mut u64,
    ) -> Exit {
        type Function = unsafe extern "sysv64" fn(*mut Context, *const u8) -> u32;
        let mut frame = Frame::new();
        let mut context = Context {
            sgpr: wave.sgpr.as_mut_ptr(),
            vgpr: wave.vgpr.as_mut_ptr(),
            scc: &mut wave.scc,
            lds: lds.as_mut_ptr(),
            lds_bytes: lds.len(),
            windows,
            left: *left,
            leaving,
            frame: &mut frame,
        };
        let code = &self.region.code;
        // SAFETY: the region's code begins with a function of this signature, and `start` is one that `Region::new`
        // gave to a block or an exit. It needs the instructions of `simd`, which the processor has. It reads and writes
        // scalar registers 0 to 127, vector registers that operands can name, all of which the wave has, SCC, to which
        // it writes 0 or 1, LDS inside of its size, and memory inside of windows, which is there as long as they are
        // (`Bus::window`) and which no reference of Rust is to.
        let exit = unsafe {
            let function: Function = std::mem::transmute(code.at(0));
            function(&mut context, code.at(start))
        };
        *left = context.left;
        self.region.exits[exit as usize]
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        BYTES.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
