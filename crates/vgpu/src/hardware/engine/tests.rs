//! Tests of the engines with a client that uses them directly.

mod caches;
mod client;
mod doorbells;
mod l2;
mod memory_faults;
mod pm4;
mod retry_faults;
mod schedule;
mod strict;
mod traps;
mod units;
mod xccs;

use super::Options;
use super::queue::Progress;
use super::sdma::SdmaQueue;
use crate::errno::Errno;
use crate::hardware::doorbells::{Doorbell, Protection};
use client::{APPEND, Client, Dispatch, MEET, SCRATCH, SPIN, STORE, barrier};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

fn low(address: u64) -> u32 {
    address as u32
}

fn high(address: u64) -> u32 {
    (address >> 32) as u32
}

#[test]
fn a_dispatch_stores_and_completes() {
    let client = Client::new(None);
    let queue = client.queue(16);
    let out = client.allocate(4 * 64 * 300);
    let completion = client.signal(1);
    let kernarg = client.arguments(&[out, 7]);
    queue.submit(Dispatch { groups: 300, completion, ..Dispatch::new(client.kernel(STORE), kernarg) }.packet());
    client.wait(completion, 0);
    assert!(client.words(out, 64 * 300).iter().all(|&word| word == 7));
    let (start, end) =
        (client.quad(completion + 32).load(Ordering::Relaxed), client.quad(completion + 40).load(Ordering::Relaxed));
    assert!(0 < start && start <= end && end <= crate::hardware::clock::gpu_ticks());
    assert_eq!(client.quad(queue.args.read_pointer).load(Ordering::Relaxed), 1);
    assert_eq!(client.word(queue.args.ring).load(Ordering::Relaxed) & 0xffff, 1, "the header is INVALID again");
}

#[test]
fn a_signal_of_no_event_raises_none() {
    let client = Client::new(None);
    let queue = client.queue(16);
    let mailbox = client.allocate(8);
    let complete = |event_id| {
        let (signal, last) = (client.signal(1), client.signal(1));
        client.quad(signal + 16).store(mailbox, Ordering::Relaxed);
        client.word(signal + 24).store(event_id, Ordering::Relaxed);
        queue.submit(barrier(3, true, &[], signal));
        // Packets end one after another, each with its interrupt.
        queue.submit(barrier(3, true, &[], last));
        client.wait(last, 0);
        client.raised.events()
    };
    assert_eq!(complete(0), []);
    assert_eq!(client.quad(mailbox).load(Ordering::Relaxed), 0);
    assert_eq!(complete(7), [7]);
    assert_eq!(client.quad(mailbox).load(Ordering::Relaxed), 7);
}

#[test]
fn partial_work_groups_store_their_items_only() {
    let client = Client::new(None);
    let queue = client.queue(16);
    let out = client.allocate(4 * 128);
    let mut packet = Dispatch::new(client.kernel(STORE), client.arguments(&[out, 9])).packet();
    packet[1] = 1 | 70 << 32;
    let completion = client.signal(1);
    packet[7] = completion;
    queue.submit(packet);
    client.wait(completion, 0);
    let words = client.words(out, 128);
    assert!(words[..70].iter().all(|&w| w == 9) && words[70..].iter().all(|&w| w == 0));
}

/// A dispatch that is over sooner than a helper would wake does not wake one, which the host might schedule late.
#[test]
fn small_dispatches_wake_no_helper() {
    let helpers = std::thread::available_parallelism().unwrap().get() - 1;
    if helpers == 0 {
        test_skip::skip!("with one CPU there are no helpers")
    }
    const LARGE: u32 = 2000;
    let client = Client::new(None);
    let queue = client.queue(16);
    let out = client.allocate(4 * 64 * u64::from(LARGE));
    let kernel = client.kernel(STORE);
    let run = |groups, value| {
        queue.run(Dispatch { groups, ..Dispatch::new(kernel, client.arguments(&[out, value])) });
        assert!(client.words(out, 64 * u64::from(groups)).iter().all(|&word| u64::from(word) == value));
    };
    // The first one makes them.
    run(1, 1);
    client.wait_for("sleeping helpers", || client.engine.work.helpers().0 == helpers);
    let (_, woken) = client.engine.work.helpers();
    (2..50).for_each(|value| run(2, value));
    assert_eq!(client.engine.work.helpers().1, woken);
    run(LARGE, 50);
    assert!(client.engine.work.helpers().1 > woken);
}

