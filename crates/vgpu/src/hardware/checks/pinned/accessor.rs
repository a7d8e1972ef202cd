//! The instruction and caller of a host access to pinned memory, and the text of the finding.

use super::{Copy, Suspect, Use};
use crate::hardware::checks::allocations::Stack;
use crate::hardware::checks::findings::{self, Maps, Place};
use crate::real;
use gcn::bus::Access;
use std::ffi::CString;

/// How often it is looked whether a thread has come to rest.
const TRIES: usize = 100;

/// The instruction of a stopped thread. If it is in the C library's copy functions, which save nothing on the stack,
/// the caller too.
pub fn of(thread: u32) -> Stack {
    let rests = |_| {
        let registers = registers(thread);
        if registers.is_none() {
            std::thread::yield_now();
        }
        registers
    };
    let Some([stack, instruction]) = (0..TRIES).find_map(rests) else { return Stack::default() };
    let maps = Maps::read();
    if !is_of(&maps, instruction, &["libc.", "libc-"]) {
        return [instruction].into();
    }
    let caller = word(stack).map(|address| address.wrapping_sub(1)).filter(|caller| maps.file(*caller).is_some());
    [instruction].into_iter().chain(caller).collect()
}

/// Whether the stack is one of AMD's runtimes, or the device.
pub fn is_a_runtime(stack: &Stack) -> bool {
    let maps = Maps::read();
    let names = ["libamdhip64", "libamdocl64", "libhsa-runtime64", "libvgpu"];
    stack.iter().any(|address| is_of(&maps, *address, &names))
}

fn is_of(maps: &Maps, address: u64, names: &[&str]) -> bool {
    let name = maps.file(address).and_then(|file| file.rsplit('/').next()).unwrap_or_default();
    names.iter().any(|of| name.starts_with(of))
}

/// Stack pointer and address of the instruction, as soon as the thread is stopped.
fn registers(thread: u32) -> Option<[u64; 2]> {
    let path = CString::new(format!("/proc/self/task/{thread}/syscall")).ok()?;
    let text = String::from_utf8(real::read_file(&path)?).ok()?;
    let mut last = text.split_ascii_whitespace().rev();
    // Without them it says that the thread runs.
    let mut next = || u64::from_str_radix(last.next()?.strip_prefix("0x")?, 16).ok();
    let (instruction, stack) = (next()?, next()?);
    Some([stack, instruction])
}

/// What is there, if anything is.
fn word(address: u64) -> Option<u64> {
    let mut word = 0u64;
    let part = |at: *mut libc::c_void| libc::iovec { iov_base: at, iov_len: size_of::<u64>() };
    let (local, remote) = (part((&raw mut word).cast()), part(std::ptr::without_provenance_mut(address as usize)));
    // SAFETY: it writes to `word`, and fails where nothing is mapped.
    let got = unsafe { real::process_vm_readv(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0) };
    (got == size_of::<u64>() as isize).then_some(word)
}

fn name(access: Access) -> &'static str {
    if access == Access::Write { "write" } else { "read" }
}

/// Writes it down.
pub fn tell(copy: &Copy, used: &Use, suspect: &Suspect) {
    let Suspect { address, access, by, .. } = suspect;
    let pc = by.last().copied().unwrap_or(*address);
    let place = Place { finding: "host-race", pc, access: *access, with: None };
    if let Some(id) = findings::count(place, 1) {
        findings::write(id, place.finding, |e| {
            e.address("address", *address).text("access", name(*access)).text("other_access", name(used.access));
            findings::describe_stack("accessed_by", by, e);
            findings::describe_stack("copied_by", &copy.by, e);
            findings::describe_nearest(*address, e)
        });
    }
    findings::flush();
}
