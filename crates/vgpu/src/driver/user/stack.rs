//! The part of the calling thread's own stack that can be accessed without asking the kernel.

use std::cell::Cell;

/// Addresses from the first to the one behind the last.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Span {
    start: u64,
    end: u64,
}

impl Span {
    const NONE: Span = Span { start: 0, end: 0 };

    fn contains(self, address: u64) -> bool {
        (self.start..self.end).contains(&address)
    }
}

/// What is known of a thread's stack.
#[derive(Clone, Copy)]
struct Stack {
    /// All of it, [`Span::NONE`] if that is not known.
    all: Span,
    /// The part around the frames of a request that could be read and written when it was looked at. Thus it stays as
    /// long as those frames do, unless the program itself changes it.
    usable: Span,
}

thread_local! {
    // Without a destructor: threads make requests in those of other variables too.
    static STACK: Cell<Option<Stack>> = const { Cell::new(None) };
}

/// Whether the calling thread has these bytes on its stack, in frames of callers: memory that is there and can be
/// written as surely as that they go on. On other stacks than that of the thread (of signal handlers, coroutines) it
/// says no.
#[inline(never)]
pub fn holds(address: u64, length: usize) -> bool {
    let here = 0u8;
    let here = std::ptr::from_ref(std::hint::black_box(&here)).addr() as u64;
    let Some(behind) = address.checked_add(length as u64) else { return false };
    here < address && behind <= usable(here).end
}

/// The program changes mappings at `start`. Changes that a thread makes to another thread's frames are not detected.
pub fn changed(start: u64, length: u64) {
    if let Some(stack) = STACK.get()
        && start < stack.usable.end
        && start.saturating_add(length) > stack.usable.start
    {
        STACK.set(Some(Stack { usable: Span::NONE, ..stack }));
    }
}

/// The part of the calling thread's stack around `here` that can be read and written; nothing if `here` is on another
/// stack.
fn usable(here: u64) -> Span {
    let known = STACK.get();
    if let Some(stack) = known.filter(|stack| stack.usable.contains(here)) {
        return stack.usable;
    }
    let all = known.map_or_else(own, |stack| stack.all);
    if !all.contains(here) {
        STACK.set(Some(Stack { all, usable: known.map_or(Span::NONE, |stack| stack.usable) }));
        return Span::NONE;
    }
    // Where the kernel does not say, it is not asked again for each request.
    let found = look(all, here).map(|usable| Stack { all, usable });
    let stack = found.unwrap_or(Stack { all: Span::NONE, usable: Span::NONE });
    STACK.set(Some(stack));
    stack.usable
}

/// What can be read and written around `here`, within `all`. `None` if that cannot be found out.
fn look(all: Span, here: u64) -> Option<Span> {
    let mut run = Span::NONE;
    for range in super::mapped(all.start, all.end - all.start)? {
        let joins = range.read && range.write && range.start == run.end;
        if run.contains(here) && !joins {
            break;
        }
        run = match joins {
            true => Span { end: range.end, ..run },
            false if range.read && range.write => Span { start: range.start, end: range.end },
            false => Span { start: range.end, end: range.end },
        };
    }
    run.contains(here).then_some(run)
}

/// The calling thread's stack.
fn own() -> Span {
    // SAFETY: all zero is a valid `pthread_attr_t`, and it is given back if it was filled.
    unsafe {
        let mut attributes: libc::pthread_attr_t = std::mem::zeroed();
        let (mut start, mut size) = (std::ptr::null_mut(), 0);
        if libc::pthread_getattr_np(libc::pthread_self(), &mut attributes) != 0 {
            return Span::NONE;
        }
        libc::pthread_attr_getstack(&attributes, &mut start, &mut size);
        libc::pthread_attr_destroy(&mut attributes);
        Span { start: start.addr() as u64, end: start.addr() as u64 + size as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::user::{read_array, read_value, write_value};
    use libc::c_void;

    /// Reads and writes at `address`, which holds 7.
    fn is_copied(address: u64) {
        assert_eq!(read_value::<u64>(address), Ok(7));
        assert_eq!(write_value(address, &8u64), Ok(()));
        assert_eq!(read_array::<u32>(address, 2), Ok(vec![8, 0]));
    }

    #[test]
    fn only_frames_of_callers_are_the_own_stack() {
        let mut here = 7u64;
        let here = std::ptr::from_mut(&mut here);
        let start = here.expose_provenance() as u64;
        assert!(holds(start, 8));
        is_copied(start);
        let end = usable(start).end;
        assert!(holds(end - 8, 8) && !holds(end - 8, 9) && !holds(end, 1));
        assert!(!holds(u64::MAX, 2) && !holds(start, usize::MAX));
        // Pages that are there, but no frame.
        assert!(!holds(start - 65536, 8));
        let heap = Box::into_raw(Box::new(7u64));
        assert!(!holds(heap.expose_provenance() as u64, 8));
        is_copied(heap.addr() as u64);
        // SAFETY: from `into_raw`.
        drop(unsafe { Box::from_raw(heap) });
        std::thread::scope(|scope| scope.spawn(move || assert!(!holds(start, 8))).join().unwrap());
    }

    #[test]
    fn on_another_stack_nothing_is_the_own() {
        extern "C" fn handler(_: libc::c_int, _: *mut libc::siginfo_t, place: *mut c_void) {
            let here = 7u64;
            let found = holds(std::ptr::from_ref(&here).expose_provenance() as u64, 8);
            // SAFETY: this thread's own, see below.
            let frame = unsafe { (*place.cast::<libc::ucontext_t>()).uc_mcontext.gregs[libc::REG_RSP as usize] };
            FOUND.set(Some(found || holds(frame as u64, 8)));
        }
        thread_local! {
            static FOUND: Cell<Option<bool>> = const { Cell::new(None) };
        }
        let stack = vec![0u8; 65536];
        // SAFETY: a stack that outlives its use, and a handler that touches nothing but the thread's own.
        unsafe {
            let alternative =
                libc::stack_t { ss_sp: stack.as_ptr().cast_mut().cast(), ss_flags: 0, ss_size: stack.len() };
            let mut before = std::mem::zeroed();
            assert_eq!(libc::sigaltstack(&alternative, &mut before), 0);
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handler as *const () as usize;
            action.sa_flags = libc::SA_ONSTACK | libc::SA_SIGINFO;
            assert_eq!(libc::sigaction(libc::SIGURG, &action, std::ptr::null_mut()), 0);
            assert_eq!(libc::raise(libc::SIGURG), 0);
            assert_eq!(libc::sigaltstack(&before, std::ptr::null_mut()), 0);
        }
        assert_eq!(FOUND.get(), Some(false));
    }
}