/// Runs `append` three times with values 1, 2, 3, with a barrier bit as told, and returns the order of the results.
fn append_three(seed: u64, with_barrier: bool) -> Vec<u32> {
    append_three_after(Duration::ZERO, seed, with_barrier)
}

/// The same with a pause before the doorbell.
fn append_three_after(pause: Duration, seed: u64, with_barrier: bool) -> Vec<u32> {
    let client = Client::new(Some(seed));
    let queue = client.queue(16);
    let (counter, out) = (client.allocate(4), client.allocate(64));
    let kernel = client.kernel(APPEND);
    let last = client.signal(3);
    for value in 1..=3 {
        let kernarg = client.arguments(&[counter, out, value]);
        queue.write(Dispatch { barrier: with_barrier, completion: last, ..Dispatch::new(kernel, kernarg) }.packet());
    }
    std::thread::sleep(pause);
    client.ring_doorbell(queue.args.doorbell, 2);
    client.wait(last, 0);
    client.words(out, 3)
}

#[test]
fn packets_without_barrier_bit_come_in_every_order() {
    let mut orders: Vec<Vec<u32>> = (0..200).map(|seed| append_three(seed, false)).collect();
    orders.sort();
    orders.dedup();
    assert_eq!(orders.len(), 6, "{orders:?}");
}

#[test]
fn the_barrier_bit_keeps_packets_in_order() {
    assert!((0..40).all(|seed| append_three(seed, true) == [1, 2, 3]));
}

#[test]
fn a_seed_gives_the_same_order_again() {
    for seed in 0..60 {
        let order = append_three(seed, false);
        // Whenever the doorbell rings.
        for pause in [0, 100, 3000] {
            assert_eq!(append_three_after(Duration::from_micros(pause), seed, false), order, "seed {seed}");
        }
    }
}

#[test]
fn barrier_packets_wait_for_signals() {
    let client = Client::new(None);
    let queue = client.queue(16);
    let (a, b) = (client.signal(1), client.signal(1));
    let (both, either) = (client.signal(1), client.signal(1));
    queue.submit(barrier(5, true, &[a, 0, b], either));
    queue.submit(barrier(3, true, &[0, a, b], both));
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!((client.value(either), client.value(both)), (1, 1));
    client.quad(b + 8).store(0, Ordering::Release);
    client.wait(either, 0);
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(client.value(both), 1);
    client.quad(a + 8).store(0, Ordering::Release);
    client.wait(both, 0);
}

#[test]
fn barrier_value_compares_masked() {
    let client = Client::new(None);
    let queue = client.queue(16);
    let (watched, done) = (client.signal(0xff00), client.signal(1));
    // Wait until (value & 0xff) >= 5.
    queue.submit([2 << 16, watched, 5, 0xff, 3, 0, 0, done]);
    std::thread::sleep(Duration::from_millis(10));
    assert_eq!(client.value(done), 1);
    client.quad(watched + 8).store(0xff05, Ordering::Release);
    client.wait(done, 0);
}

#[test]
fn queues_depend_on_each_other() {
    let client = Client::new(None);
    let (first, second) = (client.queue(16), client.queue(16));
    let out = client.allocate(256);
    let kernel = client.kernel(STORE);
    let (one, two) = (client.signal(1), client.signal(1));
    // Submitted in the wrong order: the second queue waits for the first one's dispatch, then overwrites.
    second.submit(barrier(3, false, &[one], 0));
    second.submit(
        Dispatch { barrier: true, completion: two, ..Dispatch::new(kernel, client.arguments(&[out, 2])) }.packet(),
    );
    first.submit(Dispatch { completion: one, ..Dispatch::new(kernel, client.arguments(&[out, 1])) }.packet());
    client.wait(two, 0);
    assert!(client.words(out, 64).iter().all(|&word| word == 2));
}

#[test]
fn work_groups_that_wait_for_each_other_all_run() {
    for seed in [None, Some(1), Some(2)] {
        let client = Client::new(seed);
        let queue = client.queue(16);
        let counter = client.allocate(4);
        let kernarg = client.arguments(&[counter, 480]);
        queue.run(Dispatch { groups: 480, ..Dispatch::new(client.kernel(MEET), kernarg) });
        assert_eq!(client.word(counter).load(Ordering::Relaxed), 480);
    }
}

