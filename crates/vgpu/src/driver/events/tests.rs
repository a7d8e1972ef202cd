use super::*;

fn wanted(event: u32, last_age: u64) -> Wanted {
    Wanted { event, last_age }
}

const NOW: Option<Duration> = Some(Duration::ZERO);

#[test]
fn auto_reset_events_are_taken_once() {
    let events = Events::default();
    let id = events.create(SIGNAL, true).unwrap();
    assert_eq!(id, 1);
    assert_eq!(events.wait(&[wanted(id, 0)], true, NOW).unwrap().0, Waited::Timeout);
    events.set(id).unwrap();
    assert_eq!(events.wait(&[wanted(id, 0)], true, NOW).unwrap().0, Waited::Complete);
    assert_eq!(events.wait(&[wanted(id, 0)], true, NOW).unwrap().0, Waited::Timeout);
}

#[test]
fn ages_tell_of_events_that_were_raised_meanwhile() {
    let events = Events::default();
    let id = events.create(SIGNAL, true).unwrap();
    events.set(id).unwrap();
    assert_eq!(events.wait(&[wanted(id, 0)], true, NOW).unwrap(), (Waited::Complete, vec![None]));
    let (waited, payloads) = events.wait(&[wanted(id, 1)], true, NOW).unwrap();
    assert_eq!((waited, payloads), (Waited::Complete, vec![Some(Payload::Age(2))]));
    assert_eq!(events.wait(&[wanted(id, 2)], true, NOW).unwrap().0, Waited::Timeout);
}

#[test]
fn an_interrupt_wakes_a_sleeping_wait() {
    let events = Arc::new(Events::default());
    let (id, other) = (events.create(SIGNAL, true).unwrap(), events.create(SIGNAL, true).unwrap());
    let waiting = {
        let events = events.clone();
        std::thread::spawn(move || events.wait(&[wanted(other, 0), wanted(id, 0)], false, None))
    };
    // SAFETY: the page has a slot for every id.
    unsafe { events.page().unwrap().host().cast::<u64>().add(id as usize).write(u64::from(id)) };
    events.interrupt(id);
    assert_eq!(waiting.join().unwrap().unwrap().0, Waited::Complete);
    // SAFETY: as above.
    assert_eq!(unsafe { events.page().unwrap().host().cast::<u64>().add(id as usize).read() }, UNSIGNALED);
}

extern "C" fn nothing(_: libc::c_int) {}

/// Waits 300 ms for an event while a signal comes to the thread, whose handler has these flags.
fn wait_with_signal(signal: libc::c_int, flags: libc::c_int) -> (Result<Waited, Errno>, Duration) {
    let events = Events::default();
    let id = events.create(SIGNAL, true).unwrap();
    // SAFETY: the handler does nothing; the signal is used by this test alone.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = nothing as *const () as usize;
        action.sa_flags = flags;
        assert_eq!(libc::sigaction(signal, &action, std::ptr::null_mut()), 0);
    }
    // SAFETY: no preconditions.
    let waiting = unsafe { libc::pthread_self() };
    std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            // SAFETY: the thread waits for this one.
            unsafe { libc::pthread_kill(waiting, signal) };
        });
        let start = Instant::now();
        let waited = events.wait(&[wanted(id, 0)], true, Some(Duration::from_millis(300)));
        (waited.map(|(waited, _)| waited), start.elapsed())
    })
}

#[test]
fn a_signal_handler_ends_the_wait() {
    assert_eq!(wait_with_signal(libc::SIGUSR1, 0).0, Err(Errno::EINTR));
}

/// The caller hears nothing of what was raised before the handler ran: the next wait does.
#[test]
fn what_was_raised_before_a_signal_handler_ran_is_not_lost() {
    let events = Arc::new(Events::default());
    let (once, kept, never) = (
        events.create(SIGNAL, true).unwrap(),
        events.create(SIGNAL, false).unwrap(),
        events.create(SIGNAL, true).unwrap(),
    );
    events.set(once).unwrap();
    events.set(kept).unwrap();
    // SAFETY: the handler does nothing; other tests set the same one.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = nothing as *const () as usize;
        assert_eq!(libc::sigaction(libc::SIGUSR1, &action, std::ptr::null_mut()), 0);
    }
    let waiting = {
        let events = events.clone();
        std::thread::spawn(move || events.wait(&[wanted(once, 0), wanted(kept, 0), wanted(never, 0)], true, None))
    };
    use std::os::unix::thread::JoinHandleExt;
    while !waiting.is_finished() {
        // Until one finds it asleep.
        // SAFETY: it is not joined yet.
        unsafe { libc::pthread_kill(waiting.as_pthread_t(), libc::SIGUSR1) };
        std::thread::yield_now();
    }
    assert_eq!(waiting.join().unwrap(), Err(Errno::EINTR));
    for (event, times) in [(once, 1), (kept, 2), (never, 0)] {
        for time in 0..=times {
            let expected = if time < times || (event == kept) { Waited::Complete } else { Waited::Timeout };
            assert_eq!(events.wait(&[wanted(event, 0)], true, NOW).unwrap().0, expected, "event {event}, time {time}");
        }
    }
}

