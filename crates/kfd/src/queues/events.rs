//! The driver's events: how a thread sleeps until a GPU interrupts.

use std::time::Duration;

use kfd_sys::*;

use crate::driver::{Connection, lock, request};
use crate::fault::{Fault, MemoryFault};
use crate::memory::{Memory, Placement};
use crate::queues::device::{Gpu, Process};
use crate::{Error, Result};
use kfd_sys::Errno;

/// Slots of the events page, 8 bytes each (`KFD_SIGNAL_EVENT_LIMIT`).
const PAGE_BYTES: usize = KFD_SIGNAL_EVENT_LIMIT as usize * 8;
/// From this version on a wait says which state of the event it has seen, so that none is missed.
const MINOR_WITH_AGES: u32 = 14;
/// How long a wait sleeps at most before it looks again, in ms. Without ages an event may be taken by another waiter.
const LONGEST_SLEEP: u128 = 500;
const LONGEST_SLEEP_WITHOUT_AGES: u128 = 20;

/// The events that a process has once, made step by step so that a step that failed can be repeated.
#[derive(Debug, Default)]
pub(crate) struct Events {
    /// Where GPUs write which event they raise. It can be given to the driver once only.
    page: Option<Memory>,
    /// Memory that every GPU gets at: signals.
    common: Vec<&'static Memory>,
    process: ProcessEvents,
}

/// Ids of the events that every wait is for, 0 for none yet.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ProcessEvents {
    /// A queue stopped.
    pub queue: Event,
    memory: u32,
    hardware: u32,
}

/// A signal event.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Event {
    pub id: u32,
    /// Device address of its slot in the events page.
    pub mailbox: u64,
}

impl Events {
    /// Makes what is missing, and what all GPUs share reachable by `gpu`.
    pub fn reach(&mut self, gpu: &'static Gpu) -> Result<()> {
        if self.page.is_none() {
            let page = Memory::new(gpu, PAGE_BYTES, Placement::HOST)?;
            self.process.queue = create(gpu.driver, KFD_IOC_EVENT_SIGNAL, &page, page.handle())?;
            self.page = Some(page);
        }
        let Some(page) = &self.page else { return Ok(()) };
        if self.process.queue.id == 0 {
            // The first event of a process with Linux 5.15 to 5.18, later ones keep the number. Signals say by it that
            // they raise none.
            self.process.queue = create(gpu.driver, KFD_IOC_EVENT_SIGNAL, page, 0)?;
        }
        page.map_to(gpu)?;
        for common in &self.common {
            common.map_to(gpu)?;
        }
        if self.process.memory == 0 {
            self.process.memory = create(gpu.driver, KFD_IOC_EVENT_MEMORY, page, 0)?.id;
        }
        if self.process.hardware == 0 {
            self.process.hardware = create(gpu.driver, KFD_IOC_EVENT_HW_EXCEPTION, page, 0)?.id;
        }
        Ok(())
    }

    /// Memory of signals, which lasts until the process ends: mapped to all GPUs of now and later.
    pub fn common_memory(&mut self, gpu: &'static Gpu, bytes: usize) -> Result<&'static Memory> {
        let memory = Memory::new(gpu, bytes, Placement::HOST)?;
        for other in gpu.process.gpus() {
            memory.map_to(other)?;
        }
        let memory: &'static Memory = Box::leak(Box::new(memory));
        self.common.push(memory);
        Ok(memory)
    }

    /// A new signal event.
    pub fn create_signal(&self, driver: &Connection) -> Result<Event> {
        let Some(page) = &self.page else { return Err(Error::NoGpu("no device is open".into())) };
        create(driver, KFD_IOC_EVENT_SIGNAL, page, 0)
    }

    pub fn process(&self) -> ProcessEvents {
        self.process
    }
}

/// Makes an event. `page_handle` is that of the events page in the first request of the process, then 0.
fn create(driver: &Connection, kind: u32, page: &Memory, page_handle: u64) -> Result<Event> {
    let mut args = kfd_ioctl_create_event_args {
        event_page_offset: page_handle,
        event_type: kind,
        // A reset stays raised: see `Sleeper::note_faults`.
        auto_reset: u32::from(kind != KFD_IOC_EVENT_HW_EXCEPTION),
        ..Default::default()
    };
    request!(driver, AMDKFD_IOC_CREATE_EVENT, amdkfd_ioc_create_event, "an event", &mut args)?;
    let slot = if kind == KFD_IOC_EVENT_SIGNAL { u64::from(args.event_slot_index) * 8 } else { 0 };
    Ok(Event { id: args.event_id, mailbox: page.address() + slot })
}

/// Events that a thread sleeps for: the given ones and those of the whole process.
pub(crate) struct Sleeper {
    process: &'static Process,
    data: Vec<kfd_event_data>,
    /// A GPU was reset.
    reset: bool,
}

/// Where a sleeper has the events of faults, and from where on signal events: first that of queues.
const HARDWARE: usize = 0;
const MEMORY: usize = 1;
const SIGNALS: usize = 2;

impl Sleeper {
    /// For signal events with these ids; others (0) are left out.
    pub fn new(process: &'static Process, events: impl Iterator<Item = u32>) -> Sleeper {
        let common = lock(&process.events).process();
        let all = [common.hardware, common.memory, common.queue.id].into_iter().chain(events.filter(|id| *id != 0));
        let mut data: Vec<_> = all.map(no_data).collect();
        if process.driver.minor() >= MINOR_WITH_AGES {
            // That of a new event: one that was raised ever before ends the first sleep, as this may be what the thread
            // missed. From then on the driver writes the age that it finds. 0 would ask for none.
            for data in &mut data[SIGNALS..] {
                data.__bindgen_anon_1.signal_event_data = kfd_hsa_signal_event_data { last_event_age: 1 };
            }
        }
        Sleeper { process, data, reset: false }
    }

