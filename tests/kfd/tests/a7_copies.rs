//! A7: copies by the copy engines.
use std::ptr::NonNull;
use std::time::Duration;

use kfd::{Buffer, Engine, Error, Placement, Result, SdmaQueue, Signal, Wait};
use kfd_tests::{engine_between_gpus, gpu, needs_vgpu, nth_gpu, on_gpu, on_gpu_with};

const LONG: Wait = Wait::Sleep(Duration::from_secs(300));

fn pattern(index: usize) -> u32 {
    (index as u32).wrapping_mul(0x9e37_79b9) ^ 0x5bd1_e995
}

#[test]
fn a7_copies_both_ways() {
    on_gpu("a7_copies_both_ways", || copies().unwrap());
}

/// The same by engines that begin a copy before the last one is done.
#[test]
fn a7_copies_that_overlap_are_done_when_they_are_counted() {
    let options = ["--hardware-bugs=overlapping-copies"];
    on_gpu_with(&options, "a7_copies_that_overlap_are_done_when_they_are_counted", || {
        copies().unwrap();
        round_the_ring().unwrap();
    });
}

fn copies() -> Result<()> {
    const N: usize = 3 << 20;
    let gpu = gpu()?;
    let mut host = Buffer::<u32>::new(gpu, N, Placement::HOST)?;
    host.host_mut()?.iter_mut().enumerate().for_each(|(index, value)| *value = pattern(index));
    let mut vram = Buffer::<u32>::new(gpu, N, Placement::VRAM)?;
    let mut back = Buffer::<u32>::new(gpu, N, Placement::HOST)?;
    // An MI100 has two engines for PCIe and six for xGMI.
    let [pcie, xgmi] =
        ["num_sdma_engines", "num_sdma_xgmi_engines"].map(|name| gpu.node().property(name).unwrap_or(0) as u32);
    let last = (pcie + xgmi).max(1) - 1;
    let for_pcie = [Engine::Any, Engine::Number(0), Engine::Number(1.min(last)), Engine::Number(last)];
    for engine in for_pcie.into_iter().chain((xgmi != 0).then_some(Engine::Xgmi)) {
        let mut sdma = SdmaQueue::new(gpu, engine)?;
        back.host_mut()?.fill(0);
        // 12 MiB are several packets. The second half of the work waits for the first by the order of the queue.
        drop(sdma.fill(&mut vram, 0, N, 0xabcd_0123)?);
        drop(sdma.copy(&host, 5, &mut vram, 1, N - 6)?);
        let work = sdma.copy(&vram, 0, &mut back, 0, N)?;
        sdma.wait(&work, LONG)?;
        let seen = back.host()?;
        assert_eq!((seen[0], seen[N - 5]), (0xabcd_0123, 0xabcd_0123), "{engine:?}: what was not copied over");
        for (index, word) in seen.iter().enumerate().take(N - 5).skip(1) {
            assert_eq!(*word, pattern(index + 4), "{engine:?}: word {index}");
        }
    }
    let mut sdma = SdmaQueue::new(gpu, Engine::Any)?;
    assert!(matches!(sdma.copy(&host, 1, &mut back, 0, N), Err(Error::Range { .. })));
    assert!(matches!(SdmaQueue::new(gpu, Engine::Number(last + 1)), Err(Error::Request { .. })));
    // Bytes, with no alignment at all.
    let mut bytes = Buffer::<u8>::new(gpu, 100, Placement::HOST)?;
    let mut some = Buffer::<u8>::new(gpu, 100, Placement::VISIBLE)?;
    bytes.host_mut()?.iter_mut().enumerate().for_each(|(index, value)| *value = index as u8);
    some.host_mut()?.fill(255);
    let work = sdma.copy(&bytes, 7, &mut some, 3, 51)?;
    sdma.wait(&work, LONG)?;
    let expected: Vec<u8> = (0..100).map(|at| if (3..54).contains(&at) { at + 4 } else { 255 }).collect();
    assert_eq!(some.host()?, expected);
    Ok(())
}

#[test]
fn a7_a_gibibyte_with_progress() {
    on_gpu("a7_a_gibibyte_with_progress", || gibibyte().unwrap());
}

fn gibibyte() -> Result<()> {
    const N: usize = 1 << 28;
    let gpu = gpu()?;
    let mut from = Buffer::<u32>::new(gpu, N, Placement::VRAM)?;
    let mut to = Buffer::<u32>::new(gpu, N, Placement::VRAM)?;
    let mut sdma = SdmaQueue::new(gpu, Engine::Any)?;
    drop(sdma.fill(&mut from, 0, N, 0x1234_5678)?);
    drop(sdma.fill(&mut from, N - 1, 1, 0x9abc_def0)?);
    let progress = Signal::new(gpu, 0)?;
    let work = sdma.copy_with_progress(&from, 0, &mut to, 0, N, &progress)?;
    let mut seen = vec![progress.value()];
    while !sdma.is_done(&work) {
        let value = progress.value();
        if seen.last() != Some(&value) {
            seen.push(value);
        }
    }
    sdma.wait(&work, LONG)?;
    assert_eq!(progress.value(), 0);
    assert!(seen.is_sorted_by(|a, b| a > b) && seen[0] <= 257 && seen.len() > 2, "{seen:?}");
    let mut end = Buffer::<u32>::new(gpu, 1 << 20, Placement::HOST)?;
    let work = sdma.copy(&to, N - (1 << 20), &mut end, 0, 1 << 20)?;
    sdma.wait(&work, LONG)?;
    let (last, rest) = end.host()?.split_last().expect("not empty");
    assert_eq!(*last, 0x9abc_def0);
    assert!(rest.iter().all(|value| *value == 0x1234_5678));
    Ok(())
}

