//! Descriptors that another process chose: queried and closed so that no call here waits for that process.
//!
//! A file of a FUSE file system answers `lseek`, `fstat` and `fstatfs` when the process that serves it does, and no
//! signal ends that wait. `lseek` also takes the lock of the file's position, which a process that has the file can
//! hold by a `read` into memory that never comes. Closing a file may wait for its file system, and closing a socket's
//! last descriptor for its other end (`SO_LINGER`).

use std::io::IoSliceMut;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rustix::fs::{AtFlags, FileType, Statx, StatxFlags};
use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags};

/// A descriptor that is closed by a thread of its own, unless it is known that nobody can hold that up.
#[derive(Debug)]
pub(crate) struct Descriptor {
    fd: Option<OwnedFd>,
    /// How long the thread is waited for.
    patience: Duration,
}

impl From<OwnedFd> for Descriptor {
    fn from(fd: OwnedFd) -> Descriptor {
        Descriptor { fd: Some(fd), patience: Duration::ZERO }
    }
}

impl AsFd for Descriptor {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_ref().expect("it is there until it is dropped or given up").as_fd()
    }
}

impl Descriptor {
    pub(crate) fn into_fd(mut self) -> OwnedFd {
        self.fd.take().expect("as above")
    }

    /// A socket of this process. Closing it also closes descriptors that another process has sent over it. It is closed
    /// when it is dropped, or within a second.
    pub(crate) fn own(socket: OwnedFd) -> Descriptor {
        Descriptor { fd: Some(socket), patience: Duration::from_secs(1) }
    }

    /// What its file system knows of it without asking anybody.
    fn known(&self) -> Result<Statx, Errno> {
        let flags = AtFlags::EMPTY_PATH | AtFlags::STATX_DONT_SYNC;
        rustix::fs::statx(self, c"", flags, StatxFlags::TYPE | StatxFlags::SIZE)
    }

    /// Bytes of a dma-buf, or of a file in memory. Linux says those of a dma-buf since 5.3.
    ///
    /// # Errors
    /// Why it is neither.
    pub(crate) fn size(&self) -> Result<u64, String> {
        let known = self.known().map_err(|error| error.to_string())?;
        // A dma-buf's inode has no type.
        match FileType::from_raw_mode(known.stx_mode.into()) {
            FileType::RegularFile | FileType::Unknown => Ok(known.stx_size),
            other => Err(format!("it is a {other:?}")),
        }
    }

    pub(crate) fn is_pipe(&self) -> bool {
        self.known().is_ok_and(|known| FileType::from_raw_mode(known.stx_mode.into()) == FileType::Fifo)
    }

    /// Whether it is a file in memory, a dma-buf or a pipe, which are closed at once.
    fn closes_at_once(&self) -> bool {
        // Of files of all other file systems, the kernel refuses this before it looks at them.
        rustix::fs::fcntl_get_seals(self).is_ok() || self.is_pipe() || self.is_dma_buf()
    }

    /// The kernel shows the name of the driver behind a dma-buf, and no such line of any other file.
    fn is_dma_buf(&self) -> bool {
        let shown = std::fs::read_to_string(format!("/proc/self/fdinfo/{}", self.as_fd().as_raw_fd()));
        shown.is_ok_and(|shown| shown.lines().any(|line| line.starts_with("exp_name:")))
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        if self.fd.is_none() || self.closes_at_once() {
            return;
        }
        let (fd, (closed, is_closed)) = (self.fd.take(), mpsc::channel::<()>());
        let close = move || {
            drop(fd);
            drop(closed);
        };
        // Without a thread it is closed here.
        if thread::Builder::new().name("close".to_owned()).spawn(close).is_ok() && !self.patience.is_zero() {
            _ = is_closed.recv_timeout(self.patience);
        }
    }
}

/// The most descriptors that one message can have (`SCM_MAX_FD` of Linux). The kernel would close those without room
/// here.
const MAX_DESCRIPTORS: usize = 253;

/// What came over a socket.
pub(crate) struct Received {
    pub(crate) bytes: usize,
    pub(crate) flags: ReturnFlags,
    pub(crate) descriptors: Vec<Descriptor>,
}

