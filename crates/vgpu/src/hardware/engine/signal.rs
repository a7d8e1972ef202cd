//! `amd_signal_t`, which a packet decrements when it completes.

use super::access::Memory;
use crate::hardware::gpu::Gpu;
use crate::hardware::sleepers;
use gcn::bus::MemoryFault;

const VALUE: u64 = 8;
const EVENT_MAILBOX: u64 = 16;
const EVENT_ID: u64 = 24;
const START_TS: u64 = 32;
const END_TS: u64 = 40;

/// An event to raise once no device memory is in use any more.
#[must_use]
pub struct Interrupt(Option<u32>);

impl Interrupt {
    /// Raises it.
    pub fn raise(self, gpu: &Gpu) {
        if let Some(event) = self.0 {
            crate::trace::emit("interrupt", |e| e.text("source", "signal").number("event_id", event));
            gpu.interrupts.event(event);
        }
    }
}

/// Device address of the value of the signal at `signal`.
pub fn place(signal: u64) -> u64 {
    signal.wrapping_add(VALUE)
}

/// The value of the signal at `signal`.
pub fn value(memory: &Memory, signal: u64) -> Result<i64, MemoryFault> {
    Ok(memory.load_u64(place(signal))? as i64)
}

/// Completes a packet: timestamps in ticks of the constant clock, then the decrement, then the mailbox of a sleeping
/// thread.
pub fn complete(memory: &Memory, signal: u64, start: u64, end: u64) -> Result<Interrupt, MemoryFault> {
    if signal == 0 {
        return Ok(Interrupt(None));
    }
    memory.store_u64(signal.wrapping_add(START_TS), start)?;
    memory.store_u64(signal.wrapping_add(END_TS), end)?;
    change(memory, signal, |value| value.wrapping_sub(1))
}

/// Changes the value and notifies, as all of the device's changes of signals do.
pub fn change(memory: &Memory, signal: u64, to: impl Fn(u64) -> u64) -> Result<Interrupt, MemoryFault> {
    // Read before the change: behind it the program may free the signal.
    let mailbox = memory.load_u64(signal.wrapping_add(EVENT_MAILBOX))?;
    let event = memory.load_u32(signal.wrapping_add(EVENT_ID))?;
    let old = memory.update_u64(place(signal), &to)?;
    crate::trace::emit("signal", |e| e.address("signal", signal).number("value", to(old) as i64));
    sleepers::wake();
    if mailbox == 0 {
        return Ok(Interrupt(None));
    }
    memory.store_u64(mailbox, u64::from(event))?;
    // The driver hears nothing of a compute queue's interrupt for event 0.
    Ok(Interrupt((event != 0).then_some(event)))
}
