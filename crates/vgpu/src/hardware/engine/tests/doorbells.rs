//! Packets that wait for their doorbells, and doorbells that arrive late.

use super::client::{APPEND, Client, Dispatch, Queue, STORE, barrier};
use super::in_own_process;
use crate::hardware::engine::Options;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

const SKIP: &str = "this kernel does not tell which thread stores to write-protected shared memory (userfaultfd)";

/// Writes three packets, of which the last completes `done`, and rings for one of them.
fn batch(queue: &Queue<'_>, done: u64, rung: u64) {
    let first = queue.write(barrier(3, false, &[], 0));
    queue.write(barrier(3, false, &[], 0));
    queue.write(barrier(3, false, &[], done));
    queue.client.ring_doorbell(queue.args.doorbell, first + rung);
}

/// Whether the rest of a batch waits after a doorbell for its first packet. The doorbell may by chance be seen so late
/// that another could have been overwritten: then the batch runs.
fn waits(client: &Client) -> bool {
    let queue = client.queue(64);
    (0..100).any(|_| {
        let done = client.signal(1);
        batch(&queue, done, 0);
        std::thread::sleep(Duration::from_millis(10));
        let waits = client.value(done) == 1;
        if waits {
            let read = client.quad(queue.args.read_pointer).load(Ordering::Acquire);
            let written = client.quad(queue.args.write_pointer).load(Ordering::Acquire);
            assert_eq!(read, written - 2, "only the first packet is over");
            client.ring_doorbell(queue.args.doorbell, written - 1);
            client.wait(done, 0);
        }
        waits
    })
}

#[test]
fn a_batch_rung_for_its_first_packet_waits() {
    let Some(client) = Client::strict() else { test_skip::skip!("{SKIP}") };
    assert!(waits(&client));
}

#[test]
fn without_strict_doorbells_it_does_not_wait() {
    let client = Client::new(None);
    assert!(!waits(&client));
}

#[test]
fn a_batch_rung_for_its_last_packet_runs() {
    let Some(client) = Client::strict() else { test_skip::skip!("{SKIP}") };
    let queue = client.queue(16);
    for _ in 0..200 {
        let done = client.signal(1);
        batch(&queue, done, 2);
        client.wait(done, 0);
    }
    let (from, to) = (client.allocate(64), client.allocate(64));
    client.word(from).store(7, Ordering::Relaxed);
    let mut sdma = client.sdma();
    sdma.submit(&[1, 3, 0, from as u32, (from >> 32) as u32, to as u32, (to >> 32) as u32]);
    sdma.wait();
    assert_eq!(client.words(to, 1), [7]);
}

/// Producers that overwrite each other's doorbells are right programs.
#[test]
fn several_producers_lose_no_packet() {
    const THREADS: u64 = 4;
    const EACH: u64 = 100;
    let Some(client) = Client::strict() else { test_skip::skip!("{SKIP}") };
    let queue = client.queue(64);
    for _ in 0..10 {
        let (counter, out) = (client.allocate(4), client.allocate(4 * THREADS * EACH));
        let kernarg = client.arguments(&[counter, out, 3]);
        let packet = Dispatch {
            items: 1,
            completion: client.signal(THREADS * EACH),
            ..Dispatch::new(client.kernel(APPEND), kernarg)
        };
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    (0..EACH).for_each(|_| {
                        queue.submit(packet.packet());
                    })
                });
            }
        });
        // Each round ends without another doorbell to help.
        client.wait(packet.completion, 0);
        assert!(client.words(out, THREADS * EACH).iter().all(|&word| word == 3));
    }
}

#[test]
fn what_waits_for_a_doorbell_is_named() {
    let output = in_own_process("doorbells::what_waits_for_a_doorbell_is_named", || {
        let Some(client) = Client::strict() else { return eprintln!("{SKIP}") };
        let queue = client.queue(16);
        queue.run(Dispatch::new(client.kernel(STORE), client.arguments(&[client.allocate(256), 1])));
        queue.write(barrier(3, false, &[], 0));
        queue.write(barrier(3, false, &[], 0));
        std::thread::sleep(Duration::from_secs(2));
        assert_eq!(client.quad(queue.args.read_pointer).load(Ordering::Acquire), 1);
    });
    let Some(output) = output else { return };
    let text = String::from_utf8_lossy(&output.stderr);
    if text.contains(SKIP) {
        test_skip::skip!("{SKIP}");
    }
    assert!(output.status.success(), "{text}");
    let said = "vgpu: queue 0: packets 1 to 2 wait for a doorbell at or past them; the furthest that rang is 0; on hardware they wait for ever\n";
    assert_eq!(text.matches(said).count(), 1, "{text}");
}

/// Which of two threads' doorbells came last may be unknown, so their queue is not held up for ever.
#[test]
fn a_queue_that_several_threads_ring_goes_on_after_a_while() {
    let Some(client) = Client::strict() else { test_skip::skip!("{SKIP}") };
    let queue = client.queue(16);
    for _ in 0..2 {
        let done = client.signal(1);
        std::thread::scope(|scope| scope.spawn(|| queue.submit(barrier(3, false, &[], done))).join()).unwrap();
        client.wait(done, 0);
    }
    let done = client.signal(1);
    batch(&queue, done, 0);
    client.wait(done, 0);
}

/// 200 doorbells, each rung when the last one's packet is done, take 100 ms with delays of half a millisecond on
/// average. No time is asked for below that of the packets alone, so a slow machine makes no difference.
#[test]
fn doorbells_that_are_late_cost_their_delays_and_lose_no_packet() {
    let client = Client::with(Options { bugs: "late-doorbells".parse().unwrap(), ..Options::default() });
    let queue = client.queue(16);
    let start = Instant::now();
    for _ in 0..200 {
        let done = client.signal(1);
        queue.submit(barrier(3, false, &[], done));
        client.wait(done, 0);
    }
    assert!(start.elapsed() > Duration::from_millis(60), "{:?}", start.elapsed());
    let (from, to) = (client.allocate(64), client.allocate(4 * 64));
    let mut sdma = client.sdma();
    for place in 0..64 {
        client.word(from).store(place + 1, Ordering::Relaxed);
        let to = to + 4 * u64::from(place);
        sdma.submit(&[1, 3, 0, from as u32, (from >> 32) as u32, to as u32, (to >> 32) as u32]);
        sdma.wait();
    }
    assert_eq!(client.words(to, 64), (1..=64).collect::<Vec<u32>>());
}

/// Packets of several producers, whose doorbells are merged on their way.
#[test]
fn several_producers_lose_no_packet_by_late_doorbells() {
    const EACH: u64 = 50;
    let bugs = "late-doorbells".parse().unwrap();
    for strict_doorbells in [false, true] {
        let client = Client::with(Options { bugs, strict_doorbells, ..Options::default() });
        let queue = client.queue(64);
        let (counter, out) = (client.allocate(4), client.allocate(4 * 3 * EACH));
        let kernarg = client.arguments(&[counter, out, 3]);
        let completion = client.signal(3 * EACH);
        let packet = Dispatch { items: 1, completion, ..Dispatch::new(client.kernel(APPEND), kernarg) };
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| (0..EACH).for_each(|_| _ = queue.submit(packet.packet())));
            }
        });
        client.wait(completion, 0);
        assert!(client.words(out, 3 * EACH).iter().all(|&word| word == 3), "strict: {strict_doorbells}");
    }
}
