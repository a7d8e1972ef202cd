//! Accesses that are repeated after the driver has mapped the memory (XNACK).

use super::client::{APPEND, Client, Dispatch, STORE};
use super::{high, low};
use gcn::bus::Access;
use std::sync::atomic::{AtomicU32, Ordering};

const PAGE: u64 = 4096;

/// Three pages of the program's, of which no GPU knows.
struct Pageable(u64);

impl Pageable {
    fn new() -> Pageable {
        let (read_write, private) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping of its own.
        let memory = unsafe { libc::mmap(std::ptr::null_mut(), 3 * PAGE as usize, read_write, private, -1, 0) };
        assert_ne!(memory, libc::MAP_FAILED);
        Pageable(memory as u64)
    }

    fn word(&self, at: u64) -> &AtomicU32 {
        assert!(at < 3 * PAGE && at.is_multiple_of(4));
        // SAFETY: within the mapping.
        unsafe { AtomicU32::from_ptr((self.0 + at) as *mut u32) }
    }

    /// The value that all `count` words from `at` on have.
    fn filled(&self, at: u64, count: u64) -> Option<u32> {
        let first = self.word(at).load(Ordering::Acquire);
        (0..count).all(|i| self.word(at + 4 * i).load(Ordering::Acquire) == first).then_some(first)
    }
}

impl Drop for Pageable {
    fn drop(&mut self) {
        // SAFETY: mapped in `new`.
        unsafe { libc::munmap(self.0 as *mut libc::c_void, 3 * PAGE as usize) };
    }
}

#[test]
fn waves_go_on_when_the_memory_is_there() {
    let memory = Pageable::new();
    let client = Client::new(None);
    // The third page is nobody's.
    client.retry_faults(memory.0..memory.0 + 2 * PAGE);
    let queue = client.queue(16);
    // From the end of the first page into the second.
    let start = PAGE - 128;
    let arguments = |value| client.arguments(&[memory.0 + start, value]);
    let store = |value| Dispatch { groups: 4, ..Dispatch::new(client.kernel(STORE), arguments(value)) };
    queue.run(store(7));
    assert_eq!(memory.filled(start, 256), Some(7));
    let retried = client.raised.retried();
    for page in [memory.0, memory.0 + PAGE] {
        let of_page = retried.iter().filter(|fault| fault.address & !(PAGE - 1) == page);
        assert!(of_page.clone().count() >= 2, "{retried:?}");
        assert!(of_page.clone().all(|fault| fault.access == Access::Write && !fault.protection), "{retried:?}");
    }
    // What is mapped is not asked for again, until it is mapped no more.
    queue.run(store(8));
    assert_eq!((memory.filled(start, 256), client.raised.retried().len()), (Some(8), retried.len()));
    client.gpu.space.unmap(memory.0, PAGE);
    queue.run(store(9));
    assert_eq!(memory.filled(start, 256), Some(9));
    assert!(client.raised.retried().len() > retried.len());
    assert_eq!(client.raised.memory_fault(), None);
    queue.submit(Dispatch::new(client.kernel(STORE), client.arguments(&[memory.0 + 2 * PAGE - 4, 1])).packet());
    let (at, reason) = client.memory_fault();
    assert_eq!((at, reason.not_present), (memory.0 + 2 * PAGE, true));
}

/// Each of many work-groups counts once, whoever of them had to wait for the counter.
#[test]
fn atomics_are_done_once() {
    for seed in [None, Some(1), Some(2)] {
        let (memory, client) = (Pageable::new(), Client::new(seed));
        client.retry_faults(memory.0..memory.0 + 3 * PAGE);
        let arguments = client.arguments(&[memory.0, memory.0 + PAGE, 5]);
        client.queue(16).run(Dispatch { groups: 200, ..Dispatch::new(client.kernel(APPEND), arguments) });
        assert_eq!(memory.word(0).load(Ordering::Acquire), 200);
        assert_eq!(memory.filled(PAGE, 200), Some(5));
        assert_eq!(memory.word(PAGE + 800).load(Ordering::Acquire), 0);
        assert!(client.raised.retried().iter().any(|fault| fault.access == Access::Atomic));
    }
}

#[test]
fn sdma_goes_on_with_the_packet_that_had_to_wait() {
    let (memory, client) = (Pageable::new(), Client::new(None));
    client.retry_faults(memory.0..memory.0 + 3 * PAGE);
    let (from, done) = (client.allocate(2 * PAGE), client.allocate(4));
    (0..2 * PAGE / 4).for_each(|i| client.word(from + 4 * i).store(3, Ordering::Relaxed));
    let to = memory.0 + PAGE - 64;
    let mut sdma = client.sdma();
    sdma.submit(&[1, 2 * PAGE as u32 - 1, 0, low(from), high(from), low(to), high(to)]);
    sdma.submit(&[5, low(done), high(done), 1]);
    client.wait_for("fence", || client.word(done).load(Ordering::Acquire) == 1);
    assert_eq!(memory.filled(PAGE - 64, 2 * PAGE / 4), Some(3));
    assert_eq!(memory.filled(0, PAGE / 4 - 16), Some(0));
    assert_eq!(client.raised.memory_fault(), None);
}
