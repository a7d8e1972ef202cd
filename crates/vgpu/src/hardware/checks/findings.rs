//! Findings as lines of JSON, which all processes append to one file that `vgpu check` reads.

use super::allocations::Stack;
use super::code;
use super::kinds::Kinds;
use crate::locks::lock;
use crate::trace::Fields;
use crate::{log, real, trace};
use gcn::bus::Access;
use gcn::sanitizer::Wanted;
use std::collections::HashMap;
use std::ffi::{CString, OsStr};
use std::io::Write;
use std::os::fd::FromRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, OnceLock};

/// The file of a folder that has the findings.
pub const FILE: &str = "findings.jsonl";

/// The field of a line that reports the end of a schedule.
pub const SCHEDULE_ENDED: &str = "schedule_ended";

/// The field of a line that reports that a process has begun to run kernels.
pub const KERNEL_RAN: &str = "kernel_ran";

/// The field of a line that reports that copies of a process were checked.
pub const COPY_RAN: &str = "copy_ran";

/// The field of a line that reports that a process has opened a queue.
pub const QUEUE_OPENED: &str = "queue_opened";

/// The field of a line that reports that a process has opened `/dev/kfd`.
pub const DEVICE_OPENED: &str = "device_opened";

/// The field of a line with the number of kernels that had not completed when a process ended, or "nothing" if all had
/// completed after all. The last line counts.
pub const UNFINISHED: &str = "unfinished";

static STARTED: OnceLock<(PathBuf, Kinds)> = OnceLock::new();
static FOLLOWS: AtomicBool = AtomicBool::new(false);
pub(super) static KNOWN: Mutex<Option<HashMap<Place, Count>>> = Mutex::new(None);
/// Not all counts are written.
static COUNTED: AtomicBool = AtomicBool::new(false);

/// The fields by which two accesses are the same finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The kind of finding.
    pub finding: &'static str,
    /// Device address of the instruction.
    pub pc: u64,
    /// The kind of access.
    pub access: Access,
    /// For a race, the device address of the other instruction.
    pub with: Option<u64>,
}

/// How often.
pub(super) struct Count {
    /// Number of the finding in this process.
    id: usize,
    count: u64,
    /// What of it is written.
    written: u64,
}

/// From now on findings of these kinds are written to a file in `folder`.
pub fn start(folder: &OsStr, kinds: Kinds) {
    let _ = STARTED.set((PathBuf::from(folder), kinds));
}

/// The enabled checks on waves. `None`: their accesses are not checked.
pub fn wanted() -> Option<Wanted> {
    Some(STARTED.get()?.1.waves).filter(|waves| *waves != Wanted::NOTHING)
}

/// Whether to check objects that the program must not change while a packet runs.
pub fn wants_sync() -> bool {
    wanted().is_some_and(|wanted| wanted.barriers)
}

/// Whether to check unordered kernels and copies.
pub fn wants_streams() -> bool {
    STARTED.get().is_some_and(|(_, kinds)| kinds.streams)
}

/// Whether to check for leaks.
pub fn wants_leaks() -> bool {
    STARTED.get().is_some_and(|(_, kinds)| kinds.leaks)
}

/// From now on, findings contain the last instructions of their waves.
pub fn follow() {
    FOLLOWS.store(true, Ordering::Relaxed);
}

/// Whether what waves execute is to be kept for a while.
pub fn follows() -> bool {
    FOLLOWS.load(Ordering::Relaxed)
}

fn folder() -> Option<&'static Path> {
    STARTED.get().map(|(folder, _)| folder.as_path())
}

/// Notes `count` accesses more. Gives the finding's number if it is the first time.
pub fn count(place: Place, count: u64) -> Option<usize> {
    let mut known = lock(&KNOWN);
    let places = known.get_or_insert_default();
    let id = places.len() + 1;
    let entry = places.entry(place).or_insert(Count { id, count: 0, written: 1 });
    entry.count += count;
    if entry.count > entry.written {
        COUNTED.store(true, Ordering::Relaxed);
    }
    (entry.id == id).then_some(id)
}

/// What a process has come to, of which the last says most.
static CAME: AtomicU8 = AtomicU8::new(0);