#[test]
fn a_signal_handler_that_restarts_calls_does_not_end_the_wait() {
    let (waited, time) = wait_with_signal(libc::SIGUSR2, libc::SA_RESTART);
    assert_eq!(waited, Ok(Waited::Timeout));
    assert!(time >= Duration::from_millis(300), "{time:?}");
}

#[test]
fn an_interrupt_of_no_event_is_for_all_that_were_written() {
    let events = Events::default();
    let (gone, id, quiet) = (
        events.create(SIGNAL, false).unwrap(),
        events.create(SIGNAL, false).unwrap(),
        events.create(SIGNAL, false).unwrap(),
    );
    events.destroy(gone).unwrap();
    for slot in [gone, id] {
        // SAFETY: the page has a slot for every id.
        unsafe { events.page().unwrap().host().cast::<u64>().add(slot as usize).write(1) };
    }
    events.interrupt(gone);
    assert_eq!(events.wait(&[wanted(id, 0)], true, NOW).unwrap().0, Waited::Complete);
    assert_eq!(events.wait(&[wanted(quiet, 0)], true, NOW).unwrap().0, Waited::Timeout);
}

#[test]
fn an_unknown_event_fails_the_wait_after_what_comes_before_it_was_taken() {
    let events = Events::default();
    let (first, last) = (events.create(SIGNAL, true).unwrap(), events.create(SIGNAL, true).unwrap());
    events.set(first).unwrap();
    events.set(last).unwrap();
    let all = [wanted(first, 0), wanted(77, 0), wanted(last, 0)];
    assert_eq!(events.wait(&all, false, NOW), Err(Errno::EINVAL));
    assert_eq!(events.wait(&[wanted(first, 0)], true, NOW).unwrap().0, Waited::Timeout);
    assert_eq!(events.wait(&[wanted(last, 0)], true, NOW).unwrap().0, Waited::Complete);
    assert!(events.lock().events.values().all(|event| event.waiters.is_empty()));
}

#[test]
fn all_means_all_and_any_takes_every_one_that_is_raised() {
    let events = Events::default();
    let ids = [events.create(SIGNAL, true).unwrap(), events.create(SIGNAL, true).unwrap()];
    let both = ids.map(|id| wanted(id, 0));
    events.set(ids[1]).unwrap();
    assert_eq!(events.wait(&both, true, NOW).unwrap().0, Waited::Timeout);
    // The wait that ended by its time has taken the one event all the same.
    assert_eq!(events.wait(&both, false, NOW).unwrap().0, Waited::Timeout);
    events.set(ids[0]).unwrap();
    events.set(ids[1]).unwrap();
    assert_eq!(events.wait(&both, false, NOW).unwrap().0, Waited::Complete);
    assert_eq!(events.wait(&both, false, NOW).unwrap().0, Waited::Timeout);
}

#[test]
fn destroying_fails_the_wait() {
    let events = Arc::new(Events::default());
    let id = events.create(SIGNAL, false).unwrap();
    let waiting = {
        let events = events.clone();
        std::thread::spawn(move || events.wait(&[wanted(id, 0)], false, Some(Duration::from_secs(20))))
    };
    while events.lock().waiters.is_empty() {
        std::thread::yield_now();
    }
    events.destroy(id).unwrap();
    assert_eq!(waiting.join().unwrap(), Err(Errno::EIO));
    assert_eq!(events.set(id), Err(Errno::EINVAL));
    assert_eq!(events.wait(&[wanted(id, 0)], false, NOW), Err(Errno::EINVAL));
}

#[test]
fn memory_faults_carry_the_page() {
    let events = Events::default();
    let id = events.create(MEMORY, false).unwrap();
    assert_eq!(id, 0x4000_0000);
    assert_eq!(events.set(id), Err(Errno::EINVAL));
    let reason = FaultReason { not_present: true, ..FaultReason::default() };
    events.memory_fault(7, 0x1234_5678, reason);
    let (_, payloads) = events.wait(&[wanted(id, 0)], true, None).unwrap();
    assert_eq!(payloads, [Some(Payload::MemoryFault { gpu_id: 7, address: 0x1234_5000, reason })]);
}

#[test]
fn the_drivers_page_has_as_many_events_as_the_program_maps() {
    let events = Events::default();
    assert_eq!(events.map_page(4096).unwrap_err(), Errno::EINVAL);
    for id in 1..OLD_LIMIT {
        assert_eq!(events.create(SIGNAL, true), Ok(id));
    }
    assert_eq!(events.create(SIGNAL, true), Err(Errno::ENOSPC));
    assert_eq!(events.map_page(9 * 4096).unwrap_err(), Errno::EINVAL);
    events.map_page(8 * 4096).unwrap();
    assert_eq!(events.create(SIGNAL, true), Ok(OLD_LIMIT));
}

#[test]
fn ids_are_reused_and_run_out() {
    let events = Events::default();
    events.set_page(Arc::new(Backing::new(c"test", 4096 * 8).unwrap())).unwrap();
    for id in 1..SIGNAL_LIMIT {
        assert_eq!(events.create(SIGNAL, true), Ok(id));
    }
    assert_eq!(events.create(SIGNAL, true), Err(Errno::ENOSPC));
    events.destroy(77).unwrap();
    assert_eq!(events.create(SIGNAL, true), Ok(77));
}