#[test]
fn dispatches_of_two_queues_that_wait_for_each_other_both_run() {
    let client = Client::new(None);
    let counter = client.allocate(4);
    let kernel = client.kernel(MEET);
    let done = client.signal(2);
    let queues = [client.queue(16), client.queue(16)];
    for queue in &queues {
        let kernarg = client.arguments(&[counter, 8]);
        queue.submit(Dispatch { groups: 4, completion: done, ..Dispatch::new(kernel, kernarg) }.packet());
    }
    client.wait(done, 0);
}

#[test]
fn errors_stop_the_queue_and_are_reported() {
    let client = Client::new(None);
    let store = Dispatch::new(client.kernel(STORE), client.arguments(&[client.allocate(256), 1]));
    let mut no_dimensions = store.packet();
    no_dimensions[0] &= !(3 << 16);
    let greedy = client.kernel(STORE);
    client.word(greedy + 48).store(31, Ordering::Relaxed);
    let many_registers = Dispatch { kernel: greedy, items: 1024, ..store }.packet();
    let grid = |x: u64, y: u64, z: u64| {
        let mut packet = Dispatch { items: 1, ..store }.packet();
        (packet[1], packet[2]) = (1 | x << 32, y | z << 32);
        packet
    };
    let mut impossible = Dispatch { private: u32::MAX, items: u16::MAX, ..store }.packet();
    (impossible[0], impossible[1]) = (impossible[0] | 0xffff << 48, impossible[1] | 0xffff);
    let cases: [(&str, [u64; 8], u64); 12] = [
        ("no dimensions", no_dimensions, 0x2),
        ("empty grid", Dispatch { groups: 0, ..store }.packet(), 0x2),
        ("more than 2^64 work-groups", grid(0xffff_ffff, 0xffff_ffff, 0xffff_ffff), 0x2),
        ("2^64 work-groups", grid(1 << 31, 1 << 31, 4), 0x2),
        ("private memory of 2^80 bytes", impossible, 0x40),
        ("LDS", Dispatch { lds: 65537, ..store }.packet(), 0x4),
        ("no kernel object", Dispatch { kernel: 0, ..store }.packet(), 0x8),
        ("agent dispatch", [4, 0, 0, 0, 0, 0, 0, 0], 0x20),
        ("packet type", [0x42, 0, 0, 0, 0, 0, 0, 0], 0x20),
        ("work-group", Dispatch { items: 1025, ..store }.packet(), 0x40),
        ("registers", many_registers, 0x80),
        ("vendor packet", [7 << 16, 0, 0, 0, 0, 0, 0, 0], 0x100),
    ];
    for (what, packet, code) in cases {
        let queue = client.queue(16);
        queue.submit(packet);
        assert_eq!(queue.reported(), code, "{what}");
        // It is dead, and can be destroyed.
        let later = client.signal(1);
        queue.submit(barrier(3, false, &[], later));
        std::thread::sleep(Duration::from_millis(3));
        assert_eq!(client.value(later), 1, "{what}");
        client.engine.destroy_queue(queue.args.id).unwrap();
    }
}

/// Runs `body` in a process of its own: this test again, whose name is `name`. `None` there.
fn in_own_process(name: &str, body: fn()) -> Option<std::process::Output> {
    if std::env::var_os("VGPU_TEST_ALONE").is_some() {
        body();
        return None;
    }
    let mut this = std::process::Command::new(std::env::current_exe().unwrap());
    let this = this.args(["--exact", &format!("hardware::engine::tests::{name}"), "--nocapture"]);
    Some(this.env("VGPU_TEST_ALONE", "1").env("VGPU_LOG", "unknown").output().unwrap())
}

#[test]
fn a_panic_ends_the_process() {
    use std::os::unix::process::ExitStatusExt;
    let output = in_own_process("a_panic_ends_the_process", || {
        let thread = super::spawn("vgpu-test", || panic!("as asked by the test")).unwrap();
        // As whoever waits for what the thread does.
        let _ = thread.join();
    });
    let Some(output) = output else { return };
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.signal(), Some(libc::SIGABRT), "{text}");
    assert!(text.contains("as asked by the test") && text.contains("This is a bug of vgpu"), "{text}");
}

