//! Every interleaving of small rings. Run: RUSTFLAGS="--cfg aql_loom" cargo test -p aql --lib --test loom --release
#![cfg(aql_loom)]

use aql::*;
use loom::thread;

fn numbered(n: u64) -> Packet {
    AgentDispatch::new(0x8000, [n, !n, 0, 0]).into()
}

fn number(bytes: &[u8; 64]) -> u64 {
    match Decoded::from_bytes(bytes) {
        Ok(Decoded::AgentDispatch(packet)) => {
            assert_eq!(packet.args()[1], !packet.args()[0]);
            packet.args()[0]
        }
        other => panic!("{other:?}"),
    }
}

/// Submits packet `n` as one producer of many.
fn submit<D: Doorbell>(producer: &MultiProducer<'_, D>, n: u64) -> Result<u64, SubmitError> {
    // SAFETY: four numbers for an agent; the packet names nothing.
    unsafe { producer.try_submit(&numbered(n)) }
}

/// loom's threads need `'static`; a model's queue is small.
fn leak<const N: usize>() -> &'static mut SoftQueue<N> {
    Box::leak(Box::new(SoftQueue::new()))
}

fn drain(gpu: &mut Consumer<'_>, count: usize) -> Vec<u64> {
    let mut got = Vec::new();
    while got.len() < count {
        match gpu.take() {
            Some((_, bytes)) => got.push(number(&bytes)),
            None => thread::yield_now(),
        }
    }
    got
}

#[test]
fn one_producer_reuses_a_slot_only_when_it_is_free() {
    loom::model(|| {
        let (ring, mut gpu) = leak::<1>().split(|_| ()).expect("split");
        let mut producer = ring.single_producer();
        let thread = thread::spawn(move || {
            for n in 0..2 {
                // SAFETY: the packet names nothing.
                while unsafe { producer.try_submit(&numbered(n)) }.is_err() {
                    thread::yield_now();
                }
            }
        });
        assert_eq!(drain(&mut gpu, 2), [0, 1]);
        thread.join().expect("producer");
    });
}

#[test]
fn two_producers_never_share_a_slot() {
    loom::model(|| {
        let (ring, mut gpu) = leak::<2>().split(|_| ()).expect("split");
        let producer: &'static _ = Box::leak(Box::new(ring.multi_producer().expect("multi")));
        let threads = [0, 1].map(|n| thread::spawn(move || submit(producer, n).expect("two slots for two")));
        let mut got = drain(&mut gpu, 2);
        got.sort();
        assert_eq!(got, [0, 1]);
        for thread in threads {
            thread.join().expect("producer");
        }
    });
}

#[test]
fn a_refused_packet_leaves_no_hole() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let (ring, mut gpu) = leak::<1>().split(|_| ()).expect("split");
        let producer: &'static _ = Box::leak(Box::new(ring.multi_producer().expect("multi")));
        let threads = [0, 1].map(|n| thread::spawn(move || submit(producer, n).is_ok()));
        let first = drain(&mut gpu, 1);
        let accepted = threads.map(|thread| thread.join().expect("producer"));
        let second = drain(&mut gpu, accepted.iter().filter(|&&ok| ok).count() - 1);
        assert!(gpu.take().is_none());
        submit(producer, 2).expect("the ring is empty");
        assert_eq!(drain(&mut gpu, 1), [2], "after {first:?} {second:?}");
    });
}

/// One producer sees the read index move, the other believes it.
#[test]
fn a_read_index_that_another_producer_saw_can_be_trusted() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let (ring, mut gpu) = leak::<2>().split(|_| ()).expect("split");
        let producer: &'static _ = Box::leak(Box::new(ring.multi_producer().expect("multi")));
        // SAFETY: the packets name nothing.
        unsafe { producer.try_submit_all(&[numbered(0), numbered(1)]) }.expect("an empty ring");
        let threads = [2, 3].map(|n| thread::spawn(move || submit(producer, n).is_ok()));
        assert_eq!(drain(&mut gpu, 2), [0, 1]);
        let accepted = threads.map(|thread| thread.join().expect("producer"));
        let mut got = drain(&mut gpu, accepted.iter().filter(|&&ok| ok).count());
        got.sort();
        let want: Vec<u64> = [2, 3].into_iter().zip(accepted).filter_map(|(n, ok)| ok.then_some(n)).collect();
        assert_eq!(got, want);
    });
}

/// While one producer is between its loads of the indices, another one submits a ringful and more, and sees the read
/// index move.
#[test]
fn a_ring_with_room_refuses_nobody() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let (ring, mut gpu) = leak::<2>().split(|_| ()).expect("split");
        let producer: &'static _ = Box::leak(Box::new(ring.multi_producer().expect("multi")));
        let slow = thread::spawn(move || submit(producer, 9));
        for n in 0..3 {
            submit(producer, n).expect("at most the other's packet is there");
            drain(&mut gpu, 1);
        }
        slow.join().expect("producer").expect("at most one packet of this thread's is there");
        assert_eq!(drain(&mut gpu, 1).len() + producer.in_flight() as usize, 1);
    });
}

/// Two packets, of which one is taken after the other was submitted: there is always one.
#[test]
fn in_flight_is_never_too_low() {
    loom::model(|| {
        let (ring, mut gpu) = leak::<2>().split(|_| ()).expect("split");
        let producer: &'static _ = Box::leak(Box::new(ring.multi_producer().expect("multi")));
        submit(producer, 0).expect("an empty ring");
        let thread = thread::spawn(move || {
            submit(producer, 1).expect("room for two");
            drain(&mut gpu, 1)
        });
        assert!((1..=2).contains(&producer.in_flight()));
        assert_eq!(thread.join().expect("producer"), [0]);
        assert_eq!(producer.in_flight(), 1);
    });
}
