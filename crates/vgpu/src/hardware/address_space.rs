//! The page table of one GPU: mapped device addresses, their host memory, and the permitted accesses.
//!
//! Engine threads hold an [`EngineGuard`] while they use windows; [`AddressSpace::unmap`] returns only when every guard
//! that began before it has gone, as the kernel's driver returns only after the TLB shootdown. So an unmap never pulls
//! memory from under a running wave.

use crate::backing::{Backing, PAGE, is_mapped};
use crate::errno::Errno;
use crate::hardware::caches::Caches;
use crate::locks::{read, write};
use gcn::bus::{Access, MemoryFault, Path, Reached, Window};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The memory of a mapping.
#[derive(Clone, Debug)]
pub enum Target {
    /// Memory of a buffer object, from a byte offset in it.
    Object(Arc<Backing>, u64),
    /// Memory of the program itself, at this host address.
    Host(u64),
}

/// The accesses that a mapping permits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permissions {
    /// Stores and atomics.
    pub write: bool,
    /// Instruction fetch.
    pub execute: bool,
}

/// How waves' accesses use the caches of the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caching {
    /// The caches hold it, and others see it change when they are written back: MTYPE RW and NC of the page table.
    Cached,
    /// Everything goes to memory: MTYPE UC and CC.
    Uncached,
}

#[derive(Debug)]
struct Mapping {
    end: u64,
    /// Host address of the start.
    host: u64,
    permissions: Permissions,
    caching: Caching,
    /// Keeps the memory alive while it is mapped; `None` for the program's own memory.
    object: Option<Arc<Backing>>,
    /// For the program's own memory: the last use for which it was found to be there.
    found: AtomicU64,
}

impl Mapping {
    /// The part of it from `offset` up to the address `end`.
    fn part(&self, offset: u64, end: u64) -> Mapping {
        let Mapping { host, permissions, caching, ref object, .. } = *self;
        let object = object.clone();
        Mapping { end, host: host + offset, permissions, caching, object, found: AtomicU64::new(0) }
    }
}

type Table = BTreeMap<u64, Mapping>;

/// Where the mappings begin that have some of what is from `start` to `end`.
fn overlapping(table: &Table, start: u64, end: u64) -> Vec<u64> {
    let first =
        table.range(..=start).next_back().filter(|(_, mapping)| mapping.end > start).map_or(start, |(at, _)| *at);
    table.range(first..end).map(|(at, _)| *at).collect()
}

/// A GPU's page table. All methods may be called from any thread.
#[derive(Debug, Default)]
pub struct AddressSpace {
    table: RwLock<Table>,
    /// The caches, if they are modelled. Whoever uses lines of them holds the table's lock.
    caches: OnceLock<Caches>,
}

/// Leave to use this GPU's memory, for a short time: changes of the page table wait for it.
///
/// A thread must not hold two guards of one GPU at a time (a waiting unmap between the two would block both), and must
/// not wait for other threads while it holds one.
#[derive(Debug)]
pub struct EngineGuard<'a> {
    table: RwLockReadGuard<'a, Table>,
    caches: Option<&'a Caches>,
}

impl AddressSpace {
    /// An empty page table.
    pub fn new() -> AddressSpace {
        AddressSpace::default()
    }

    /// Gives the GPU, with `xccs` XCCs, caches whose contents depend on `seed`. Only one thread at a time may then run
    /// its waves.
    pub fn cache(&self, seed: u64, xccs: usize) {
        self.caches.get_or_init(|| Caches::new(seed, xccs));
    }

    /// The caches, if they are modelled.
    pub fn caches(&self) -> Option<&Caches> {
        self.caches.get()
    }