#[test]
fn a_queue_without_a_thread_is_not_there() {
    /// Sets the soft limit of the size of the process, and returns the old one.
    fn limit_size(bytes: u64) -> u64 {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: `limit` is valid.
        unsafe {
            assert_eq!(libc::getrlimit(libc::RLIMIT_AS, &mut limit), 0);
            let old = limit.rlim_cur;
            limit.rlim_cur = bytes;
            assert_eq!(libc::setrlimit(libc::RLIMIT_AS, &limit), 0);
            old
        }
    }
    let output = in_own_process("a_queue_without_a_thread_is_not_there", || {
        let client = Client::new(None);
        let args = client.queue_args(16);
        let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
        let pages: u64 = pages.split(' ').next().unwrap().parse().unwrap();
        // Too little for the stack of a thread.
        let old = limit_size(pages * 4096 + (256 << 10));
        let refused = client.engine.create_queue(args.clone());
        limit_size(old);
        assert_eq!(refused, Err(crate::errno::Errno::ENOMEM));
        assert_eq!(client.engine.create_queue(args), Ok(()));
    });
    let Some(output) = output else { return };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn scratch_is_asked_for_and_used() {
    let client = Client::new(None);
    let queue = client.queue(16);
    let out = client.allocate(4 * 64 * 20);
    // User SGPRs: private segment buffer, kernel arguments; group id x and wave offset behind them.
    let kernel = client.descriptor(SCRATCH, 1 | 6 << 1 | 1 << 7, 1 | 1 << 3);
    let completion = client.signal(1);
    let kernarg = client.arguments(&[out]);
    queue.submit(Dispatch { groups: 20, private: 16, completion, ..Dispatch::new(kernel, kernarg) }.packet());
    assert_eq!(queue.reported(), 1, "insufficient scratch");
    assert_eq!(client.value(completion), 1);
    // As ROCr answers: memory for 8 waves of 1 KiB, then the signal back to 0.
    let amd_queue = queue.args.read_pointer - 0x80;
    client.word(amd_queue + 0x8c).store(8 | 1 << 12, Ordering::Relaxed);
    client.quad(amd_queue + 0xa0).store(client.allocate(8 << 10), Ordering::Relaxed);
    client.quad(queue.error + 8).store(0, Ordering::Release);
    client.wait(completion, 0);
    for (index, word) in client.words(out, 64 * 20).into_iter().enumerate() {
        assert_eq!(word as usize, index % 64 + 7);
    }
}

#[test]
fn a_killed_queue_leaves_nothing_running() {
    let client = Client::new(None);
    let queue = client.queue(16);
    // Waits for more work-groups than there are: never ends.
    let kernarg = client.arguments(&[client.allocate(4), 1000]);
    queue.submit(Dispatch { groups: 8, ..Dispatch::new(client.kernel(MEET), kernarg) }.packet());
    std::thread::sleep(Duration::from_millis(5));
    let start = Instant::now();
    client.engine.destroy_queue(queue.args.id).unwrap();
    assert!(start.elapsed() < Duration::from_secs(2));
    assert_eq!(client.engine.destroy_queue(queue.args.id), Err(crate::errno::Errno::EINVAL));
}

#[test]
fn a_full_ring_and_several_producers() {
    const THREADS: u64 = 4;
    const EACH: u64 = 1000;
    let client = Client::new(None);
    let queue = client.queue(64);
    let counter = client.allocate(4);
    let out = client.allocate(4 * THREADS * EACH);
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
    client.wait(packet.completion, 0);
    assert_eq!(u64::from(client.word(counter).load(Ordering::Relaxed)), THREADS * EACH);
    assert!(client.words(out, THREADS * EACH).iter().all(|&word| word == 3));
}

/// More dispatches without barrier bit than a queue runs at a time, all there when the doorbell rings.
#[test]
fn a_full_queue_of_independent_dispatches() {
    const COUNT: u64 = 1 << 14;
    let client = Client::new(None);
    let queue = client.queue(COUNT as u32);
    let (counter, out) = (client.allocate(4), client.allocate(4 * COUNT));
    let kernarg = client.arguments(&[counter, out, 3]);
    let completion = client.signal(COUNT);
    let packet = Dispatch { items: 1, completion, ..Dispatch::new(client.kernel(APPEND), kernarg) };
    (0..COUNT).for_each(|_| _ = queue.write(packet.packet()));
    client.ring_doorbell(queue.args.doorbell, COUNT - 1);
    client.wait(completion, 0);
    assert_eq!(u64::from(client.word(counter).load(Ordering::Relaxed)), COUNT);
    assert!(client.words(out, COUNT).iter().all(|&word| word == 3));
    assert_eq!(client.quad(queue.args.read_pointer).load(Ordering::Acquire), COUNT);
}

#[test]
fn a_suspended_queue_waits() {
    let client = Client::new(None);
    let queue = client.queue(16);
    let args = &queue.args;
    let update = |percentage| crate::hardware::queue::QueueUpdate {
        ring: args.ring,
        ring_size: args.ring_size,
        priority: 7,
        percentage,
        xcc: 0,
    };
    client.engine.update_queue(args.id, update(0)).unwrap();
    let done = client.signal(1);
    queue.submit(barrier(3, false, &[], done));
    std::thread::sleep(Duration::from_millis(10));
    assert_eq!(client.value(done), 1);
    client.engine.update_queue(args.id, update(100)).unwrap();
    client.wait(done, 0);
}

#[test]
fn the_waves_of_a_suspended_queue_wait() {
    for seed in [None, Some(1)] {
        let client = Client::new(seed);
        let queue = client.queue(16);
        let args = &queue.args;
        let word = client.allocate(256);
        let counted = || client.word(word).load(Ordering::Acquire);
        let update = |percentage| {
            let (ring, ring_size) = (args.ring, args.ring_size);
            let update = crate::hardware::queue::QueueUpdate { ring, ring_size, priority: 7, percentage, xcc: 0 };
            client.engine.update_queue(args.id, update).unwrap();
        };
        let done = client.signal(1);
        let kernarg = client.arguments(&[word]);
        queue.submit(Dispatch { groups: 3, completion: done, ..Dispatch::new(client.kernel(SPIN), kernarg) }.packet());
        client.wait_for("work-groups", || counted() > 10);
        assert_eq!(client.engine.has_saved_waves(args.id), Err(Errno::EINVAL));
        update(0);
        let before = counted();
        assert_eq!(client.engine.has_saved_waves(args.id), Ok(true));
        // Others run.
        let other = client.allocate(256);
        client.queue(16).run(Dispatch::new(client.kernel(STORE), client.arguments(&[other, 7])));
        assert_eq!(client.words(other, 1), [7]);
        std::thread::sleep(Duration::from_millis(10));
        assert_eq!(counted(), before, "seed {seed:?}");
        update(100);
        client.wait_for("the waves to go on", || counted() > before + 10);
        // A second time, and it ends when it goes on.
        update(0);
        client.word(word + 4).store(1, Ordering::Release);
        assert_eq!(client.value(done), 1);
        update(100);
        client.wait(done, 0);
        update(0);
        client.wait_for("its end", || client.engine.has_saved_waves(args.id) == Ok(false));
    }
}

/// CPU time that the lead thread takes in a second after the last dispatch.
fn idle_cpu_time(client: &Client) -> Duration {
    let queue = client.queue(16);
    queue.run(Dispatch::new(client.kernel(STORE), client.arguments(&[client.allocate(256), 1])));
    // Let the time pass in which activity is expected.
    std::thread::sleep(Duration::from_millis(300));
    let lead = client.engine.lead_cpu_time();
    std::thread::sleep(Duration::from_secs(1));
    client.engine.lead_cpu_time() - lead
}

#[test]
fn idle_costs_no_cpu() {
    let used = idle_cpu_time(&Client::unwatched(Options::default()));
    assert!(used < Duration::from_millis(10), "{used:?} of CPU time in an idle second");
}

#[test]
fn a_doorbell_wakes_an_idle_engine() {
    let client = Client::new(None);
    let protection = client.gpu.watched_doorbells.protect();
    client.gpu.watched_doorbells.lift();
    if protection == Protection::None {
        test_skip::skip!("this kernel does not let a process write-protect shared memory by userfaultfd");
    }
    let (queue, word) = (client.queue(16), client.allocate(256));
    // It does not look by itself, so what ends its sleep is the doorbell.
    let used = idle_cpu_time(&client);
    assert!(used < Duration::from_millis(1), "{used:?} of CPU time in an idle second");
    queue.run(Dispatch::new(client.kernel(STORE), client.arguments(&[word, 7])));
    assert_eq!(client.words(word, 1), [7]);
}

#[test]
fn a_doorbell_rings_though_a_part_of_its_mapping_is_gone() {
    let client = Client::new(None);
    let queue = client.queue(16);
    queue.run(Dispatch::new(client.kernel(STORE), client.arguments(&[client.allocate(256), 1])));
    // The engine sleeps until a doorbell rings.
    std::thread::sleep(Duration::from_millis(100));
    // The second page of the doorbells goes, in another thread than the engine's; see `device::host_unmapped`.
    assert!(client.gpu.watched_doorbells.unmapped(client.page + 4096, 4096));
    client.engine.look();
    assert_eq!(client.gpu.watched_doorbells.protect(), Protection::None);
    std::thread::sleep(Duration::from_millis(50));
    queue.run(Dispatch::new(client.kernel(STORE), client.arguments(&[client.allocate(256), 1])));
}

#[test]
fn a_doorbell_whose_mapping_stays_after_all_is_not_held_up() {
    let client = Client::new(None);
    let doorbells = &client.gpu.watched_doorbells;
    if doorbells.protect() == Protection::None {
        test_skip::skip!("this kernel does not let a process write-protect shared memory by userfaultfd");
    }
    // As before an munmap that then fails.
    assert!(doorbells.unmapped(client.page, crate::hardware::gpu::DOORBELL_BYTES));
    assert!(!doorbells.unmapped(client.page, crate::hardware::gpu::DOORBELL_BYTES));
    let (rung, wait) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            client.ring_doorbell(3, 1);
            rung.send(()).unwrap();
        });
        let done = wait.recv_timeout(Duration::from_secs(10));
        // So that a failure ends.
        doorbells.mapped(client.page, crate::hardware::gpu::DOORBELL_BYTES);
        doorbells.protect();
        doorbells.lift();
        done.expect("a store that is not held up");
    });
}

