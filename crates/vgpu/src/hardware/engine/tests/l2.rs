//! Effects of gfx90a kernels on their L2, apart from the fences of packets.

use super::caches::{set, shown, word};
use super::client::{Client, Dispatch};
use crate::hardware::engine::Options;
use crate::hardware::profile::MI210;

/// Machine code of `kernels_gfx90a.s`, and offsets of the kernels in it.
const KERNELS: &[u8] = include_bytes!("kernels_gfx90a.bin");
const WRITE_BACK: u64 = 0x000;
const INVALIDATE: u64 = 0x100;

fn with_caches(seed: u64) -> Client {
    Client::of(&MI210, KERNELS, Options { caches: Some(seed), ..Options::default() })
}

/// One work-item, whose packet has fences of the device only.
fn run(client: &Client, kernel: u64, arguments: &[u64]) {
    let dispatch = Dispatch::new(client.kernel(kernel), client.arguments(arguments));
    client.queue(16).run(Dispatch { items: 1, acquire: 1, release: 1, ..dispatch });
}

#[test]
fn the_host_sees_what_a_kernel_writes_back() {
    let program = |correct| {
        move |client: &Client| {
            let data = client.allocate_cached(4);
            run(client, WRITE_BACK, &[data, u64::from(correct)]);
            word(client, data)
        }
    };
    shown(with_caches, program, 0, 7);
}

#[test]
fn a_kernel_that_empties_its_l2_sees_what_the_host_wrote() {
    let program = |correct| {
        move |client: &Client| {
            let (data, out) = (client.allocate_cached(4), client.allocate(4));
            set(client, data, 1);
            run(client, INVALIDATE, &[data, 0, out]);
            assert_eq!(word(client, out), 1);
            set(client, data, 2);
            run(client, INVALIDATE, &[data, u64::from(correct), out]);
            word(client, out)
        }
    };
    shown(with_caches, program, 1, 2);
}
