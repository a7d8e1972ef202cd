//! Memory access of the command processor and the SDMA engines, through the GPU's page table.

use super::strays::Strays;
use crate::backing::PAGE;
use crate::hardware::address_space::EngineGuard;
use crate::hardware::checks::{self, poison};
use crate::hardware::gpu::Gpu;
use crate::hardware::interrupts::Sender;
use gcn::bus::{Access, Bus, Caches, MemoryFault, Path, Reached, Traps, Window};
use gcn::sanitizer::Shadow;
use gcn::sanitizer::{Allocations, Checks, Race, Stray, Wanted};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Leave to use a GPU's memory, for a short time. See [`EngineGuard`] for what a holder must not do.
pub struct Memory<'a> {
    gpu: &'a Gpu,
    guard: EngineGuard<'a>,
    waves: Waves,
    /// What it accesses past the L2 is to be the same as in the L2.
    sees_l2: bool,
    /// Where stray accesses of waves are noted, if they are checked.
    strays: Option<&'a Strays<'a>>,
}

/// The waves that access memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Waves {
    /// Number of their dispatch, from 1.
    pub dispatch: u64,
    /// Their compute unit, as far as caches are concerned.
    pub unit: usize,
    /// Their queue.
    pub sender: Sender,
}

/// What the hardware tells of a doorbell above its ten bits among the process's: where in the PCIe BAR the page is.
/// Handlers must not look at it.
const DOORBELL_PAGE: u32 = 1 << 10;