#[test]
fn a7_engines_that_would_not_wait_are_not_asked_to() {
    on_gpu("a7_engines_that_would_not_wait_are_not_asked_to", || refused().unwrap());
}

fn refused() -> Result<()> {
    let gpu = gpu()?;
    // What this is about: gfx90x, but gfx90a.
    let (major, minor, stepping) = gpu.node().gfx_version();
    assert_eq!(gpu.node().engines_wait(), (major, minor) != (9, 0) || stepping == 10);
    if gpu.node().engines_wait() {
        return Ok(());
    }
    let mut to = Buffer::<u32>::new(gpu, 16, Placement::HOST)?;
    to.host_mut()?.fill(0);
    let mut sdma = SdmaQueue::new(gpu, Engine::Any)?;
    // Whatever its value is now: a program that is refused today is refused each time.
    for value in [0, 1] {
        let error = sdma.wait_for(&[&Signal::new(gpu, value)?]).unwrap_err();
        assert!(matches!(error, Error::Unsupported { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains("POLL_REGMEM") && text.contains("Signal::wait") && text.contains("Copier"), "{text}");
    }
    // It can be used as before, and it gives signals.
    let done = Signal::new(gpu, 1)?;
    drop(sdma.fill(&mut to, 0, 16, 3)?);
    sdma.signal(&done)?;
    done.wait(aql::Condition::Eq, 0, LONG)?;
    sdma.wait_idle(LONG)?;
    assert_eq!(to.host()?, [3; 16]);
    Ok(())
}

#[test]
fn a7_from_one_gpu_to_another() {
    on_gpu_with(&["--gpus", "2"], "a7_from_one_gpu_to_another", || peers().unwrap());
}

fn peers() -> Result<()> {
    const N: usize = 100_000;
    let gpus = [nth_gpu(0)?, nth_gpu(1)?];
    let mut first = Buffer::<u32>::new(gpus[0], N, Placement::VISIBLE)?;
    first.host_mut()?.iter_mut().enumerate().for_each(|(index, value)| *value = pattern(index));
    let mut second = Buffer::<u32>::new(gpus[1], N, Placement::VISIBLE)?;
    let mut sdma = SdmaQueue::new(gpus[0], engine_between_gpus(gpus[0]))?;
    assert!(matches!(sdma.copy(&first, 0, &mut second, 0, N), Err(Error::OtherDevice(_))));
    second.map_to(gpus[0])?;
    let work = sdma.copy(&first, 0, &mut second, 0, N)?;
    sdma.wait(&work, LONG)?;
    assert_eq!(second.host()?, first.host()?);
    assert_eq!(second.host()?[N - 1], pattern(N - 1));
    Ok(())
}

#[test]
fn a7_more_copies_than_the_ring_holds() {
    on_gpu("a7_more_copies_than_the_ring_holds", || round_the_ring().unwrap());
}

/// The ring of 1 MiB ends within the 17477th copy's packets of 60 bytes.
fn round_the_ring() -> Result<()> {
    const N: usize = 40_000;
    let gpu = gpu()?;
    let mut from = Buffer::<u32>::new(gpu, N, Placement::HOST)?;
    let mut to = Buffer::<u32>::new(gpu, N, Placement::HOST)?;
    from.host_mut()?.iter_mut().enumerate().for_each(|(index, value)| *value = pattern(index));
    to.host_mut()?.fill(0);
    let mut sdma = SdmaQueue::new(gpu, Engine::Any)?;
    for index in 0..N {
        loop {
            match sdma.copy(&from, index, &mut to, index, 1) {
                Ok(_) => break,
                Err(Error::QueueFull { .. }) => sdma.wait_for_room(LONG)?,
                Err(error) => return Err(error),
            }
        }
    }
    sdma.wait_idle(LONG)?;
    assert_eq!(to.host()?, from.host()?);
    Ok(())
}

#[test]
fn a7_a_copy_that_never_fits_the_ring_is_not_told_to_wait() {
    needs_vgpu!();
    on_gpu("a7_a_copy_that_never_fits_the_ring_is_not_told_to_wait", || larger_than_the_ring().unwrap());
}

/// 17477 parts of a copy with progress take 60 bytes of the ring each, which has 1 MiB. Pages that nobody touches take
/// no memory.
fn larger_than_the_ring() -> Result<()> {
    const BYTES: usize = 17477 * 0x3f_ffe0;
    let gpu = gpu()?;
    let mut sdma = SdmaQueue::new(gpu, Engine::Any)?;
    let done = Signal::new(gpu, 0)?;
    let pages = || {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping, wherever the kernel puts it.
        let at = unsafe { libc::mmap(std::ptr::null_mut(), BYTES, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        assert_ne!(at, libc::MAP_FAILED);
        let at = NonNull::new(at.cast::<u8>()).expect("not null");
        // SAFETY: the pages are never unmapped, and nothing else uses them.
        unsafe { Buffer::of_program(gpu, at, BYTES, Placement::HOST) }
    };
    let (from, mut to) = (pages()?, pages()?);
    let refused = sdma.copy_with_progress(&from, 0, &mut to, 0, BYTES, &done);
    let Err(Error::Value { value, .. }) = refused else { panic!("{refused:?}") };
    assert!(value > 1 << 20, "{value}");
    assert_eq!(done.value(), 0, "nothing was submitted");
    // Nor for good: a part of it is copied.
    let work = sdma.copy_with_progress(&from, 0, &mut to, 0, 64, &done)?;
    sdma.wait(&work, LONG)
}