#[test]
fn a_doorbell_is_found_where_it_cannot_be_noticed() {
    let client = Client::unwatched(Options::default());
    let queue = client.queue(16);
    for quiet in [0, 1, 30, 300] {
        std::thread::sleep(Duration::from_millis(quiet));
        let done = client.signal(1);
        queue.submit(barrier(3, false, &[], done));
        client.wait(done, 0);
    }
}

#[test]
fn sdma_moves_data() {
    let client = Client::new(None);
    let mut sdma = client.sdma();
    let (from, to) = (client.allocate(1 << 20), client.allocate(1 << 20));
    (0..1 << 18).for_each(|i| client.word(from + 4 * i).store(i as u32 ^ 0x5a5a, Ordering::Relaxed));
    let before = crate::hardware::engine::sdma::bytes_copied();
    sdma.submit(&[1, (1 << 20) - 1, 0, low(from), high(from), low(to), high(to)]);
    sdma.wait();
    assert_eq!(client.words(to, 1 << 18), client.words(from, 1 << 18));
    assert!(crate::hardware::engine::sdma::bytes_copied() - before >= 1 << 20);
}

#[test]
fn sdma_copies_to_two_places() {
    let client = Client::new(None);
    let mut sdma = client.sdma();
    // More than a queue's turn.
    const WORDS: u64 = 100_000;
    let [from, to, also] = [(); 3].map(|()| client.allocate(4 * WORDS + 4));
    (0..WORDS).for_each(|i| client.word(from + 4 * i).store(7 * i as u32 + 1, Ordering::Relaxed));
    let count = 4 * WORDS as u32 - 1;
    sdma.submit(&[1 | 1 << 27, count, 0, low(from), high(from), low(to), high(to), low(also), high(also)]);
    // What follows is not taken for a part of it.
    let done = client.allocate(4);
    sdma.submit(&[5, low(done), high(done), 3]);
    sdma.wait();
    let expected: Vec<u32> = (0..WORDS as u32).map(|i| 7 * i + 1).chain([0]).collect();
    assert_eq!(client.words(to, WORDS + 1), expected);
    assert_eq!(client.words(also, WORDS + 1), expected);
    assert_eq!(client.words(done, 1), [3]);
}

