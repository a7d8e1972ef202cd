//! Events of a process, created by `AMDKFD_IOC_CREATE_EVENT` and waited for by `AMDKFD_IOC_WAIT_EVENTS`.

mod alarm;
#[cfg(test)]
mod tests;

use crate::backing::Backing;
use crate::driver::kfd::smi;
use crate::errno::Errno;
use crate::hardware::interrupts::FaultReason;
use crate::reentry::Guard;
use alarm::Alarm;
pub use alarm::LONGEST as LONGEST_WAIT;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Signal events that a process can have (`KFD_SIGNAL_EVENT_LIMIT`): ids 1 to this minus 1.
pub const SIGNAL_LIMIT: u32 = 4096;
/// First id of the other events (`KFD_FIRST_NONSIGNAL_EVENT_ID`), which go up to `i32::MAX`.
const FIRST_OTHER: u32 = 1 << 30;
/// Their end.
const END_OTHER: u32 = 1 << 31;
/// A slot of the events page that nothing was written to.
const UNSIGNALED: u64 = u64::MAX;
/// Slots of the page that the driver makes itself, for programs that bring none, until they map it.
const OLD_LIMIT: u32 = 256;

/// Alarms kept for the next waits: each takes a descriptor.
const SPARE: usize = 16;

/// `KFD_IOC_EVENT_SIGNAL`.
pub const SIGNAL: u32 = 0;
/// `KFD_IOC_EVENT_DEBUG_EVENT`.
pub const DEBUG: u32 = 5;
/// `KFD_IOC_EVENT_MEMORY`.
pub const MEMORY: u32 = 8;

/// Data that a waiter gets in addition to the fact that an event was raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// `kfd_hsa_memory_exception_data`.
    MemoryFault {
        /// The GPU.
        gpu_id: u32,
        /// The address.
        address: u64,
        /// The reason.
        reason: FaultReason,
    },
    /// The event's age, of a wait that gave one.
    Age(u64),
}

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    /// One (or all) of the events were raised.
    Complete,
    /// The time was over first.
    Timeout,
}

#[derive(Debug)]
struct Event {
    kind: u32,
    auto_reset: bool,
    signaled: bool,
    age: u64,
    payload: Option<Payload>,
    /// Waits, each with the position of this event in it.
    waiters: Vec<(u64, usize)>,
}

#[derive(Debug)]
struct Slot {
    event: u32,
    destroyed: bool,
    activated: bool,
    age_asked: bool,
}

#[derive(Debug)]
struct Waiter {
    slots: Vec<Slot>,
    wake: Arc<Alarm>,
}

#[derive(Debug, Default)]
struct State {
    events: BTreeMap<u32, Event>,
    signal_events: u32,
    page: Option<Page>,
    waiters: HashMap<u64, Waiter>,
    next_waiter: u64,
    /// Alarms of waits that are over, for the next ones.
    spare: Vec<Arc<Alarm>>,
}

#[derive(Debug)]
struct Page {
    memory: Arc<Backing>,
    slots: u32,
}

impl Page {
    fn slot(&self, id: u32) -> &AtomicU64 {
        debug_assert!(u64::from(id) < self.memory.size() / 8);
        // SAFETY: ids are below SIGNAL_LIMIT and the page has that many slots; shared memory that others change is what
        // atomics are for.
        unsafe { &*self.memory.host().cast::<AtomicU64>().add(id as usize) }
    }
}

/// The events of a process, shared by its GPUs. All methods may be called from any thread.
#[derive(Debug, Default)]
pub struct Events {
    state: Mutex<State>,
}

/// One event that a wait is for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// The id.
    pub event: u32,
    /// For signal events: the age that the caller has seen last, or 0 for none.
    pub last_age: u64,
}

