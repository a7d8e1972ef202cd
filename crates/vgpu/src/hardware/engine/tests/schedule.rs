//! `--schedule`: some seed exposes each kind of missing synchronisation, no seed breaks a correct program, and a seed
//! repeats its order.

use super::client::{COUNT, Client, Dispatch, HAND_OVER, Queue, STORE, barrier};
use crate::hardware::engine::Options;
use crate::hardware::schedule::Schedule;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

const SEEDS: u64 = 48;

/// What `program` comes to with many seeds; each seed twice, which must not make a difference.
fn results(program: impl Fn(&Client) -> u32) -> BTreeSet<u32> {
    (0..SEEDS)
        .map(|seed| {
            let result = program(&Client::new(Some(seed)));
            assert_eq!(program(&Client::new(Some(seed))), result, "seed {seed}");
            result
        })
        .collect()
}

/// `broken` comes to any of `possible`, `correct` to the last of them only.
#[track_caller]
fn shown<P: Fn(&Client) -> u32>(program: impl Fn(bool) -> P, possible: &[u32]) {
    assert_eq!(results(program(false)), possible.iter().copied().collect(), "without synchronisation");
    assert_eq!(results(program(true)), possible.last().copied().into_iter().collect(), "with synchronisation");
}

fn store(client: &Client, out: u64, value: u64) -> Dispatch {
    Dispatch { items: 1, ..Dispatch::new(client.kernel(STORE), client.arguments(&[out, value])) }
}

fn word(client: &Client, address: u64) -> u32 {
    client.word(address).load(Ordering::Acquire)
}

/// Two packets store to the same word; the second has a barrier bit, or not.
#[test]
fn packets_without_barrier_bit() {
    let program = |barrier| {
        move |client: &Client| {
            let (queue, out, done) = (client.queue(16), client.allocate(4), client.signal(2));
            queue.write(Dispatch { completion: done, ..store(client, out, 1) }.packet());
            queue.submit(Dispatch { completion: done, barrier, ..store(client, out, 2) }.packet());
            client.wait(done, 0);
            word(client, out)
        }
    };
    shown(program, &[1, 2]);
}

/// Two queues store to the same word; the second waits for the first one's signal, or not.
#[test]
fn queues_without_signal() {
    let program = |synchronised| {
        move |client: &Client| {
            let (first, second, starter) = (client.queue(16), client.queue(16), client.queue(16));
            let (out, done) = (client.allocate(4), client.signal(1));
            let (start, stored) = (client.signal(1), client.signal(1));
            let submit = |queue: &Queue, dependencies: &[u64], dispatch: Dispatch| {
                queue.write(barrier(3, false, dependencies, 0));
                queue.submit(Dispatch { barrier: true, ..dispatch }.packet());
            };
            submit(&first, &[start], Dispatch { completion: stored, ..store(client, out, 1) });
            let dependencies = [start, stored];
            let dependencies = if synchronised { &dependencies[..] } else { &dependencies[..1] };
            submit(&second, dependencies, Dispatch { completion: done, ..store(client, out, 2) });
            // Which of the three doorbells the engine sees first is the host's doing, not the seed's: the last comes
            // after a whole look at the others, which a change of a queue waits for.
            client.engine.set_cu_mask(starter.args.id, &[u32::MAX; 4]).unwrap();
            starter.submit(barrier(3, false, &[], start));
            client.wait(done, 0);
            client.wait(stored, 0);
            word(client, out)
        }
    };
    shown(program, &[1, 2]);
}

/// A schedule that ends leaves no work-group out and runs none twice; none at all is the usual order, and all turns are
/// the seed's.
#[test]
fn schedules_that_end() {
    let run = |schedule| {
        let client = Client::with(Options { schedule, ..Options::default() });
        let counter = client.allocate(4);
        let kernarg = client.arguments(&[counter, 1]);
        client.queue(16).run(Dispatch { groups: 9, items: 128, ..Dispatch::new(client.kernel(COUNT), kernarg) });
        word(&client, counter)
    };
    let whole = run(None);
    for turns in 0..60 {
        assert_eq!(run(Some(Schedule { seed: 3, turns: Some(turns) })), whole, "{turns} turns");
    }
    // A load and a store that another wave comes between, in few turns or in none.
    let lost = |turns| {
        let client = Client::with(Options { schedule: Some(Schedule { seed: 5, turns }), ..Options::default() });
        let counter = client.allocate(4);
        let kernarg = client.arguments(&[counter, 0]);
        client.queue(16).run(Dispatch { groups: 2, items: 64, ..Dispatch::new(client.kernel(COUNT), kernarg) });
        word(&client, counter)
    };
    assert_eq!(lost(Some(0)), 2, "in the usual order each work-group ends in one turn");
    assert_eq!(lost(Some(1 << 40)), lost(None));
}

