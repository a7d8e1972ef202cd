//! A7: copies by kernels, and the choice between them and the copy engines.
use std::sync::Arc;
use std::time::Duration;

use kfd::{Buffer, Choice, Copier, Device, Engine, Error, Placement, Queue, Result, Signal, Wait};
use kfd_tests::{engine_between_gpus, gpu, nth_gpu, on_gpu, on_gpu_with};

const LONG: Wait = Wait::Sleep(Duration::from_secs(300));

fn pattern(index: usize) -> u32 {
    (index as u32).wrapping_mul(0x9e37_79b9) ^ 0x5bd1_e995
}

/// A buffer with `pattern`, from number `first` on.
fn patterned(gpu: Device, len: usize, first: usize, placement: Placement) -> Result<Buffer<u32>> {
    let mut buffer = Buffer::<u32>::new(gpu, len, placement)?;
    buffer.host_mut()?.iter_mut().enumerate().for_each(|(index, value)| *value = pattern(first + index));
    Ok(buffer)
}

#[test]
fn a7_a_copier_copies_within_a_buffer_and_into_shared_ones() {
    on_gpu("a7_a_copier_copies_within_a_buffer_and_into_shared_ones", || within_and_shared().unwrap());
}

fn within_and_shared() -> Result<()> {
    // Few values are a kernel's, many an engine's.
    const MANY: usize = 8192;
    let gpu = gpu()?;
    let mut copier = Copier::new(gpu, Engine::Any)?;
    let mut buffer = patterned(gpu, 3 * MANY, 0, Placement::HOST)?;
    let mut expected: Vec<u32> = (0..3 * MANY).map(pattern).collect();
    for (from, to, count, choice) in
        [(5, 100, 7, Choice::KernelForFewBytes), (1, 2 * MANY, MANY, Choice::EngineAcrossLink)]
    {
        let work = copier.copy_within(&mut buffer, from, to, count)?;
        assert_eq!(work.choice(), choice);
        copier.wait(&work, LONG)?;
        expected.copy_within(from..from + count, to);
        assert!(buffer.host()? == expected, "{choice}");
    }
    let overlap = copier.copy_within(&mut buffer, 0, 2, 3).map(drop).unwrap_err().to_string();
    assert!(overlap.contains("the two places of a copy within a buffer, in values is 2"), "{overlap}");
    let shared = Arc::new(patterned(gpu, 3 * MANY, 7, Placement::HOST)?);
    let others = shared.clone();
    for (from, to, count) in [(3, 9, 5), (0, MANY, MANY)] {
        // SAFETY: nobody has a slice of either, and the copies come one after the other.
        let ticket = unsafe { copier.copy_shared(&buffer, from, &shared, to, count) }?;
        ticket.wait(LONG)?;
    }
    let mut wanted: Vec<u32> = (7..7 + 3 * MANY).map(pattern).collect();
    wanted[9..14].copy_from_slice(&expected[3..8]);
    wanted[MANY..2 * MANY].copy_from_slice(&expected[..MANY]);
    assert!(others.host()? == wanted);
    // SAFETY: as above. Refused before anything is submitted.
    let overlap = unsafe { copier.copy_shared(&shared, 0, &shared, 1, 2) };
    assert!(matches!(overlap, Err(Error::Value { .. })), "{overlap:?}");
    Ok(())
}

#[test]
fn a7_a_kernel_copies_bytes_of_any_size_and_place() {
    on_gpu("a7_a_kernel_copies_bytes_of_any_size_and_place", || any_place().unwrap());
}

