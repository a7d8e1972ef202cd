//! Kernels that were written in Rust (`tests/rust-kernels/kernels`), launched and compared with the host value by
//! value. `cargo xtask rust-kernels` builds them and runs these tests.
use std::time::Duration;

use kfd::aql::Geometry;
use kfd::{Buffer, Device, Error, Module, Pending, Placement, Queue, QueueError, Wait};
use kfd_tests::{gpu, on_gpu};

/// What panics, which are in kernels that were compiled without much optimisation, may need of a stack.
const STACK_BYTES: u32 = 4096;

/// The code object.
const FILE: &str = "KFD_TESTS_RUST_KERNELS";

/// Skips the calling test where there is none.
macro_rules! code_object {
    () => {
        if std::env::var_os(FILE).is_none() {
            test_skip::skip!("needs kernels that `cargo xtask rust-kernels` builds");
        }
    };
}

fn module(gpu: Device) -> Module {
    let file = std::env::var_os(FILE).expect("the test has looked for it");
    Module::load(gpu, &std::fs::read(file).expect("the file can be read")).expect("a code object for this GPU")
}

fn buffer<T: kfd::bytemuck::Pod>(gpu: Device, values: &[T]) -> Buffer<T> {
    let mut buffer = Buffer::new(gpu, values.len(), Placement::HOST).expect("memory");
    buffer.host_mut().expect("it is not in use").copy_from_slice(values);
    buffer
}

fn wait(queue: &mut Queue, work: &Pending<'_>) -> kfd::Result<()> {
    queue.wait(work, Wait::Sleep(Duration::from_secs(60)))
}

/// Numbers without a pattern.
fn random(count: usize) -> Vec<u32> {
    let mut state = 0x9e37_79b9_u32;
    let step = |_| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    (0..count).map(step).collect()
}

#[test]
fn values_are_those_of_the_host() {
    code_object!();
    on_gpu("values_are_those_of_the_host", || {
        const N: usize = 1000;
        let gpu = gpu().unwrap();
        let (module, mut queue) = (module(gpu), Queue::new(gpu).unwrap());
        let [saxpy, histogram] = ["saxpy", "histogram"].map(|name| module.kernel(name).unwrap());
        let floats: Vec<f32> = random(N).iter().map(|&value| value as f32 / 1024.0).collect();
        let (x, mut y) = (buffer(gpu, &floats), buffer(gpu, &[1.5f32; N]));
        let launch = queue.launch(&saxpy, Geometry::covering([N as u32], [64]).unwrap()).unwrap();
        // SAFETY: both buffers have N values.
        let work = unsafe {
            launch.argument(N as u32).argument(3.0f32).buffer(&x).buffer_mut(&mut y).stack_bytes(STACK_BYTES).submit()
        }
        .unwrap();
        wait(&mut queue, &work).unwrap();
        // A compiler may multiply and add at once, which rounds once.
        for (x, y) in floats.iter().zip(y.host().unwrap()) {
            assert!(*y == 3.0 * x + 1.5 || *y == 3.0f32.mul_add(*x, 1.5), "{x}: {y}");
        }

        let (values, mut counts) = (buffer(gpu, &random(N)), buffer(gpu, &[0u32; 8]));
        let launch = queue.launch(&histogram, Geometry::covering([N as u32], [256]).unwrap()).unwrap();
        // SAFETY: there are N values and 8 counts.
        let work = unsafe {
            launch.argument(N as u32).buffer(&values).buffer_mut(&mut counts).stack_bytes(STACK_BYTES).submit()
        }
        .unwrap();
        wait(&mut queue, &work).unwrap();
        let mut expected = [0; 8];
        random(N).iter().for_each(|value| expected[*value as usize % 8] += 1);
        assert_eq!(counts.host().unwrap(), expected);
    });
}

