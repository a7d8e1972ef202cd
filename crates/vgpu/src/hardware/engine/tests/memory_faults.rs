//! Memory faults: their effects, and which queues and processes they reach.

use super::client::{Client, Dispatch, MEET, STORE, barrier};
use super::{high, low};
use crate::hardware::address_space::{Caching, Permissions, Target};
use crate::hardware::engine::access::Memory;
use crate::hardware::engine::symbols::Image;
use crate::hardware::interrupts::FaultReason;
use std::sync::atomic::Ordering;
use std::time::Duration;

#[test]
fn memory_that_the_program_freed_is_a_memory_fault() {
    const PAGE: usize = 4096;
    let (read_write, private) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // Far below where the kernel puts what other threads map meanwhile, so that the hole stays one.
    let far_below = std::ptr::without_provenance_mut(0x1000_0000_0000);
    // SAFETY: a new mapping of its own.
    let memory = unsafe { libc::mmap(far_below, 2 * PAGE, read_write, private, -1, 0) };
    let address = memory as u64;
    let gone = address + PAGE as u64;
    let registered = || {
        let client = Client::new(None);
        let permissions = Permissions { write: true, execute: false };
        client.gpu.space.map(address, 2 * PAGE as u64, Target::Host(address), permissions, Caching::Uncached).unwrap();
        client
    };
    let (client, other) = (registered(), registered());
    let store = |to| Dispatch::new(client.kernel(STORE), client.arguments(&[to, 1]));
    client.queue(16).run(store(address));
    // SAFETY: the second page of the mapping.
    unsafe { libc::munmap(memory.byte_add(PAGE), PAGE) };
    // The first is as good as before.
    client.queue(16).run(store(address));
    assert_eq!(client.raised.memory_fault(), None);
    client.queue(16).submit(store(gone).packet());
    let (at, reason) = client.memory_fault();
    assert_eq!((at, reason.not_present), (gone, true));
    // SDMA engines too.
    let mut sdma = other.sdma();
    let to = other.allocate(4);
    sdma.submit(&[1, 3, 0, low(gone), high(gone), low(to), high(to)]);
    let (at, _) = other.memory_fault();
    assert_eq!(at, gone);
    // SAFETY: the first page of the mapping, which no engine is asked to use any more.
    unsafe { libc::munmap(memory, PAGE) };
}

#[test]
fn code_in_memory_that_is_not_executable_is_a_fault_without_a_reason() {
    let client = Client::new(None);
    // The kernels once more, where they are not executable.
    const ELSEWHERE: u64 = 0x10_0000;
    let permissions = Permissions { write: true, execute: false };
    let code = Target::Host(client.code(0));
    client.gpu.space.map(ELSEWHERE, 2 * 4096, code, permissions, Caching::Uncached).unwrap();
    let kernel = client.kernel(STORE);
    client.quad(kernel + 16).store((ELSEWHERE + STORE).wrapping_sub(kernel), Ordering::Relaxed);
    client.queue(16).submit(Dispatch::new(kernel, client.arguments(&[client.allocate(4), 1])).packet());
    let (at, reason) = client.memory_fault();
    assert!((ELSEWHERE..ELSEWHERE + 2 * 4096).contains(&at), "{at:#x}");
    assert_eq!(reason, FaultReason::default());
}

/// The memory fault of an SDMA packet, made for the address of memory that the program has just freed.
fn fault_of_sdma(packet: impl Fn(u64) -> Vec<u32>) {
    const PAGE: usize = 4096;
    let (read_write, private) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    let client = Client::new(None);
    let mut sdma = client.sdma();
    // The kernel fills a hole from its end: what other threads map is far from its first page.
    const PAGES: usize = 64;
    // SAFETY: a new mapping of its own.
    let memory = unsafe { libc::mmap(std::ptr::null_mut(), PAGES * PAGE, read_write, private, -1, 0) };
    let address = memory as u64;
    let permissions = Permissions { write: true, execute: false };
    client
        .gpu
        .space
        .map(address, (PAGES * PAGE) as u64, Target::Host(address), permissions, Caching::Uncached)
        .unwrap();
    let gone = address + PAGE as u64;
    let packet = packet(gone);
    // SAFETY: all but the first page of the mapping.
    unsafe { libc::munmap(memory.byte_add(PAGE), (PAGES - 1) * PAGE) };
    sdma.submit(&packet);
    let (at, reason) = client.memory_fault();
    assert_eq!((at, reason.not_present), (gone, true));
    // SAFETY: the first page, which no engine is asked to use any more.
    unsafe { libc::munmap(memory, PAGE) };
}

#[test]
fn words_that_sdma_uses_of_memory_that_the_program_freed_are_memory_faults() {
    // FENCE, TIMESTAMP, ATOMIC add, POLL_REGMEM of memory, and a WRITE that begins before the page.
    fault_of_sdma(|gone| vec![5, low(gone), high(gone), 1]);
    fault_of_sdma(|gone| vec![13 | 2 << 8, low(gone), high(gone)]);
    fault_of_sdma(|gone| vec![10 | 47 << 25, low(gone), high(gone), 1, 0, 0, 0, 0]);
    fault_of_sdma(|gone| vec![8 | 3 << 28 | 1 << 31, low(gone), high(gone), 0, !0, 0xfff << 16]);
    fault_of_sdma(|gone| vec![2, low(gone - 4), high(gone - 4), 1, 7, 8]);
}