fn any_place() -> Result<()> {
    const N: usize = 300_000;
    let gpu = gpu()?;
    let mut queue = Queue::new(gpu)?;
    let mut from = Buffer::<u8>::new(gpu, N, Placement::HOST)?;
    from.host_mut()?.iter_mut().enumerate().for_each(|(index, value)| *value = pattern(index) as u8 | 1);
    let from = from;
    // 120 compute units hold 245760 work-items that move 16 bytes each: the last size takes fewer.
    for size in [0, 1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 255, 257, 4095, 4097, 65_537, N - 16] {
        // The host's memory and VRAM.
        let placement = if size % 2 == 0 { Placement::HOST } else { Placement::VISIBLE };
        let mut to = Buffer::<u8>::new(gpu, size + 40, placement)?;
        for from_at in [0, 1, 3, 4, 13] {
            for to_at in [0, 1, 6, 8, 15, 16] {
                to.host_mut()?.fill(0);
                let work = queue.copy(&from, from_at, &mut to, to_at, size)?;
                queue.wait(&work, LONG)?;
                let (seen, expected) = (to.host()?, &from.host()?[from_at..from_at + size]);
                assert_eq!(&seen[to_at..to_at + size], expected, "{size} bytes from {from_at} to {to_at}");
                let around = seen[..to_at].iter().chain(&seen[to_at + size..]);
                assert!(around.eq(std::iter::repeat_n(&0, 40)), "{size} bytes from {from_at} to {to_at}: around it");
            }
        }
    }
    let mut few = Buffer::<u8>::new(gpu, 10, Placement::HOST)?;
    assert!(matches!(queue.copy(&from, N, &mut few, 0, 1), Err(Error::Range { .. })));
    assert!(matches!(queue.copy(&from, 0, &mut few, 1, 10), Err(Error::Range { .. })));
    Ok(())
}

#[test]
fn a7_a_kernel_fills_words() {
    on_gpu("a7_a_kernel_fills_words", || fills().unwrap());
}

fn fills() -> Result<()> {
    let gpu = gpu()?;
    let mut queue = Queue::new(gpu)?;
    for placement in [Placement::HOST, Placement::VISIBLE] {
        for count in [0, 1, 2, 3, 4, 5, 63, 1023, 100_001] {
            let mut to = Buffer::<u32>::new(gpu, count + 10, placement)?;
            for index in 0..6 {
                to.host_mut()?.fill(1);
                let work = queue.fill(&mut to, index, count, 0xdead_beef)?;
                queue.wait(&work, LONG)?;
                for (at, value) in to.host()?.iter().enumerate() {
                    let expected = if (index..index + count).contains(&at) { 0xdead_beef } else { 1 };
                    assert_eq!(*value, expected, "{count} words at {index}: word {at}");
                }
            }
            assert!(matches!(queue.fill(&mut to, 11, count, 0), Err(Error::Range { .. })));
        }
    }
    // Other values of 4 bytes, by a kernel and by an engine.
    let mut copier = Copier::new(gpu, Engine::Any)?;
    for count in [10, 100_000] {
        let mut to = Buffer::<f32>::new(gpu, count, Placement::HOST)?;
        let work = copier.fill(&mut to, 0, count, -1.5)?;
        copier.wait(&work, LONG)?;
        assert!(to.host()?.iter().all(|value| *value == -1.5));
    }
    Ok(())
}

#[test]
fn a7_the_choice_by_size_and_direction() {
    on_gpu("a7_the_choice_by_size_and_direction", || choices().unwrap());
}