    /// Sleeps until an event was raised since the last sleep, or for `timeout`. May also return early, as the first
    /// time mostly does. Faults that arrived are noted at their GPUs.
    pub fn sleep(&mut self, timeout: Duration) -> Result<()> {
        let driver = &self.process.driver;
        driver.check_fork()?;
        let ages = driver.minor() >= MINOR_WITH_AGES;
        let longest = if ages { LONGEST_SLEEP } else { LONGEST_SLEEP_WITHOUT_AGES };
        for data in &mut self.data[..SIGNALS] {
            *data = no_data(data.event_id);
        }
        // Rounded up: a wait of less than a millisecond is one of 1 ms, not of none.
        let milliseconds = timeout.as_nanos().div_ceil(1_000_000).min(longest) as u32;
        // An event that stays raised would end each sleep at once.
        let from = if self.reset { MEMORY } else { HARDWARE };
        if wait(driver, &mut self.data[from..], milliseconds)? || self.reset {
            self.note_faults()?;
        }
        Ok(())
    }

    /// Notes what the driver's records say at the GPUs concerned.
    fn note_faults(&mut self) -> Result<()> {
        // SAFETY: all fields of the union are integers; the driver wrote the one of the event's type, or left the
        // zeros.
        let memory = unsafe { self.data[MEMORY].__bindgen_anon_1.memory_exception_data };
        if let Some(gpu) = self.process.gpu(memory.gpu_id) {
            gpu.lose(match memory.ErrorType {
                KFD_MEM_ERR_NO_RAS => Fault::Memory(MemoryFault {
                    address: memory.va,
                    not_present: memory.failure.NotPresent != 0,
                    read_only: memory.failure.ReadOnly != 0,
                    no_execute: memory.failure.NoExecute != 0,
                    allocation: self.process.driver.allocations().at(memory.va),
                }),
                // The card's own errors, without an address.
                kind => Fault::Ecc { poison: kind == KFD_MEM_ERR_POISON_CONSUMED },
            });
        }
        // Drivers of about Linux 6.1 have records of memory events only: that this event is raised shows when nothing
        // else is waited for.
        if self.hardware().gpu_id == 0 && !wait(&self.process.driver, &mut self.data[..=HARDWARE], 0)? {
            return Ok(());
        }
        self.reset = true;
        let hardware = self.hardware();
        match hardware.gpu_id {
            // It may have been any of them. Resets that are told so lose what is in memory.
            0 => self.process.gpus().into_iter().for_each(|gpu| gpu.lose(Fault::Reset { memory_lost: true })),
            id => {
                if let Some(gpu) = self.process.gpu(id) {
                    gpu.lose(Fault::Reset { memory_lost: hardware.memory_lost != 0 });
                }
            }
        }
        Ok(())
    }

    fn hardware(&self) -> kfd_hsa_hw_exception_data {
        // SAFETY: as above.
        unsafe { self.data[HARDWARE].__bindgen_anon_1.hw_exception_data }
    }
}

/// Waits until one of the events is raised, and whether one is. A signal handler may end it early.
fn wait(driver: &Connection, data: &mut [kfd_event_data], milliseconds: u32) -> Result<bool> {
    let mut args = kfd_ioctl_wait_events_args {
        events_ptr: data.as_mut_ptr().expose_provenance() as u64,
        num_events: data.len() as u32,
        wait_for_all: 0,
        timeout: milliseconds,
        wait_result: 0,
    };
    // SAFETY: as many event records as the arguments say.
    match unsafe { amdkfd_ioc_wait_events(driver.fd(), &mut args) } {
        Ok(()) => Ok(args.wait_result == KFD_IOC_WAIT_RESULT_COMPLETE),
        Err(error) => match error.raw_os_error() {
            Some(libc::EINTR | libc::EAGAIN) => Ok(false),
            _ => Err(Error::request("AMDKFD_IOC_WAIT_EVENTS", "sleeping until a GPU interrupts", Errno::of(&error))),
        },
    }
}

/// A record of an event that says nothing.
fn no_data(event_id: u32) -> kfd_event_data {
    let memory_exception_data = kfd_hsa_memory_exception_data::default();
    kfd_event_data {
        __bindgen_anon_1: kfd_event_data__bindgen_ty_1 { memory_exception_data },
        kfd_event_data_ext: 0,
        event_id,
        pad: 0,
    }
}

impl Event {
    /// Raises it for the threads that sleep.
    pub fn raise(self, driver: &Connection) -> Result<()> {
        let mut args = kfd_ioctl_set_event_args { event_id: self.id, pad: 0 };
        request!(driver, AMDKFD_IOC_SET_EVENT, amdkfd_ioc_set_event, "waking threads", &mut args)
    }
}
