//! `--caches`: a missing release, acquire or invalidation shows with every seed that keeps lines long enough, and a
//! correct program is never affected.

use super::client::{Client, Dispatch, HAND_OVER, LOOK_TWICE, STORE, barrier};
use super::{high, low};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

const SEEDS: u64 = 12;

/// What `program` comes to with many seeds, on clients that `with_caches` makes; each seed twice, which must not make a
/// difference.
fn results<T: Ord + std::fmt::Debug>(with_caches: fn(u64) -> Client, program: impl Fn(&Client) -> T) -> BTreeSet<T> {
    (0..SEEDS)
        .map(|seed| {
            let result = program(&with_caches(seed));
            assert_eq!(program(&with_caches(seed)), result, "seed {seed}");
            result
        })
        .collect()
}

/// The broken program (`false`) comes to `old` with some seeds, the correct one to `new` with all.
#[track_caller]
pub fn shown<T: Ord + std::fmt::Debug, P: Fn(&Client) -> T>(
    with_caches: fn(u64) -> Client,
    program: impl Fn(bool) -> P,
    old: T,
    new: T,
) {
    let broken = results(with_caches, program(false));
    assert!(broken.contains(&old), "without it: {broken:?}");
    assert_eq!(results(with_caches, program(true)), BTreeSet::from([new]), "with it");
}

pub fn word(client: &Client, address: u64) -> u32 {
    client.word(address).load(Ordering::Acquire)
}

pub fn set(client: &Client, address: u64, value: u32) {
    client.word(address).store(value, Ordering::Release);
}

/// Stores `value` at `out`.
fn store(client: &Client, out: u64, value: u64) -> Dispatch {
    Dispatch { items: 1, ..Dispatch::new(client.kernel(STORE), client.arguments(&[out, value])) }
}

/// Copies the word at `from` to `to`, past the L1.
fn copy(client: &Client, from: u64, to: u64) -> Dispatch {
    Dispatch { items: 1, ..Dispatch::new(client.kernel(HAND_OVER), client.arguments(&[from, to, 9, 0])) }
}

/// The host looks at what a kernel has written.
#[test]
fn kernels_that_release_too_little() {
    let program = |release| {
        move |client: &Client| {
            let out = client.allocate_cached(4);
            client.queue(16).run(Dispatch { release, ..store(client, out, 7) });
            word(client, out)
        }
    };
    for scope in [0, 1] {
        shown(Client::with_caches, |correct| program(if correct { 2 } else { scope }), 0, 7);
    }
}

/// A later packet may release for it: that is what runtimes do at the end of a batch.
#[test]
fn barriers_release_what_kernels_wrote() {
    let program = |correct: bool| {
        move |client: &Client| {
            let (out, done, queue) = (client.allocate_cached(4), client.signal(1), client.queue(16));
            queue.write(Dispatch { release: 0, ..store(client, out, 7) }.packet());
            let mut packet = barrier(3, true, &[], done);
            packet[0] |= if correct { 2 << 11 } else { 1 << 11 };
            queue.submit(packet);
            client.wait(done, 0);
            word(client, out)
        }
    };
    shown(Client::with_caches, program, 0, 7);
}

/// A kernel reads what the host has changed since an earlier one read it.
#[test]
fn kernels_that_acquire_too_little() {
    let program = |acquire| {
        move |client: &Client| {
            let (data, out, queue) = (client.allocate_cached(4), client.allocate(4), client.queue(16));
            set(client, data, 1);
            queue.run(copy(client, data, out));
            assert_eq!(word(client, out), 1);
            set(client, data, 2);
            queue.run(Dispatch { acquire, ..copy(client, data, out) });
            word(client, out)
        }
    };
    for scope in [0, 1] {
        shown(Client::with_caches, |correct| program(if correct { 2 } else { scope }), 1, 2);
    }
}

/// SDMA engines know nothing of the L2: what they copy must be released, and what they have written acquired.
#[test]
fn sdma_beside_the_l2() {
    let program = |release, acquire| {
        move |client: &Client| {
            let (from, to, out) = (client.allocate_cached(4), client.allocate_cached(4), client.allocate(4));
            let (queue, mut sdma) = (client.queue(16), client.sdma());
            // The L2 has both lines from here on.
            queue.run(copy(client, to, out));
            queue.run(Dispatch { acquire: 1, release, ..store(client, from, 7) });
            sdma.submit(&[1, 3, 0, low(from), high(from), low(to), high(to)]);
            sdma.wait();
            queue.run(Dispatch { acquire, ..copy(client, to, out) });
            word(client, out)
        }
    };
    shown(Client::with_caches, |correct| program(if correct { 2 } else { 1 }, 2), 0, 7);
    shown(Client::with_caches, |correct| program(2, if correct { 2 } else { 1 }), 0, 7);
}

/// Work-groups of other compute units: each of two L1s keeps what it has read.
#[test]
fn loads_without_invalidation() {
    let program = |invalidate| {
        move |client: &Client| {
            let (data, out) = (client.allocate_cached(4), client.allocate(8));
            let flags = client.allocate_cached(512);
            let kernarg = client.arguments(&[data, out, flags, u64::from(invalidate)]);
            client.queue(16).run(Dispatch { groups: 2, ..Dispatch::new(client.kernel(LOOK_TWICE), kernarg) });
            (word(client, out), word(client, out + 4))
        }
    };
    shown(Client::with_caches, program, (0, 0), (7, 7));
}

/// What is uncached needs none of it.
#[test]
fn uncached_memory_is_coherent() {
    let results = results(Client::with_caches, |client| {
        let (data, out, queue) = (client.allocate(4), client.allocate(4), client.queue(16));
        let mut seen = Vec::new();
        for value in 1..4 {
            set(client, data, value);
            queue.run(Dispatch { acquire: 0, release: 0, ..copy(client, data, out) });
            seen.push(word(client, out));
        }
        seen
    });
    assert_eq!(results, BTreeSet::from([vec![1, 2, 3]]));
}

/// What the GPU has written is in memory once it is unmapped, and what it read is not kept for what is mapped there
/// next.
#[test]
fn unmapping_writes_back() {
    let results = results(Client::with_caches, |client| {
        let (page, queue) = (client.allocate_cached(8192).next_multiple_of(4096), client.queue(16));
        queue.run(Dispatch { release: 1, ..store(client, page, 7) });
        client.gpu.space.unmap(page, 4096);
        word(client, page)
    });
    assert_eq!(results, BTreeSet::from([7]));
}

/// PM4 asks for each by itself.
#[test]
fn pm4_releases_and_acquires() {
    let program = |correct: bool| {
        move |client: &Client| {
            let (data, out, queue) = (client.allocate_cached(4), client.allocate(4), client.queue(16));
            let run = |dispatch: Dispatch| queue.run(Dispatch { acquire: 1, release: 1, ..dispatch });
            let (mut pm4, fence) = (client.pm4(1024), client.allocate(4));
            let release = if correct { 1 << 15 } else { 0 };
            let acquire = if correct { 1 << 23 | 1 << 18 } else { 1 << 22 };
            run(store(client, data, 7));
            pm4.submit(&[0xc006_4900, 0x514 | release, 1 << 29, low(fence), high(fence), 1, 0, 0]);
            client.wait_for("fence", || word(client, fence) == 1);
            let seen = word(client, data);
            set(client, data, 8);
            pm4.submit(&[0xc005_5800, acquire, u32::MAX, 0xff, 0, 0, 0]);
            pm4.wait();
            run(copy(client, data, out));
            (seen, word(client, out))
        }
    };
    shown(Client::with_caches, program, (0, 7), (7, 8));
}
