//! The trace: one line of JSON for each event at the device's interface.
//!
//! Every line has `ns` (`CLOCK_MONOTONIC_RAW`), `pid`, `tid` and `event`; the other fields depend on the event. Off, it
//! costs one relaxed load. On, lines are gathered and written in batches: when `BATCH` bytes are full, when the last
//! write is `FLUSH_NS` old, when the lead thread is about to sleep, when a queue stops, after a request, and at exit.
//! So what a program hung at is in the file before anybody kills it.

use crate::descriptors::Descriptor;
use crate::errno::Errno;
use crate::locks::lock;
use std::ffi::{CString, OsStr};
use std::fmt::{Display, Write as _};
use std::io::Write as _;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard};

/// Bytes gathered before a write.
const BATCH: usize = 64 << 10;
/// Age of the last write, in nanoseconds, at which the next line, or a thread that runs work-groups, writes whatever
/// there is.
const FLUSH_NS: u64 = 20_000_000;

static ENABLED: AtomicBool = AtomicBool::new(false);
static SINK: Mutex<Option<Sink>> = Mutex::new(None);
/// The process: asking the kernel for each line would cost more than the rest of it.
static PROCESS: AtomicU32 = AtomicU32::new(0);

struct Sink {
    file: Descriptor,
    text: String,
    written_ns: u64,
}

impl Sink {
    fn write_if_due(&mut self, now_ns: u64) {
        let old = now_ns.saturating_sub(self.written_ns) >= FLUSH_NS;
        if self.text.len() >= BATCH || old && !self.text.is_empty() {
            self.write(now_ns);
        }
    }

    fn write(&mut self, now_ns: u64) {
        // A full disk must not stop the program that is traced.
        let _ = self.file.file().write_all(self.text.as_bytes());
        self.text.clear();
        self.written_ns = now_ns;
    }
}

/// Appends the trace of this process to `path` from now on. Lines of several processes may share a file.
///
/// # Errors
/// If the file cannot be opened.
pub fn start(path: &OsStr) -> std::io::Result<()> {
    const FLAGS: libc::c_int = libc::O_WRONLY | libc::O_APPEND | libc::O_CREAT | libc::O_CLOEXEC;
    let path = CString::new(path.as_bytes())?;
    // Not `File::open`, which would ask the device that is just being set up.
    // SAFETY: `path` is a C string.
    let fd = unsafe { crate::real::open(path.as_ptr(), FLAGS, 0o666) };
    if fd < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: open returned it, and nobody else has it.
    let file = Descriptor::within_limit(unsafe { OwnedFd::from_raw_fd(fd) });
    let sink = Sink { file, text: String::new(), written_ns: crate::time::monotonic_raw_ns() };
    let first = lock(&SINK).replace(sink).is_none();
    if first {
        extern "C" fn at_exit() {
            flush();
        }
        // SAFETY: the function is as atexit wants it, and lives as long as the process.
        unsafe { libc::atexit(at_exit) };
    }
    PROCESS.store(std::process::id(), Ordering::Relaxed);
    ENABLED.store(true, Ordering::Relaxed);
    Ok(())
}

/// Whether anything is recorded.
pub fn enabled() -> bool {
    ENABLED.load(Ordering::Relaxed)
}

/// Writes what has been gathered.
pub fn flush() {
    if !enabled() {
        return;
    }
    if let Some(sink) = lock(&SINK).as_mut() {
        sink.write(crate::time::monotonic_raw_ns());
    }
}

/// Writes buffered lines that are old, for a thread that works without new lines.
pub fn flush_old() {
    if !enabled() {
        return;
    }
    if let Some(sink) = lock(&SINK).as_mut() {
        sink.write_if_due(crate::time::monotonic_raw_ns());
    }
}

/// Records a request, which ends a batch: the program may be stuck before the next one.
pub fn request(fields: impl for<'f> FnOnce(&'f mut Fields) -> &'f mut Fields) {
    emit("ioctl", fields);
    flush();
}

/// Keeps the trace still from just before a fork until the guard is dropped, in the parent and in the child.
pub fn lock_for_fork() -> ForkGuard {
    ForkGuard(lock(&SINK))
}

/// Keeps the trace still during a fork.
pub struct ForkGuard(MutexGuard<'static, Option<Sink>>);

impl ForkGuard {
    /// Discards the lines that the parent buffered, because the parent writes them. The child continues with the
    /// returned file.
    pub fn forget_in_child(&mut self) -> Option<RawFd> {
        PROCESS.store(std::process::id(), Ordering::Relaxed);
        let sink = self.0.as_mut()?;
        sink.text.clear();
        Some(sink.file.as_raw_fd())
    }
}

/// Records an event, if the trace is on. `fields` adds the event's fields to time and thread.
pub fn emit(event: &str, fields: impl for<'f> FnOnce(&'f mut Fields) -> &'f mut Fields) {
    if !enabled() {
        return;
    }
    let now = crate::time::monotonic_raw_ns();
    // SAFETY: gettid has no preconditions.
    let tid = unsafe { libc::gettid() };
    let mut line = Fields { text: String::with_capacity(256) };
    let pid = PROCESS.load(Ordering::Relaxed);
    let _ = write!(line.text, "{{\"ns\":{now},\"pid\":{pid},\"tid\":{tid},\"event\":\"{event}\"");
    fields(&mut line);
    line.text.push_str("}\n");
    if let Some(sink) = lock(&SINK).as_mut() {
        sink.text.push_str(&line.text);
        sink.write_if_due(now);
    }
}