impl Received {
    /// Whether nothing was cut off, and no descriptor came with it.
    pub(crate) fn is_data_alone(&self) -> bool {
        self.descriptors.is_empty() && !self.flags.intersects(ReturnFlags::TRUNC | ReturnFlags::CTRUNC)
    }
}

/// Takes what is there, and waits for nothing. The descriptors are closed on `exec`.
pub(crate) fn receive(socket: impl AsFd, data: &mut [u8]) -> Result<Received, Errno> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS), ScmCredentials(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
    let got = rustix::net::recvmsg(socket, &mut [IoSliceMut::new(data)], &mut control, flags)?;
    let descriptors = control.drain().filter_map(|part| match part {
        RecvAncillaryMessage::ScmRights(some) => Some(some.map(Descriptor::from)),
        _ => None,
    });
    let descriptors = descriptors.flatten().collect();
    Ok(Received { bytes: got.bytes, flags: got.flags, descriptors })
}

#[cfg(test)]
mod tests {
    use std::os::fd::FromRawFd;
    use std::ptr::null_mut;

    use rustix::event::{PollFd, PollFlags};
    use rustix::fs::{Mode, OFlags};

    use super::*;

    const PAGE: usize = 4096;
    /// `UFFDIO_API` and `UFFDIO_REGISTER` of linux/userfaultfd.h.
    const API: u64 = 0xc018_aa3f;
    const REGISTER: u64 = 0xc020_aa00;

    /// A page, and what serves it: until it is closed, who touches the page waits.
    fn withheld_page() -> Option<(usize, OwnedFd)> {
        // SAFETY: makes a descriptor, or not.
        let fd = unsafe { libc::syscall(libc::SYS_userfaultfd, libc::O_CLOEXEC) } as i32;
        if fd < 0 {
            return None;
        }
        // SAFETY: made above; new memory, which stays for the rest of the process; arguments are as the header has
        // them: version and two outputs, a range, missing pages and an output.
        unsafe {
            let served_by = OwnedFd::from_raw_fd(fd);
            let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            let page = libc::mmap(null_mut(), PAGE, protection, flags, -1, 0);
            assert_ne!(page, libc::MAP_FAILED);
            assert_eq!(libc::ioctl(fd, API, &mut [0xaa_u64, 0, 0]), 0);
            assert_eq!(libc::ioctl(fd, REGISTER, &mut [page as u64, PAGE as u64, 1, 0]), 0);
            Some((page as usize, served_by))
        }
    }

    /// The lock of its position, by a `read` that does not end.
    #[test]
    fn the_size_of_a_file_whose_lock_another_process_holds_is_told_at_once() {
        let Some((page, served_by)) = withheld_page() else {
            test_skip::skip!("this process may not stop its own threads (userfaultfd)")
        };
        let path = std::env::temp_dir().join(format!("dmabuf-channel-{}", std::process::id()));
        let (flags, mode) = (OFlags::CREATE | OFlags::RDWR | OFlags::CLOEXEC, Mode::RUSR | Mode::WUSR);
        let file = rustix::fs::open(&path, flags, mode).expect("a file");
        std::fs::remove_file(path).expect("made above");
        rustix::io::write(&file, b"data").expect("written");
        rustix::fs::seek(&file, rustix::fs::SeekFrom::Start(0)).expect("nobody has its lock");
        let same = file.try_clone().expect("a descriptor");
        let reading = thread::spawn(move || {
            // SAFETY: the page, which nobody else uses.
            unsafe { libc::read(same.as_raw_fd(), page as *mut libc::c_void, 4) }
        });
        let mut asked = [PollFd::new(&served_by, PollFlags::IN)];
        rustix::event::poll(&mut asked, None).expect("it waits for the page");
        let (say, said) = mpsc::channel();
        let asking = thread::spawn(move || say.send(Descriptor::from(file).size()));
        let size = said.recv_timeout(Duration::from_secs(10));
        drop(served_by);
        assert_eq!(size, Ok(Ok(4)), "it waited for the lock");
        assert_eq!(reading.join().expect("no panic"), 4);
        asking.join().expect("no panic").expect("somebody listens");
    }
}
