//! Arenas of `kfd-runtime`: fragments that are used again when the GPU is done with them, limits, and what an
//! allocation that fails says.
use std::thread;

use kfd::raw::{Command, Queue, SdmaQueue};
use kfd::{Device, Engine, Placement, Signal, Ticket, Wait};
use kfd_runtime::{Arena, Error, Fragment, Result};
use kfd_tests::within::{LONG, within_long};
use kfd_tests::{gpu, on_gpu};

const SOON: Wait = Wait::Sleep(LONG);
const MIB: u64 = 1 << 20;

/// Work that is done when the signal is 0.
fn held(gpu: Device, gate: &Signal) -> Result<(Queue, Ticket)> {
    let mut queue = Queue::new(gpu)?;
    queue.wait_for(&[gate])?;
    // SAFETY: nothing is named.
    let ticket = unsafe { queue.submit(&[]) }?;
    Ok((queue, ticket))
}

#[test]
fn runtime_arena_uses_fragments_again_when_their_work_is_over() {
    on_gpu("runtime_arena_uses_fragments_again_when_their_work_is_over", || within_long(again));
}

fn again() -> Result<()> {
    let gpu = gpu()?;
    let arena = Arena::new(gpu, Placement::HOST, 32 * MIB);
    let gate = Signal::new(gpu, 1)?;
    let ((mut queue, one), (other_queue, two)) = (held(gpu, &gate)?, held(gpu, &gate)?);
    let mut large = arena.get(20 * MIB)?;
    let place = large.address();
    assert!(place.is_multiple_of(256) && large.bytes() == 20 * MIB);
    large.used_by(&one);
    large.used_by(&two);
    // SAFETY: nothing is named.
    large.used_by(&unsafe { queue.submit(&[]) }?);
    drop(large);
    let seen = arena.statistics()?;
    assert_eq!((seen.blocks, seen.reserved_bytes, seen.fragments), (1, 32 * MIB, 0));
    assert_eq!((seen.used_bytes, seen.waiting_bytes, seen.free_bytes), (0, 20 * MIB, 12 * MIB));
    assert_eq!(seen.most_used_bytes, 20 * MIB);
    // It still waits, so there is no room, and the error says where it is.
    let error = arena.get(15 * MIB).unwrap_err();
    let Error::NoRoom { bytes, limit, arena: told, vram: None } = &error else { panic!("{error}") };
    assert_eq!((*bytes, *limit, *told), (15 * MIB, 32 * MIB, seen));
    let text = error.to_string();
    for part in ["15728640 bytes", "20971520 given back and waiting", "12582912 free", "limit is 33554432"] {
        assert!(text.contains(part), "{text}");
    }
    let beside = arena.get(12 * MIB)?;
    assert!(beside.address() + beside.bytes() <= place || place + 20 * MIB <= beside.address());
    gate.set(0);
    queue.wait_idle(SOON)?;
    two.wait(SOON)?;
    let second = arena.get(15 * MIB)?;
    assert_eq!(second.address(), place, "it is used again");
    assert_eq!(arena.statistics()?.waiting_bytes, 0);
    drop((second, beside));
    let empty = arena.statistics()?;
    assert_eq!((empty.free_bytes, empty.largest_free_bytes, empty.most_used_bytes), (32 * MIB, 32 * MIB, 32 * MIB));
    assert_eq!(arena.trim()?, 32 * MIB);
    assert_eq!(arena.statistics()?.blocks, 0);
    // A queue that is dropped is done with what it used.
    gate.set(1);
    let (queue, ticket) = held(gpu, &gate)?;
    let mut whole = arena.get(32 * MIB)?;
    whole.used_by(&ticket);
    drop(whole);
    assert!(matches!(arena.get(32 * MIB), Err(Error::NoRoom { .. })));
    drop((queue, other_queue));
    arena.get(32 * MIB).map(drop)
}

#[test]
fn runtime_arena_of_many_threads_gives_each_its_own() {
    on_gpu("runtime_arena_of_many_threads_gives_each_its_own", || within_long(threads));
}

/// Each thread fills fragments with its own values, drops them at once, and copies others out: what is given out twice
/// is seen.
fn threads() -> Result<()> {
    const ROUNDS: u32 = 60;
    const WORDS: u64 = 1000;
    let gpu = gpu()?;
    let arena = Arena::new(gpu, Placement::VRAM, 4 * MIB);
    let results = Arena::new(gpu, Placement::HOST, 64 * MIB);
    let work = |thread: u32| {
        let (arena, results) = (arena.clone(), results.clone());
        move || -> Result<()> {
            let mut engine = SdmaQueue::new(gpu, Engine::Any)?;
            let mut kept: Vec<(Fragment, u32)> = Vec::new();
            for round in 0..ROUNDS {
                let value = thread << 16 | round;
                let mut fragment = arena.get(WORDS * 4)?;
                let result = results.get(WORDS * 4)?;
                let (from, to) = (fragment.address(), result.address());
                // SAFETY: inside the fragments, which are kept for the work.
                let ticket = unsafe {
                    engine.submit(&[Command::Fill { to: from, value, bytes: WORDS * 4 }])?;
                    engine.submit(&[Command::Copy { from, to, bytes: WORDS * 4 }])?
                };
                fragment.used_by(&ticket);
                kept.push((result, value));
            }
            engine.wait_idle(SOON)?;
            for (result, value) in kept {
                let start = result.host()?.cast::<u32>();
                // SAFETY: inside the fragment, of which all work is done.
                let seen = (0..WORDS as usize).map(|at| unsafe { start.add(at).read_volatile() });
                assert!(seen.into_iter().all(|word| word == value), "{value:#x}");
            }
            Ok(())
        }
    };
    let threads: Vec<_> = (1..5).map(|thread| std::thread::spawn(work(thread))).collect();
    threads.into_iter().try_for_each(|thread: thread::JoinHandle<Result<()>>| thread.join().expect("no panic"))?;
    let seen = arena.statistics()?;
    assert_eq!((seen.fragments, seen.used_bytes, seen.waiting_bytes), (0, 0, 0));
    assert!(seen.reserved_bytes <= 4 * MIB && seen.most_used_bytes >= 1024, "{seen:?}");
    Ok(())
}

