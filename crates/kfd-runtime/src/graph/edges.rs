//! Edges between queues by barrier-AND packets, for packet processors that are not known to have barrier-value packets.

use aql::{BarrierAnd, Control};

use kfd::raw::{Atomic, Command};
use kfd::{Device, Signal, Ticket, Tickets};

use super::{Graph, Step, Work};
use crate::Result;
use crate::error::value;

/// Which steps others wait for, and a signal for each of them in every submission that is not over: it is 1 before, and
/// 0 when the step is done.
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
    work: Tickets,
}

impl Edges {
    /// Another step that others wait for. Returns its number.
    pub fn mark(&mut self) -> usize {
        self.marks += 1;
        self.marks - 1
    }

    /// Makes what so many submissions in flight need, each to so many queues.
    pub fn reserve(&mut self, device: Device, submissions: usize, queues: usize) -> Result<()> {
        self.sets.resize_with(submissions.max(self.sets.len()), Set::default);
        for set in &mut self.sets {
            set.work.reserve(queues);
            while set.signals.len() < self.marks {
                set.signals.push(Signal::polled(device, 1)?);
            }
        }
        Ok(())
    }

    /// Before a submission to so many queues: signals that no work uses any more, new ones if there are none.
    pub fn begin(&mut self, device: Device, queues: usize) -> Result<()> {
        let unused = self.sets.iter().position(|set| set.work.are_over());
        self.current = unused.unwrap_or(self.sets.len());
        if unused.is_none_or(|unused| self.sets[unused].signals.len() < self.marks) {
            self.reserve(device, self.current + 1, queues)?;
        }
        let set = &mut self.sets[self.current];
        set.work.clear();
        set.signals.iter().for_each(|signal| signal.reset(1));
        Ok(())
    }

    /// The signal of a step in the submission that has begun.
    pub fn signal(&self, mark: usize) -> &Signal {
        &self.sets[self.current].signals[mark]
    }

    /// Notes work of the submission that has begun.
    pub fn note(&mut self, ticket: &Ticket) {
        self.sets[self.current].work.insert(ticket);
    }
}

impl Graph {
    /// Makes what so many submissions in flight at a time need besides the queues' rings: on a gfx908 a signal of each
    /// for each step that other queues wait for, else nothing. For who wants no allocation later; more than these can
    /// be submitted too.
    ///
    /// # Errors
    /// [`kfd::Error::Value`] for more than 2^20; [`kfd::Error::Request`], [`kfd::Error::Lost`], [`kfd::Error::Forked`].
    pub fn reserve(&mut self, submissions: usize) -> Result<()> {
        /// As many as the largest ring has packets.
        const MAX: usize = 1 << 20;
        if submissions > MAX {
            return Err(value("a number of submissions in flight", submissions as u64, "at most 2^20"));
        }
        let (device, queues) = (self.arguments.device(), self.queues());
        self.edges.as_mut().map_or(Ok(()), |edges| edges.reserve(device, submissions, queues))
    }

    /// How many queues and engines its steps name.
    fn queues(&self) -> usize {
        self.needs.iter().map(Vec::len).sum()
    }

    /// Gives each step that others wait for a signal to complete.
    pub(super) fn begin_edges(&mut self) -> Result<()> {
        let queues = self.queues();
        let Some(edges) = &mut self.edges else { return Ok(()) };
        edges.begin(self.arguments.device(), queues)?;
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
        let before = entry.work.items();
        match &mut entry.work {
            // The packet that counts the work comes behind it anyway.
            Work::Kernel { .. } => {}
            Work::Packets(packets) => packets.push(BarrierAnd::NOP.with_control(Control::SYSTEM).into()),
            Work::Commands(commands) => commands.push(decrement(0)),
        }
        self.needs[entry.work.kind()][entry.queue].room.items += entry.work.items() - before;
    }
}

/// What an engine does to complete a signal.
fn decrement(at: u64) -> Command {
    Command::Atomic { at, operation: Atomic::Add, value: u64::MAX }
}
