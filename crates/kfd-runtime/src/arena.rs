//! Fragments of memory that are used again when the GPU is done with them.

mod ranges;

use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kfd::raw::{Memory, Part};
use kfd::{Device, Errno, Heap, Placement, Ticket, Tickets};

use crate::error::value;
use crate::{ArenaStats, Error, Result};
use ranges::Ranges;

/// Memory that is allocated in large blocks and given out in fragments, each of which is used again when the work that
/// used it is over. Copies are the same arena, for any thread.
///
/// The driver is asked only when no block has room. [`Fragment::used_by`] notes work. A fragment that is dropped waits
/// in the arena until that work is [over](Ticket::is_over), which the arena finds out when it is asked for another
/// fragment. So a program drops what it does not need any more and waits for nothing.
///
/// # Example
/// ```no_run
/// use kfd::raw::{Command, SdmaQueue};
/// use kfd::{Engine, Placement};
/// use kfd_runtime::Arena;
/// # fn example(gpu: kfd::Device) -> kfd_runtime::Result<()> {
/// let arena = Arena::new(gpu, Placement::VRAM, 1 << 30);
/// let mut queue = SdmaQueue::new(gpu, Engine::Any)?;
/// for value in 0..1000 {
///     let mut scratch = arena.get(1 << 20)?;
///     let fill = Command::Fill { to: scratch.address(), value, bytes: 1 << 20 };
///     // SAFETY: inside the fragment, which is not used again before the work is over.
///     scratch.used_by(&unsafe { queue.submit(&[fill]) }?);
/// }
/// println!("{}", arena.statistics()?);
/// # Ok(()) }
/// ```
#[doc(alias = "pool")]
#[doc(alias = "suballocator")]
#[doc(alias = "hipMemPool_t")]
#[doc(alias = "hipMallocAsync")]
#[derive(Clone, Debug)]
pub struct Arena(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    device: Device,
    placement: Placement,
    limit: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    blocks: Vec<Block>,
    /// Given back, and perhaps still used by work.
    waiting: Vec<Waiting>,
    waiting_bytes: u64,
    fragments: usize,
    most_used_bytes: u64,
}

#[derive(Debug)]
struct Block {
    memory: Arc<Memory>,
    ranges: Ranges,
}

#[derive(Debug)]
struct Waiting {
    block: u64,
    at: u64,
    bytes: u64,
    users: Tickets,
}

/// Bytes of a block, unless more are asked for at once.
const BLOCK_BYTES: u64 = 32 << 20;
/// Fragments begin with a cache line of the L2 cache, twice the largest there is on gfx9, and have whole ones.
const GRAIN: u64 = 256;
/// Bytes of a page, which blocks have in whole numbers.
const PAGE: u64 = 4096;

/// Some memory of an [`Arena`]. It goes back when it is dropped.
#[derive(Debug)]
pub struct Fragment {
    arena: Arena,
    memory: Arc<Memory>,
    /// In the memory.
    at: u64,
    bytes: u64,
    users: Tickets,
}

impl Arena {
    /// An empty arena of memory of this kind, which takes at most `limit` bytes from the driver. Its blocks have 32
    /// MiB, or less near the limit.
    pub fn new(device: Device, placement: Placement, limit: u64) -> Arena {
        Arena(Arc::new(Inner { device, placement, limit, state: Mutex::default() }))
    }

    /// A fragment of `bytes`, rounded up to 256. What is in it first is not defined.
    ///
    /// # Errors
    /// [`Error::NoRoom`] says how much is free where, and the arena's limit; [`kfd::Error::Value`] for no bytes; as of
    /// [`Memory::new`].
    pub fn get(&self, bytes: u64) -> Result<Fragment> {
        self.get_aligned(bytes, GRAIN)
    }