    fn write(&self) -> RwLockWriteGuard<'_, Table> {
        write(&self.table)
    }

    /// Begins using the GPU's memory; waits while a change of the page table is under way.
    pub fn enter(&self) -> EngineGuard<'_> {
        let table = read(&self.table);
        EngineGuard { table, caches: self.caches.get() }
    }

    /// Maps `size` bytes at device address `start`.
    ///
    /// # Errors
    /// `EINVAL` if the range is empty, not made of whole pages, or overlaps another mapping.
    pub fn map(
        &self,
        start: u64,
        size: u64,
        target: Target,
        permissions: Permissions,
        caching: Caching,
    ) -> Result<(), Errno> {
        let end = start.checked_add(size).ok_or(Errno::EINVAL)?;
        if size == 0 || !start.is_multiple_of(PAGE) || !size.is_multiple_of(PAGE) {
            return Err(Errno::EINVAL);
        }
        let (host, object) = match target {
            Target::Object(object, offset) => {
                if offset.checked_add(size).is_none_or(|last| last > object.size()) {
                    return Err(Errno::EINVAL);
                }
                (object.host() as u64 + offset, Some(object))
            }
            Target::Host(address) => (address, None),
        };
        let mut table = self.write();
        if table.range(..end).next_back().is_some_and(|(_, last)| last.end > start) {
            return Err(Errno::EINVAL);
        }
        table.insert(start, Mapping { end, host, permissions, caching, object, found: AtomicU64::new(0) });
        Ok(())
    }

    /// Maps the program's own memory at its own addresses, `size` bytes at `start`, instead of existing mappings there.
    /// Engines see the old or the new mapping, never none.
    ///
    /// # Errors
    /// `EINVAL` if the range is empty or not made of whole pages.
    pub fn map_own(&self, start: u64, size: u64, permissions: Permissions, caching: Caching) -> Result<(), Errno> {
        let end = start.checked_add(size).ok_or(Errno::EINVAL)?;
        if size == 0 || !start.is_multiple_of(PAGE) || !size.is_multiple_of(PAGE) {
            return Err(Errno::EINVAL);
        }
        let mut table = self.write();
        self.remove(&mut table, start, end);
        table.insert(start, Mapping { end, host: start, permissions, caching, object: None, found: AtomicU64::new(0) });
        Ok(())
    }

    /// Makes the program's own memory in the `size` bytes at `start`, whole pages, read-only for the GPU. After the
    /// return no engine writes there any more.
    pub fn write_protect(&self, start: u64, size: u64) {
        let end = start.saturating_add(size);
        let mut table = self.write();
        for at in overlapping(&table, start, end) {
            let Some(mapping) = table.get(&at).filter(|mapping| mapping.object.is_none()) else { continue };
            let (from, to) = (at.max(start), mapping.end.min(end));
            let mut part = mapping.part(from - at, to);
            part.permissions.write = false;
            self.remove(&mut table, from, to);
            table.insert(from, part);
        }
    }

    /// Whether nothing is mapped from `start` to `end`.
    pub fn is_free(&self, start: u64, end: u64) -> bool {
        self.enter().table.range(..end).next_back().is_none_or(|(_, last)| last.end <= start)
    }

    /// Removes whatever is mapped in the `size` bytes at `start`, splitting mappings that reach beyond; returns how
    /// many bytes were mapped. On return no engine uses them any more.
    pub fn unmap(&self, start: u64, size: u64) -> u64 {
        self.remove(&mut self.write(), start, start.saturating_add(size))
    }

    fn remove(&self, table: &mut Table, start: u64, end: u64) -> u64 {
        let mut removed = 0;
        for at in overlapping(table, start, end) {
            let Some(mapping) = table.remove(&at) else { continue };
            let (from, length) = (at.max(start), mapping.end.min(end) - at.max(start));
            removed += length;
            if let Some(caches) = self.caches.get() {
                caches.forget(mapping.host + (from - at), length);
            }
            if mapping.end > end {
                table.insert(end, mapping.part(end - at, mapping.end));
            }
            if at < start {
                table.insert(at, mapping.part(0, start));
            }
        }
        removed
    }
}

impl<'a> EngineGuard<'a> {
    /// The caches, if they are modelled.
    pub fn caches(&self) -> Option<&'a Caches> {
        self.caches
    }

    /// Where a wave on compute unit `unit` finds the `bytes` bytes at `address`, with caches modelled. Of memory that
    /// the program might have freed, `use_number` is as of [`EngineGuard::window_for`].
    ///
    /// # Errors
    /// As of [`EngineGuard::window`].
    pub fn reach(
        &self,
        address: u64,
        bytes: u64,
        access: Access,
        path: Path,
        unit: usize,
        use_number: u64,
    ) -> Result<Reached, MemoryFault> {
        let window = self.window_for(address, access, use_number)?;
        let (_, mapping) = self.find(address, access)?;
        let Some(caches) = self.caches.filter(|_| mapping.caching == Caching::Cached) else {
            return Ok(Reached::Uncached);
        };
        let host = window.host as u64 + (address - window.start);
        // SAFETY: it is mapped while this guard lives, and `unmap` forgets it before it is not any more.
        Ok(unsafe { caches.reach(host, bytes, access, path, unit, mapping.object.is_none()) })
    }

    /// The mapping around `address`, if it allows `access`. The window is valid while this guard lives.
    ///
    /// # Errors
    /// The fault that the GPU reports: not mapped, or (`protection`) mapped but not for this access.
    pub fn window(&self, address: u64, access: Access) -> Result<Window, MemoryFault> {
        self.find(address, access).map(|(window, _)| window)
    }

    /// As [`EngineGuard::window`], for memory that the program might have freed while it was registered, which faults
    /// like memory that is not mapped. Each use looks once; uses have different numbers, and 0 always looks. (What the
    /// program frees while the GPU uses it, nothing can find out in time.)
    ///
    /// # Errors
    /// As [`EngineGuard::window`].
    pub fn window_for(&self, address: u64, access: Access, use_number: u64) -> Result<Window, MemoryFault> {
        let (window, mapping) = self.find(address, access)?;
        if mapping.object.is_some() || (use_number != 0 && mapping.found.load(Ordering::Relaxed) == use_number) {
            return Ok(window);
        }
        if is_mapped(window.host as u64, window.end - window.start) {
            mapping.found.store(use_number, Ordering::Relaxed);
            return Ok(window);
        }
        let start = address & !(PAGE - 1);
        let page = Window {
            start,
            end: start + PAGE,
            host: window.host.wrapping_add((start - window.start) as usize),
            ..window
        };
        if is_mapped(page.host as u64, PAGE) {
            Ok(page)
        } else {
            Err(MemoryFault { address, access, protection: false })
        }
    }

    fn find(&self, address: u64, access: Access) -> Result<(Window, &Mapping), MemoryFault> {
        let fault = |protection| MemoryFault { address, access, protection };
        let (start, mapping) = self
            .table
            .range(..=address)
            .next_back()
            .filter(|(_, mapping)| address < mapping.end)
            .ok_or(fault(false))?;
        let allowed = match access {
            Access::Read => true,
            Access::Write | Access::Atomic => mapping.permissions.write,
            Access::Execute => mapping.permissions.execute,
        };
        if !allowed {
            return Err(fault(true));
        }
        let window = Window {
            start: *start,
            end: mapping.end,
            host: mapping.host as *mut u8,
            writable: mapping.permissions.write,
        };
        Ok((window, mapping))
    }
}