#[test]
fn work_items_meet_at_barriers_and_share_local_memory() {
    code_object!();
    on_gpu("work_items_meet_at_barriers_and_share_local_memory", || {
        let gpu = gpu().unwrap();
        let (module, mut queue) = (module(gpu), Queue::new(gpu).unwrap());
        let kernel = module.kernel("sums").unwrap();
        for size in [1usize, 64, 256, 1024] {
            let numbers = random(5 * size);
            let (values, mut sums) = (buffer(gpu, &numbers), buffer(gpu, &[0u32; 5]));
            let launch = queue.launch(&kernel, Geometry::one(numbers.len() as u32, size as u16).unwrap()).unwrap();
            let launch = launch.dynamic_group_bytes(4 * size as u32).buffer(&values).buffer_mut(&mut sums);
            // SAFETY: a value for each work-item, a sum for each work-group, 4 bytes of local memory for each
            // work-item.
            let work = unsafe { launch.stack_bytes(STACK_BYTES).submit() }.unwrap();
            wait(&mut queue, &work).unwrap();
            let sum = |group: &[u32]| group.iter().fold(0u32, |sum, value| sum.wrapping_add(*value));
            let expected: Vec<u32> = numbers.chunks(size).map(sum).collect();
            assert_eq!(sums.host().unwrap(), expected, "work-groups of {size}");
        }
    });
}

#[test]
fn a_crate_of_others_computes_what_it_does_on_the_host() {
    code_object!();
    on_gpu("a_crate_of_others_computes_what_it_does_on_the_host", || {
        const HOST: crc::Crc<u32> = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC);
        let gpu = gpu().unwrap();
        let (module, mut queue) = (module(gpu), Queue::new(gpu).unwrap());
        let kernel = module.kernel("checksums").unwrap();
        let data: Vec<u8> = random(200 * 77).into_iter().map(|value| value as u8).collect();
        // Empty, shorter and longer than a table's row, and uneven.
        for len in [0usize, 1, 15, 16, 77] {
            let (bytes, mut sums) = (buffer(gpu, &data), buffer(gpu, &[0u32; 200]));
            let launch = queue.launch(&kernel, Geometry::covering([200], [64]).unwrap()).unwrap();
            let launch = launch.argument(200u32).argument(len as u32).buffer(&bytes).buffer_mut(&mut sums);
            // SAFETY: the buffer has at least `len` bytes for each of 200 sums.
            let work = unsafe { launch.stack_bytes(STACK_BYTES).submit() }.unwrap();
            wait(&mut queue, &work).unwrap();
            let expected: Vec<u32> = (0..200).map(|i| HOST.checksum(&data[i * len..][..len])).collect();
            assert_eq!(sums.host().unwrap(), expected, "{len} bytes");
        }
    });
}

#[test]
fn arguments_are_checked_and_a_panic_is_an_error() {
    code_object!();
    on_gpu("arguments_are_checked_and_a_panic_is_an_error", || {
        let gpu = gpu().unwrap();
        let (module, mut queue) = (module(gpu), Queue::new(gpu).unwrap());
        let kernel = module.kernel("checked").unwrap();
        let (values, mut out) = (buffer(gpu, &[10u32, 11, 12]), buffer(gpu, &[0u32]));

        let launch = queue.launch(&kernel, Geometry::one(1, 1).unwrap()).unwrap();
        // SAFETY: refused.
        let error = unsafe {
            launch.argument(3u64).argument(1u32).buffer(&values).buffer_mut(&mut out).stack_bytes(STACK_BYTES).submit()
        };
        let error = error.unwrap_err().to_string();
        assert!(
            error.starts_with("kernel checked: argument 0") && error.contains("has 4 bytes, 8 were given"),
            "{error}"
        );
        let launch = queue.launch(&kernel, Geometry::one(1, 1).unwrap()).unwrap();
        // SAFETY: refused.
        let error = unsafe { launch.argument(3u32).stack_bytes(STACK_BYTES).submit() }.unwrap_err().to_string();
        assert!(error.contains("4 arguments") && error.contains('1'), "{error}");

        for (index, expected) in [(2u32, Some(12)), (3, None)] {
            let launch = queue.launch(&kernel, Geometry::one(1, 1).unwrap()).unwrap();
            let launch = launch.argument(3u32).argument(index).buffer(&values).buffer_mut(&mut out);
            // SAFETY: there are 3 values.
            let work = unsafe { launch.stack_bytes(STACK_BYTES).submit() }.unwrap();
            match (wait(&mut queue, &work), expected) {
                (Ok(()), Some(value)) => assert_eq!(out.host().unwrap(), [value]),
                (Err(Error::Stopped { error: QueueError::Trap, .. }), None) => {}
                (outcome, expected) => panic!("{outcome:?}, and not {expected:?}"),
            }
        }
    });
}
