//! Edges between queues by barrier-AND packets, for packet processors that are not known to have barrier-value packets.

use aql::{BarrierAnd, Control};

use super::{CommandList, Step, Work};
use crate::raw::{Atomic, Command};
use crate::{Device, Error, Result, Signal, Ticket};

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

impl CommandList {
    /// Makes what so many submissions in flight at a time need besides the queues' rings: on a gfx908 a signal of each for each step that other queues wait for, else
    /// nothing. For who wants no allocation later; more than these can be submitted too.
    ///
    /// # Errors
    /// [`Error::Value`] for more than 2^20; [`Error::Request`], [`Error::Lost`], [`Error::Forked`].
    pub fn reserve(&mut self, submissions: usize) -> Result<()> {
        /// As many as the largest ring has packets.
        const MOST: usize = 1 << 20;
        if submissions > MOST {
            let (subject, expected) = ("a number of submissions in flight", "at most 2^20");
            return Err(Error::Value { subject, value: submissions as u64, expected });
        }
        let (device, steps) = (self.arguments.device(), self.steps.len());
        self.edges.as_mut().map_or(Ok(()), |edges| edges.reserve(device, submissions, steps))
    }

    /// Gives each step that others wait for a signal to complete.
    pub(super) fn begin_edges(&mut self) -> Result<()> {
        let Some(edges) = &mut self.edges else { return Ok(()) };
        edges.begin(self.arguments.device(), self.steps.len())?;
        for step in &mut self.steps {
            let Some(signal) = step.mark.map(|mark| edges.signal(mark)) else { continue };
            match &mut step.work {
                Work::Kernel { packet, .. } => *packet = packet.with_completion(signal.handle()),
                Work::Packets(packets) => {
                    packets.last_mut().into_iter().for_each(|last| *last = last.with_completion(signal.handle()));
                }
                Work::Commands(commands) => {
                    commands.last_mut().into_iter().for_each(|last| *last = decrement(signal.value_address()));
                }
            }
        }
        Ok(())
    }

    /// Makes a step complete a signal for others, if it does not yet.
    pub(super) fn mark(&mut self, step: Step) {
        let (Some(edges), entry) = (&mut self.edges, &mut self.steps[step.index]) else { return };
        if entry.mark.is_some() {
            return;
        }
        entry.mark = Some(edges.mark());
        let before = entry.work.space();
        match &mut entry.work {
            // The packet that counts the work comes behind it anyway.
            Work::Kernel { .. } => {}
            Work::Packets(packets) => packets.push(BarrierAnd::NOP.with_control(Control::SYSTEM).into()),
            Work::Commands(commands) => commands.push(decrement(0)),
        }
        self.needs[entry.work.kind()][entry.queue].space += entry.work.space() - before;
    }
}

/// What an engine does to complete a signal.
fn decrement(at: u64) -> Command {
    Command::Atomic { at, operation: Atomic::Add, value: u64::MAX }
}
