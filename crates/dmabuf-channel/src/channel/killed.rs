//! A process of two is killed at each of its system calls, and at instructions between these; the other one always has
//! the turn, or an error, in time.
//!
//! `CHANNEL_KILLS=3000 CHANNEL_SEED=7 cargo test -p dmabuf-channel killed` is a longer campaign.

use std::os::fd::{AsFd, AsRawFd};
use std::ptr::{null_mut, with_exposed_provenance_mut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use parking_lot::RwLock;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

use super::Channel;
use super::tests::channels;
use crate::{Error, Result};

/// Each process has the turn so often.
const ROUNDS: u64 = 3;
const LONG: Duration = Duration::from_secs(60);

/// Held while a new process has copies of this one's descriptors. Who expects that a socket has no other end holds it
/// too.
pub(crate) static COPIES: RwLock<()> = RwLock::new(());

/// Memory of both processes, in place of a GPU's: whoever has the turn adds 1 to each word.
struct Words(*mut AtomicU64);

// SAFETY: the words are atomic, and stay mapped.
unsafe impl Sync for Words {}

impl Words {
    const BYTES: usize = 4096;

    fn new() -> Words {
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        // SAFETY: new memory, which children of `fork` share.
        let at = unsafe { libc::mmap(null_mut(), Words::BYTES, protection, flags, -1, 0) };
        assert_ne!(at, libc::MAP_FAILED);
        Words(at.cast())
    }

    fn get(&self) -> &[AtomicU64] {
        // SAFETY: that many bytes of zeros at first, mapped until the drop.
        unsafe { std::slice::from_raw_parts(self.0, 2) }
    }

    fn work(&self) {
        self.get().iter().for_each(|word| word.store(word.load(Ordering::Relaxed) + 1, Ordering::Relaxed));
    }

    fn are(&self, value: u64) -> bool {
        self.get().iter().all(|word| word.load(Ordering::Relaxed) == value)
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        // SAFETY: mapped by `new`.
        unsafe { libc::munmap(self.0.cast(), Words::BYTES) };
    }
}

/// The process that is killed. It ends with 0 if all went well.
fn child(channel: &mut Channel, words: &Words, is_first: bool) -> Result<()> {
    for _ in 0..ROUNDS {
        if !is_first {
            channel.take(LONG)?;
        }
        words.work();
        channel.give()?;
        if is_first {
            channel.take(LONG)?;
        }
    }
    Ok(())
}

/// The other one. Whether it did all of its rounds, each on what the other process had finished.
fn survivor(channel: &mut Channel, words: &Words, is_first: bool) -> bool {
    let gone = |outcome: Result<()>, in_its_turn: bool| match outcome {
        Ok(()) => false,
        Err(Error::PeerGone { in_its_turn: said }) if said == in_its_turn => true,
        Err(error) => panic!("{error}"),
    };
    for round in 0..ROUNDS {
        if !is_first && gone(channel.take(LONG), true) {
            return false;
        }
        let before = 2 * round + u64::from(!is_first);
        assert!(words.are(before), "{:?} in round {round}", words.get());
        words.work();
        if gone(channel.give(), false) {
            // Whole, and nobody else's.
            assert!(channel.is_gone().expect("asked") && words.are(before + 1));
            // The other one may have done all that it had to.
            return round + 1 == ROUNDS && !is_first;
        }
        if is_first && gone(channel.take(LONG), true) {
            return false;
        }
    }
    true
}

/// A process is killed so many stops at system calls (there is one before and one behind each), and then so many
/// instructions, after its start, if it has not ended by then. Returns whether it was killed, and what the other one
/// saw.
fn killed(kind: SocketType, is_first: bool, calls: u64, instructions: u64) -> (bool, bool) {
    let sockets = socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None).expect("sockets");
    let (mut ours, mut theirs) = channels(sockets);
    let words = Words::new();
    let copies = COPIES.write();
    // SAFETY: the child calls nothing of what other threads may have locked but the allocator, which glibc unlocks in
    // it, and ends by `_exit`.
    let process = unsafe { libc::fork() };
    assert!(process >= 0, "no process");
    if process == 0 {
        let mut own =
            [theirs._here.as_fd(), theirs.there.as_fd(), theirs.socket.as_fd()].map(|fd| fd.as_raw_fd() as u32);
        own.sort_unstable();
        // SAFETY: no other descriptor is used here. The parent waits for the stop.
        unsafe {
            let mut from = 3;
            for own in own {
                if from < own {
                    libc::close_range(from, own - 1, 0);
                }
                from = own + 1;
            }
            libc::close_range(from, u32::MAX, 0);
            libc::ptrace(libc::PTRACE_TRACEME, 0, null_mut::<u8>(), null_mut::<u8>());
            libc::raise(libc::SIGSTOP);
        }
        let code = i32::from(child(&mut theirs, &words, is_first).is_err());
        // SAFETY: it does not return.
        unsafe { libc::_exit(code) }
    }
    drop(theirs);
    assert!(libc::WIFSTOPPED(wait(process)), "it stops itself");
    drop(copies);
    thread::scope(|scope| {
        let survivor = scope.spawn(|| survivor(&mut ours, &words, !is_first));
        let was_killed = trace(process, calls, instructions);
        (was_killed, survivor.join().expect("no panic"))
    })
}