    /// The same at a multiple of `align`, a power of two up to 4096.
    ///
    /// # Errors
    /// As of [`get`](Self::get); [`kfd::Error::Value`].
    pub fn get_aligned(&self, bytes: u64, align: u64) -> Result<Fragment> {
        self.0.device.check_usable()?;
        if !align.is_power_of_two() || align > PAGE {
            return Err(value("the alignment of a fragment", align, "a power of two up to 4096"));
        }
        if bytes == 0 {
            return Err(value("the bytes of a fragment", 0, "at least 1"));
        }
        let rounded = bytes.checked_next_multiple_of(GRAIN).filter(|_| bytes <= self.0.limit);
        let align = align.max(GRAIN);
        let mut state = lock(&self.0.state);
        let Some(rounded) = rounded else { return Err(self.no_room(&state, bytes)) };
        let found = state.take(rounded, align);
        let (memory, at) = match found {
            Some(found) => found,
            None => {
                self.add_block(&mut state, rounded)?;
                let Some(found) = state.take(rounded, align) else { return Err(self.no_room(&state, bytes)) };
                found
            }
        };
        state.fragments += 1;
        let held = state.reserved_bytes() - state.free_bytes();
        state.most_used_bytes = state.most_used_bytes.max(held);
        Ok(Fragment { arena: self.clone(), memory, at, bytes: rounded, users: Tickets::new() })
    }

    /// Its device.
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// How full it is.
    ///
    /// # Errors
    /// [`kfd::Error::Forked`]
    pub fn statistics(&self) -> Result<ArenaStats> {
        let mut state = self.state()?;
        state.collect();
        Ok(state.statistics())
    }

    /// Gives blocks of which nothing is used back to the driver. Returns their bytes.
    ///
    /// # Errors
    /// [`kfd::Error::Forked`]
    pub fn trim(&self) -> Result<u64> {
        let mut state = self.state()?;
        state.collect();
        Ok(state.trim())
    }

