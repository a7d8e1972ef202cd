//! PM4 packets in compute queues, and in indirect buffers of AQL queues.

use super::client::{Client, MEET, Pm4, SCRATCH, STORE};
use super::{high, in_own_process, low};
use crate::hardware::clock::gpu_ticks;
use crate::hardware::random::Random;
use std::sync::atomic::Ordering;
use std::time::Duration;

pub const DISPATCH_DIRECT: u32 = 0x15;
const DISPATCH_INDIRECT: u32 = 0x16;
const ATOMIC_MEM: u32 = 0x1e;
pub const PRED_EXEC: u32 = 0x23;
const WRITE_DATA: u32 = 0x37;
const WAIT_REG_MEM: u32 = 0x3c;
const INDIRECT_BUFFER: u32 = 0x3f;
const COPY_DATA: u32 = 0x40;
const EVENT_WRITE: u32 = 0x46;
const RELEASE_MEM: u32 = 0x49;
const DMA_DATA: u32 = 0x50;
const SET_SH_REG: u32 = 0x76;
const SET_UCONFIG_REG: u32 = 0x79;

/// The compute registers by their offset from the first `SH` register.
const NUM_THREAD: u32 = 0x207;
const PGM: u32 = 0x20c;
const SCRATCH_BASE: u32 = 0x210;
const RSRC: u32 = 0x212;
const TMPRING_SIZE: u32 = 0x218;
const USER_DATA: u32 = 0x240;

/// A packet of type 3 for the compute engine.
pub fn packet(opcode: u32, body: &[u32]) -> Vec<u32> {
    let header = 3 << 30 | (body.len() as u32 - 1) << 16 | opcode << 8 | 2;
    [&[header], body].concat()
}

fn set(register: u32, values: &[u32]) -> Vec<u32> {
    packet(SET_SH_REG, &[&[register], values].concat())
}

/// The registers for `store` in work-groups of 64.
fn store(client: &Client, out: u64, value: u64) -> Vec<u32> {
    kernel(client.code(STORE), client.arguments(&[out, value]))
}

/// The registers for the code at `entry` in work-groups of 64, with `user` in s[0:1] and the work-group id in s2.
pub fn kernel(entry: u64, user: u64) -> Vec<u32> {
    [
        set(NUM_THREAD, &[64, 1, 1]),
        set(PGM, &[low(entry >> 8), high(entry >> 8)]),
        // As of the tests' kernel descriptors.
        set(RSRC, &[1 | 0xf0 << 12 | 1 << 23, 2 << 1 | 1 << 7]),
        set(USER_DATA, &[low(user), high(user)]),
    ]
    .concat()
}

/// `EVENT_WRITE` of a partial flush: waits for the dispatches before it.
pub fn flush() -> Vec<u32> {
    packet(EVENT_WRITE, &[7 | 4 << 8])
}

pub fn write(to: u64, values: &[u32]) -> Vec<u32> {
    packet(WRITE_DATA, &[&[5 << 8 | 1 << 20, low(to), high(to)], values].concat())
}

/// `RELEASE_MEM` at the end of the pipe: what it writes (`DATA_SEL`), and whether it interrupts (`INT_SEL`).
fn release(to: u64, select: u32, interrupt: u32, data: u64, context: u32) -> Vec<u32> {
    let body = [0x14 | 5 << 8, select << 29 | interrupt << 24, low(to), high(to), low(data), high(data), context];
    packet(RELEASE_MEM, &body)
}

fn wait_equal(at: u64, value: u32) -> Vec<u32> {
    packet(WAIT_REG_MEM, &[3 | 1 << 4, low(at), high(at), value, u32::MAX, 4])
}

/// `dwords` in memory, and the packet that calls them.
pub fn indirect(client: &Client, dwords: &[u32], flags: u32) -> Vec<u32> {
    let buffer = client.allocate(4 * dwords.len() as u64);
    for (index, dword) in dwords.iter().enumerate() {
        client.word(buffer + 4 * index as u64).store(*dword, Ordering::Relaxed);
    }
    packet(INDIRECT_BUFFER, &[low(buffer), high(buffer), dwords.len() as u32 | flags | 1 << 23])
}

