//! The compute units that waves run on, as the waves read them from their registers.

use super::client::{Client, Dispatch, PLACE, Queue, STORE};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Where each wave of `groups` work-groups of two waves runs that are all there at a time: shader engine, compute unit
/// and wave slot.
fn places(client: &Client, queue: &Queue, groups: u32) -> Vec<(u32, u32, u32)> {
    let waves = 2 * groups;
    let (out, counter) = (client.allocate(4 * u64::from(waves)), client.allocate(4));
    let kernarg = client.arguments(&[out, counter, u64::from(waves) << 32 | 2]);
    queue.run(Dispatch { groups, items: 128, ..Dispatch::new(client.kernel(PLACE), kernarg) });
    let place = |id: u32| (id >> 13 & 7, id >> 8 & 15, id & 0x3f);
    client.words(out, waves.into()).into_iter().map(place).collect()
}

#[test]
fn a_mask_chooses_the_compute_units() {
    for seed in [None, Some(3)] {
        let client = Client::new(seed);
        let queue = client.queue(16);
        let units = |places: &[(u32, u32, u32)]| {
            places.iter().fold(BTreeMap::new(), |mut waves: BTreeMap<_, u32>, (engine, unit, _)| {
                *waves.entry((*engine, *unit)).or_default() += 1;
                waves
            })
        };
        // Unit 0 of each engine is absent. Without a mask work spreads over all.
        let everywhere = places(&client, &queue, 240);
        let all = (0..8).flat_map(|engine| (1..16).map(move |unit| ((engine, unit), 4)));
        assert_eq!(units(&everywhere), all.collect(), "seed {seed:?}");
        assert_eq!(everywhere.iter().collect::<BTreeSet<_>>().len(), 480, "each wave has a slot of its own");
        // Bits 0 and 8 are the first and second unit of engine 0, bit 15 the second of engine 7: with 16 barriers each
        // they hold 48 work-groups.
        client.engine.set_cu_mask(queue.args.id, &[0x8101]).unwrap();
        let masked = places(&client, &queue, 48);
        assert_eq!(units(&masked), [((0, 1), 32), ((0, 2), 32), ((7, 2), 32)].into());
        assert_eq!(masked.iter().collect::<BTreeSet<_>>().len(), 96);
        // The work-groups that wait for room start on units that a later mask adds.
        client.engine.set_cu_mask(queue.args.id, &[1]).unwrap();
        let (out, counter, done) = (client.allocate(4 * 64), client.allocate(4), client.signal(1));
        let kernarg = client.arguments(&[out, counter, 64 << 32 | 2]);
        let waiting =
            Dispatch { groups: 32, items: 128, completion: done, ..Dispatch::new(client.kernel(PLACE), kernarg) };
        queue.submit(waiting.packet());
        client.wait_for("a full unit", || client.words(counter, 1) == [32]);
        std::thread::sleep(Duration::from_millis(10));
        assert_eq!(client.words(counter, 1), [32]);
        client.engine.set_cu_mask(queue.args.id, &[2 | 1]).unwrap();
        client.wait(done, 0);
        let engines = client.words(out, 64).into_iter().map(|id| id >> 13 & 7);
        assert_eq!(engines.filter(|engine| *engine == 1).count(), 32);
    }
}

#[test]
fn a_mask_without_units_starts_nothing() {
    let client = Client::new(None);
    let queue = client.queue(16);
    client.engine.set_cu_mask(queue.args.id, &[0; 4]).unwrap();
    let (out, done) = (client.allocate(256), client.signal(1));
    let store = Dispatch { completion: done, ..Dispatch::new(client.kernel(STORE), client.arguments(&[out, 7])) };
    queue.submit(store.packet());
    // Another queue is not concerned.
    let other = client.allocate(256);
    client.queue(16).run(Dispatch::new(client.kernel(STORE), client.arguments(&[other, 8])));
    std::thread::sleep(Duration::from_millis(10));
    assert_eq!((client.words(out, 1), client.words(other, 1), client.value(done)), (vec![0], vec![8], 1));
    client.engine.set_cu_mask(queue.args.id, &[1 << 31]).unwrap();
    client.wait(done, 0);
    assert_eq!(client.words(out, 1), [7]);
}
