//! GPUs with several XCCs: how work-groups are distributed, and the coherence of their L2s. Also kernel arguments in
//! registers at the start of a wave, which gfx908 lacks.

use super::caches;
use super::client::{Client, Dispatch, STORE};
use super::pm4;
use crate::hardware::engine::Options;
use crate::hardware::profile::{MI300X, MI300X_CPX, MI300X_DPX, MI300X_QPX};
use crate::hardware::schedule::Schedule;
use crate::queue_error;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Machine code of `kernels_gfx942.s`, and offsets of the kernels in it.
const KERNELS: &[u8] = include_bytes!("kernels_gfx942.bin");
const WHICH: u64 = 0x000;
const LATE: u64 = 0x100;
const HAND_OVER: u64 = 0x300;
const COUNT: u64 = 0x400;
const BY: u64 = 0x500;

fn client(seed: Option<u64>) -> Client {
    Client::of(&MI300X, KERNELS, Options { schedule: seed.map(Schedule::of), ..Options::default() })
}

fn with_caches(seed: u64) -> Client {
    Client::of(&MI300X, KERNELS, Options { caches: Some(seed), ..Options::default() })
}

/// Runs `which`: the XCC of each of `groups` work-groups.
fn which(client: &Client, groups: u32, run: impl FnOnce(Dispatch)) -> Vec<u32> {
    let out = client.allocate(4 * u64::from(groups));
    run(Dispatch { groups, items: 64, ..Dispatch::new(client.kernel(WHICH), client.arguments(&[out])) });
    client.words(out, groups.into())
}

/// A partition's XCCs are numbered from 0: each tells the number that the driver gives it within the partition
/// (`VIRTUAL_XCC_ID` of `gfx_v9_4_3_xcc_program_xcc_id`: its own modulo the XCCs of a partition).
#[test]
fn the_xccs_of_a_partition_are_numbered_from_0() {
    for (partition, xccs) in [(&MI300X_DPX, 4), (&MI300X_QPX, 2), (&MI300X_CPX, 1)] {
        let client = Client::of(partition, KERNELS, Options::default());
        let queue = client.queue(16);
        let groups = 3_000;
        let seen = which(&client, groups, |dispatch| queue.run(dispatch));
        let wrong = (0..).zip(&seen).find(|(group, xcc)| **xcc != group % xccs);
        assert_eq!((seen.len(), wrong), (groups as usize, None), "{}", partition.name);
    }
}

#[test]
fn work_groups_take_turns_on_the_xccs() {
    for seed in [None, Some(5)] {
        let client = client(seed);
        let queue = client.queue(16);
        // More than all compute units hold at a time.
        let seen = which(&client, 12_000, |dispatch| queue.run(dispatch));
        let wrong = seen.iter().enumerate().find(|(group, xcc)| **xcc as usize != group % 8);
        assert_eq!(wrong, None, "seed {seed:?}");
    }
}

/// A SIMD of gfx908 has 256 vector registers for each lane, and one of the chips that have the accumulation registers
/// among them 512. Sixteen waves are four a SIMD.
#[test]
fn a_work_group_needs_registers_for_all_its_waves() {
    for is_gfx942 in [false, true] {
        let (kernel, granule, fits) = if is_gfx942 { (WHICH, 8, 128) } else { (STORE, 4, 64) };
        for vgprs in [fits, fits + granule] {
            let client = if is_gfx942 { client(None) } else { Client::new(None) };
            let queue = client.queue(16);
            let out = client.allocate(1 << 16);
            client.word(out).store(99, Ordering::Relaxed);
            let kernel = client.kernel(kernel);
            client.word(kernel + 48).fetch_or(vgprs / granule - 1, Ordering::Relaxed);
            let dispatch = Dispatch { items: 1024, ..Dispatch::new(kernel, client.arguments(&[out, 0])) };
            if vgprs == fits {
                queue.run(dispatch);
            } else {
                queue.submit(dispatch.packet());
                assert_eq!(queue.reported(), queue_error::OUT_OF_REGISTERS);
            }
            assert_eq!(client.words(out, 1), [if vgprs == fits { 0 } else { 99 }], "{vgprs}");
        }
    }
}