/// The AQL packet for what [`indirect`] gave.
pub fn in_aql(call: &[u32], done: u64) -> [u64; 8] {
    let address = u64::from(call[1]) | u64::from(call[2]) << 32;
    [1 << 16 | 0xc002_3f00 << 32, address, u64::from(call[3]) | 0xa << 32, 0, 0, 0, 0, done]
}

/// Submits, and waits until all of it has completed.
pub fn run(queue: &mut Pm4<'_>, dwords: &[u32]) {
    let client = queue.client;
    let done = client.allocate(8);
    queue.submit(&[dwords, &release(done, 1, 3, 1, 0)].concat());
    client.wait_for("end of PM4 packets", || client.word(done).load(Ordering::Acquire) == 1);
}

#[test]
fn a_dispatch_stores_and_its_end_is_released() {
    let client = Client::new(None);
    let mut queue = client.pm4(1024);
    let (out, fence, clock, last) =
        (client.allocate(4 * 64 * 6), client.allocate(8), client.allocate(8), client.allocate(4));
    let before = gpu_ticks();
    queue.submit(
        &[
            store(&client, out, 7),
            packet(DISPATCH_DIRECT, &[5, 1, 1, 1]),
            release(fence, 2, 2, 0x1_2345_6789, 9),
            release(clock, 3, 3, 0, 0),
            wait_equal(fence, 0x2345_6789),
            write(last, &[3]),
        ]
        .concat(),
    );
    client.wait_for("last packet", || client.word(last).load(Ordering::Acquire) == 3);
    let words = client.words(out, 64 * 6);
    assert!(words[..320].iter().all(|&word| word == 7) && words[320..].iter().all(|&word| word == 0));
    assert_eq!(client.quad(fence).load(Ordering::Relaxed), 0x1_2345_6789);
    let at = client.quad(clock).load(Ordering::Acquire);
    assert!(before <= at && at <= gpu_ticks());
    client.wait_for("interrupt", || !client.raised.events().is_empty());
    assert_eq!(client.raised.events(), [9]);
    queue.wait();
}

#[test]
fn interrupts_as_int_sel_says() {
    let client = Client::new(None);
    let mut queue = client.pm4(1024);
    let to = client.allocate(8);
    // Without data, with data and none, and for event 0, of which the driver hears nothing.
    run(
        &mut queue,
        &[release(0, 0, 1, 0, 5), release(to, 1, 3, 6, 6), release(to, 1, 2, 7, 0), release(to, 1, 2, 8, 8)].concat(),
    );
    assert_eq!(client.raised.events(), [5, 8]);
    assert_eq!(client.words(to, 2), [8, 0]);
}

#[test]
fn work_items_as_the_initiator_counts_them() {
    let client = Client::new(None);
    let mut queue = client.pm4(1024);
    // 70 work-items; 2 work-groups of which the last has 6; 2 full ones; those with their number in memory.
    let size = client.allocate(12);
    [2, 1, 1].iter().zip(0..).for_each(|(n, i)| client.word(size + 4 * i).store(*n, Ordering::Relaxed));
    for (dispatch, threads, stored) in [
        (packet(DISPATCH_DIRECT, &[70, 1, 1, 1 | 1 << 5]), 64, 70),
        (packet(DISPATCH_DIRECT, &[2, 1, 1, 1 | 1 << 1]), 64 | 6 << 16, 70),
        (packet(DISPATCH_DIRECT, &[2, 1, 1, 1]), 64 | 6 << 16, 128),
        (packet(DISPATCH_INDIRECT, &[low(size), high(size), 1]), 64, 128),
        (packet(DISPATCH_DIRECT, &[2, 0, 1, 1]), 64, 0),
        (packet(DISPATCH_DIRECT, &[2, 1, 1, 0]), 64, 0),
    ] {
        let out = client.allocate(4 * 192);
        run(&mut queue, &[store(&client, out, 9), set(NUM_THREAD, &[threads]), dispatch].concat());
        let words = client.words(out, 192);
        assert!(words.iter().zip(0..).all(|(&word, index)| word == if index < stored { 9 } else { 0 }), "{stored}");
    }
}