impl Events {
    fn lock(&self) -> Guard<'_, State> {
        Guard::lock(&self.state)
    }

    /// Uses `memory` as the events page: 8-byte slots, by event id.
    ///
    /// # Errors
    /// `EINVAL` if it is too small, `EBUSY` if there is a page already.
    pub fn set_page(&self, memory: Arc<Backing>) -> Result<(), Errno> {
        let mut state = self.lock();
        if state.page.is_some() {
            return Err(Errno::EBUSY.because("there is a page of events already"));
        }
        if memory.size() < u64::from(SIGNAL_LIMIT) * 8 {
            return Err(Errno::EINVAL.because("the page of events is too small"));
        }
        state.page = Some(Page::new(memory, SIGNAL_LIMIT));
        Ok(())
    }

    /// True once the process has an events page.
    pub fn has_page(&self) -> bool {
        self.lock().page.is_some()
    }

    /// The events page.
    pub fn page(&self) -> Option<Arc<Backing>> {
        self.lock().page.as_ref().map(|page| page.memory.clone())
    }

    /// The program maps `length` bytes of the events page through `/dev/kfd`: events get the slots that it sees.
    ///
    /// # Errors
    /// `EINVAL` if there is no page or it is smaller.
    pub fn map_page(&self, length: u64) -> Result<Arc<Backing>, Errno> {
        let mut state = self.lock();
        let page = state.page.as_mut().filter(|_| length <= u64::from(SIGNAL_LIMIT) * 8).ok_or(Errno::EINVAL)?;
        page.slots = (length / 8) as u32;
        Ok(page.memory.clone())
    }

    /// Creates an event and returns its id.
    ///
    /// # Errors
    /// `ENOSPC` if there are as many signal events as the page has slots.
    pub fn create(&self, kind: u32, auto_reset: bool) -> Result<u32, Errno> {
        let mut state = self.lock();
        let id = if kind == SIGNAL || kind == DEBUG {
            if state.page.is_none() {
                let memory = Backing::new(c"vgpu-events", u64::from(SIGNAL_LIMIT) * 8)?;
                state.page = Some(Page::new(Arc::new(memory), OLD_LIMIT));
            }
            let limit = state.page.as_ref().map_or(0, |page| page.slots);
            // Id 0 is never given: the hardware uses it for "no event".
            let id =
                free_id(&state.events, 1, limit).ok_or(Errno::ENOSPC.because("the page of events has no free slot"))?;
            if let Some(page) = &state.page {
                page.slot(id).store(UNSIGNALED, Ordering::SeqCst);
            }
            state.signal_events += 1;
            id
        } else {
            free_id(&state.events, FIRST_OTHER, END_OTHER)
                .ok_or(Errno::ENOSPC.because("there are as many events as there may be"))?
        };
        let event = Event { kind, auto_reset, signaled: false, age: 1, payload: None, waiters: Vec::new() };
        state.events.insert(id, event);
        Ok(id)
    }

    /// Removes an event; waits for it fail.
    ///
    /// # Errors
    /// `EINVAL` for an unknown id.
    pub fn destroy(&self, id: u32) -> Result<(), Errno> {
        let mut state = self.lock();
        let event = state.events.remove(&id).ok_or(Errno::EINVAL.because("no event has this event_id"))?;
        if event.kind == SIGNAL || event.kind == DEBUG {
            state.signal_events -= 1;
        }
        for (waiter, slot) in event.waiters {
            if let Some(waiter) = state.waiters.get_mut(&waiter) {
                waiter.slots[slot].destroyed = true;
                waiter.wake.ring();
            }
        }
        Ok(())
    }

    /// Raises a signal event for the program.
    ///
    /// # Errors
    /// `EINVAL` for an unknown id or another kind of event.
    pub fn set(&self, id: u32) -> Result<(), Errno> {
        let mut state = self.lock();
        state.signal_event(id)?;
        state.raise(id);
        Ok(())
    }

    /// Resets a raised signal event.
    ///
    /// # Errors
    /// `EINVAL` for an unknown id or another kind of event.
    pub fn reset(&self, id: u32) -> Result<(), Errno> {
        self.lock().signal_event(id)?.signaled = false;
        Ok(())
    }

    /// An interrupt of a queue, an SDMA trap or `s_sendmsg MSG_INTERRUPT`: raises the signal event `event_id`, whose
    /// slot in the events page must have been written before. If it was not, or there is no such event, raises every
    /// event whose slot was, as the driver does.
    pub fn interrupt(&self, event_id: u32) {
        let mut state = self.lock();
        let Some(page) = &state.page else { return };
        let written = |id: u32| page.slot(id).load(Ordering::SeqCst) != UNSIGNALED;
        let known = event_id < SIGNAL_LIMIT && state.events.contains_key(&event_id);
        let hit: Vec<u32> = if known && written(event_id) {
            vec![event_id]
        } else {
            state.events.range(..SIGNAL_LIMIT).map(|(id, _)| *id).filter(|id| written(*id)).collect()
        };
        for id in hit {
            if let Some(page) = &state.page {
                page.slot(id).store(UNSIGNALED, Ordering::SeqCst);
            }
            state.raise(id);
        }
    }

    /// A GPU's access to `address` faulted: raises the process's memory exception events.
    pub fn memory_fault(&self, gpu_id: u32, address: u64, reason: FaultReason) {
        // The interrupt names the page, not the byte.
        let address = address & !(crate::backing::PAGE - 1);
        self.raise_all(MEMORY, Payload::MemoryFault { gpu_id, address, reason });
        smi::vm_fault(gpu_id);
    }

    fn raise_all(&self, kind: u32, payload: Payload) {
        let mut state = self.lock();
        let hit: Vec<u32> =
            state.events.range(FIRST_OTHER..).filter(|(_, event)| event.kind == kind).map(|(id, _)| *id).collect();
        for id in hit {
            if let Some(event) = state.events.get_mut(&id) {
                event.payload = Some(payload);
            }
            state.raise(id);
        }
    }

    /// Waits until one (or `all`) of the events are raised; `timeout` is `None` for ever. The payloads are those of the
    /// events that were raised, by position.
    ///
    /// # Errors
    /// `EINVAL` for an unknown id, `EIO` if an event is destroyed meanwhile, `EINTR` if a signal handler without
    /// `SA_RESTART` ran, and what the host says when there are too many open files.
    pub fn wait(
        &self,
        wanted: &[Wanted],
        all: bool,
        timeout: Option<Duration>,
    ) -> Result<(Waited, Vec<Option<Payload>>), Errno> {
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut state = self.lock();
        let wake = match state.spare.pop() {
            Some(alarm) => alarm,
            None => Arc::new(Alarm::new()?),
        };
        let key = state.next_waiter;
        state.next_waiter += 1;
        let mut slots = Vec::with_capacity(wanted.len());
        for (position, wanted) in wanted.iter().enumerate() {
            // What was taken of the events before this one is lost, as with the driver.
            let Some(event) = state.events.get_mut(&wanted.event) else { break };
            let age_asked = event.kind == SIGNAL && wanted.last_age != 0;
            let activated = event.signaled || (age_asked && event.age != wanted.last_age);
            event.signaled &= !event.auto_reset;
            if !activated {
                event.waiters.push((key, position));
            }
            slots.push(Slot { event: wanted.event, destroyed: false, activated, age_asked });
        }
        let unknown = slots.len() < wanted.len();
        state.waiters.insert(key, Waiter { slots, wake: wake.clone() });
        let result = loop {
            if unknown {
                break Err(Errno::EINVAL.because("no event has one of these ids"));
            }
            let Some(waiter) = state.waiters.get(&key) else { break Err(Errno::EIO) };
            if waiter.slots.iter().any(|slot| slot.destroyed) {
                break Err(Errno::EIO.because("an event was destroyed meanwhile"));
            }
            let activated = waiter.slots.iter().filter(|slot| slot.activated).count();
            if activated == waiter.slots.len() || (activated > 0 && !all) {
                break Ok(Waited::Complete);
            }
            let left = match (timeout, deadline) {
                (Some(_), Some(deadline)) => match deadline.checked_duration_since(Instant::now()) {
                    Some(left) if !left.is_zero() => Some(left),
                    _ => break Ok(Waited::Timeout),
                },
                _ => None,
            };
            wake.set(left);
            drop(state);
            let slept = wake.sleep();
            state = self.lock();
            if let Err(errno) = slept {
                break Err(errno);
            }
        };
        let slots = state.waiters.remove(&key).map(|waiter| waiter.slots).unwrap_or_default();
        // Nobody rings it any more: that is done under the lock, for waits that are known.
        if state.spare.len() < SPARE {
            state.spare.push(wake);
        }
        let mut payloads = Vec::with_capacity(slots.len());
        for slot in &slots {
            let Some(event) = state.events.get_mut(&slot.event) else {
                payloads.push(None);
                continue;
            };
            event.waiters.retain(|(waiter, _)| *waiter != key);
            // The caller hears nothing of what was raised for it: as the driver, raise it again.
            if result == Err(Errno::EINTR) && slot.activated && event.auto_reset {
                state.raise(slot.event);
                continue;
            }
            payloads.push(match event.kind {
                _ if !slot.activated => None,
                SIGNAL if slot.age_asked => Some(Payload::Age(event.age)),
                _ => event.payload,
            });
        }
        result.map(|waited| (waited, payloads))
    }
}