/// Writes that this process has come to this, the first time.
pub fn came_to(step: &str) {
    const STEPS: [&str; 4] = [DEVICE_OPENED, QUEUE_OPENED, COPY_RAN, KERNEL_RAN];
    let Some(number) = STEPS.iter().position(|known| *known == step) else { return };
    let bit = 1 << number;
    if CAME.load(Ordering::Relaxed) & bit == 0 && CAME.fetch_or(bit, Ordering::Relaxed) & bit == 0 {
        append(&trace::line(|e| e.number("pid", std::process::id()).text(step, "1")));
    }
}

/// Writes that the schedule's turns are used up, so that the usual order continues.
pub fn schedule_ended() {
    append(&trace::line(|e| e.number("pid", std::process::id()).text(SCHEDULE_ENDED, "1")));
}

/// Kernels of queues that were destroyed since the process began to end, if something had not completed then.
static ABANDONED: Mutex<Option<u64>> = Mutex::new(None);

/// Writes the number of kernels that had not completed when the process began to end.
pub fn unfinished(kernels: u64) {
    *lock(&ABANDONED) = Some(0);
    append(&trace::line(|e| e.number("pid", std::process::id()).number(UNFINISHED, kernels)));
}

/// Whether something had not completed when the process began to end.
pub fn has_unfinished() -> bool {
    lock(&ABANDONED).is_some()
}

/// Records that a queue is destroyed with this number of kernels that have not completed.
pub fn abandoned(kernels: u64) {
    lock(&ABANDONED).iter_mut().for_each(|all| *all += kernels);
}

/// Writes the number of kernels that have not completed at the end of the process, in addition to [`abandoned`] ones,
/// or that all have completed: `any` is whether some have not.
pub fn ended_with(kernels: u64, any: bool) {
    let kernels = kernels + lock(&ABANDONED).take().unwrap_or(0);
    append(&trace::line(|e| {
        let e = e.number("pid", std::process::id());
        if kernels > 0 || any { e.number(UNFINISHED, kernels) } else { e.text(UNFINISHED, "nothing") }
    }));
}

/// Writes a line about finding `id`: its kind, and what `fields` adds.
pub fn write(id: usize, finding: &str, fields: impl for<'f> FnOnce(&'f mut Fields) -> &'f mut Fields) {
    append(&trace::line(|e| fields(e.number("id", id).number("pid", std::process::id()).text("finding", finding))));
}

/// Writes counts that have changed.
pub fn flush() {
    if !COUNTED.swap(false, Ordering::Relaxed) {
        return;
    }
    let mut known = lock(&KNOWN);
    for count in known.iter_mut().flat_map(|places| places.values_mut()) {
        if count.count != count.written {
            count.written = count.count;
            append(&trace::line(|e| {
                e.number("id", count.id).number("pid", std::process::id()).number("count", count.count)
            }));
        }
    }
}

/// Adds the code object that has the instruction at `pc`, and the instruction's address in that file, if they are
/// known. The fields' names begin with `prefix`.
pub fn describe_code(prefix: &str, pc: u64, e: &mut Fields) {
    let Some(code) = code::around(pc) else { return };
    let uri = match code::in_memory(&code.uri) {
        Some(bytes) => match save(&bytes, code.start) {
            Some(path) => format!("file://{}", path.display()),
            None => return,
        },
        None => code.uri,
    };
    e.text(&format!("{prefix}code_object"), uri);
    e.address(&format!("{prefix}code_address"), pc.wrapping_sub(code.base));
}

/// The address of the instruction at `pc` as its code object counts addresses, or `pc` if no such object is known.
pub fn in_code(pc: u64) -> u64 {
    code::around(pc).map_or(pc, |code| pc.wrapping_sub(code.base))
}

/// Adds a host call stack: files, with offsets of the calls in them.
pub fn describe_stack(name: &str, stack: &Stack, e: &mut Fields) {
    let maps = Maps::read();
    let place = |&address: &u64| match maps.place(address) {
        Some((file, offset)) => format!("{file}+{offset:#x}"),
        None => format!("{address:#x}"),
    };
    e.texts(name, stack.iter().map(place));
}

