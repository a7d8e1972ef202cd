//! Fault injection (`--faults SPEC`), for tests of error paths.

use crate::errno::Errno;
use crate::locks::lock;
use crate::queue_error;
use std::collections::HashMap;
use std::str::FromStr;
use std::sync::{Mutex, MutexGuard, OnceLock};

/// The faults of `--faults`: a list, separated by commas, of
///
/// | entry | effect |
/// |---|---|
/// | `ioctl:NAME:N=ERRNO` | the N-th call (from 1) of this ioctl fails and does nothing (but see [`answers_after_the_work`]); `N` may be `*` for all |
/// | `vram=SIZE` | the GPU has only so much memory; `SIZE` may end in `K`, `M` or `G` |
/// | `queue-error@dispatch:N=CODE` | dispatch N (from 1, over all queues of a GPU) stops its queue with this error code, one of [`queue_error::STOPPING`] |
/// | `memory-fault@dispatch:N` | dispatch N faults at address 0, after which no queue of the process runs on that GPU |
/// | `hang@dispatch:N` | dispatch N never ends |
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    ioctls: Vec<(String, Option<u64>, Errno)>,
    vram: Option<u64>,
    dispatches: HashMap<u64, DispatchFault>,
}

/// The fault of a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DispatchFault {
    /// The queue stops with this error.
    QueueError(u64),
    /// The queue stops with a memory fault at this address.
    MemoryFault {
        /// The address, which nothing is mapped at.
        address: u64,
    },
    /// It never ends.
    Hang,
}

/// Why a fault specification makes no sense.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("--faults entry {entry:?}: {what}")]
pub struct ParseError {
    entry: String,
    what: &'static str,
}

/// The text of `Display`, as `main` prints an error by this.
impl std::fmt::Debug for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl FromStr for Faults {
    type Err = ParseError;

    fn from_str(spec: &str) -> Result<Faults, ParseError> {
        let mut faults = Faults::default();
        for entry in spec.split(',') {
            faults.add(entry).map_err(|what| ParseError { entry: entry.into(), what })?;
        }
        Ok(faults)
    }
}

impl Faults {
    fn add(&mut self, entry: &str) -> Result<(), &'static str> {
        let (key, value) = entry.split_once('=').map_or((entry, None), |(key, value)| (key, Some(value)));
        if key == "vram" {
            let bytes = size(value.ok_or("expected vram=SIZE, such as vram=512M")?)?;
            if self.vram.replace(bytes).is_some() {
                return Err("vram is given twice");
            }
        } else if let Some(call) = key.strip_prefix("ioctl:") {
            let (name, count) =
                call.split_once(':').ok_or("expected ioctl:NAME:N=ERRNO, such as ioctl:CREATE_QUEUE:1=ENOMEM")?;
            if name.is_empty() || !name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_') {
                return Err("an ioctl is named like ALLOC_MEMORY_OF_GPU");
            }
            let count = if count == "*" { None } else { Some(ordinal(count)?) };
            let errno = value
                .and_then(Errno::from_name)
                .ok_or("expected =ERRNO with the name of an errno that the device uses, such as =ENOMEM")?;
            self.ioctls.push((name.into(), count, errno));
        } else {
            let (fault, count) = key.split_once("@dispatch:").ok_or(UNKNOWN)?;
            let fault = match (fault, value) {
                ("hang", None) => DispatchFault::Hang,
                // Page 0 is never mapped.
                ("memory-fault", None) => DispatchFault::MemoryFault { address: 0 },
                ("queue-error", Some(code)) => DispatchFault::QueueError(error_code(code)?),
                ("queue-error", None) => {
                    return Err("expected queue-error@dispatch:N=CODE, such as queue-error@dispatch:1=0x20");
                }
                ("hang" | "memory-fault", Some(_)) => return Err("this fault has no value: write hang@dispatch:1"),
                _ => return Err(UNKNOWN),
            };
            if self.dispatches.insert(ordinal(count)?, fault).is_some() {
                return Err("this dispatch has a fault already");
            }
        }
        Ok(())
    }
}

const UNKNOWN: &str = "no such fault; there are ioctl:NAME:N=ERRNO, vram=SIZE, queue-error@dispatch:N=CODE, memory-fault@dispatch:N and \
                       hang@dispatch:N, such as hang@dispatch:1";

fn ordinal(text: &str) -> Result<u64, &'static str> {
    text.parse().ok().filter(|&n| n > 0).ok_or("calls and dispatches are counted from 1, such as hang@dispatch:1")
}

fn error_code(text: &str) -> Result<u64, &'static str> {
    let parsed = match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => text.parse(),
    };
    parsed.ok().filter(|code| queue_error::STOPPING.contains(code)).ok_or(
        "the code is one with which hardware stops a queue, decimal or 0x..., such as 0x20: 0x2, 0x4, 0x8, 0x20, 0x40, 0x80, 0x100, \
         0x20000000, 0x40000000 or 0x80000000",
    )
}