#[test]
fn runtime_arena_limits_and_odd_sizes() {
    on_gpu("runtime_arena_limits_and_odd_sizes", || within_long(limits));
}

fn limits() -> Result<()> {
    let gpu = gpu()?;
    let arena = Arena::new(gpu, Placement::HOST, 3 * MIB);
    for (bytes, align) in [(0, 256), (1, 3), (1, 0), (1, 8192)] {
        let refused = arena.get_aligned(bytes, align);
        assert!(matches!(refused, Err(Error::Kfd(kfd::Error::Value { .. }))), "{bytes} {align}: {refused:?}");
    }
    for bytes in [3 * MIB + 1, u64::MAX - 100, u64::MAX] {
        let refused = arena.get(bytes).unwrap_err();
        assert!(matches!(refused, Error::NoRoom { limit, .. } if limit == 3 * MIB), "{refused}");
        assert!(refused.to_string().contains("its limit is 3145728 bytes"), "{refused}");
    }
    assert_eq!(arena.statistics()?.blocks, 0, "nothing was asked of the driver");
    // Nor does a size at the end of what numbers can say overflow, which left the arena locked.
    let endless = Arena::new(gpu, Placement::HOST, u64::MAX);
    for bytes in [u64::MAX, u64::MAX - 100, u64::MAX - 255, u64::MAX - 4095, 1 << 63, (1 << 46) + 1] {
        assert!(
            matches!(endless.get(bytes), Err(Error::NoRoom { .. } | Error::Kfd(kfd::Error::Value { .. }))),
            "{bytes:#x}"
        );
        let seen = endless.statistics()?;
        assert_eq!((seen.blocks, seen.fragments, seen.reserved_bytes), (0, 0, 0), "{bytes:#x}");
    }
    assert_eq!(endless.get(100)?.bytes(), 256);
    let (one, page) = (arena.get(1)?, arena.get_aligned(5000, 4096)?);
    assert_eq!((one.bytes(), page.bytes()), (256, 5120));
    assert!(page.address().is_multiple_of(4096));
    assert!(page.part(5000, 121).is_err() && page.part(5000, 120).is_ok());
    // SAFETY: inside the fragment.
    unsafe { page.host()?.add(5119).write_volatile(7) };
    // The whole arena is one block, as small as the limit; trimmed, it makes room for another.
    assert_eq!(arena.statistics()?.reserved_bytes, 3 * MIB);
    assert!(matches!(arena.get(3 * MIB), Err(Error::NoRoom { .. })));
    drop((one, page));
    let all = arena.get(3 * MIB)?;
    drop(arena);
    // A fragment keeps its arena.
    // SAFETY: inside the fragment.
    unsafe { all.host()?.write_volatile(1) };
    // Where the GPU's memory is full, the error tells how much there is.
    let vram = gpu.available_vram()?;
    let arena = Arena::new(gpu, Placement::VRAM, vram * 2);
    let error = arena.get(vram + MIB).unwrap_err();
    assert!(matches!(error, Error::NoRoom { vram: Some(left), .. } if left <= vram), "{error}");
    assert!(error.to_string().contains("bytes of VRAM left"), "{error}");
    // What is left is given, block by block.
    let mut fragments = Vec::new();
    let refused = loop {
        match arena.get(vram / 8) {
            Ok(fragment) => fragments.push(fragment),
            Err(error) => break error,
        }
    };
    assert!(matches!(refused, Error::NoRoom { .. }), "{refused}");
    assert!((6..=8).contains(&fragments.len()), "{}", fragments.len());
    Ok(())
}

#[test]
fn runtime_arena_that_is_dropped_under_work_keeps_the_memory() {
    on_gpu("runtime_arena_that_is_dropped_under_work_keeps_the_memory", || within_long(dropped));
}

fn dropped() -> Result<()> {
    let gpu = gpu()?;
    let free = gpu.available_vram()?;
    let gate = Signal::new(gpu, 1)?;
    let (mut queue, ticket) = held(gpu, &gate)?;
    let with_queue = gpu.available_vram()?;
    let arena = Arena::new(gpu, Placement::VRAM, 64 * MIB);
    let mut used = arena.get(MIB)?;
    used.used_by(&ticket);
    drop((used, arena));
    assert!(gpu.available_vram()? < with_queue, "a queue may still use it");
    gate.set(0);
    queue.wait_idle(SOON)?;
    // One of which no work is left goes back.
    let before = gpu.available_vram()?;
    let arena = Arena::new(gpu, Placement::VRAM, 64 * MIB);
    let mut used = arena.get(MIB)?;
    used.used_by(&ticket);
    assert!(gpu.available_vram()? < before);
    drop((used, arena));
    assert_eq!(gpu.available_vram()?, before);
    assert!(before < free);
    Ok(())
}