impl<'a> Memory<'a> {
    /// Begins using the memory of `gpu`, as the command processor does.
    pub fn enter(gpu: &'a Gpu) -> Memory<'a> {
        Memory::of_waves(gpu, Waves::default(), None)
    }

    /// Begins using the memory of `gpu`, as an SDMA engine does.
    pub fn of_sdma(gpu: &'a Gpu) -> Memory<'a> {
        Memory { sees_l2: false, ..Memory::enter(gpu) }
    }

    /// Begins using the memory of `gpu` for waves, whose accesses are checked if there are `strays`.
    pub fn of_waves(gpu: &'a Gpu, waves: Waves, strays: Option<&'a Strays<'a>>) -> Memory<'a> {
        Memory { gpu, guard: gpu.space.enter(), waves, sees_l2: true, strays }
    }

    /// Prepares for accesses past the L2 to the `length` bytes at `host`.
    fn expose(&self, host: *mut u8, length: u64) {
        if let Some(caches) = self.guard.caches().filter(|_| self.sees_l2) {
            caches.expose(host as u64, length);
        }
    }

    /// Host pointer to `address`, and how many bytes from there on the mapping has. For what belongs to a queue, of any
    /// number of packets: does not look whether the program's own memory is still there, which takes a system call.
    fn host(&self, address: u64, access: Access) -> Result<(*mut u8, u64), MemoryFault> {
        Ok(place(self.guard.window(address, access)?, address))
    }

    /// As `host`, for the program's data, which it might have freed.
    fn data(&self, address: u64, access: Access) -> Result<(*mut u8, u64), MemoryFault> {
        Ok(place(self.guard.window_for(address, access, 0)?, address))
    }

    /// Start and end of the mapping around `address`, if it permits this access.
    pub fn mapping(&self, address: u64, access: Access) -> Option<(u64, u64)> {
        self.guard.window_for(address, access, 0).ok().map(|window| (window.start, window.end))
    }

    /// Checks that the program has not freed the page of `address`, if it is the program's own memory. The single-word
    /// accesses below do not check.
    pub fn check(&self, address: u64, access: Access) -> Result<(), MemoryFault> {
        self.data(address, access).map(|_| ())
    }

    /// Like the hardware, drops the low bits of a misaligned address.
    fn u64_at(&self, address: u64, access: Access) -> Result<&AtomicU64, MemoryFault> {
        let (host, _) = self.host(address & !7, access)?;
        self.expose(host, 8);
        // SAFETY: mapped while the guard lives; mappings are made of whole pages, so 8 aligned bytes are in one.
        Ok(unsafe { AtomicU64::from_ptr(host.cast()) })
    }

    fn u32_at(&self, address: u64, access: Access) -> Result<&AtomicU32, MemoryFault> {
        let (host, _) = self.host(address & !3, access)?;
        self.expose(host, 4);
        // SAFETY: mapped while the guard lives; mappings are made of whole pages, so 4 aligned bytes are in one.
        Ok(unsafe { AtomicU32::from_ptr(host.cast()) })
    }

    /// Loads, ordered before what follows (acquire).
    pub fn load_u64(&self, address: u64) -> Result<u64, MemoryFault> {
        Ok(self.u64_at(address, Access::Read)?.load(Ordering::Acquire))
    }

    /// Loads, ordered before what follows (acquire).
    pub fn load_u32(&self, address: u64) -> Result<u32, MemoryFault> {
        Ok(self.u32_at(address, Access::Read)?.load(Ordering::Acquire))
    }

    /// A store with release ordering.
    pub fn store_u64(&self, address: u64, value: u64) -> Result<(), MemoryFault> {
        self.u64_at(address, Access::Write)?.store(value, Ordering::Release);
        Ok(())
    }

    /// A store with release ordering.
    pub fn store_u32(&self, address: u64, value: u32) -> Result<(), MemoryFault> {
        self.u32_at(address, Access::Write)?.store(value, Ordering::Release);
        Ok(())
    }

    /// Stores the header half-word of a packet with release ordering. `address` is a packet's.
    pub fn store_header(&self, address: u64, header: u16) -> Result<(), MemoryFault> {
        let word = self.u32_at(address, Access::Write)?;
        word.store(word.load(Ordering::Relaxed) & 0xffff_0000 | u32::from(header), Ordering::Release);
        Ok(())
    }

    /// Replaces the 64 bits at `address` by what `change` makes of them, atomically; returns the old value.
    pub fn update_u64(&self, address: u64, change: impl Fn(u64) -> u64) -> Result<u64, MemoryFault> {
        let cell = self.u64_at(address, Access::Atomic)?;
        let mut old = cell.load(Ordering::Relaxed);
        loop {
            match cell.compare_exchange_weak(old, change(old), Ordering::SeqCst, Ordering::Relaxed) {
                Ok(old) => return Ok(old),
                Err(now) => old = now,
            }
        }
    }

    /// Replaces the 32 bits at `address` by what `change` makes of them, atomically; returns the old value.
    pub fn update_u32(&self, address: u64, change: impl Fn(u32) -> u32) -> Result<u32, MemoryFault> {
        let cell = self.u32_at(address, Access::Atomic)?;
        let mut old = cell.load(Ordering::Relaxed);
        loop {
            match cell.compare_exchange_weak(old, change(old), Ordering::SeqCst, Ordering::Relaxed) {
                Ok(old) => return Ok(old),
                Err(now) => old = now,
            }
        }
    }

    /// Reads `bytes.len()` bytes from `address`.
    pub fn read(&self, mut address: u64, mut bytes: &mut [u8]) -> Result<(), MemoryFault> {
        while !bytes.is_empty() {
            let (host, mapped) = self.host(address, Access::Read)?;
            let here = bytes.len().min(mapped as usize);
            let (now, rest) = bytes.split_at_mut(here);
            self.expose(host, here as u64);
            // SAFETY: `here` bytes are mapped at `host` while the guard lives. libc copies them, so that what the
            // program stores at the same time can spoil the bytes read but nothing else.
            unsafe { libc::memcpy(now.as_mut_ptr().cast(), host.cast(), here) };
            bytes = rest;
            address = address.wrapping_add(here as u64);
        }
        Ok(())
    }

    /// Copies `length` bytes within device memory, as a DMA engine does: other users of the memory see it happen in any
    /// order.
    pub fn copy(&self, mut to: u64, mut from: u64, mut length: u64) -> Result<(), MemoryFault> {
        let start = to;
        while length > 0 {
            let (source, readable) = self.data(from, Access::Read)?;
            let (target, writable) = self.data(to, Access::Write)?;
            let here = length.min(readable).min(writable);
            self.expose(source, here);
            self.expose(target, here);
            // SAFETY: `here` bytes are mapped at both while the guard lives; memmove allows them to overlap.
            unsafe { libc::memmove(target.cast(), source.cast(), here as usize) };
            length -= here;
            to = to.wrapping_add(here);
            from = from.wrapping_add(here);
        }
        poison::wrote(start, to, |dword| self.load_u32(dword).ok());
        Ok(())
    }

    /// Writes `length` bytes of the repeated `pattern`, which has 1, 2 or 4 bytes.
    pub fn fill(&self, mut to: u64, mut length: u64, pattern: &[u8]) -> Result<(), MemoryFault> {
        let (start, mut phase) = (to, 0);
        while length > 0 {
            let (target, writable) = self.data(to, Access::Write)?;
            let here = length.min(writable);
            self.expose(target, here);
            let block: [u8; 256] = std::array::from_fn(|i| pattern[(phase + i) % pattern.len()]);
            for at in (0..here as usize).step_by(block.len()) {
                let bytes = block.len().min(here as usize - at);
                // SAFETY: `here` bytes are mapped at `target` while the guard lives. libc copies them, as in `read`.
                unsafe { libc::memcpy(target.add(at).cast(), block.as_ptr().cast(), bytes) };
            }
            phase += here as usize;
            length -= here;
            to = to.wrapping_add(here);
        }
        poison::wrote(start, to, |dword| self.load_u32(dword).ok());
        Ok(())
    }
}

/// Host pointer to `address` in `window`, and how many bytes there are from there on.
fn place(window: Window, address: u64) -> (*mut u8, u64) {
    // Not `add`: the page table promises the range, but says it in numbers.
    (window.host.wrapping_add((address - window.start) as usize), window.end - address)
}

// SAFETY: lines are touched by calls of this, of the command processor, and by `unmap` only. The first two are of the
// same thread, the last waits for the guard.
unsafe impl Caches for Memory<'_> {
    fn reach(&self, address: u64, bytes: u64, access: Access, path: Path) -> Result<Reached, MemoryFault> {
        let Waves { dispatch, unit, .. } = self.waves;
        self.guard.reach(address, bytes, access, path, unit, dispatch)
    }

    fn invalidate(&self, path: Path) {
        if let Some(caches) = self.guard.caches() {
            caches.invalidate(path, self.waves.unit);
        }
    }

    fn write_back_l2(&self) {
        if let Some(caches) = self.guard.caches() {
            caches.write_back_of(self.waves.unit);
        }
    }

    fn invalidate_l2(&self) {
        if let Some(caches) = self.guard.caches() {
            caches.invalidate_l2_of(self.waves.unit);
        }
    }
}

impl Allocations for Memory<'_> {
    fn allocation(&self, address: u64) -> Option<Range<u64>> {
        checks::allocations().around(address).map(|at| at.start..at.end())
    }

    fn flags(&self, range: Range<u64>) -> Vec<Range<u64>> {
        checks::allocations().flags(range)
    }
}

impl Checks for Memory<'_> {
    fn wanted(&self) -> Wanted {
        self.strays.map_or(Wanted::USUAL, Strays::wanted)
    }