#[test]
fn private_memory_by_registers() {
    let client = Client::new(None);
    let mut queue = client.pm4(1024);
    let (out, scratch) = (client.allocate(4 * 64 * 20), client.allocate(8 << 10));
    let kernarg = client.arguments(&[out]);
    let entry = client.code(SCRATCH) >> 8;
    // The resource of LLVM's private segment buffer: swizzled for 64 lanes.
    let resource =
        [low(scratch), high(scratch) | 1 << 31, 8 << 10, 4 | 5 << 3 | 6 << 6 | 7 << 9 | 4 << 12 | 3 << 21 | 1 << 23];
    let user = [&resource[..], &[low(kernarg), high(kernarg)]].concat();
    run(
        &mut queue,
        &[
            set(NUM_THREAD, &[64, 1, 1]),
            set(PGM, &[low(entry), high(entry)]),
            set(SCRATCH_BASE, &[low(scratch >> 8), high(scratch >> 8)]),
            set(RSRC, &[1 | 0xf0 << 12 | 1 << 23, 1 | 6 << 1 | 1 << 7]),
            set(TMPRING_SIZE, &[8 | 1 << 12]),
            set(USER_DATA, &user),
            packet(DISPATCH_DIRECT, &[20, 1, 1, 1]),
        ]
        .concat(),
    );
    for (index, word) in client.words(out, 64 * 20).into_iter().enumerate() {
        assert_eq!(word as usize, index % 64 + 7);
    }
    assert!(client.words(scratch, 64).iter().any(|&word| word != 0));
}

#[test]
fn data_moves() {
    let client = Client::new(None);
    let mut queue = client.pm4(4096);
    let (to, from) = (client.allocate(4096), client.allocate(4096));
    (0..1024).for_each(|i| client.word(from + 4 * i).store(0x100 + i as u32, Ordering::Relaxed));
    let copy =
        |control, source: u64, to: u64| packet(COPY_DATA, &[control, low(source), high(source), low(to), high(to)]);
    let dma = |control, source: u64, to: u64, bytes| {
        packet(DMA_DATA, &[control, low(source), high(source), low(to), high(to), bytes])
    };
    run(
        &mut queue,
        &[
            write(to, &[1, 2, 3]),
            // All to one address.
            packet(WRITE_DATA, &[2 << 8 | 1 << 16, low(to + 12), high(to + 12), 4, 5, 6]),
            // Memory, 32 and 64 bits; immediate 64 bits; the clock.
            copy(1 | 5 << 8, from, to + 16),
            copy(2 | 2 << 8 | 1 << 16, from + 8, to + 24),
            copy(5 | 5 << 8 | 1 << 16, 0x1111_2222_3333_4444, to + 32),
            copy(9 | 5 << 8 | 1 << 16, 0, to + 40),
            // By a register and back.
            copy(5, 77, 0xc040),
            copy(5 << 8, 0xc040, to + 48),
            packet(SET_UCONFIG_REG, &[0x41, 88]),
            copy(5 << 8, 0xc041, to + 52),
            dma(3 << 29 | 3 << 20, from, to + 1024, 1000),
            dma(2 << 29, 0x55, to + 2048, 100),
        ]
        .concat(),
    );
    let words = client.words(to, 14);
    assert_eq!(words[..10], [1, 2, 3, 6, 0x100, 0, 0x102, 0x103, 0x3333_4444, 0x1111_2222]);
    assert!(client.quad(to + 40).load(Ordering::Relaxed).abs_diff(gpu_ticks()) < 100_000_000 * 60);
    assert_eq!(words[12..], [77, 88]);
    assert_eq!(client.words(to + 1024, 251), [client.words(from, 250), vec![0]].concat());
    assert_eq!(client.words(to + 2048, 26), [vec![0x55; 25], vec![0]].concat());
}

