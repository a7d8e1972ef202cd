//! Passes a dma-buf, and the turn to use it, between two processes over a Unix socket.
//!
//! A dma-buf is Linux's file descriptor for memory that drivers and processes share. One process offers it. Then the
//! turn goes back and forth: a process uses the memory only while it has the turn.
//!
//! | type | purpose |
//! |---|---|
//! | [`DmaBuf`] | a descriptor with offset and length, checked against the buffer object; [`send`](DmaBuf::send) and [`receive`](DmaBuf::receive) pass it on |
//! | [`Channel`] | passes the memory once, then the turn to use it, back and forth, until one process is gone |
//! | [`Error`] | the socket failed, the other process is late or gone, or it sent another message |
//!
//! # Example
//! Two threads stand in for the processes, and a file in memory for the dma-buf:
//! ```
//! use std::os::unix::net::UnixStream;
//! use std::time::Duration;
//!
//! use dmabuf_channel::{Channel, DmaBuf};
//!
//! const LIMIT: Duration = Duration::from_secs(10);
//!
//! # fn memory() -> std::os::fd::OwnedFd {
//! #     let file = rustix::fs::memfd_create("example", rustix::fs::MemfdFlags::CLOEXEC).unwrap();
//! #     rustix::fs::ftruncate(&file, 4096).unwrap();
//! #     file
//! # }
//! # fn main() -> Result<(), dmabuf_channel::Error> {
//! let (ours, theirs) = UnixStream::pair().unwrap(); // one end for each process
//! let memory = DmaBuf::from_fd(memory(), 0, 4096)?; // a file in memory stands in for a dma-buf
//!
//! let other = std::thread::spawn(move || -> Result<u64, dmabuf_channel::Error> {
//!     let (mut channel, memory) = Channel::accept(theirs, LIMIT)?;
//!     channel.take(LIMIT)?; // now the memory is this side's to use
//!     channel.give()?;
//!     Ok(memory.bytes())
//! });
//! let mut channel = Channel::offer(ours, &memory)?; // the turn is here first
//! channel.give()?;
//! channel.take(LIMIT)?;
//! assert_eq!(other.join().unwrap()?, 4096);
//! # Ok(()) }
//! ```
//!
//! # What the other process can do
//! A process that has the descriptor can read and write all bytes of the buffer object at any time, because turns are
//! an agreement of two programs. It can do no other harm. Each row is an action of the other process, and its effect
//! on the calls of this crate:
//!
//! | the other process | effect here |
//! |---|---|
//! | sends any other message than the next one | [`Error::Socket`] with `InvalidData`; descriptors that came along are closed |
//! | sends a size that the descriptor does not have | [`Error::DmaBuf`] |
//! | sends nothing, or a byte at a time | [`Error::NotYet`] or [`Error::Socket`] with `TimedOut`, at the end of the caller's time limit |
//! | does not read | [`Error::Socket`] with `WouldBlock`: no call waits for room in the socket |
//! | sends a descriptor whose `fstat`, `lseek` or `close` waits for it (FUSE, `SO_LINGER`) | nothing waits: the crate calls only `statx` without synchronisation, and closes such a descriptor in a separate thread |
//! | ends, or is killed, at any instruction | [`Error::PeerGone`] at once; what it had sent before is still received |
//! | shuts its socket down, and continues to run | [`Error::Socket`] within a second |
//!
//! All types are [`Send`] and [`Sync`]. The crate has no `unsafe` code, and installs no signal handler.
#![cfg_attr(not(test), forbid(unsafe_code))]

mod channel;
mod descriptor;
mod dmabuf;
mod error;
mod socket;

pub use channel::Channel;
pub use dmabuf::DmaBuf;
pub use error::{Error, Result};