fn choices() -> Result<()> {
    use Choice::*;
    const N: usize = 70_000;
    let gpu = gpu()?;
    let mut copier = Copier::new(gpu, Engine::Any)?;
    let host = patterned(gpu, N, 0, Placement::HOST)?;
    let mut back = Buffer::<u32>::new(gpu, N, Placement::HOST)?;
    let mut first = Buffer::<u32>::new(gpu, N, Placement::VRAM)?;
    let mut second = Buffer::<u32>::new(gpu, N, Placement::VISIBLE)?;
    // 16 KiB are 4096 words.
    let cases = [(1, KernelForFewBytes), (4095, KernelForFewBytes), (4096, EngineAcrossLink), (N, EngineAcrossLink)];
    for (count, across) in cases {
        back.host_mut()?.fill(0);
        // What crosses the link behind a kernel is an engine's when the kernel is over.
        let up = copier.copy(&host, 0, &mut first, 0, count)?;
        assert_eq!(up.choice(), across, "{count} words up");
        drop(up);
        let inside = copier.copy(&first, 0, &mut second, N - count, count)?;
        assert_eq!(inside.choice(), KernelInOwnMemory, "{count} words inside");
        copier.wait(&inside, LONG)?;
        let down = copier.copy(&second, N - count, &mut back, 0, count)?;
        assert_eq!(down.choice(), across, "{count} words down");
        copier.wait(&down, LONG)?;
        assert!(back.host()?[..count] == host.host()?[..count] && back.host()?[count..].iter().all(|&word| word == 0));

        let fill = copier.fill(&mut first, 0, count, 3)?;
        assert_eq!(fill.choice(), KernelInOwnMemory);
        copier.wait(&fill, LONG)?;
        let fill = copier.fill(&mut back, 0, count, 4)?;
        assert_eq!(fill.choice(), across);
        copier.wait(&fill, LONG)?;
        assert!(back.host()?[..count].iter().all(|&word| word == 4));
    }
    assert_eq!(EngineAcrossLink.to_string(), "a copy engine, as the bytes cross PCIe or xGMI");
    let expected = "a kernel, as there was something to wait for, for which copy engines do not wait reliably";
    assert_eq!(KernelToWait.to_string(), expected);
    // The work of another copier is not waited for here.
    let mut other = Copier::new(gpu, Engine::Any)?;
    let work = other.copy(&host, 0, &mut first, 0, N)?;
    assert!(matches!(copier.wait(&work, LONG), Err(Error::OtherQueue)));
    other.wait_idle(LONG)
}

/// Everything is submitted before any of it may start, in any order that the device chooses.
#[test]
fn a7_kernels_and_engines_take_turns() {
    for seed in ["1", "2", "3"] {
        on_gpu_with(&["--schedule", seed], "a7_kernels_and_engines_take_turns", || turns().unwrap());
    }
}

fn turns() -> Result<()> {
    const N: usize = 500_000;
    let gpu = gpu()?;
    let mut copier = Copier::new(gpu, Engine::Any)?;
    let mut host = patterned(gpu, N, 0, Placement::HOST)?;
    let mut back = Buffer::<u32>::new(gpu, N, Placement::HOST)?;
    let mut first = Buffer::<u32>::new(gpu, N, Placement::VRAM)?;
    let mut second = Buffer::<u32>::new(gpu, N, Placement::VRAM)?;
    let (start, end) = (Signal::new(gpu, 1)?, Signal::new(gpu, 1)?);
    copier.wait_for(&[&start])?;
    drop(copier.fill(&mut first, 0, N, 1)?);
    let up = copier.copy(&host, 0, &mut first, 1, N - 1)?;
    assert_eq!(up.choice(), Choice::KernelToWait);
    drop(copier.copy(&first, 0, &mut second, 0, N)?);
    drop(copier.fill(&mut first, 0, N, 2)?);
    let last = copier.copy(&second, 0, &mut back, 0, N)?;
    copier.signal(&end)?;
    assert!(!copier.is_done(&last) && end.value() == 1);
    start.set(0);
    end.wait(aql::Condition::Eq, 0, LONG)?;
    assert!(copier.is_done(&last));
    copier.wait(&last, LONG)?;
    assert_eq!(back.host()?[0], 1);
    assert!(back.host()?[1..] == host.host()?[..N - 1]);
    // Also what was not waited for by itself is over.
    host.host_mut()?.fill(0);
    Ok(())
}

/// What a copy has to wait for, a kernel or a signal, on hardware whose engines do not always wait.
#[test]
fn a7_copies_wait_where_polls_end_early() {
    for seed in ["1", "2", "3"] {
        let options = ["--hardware-bugs", "--schedule", seed];
        on_gpu_with(&options, "a7_copies_wait_where_polls_end_early", || early_polls().unwrap());
    }
}

