//! The threads of an engine.

use crate::errno::Errno;
use crate::reentry::Inside;
use crate::trace;
use std::io::Write;
use std::panic::AssertUnwindSafe;
use std::thread::JoinHandle;

/// By how much the threads' niceness is below that of the thread that makes them: of a CPU that two threads want they
/// get three quarters.
///
/// A program that waits for the GPU mostly does so by looking at a signal without a pause, on a CPU that the GPU needs.
const AHEAD: libc::c_int = 5;

/// Has the calling thread go before those of the program, where the process has the right to (`CAP_SYS_NICE` or
/// `RLIMIT_NICE`).
fn go_first() {
    // SAFETY: plain system calls, for the calling thread alone. Where the second is refused, all stays as it was.
    unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, libc::getpriority(libc::PRIO_PROCESS, 0) - AHEAD) };
}

/// Has the calling thread compute with floats as the C ABI says, whatever the program does: a thread begins with the
/// mode of the one that makes it, and with `-ffast-math` programs set it to flush denormals.
fn usual_floats() {
    #[cfg(target_arch = "x86_64")]
    {
        // Nothing raises an exception, results are rounded to nearest, and denormals stay (System V ABI for x86-64,
        // "Registers").
        let usual: u32 = 0x1f80;
        // SAFETY: it reads a value that is there, and sets what Rust takes for granted.
        unsafe {
            std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const usual, options(nostack, readonly, preserves_flags))
        };
    }
}

/// Starts a thread that takes none of the program's signals. A panic in it ends the process, because other threads wait
/// for its work.
pub fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, Errno> {
    let mut all = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
    let mut old = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: both sets are written before they are read; a new thread inherits the mask of the one that makes it.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), old.as_mut_ptr());
    }
    let thread = std::thread::Builder::new().name(name.into()).spawn(|| {
        let _inside = Inside::enter();
        go_first();
        usual_floats();
        // What the body used is not used again.
        if std::panic::catch_unwind(AssertUnwindSafe(body)).is_err() {
            let message = "vgpu: the virtual GPU panicked, for the reason above. This is a bug of vgpu, not of the program: please report it.";
            let _ = writeln!(std::io::stderr(), "{message}");
            trace::flush();
            std::process::abort();
        }
    });
    // SAFETY: `old` was written above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, old.as_ptr(), std::ptr::null_mut()) };
    thread.map_err(|_| Errno::ENOMEM)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the calling thread.
    fn niceness() -> libc::c_int {
        // SAFETY: plain system call.
        unsafe { libc::getpriority(libc::PRIO_PROCESS, 0) }
    }

    fn set_niceness(niceness: libc::c_int) {
        // SAFETY: plain system call, for the calling thread alone.
        unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, niceness) };
    }

    /// What a thread of the device's has that the calling thread makes.
    fn of_device() -> libc::c_int {
        let (tell, told) = std::sync::mpsc::channel();
        spawn("vgpu-test", move || tell.send(niceness()).unwrap()).unwrap().join().unwrap();
        told.recv().unwrap()
    }

    fn in_new_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
        std::thread::scope(|scope| scope.spawn(work).join().unwrap())
    }

    #[test]
    fn threads_go_first_where_they_may_and_none_of_the_programs_does() {
        // Programs can be nicer than others too.
        for program in [niceness(), (niceness() + AHEAD).min(19)] {
            in_new_thread(|| {
                set_niceness(program);
                // What the host grants, which is nothing to most users.
                let granted = in_new_thread(|| {
                    set_niceness(program - AHEAD);
                    niceness()
                });
                assert!([program, (program - AHEAD).max(-20)].contains(&granted), "{granted}");
                assert_eq!(of_device(), granted);
                assert_eq!((niceness(), in_new_thread(niceness)), (program, program));
            });
        }
    }
    /// A denormal, times one.
    fn denormal() -> f32 {
        std::hint::black_box(1e-40f32) * std::hint::black_box(1.0)
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_program_that_flushes_denormals_does_not_make_the_gpu_do_so() {
        let set = |mode: u32| {
            // SAFETY: for this thread, until it is set again; between there is but one multiplication.
            unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const mode, options(nostack, readonly)) };
        };
        in_new_thread(|| {
            let (tell, told) = std::sync::mpsc::channel();
            let make = || spawn("vgpu-test", move || tell.send(denormal()).unwrap());
            // Denormals are zero, given or resulting.
            set(0x9fc0);
            let (own, thread) = (denormal(), make());
            set(0x1f80);
            thread.unwrap().join().unwrap();
            assert_eq!((own, told.recv().unwrap()), (0.0, 1e-40));
        });
    }
}