/// A line of JSON, of these fields and no others.
pub fn line(fields: impl for<'f> FnOnce(&'f mut Fields) -> &'f mut Fields) -> String {
    let mut line = Fields { text: String::with_capacity(256) };
    fields(&mut line);
    // Each field begins with what separates it from the one before.
    let fields = line.text.strip_prefix(',').unwrap_or_default();
    format!("{{{fields}}}\n")
}

/// The fields of one line.
pub struct Fields {
    text: String,
}

impl Fields {
    /// A number that JSON can hold as it is.
    pub fn number(&mut self, name: &str, value: impl Display) -> &mut Fields {
        let _ = write!(self.text, ",\"{name}\":{value}");
        self
    }

    /// An address or a bit pattern as a hexadecimal string, because many JSON readers would lose bits of a number.
    pub fn address(&mut self, name: &str, value: u64) -> &mut Fields {
        let _ = write!(self.text, ",\"{name}\":\"{value:#x}\"");
        self
    }

    /// Text, escaped.
    pub fn text(&mut self, name: &str, value: impl Display) -> &mut Fields {
        let _ = write!(self.text, ",\"{name}\":");
        self.push_text(value);
        self
    }

    /// Several texts.
    pub fn texts(&mut self, name: &str, values: impl Iterator<Item = impl Display>) -> &mut Fields {
        let _ = write!(self.text, ",\"{name}\":[");
        for (index, value) in values.enumerate() {
            self.text.push_str(if index == 0 { "" } else { "," });
            self.push_text(value);
        }
        self.text.push(']');
        self
    }

    fn push_text(&mut self, value: impl Display) {
        self.text.push('"');
        for c in value.to_string().chars() {
            match c {
                '"' | '\\' => {
                    self.text.push('\\');
                    self.text.push(c);
                }
                c if c < ' ' => {
                    let _ = write!(self.text, "\\u{:04x}", c as u32);
                }
                c => self.text.push(c),
            }
        }
        self.text.push('"');
    }

    /// How a request ended: 0, or the errno's name and, where that has several, the reason that this thread noted.
    pub fn result(&mut self, result: &Result<(), Errno>) -> &mut Fields {
        let reason = Errno::take_reason();
        match (result, reason) {
            (Ok(()), _) => self.number("result", 0),
            (Err(errno), None) => self.text("result", errno),
            (Err(errno), Some(reason)) => self.text("result", errno).text("reason", reason),
        }
    }

    /// Several addresses.
    pub fn addresses(&mut self, name: &str, values: impl Iterator<Item = u64>) -> &mut Fields {
        let _ = write!(self.text, ",\"{name}\":[");
        for (index, value) in values.enumerate() {
            let _ = write!(self.text, "{}\"{value:#x}\"", if index == 0 { "" } else { "," });
        }
        self.text.push(']');
        self
    }

    /// Bytes, as hexadecimal digits in memory order.
    pub fn bytes(&mut self, name: &str, values: &[u8]) -> &mut Fields {
        let _ = write!(self.text, ",\"{name}\":\"");
        for byte in values {
            let _ = write!(self.text, "{byte:02x}");
        }
        self.text.push('"');
        self
    }

    /// Up to three sizes.
    pub fn list(&mut self, name: &str, values: &[u32]) -> &mut Fields {
        let _ = write!(self.text, ",\"{name}\":{values:?}");
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_names_contain() {
        let mut line = Fields { text: String::new() };
        let name = String::from_utf8_lossy(b"a\"b\\c\n\x00\x1b\xff\x7f");
        line.text("name", name).addresses("none", [].into_iter()).addresses("two", [1, u64::MAX].into_iter());
        line.list("list", &[1, 2]).bytes("bytes", &[0, 0xab]).number("flag", true);
        let expected = concat!(
            ",\"name\":\"a\\\"b\\\\c\\u000a\\u0000\\u001b\u{fffd}\u{7f}\",\"none\":[],",
            "\"two\":[\"0x1\",\"0xffffffffffffffff\"],\"list\":[1, 2],\"bytes\":\"00ab\",\"flag\":true"
        );
        assert_eq!(line.text, expected);
    }

    #[test]
    fn a_line_of_its_own_is_one_object() {
        let texts = |texts: &'static [&str]| line(|e| e.number("a", 1).texts("b", texts.iter()));
        assert_eq!(texts(&["x\"", "y"]), "{\"a\":1,\"b\":[\"x\\\"\",\"y\"]}\n");
        assert_eq!(texts(&[]), "{\"a\":1,\"b\":[]}\n");
    }
}
