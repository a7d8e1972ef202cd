//! M7: copies through the host, counted.
use std::time::Duration;

use rocm_interop::transfer::Staged;
use rocm_interop::{Buffer, Error, Hip, OpenCl, Session};

use crate::trace::{Marker, Seen, between, traced};
use crate::{assert_same, session};

/// Not whole pieces, so that the last is shorter.
const ELEMENTS: usize = 3 * PIECE + 4097;
const PIECE: usize = 1 << 18;
const BYTES: u64 = ELEMENTS as u64 * 4;
/// Sizes of launches that mark places in the device's trace.
const MARKS: [usize; 2] = [64 * 101, 64 * 102];

fn numbers() -> Vec<u32> {
    (0..ELEMENTS as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect()
}

fn filled_on_hip(session: &Session, data: &[u32]) -> Buffer<u32, Hip> {
    let mut buffer = session.allocate_hip::<u32>(ELEMENTS).expect("allocate").into_opencl().expect("hand-over");
    buffer.write(data).expect("write");
    buffer.into_hip().expect("hand-over")
}

/// Says what the copy said, for [`m7_the_device_counts_what_a_staged_copy_says`], which runs it on a device that
/// traces.
#[test]
fn m7_a_staged_copy_carries_every_byte_both_ways() {
    needs_amd_opencl!();
    println!();
    let session = session();
    let data = numbers();
    let mut on_opencl = session.allocate::<u32>(ELEMENTS).expect("allocate");
    on_opencl.write(&data).expect("write");
    let mut on_hip = filled_on_hip(&session, &vec![7; ELEMENTS]);
    let (marker, mut staging) = (Marker::new(&session), vec![0; PIECE]);
    marker.mark(MARKS[0]);
    let to_hip = on_opencl.copy_staged(&mut on_hip, &mut staging).expect("copy");
    marker.mark(MARKS[1]);
    on_opencl.write(&vec![9; ELEMENTS]).expect("write");
    let back = on_hip.copy_staged(&mut on_opencl, &mut staging).expect("copy");
    for moved in [to_hip, back] {
        assert_eq!((moved.down, moved.up), (BYTES, BYTES));
    }
    let mut end = vec![0; ELEMENTS];
    on_opencl.read(&mut end).expect("read");
    assert_same(&end, &data);
    on_hip.into_opencl().expect("hand-over").read(&mut end).expect("read");
    assert_same(&end, &data);
    println!("staged {} {} ", to_hip.down, to_hip.up);
}

#[test]
fn m7_two_sessions_copy_through_the_host() {
    needs_amd_opencl!();
    let (one, other) = (session(), session());
    let data = numbers();
    let mut from = one.allocate::<u32>(ELEMENTS).expect("allocate");
    from.write(&data).expect("write");
    let mut to = filled_on_hip(&other, &vec![7; ELEMENTS]);
    let moved: Staged = from.copy_staged(&mut to, &mut vec![0; ELEMENTS]).expect("copy");
    assert_eq!((moved.down, moved.up), (BYTES, BYTES));
    let mut end = vec![0; ELEMENTS];
    to.into_opencl().expect("hand-over").read(&mut end).expect("read");
    assert_same(&end, &data);
}

#[test]
fn m7_a_staged_copy_has_to_fit() {
    needs_amd_opencl!();
    let session = session();
    let from = session.allocate::<u32>(1025).expect("allocate");
    let mut to = session.allocate_hip::<u32>(1024).expect("allocate");
    let mut refused = |staging: &mut [u32], mut from: Buffer<u32, OpenCl>, what: &str, words: &str| {
        let error = from.copy_staged(&mut to, staging).expect_err(words);
        assert!(matches!(&error, Error::Argument { subject: got, .. } if **got == *what), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    };
    refused(&mut [0; 8], from, "to", "has 1024 elements, but 1025 are to be copied to it");
    let from = session.allocate::<u32>(1024).expect("allocate");
    refused(&mut [], from, "staging", "is empty");
}

#[test]
fn m7_the_device_counts_what_a_staged_copy_says() {
    needs_amd_opencl!();
    stack_tests::needs_vgpu!();
    let test = "staged::m7_a_staged_copy_carries_every_byte_both_ways";
    let (trace, output) = traced(test, Duration::from_secs(120));
    assert!(output.contains(&format!("staged {BYTES} {BYTES}")), "{output:?}");
    // Kernels could copy too: there is none.
    assert_eq!(between(&trace, [MARKS[0], MARKS[1]]), Seen { copied: 2 * BYTES, kernels: 0 });
}
