//! Edges between queues by barrier-AND packets, for packet processors that are not known to have barrier-value packets.

use crate::{Device, Result, Signal, Ticket};

/// Which steps others wait for, and a signal for each of them in every submission that is not over: it is 1 before, and 0 when the step is done.
#[derive(Debug, Default)]
pub(super) struct Edges {
    marks: usize,
    sets: Vec<Set>,
    current: usize,
}

/// The signals of one submission.
#[derive(Debug, Default)]
struct Set {
    signals: Vec<Signal>,
    /// The work of that submission.
    work: Vec<Ticket>,
}

impl Edges {
    /// Another step that others wait for. Returns its number.
    pub fn mark(&mut self) -> usize {
        self.marks += 1;
        self.marks - 1
    }

    /// Makes what so many submissions in flight need, of `steps` steps each.
    pub fn reserve(&mut self, device: Device, submissions: usize, steps: usize) -> Result<()> {
        self.sets.resize_with(submissions.max(self.sets.len()), Set::default);
        for set in &mut self.sets {
            set.work.reserve(steps.saturating_sub(set.work.len()));
            while set.signals.len() < self.marks {
                set.signals.push(Signal::polled(device, 1)?);
            }
        }
        Ok(())
    }

    /// Before a submission of so many steps: signals that no work uses any more, new ones if there are none.
    pub fn begin(&mut self, device: Device, steps: usize) -> Result<()> {
        let unused = self.sets.iter().position(|set| set.work.iter().all(Ticket::is_over));
        self.current = unused.unwrap_or(self.sets.len());
        if unused.is_none_or(|unused| self.sets[unused].signals.len() < self.marks) {
            self.reserve(device, self.current + 1, steps)?;
        }
        let set = &mut self.sets[self.current];
        set.work.clear();
        set.signals.iter().for_each(|signal| signal.store(1));
        Ok(())
    }

    /// The signal of a step in the submission that has begun.
    pub fn signal(&self, mark: usize) -> &Signal {
        &self.sets[self.current].signals[mark]
    }

    /// Notes work of the submission that has begun.
    pub fn note(&mut self, ticket: &Ticket) {
        self.sets[self.current].work.push(ticket.clone());
    }
}
