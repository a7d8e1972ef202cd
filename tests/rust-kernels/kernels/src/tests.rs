//! Tests that run on the GPU.
extern crate alloc;

use alloc::string::ToString;
use alloc::vec::Vec;
use core::num::ParseIntError;

#[test]
fn a_crate_of_others_gives_its_published_check_value() {
    let crc = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC);
    assert_eq!(crc.checksum(b"123456789"), crc::CRC_32_ISO_HDLC.check);
}

#[test]
fn allocations_are_of_this_test_and_aligned() {
    let words: Vec<u64> = (0..1000).map(|i| i * i).collect();
    let bytes = [1u8; 3].to_vec();
    let aligned = alloc::boxed::Box::new(core::sync::atomic::AtomicU64::new(7));
    assert_eq!((words[999], bytes.len(), aligned.as_ptr() as usize % 8), (998_001, 3, 0));
}

#[test]
fn floats_are_formatted_and_parsed() {
    let value = 1.5f64 / 3.0;
    assert_eq!(value.to_string(), "0.5");
    assert_eq!("-2.25e3".parse(), Ok(-2250.0f32));
}

#[test]
fn a_result_may_be_returned() -> Result<(), ParseIntError> {
    assert_eq!("42".parse::<u32>()?, 42);
    Ok(())
}

#[test]
#[should_panic(expected = "index out of bounds: the len is 3 but the index is 3")]
fn a_wrong_index_panics() {
    let values = [1, 2, 3];
    let index = core::hint::black_box(3);
    assert_ne!(values[index], 0);
}

/// Each fails in its own way; `cargo xtask rust-kernels` looks for that in what the runner says.
#[cfg(feature = "failing")]
mod failing {
    use super::*;

    #[test]
    fn panics() {
        let empty: [u32; 0] = core::hint::black_box([]);
        assert_eq!(empty.len(), 1, "there is nothing");
    }

    #[test]
    #[should_panic(expected = "something else")]
    fn panics_with_another_message() {
        panic!("this");
    }

    #[test]
    #[should_panic]
    fn does_not_panic() {}

    #[test]
    fn returns_an_error() -> Result<(), ParseIntError> {
        "x".parse::<u32>().map(|_| ())
    }

    #[test]
    fn traps() {
        core::intrinsics::abort();
    }

    #[test]
    fn never_ends() {
        while core::hint::black_box(true) {}
    }

    #[test]
    fn passes_beside_them() {}

    #[test]
    #[ignore]
    fn is_ignored() {}
}