#[test]
fn sdma_sub_window() {
    let client = Client::new(None);
    let mut sdma = client.sdma();
    let (from, to) = (client.allocate(4096), client.allocate(4096));
    (0..1024).for_each(|i| client.word(from + 4 * i).store(i as u32, Ordering::Relaxed));
    // 3 x 2 x 2 elements of 4 bytes from (1, 2, 0), rows of 8, slices of 64, to (0, 1, 1), rows of 5, slices of 50.
    sdma.submit(&[
        1 | 4 << 8 | 2 << 29,
        low(from),
        high(from),
        1 | 2 << 16,
        (8 - 1) << 13,
        64 - 1,
        low(to),
        high(to),
        1 << 16,
        1 | (5 - 1) << 13,
        50 - 1,
        (3 - 1) | (2 - 1) << 16,
        2 - 1,
    ]);
    sdma.wait();
    let mut expected = vec![0; 1024];
    for (x, y, z) in (0..3).flat_map(|x| (0..2).flat_map(move |y| (0..2).map(move |z| (x, y, z)))) {
        expected[x + (y + 1) * 5 + (z + 1) * 50] = (x + 1 + (y + 2) * 8 + z * 64) as u32;
    }
    assert_eq!(client.words(to, 1024), expected);
}

#[test]
fn sdma_fill_fence_atomic_timestamp_poll() {
    let client = Client::new(None);
    let mut sdma = client.sdma();
    let to = client.allocate(4096);
    let (signal, flag, time) = (client.signal(1), client.allocate(8), client.allocate(8));
    let value = signal + 8;
    sdma.submit(&[11 | 2 << 30, low(to), high(to), 0x1234_5678, 4000 - 1]);
    sdma.submit(&[11, low(to + 4000), high(to), 0xab, 6 - 1]);
    // Poll until (flag & 0xff) == 3; then fence, timestamp, decrement.
    sdma.submit(&[8 | 3 << 28 | 1 << 31, low(flag), high(flag), 3, 0xff, 0xfff << 16]);
    sdma.submit(&[5, low(to + 4012), high(to), 77]);
    sdma.submit(&[13 | 2 << 8, low(time), high(time)]);
    sdma.submit(&[8, 0, 0x8000_0000, 0, 0, 0]);
    sdma.submit(&[10 | 47 << 25, low(value), high(value), u32::MAX, u32::MAX, 0, 0, 0]);
    std::thread::sleep(Duration::from_millis(10));
    assert_eq!(client.value(signal), 1);
    client.word(flag).store(0x703, Ordering::Release);
    client.wait(signal, 0);
    let words = client.words(to, 1004);
    assert!(words[..1000].iter().all(|&word| word == 0x1234_5678));
    assert_eq!(words[1000..], [0xabab_abab, 0x0000_abab, 0, 77]);
    assert!(client.quad(time).load(Ordering::Relaxed) > 0);
    sdma.wait();
}