#[test]
fn atomics_and_waits() {
    let client = Client::new(None);
    let mut queue = client.pm4(4096);
    let at = client.allocate(64);
    client.word(at).store(5, Ordering::Relaxed);
    let atomic = |operation, address: u64, data: u64, compare: u64| {
        let body = [operation, low(address), high(address), low(data), high(data), low(compare), high(compare), 16];
        packet(ATOMIC_MEM, &body)
    };
    // Add, one that returns nothing; add of 64 bits; compare-and-swap that fails, and one that is repeated until it
    // does not.
    run(&mut queue, &[atomic(0x4f, at, 3, 0), atomic(0x2f, at + 8, u64::MAX, 0), atomic(8, at, 1, 99)].concat());
    assert_eq!((client.words(at, 1)[0], client.quad(at + 8).load(Ordering::Relaxed)), (8, u64::MAX));
    let (done, reached) = (client.allocate(4), client.allocate(4));
    queue.submit(&[write(reached, &[1]), atomic(8 | 1 << 8, at, 20, 10), write(done, &[1])].concat());
    client.wait_for("packet before", || client.words(reached, 1) == [1]);
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!(client.words(done, 1), [0]);
    client.word(at).store(10, Ordering::Release);
    client.wait_for("packet behind", || client.words(done, 1) == [1]);
    assert_eq!(client.words(at, 1), [20]);
    // Every comparison: whether 4, 5 and 6 pass against 5.
    for (function, passes) in
        [(0, [1, 1, 1]), (1, [1, 0, 0]), (2, [1, 1, 0]), (3, [0, 1, 0]), (4, [1, 0, 1]), (5, [0, 1, 1]), (6, [0, 0, 1])]
    {
        for (value, passes) in (4..).zip(passes) {
            let (watched, done) = (client.allocate(4), client.allocate(4));
            let mut queue = client.pm4(1024);
            client.word(watched).store(value | 0xf00, Ordering::Relaxed);
            queue.submit(
                &[
                    packet(WAIT_REG_MEM, &[function | 1 << 4, low(watched), high(watched), 5, 0xff, 4]),
                    write(done, &[1]),
                ]
                .concat(),
            );
            if passes == 1 {
                client.wait_for("comparison", || client.words(done, 1) == [1]);
            } else {
                std::thread::sleep(Duration::from_millis(2));
                assert_eq!(client.words(done, 1), [0], "{value} {function}");
            }
            client.engine.destroy_queue(queue.args.id).unwrap();
        }
    }
    // The flush of HDP, as a client asks for it: a register that answers another.
    run(&mut queue, &packet(WAIT_REG_MEM, &[5 | 1 << 6, 0xe26, 0xe27, u32::MAX, u32::MAX, 4]));
}

/// Packets do not wait for a dispatch; a partial flush and the end of pipe do.
#[test]
fn a_flush_waits_for_dispatches() {
    let client = Client::new(None);
    let mut queue = client.pm4(1024);
    let words = client.allocate(256);
    let (counter, early, released, late) = (words, words + 64, words + 128, words + 192);
    // A kernel that waits for another that does not come.
    let kernarg = client.arguments(&[counter, 2]);
    let entry = client.code(MEET) >> 8;
    queue.submit(
        &[
            store(&client, words, 0),
            set(PGM, &[low(entry), high(entry)]),
            set(USER_DATA, &[low(kernarg), high(kernarg)]),
            packet(DISPATCH_DIRECT, &[1, 1, 1, 1]),
            release(released, 1, 3, 1, 0),
            write(early, &[1]),
            flush(),
            write(late, &[1]),
        ]
        .concat(),
    );
    client.wait_for("packet behind the dispatch", || client.words(early, 1) == [1]);
    client.wait_for("work-group", || client.words(counter, 1) == [1]);
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!((client.words(released, 1), client.words(late, 1)), (vec![0], vec![0]));
    client.word(counter).store(2, Ordering::Release);
    client.wait_for("packet behind the flush", || client.words(late, 1) == [1]);
    assert_eq!(client.words(released, 1), [1]);
}