/// Of an AQL queue all XCCs process a buffer, of a PM4 queue one does; a partition's are numbered from 0.
#[test]
fn packets_are_for_the_xccs_that_a_predicate_names() {
    for (partition, of_queue, xccs) in [(&MI300X, 0, 0xff), (&MI300X, 5, 0x20), (&MI300X_QPX, 0, 0b11)] {
        let client = Client::of(partition, KERNELS, Options::default());
        let to = client.allocate(64);
        let guarded = |select: u32, at: u64| {
            let write = pm4::write(to + 4 * at, &[7]);
            [pm4::packet(pm4::PRED_EXEC, &[select << 24 | write.len() as u32]), write].concat()
        };
        let selects = [1, 0x80, 0b10, 0xff, 0, 0x20];
        let mut dwords: Vec<u32> = (0..).zip(selects).flat_map(|(at, select)| guarded(select, at)).collect();
        dwords.extend(pm4::write(to + 32, &[9]));
        let all = |xccs: u32| selects.map(|select| if select & xccs != 0 { 7 } else { 0 });
        let by_aql = of_queue == 0;
        if by_aql {
            let queue = client.queue(16);
            let done = client.signal(1);
            queue.submit(pm4::in_aql(&pm4::indirect(&client, &dwords, 0), done));
            client.wait(done, 0);
        } else {
            let mut queue = client.pm4_on(of_queue, 1024);
            pm4::run(&mut queue, &pm4::indirect(&client, &dwords, 0));
        }
        assert_eq!(
            (client.words(to, 6), client.words(to + 32, 1)),
            (all(xccs).to_vec(), vec![9]),
            "{}",
            partition.name
        );
    }
}

/// With a unit of two XCCs only, the others' work-groups wait, and go on when the mask has units for them.
#[test]
fn an_xcc_without_units_keeps_its_work_groups() {
    let client = client(None);
    let queue = client.queue(16);
    client.engine.set_cu_mask(queue.args.id, &[0b11]).unwrap();
    let (out, done) = (client.allocate(64), client.signal(1));
    (0..16).for_each(|at| client.word(out + 4 * at).store(u32::MAX, Ordering::Relaxed));
    let dispatch = Dispatch::new(client.kernel(WHICH), client.arguments(&[out]));
    queue.submit(Dispatch { groups: 16, completion: done, ..dispatch }.packet());
    client.wait_for("the first two", || client.words(out, 2) == [0, 1]);
    std::thread::sleep(Duration::from_millis(10));
    assert_eq!((client.words(out, 3)[2], client.value(done)), (u32::MAX, 1));
    client.engine.set_cu_mask(queue.args.id, &[0xff]).unwrap();
    client.wait(done, 0);
    assert_eq!(client.words(out, 16), (0..16).map(|group| group % 8).collect::<Vec<u32>>());
}

/// Two work-groups of one dispatch, of two XCCs. Before it says that it is done, one writes its L2 back or stores for
/// the whole device; the other empties its L1 before it looks again. No other L2 needs to be emptied: what comes to
/// memory is taken out of it.
#[test]
fn work_groups_hand_over_from_one_l2_to_another() {
    const WRITE_BACK: u64 = 1;
    const INVALIDATE: u64 = 2;
    const FOR_DEVICE: u64 = 4;
    let program = |how: u64| {
        move |client: &Client| {
            let [data, flag] = [client.allocate_cached(4), client.allocate_cached(4)];
            let (out, queue) = (client.allocate(4), client.queue(16));
            let kernarg = client.arguments(&[data, flag, out, how]);
            queue.run(Dispatch { groups: 2, items: 64, ..Dispatch::new(client.kernel(HAND_OVER), kernarg) });
            client.words(out, 1)[0]
        }
    };
    for release in [WRITE_BACK, FOR_DEVICE] {
        let without_release = |correct: bool| program(INVALIDATE | if correct { release } else { 0 });
        caches::shown(with_caches, without_release, 0, 7);
        let without_acquire = |correct: bool| program(release | if correct { INVALIDATE } else { 0 });
        caches::shown(with_caches, without_acquire, 0, 7);
    }
}

/// Copies the word at `from` to `to`, by a work-group of this XCC.
fn copy_by(client: &Client, xcc: u64, from: u64, to: u64) -> Dispatch {
    Dispatch { groups: 8, items: 64, ..Dispatch::new(client.kernel(BY), client.arguments(&[from, to, xcc])) }
}