fn early_polls() -> Result<()> {
    const N: usize = 300_000;
    let gpu = gpu()?;
    let mut copier = Copier::new(gpu, Engine::Any)?;
    let mut other = Queue::new(gpu)?;
    let mut vram = Buffer::<u32>::new(gpu, N, Placement::VRAM)?;
    let mut back = Buffer::<u32>::new(gpu, N, Placement::HOST)?;
    for round in 1..=8 {
        drop(copier.fill(&mut vram, 0, N, round)?);
        let work = copier.copy(&vram, 0, &mut back, 0, N)?;
        copier.wait(&work, LONG)?;
        assert!(back.host()?.iter().all(|&word| word == round), "round {round}: a copy behind a kernel");

        let (gate, end) = (Signal::new(gpu, 1)?, Signal::new(gpu, 1)?);
        copier.wait_for(&[&gate])?;
        drop(copier.copy(&vram, 0, &mut back, 0, N)?);
        copier.signal(&end)?;
        drop(other.fill(&mut vram, 0, N, 100 + round)?);
        other.signal(&gate)?;
        end.wait(aql::Condition::Eq, 0, LONG)?;
        assert_eq!(gate.value(), 0, "round {round}: a signal behind a copy behind a signal");
        copier.wait_idle(LONG)?;
        other.wait_idle(LONG)?;
        assert!(back.host()?.iter().all(|&word| word == 100 + round), "round {round}: a copy behind a signal");

        // Nothing is left to wait for, so that an engine does it; a signal behind it waits for one that comes after it,
        // too.
        let work = copier.copy(&vram, 0, &mut back, 0, N)?;
        assert_eq!(work.choice(), Choice::EngineAcrossLink);
        drop(work);
        let (gate, end) = (Signal::new(gpu, 1)?, Signal::new(gpu, 1)?);
        copier.wait_for(&[&gate])?;
        copier.signal(&end)?;
        drop(other.fill(&mut vram, 0, N, round)?);
        other.signal(&gate)?;
        end.wait(aql::Condition::Eq, 0, LONG)?;
        assert_eq!(gate.value(), 0, "round {round}: a signal behind a signal");
        copier.wait_idle(LONG)?;
        other.wait_idle(LONG)?;
    }
    Ok(())
}

/// A wait for one of a copier's works ends those before it, whoever did them.
#[test]
fn a7_what_the_other_one_did_before_is_over_too() {
    on_gpu("a7_what_the_other_one_did_before_is_over_too", || both_are_over().unwrap());
}

fn both_are_over() -> Result<()> {
    const N: usize = 50_000;
    let gpu = gpu()?;
    let mut copier = Copier::new(gpu, Engine::Any)?;
    for engine_first in [true, false] {
        let counts = if engine_first { [N, 10] } else { [10, N] };
        let mut from = patterned(gpu, N, 0, Placement::HOST)?;
        let mut first = Buffer::<u32>::new(gpu, N, Placement::HOST)?;
        let mut second = Buffer::<u32>::new(gpu, N, Placement::HOST)?;
        let before = copier.copy(&from, 0, &mut first, 0, counts[0])?;
        assert_eq!(before.choice().is_kernel(), !engine_first);
        // Seen to be done, and not waited for.
        let start = std::time::Instant::now();
        while !copier.is_done(&before) {
            assert!(start.elapsed() < Duration::from_secs(300), "it never ends");
            std::thread::yield_now();
        }
        let last = copier.copy(&from, 0, &mut second, 0, counts[1])?;
        assert_eq!(last.choice().is_kernel(), engine_first);
        copier.wait(&last, LONG)?;
        assert!(first.host()?[..counts[0]] == from.host()?[..counts[0]], "the first work's buffer is the host's again");
        assert!(second.host()?[..counts[1]] == from.host()?[..counts[1]]);
        first.host_mut()?[0] = 0;
        from.host_mut()?[0] = 0;
    }
    Ok(())
}

