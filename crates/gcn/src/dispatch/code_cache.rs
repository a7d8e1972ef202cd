//! A cache of decoded code, by page.

use crate::interp::select::lower;
use crate::jit::{self, Block, Entry, Region};
use crate::machine::bus::{Access, Bus, MemoryFault};
use crate::machine::context::Slot;
use crate::machine::exit_mask::ExitMask;
use crate::machine::memory::Host;
use gcn_alu::wave::Mode;
use gcn_isa::decode::decode;
use gcn_isa::inst::Operand;
use gcn_isa::target::Target;
use std::collections::HashMap;
use std::str::FromStr;
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

/// Launches and instruction cache invalidations so far, of all [`Code`]s: one number never belongs to two launches.
static GENERATION: AtomicU64 = AtomicU64::new(0);

/// Bytes of a page of code.
pub(crate) const PAGE: u64 = 4096;

/// An instruction can start in a page and end up to 8 bytes behind it.
const OVERHANG: usize = 8;

/// Every dword of a page can be the start of an instruction.
const SLOTS: usize = (PAGE / 4) as usize;

/// Pages kept. A page is some 100 KiB once all of it ran; libraries have thousands of pages but few of them run.
const MAX_PAGES: usize = 1024;

/// Decoded code, shared by all threads that run it.
///
/// Memory that holds code is reused, and nothing tells the device when. So code is compared with memory at its first
/// use by each [`crate::exec::Launch`] and after `s_icache_inv`.
pub struct Code {
    target: Target,
    /// As [`Page::compiles_after`].
    compiles_after: Option<u32>,
    pages: RwLock<HashMap<u64, Arc<Page>>>,
}

/// The instructions of one page, decoded when they are first reached.
pub(crate) struct Page {
    target: Target,
    pub base: u64,
    bytes: Vec<u8>,
    /// The newest launch for which `bytes` was compared with memory.
    checked: AtomicU64,
    /// One behind the highest vector and accumulation register that instructions decoded here name.
    touches: [AtomicU16; 2],
    slots: Box<[OnceLock<Slot>]>,
    /// How often waves come to an instruction before a block is made that begins with it; `None`: always.
    compiles_after: Option<u32>,
    /// One for each slot, once a wave has come to one.
    entries: OnceLock<Box<[Entry]>>,
}

/// When code is compiled for the host. What waves compute is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compile {
    /// After enough executions that interpreting has cost more than compiling.
    #[default]
    Usually,
    /// When waves reach the code after this many executions.
    After(u32),
    /// Each instruction is executed by itself.
    Never,
}

impl Compile {
    /// Whether this machine has what compiled code needs: a processor with AVX2 or AVX-512 that is not hidden
    /// ([`Simd::VARIABLE`](gcn_alu::simd::Simd::VARIABLE)). Without it each instruction is executed by itself, whatever
    /// was asked for.
    pub fn is_available() -> bool {
        jit::is_available()
    }

    /// How often code runs before it is compiled.
    fn runs(self) -> Option<u32> {
        // A block takes as long to make as some hundred runs of it save.
        const USUAL: u32 = 200;
        match self {
            _ if !Compile::is_available() => None,
            Compile::Usually => Some(USUAL),
            Compile::After(runs) => Some(runs),
            Compile::Never => None,
        }
    }
}

impl FromStr for Compile {
    type Err = String;

    /// `never`, or after how many runs.
    fn from_str(text: &str) -> Result<Compile, String> {
        match text {
            "never" => Ok(Compile::Never),
            _ => text
                .parse()
                .map(Compile::After)
                .map_err(|_| format!("{text:?} is neither a number of runs nor `never`")),
        }
    }
}

impl Code {
    /// Nothing decoded yet; what comes is code of `target`.
    pub fn new(target: Target) -> Code {
        Code::compiled(target, Compile::Usually)
    }

    /// As [`Code::new`]; `compile` decides when code is compiled.
    pub fn compiled(target: Target, compile: Compile) -> Code {
        Code { target, compiles_after: compile.runs(), pages: RwLock::default() }
    }

    /// The chip whose code this is.
    pub fn target(&self) -> Target {
        self.target
    }