    fn stray(&self, stray: &Stray) {
        if let Some(strays) = self.strays {
            strays.add(stray);
        }
    }

    fn is_unwritten(&self, address: u64) -> bool {
        checks::allocations().is_unwritten(address)
    }

    fn wrote_poison(&self, address: u64) {
        checks::allocations_mut().wrote_poison(address);
    }

    fn race(&self, race: &Race) {
        if let Some(strays) = self.strays {
            strays.add_race(race);
        }
    }

    fn follows(&self) -> bool {
        self.strays.is_some_and(|strays| strays.trails().is_some())
    }

    fn step(&self, wave: u32, pc: u64) {
        if let Some(trails) = self.strays.and_then(Strays::trails) {
            trails.step(wave, pc);
        }
    }

    fn shadow(&self) -> Option<&Shadow> {
        self.strays.and_then(Strays::shadow)
    }
}

// SAFETY: windows are valid while the guard lives, which is longer than any call that borrows this bus.
unsafe impl Bus for Memory<'_> {
    fn window(&self, address: u64, access: Access) -> Result<Window, MemoryFault> {
        let window = self.guard.window_for(address, access, self.waves.dispatch)?;
        if access == Access::Execute {
            let (host, mapped) = place(window, address);
            self.expose(host, mapped.min(PAGE + 8));
            return Ok(window);
        }
        match self.strays {
            Some(strays) => strays.within(window, address, access),
            None => Ok(window),
        }
    }

    fn replays(&self) -> bool {
        self.gpu.retries_faults()
    }

    fn mapped(&self, address: u64, access: Access) -> Result<Window, MemoryFault> {
        self.guard.window_for(address, access, self.waves.dispatch)
    }

    fn caches(&self) -> Option<&dyn Caches> {
        self.guard.caches().map(|_| self as &dyn Caches)
    }

    fn realtime(&self) -> u64 {
        crate::hardware::clock::gpu_ticks()
    }

    fn memtime(&self) -> u64 {
        // The core clock, as if it always ran at its highest frequency.
        crate::hardware::clock::ticks(crate::time::monotonic_raw_ns(), self.gpu.profile.core_clock_mhz)
    }

    fn interrupt(&self, m0: u32, privileged: bool) {
        let message = m0 & 0xff_ffff;
        crate::trace::emit("interrupt", |e| e.text("source", "s_sendmsg").number("event_id", message));
        if privileged {
            // The program may well abort when it hears of it.
            crate::trace::flush();
        }
        match privileged && self.gpu.reports_exceptions() {
            true => self.gpu.interrupts.trap(message, self.waves.sender),
            false => self.gpu.interrupts.event(message),
        }
    }

    fn doorbell(&self) -> u32 {
        DOORBELL_PAGE | self.waves.sender.doorbell
    }

    fn traps(&self) -> Traps {
        self.gpu.traps()
    }

    fn gws_init(&self, resource: u32, value: u32) -> bool {
        self.gpu.gws.init(resource, value);
        true
    }

    fn gws_arrive(&self, resource: u32, value: u32) -> Option<u64> {
        self.gpu.gws.arrive(resource, value)
    }

    fn gws_release(&self, resource: u32, count: u32) -> bool {
        self.gpu.gws.release(resource, count);
        true
    }

    fn gws_release_all(&self, resource: u32) -> bool {
        self.gpu.gws.release_all(resource);
        true
    }

    fn gws_pass(&self, resource: u32, ticket: Option<u64>) -> Option<Result<(), u64>> {
        Some(self.gpu.gws.pass(resource, ticket))
    }

    fn gws_open(&self, resource: u32, ticket: u64) -> bool {
        self.gpu.gws.open(resource, ticket)
    }
}
