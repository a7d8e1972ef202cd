//! M4: memory of the GPU behind a descriptor, out of one API and into another.
use std::fs;
use std::os::fd::{AsFd, OwnedFd};

use rocm_interop::hip::HipModule;
use rocm_interop::memory::Place;
use rocm_interop::share::DmaBuf;
use rocm_interop::{Buffer, Error, Hip, OpenCl, Session};
use stack_tests::hip_version;

use crate::host::Pages;
use crate::{HIP, N, assert_same, both_sides, ran_alone, session};

/// More than the blocks of HSA's runtime have, and all of its buffer object.
const WHOLE: usize = BLOCK * 2;
/// Elements of such a block.
const BLOCK: usize = (2 << 20) / 4;

fn numbers() -> Vec<u32> {
    (0..WHOLE as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect()
}

fn tripled() -> Vec<u32> {
    numbers().iter().map(|i| i.wrapping_mul(3)).collect()
}

fn triple(session: &Session, buffer: &Buffer<u32, Hip>) {
    let kernel = HipModule::build(session, HIP).expect("module").kernel("triple").expect("kernel");
    // SAFETY: one work-item an element.
    unsafe { kernel.launch((buffer.len() / 64) as u32, 64, 0, &[buffer.into()]) }.expect("launch");
}

fn contents(buffer: &Buffer<u32, OpenCl>) -> Vec<u32> {
    let mut end = vec![0; buffer.len()];
    buffer.read(&mut end).expect("read");
    end
}

#[test]
fn m4_a_dma_buf_of_opencls_memory_is_used_by_hip() {
    needs_amd_opencl!();
    let session = session();
    let mut original = session.allocate::<u32>(WHOLE).expect("allocate");
    original.write(&numbers()).expect("write");
    let exported = original.export().expect("export");
    assert_eq!((exported.offset(), exported.bytes(), exported.object_bytes()), (0, 4 << 20, 4 << 20));
    assert_eq!(Place::of_dma_buf(&exported).expect("place"), Place::Gpu(session.device().pci()));
    let imported = session.import_hip::<u32>(&exported).expect("import");
    assert_eq!((imported.len(), imported.residency().place), (WHOLE, original.residency().place));
    assert_ne!(imported.address(), original.address(), "another mapping of the same bytes");
    triple(&session, &imported);
    let imported = imported.into_opencl().expect("hand-over");
    assert_same(&contents(&original), &tripled());
    assert_same(&contents(&imported), &tripled());
    imported.close().expect("close");
    assert_same(&contents(&original), &tripled());
}

#[test]
fn m4_a_dma_buf_of_hips_memory_is_used_by_both() {
    needs_amd_opencl!();
    let session = session();
    let mut original = session.allocate_hip::<u32>(WHOLE).expect("allocate").into_opencl().expect("hand-over");
    original.write(&numbers()).expect("write");
    let imported = session.import::<u32>(&original.export().expect("export")).expect("import");
    assert_eq!((imported.len(), imported.residency().place), (WHOLE, Place::Gpu(session.device().pci())));
    assert_eq!(imported.residency().bytes, 4 << 20);
    let imported = imported.into_hip().expect("hand-over");
    triple(&session, &imported);
    let imported = imported.into_opencl().expect("hand-over");
    assert_same(&contents(&original), &tripled());
    assert_same(&contents(&imported), &tripled());
    // The first N numbers of it, by both APIs.
    let part = session.allocate_hip::<u32>(WHOLE).expect("allocate").export().expect("export");
    let part = DmaBuf::from_fd(part.into_fd(), 4096, N as u64 * 4).expect("inside");
    both_sides(&session, session.import(&part).expect("import")).expect("both sides");
}

#[test]
fn m4_the_bytes_outlive_the_buffer_that_was_exported() {
    needs_amd_opencl!();
    let session = session();
    let mut original = session.allocate::<u32>(WHOLE).expect("allocate");
    original.write(&numbers()).expect("write");
    let exported = original.export().expect("export");
    original.close().expect("close");
    let imported = session.import::<u32>(&exported).expect("import");
    drop(exported);
    // What is allocated now is somewhere else.
    let mut other = session.allocate::<u32>(WHOLE).expect("allocate");
    other.write(&vec![7; WHOLE]).expect("write");
    assert_same(&contents(&imported), &numbers());
}

#[test]
fn m4_what_was_exported_is_nobody_elses_later() {
    needs_amd_opencl!();
    let session = session();
    // A block that is cut up, so that the one which is freed below is not the only one.
    let _first = session.allocate::<u32>(N).expect("allocate");
    for len in [BLOCK, BLOCK + N, WHOLE] {
        let mut original = session.allocate::<u32>(len).expect("allocate");
        original.write(&vec![1; len]).expect("write");
        let exported = match original.export() {
            Ok(exported) => exported,
            Err(error) => {
                assert!(matches!(&error, Error::Argument { subject: "export", .. }) && len == BLOCK, "{len}: {error}");
                continue;
            }
        };
        assert_eq!(exported.object_bytes(), (len * 4).next_multiple_of(2 << 20) as u64);
        original.close().expect("close");
        // As much as the freed object has, in pieces that the runtime cuts out of blocks.
        let others: Vec<_> = (0..len.div_ceil(N))
            .map(|_| {
                let mut other = session.allocate::<u32>(N).expect("allocate");
                other.write(&[7; N]).expect("write");
                other
            })
            .collect();
        let mut imported = session.import::<u32>(&exported).expect("import");
        assert_same(&contents(&imported), &vec![1; len]);
        imported.write(&vec![3; len]).expect("write");
        others.iter().for_each(|other| assert_same(&contents(other), &[7; N]));
    }
}

#[test]
fn m4_neighbours_are_exposed_by_name_only() {
    needs_amd_opencl!();
    let session = session();
    let small = || session.allocate::<u32>(N).expect("allocate");
    let (mut neighbour, mut buffer) = (small(), small());
    neighbour.write(&[7; N]).expect("write");
    buffer.write(&numbers()[..N]).expect("write");
    let error = buffer.export().expect_err("neighbours");
    assert!(matches!(error, Error::Argument { subject: "export", .. }), "{error}");
    let says = error.to_string();
    assert!(says.contains("access to 2097152 bytes") && says.contains("this one of 16384 bytes"), "{says}");
    assert!(says.contains("allocate more than 2 MiB, or call `export_with_neighbours`"), "{says}");

    let exported = buffer.export_with_neighbours().expect("export");
    assert_eq!((exported.bytes(), exported.object_bytes()), (N as u64 * 4, 2 << 20));
    let imported = session.import::<u32>(&exported).expect("import");
    assert_same(&contents(&imported), &numbers()[..N]);
    // Whoever has the descriptor has the neighbour too: what the name says.
    let offset = exported.offset() + neighbour.address() - buffer.address();
    let all = DmaBuf::from_fd(exported.into_fd(), offset, N as u64 * 4).expect("inside");
    assert_same(&contents(&session.import::<u32>(&all).expect("import")), &[7; N]);
    // A whole block is another buffer's when it is freed.
    let block = session.allocate::<u32>(BLOCK).expect("allocate");
    let error = block.export().expect_err("a block").to_string();
    assert!(error.contains("will be when this one of 2097152 bytes is dropped"), "{error}");
    assert_eq!(block.export_with_neighbours().expect("export").object_bytes(), 2 << 20);
}

#[test]
fn m4_what_is_no_memory_of_this_gpu_is_refused() {
    needs_amd_opencl!();
    let session = session();
    // A file of the right size, with which HIP 5 and 6 can end the process.
    let file = fs::File::open(std::env::current_exe().expect("this test")).expect("this test");
    let file = DmaBuf::from_fd(OwnedFd::from(file), 0, 4096).expect("inside");
    let refused = [session.import::<u32>(&file).map(drop), session.import_hip::<u32>(&file).map(drop)];
    for outcome in refused {
        let error = outcome.expect_err("a file").to_string();
        assert!(error.contains("KFD: AMDKFD_IOC_GET_DMABUF_INFO: EINVAL"), "{error}");
        assert!(error.contains("is the descriptor memory of an AMD GPU"), "{error}");
    }
    let exported = session.allocate::<u32>(WHOLE).expect("allocate").export().expect("export");
    let copy = || exported.as_fd().try_clone_to_owned().expect("a descriptor");
    let error = DmaBuf::from_fd(copy(), 4096, 4 << 20).expect_err("outside").to_string();
    assert!(error.contains("4194304 bytes at 4096 are not inside the buffer object of 4194304 bytes"), "{error}");
    let odd = DmaBuf::from_fd(copy(), 2, 4096).expect("inside");
    for outcome in [session.import::<u32>(&odd).map(drop), session.import_hip::<u32>(&odd).map(drop)] {
        let error = outcome.expect_err("not aligned").to_string();
        assert!(error.contains("4096 bytes at 2 have no whole element of 4 bytes aligned to 4"), "{error}");
    }

    let imported = session.import::<u32>(&exported).expect("import");
    let error = imported.export().expect_err("imported").to_string();
    assert!(error.contains("the buffer was imported; pass on the dma-buf"), "{error}");
    let pages = Pages::new();
    // SAFETY: the pages outlive the view.
    let view = unsafe { session.view_pages(pages.slice()) }.expect("view");
    for host in [session.allocate_host::<u32>(N).expect("allocate"), view] {
        let error = host.export_with_neighbours().expect_err("host memory").to_string();
        assert!(error.contains("the buffer is host memory, of which the driver gives no dma-buf"), "{error}");
        host.close().expect("close");
    }
}

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").expect("Linux").count()
}