fn wait(process: i32) -> i32 {
    let mut status = 0;
    // SAFETY: writes one int.
    while unsafe { libc::waitpid(process, &mut status, libc::__WALL) } != process {}
    status
}

/// Of this thread's child, which has stopped.
fn trace(process: i32, calls: u64, instructions: u64) -> bool {
    let ptrace = |request, value: usize| {
        // SAFETY: a child that is stopped; the value is no address of this process's.
        let done =
            unsafe { libc::ptrace(request, process, null_mut::<u8>(), with_exposed_provenance_mut::<u8>(value)) };
        assert_eq!(done, 0, "{}", std::io::Error::last_os_error());
    };
    ptrace(libc::PTRACE_SETOPTIONS, libc::PTRACE_O_EXITKILL as usize);
    let calls = (0..calls).map(|_| libc::PTRACE_SYSCALL);
    for request in calls.chain((0..instructions).map(|_| libc::PTRACE_SINGLESTEP)) {
        ptrace(request, 0);
        let status = wait(process);
        if libc::WIFEXITED(status) {
            assert_eq!(libc::WEXITSTATUS(status), 0, "all went well there");
            return false;
        }
        assert!(libc::WIFSTOPPED(status) && libc::WSTOPSIG(status) == libc::SIGTRAP, "{status:#x}");
    }
    // SAFETY: a child that was not waited for to its end.
    assert_eq!(unsafe { libc::kill(process, libc::SIGKILL) }, 0);
    let status = wait(process);
    assert!(libc::WIFSIGNALED(status), "{status:#x}");
    true
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().expect("a number"))
}

const KINDS: [SocketType; 2] = [SocketType::STREAM, SocketType::SEQPACKET];

#[test]
fn a_process_is_killed_at_each_of_its_system_calls() {
    for kind in KINDS {
        for is_first in [true, false] {
            let mut kills = 0;
            loop {
                let (was_killed, all) = killed(kind, is_first, kills, 0);
                if !was_killed {
                    assert!(all, "nobody was killed");
                    break;
                }
                kills += 1;
            }
            // Of each round, one message sent and one received.
            assert!(kills >= 4 * ROUNDS, "{kills}");
        }
    }
}

#[test]
fn a_process_is_killed_between_its_system_calls() {
    let (kills, mut seed) = (number("CHANNEL_KILLS", 100), number("CHANNEL_SEED", 1));
    let mut random = |below: u64| {
        // Constants of Knuth's MMIX.
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let mut of_these = 0;
    for _ in 0..kills {
        let (kind, is_first) = (KINDS[random(2) as usize], random(2) != 0);
        let (was_killed, all) = killed(kind, is_first, random(4 * ROUNDS), random(3000));
        assert!(was_killed || all);
        of_these += u64::from(was_killed);
    }
    println!("{of_these} of {kills} processes were killed");
    assert!(of_these * 2 > kills, "{of_these} of {kills}");
}
