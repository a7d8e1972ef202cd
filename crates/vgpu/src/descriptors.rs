//! The device's own file descriptors: numbered out of the program's way, protected from it, and closed in forked
//! children.
//!
//! With the driver a program has no descriptors but those that it opened, and may close all others (`closefrom`,
//! daemons) or use any high number. So what stands in front of libc keeps it from closing or replacing these.

use crate::real;
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicU64, Ordering};

/// Descriptors of the device are at or above this number if the limit allows: low ones are the program's own.
const FIRST: usize = 1024;

/// The kernel's own limit of descriptors (`sysctl_nr_open`). Where an administrator raised it, those above are not kept
/// from the program.
const NUMBERS: usize = 1 << 20;

/// One bit a number: closing is allowed in signal handlers and between fork and exec, where no lock may be taken.
static OWN: [AtomicU64; NUMBERS / 64] = [const { AtomicU64::new(0) }; NUMBERS / 64];

fn bit(fd: RawFd) -> Option<(&'static AtomicU64, u64)> {
    let fd = usize::try_from(fd).ok()?;
    Some((OWN.get(fd / 64)?, 1 << (fd % 64)))
}

/// Whether `fd` is the device's own.
pub fn is_own(fd: RawFd) -> bool {
    bit(fd).is_some_and(|(word, bit)| word.load(Ordering::Relaxed) & bit != 0)
}

/// The lowest number from `first` on that is the device's own.
pub fn next_own(first: u32) -> Option<u32> {
    let mut index = first as usize / 64;
    let mut word = OWN.get(index)?.load(Ordering::Relaxed) & (u64::MAX << (first % 64));
    while word == 0 {
        index += 1;
        word = OWN.get(index)?.load(Ordering::Relaxed);
    }
    Some(index as u32 * 64 + word.trailing_zeros())
}

/// A descriptor of the device's own.
#[derive(Debug)]
pub struct Descriptor {
    file: File,
}

impl Descriptor {
    /// Owns a descriptor, and moves it to another number if possible. Raises the program's limit of descriptors if
    /// necessary, because a buffer object needs one here but none in the driver, and programs have thousands of buffer
    /// objects.
    pub fn new(file: OwnedFd) -> Descriptor {
        let high = duplicate(&file, FIRST).or_else(|| {
            raise_limit();
            duplicate(&file, FIRST)
        });
        Descriptor::keep(high.unwrap_or(file))
    }

    /// As [`Descriptor::new`], but the limit stays as it is.
    pub fn within_limit(file: OwnedFd) -> Descriptor {
        let high = [FIRST, FIRST / 2].into_iter().find_map(|first| duplicate(&file, first));
        Descriptor::keep(high.unwrap_or(file))
    }

    fn keep(file: OwnedFd) -> Descriptor {
        if let Some((word, bit)) = bit(file.as_raw_fd()) {
            word.fetch_or(bit, Ordering::Relaxed);
        }
        Descriptor { file: file.into() }
    }

    /// The open file.
    pub fn file(&self) -> &File {
        &self.file
    }
}

impl AsRawFd for Descriptor {
    fn as_raw_fd(&self) -> RawFd {
        self.file.as_raw_fd()
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        // Before the file is closed, whose number may be the program's at once.
        if let Some((word, bit)) = bit(self.as_raw_fd()) {
            word.fetch_and(!bit, Ordering::Relaxed);
        }
    }
}

/// Closes the descriptors that a forked child inherited, except `kept`, so that their memory goes with the parent.
///
/// The child must not drop the [`Descriptor`]s.
pub fn close_inherited(kept: Option<RawFd>) {
    let mut first = 0;
    while let Some(fd) = next_own(first) {
        first = fd + 1;
        let fd = fd as RawFd;
        if let Some((word, bit)) = bit(fd)
            && kept != Some(fd)
        {
            word.fetch_and(!bit, Ordering::Relaxed);
            // SAFETY: the device's own, of which this process uses no more.
            unsafe { real::close(fd) };
        }
    }
}

/// The same file at the lowest free number from `first` on.
fn duplicate(file: &OwnedFd, first: usize) -> Option<OwnedFd> {
    // SAFETY: plain system call.
    let fd = unsafe { real::fcntl(file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, first) };
    // SAFETY: new and ours.
    (fd >= 0).then(|| unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Lets the program have as many descriptors as the system administrator allows rather than the usual 1024.
fn raise_limit() {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is valid for writing.
    if unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) } == 0 && limit.rlim_cur < limit.rlim_max {
        limit.rlim_cur = limit.rlim_max;
        // SAFETY: `limit` is valid. Failure leaves the old limit, which is still enough for small programs.
        unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &limit) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_while_they_live() {
        /// Out of reach of other tests, which get the lowest numbers that are free.
        const FAR: usize = 4000;
        // SAFETY: plain system call.
        let fd = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC) };
        assert!(fd >= 0 && !is_own(fd));
        // SAFETY: new and ours.
        let file = unsafe { OwnedFd::from_raw_fd(fd) };
        raise_limit();
        let descriptor = Descriptor::keep(duplicate(&file, FAR).expect("the limit allows it"));
        let own = descriptor.as_raw_fd();
        assert!(is_own(own) && next_own(own as u32) == Some(own as u32));
        drop(descriptor);
        assert!(!is_own(own));
        let descriptor = Descriptor::new(file);
        assert!(is_own(descriptor.as_raw_fd()) && descriptor.as_raw_fd() as usize >= FIRST);
        assert!(!is_own(-1) && !is_own(i32::MAX) && next_own(u32::MAX).is_none());
    }
}