#[test]
fn a7_a_gibibyte_by_a_kernel() {
    on_gpu("a7_a_gibibyte_by_a_kernel", || gibibyte().unwrap());
}

fn gibibyte() -> Result<()> {
    const N: usize = 1 << 28;
    const PART: usize = 1 << 22;
    let gpu = gpu()?;
    let mut copier = Copier::new(gpu, Engine::Any)?;
    let mut from = Buffer::<u32>::new(gpu, N, Placement::VRAM)?;
    let mut to = Buffer::<u32>::new(gpu, N, Placement::VRAM)?;
    // Parts that differ, at places that are not aligned, between words that a kernel sets.
    let parts = (0..16).map(|part| (part * PART, part * (N / 16) + part)).collect::<Vec<_>>();
    drop(copier.fill(&mut from, 0, N, 0x1234_5678)?);
    let host = patterned(gpu, 16 * PART, 0, Placement::HOST)?;
    for (first, at) in &parts {
        drop(copier.copy(&host, *first, &mut from, *at, PART)?);
    }
    let work = copier.copy(&from, 0, &mut to, 0, N)?;
    assert_eq!(work.choice(), Choice::KernelInOwnMemory);
    copier.wait(&work, LONG)?;
    let mut back = Buffer::<u32>::new(gpu, N / 16, Placement::HOST)?;
    for (sixteenth, (first, at)) in parts.into_iter().enumerate() {
        let start = sixteenth * (N / 16);
        let work = copier.copy(&to, start, &mut back, 0, N / 16)?;
        copier.wait(&work, LONG)?;
        let (seen, skipped) = (back.host()?, at - start);
        assert!(seen[skipped..skipped + PART] == host.host()?[first..first + PART], "part {sixteenth}");
        let around = seen[..skipped].iter().chain(&seen[skipped + PART..]);
        assert!(around.into_iter().all(|&word| word == 0x1234_5678), "around part {sixteenth}");
    }
    Ok(())
}

#[test]
fn a7_copies_between_two_gpus_by_kernels_and_engines() {
    let name = "a7_copies_between_two_gpus_by_kernels_and_engines";
    on_gpu_with(&["--gpus", "2"], name, || two_gpus().unwrap());
}

fn two_gpus() -> Result<()> {
    const N: usize = 50_000;
    let gpus = [nth_gpu(0)?, nth_gpu(1)?];
    for [own, peer] in [gpus, [gpus[1], gpus[0]]] {
        let mut queue = Queue::new(own)?;
        let mut copier = Copier::new(own, engine_between_gpus(own))?;
        let near = patterned(own, N, 100, Placement::VISIBLE)?;
        let mut far = Buffer::<u32>::new(peer, N, Placement::VISIBLE)?;
        let mut back = Buffer::<u32>::new(own, N, Placement::VISIBLE)?;
        assert!(matches!(queue.copy(&near, 0, &mut far, 0, N), Err(Error::OtherDevice(_))));
        assert!(matches!(copier.copy(&near, 0, &mut far, 0, 1), Err(Error::OtherDevice(_))));
        far.map_to(own)?;
        // There and back by the same GPU, by either.
        let there = queue.copy(&near, 0, &mut far, 1, N - 1)?;
        queue.wait(&there, LONG)?;
        assert!(far.host()?[1..] == near.host()?[..N - 1]);
        let again = copier.copy(&far, 1, &mut back, 0, N - 1)?;
        assert_eq!(again.choice(), Choice::EngineAcrossLink);
        copier.wait(&again, LONG)?;
        assert!(back.host()?[..N - 1] == near.host()?[..N - 1]);
        let few = copier.copy(&far, N / 2, &mut back, 0, 99)?;
        assert_eq!(few.choice(), Choice::KernelForFewBytes);
        copier.wait(&few, LONG)?;
        assert!(back.host()?[..99] == near.host()?[N / 2 - 1..N / 2 + 98]);
    }
    Ok(())
}