#[test]
fn m4_imports_keep_no_descriptor_and_no_mapping() {
    needs_amd_opencl!();
    // ROCr ends the process where a thread asks about an address at which another just gets memory, of which it does
    // not know the node yet.
    if ran_alone("dmabuf::m4_imports_keep_no_descriptor_and_no_mapping", &[]) {
        return;
    }
    let session = session();
    let original = session.allocate::<u32>(WHOLE).expect("allocate");
    let gone = |address: u64| {
        let error = session.residency(address, 4).expect_err("given back").to_string();
        assert!(error.contains("_TYPE_UNKNOWN") || error.contains("_TYPE_GRAPHICS"), "{error}");
        error.contains("_TYPE_UNKNOWN")
    };
    let once = || {
        let exported = original.export().expect("export");
        let by_hsa = session.import::<u32>(&exported).expect("import");
        let by_hip = session.import_hip::<u32>(&exported).expect("import");
        let addresses = [by_hsa.address(), by_hip.address()];
        by_hsa.close().expect("close");
        by_hip.close().expect("close");
        addresses.map(gone)
    };
    // What the runtimes open when they first do it stays.
    once();
    let before = descriptors();
    for _ in 0..8 {
        // HIP 7.2 says that it gives the mapping back, and does not.
        assert_eq!(once(), [true, hip_version() < (7, 0)]);
    }
    if hip_version() < (7, 0) {
        assert_eq!(descriptors(), before);
    }
}