/// Which of 64 polls for a word that is not yet 1 end all the same.
fn early_polls(seed: Option<u64>) -> Vec<bool> {
    const BYTES: u64 = 24;
    let client = Client::new(None);
    let args = client.queue_args(64);
    let flag = client.allocate(8);
    let (mut queue, mut doorbell) = (SdmaQueue::new(7, seed, None, None), Doorbell::SILENT);
    let polls = (0..64).map(|poll| {
        let packet = [8 | 3 << 28 | 1 << 31, low(flag), high(flag), 1, u32::MAX, 0xfff << 16 | 4];
        for (index, dword) in packet.into_iter().enumerate() {
            client.word(args.ring + poll * BYTES + 4 * index as u64).store(dword, Ordering::Relaxed);
        }
        doorbell.note((poll + 1) * BYTES, false);
        let mut step = || queue.step(&client.gpu, &args, &mut doorbell).expect("nothing stops the queue");
        let early = step() == Progress::Made;
        if !early {
            // However often the engine looks.
            (0..9).for_each(|_| assert_eq!(step(), Progress::Waiting));
            client.word(flag).store(1, Ordering::Relaxed);
            assert_eq!(step(), Progress::Made);
            client.word(flag).store(0, Ordering::Relaxed);
        }
        early
    });
    polls.collect()
}

#[test]
fn sdma_polls_end_early_as_the_seed_has_it() {
    assert_eq!(early_polls(None), [false; 64]);
    let some = early_polls(Some(1));
    assert_eq!(early_polls(Some(1)), some);
    assert_ne!(early_polls(Some(2)), some);
    let count = some.iter().filter(|early| **early).count();
    assert!((16..=48).contains(&count), "about half: {count}");
}