    /// Not in a child of a fork, where the lock may be held for ever.
    fn state(&self) -> Result<MutexGuard<'_, State>> {
        if is_forked(self.0.device) {
            return Err(kfd::Error::Forked.into());
        }
        Ok(lock(&self.0.state))
    }

    /// Adds a block with room for so many bytes: of the usual size, or if that is too much for the limit or the driver,
    /// just so many.
    fn add_block(&self, state: &mut State, bytes: u64) -> Result<()> {
        let left = |state: &State| self.0.limit.saturating_sub(state.reserved_bytes());
        let Some(whole) = bytes.checked_next_multiple_of(PAGE) else {
            return Err(self.no_room(state, bytes));
        };
        if left(state) < whole {
            state.trim();
        }
        let usual = whole.max(BLOCK_BYTES.min(left(state)) / PAGE * PAGE);
        for size in [usual, whole] {
            if size > left(state) {
                continue;
            }
            match Memory::new(self.0.device, size as usize, self.0.placement) {
                Ok(memory) => {
                    state.blocks.push(Block { memory: Arc::new(memory), ranges: Ranges::new(size) });
                    return Ok(());
                }
                Err(kfd::Error::Request { errno: Errno(libc::ENOMEM), .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(self.no_room(state, bytes))
    }

    fn no_room(&self, state: &State, bytes: u64) -> Error {
        // What the driver does not tell is left out.
        let vram = if self.0.placement.heap() == Heap::Host { None } else { self.0.device.available_vram().ok() };
        Error::NoRoom { bytes, limit: self.0.limit, arena: state.statistics(), vram }
    }
}

impl State {
    /// Takes so many bytes out of a block, and looks at what waits if there are none.
    fn take(&mut self, bytes: u64, align: u64) -> Option<(Arc<Memory>, u64)> {
        let from_blocks = |blocks: &mut Vec<Block>| {
            blocks.iter_mut().find_map(|block| Some((block.memory.clone(), block.ranges.take(bytes, align)?)))
        };
        from_blocks(&mut self.blocks).or_else(|| {
            self.collect();
            from_blocks(&mut self.blocks)
        })
    }

    /// Frees what waited for work that is over.
    fn collect(&mut self) {
        let State { blocks, waiting, waiting_bytes, .. } = self;
        waiting.retain_mut(|one| {
            if !one.users.are_over() {
                return true;
            }
            *waiting_bytes -= one.bytes;
            give_back(blocks, one.block, one.at, one.bytes);
            false
        });
    }

    /// Drops blocks of which nothing is used.
    fn trim(&mut self) -> u64 {
        let before = self.reserved_bytes();
        self.blocks.retain(|block| !block.ranges.is_unused());
        before - self.reserved_bytes()
    }

    fn reserved_bytes(&self) -> u64 {
        self.blocks.iter().map(|block| block.memory.bytes() as u64).sum()
    }

    fn free_bytes(&self) -> u64 {
        self.blocks.iter().map(|block| block.ranges.free_bytes()).sum()
    }

    fn statistics(&self) -> ArenaStats {
        let (reserved_bytes, free_bytes) = (self.reserved_bytes(), self.free_bytes());
        ArenaStats {
            blocks: self.blocks.len(),
            fragments: self.fragments,
            reserved_bytes,
            used_bytes: reserved_bytes - free_bytes - self.waiting_bytes,
            waiting_bytes: self.waiting_bytes,
            free_bytes,
            largest_free_bytes: self.blocks.iter().map(|block| block.ranges.largest()).max().unwrap_or(0),
            most_used_bytes: self.most_used_bytes,
        }
    }
}

/// Locks what is right whoever panicked with it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether this is a child of a fork that the parent's device is used in.
fn is_forked(device: Device) -> bool {
    matches!(device.check_usable(), Err(kfd::Error::Forked))
}

/// Frees bytes of the block that begins there.
fn give_back(blocks: &mut [Block], block: u64, at: u64, bytes: u64) {
    if let Some(block) = blocks.iter_mut().find(|other| other.memory.address() == block) {
        block.ranges.give_back(at, bytes);
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.collect();
        if !self.waiting.is_empty() {
            // Work may still use it: a queue that has not been dropped.
            tracing::warn!(
                bytes = self.waiting_bytes,
                "an arena was dropped while work used it: its memory is kept for ever"
            );
            self.blocks.drain(..).for_each(std::mem::forget);
        }
    }
}

impl Fragment {
    /// Device address of the first byte.
    pub fn address(&self) -> u64 {
        self.memory.address() + self.at
    }

    /// How many bytes it has: those that were asked for, rounded up to 256.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// All of it.
    pub fn whole(&self) -> Part {
        Part { address: self.address(), bytes: self.bytes }
    }

    /// The `bytes` from byte `offset` on.
    ///
    /// # Errors
    /// [`kfd::Error::Range`], in bytes.
    pub fn part(&self, offset: u64, bytes: u64) -> Result<Part> {
        Ok(self.whole().part(offset, bytes)?)
    }

    /// Where the host sees it: see [`Memory::host`].
    ///
    /// # Errors
    /// [`kfd::Error::NotVisible`], [`kfd::Error::Forked`].
    pub fn host(&self) -> Result<NonNull<u8>> {
        // SAFETY: inside the memory.
        Ok(unsafe { self.memory.host()?.add(self.at as usize) })
    }

    /// Makes another GPU reach it, with the whole block: see [`Memory::map_to`].
    ///
    /// # Errors
    /// As of [`Memory::map_to`].
    pub fn map_to(&self, device: Device) -> Result<()> {
        Ok(self.memory.map_to(device)?)
    }

    /// Notes that this work uses it: after it was dropped, it is not used for anything else before the work is over.
    pub fn used_by(&mut self, ticket: &Ticket) {
        self.users.insert(ticket);
    }
}

impl Drop for Fragment {
    fn drop(&mut self) {
        // In a child of a fork the memory is the parent's, and the lock may be held for ever.
        if is_forked(self.arena.0.device) {
            return;
        }
        let mut state = lock(&self.arena.0.state);
        state.fragments -= 1;
        let (block, users) = (self.memory.address(), std::mem::take(&mut self.users));
        if users.are_over() {
            give_back(&mut state.blocks, block, self.at, self.bytes);
        } else {
            state.waiting_bytes += self.bytes;
            state.waiting.push(Waiting { block, at: self.at, bytes: self.bytes, users });
        }
    }
}