#[test]
fn a_memory_fault_takes_all_queues_off_the_gpu() {
    let client = Client::new(None);
    let (gate, done, done_later) = (client.signal(1), client.signal(1), client.signal(1));
    let waiting = client.queue(16);
    waiting.submit(barrier(3, false, &[gate], done));
    // A work-group that waits for one that does not come.
    let running = client.queue(16);
    let counter = client.allocate(4);
    let met = client.signal(1);
    let meet = Dispatch::new(client.kernel(MEET), client.arguments(&[counter, 2]));
    running.submit(Dispatch { completion: met, ..meet }.packet());
    client.wait_for("work-group that runs", || client.word(counter).load(Ordering::Acquire) == 1);
    let faulting = client.queue(16);
    faulting.submit(Dispatch::new(client.kernel(STORE), client.arguments(&[0x1000, 1])).packet());
    let (at, _) = client.memory_fault();
    assert_eq!(at, 0x1000);
    // All that they waited for comes too late, and so does a new queue.
    client.quad(gate + 8).store(0, Ordering::Release);
    client.word(counter).store(2, Ordering::Release);
    let later = client.queue(16);
    later.submit(barrier(3, false, &[], done_later));
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!([done, met, done_later].map(|signal| client.value(signal)), [1, 1, 1]);
    for queue in [&waiting, &running, &faulting, &later] {
        client.engine.destroy_queue(queue.args.id).unwrap();
    }
}

/// A code object as a loader puts it into memory: header, symbols, code.
struct File {
    start: u64,
}

impl File {
    const CODE: u64 = 0x1000;
    const HEADERS: u64 = 0x500;

    /// In memory of the client's, with a page before it that is not the file's.
    fn new(client: &Client) -> File {
        let start = (client.allocate(4 * 4096) + 4096).next_multiple_of(4096);
        let quads: [(u64, u64); 19] = [
            // ELF, 64 bits, little-endian, AMDGPU_HSA; a shared object for AMDGPU; two program headers at 64, of 56
            // bytes.
            (0x00, 0x4001_0102_464c_457f),
            (0x10, 0xe0 << 16 | 3),
            (0x20, 64),
            (0x30, 56 << 48),
            (0x38, 2),
            // LOAD of the whole file, DYNAMIC at 0x100.
            (0x40, 1),
            (0x68, 0x2000),
            (0x78, 2),
            (0x80, 0x100),
            (0x88, 0x100),
            // HASH, STRTAB, SYMTAB.
            (0x100, 4),
            (0x108, 0x200),
            (0x110, 5),
            (0x118, 0x300),
            (0x120, 6),
            (0x128, 0x400),
            // One bucket, two symbols, of which the second is a function.
            (0x200, 1 | 2 << 32),
            (0x418, 1 | 2 << 32),
            (0x420, File::CODE),
        ];
        quads.into_iter().for_each(|(at, value)| client.quad(start + at).store(value, Ordering::Relaxed));
        client.quad(start + 0x428).store(0x100, Ordering::Relaxed);
        client.quad(start + 0x300).store(u64::from_le_bytes(*b"\0spin_1\0"), Ordering::Relaxed);
        File { start }
    }

    fn function(&self, client: &Client, address: u64) -> Option<(String, u64)> {
        let memory = Memory::enter(&client.gpu);
        Image::around(&memory, address)?.function(address)
    }
}

#[test]
fn code_is_named_by_the_file_in_front_of_it() {
    let client = Client::new(None);
    let file = File::new(&client);
    let code = file.start + File::CODE;
    for offset in [0, 0x24, 0xff] {
        assert_eq!(file.function(&client, code + offset), Some(("spin_1".into(), offset)));
    }
    // Beside the function, in front of the file, and where nothing is.
    for address in [code - 1, code + 0x100, file.start - 8, 0x1000, u64::MAX] {
        assert_eq!(file.function(&client, address), None, "{address:#x}");
    }
}

/// Whatever the program writes there: a name or none, at any word, and no harm.
#[test]
fn nothing_of_a_loaded_file_is_believed() {
    let client = Client::new(None);
    let file = File::new(&client);
    let code = file.start + File::CODE;
    let mut named = 0;
    for at in (0..File::HEADERS).step_by(8) {
        let word = client.quad(file.start + at);
        let before = word.load(Ordering::Relaxed);
        for wrong in [u64::MAX, 1 << 63, 0xffff_ffff, u64::MAX << 32, before ^ 0xffff, before.wrapping_add(1 << 40), 0]
        {
            word.store(wrong, Ordering::Relaxed);
            named += u32::from(file.function(&client, code).is_some());
        }
        word.store(before, Ordering::Relaxed);
    }
    // Most words mean nothing to a reader of symbols.
    assert!(named > 500, "{named}");
    assert_eq!(file.function(&client, code), Some(("spin_1".into(), 0)));
}
