//! Packets at the edge of what is valid.

use super::client::{Client, Dispatch, STORE, barrier};
use super::{high, low};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Whether an SDMA queue that gets `dwords` stops there, without consuming them or storing anything at `word`.
#[track_caller]
fn sdma_stops(client: &Client, dwords: &[u32], word: u64) {
    let mut sdma = client.sdma();
    sdma.submit(dwords);
    let before = sdma.consumed();
    sdma.submit(&[5, low(word), high(word), 1]);
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!((sdma.consumed(), client.words(word, 1)[0]), (before, 0), "{dwords:#x?}");
    client.engine.destroy_queue(sdma.args.id).unwrap();
}

#[test]
fn sdma_stops_at_what_it_does_not_serve() {
    let client = Client::new(None);
    let (from, to) = (client.allocate(256), client.allocate(256));
    let copy = |header, swap| [header, 3, swap, low(from), high(from), low(to), high(to)];
    client.word(from).store(9, Ordering::Relaxed);
    // A poll of a register that nobody has.
    sdma_stops(&client, &[8 | 3 << 28, 0x1234, 0, 0, u32::MAX, 0xfff << 16], to);
    // COND_EXE, and what newer engines have.
    sdma_stops(&client, &[9, low(from), high(from), 9, 4], to);
    sdma_stops(&client, &[17 | 1 << 8, 0, 0, 0, 0], to);
    for (header, swap) in [(1 | 1 << 16, 0), (1 | 1 << 18, 0), (1, 1 << 16), (1, 1 << 24)] {
        sdma_stops(&client, &copy(header, swap), to);
    }
    // A fence of four dwords in an indirect buffer of three.
    let buffer = client.allocate(256);
    for (index, dword) in [5, low(to), high(to), 7].into_iter().enumerate() {
        client.word(buffer + 4 * index as u64).store(dword, Ordering::Relaxed);
    }
    sdma_stops(&client, &[4, low(buffer), high(buffer), 3, 0, 0], to);
}

/// As ROCr asks for it: the bytes of all dwords but one.
#[test]
fn sdma_fills_the_last_dword_whole() {
    let client = Client::new(None);
    let mut sdma = client.sdma();
    let to = client.allocate(64);
    sdma.submit(&[11 | 2 << 30, low(to), high(to), 0x1234_5678, (10 - 1) * 4]);
    sdma.wait();
    assert_eq!(client.words(to, 11), [&[0x1234_5678; 10][..], &[0]].concat());
}

/// Signals at addresses that no memory can be at are memory faults.
#[test]
fn signals_at_the_end_of_the_address_space() {
    for signal in [u64::MAX, u64::MAX - 15, 1 << 47] {
        for packet in [barrier(3, false, &[signal], 0), barrier(5, false, &[signal], 0), barrier(3, false, &[], signal)]
        {
            let client = Client::new(None);
            client.queue(16).submit(packet);
            assert!(client.memory_fault().1.not_present, "{packet:#x?}");
        }
    }
}

/// An indirect buffer of PM4 with these dwords.
fn pm4(client: &Client, dwords: &[u32], count: u64) -> [u64; 8] {
    let buffer = client.allocate(256);
    for (index, dword) in dwords.iter().enumerate() {
        client.word(buffer + 4 * index as u64).store(*dword, Ordering::Relaxed);
    }
    [1 << 16 | 0xc002_3f00 << 32, buffer, count | 1 << 23 | 0xa << 32, 0, 0, 0, 0, 0]
}

#[test]
fn pm4_that_rocr_sends_and_does_not() {
    let client = Client::new(None);
    let acquire = [0xc005_5800, 0x2884_0000, u32::MAX, 0xff, 0, 0, 0];
    let queue = client.queue(16);
    let done = client.signal(1);
    let mut packet = pm4(&client, &[&acquire[..], &[0xc000_1000, 0, 0xffff_1000, 0x8000_0000]].concat(), 11);
    packet[7] = done;
    queue.submit(packet);
    client.wait(done, 0);
    for (what, dwords, count) in [
        ("cut off", &acquire[..], 6),
        ("the length of another chip", &[0xc006_5800, 0, 0, 0, 0, 0, 0, 0], 8),
        ("WRITE_DATA to GDS", &[0xc003_3700, 3 << 8, 0, 0, 7], 5),
        ("CLEAR_STATE", &[0xc000_1200, 0], 2),
        ("type 0", &[0x0000_1000, 0], 2),
    ] {
        let queue = client.queue(16);
        queue.submit(pm4(&client, dwords, count));
        assert_eq!(queue.reported(), 0x100, "{what}");
    }
}

/// Every condition, with signed values, equal ones and a mask.
#[test]
fn barrier_value_conditions() {
    let client = Client::new(None);
    let queue = client.queue(16);
    let minus = |value: i64| value as u64;
    // Value of the signal, operand, mask, and whether eq, ne, lt, gte hold.
    for (value, operand, mask, holds) in [
        (5, 5, u64::MAX, [true, false, false, true]),
        (4, 5, u64::MAX, [false, true, true, false]),
        (minus(-1), 5, u64::MAX, [false, true, true, false]),
        (6, minus(-3), u64::MAX, [false, true, false, true]),
        (0x1234, 0x34, 0xff, [true, false, false, true]),
        (minus(-1), 0xf, 0xf, [true, false, false, true]),
    ] {
        for (condition, holds) in holds.into_iter().enumerate() {
            let (watched, done) = (client.signal(value), client.signal(1));
            queue.submit([2 << 16, watched, operand, mask, condition as u64, 0, 0, done]);
            if !holds {
                std::thread::sleep(Duration::from_millis(2));
                assert_eq!(client.value(done), 1, "{value:#x} {operand:#x} {mask:#x} {condition}");
                // What makes each condition true.
                let other = match condition {
                    0 | 3 => operand,
                    1 => operand.wrapping_add(1),
                    _ => operand.wrapping_sub(1),
                };
                client.quad(watched + 8).store(other, Ordering::Release);
            }
            client.wait(done, 0);
        }
    }
}

/// The smallest ring that there is, and a large one, several times around.
#[test]
fn rings_of_all_sizes_wrap() {
    let client = Client::new(None);
    for (packets, count) in [(16, 100), (1 << 14, (1 << 14) + 5)] {
        let queue = client.queue(packets);
        let done = client.signal(count);
        for index in 0..count {
            queue.submit(barrier(3, index % 3 == 0, &[], done));
        }
        client.wait(done, 0);
        assert_eq!(client.quad(queue.args.read_pointer).load(Ordering::Acquire), count);
        assert!(
            (0..packets)
                .all(|slot| client.word(queue.args.ring + 64 * u64::from(slot)).load(Ordering::Relaxed) & 0xffff == 1)
        );
    }
}

/// A queue that needs private memory and has no signal to ask by stops; it does not take the others with it.
#[test]
fn private_memory_without_anybody_to_ask() {
    let client = Client::new(None);
    let (mute, other) = (client.queue(16), client.queue(16));
    client.quad(mute.args.read_pointer - 0x80 + 0xc0).store(0, Ordering::Relaxed);
    let store = Dispatch::new(client.kernel(STORE), client.arguments(&[client.allocate(256), 1]));
    let completion = client.signal(1);
    mute.submit(Dispatch { private: 16, completion, ..store }.packet());
    std::thread::sleep(Duration::from_millis(5));
    other.run(store);
    assert_eq!(client.value(completion), 1);
}
