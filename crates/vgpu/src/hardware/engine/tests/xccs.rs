//! A GPU of several XCCs: which of them run a dispatch's work-groups. And arguments that are in registers when a kernel starts, which gfx908 has not.

use super::client::{Client, Dispatch};
use super::pm4;
use crate::hardware::engine::Options;
use crate::hardware::profile::MI300X;
use std::time::Duration;

/// Machine code of `kernels_gfx942.s`, and offsets of the kernels in it.
const KERNELS: &[u8] = include_bytes!("kernels_gfx942.bin");
const WHICH: u64 = 0x000;
const LATE: u64 = 0x100;

fn client(seed: Option<u64>) -> Client {
    Client::of(&MI300X, KERNELS, Options { seed, ..Options::default() })
}

/// Runs `which`: the XCC of each of `groups` work-groups.
fn which(client: &Client, groups: u32, run: impl FnOnce(Dispatch)) -> Vec<u32> {
    let out = client.allocate(4 * u64::from(groups));
    run(Dispatch { groups, items: 64, ..Dispatch::new(client.kernel(WHICH), client.arguments(&[out])) });
    client.words(out, groups.into())
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

/// With a unit of two XCCs only, the others' work-groups wait, and go on when the mask has units for them.
#[test]
fn an_xcc_without_units_keeps_its_work_groups() {
    let client = client(None);
    let queue = client.queue(16);
    client.engine.set_cu_mask(queue.args.id, &[0b11]).unwrap();
    let (out, done) = (client.allocate(64), client.signal(1));
    (0..16).for_each(|at| client.word(out + 4 * at).store(u32::MAX, std::sync::atomic::Ordering::Relaxed));
    let dispatch = Dispatch::new(client.kernel(WHICH), client.arguments(&[out]));
    queue.submit(Dispatch { groups: 16, completion: done, ..dispatch }.packet());
    client.wait_for("the first two", || client.words(out, 2) == [0, 1]);
    std::thread::sleep(Duration::from_millis(10));
    assert_eq!((client.words(out, 3)[2], client.value(done)), (u32::MAX, 1));
    client.engine.set_cu_mask(queue.args.id, &[0xff]).unwrap();
    client.wait(done, 0);
    assert_eq!(client.words(out, 16), (0..16).map(|group| group % 8).collect::<Vec<u32>>());
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