/// A kernel that is released to the agent has written back what the next one reads in another L2, also where that one
/// has an old line of it.
#[test]
fn kernels_hand_over_from_one_l2_to_another() {
    let program = |release: u64| {
        move |client: &Client| {
            let [from, data] = [client.allocate(4), client.allocate_cached(4)];
            let (out, queue) = (client.allocate(4), client.queue(16));
            client.word(from).store(7, Ordering::Relaxed);
            let run = |dispatch: Dispatch, release| queue.run(Dispatch { acquire: 1, release, ..dispatch });
            run(copy_by(client, 3, data, out), 1);
            run(copy_by(client, 5, from, data), release);
            run(copy_by(client, 3, data, out), 1);
            client.words(out, 1)[0]
        }
    };
    caches::shown(with_caches, |correct| program(u64::from(correct)), 0, 7);
}

/// The host sees what all L2s had when a kernel is released to the system, and kernels what the host has written when
/// they acquire from there.
#[test]
fn the_host_and_the_l2s_of_all_xccs() {
    let program = |release: u64, acquire: u64| {
        move |client: &Client| {
            let from = client.allocate(4);
            let (data, out, queue) = (client.allocate_cached(8 * 256), client.allocate(4), client.queue(16));
            client.word(from).store(7, Ordering::Relaxed);
            for xcc in 0..8 {
                let copy = copy_by(client, xcc, from, data + 256 * xcc);
                queue.run(Dispatch { acquire: 0, release: if xcc == 7 { release } else { 0 }, ..copy });
            }
            let seen: Vec<u32> = (0..8).map(|xcc| client.words(data + 256 * xcc, 1)[0]).collect();
            // The line is in an L2 again.
            queue.run(Dispatch { acquire: 0, release: 0, ..copy_by(client, 0, data, out) });
            client.word(data).store(8, Ordering::Relaxed);
            queue.run(Dispatch { acquire, release: 0, ..copy_by(client, 0, data, out) });
            (seen, client.words(out, 1)[0])
        }
    };
    // What was not released comes to memory by that acquire, over what the host has written.
    caches::shown(with_caches, |correct| program(if correct { 2 } else { 0 }, 2), (vec![0; 8], 7), (vec![7; 8], 8));
    caches::shown(with_caches, |correct| program(2, if correct { 2 } else { 1 }), (vec![7; 8], 7), (vec![7; 8], 8));
}

/// Atomics without any scope count over all XCCs: compilers give agent scope none.
#[test]
fn atomics_are_seen_by_all_xccs() {
    for seed in 0..4 {
        let client = with_caches(seed);
        let (counter, queue) = (client.allocate_cached(4), client.queue(16));
        let dispatch = Dispatch::new(client.kernel(COUNT), client.arguments(&[counter]));
        queue.run(Dispatch { groups: 24, items: 64, release: 0, ..dispatch });
        assert_eq!(client.words(counter, 1), [24 * 64], "seed {seed}");
    }
}

#[test]
fn packets_of_pm4_run_on_one_xcc() {
    let client = client(None);
    for xcc in [0, 5] {
        let mut queue = client.pm4_on(xcc, 1024);
        let seen = which(&client, 20, |dispatch| {
            let setup = pm4::kernel(client.code(WHICH), dispatch.kernarg);
            queue.submit(&[setup, pm4::packet(pm4::DISPATCH_DIRECT, &[20, 1, 1, 1]), pm4::flush()].concat());
            queue.wait();
        });
        assert_eq!(seen, [xcc; 20]);
    }
}

#[test]
fn arguments_are_in_registers_if_the_kernel_asks_for_it() {
    let client = client(None);
    let queue = client.queue(16);
    for (preload, expected) in [(0, 99), (3, 7)] {
        let out = client.allocate(4);
        // The kernel argument pointer, three dwords of arguments, and the work-group id.
        let kernel = client.descriptor(LATE, 5 << 1 | 1 << 7, 1 << 3 | preload << 16);
        queue.run(Dispatch::new(kernel, client.arguments(&[out, 7])));
        assert_eq!(client.words(out, 1), [expected], "{preload} dwords");
    }
}

/// Arguments that are nowhere are the command processor's fault to find, before a wave runs.
#[test]
fn arguments_that_are_not_mapped_fault() {
    let client = client(None);
    let queue = client.queue(16);
    let kernel = client.descriptor(LATE, 5 << 1 | 1 << 7, 1 << 3 | 3 << 16);
    queue.submit(Dispatch::new(kernel, 0x1000).packet());
    assert_eq!(client.memory_fault().0 & !0xfff, 0x1000);
}