/// What a word says behind a copy that goes there, and whether a later word that says so was there before. The word is
/// of a WRITE, or of a FENCE.
fn overlap(seed: Option<u64>, fence: bool) -> Vec<bool> {
    const BYTES: u64 = 64;
    let client = Client::new(None);
    let args = client.queue_args(64);
    let (from, to, flag) = (client.allocate(8), client.allocate(8), client.allocate(8));
    let (mut queue, mut doorbell) = (SdmaQueue::new(7, None, seed, None), Doorbell::SILENT);
    let copies = (0..64).map(|number| {
        client.word(from).store(number as u32 + 1, Ordering::Relaxed);
        let copy = [1, 4 - 1, 0, low(from), high(from), low(to), high(to)];
        let tell = match fence {
            true => vec![5, low(flag), high(flag), number as u32 + 1],
            false => vec![2, low(flag), high(flag), 0, number as u32 + 1],
        };
        let at = args.ring + number * BYTES % u64::from(args.ring_size);
        let packets = copy.into_iter().chain(tell).chain(std::iter::repeat(0)).take(BYTES as usize / 4);
        for (index, dword) in packets.enumerate() {
            client.word(at + 4 * index as u64).store(dword, Ordering::Relaxed);
        }
        doorbell.note((number + 1) * BYTES, false);
        // As far as the word, which a program would look at.
        while client.word(flag).load(Ordering::Relaxed) != number as u32 + 1 {
            queue.step(&client.gpu, &args, &mut doorbell).expect("nothing stops the queue");
        }
        let late = client.word(to).load(Ordering::Relaxed) != number as u32 + 1;
        while queue.step(&client.gpu, &args, &mut doorbell).expect("nothing stops the queue") != Progress::Idle {}
        assert_eq!(client.word(to).load(Ordering::Relaxed), number as u32 + 1, "done at last");
        late
    });
    copies.collect()
}

#[test]
fn sdma_copies_overlap_writes_but_no_fences() {
    assert_eq!(overlap(None, false), [false; 64]);
    assert_eq!(overlap(Some(1), true), [false; 64]);
    let some = overlap(Some(1), false);
    assert_eq!(overlap(Some(1), false), some);
    assert_ne!(overlap(Some(2), false), some);
    let count = some.iter().filter(|late| **late).count();
    assert!((16..=48).contains(&count), "about half: {count}");
}

#[test]
fn sdma_indirect_write_and_ring_wrap() {
    let client = Client::new(None);
    let mut sdma = client.sdma();
    let (to, buffer) = (client.allocate(4096), client.allocate(256));
    for (index, dword) in [2, low(to), high(to), 1, 11, 22].into_iter().enumerate() {
        client.word(buffer + 4 * index as u64).store(dword, Ordering::Relaxed);
    }
    sdma.submit(&[4, low(buffer), high(buffer), 6, 0, 0]);
    sdma.wait();
    assert_eq!(client.words(to, 3), [11, 22, 0]);
    // Several times around the ring of 1024 dwords.
    for value in 0..1000 {
        sdma.submit(&[5, low(to), high(to), value]);
        sdma.submit(&[0x0002_0000, 0, 0]);
        if value % 100 == 99 {
            sdma.wait();
            assert_eq!(client.words(to, 1), [value]);
        }
    }
}

#[test]
fn sdma_hangs_on_what_it_cannot_decode() {
    let client = Client::new(None);
    let mut sdma = client.sdma();
    let to = client.allocate(64);
    sdma.submit(&[0]);
    sdma.wait();
    sdma.submit(&[17, 0, 0, 0, 0]);
    sdma.submit(&[5, low(to), high(to), 1]);
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!((sdma.consumed(), client.words(to, 1)[0]), (4, 0));
}

#[test]
fn sdma_hangs_on_a_packet_across_the_end_of_the_ring() {
    let client = Client::new(None);
    let to = client.allocate(64);
    let fence = [5, low(to), high(to), 1];
    for (left, done) in [(4, true), (3, false), (1, false)] {
        client.word(to).store(0, Ordering::Relaxed);
        let mut sdma = client.sdma();
        let before = vec![0; sdma.args.ring_size as usize / 4 - left];
        sdma.submit(&before);
        sdma.wait();
        sdma.submit_anywhere(&fence);
        if done {
            sdma.wait();
        }
        std::thread::sleep(Duration::from_millis(20));
        let consumed = if done { before.len() + fence.len() } else { before.len() };
        assert_eq!((sdma.consumed(), client.words(to, 1)[0]), (consumed as u64 * 4, u32::from(done)), "{left}");
    }
}