#[test]
fn indirect_buffers_call_and_chain() {
    let client = Client::new(None);
    let mut queue = client.pm4(1024);
    let to = client.allocate(64);
    let inner = indirect(&client, &write(to + 4, &[2]), 0);
    let outer = [write(to, &[1]), inner, write(to + 8, &[3])].concat();
    let tail = [write(to + 12, &[4]), indirect(&client, &write(to + 16, &[5]), 1 << 20), write(to + 20, &[6])].concat();
    run(&mut queue, &[indirect(&client, &outer, 0), indirect(&client, &tail, 0), write(to + 24, &[7])].concat());
    // Behind a chained buffer nobody comes back to the one that chained it.
    assert_eq!(client.words(to, 7), [1, 2, 3, 4, 5, 0, 7]);
}

#[test]
fn the_ring_wraps() {
    let client = Client::new(None);
    let mut queue = client.pm4(256);
    let to = client.allocate(4);
    for value in 0..1000 {
        run(&mut queue, &[write(to, &[value]), vec![0x8000_0000], packet(0x10, &[0; 9])].concat());
        assert_eq!(client.words(to, 1), [value]);
        queue.wait();
    }
    // Of the 64 bits that the program may see as the read pointer, the hardware writes the lower half.
    assert!(client.quad(queue.args.read_pointer).load(Ordering::Relaxed) < 256);
}

#[test]
fn aql_queues_run_the_same_packets() {
    let client = Client::new(None);
    let queue = client.queue(16);
    let (out, done) = (client.allocate(4 * 64 * 2), client.signal(1));
    let dwords =
        [store(&client, out, 5), packet(DISPATCH_DIRECT, &[2, 1, 1, 1]), release(out + 256, 1, 3, 6, 0)].concat();
    let call = indirect(&client, &dwords, 0);
    queue.submit(in_aql(&call, done));
    client.wait(done, 0);
    // The packet is complete when all that it started is.
    let words = client.words(out, 128);
    assert!(words.iter().zip(0..).all(|(&word, index)| word == if index == 64 { 6 } else { 5 }), "{words:?}");
}

#[test]
fn a_queue_stops_at_what_it_does_not_know() {
    let output = in_own_process("pm4::a_queue_stops_at_what_it_does_not_know", || {
        let client = Client::new(None);
        let to = client.allocate(4);
        let torn = write(to, &[1, 2, 3]);
        let nested = indirect(&client, &indirect(&client, &indirect(&client, &write(to, &[1]), 0), 0), 0);
        for dwords in [
            packet(0x28, &[0]),
            vec![0x0000_1000, 0],
            packet(COPY_DATA, &[5 << 8, 0xc099, 0, low(to), high(to)]),
            packet(PRED_EXEC, &[1 << 24 | 5]),
            indirect(&client, &packet(PRED_EXEC, &[1 << 24 | 5]), 0),
            indirect(&client, &torn[..5], 0),
            nested,
        ] {
            let mut queue = client.pm4(1024);
            queue.submit(&[dwords, write(to, &[9])].concat());
            std::thread::sleep(Duration::from_millis(20));
            assert_eq!(client.words(to, 1), [0]);
            client.engine.destroy_queue(queue.args.id).unwrap();
        }
    });
    let Some(output) = output else { return };
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    for (queue, what) in [
        "has opcode 0x28",
        "0x00001000 begins no PM4 packet",
        "PM4 reads register 0xc099",
        "PM4 PRED_EXEC in a ring",
        "PM4 PRED_EXEC of 5 dwords, 0 are left in the indirect buffer",
        "PM4 WRITE_DATA of 7 dwords, 5 are left in the indirect buffer",
        "PM4 INDIRECT_BUFFER in a buffer that a buffer called",
    ]
    .into_iter()
    .enumerate()
    {
        assert!(
            text.lines().any(|line| line.starts_with(&format!("vgpu: queue {queue} stops: ")) && line.contains(what)),
            "{what}: {text}"
        );
    }
}

