//! Doorbells that arrive late (`--hardware-bugs=late-doorbells`).

use crate::hardware::doorbells::{Doorbell, DoorbellWrite};
use crate::hardware::random::Random;
use std::time::{Duration, Instant};

/// How late a doorbell may be, in nanoseconds. Hardware has no such limit.
const LATEST_NS: u64 = 1_000_000;

/// The way from the program's store to a queue.
#[derive(Debug)]
pub struct Late {
    random: Random,
    /// The doorbell that has reached the queue.
    pub arrived: Doorbell,
    under_way: Option<UnderWay>,
}

#[derive(Debug)]
struct UnderWay {
    write: DoorbellWrite,
    due: Instant,
    /// A later one has taken its place.
    merged: bool,
}

/// The result of [`Late::carry`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carried {
    /// No doorbell is under way.
    None,
    /// One is.
    UnderWay,
    /// One arrived, with this value, after others that did not.
    Merged(u64),
}

impl Late {
    /// The way to queue `id`. What it draws is drawn from `seed`.
    pub fn new(seed: u64, id: u32) -> Late {
        let random = Random::new(seed ^ 0x1a7ed << 32 ^ u64::from(id));
        Late { random, arrived: Doorbell::SILENT, under_way: None }
    }

    /// Delays the doorbell in `rung`, and delivers what is due. A doorbell that rings while another is delayed replaces
    /// it, and arrives at that one's time.
    pub fn carry(&mut self, rung: &mut Doorbell, now: Instant) -> Carried {
        self.arrived.by_several = rung.by_several;
        if let Some(write) = rung.take() {
            match &mut self.under_way {
                Some(UnderWay { write: earlier, merged, .. }) => {
                    *earlier = DoorbellWrite { value: write.value, exact: write.exact && earlier.exact };
                    *merged = true;
                }
                None => {
                    let due = now + Duration::from_nanos(self.random.below(LATEST_NS));
                    self.under_way = Some(UnderWay { write, due, merged: false });
                }
            }
        }
        match self.under_way.take_if(|way| way.due <= now) {
            Some(UnderWay { write, merged, .. }) => {
                self.arrived.note(write.value, write.exact);
                // Whichever producer rang it: the packet processor takes the furthest.
                self.arrived.furthest = rung.furthest;
                if merged { Carried::Merged(write.value) } else { Carried::None }
            }
            None if self.under_way.is_some() => Carried::UnderWay,
            None => Carried::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATEST: Duration = Duration::from_nanos(LATEST_NS);

    #[test]
    fn a_doorbell_arrives_when_it_is_due_and_once() {
        let (mut late, mut rung, mut now) = (Late::new(3, 1), Doorbell::SILENT, Instant::now());
        let mut delays = Vec::new();
        for value in 0..100 {
            rung.note(value, true);
            let start = now;
            while late.carry(&mut rung, now) == Carried::UnderWay {
                assert_eq!(late.arrived.take(), None, "not yet");
                now += LATEST / 100;
            }
            assert_eq!(late.arrived.take(), Some(DoorbellWrite { value, exact: true }));
            assert_eq!(late.arrived.furthest, Some(value));
            assert_eq!(late.carry(&mut rung, now), Carried::None);
            assert_eq!(late.arrived.take(), None, "only once");
            delays.push(now - start);
        }
        assert!(delays.iter().all(|&delay| delay < LATEST + LATEST / 100), "{delays:?}");
        let (early, middle) = (LATEST / 4, LATEST / 2);
        assert!(delays.iter().any(|&delay| delay < early) && delays.iter().any(|&delay| delay > middle), "{delays:?}");
    }

    #[test]
    fn of_several_doorbells_the_last_one_arrives_and_no_later() {
        let (mut late, mut rung, start) = (Late::new(0, 0), Doorbell::SILENT, Instant::now());
        rung.note(7, true);
        assert_eq!(late.carry(&mut rung, start), Carried::UnderWay);
        rung.note(9, false);
        assert_eq!(late.carry(&mut rung, start), Carried::UnderWay);
        rung.note(8, true);
        assert_eq!(late.carry(&mut rung, start + LATEST), Carried::Merged(8));
        assert_eq!(late.arrived.take(), Some(DoorbellWrite { value: 8, exact: false }));
        // Two producers: what the one reached is not taken back by the other.
        assert_eq!(late.arrived.furthest, Some(9));
        assert_eq!(late.carry(&mut rung, start + LATEST), Carried::None);
    }

    #[test]
    fn queues_have_delays_of_their_own_the_same_in_each_run() {
        let delays = |seed, id| -> Vec<u64> {
            let mut late = Late::new(seed, id);
            (0..8).map(|_| late.random.below(LATEST_NS)).collect()
        };
        assert_eq!(delays(1, 2), delays(1, 2));
        assert!(delays(1, 2) != delays(1, 3) && delays(1, 2) != delays(2, 2));
    }
}
