//! C3: every way of sharing, compared on the same work.
use std::time::Duration;

use rocm_interop::Place;

use crate::trace::{Marker, Seen, between, traced};
use crate::ways::{ITEMS, Kernels, Page, WAYS, after};
use crate::{assert_same, session};

const BYTES: usize = 4 << 20;
const ROUNDS: u32 = 3;

/// Sizes of launches that mark where a way's rounds begin and end in the device's trace.
fn marks(way: usize) -> [usize; 2] {
    [64 * (201 + 2 * way), 64 * (202 + 2 * way)]
}

#[test]
fn c3_every_way_of_sharing_does_the_same_work() {
    needs_amd_opencl!();
    let session = session();
    let (kernels, marker) = (Kernels::new(&session), Marker::new(&session));
    let mut pages = vec![Page([0; 1024]); BYTES / size_of::<Page>()];
    for (number, (name, make)) in WAYS.into_iter().enumerate() {
        let mut way = make(&session, BYTES / 4, &mut pages);
        let on_the_host = ["allocate_host", "allocate_managed", "view_pages"].contains(&name);
        let place = if on_the_host { Place::Host } else { Place::Gpu(session.device().pci()) };
        assert_eq!(way.buffer().residency().place, place, "{name}");
        way.buffer().write(&vec![1; BYTES / 4]).expect("write");
        let [begin, end] = marks(number);
        marker.mark(begin);
        for _ in 0..ROUNDS {
            way.round(&kernels);
        }
        marker.mark(end);
        let mut found = vec![0; BYTES / 4];
        way.buffer().read(&mut found).expect("read");
        let (worked, rest) = found.split_at(ITEMS);
        assert_same(worked, &[after(ROUNDS); ITEMS]);
        assert_same(rest, &vec![1; BYTES / 4 - ITEMS]);
    }
}

/// The same on a device that traces: shared bytes stay where they are, and a staged copy moves all of them up and down, there and back.
#[test]
fn c3_the_device_counts_what_each_way_moves() {
    needs_amd_opencl!();
    stack_tests::needs_vgpu!();
    let (trace, _) = traced("sharing::c3_every_way_of_sharing_does_the_same_work", Duration::from_secs(120));
    for (number, (name, _)) in WAYS.into_iter().enumerate() {
        let copied = if name == "reference copy_staged" { 4 * BYTES as u64 * u64::from(ROUNDS) } else { 0 };
        // One kernel of each API a round.
        let want = Seen { copied, kernels: 2 * ROUNDS as usize };
        assert_eq!(between(&trace, marks(number)), want, "{name}");
    }
}