impl Page {
    fn new(memory: Arc<Backing>, slots: u32) -> Page {
        let page = Page { memory, slots };
        for id in 0..SIGNAL_LIMIT {
            page.slot(id).store(UNSIGNALED, Ordering::SeqCst);
        }
        page
    }
}

impl State {
    fn signal_event(&mut self, id: u32) -> Result<&mut Event, Errno> {
        self.events
            .get_mut(&id)
            .filter(|event| event.kind == SIGNAL)
            .ok_or(Errno::EINVAL.because("no event that a program can set has this event_id"))
    }

    fn raise(&mut self, id: u32) {
        let Some(event) = self.events.get_mut(&id) else { return };
        event.signaled = !event.auto_reset || event.waiters.is_empty();
        // Ages 0 and 1 mean "none" and "new".
        event.age = event.age.checked_add(1).unwrap_or(2);
        for (waiter, slot) in &event.waiters {
            if let Some(waiter) = self.waiters.get_mut(waiter) {
                // A wait that has not seen the last time yet was woken for that.
                if !std::mem::replace(&mut waiter.slots[*slot].activated, true) {
                    waiter.wake.ring();
                }
            }
        }
    }
}

fn free_id(events: &BTreeMap<u32, Event>, first: u32, end: u32) -> Option<u32> {
    let mut id = first;
    for used in events.range(first..end).map(|(used, _)| *used) {
        if used != id {
            break;
        }
        id += 1;
    }
    (id < end).then_some(id)
}