/// One of two parties hands a value to the other: `groups` work-groups of `items` work-items.
fn hand_over(groups: u32, items: u16, producer: u64, mode: u64) -> impl Fn(&Client) -> u32 {
    move |client| {
        let (data, out) = (client.allocate(4), client.allocate(4));
        let kernarg = client.arguments(&[data, out, producer, mode]);
        client.queue(16).run(Dispatch { groups, items, ..Dispatch::new(client.kernel(HAND_OVER), kernarg) });
        word(client, out)
    }
}

#[test]
fn waves_without_barrier() {
    for producer in [0, 1] {
        shown(|synchronised| hand_over(1, 128, producer, u64::from(synchronised)), &[0, 7]);
    }
}

#[test]
fn work_groups_without_waiting() {
    for producer in [0, 1] {
        shown(|synchronised| hand_over(2, 64, producer, if synchronised { 2 } else { 0 }), &[0, 7]);
    }
}

/// An increment that is not atomic is interrupted between its load and its store, in short kernels too.
#[test]
fn increments_that_are_not_atomic() {
    for (groups, items) in [(1, 128), (2, 64)] {
        let program = |atomic| {
            move |client: &Client| {
                let counter = client.allocate(4);
                let kernarg = client.arguments(&[counter, u64::from(atomic)]);
                client.queue(16).run(Dispatch { groups, items, ..Dispatch::new(client.kernel(COUNT), kernarg) });
                word(client, counter)
            }
        };
        shown(program, &[1, 2]);
    }
}

/// A copy by SDMA and a kernel that reads what it copies.
#[test]
fn sdma_without_signal() {
    let program = |synchronised| {
        move |client: &Client| {
            let (queue, starter) = (client.queue(16), client.queue(16));
            let mut sdma = client.sdma();
            let (start, done, copied) = (client.signal(1), client.signal(1), client.signal(1));
            let out = client.allocate(4);
            let split = |address: u64| (address as u32, (address >> 32) as u32);
            let ((start_low, high), (out_low, out_high)) = (split(start + 8), split(out));
            let (copied_low, copied_high) = split(copied + 8);
            // Wait for the start, store 1, decrement the signal.
            sdma.submit(
                &[
                    [8 | 3 << 28 | 1 << 31, start_low, high, 0, u32::MAX, 0xfff << 16].as_slice(),
                    &[2, out_low, out_high, 0, 1],
                    &[10 | 47 << 25, copied_low, copied_high, u32::MAX, u32::MAX, 0, 0, 0],
                ]
                .concat(),
            );
            let dependencies = [start, copied];
            queue.write(barrier(3, false, if synchronised { &dependencies } else { &dependencies[..1] }, 0));
            queue.submit(Dispatch { barrier: true, completion: done, ..store(client, out, 2) }.packet());
            client.engine.set_cu_mask(starter.args.id, &[u32::MAX; 4]).unwrap();
            starter.submit(barrier(3, false, &[], start));
            client.wait(done, 0);
            client.wait(copied, 0);
            word(client, out)
        }
    };
    shown(program, &[1, 2]);
}

/// The second packet stores to the arguments of the first, as if they were there for the next launch; it waits until
/// the first is over, or not.
#[test]
fn arguments_that_are_used_again_too_early() {
    let program = |barrier| {
        move |client: &Client| {
            let (queue, out, done) = (client.queue(16), client.allocate(4), client.signal(2));
            let first = store(client, out, 1);
            queue.write(Dispatch { completion: done, ..first }.packet());
            queue.submit(Dispatch { completion: done, barrier, ..store(client, first.kernarg + 8, 2) }.packet());
            client.wait(done, 0);
            word(client, out)
        }
    };
    shown(program, &[2, 1]);
}

/// Two packets complete the same signal, by which a third, of another queue, wants to know that the second one is over;
/// or each its own.
#[test]
fn a_completion_signal_that_is_used_again_too_early() {
    let program = |own| {
        move |client: &Client| {
            let (producer, consumer, starter) = (client.queue(16), client.queue(16), client.queue(16));
            let (start, first, done) = (client.signal(1), client.signal(1), client.signal(1));
            let second = if own { client.signal(1) } else { first };
            let (other, data, out) = (client.allocate(4), client.allocate(4), client.allocate(4));
            producer.write(barrier(3, false, &[start], 0));
            producer.write(Dispatch { barrier: true, completion: first, ..store(client, other, 1) }.packet());
            producer.submit(Dispatch { completion: second, ..store(client, data, 2) }.packet());
            consumer.write(barrier(3, false, &[start], 0));
            // AMD's BARRIER_VALUE: until the signal is less than 1.
            consumer.write([2 << 16, second, 1, u64::MAX, 2, 0, 0, 0]);
            let copy = Dispatch::new(client.kernel(HAND_OVER), client.arguments(&[data, out, 9, 0]));
            consumer.submit(Dispatch { items: 1, barrier: true, completion: done, ..copy }.packet());
            client.engine.set_cu_mask(starter.args.id, &[u32::MAX; 4]).unwrap();
            starter.submit(barrier(3, false, &[], start));
            client.wait(done, 0);
            word(client, out)
        }
    };
    shown(program, &[0, 2]);
}