    pub(crate) fn next_generation(&self) -> u64 {
        GENERATION.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// The page that holds `pc`, as memory is now or was at some time since `generation` began.
    pub(crate) fn page(&self, bus: &dyn Bus, pc: u64, generation: u64) -> Result<Arc<Page>, MemoryFault> {
        let base = pc & !(PAGE - 1);
        let known = self.pages.read().unwrap_or_else(PoisonError::into_inner).get(&base).cloned();
        if let Some(page) = &known
            && page.checked.load(Ordering::Acquire) >= generation
        {
            return Ok(Arc::clone(page));
        }
        // Read the counter before memory, so that a launch that starts in between checks again.
        let now = GENERATION.load(Ordering::Acquire);
        let bytes = read_page(bus, base, pc)?;
        if let Some(page) = known
            && page.bytes == bytes
        {
            page.checked.fetch_max(now, Ordering::AcqRel);
            return Ok(page);
        }
        let page = Arc::new(Page {
            target: self.target,
            base,
            bytes,
            checked: AtomicU64::new(now),
            touches: Default::default(),
            slots: (0..SLOTS).map(|_| OnceLock::new()).collect(),
            compiles_after: self.compiles_after,
            entries: OnceLock::new(),
        });
        let mut pages = self.pages.write().unwrap_or_else(PoisonError::into_inner);
        if pages.len() >= MAX_PAGES {
            pages.clear();
        }
        pages.insert(base, Arc::clone(&page));
        Ok(page)
    }
}

/// Pages that a work-group ran in lately, so that it need not take the lock of [`Code`] for them.
#[derive(Default)]
pub(crate) struct RecentPages {
    /// What the pages were checked for.
    generation: u64,
    /// By the low bits of the page number.
    pages: [Option<Arc<Page>>; 8],
}

impl RecentPages {
    /// As [`Code::page`].
    #[inline]
    pub fn page(&mut self, code: &Code, bus: &dyn Bus, pc: u64, generation: u64) -> Result<&Page, MemoryFault> {
        if self.generation != generation {
            *self = RecentPages { generation, ..RecentPages::default() };
        }
        let recent = &mut self.pages[(pc / PAGE) as usize % 8];
        if recent.as_ref().is_none_or(|page| page.base != pc & !(PAGE - 1)) {
            *recent = None;
        }
        match recent {
            Some(page) => Ok(page),
            None => Ok(recent.insert(code.page(bus, pc, generation)?)),
        }
    }
}

/// The bytes of the page at `base` and of the overhang, as far as they are mapped. Only `pc` must be.
fn read_page(bus: &dyn Bus, base: u64, pc: u64) -> Result<Vec<u8>, MemoryFault> {
    let mut bytes = vec![0; PAGE as usize + OVERHANG];
    let mut at = base;
    let end = base + bytes.len() as u64;
    while at < end {
        let window = match bus.window(at, Access::Execute) {
            Ok(window) if window.start <= at && at < window.end => window,
            Ok(_) => return Err(MemoryFault { address: at, access: Access::Execute, protection: false }),
            Err(fault) if (at..at + 4).contains(&pc) => return Err(fault),
            Err(_) => {
                at += 4;
                continue;
            }
        };
        let host = Host::new(&window, at);
        let here = window.end.min(end) - at;
        for i in 0..here as usize {
            if i % 8 == 0 && here as usize - i >= 8 {
                let start = (at - base) as usize + i;
                bytes[start..start + 8].copy_from_slice(&host.read64(i).to_le_bytes());
            } else if here as usize - (i & !7) < 8 {
                bytes[(at - base) as usize + i] = host.read8(i);
            }
        }
        at += here;
    }
    Ok(bytes)
}

impl Page {
    /// The instruction at dword `index` of the page.
    #[inline]
    pub fn slot(&self, index: usize) -> Option<&Slot> {
        let cell = self.slots.get(index)?;
        match cell.get() {
            Some(slot) => Some(slot),
            None => self.decode(index),
        }
    }

    /// The block that begins at dword `index`, if waves came there often enough; if it was not there, for waves in this
    /// mode of a device that inspects this.
    #[inline]
    pub fn block(&self, index: usize, mode: Mode, inspected: ExitMask) -> Option<&Block> {
        let often = self.compiles_after?;
        let entries = self.entries.get_or_init(|| (0..SLOTS).map(|_| Entry::default()).collect());
        entries.get(index)?.block(
            often,
            || Region::new(index, mode, inspected, |index| self.slot(index)),
            |index| entries.get(index),
        )
    }

    #[cold]
    fn decode(&self, index: usize) -> Option<&Slot> {
        let inst = decode(self.target, &self.bytes[index * 4..]).ok()?;
        let step = lower(&inst)?;
        for operand in inst.src.iter().chain(&inst.dst) {
            let (kind, first, count) = match *operand {
                Operand::Vgpr { first, count } => (0, first, count),
                Operand::Agpr { first, count } => (1, first, count),
                _ => continue,
            };
            self.touches[kind].fetch_max(u16::from(first) + u16::from(count), Ordering::Release);
        }
        Some(self.slots[index].get_or_init(|| Slot { step, inst }))
    }

    /// Instructions that were run from here have written vector and accumulation registers below these alone, but for
    /// those relative to M0.
    #[inline]
    pub fn touches(&self) -> [usize; 2] {
        let [vector, accumulation] = &self.touches;
        [vector.load(Ordering::Acquire).into(), accumulation.load(Ordering::Acquire).into()]
    }

    /// The dword of the page that `pc` is in front of, if an instruction can start there.
    #[inline]
    pub fn index(&self, pc: u64) -> Option<usize> {
        let offset = pc.wrapping_sub(self.base);
        (offset < PAGE && offset & 3 == 0).then_some((offset / 4) as usize)
    }

    /// Number of instruction starts.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// The bytes from dword `index` on that an instruction can have, and why they cannot run.
    pub fn illegal(&self, index: usize) -> (Vec<u8>, String) {
        let bytes = &self.bytes[index * 4..];
        let text = match decode(self.target, bytes) {
            Ok(inst) => format!("{} is not supported", inst.op.mnemonic()),
            Err(error) => error.to_string(),
        };
        (bytes[..bytes.len().min(12)].to_vec(), text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_to_compile_is_a_number_or_never() {
        assert_eq!("0".parse(), Ok(Compile::After(0)));
        assert_eq!("4294967295".parse(), Ok(Compile::After(u32::MAX)));
        assert_eq!("never".parse(), Ok(Compile::Never));
        for wrong in ["", "-1", "4294967296", "Never", "always"] {
            assert!(wrong.parse::<Compile>().is_err_and(|error| error.contains(&format!("{wrong:?}"))), "{wrong}");
        }
    }
}