/// Adds the allocation that is nearest to `address`.
pub fn describe_nearest(address: u64, e: &mut Fields) -> &mut Fields {
    let Some(nearest) = super::allocations().nearest(address).cloned() else { return e };
    e.address("allocation", nearest.start).number("allocation_bytes", nearest.size);
    match address {
        before if before < nearest.start => e.number("bytes_before", nearest.start - before),
        behind if behind >= nearest.end() => e.number("bytes_behind", behind - nearest.end()),
        within => e.number("offset", within - nearest.start),
    };
    describe_stack("allocated_by", &nearest.allocated, e);
    if let Some(freed) = &nearest.freed {
        describe_stack("freed_by", freed, e);
    }
    e
}

/// The mapped files of this process: `/proc/self/maps`.
pub struct Maps(String);

impl Maps {
    /// As it is now.
    pub fn read() -> Maps {
        let text = real::read_file(c"/proc/self/maps").unwrap_or_default();
        Maps(String::from_utf8_lossy(&text).into_owned())
    }

    /// The files that are mapped.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.0.lines().filter_map(|line| Some(&line[line.find('/')?..]))
    }

    /// The file that is mapped at a host address.
    pub fn file(&self, address: u64) -> Option<&str> {
        self.place(address).map(|(file, _)| file)
    }

    /// The same, and the offset in it.
    fn place(&self, address: u64) -> Option<(&str, u64)> {
        self.0.lines().find_map(|line| {
            let mut fields = line.split_ascii_whitespace();
            let (start, end) = fields.next()?.split_once('-')?;
            let hex = |digits| u64::from_str_radix(digits, 16).ok();
            let start = hex(start)?;
            if !(start..hex(end)?).contains(&address) {
                return None;
            }
            let offset = hex(fields.nth(1)?)?;
            // The rest of the line, as names may have spaces.
            let path = &line[line.find('/')?..];
            Some((path, offset + (address - start)))
        })
    }
}

/// Writes a code object to the folder, for whoever reads the findings.
fn save(bytes: &[u8], start: u64) -> Option<PathBuf> {
    let path = folder()?.join(format!("code-{}-{start:x}.elf", std::process::id()));
    put(&path, libc::O_TRUNC, bytes).map(|()| path)
}

fn append(line: &str) {
    let Some(folder) = folder() else { return };
    if put(&folder.join(FILE), libc::O_APPEND, line.as_bytes()).is_none() {
        log::say(format_args!("check: cannot write to {}: {line}", folder.display()));
    }
}

/// Not `std::fs`, which would come back to the interposed functions.
fn put(path: &Path, flag: libc::c_int, bytes: &[u8]) -> Option<()> {
    let path = CString::new(path.as_os_str().as_bytes()).ok()?;
    let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_CLOEXEC | flag;
    // SAFETY: `path` is a C string.
    let fd = unsafe { real::open(path.as_ptr(), flags, 0o600) };
    if fd < 0 {
        return None;
    }
    // SAFETY: open returned it, and nobody else has it.
    let mut file = unsafe { std::fs::File::from_raw_fd(fd) };
    file.write_all(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_addresses_are_offsets_in_files() {
        let maps = "7f00000000-7f00002000 r--p 00000000 08:01 12 /lib/a b.so\n\
                    7f00002000-7f00004000 r-xp 00002000 08:01 12 /lib/a b.so\n\
                    7f10000000-7f10001000 rw-p 00000000 00:00 0 [heap]\n\
                    7f20000000-7f20001000 rw-p 00000000 00:00 0\n";
        let maps = Maps(maps.to_owned());
        assert_eq!(maps.place(0x7f_0000_2010), Some(("/lib/a b.so", 0x2010)));
        assert_eq!(maps.place(0x7f_0000_0010), Some(("/lib/a b.so", 0x10)));
        for nowhere in [0x7f_1000_0000, 0x7f_2000_0000, 0x7f_0000_4000, 0] {
            assert_eq!(maps.place(nowhere), None);
        }
    }

    #[test]
    fn a_place_is_new_once() {
        let place = |pc| Place { finding: "test", pc, access: Access::Read, with: None };
        let first = count(place(0x1234), 3).expect("it is new");
        assert_eq!(count(place(0x1234), 1), None);
        let second = count(place(0x1238), 1).expect("another is new");
        assert_ne!(first, second);
    }
}