fn size(text: &str) -> Result<u64, &'static str> {
    let shift = match text.as_bytes().last() {
        Some(b'K') => 10,
        Some(b'M') => 20,
        Some(b'G') => 30,
        _ => 0,
    };
    let digits = if shift == 0 { text } else { &text[..text.len() - 1] };
    let bytes = digits.parse::<u64>().ok().and_then(|n| n.checked_mul(1 << shift));
    bytes.filter(|&n| n > 0).ok_or("a size is a number above 0, with K, M or G behind it if need be, such as 512M")
}

static FAULTS: OnceLock<Faults> = OnceLock::new();

/// Installs `faults` in this process. Only the first call has an effect.
pub fn install(faults: Faults) {
    let _ = FAULTS.set(faults);
}

/// Calls of the ioctls that are to fail, by name.
pub type Calls = HashMap<String, u64>;

static CALLS: Mutex<Option<Calls>> = Mutex::new(None);

/// The calls so far; a forked child counts on.
pub fn calls() -> MutexGuard<'static, Option<Calls>> {
    lock(&CALLS)
}

/// Counts a call of the ioctl `name` (for example `ALLOC_MEMORY_OF_GPU`) and returns the error with which it must fail,
/// if any.
pub fn ioctl(name: &str) -> Option<Errno> {
    let faults = FAULTS.get()?;
    if !faults.ioctls.iter().any(|(known, _, _)| known == name) {
        return None;
    }
    let mut calls = calls();
    let count = calls.get_or_insert_default().entry(name.into()).or_default();
    *count += 1;
    let hit = faults.ioctls.iter().find(|(known, nth, _)| known == name && nth.is_none_or(|nth| nth == *count));
    hit.map(|(_, _, errno)| *errno)
}

/// Whether the driver does what it was asked for all the same when it answers so: for a queue that the scheduler does
/// not take off the GPU, Linux answers `ETIME` and gives it up, so that the next one gets its id (`pqm_destroy_queue`).
pub fn answers_after_the_work(name: &str, errno: Errno) -> bool {
    name == "DESTROY_QUEUE" && errno == Errno::ETIME
}

/// The ioctl names of the specification, so that the caller can refuse unknown names.
pub fn ioctl_names(faults: &Faults) -> impl Iterator<Item = &str> {
    faults.ioctls.iter().map(|(name, _, _)| name.as_str())
}

/// The GPU's memory, if it is less than its profile's.
pub fn vram_bytes() -> Option<u64> {
    FAULTS.get()?.vram
}

/// The fault of dispatch number `number`.
pub fn dispatch(number: u64) -> Option<DispatchFault> {
    let fault = FAULTS.get()?.dispatches.get(&number).copied()?;
    crate::trace::emit("fault_injected", |e| e.number("dispatch", number));
    Some(fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_everything() {
        let spec = "ioctl:ALLOC_MEMORY_OF_GPU:3=ENOMEM,vram=1G,queue-error@dispatch:2=0x20,memory-fault@dispatch:5,hang@dispatch:7";
        let faults: Faults = spec.parse().unwrap();
        assert_eq!(faults.ioctls, [("ALLOC_MEMORY_OF_GPU".to_string(), Some(3), Errno::ENOMEM)]);
        assert_eq!(faults.vram, Some(1 << 30));
        assert_eq!(faults.dispatches[&2], DispatchFault::QueueError(0x20));
        assert_eq!(faults.dispatches[&5], DispatchFault::MemoryFault { address: 0 });
        assert_eq!(faults.dispatches[&7], DispatchFault::Hang);
    }

    #[test]
    fn errors_name_the_entry() {
        for (spec, what) in [
            ("vram=", "a size"),
            ("vram=99999999999G", "a size"),
            ("ioctl:CREATE_QUEUE=ENOMEM", "ioctl:NAME:N"),
            ("ioctl:CREATE_QUEUE:0=ENOMEM", "from 1"),
            ("ioctl:CREATE_QUEUE:1=ENOSUCH", "ERRNO"),
            ("hang@dispatch:x", "from 1"),
            ("hang@dispatch:1=2", "no value"),
            ("hang@dispatch:0", "from 1"),
            ("ioctl:CREATE_QUEUE:99999999999999999999=ENOMEM", "from 1"),
            ("ioctl:create_queue:1=ENOMEM", "named like"),
            ("queue-error@dispatch:1", "CODE"),
            // Asks for scratch memory: it does not stop a queue.
            ("queue-error@dispatch:1=1", "0x20"),
            ("queue-error@dispatch:1=0x21", "0x20"),
            ("queue-error@dispatch:1=0xffffffffffffffffff", "0x20"),
            ("explode", "no such fault"),
            ("explode@dispatch:1", "no such fault"),
            ("", "no such fault"),
        ] {
            let text = format!("{:?}", spec.parse::<Faults>().unwrap_err());
            assert!(text.contains(spec) && text.contains(what), "{text}");
        }
        for (spec, entry, what) in [
            ("vram=1G,vram=2G", "vram=2G", "twice"),
            ("hang@dispatch:1,memory-fault@dispatch:1", "memory-fault@dispatch:1", "already"),
            ("vram=1G,,hang@dispatch:1", r#""""#, "no such fault"),
        ] {
            let text = spec.parse::<Faults>().unwrap_err().to_string();
            assert!(text.contains(entry) && text.contains(what), "{text}");
        }
    }
}