/// Whatever is in the ring, the queue works it off, waits or stops, and a GPU made anew works.
#[test]
fn random_streams() {
    let mut random = Random::new(5);
    for _ in 0..300 {
        let client = Client::new(None);
        let mut queue = client.pm4(1024);
        let memory = client.allocate(8192);
        let mut next = || random.below(u64::MAX) as u32;
        let mut dwords = Vec::new();
        while dwords.len() < 400 {
            let opcodes =
                [0x10, 0x15, 0x16, 0x1e, 0x37, 0x3c, 0x3f, 0x40, 0x46, 0x49, 0x50, 0x58, 0x76, 0x79, next() & 0xff];
            let opcode = opcodes[next() as usize % opcodes.len()];
            let lengths = [1, 3, 3, 4, 5, 6, 6, 7, 8];
            let body: Vec<u32> = (0..lengths[next() as usize % lengths.len()])
                .map(|_| match next() % 6 {
                    0 => low(memory) + next() % 8192,
                    1 => high(memory),
                    2 => next(),
                    _ => next() & next() & next(),
                })
                .collect();
            dwords.extend(packet(opcode, &body));
        }
        queue.submit(&dwords);
        std::thread::sleep(Duration::from_millis(1));
        client.engine.destroy_queue(queue.args.id).unwrap();
    }
    let client = Client::new(None);
    let to = client.allocate(4);
    run(&mut client.pm4(1024), &write(to, &[1]));
    assert_eq!(client.words(to, 1), [1]);
}

#[test]
fn waves_pass_a_semaphore_one_at_a_time() {
    const GROUPS: u32 = 600;
    let client = Client::new(None);
    let mut queue = client.pm4(1024);
    let code = |words: &[u32]| {
        let entry = client.allocate(4 * words.len() as u64 + 256);
        words.iter().zip(0..).for_each(|(word, i)| client.word(entry + 4 * i).store(*word, Ordering::Relaxed));
        entry
    };
    let init = code(&[
        0x7e00_0281, // v_mov_b32 v0, 1
        0xbefc_0080, // s_mov_b32 m0, 0
        0xd933_0005,
        0x0000_0000, // ds_gws_init v0 offset:5 gds
        0xbf8c_0000, // s_waitcnt 0
        0xbf81_0000, // s_endpgm
    ]);
    let count = code(&[
        0xbefc_0080, // s_mov_b32 m0, 0
        0xd939_0005,
        0x0000_0000, // ds_gws_sema_p offset:5 gds
        0xbf8c_0000, // s_waitcnt 0
        0xc003_0100,
        0x0000_0000, // s_load_dword s4, s[0:1], 0x0 glc
        0xbf8c_c07f, // s_waitcnt lgkmcnt(0)
        0xbf8e_0001, // s_sleep 1: others get their turn meanwhile
        0x8004_8104, // s_add_u32 s4, s4, 1
        0xc043_0100,
        0x0000_0000, // s_store_dword s4, s[0:1], 0x0 glc
        0xbf8c_c07f, // s_waitcnt lgkmcnt(0)
        0xd935_0005,
        0x0000_0000, // ds_gws_sema_v offset:5 gds
        0xbf81_0000, // s_endpgm
    ]);
    let counter = client.allocate(8);
    let dispatch = |entry, groups| [kernel(entry, counter), packet(DISPATCH_DIRECT, &[groups, 1, 1, 1])].concat();
    // 7 is CS_PARTIAL_FLUSH.
    run(&mut queue, &[dispatch(init, 1), flush(), dispatch(count, GROUPS)].concat());
    assert_eq!(client.words(counter, 1), [GROUPS]);
}
