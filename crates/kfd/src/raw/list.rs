//! Work that is recorded once and submitted often.

mod edges;

use aql::{BarrierAnd, Control, Packet, Scope};

use super::queue::is_hsas_with;
use super::{Command, Link, Memory, Queue, SdmaQueue};
use crate::code::{Launch, Segments};
use crate::{Device, Error, Kernel, Placement, Result, Ticket, Wait};
use edges::Edges;

/// A list of steps for several queues, each of which comes after others, recorded once and submitted often: what a graph is made of.
///
/// A step is a piece of work of one queue: packets, a kernel with its arguments, or commands of a copy engine. It begins when all the steps that it comes after are
/// done, and sees what they stored, whichever queues they are of and whatever its packets' own barrier bits and fences are. For a step of another queue the queue waits
/// on the GPU: by a barrier-value packet where AMD's runtime uses such ([`Queue::wait_for_work`]), else, as on gfx908, by a barrier-AND packet and a signal that the
/// earlier step completes. In front of packets that do not begin with the barrier bit and an acquire fence of system scope, a barrier packet has these for them. The
/// queues are given each time the list is submitted, by their numbers.
///
/// Steps of one queue that do not come after each other, in one submission or in two, begin in the order of the list. Kernels and commands of copy engines are then
/// done in this order; packets without the barrier bit may run side by side. If a step of one queue must not begin before another queue's of the last submission, the
/// queues are made to wait for the tickets of that ([`ticket`](Self::ticket), [`Queue::wait_for_work`]).
///
/// Submitting allocates nothing and makes no system call, once it was done with the same queues and no more submissions are in flight
/// than were before, or than [`reserve`](Self::reserve) was told. Arguments and commands can be changed between two submissions,
/// when the last one is over; who has to change them before that uses two lists in turn.
///
/// # Example
/// ```no_run
/// use kfd::code::{Arg, Launch};
/// use kfd::raw::{CommandList, Queue};
/// use kfd::{Kernel, Wait, aql::Geometry};
/// # fn example(gpu: kfd::Device, scale: &Kernel, add: &Kernel, [a, b, sum]: [u64; 3]) -> Result<(), Box<dyn std::error::Error>> {
/// let grid = Geometry::covering([1 << 20], [256])?;
/// let mut list = CommandList::new(gpu, 4096)?;
/// let factor = |of: u64, factor: f32| [Arg::pointer(of), factor.into()];
/// let left = list.launch(0, &[], scale, &Launch::new(grid, &factor(a, 2.0)))?;
/// let right = list.launch(1, &[], scale, &Launch::new(grid, &factor(b, 3.0)))?;
/// let both = [Arg::pointer(a), Arg::pointer(b), Arg::pointer(sum)];
/// list.launch(0, &[left, right], add, &Launch::new(grid, &both))?;
///
/// let mut queues = [Queue::new(gpu)?, Queue::new(gpu)?];
/// for step in 1..100 {
///     list.set_launch(right, &Launch::new(grid, &factor(b, step as f32)))?;
///     // SAFETY: the kernels access what their arguments lead to, which lasts, and each waits for those that write it before.
///     unsafe { list.submit(&mut queues, &mut []) }?;
///     list.wait(Wait::FOREVER)?;
/// }
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct CommandList {
    /// Arguments of kernels.
    arguments: Memory,
    arguments_end: usize,
    steps: Vec<Entry>,
    /// What each step comes after, one behind the other.
    after: Vec<Step>,
    /// Of the last submission, those of all steps that were submitted.
    tickets: Vec<Ticket>,
    /// The last of each queue that ever was given one.
    last: Vec<Ticket>,
    /// How queues wait for each other, if not by barrier-value packets.
    edges: Option<Edges>,
    /// Of each queue and of each engine.
    needs: [Vec<Need>; 2],
    id: u64,
}

/// A step of a [`CommandList`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    list: u64,
    index: usize,
}

#[derive(Debug)]
struct Entry {
    /// Its number among the queues, or among the engines.
    queue: usize,
    /// In the list's `after`.
    after: std::ops::Range<usize>,
    /// Its number among those that complete a signal for others. Packets and commands then have one more behind them, which does so.
    mark: Option<usize>,
    work: Work,
}

#[derive(Debug)]
enum Work {
    Packets(Vec<Packet>),
    Kernel { kernel: Box<Kernel>, place: usize, segments: Segments, packet: Packet },
    Commands(Vec<Command>),
}

/// What a submission takes of a queue, at most.
#[derive(Clone, Copy, Debug, Default)]
struct Need {
    /// Pieces of work.
    works: u64,
    /// Packets of a compute queue, or dwords of an engine's ring.
    space: u64,
    private_bytes: u32,
}

/// In `needs`.
const QUEUES: usize = 0;
const ENGINES: usize = 1;
/// Kernel arguments begin with a cache line.
const ALIGN: usize = 64;
/// Of a list's queues and engines each: so that a number that was meant to be something else is no allocation.
const MOST_QUEUES: usize = 1024;

impl CommandList {
    /// An empty list, with memory of the host for so many bytes of kernel arguments. The queues may be of other devices if everything is mapped there,
    /// but for kernels, which are of this one.
    ///
    /// # Errors
    /// As of [`Memory::new`].
    pub fn new(device: Device, argument_bytes: usize) -> Result<CommandList> {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Ok(CommandList {
            arguments: Memory::new(device, argument_bytes, Placement::HOST)?,
            arguments_end: 0,
            steps: Vec::new(),
            after: Vec::new(),
            tickets: Vec::new(),
            last: Vec::new(),
            edges: (!device.node().queues_wait_for_values()).then(Edges::default),
            needs: [Vec::new(), Vec::new()],
            id: NEXT.fetch_add(1, Ordering::Relaxed),
        })
    }

    /// Appends packets for queue number `queue`, as of [`Queue::submit`]. They all begin when the steps of `after` are done.
    ///
    /// # Errors
    /// [`Error::Value`] for a step of another list, or a queue's number of 1024 and more.
    pub fn packets(&mut self, queue: usize, after: &[Step], packets: &[Packet]) -> Result<Step> {
        self.append(queue, after, Work::Packets(packets.to_vec()))
    }

    /// Appends a kernel for queue number `queue`, with arguments that are checked against what the code object says. It begins when everything before it in its
    /// queue is done, and is kept by the list.
    ///
    /// # Errors
    /// [`Error::Launch`] for arguments or a grid that do not fit the kernel, [`Error::OtherDevice`], [`Error::Value`] when the list's memory for arguments is
    /// full, and as of [`packets`](Self::packets).
    pub fn launch(&mut self, queue: usize, after: &[Step], kernel: &Kernel, launch: &Launch<'_>) -> Result<Step> {
        if kernel.device() != self.arguments.device() {
            return Err(Error::OtherDevice("the kernel"));
        }
        let align = (kernel.description().kernarg_align() as usize).max(ALIGN);
        let place = self.arguments_end.next_multiple_of(align);
        let bytes = kernel.description().kernarg_bytes() as usize;
        let end = place.saturating_add(bytes);
        if end > self.arguments.bytes() {
            let (subject, expected) =
                ("the bytes of a list's kernel arguments", "at most what CommandList::new was given");
            return Err(Error::Value { subject, value: end as u64, expected });
        }
        let (segments, packet) = self.prepare(kernel, place, launch)?;
        let step =
            self.append(queue, after, Work::Kernel { kernel: Box::new(kernel.clone()), place, segments, packet })?;
        self.arguments_end = end;
        Ok(step)
    }

    /// Appends commands for engine number `engine`, as of [`SdmaQueue::submit`].
    ///
    /// # Errors
    /// [`Error::Value`] for commands that engines do not do. [`Error::Unsupported`] for commands that come after a step of another queue where engines
    /// [do not wait](SdmaQueue#waiting). As of [`packets`](Self::packets).
    pub fn commands(&mut self, engine: usize, after: &[Step], commands: &[Command]) -> Result<Step> {
        commands.iter().try_for_each(Command::check)?;
        self.append(engine, after, Work::Commands(commands.to_vec()))
    }

    /// Gives a kernel's step another grid and other arguments.
    ///
    /// # Errors
    /// [`Error::InUse`] while the list's last submission is not over; [`Error::Value`] for a step that is no kernel's of this list; [`Error::Launch`].
    pub fn set_launch(&mut self, step: Step, launch: &Launch<'_>) -> Result<()> {
        self.check_idle()?;
        self.check_step(step)?;
        let Some(Entry { work: Work::Kernel { kernel, place, .. }, queue, .. }) = self.steps.get(step.index) else {
            return Err(Error::Value { subject: "a step of a list", value: step.index as u64, expected: "a kernel's" });
        };
        let (segments, changed) = self.prepare(kernel, *place, launch)?;
        let need = &mut self.needs[QUEUES][*queue];
        need.private_bytes = need.private_bytes.max(segments.private_bytes);
        if let Work::Kernel { packet, .. } = &mut self.steps[step.index].work {
            *packet = changed;
        }
        Ok(())
    }

    /// The commands of an engine's step, to be changed: addresses, sizes, values.
    ///
    /// # Errors
    /// [`Error::InUse`] while the list's last submission is not over; [`Error::Value`] for a step that is no engine's of this list.
    pub fn commands_mut(&mut self, step: Step) -> Result<&mut [Command]> {
        self.check_idle()?;
        self.check_step(step)?;
        match self.steps.get_mut(step.index) {
            Some(Entry { work: Work::Commands(commands), mark, .. }) => {
                let own = commands.len() - usize::from(mark.is_some());
                Ok(&mut commands[..own])
            }
            _ => Err(Error::Value { subject: "a step of a list", value: step.index as u64, expected: "an engine's" }),
        }
    }

    /// Submits all steps to these queues and engines, all or none of them.
    ///
    /// # Safety
    /// For each step as of [`Queue::submit`] and [`SdmaQueue::submit`]; steps that are not in one queue and not after each other may run side by side. The
    /// list is dropped when the work is over.
    ///
    /// # Errors
    /// [`Error::Value`] for fewer queues than steps name, or commands that engines do not do any more; [`Error::Unsupported`], also for a queue of a gfx908 with
    /// a list of another device that has edges; [`Error::QueueFull`];
    /// [`Error::Request`] when there is not enough private memory. Nothing was submitted then. [`Error::Stopped`] and [`Error::Lost`]: what was submitted before has an error too.
    pub unsafe fn submit(&mut self, queues: &mut [Queue], engines: &mut [SdmaQueue]) -> Result<()> {
        self.check_room(queues, engines)?;
        self.tickets.clear();
        self.begin_edges()?;
        for step in &self.steps {
            let before = self.after[step.after.clone()].iter().map(|step| step.index);
            let edges = self.edges.as_ref();
            let completed = step.mark.zip(edges).map(|(mark, edges)| edges.signal(mark));
            let completes = completed.map(Link::completes);
            // Of a queue: engines wait by the ticket.
            let wait = |queue: &mut Queue, before: usize| {
                let ticket = &self.tickets[before];
                match edges.zip(self.steps[before].mark) {
                    Some((edges, mark)) if !ticket.is_done() => queue.wait_for(&[edges.signal(mark)]),
                    _ => queue.wait_for_others_work(ticket).map(drop),
                }
            };
            let ticket = match &step.work {
                Work::Packets(packets) => {
                    let queue = &mut queues[step.queue];
                    before.into_iter().try_for_each(|before| wait(queue, before))?;
                    // SAFETY: the caller's promise.
                    unsafe { queue.submit_with(packets, completes.as_slice()) }?
                }
                Work::Kernel { packet, .. } => {
                    let queue = &mut queues[step.queue];
                    before.into_iter().try_for_each(|before| wait(queue, before))?;
                    // SAFETY: the caller's promise; arguments and kernel are the list's.
                    unsafe { queue.submit_with(std::slice::from_ref(packet), completes.as_slice()) }?
                }
                Work::Commands(commands) => {
                    let engine = &mut engines[step.queue];
                    before.into_iter().try_for_each(|before| engine.wait_for_work(&self.tickets[before]))?;
                    // SAFETY: the caller's promise.
                    unsafe { engine.submit_with(commands, completes.as_slice()) }?
                }
            };
            if !self.last.iter_mut().any(|last| last.follow(&ticket)) {
                self.last.retain(|last| !last.is_over());
                self.last.push(ticket.clone());
            }
            self.edges.iter_mut().for_each(|edges| edges.note(&ticket));
            self.tickets.push(ticket);
        }
        Ok(())
    }

    /// The ticket of a step in the last submission.
    pub fn ticket(&self, step: Step) -> Option<&Ticket> {
        if step.list == self.id { self.tickets.get(step.index) } else { None }
    }

    /// Whether all that was ever submitted of it is done.
    pub fn is_done(&self) -> bool {
        self.last.iter().all(Ticket::is_done)
    }

    /// Waits until all that was ever submitted of it is done.
    ///
    /// # Errors
    /// As of [`Ticket::wait`].
    pub fn wait(&self, wait: Wait) -> Result<()> {
        self.last.iter().try_for_each(|ticket| ticket.wait(wait))
    }

    fn append(&mut self, queue: usize, after: &[Step], mut work: Work) -> Result<Step> {
        after.iter().try_for_each(|step| self.check_step(*step))?;
        if queue >= MOST_QUEUES {
            return Err(Error::Value {
                subject: "the number of a list's queue",
                value: queue as u64,
                expected: "below 1024",
            });
        }
        let kind = work.kind();
        let is_other = |step: &&Step| {
            let of = &self.steps[step.index];
            (of.work.kind(), of.queue) != (kind, queue)
        };
        let others: Vec<Step> = after.iter().filter(is_other).copied().collect();
        if kind == ENGINES && !others.is_empty() && !self.arguments.device().node().engines_wait() {
            let why = "the copy engines of gfx90x except gfx90a may go on too early; let a kernel copy, or the host wait between two lists";
            return Err(Error::Unsupported {
                subject: "commands of a copy engine after another queue's step",
                why: why.into(),
            });
        }
        if kind == QUEUES {
            others.iter().for_each(|step| self.mark(*step));
        }
        if !after.is_empty() {
            work.begin_behind_all();
        }
        let start = self.after.len();
        self.after.extend(others);
        let index = self.steps.len();
        let needs = &mut self.needs[kind];
        needs.resize(needs.len().max(queue + 1), Need::default());
        let waits = (self.after.len() - start) as u64;
        let need = &mut needs[queue];
        need.works += waits + 1;
        let space = work.space().saturating_add(waits.saturating_mul(work.space_of_a_wait()));
        need.space = need.space.saturating_add(space);
        need.private_bytes = need.private_bytes.max(work.private_bytes());
        self.steps.push(Entry { queue, after: start..self.after.len(), mark: None, work });
        self.tickets.reserve(self.steps.len());
        Ok(Step { list: self.id, index })
    }

    /// Writes a kernel's arguments to their place. Returns the packet and what it needs.
    fn prepare(&self, kernel: &Kernel, place: usize, launch: &Launch<'_>) -> Result<(Segments, Packet)> {
        let bytes = kernel.description().kernarg_bytes() as usize;
        // SAFETY: inside the memory: `launch` looked at that.
        let start = unsafe { self.arguments.host()?.add(place) };
        // SAFETY: as above. The place is this step's, and nothing uses it: it is new, or the list is idle.
        let host = unsafe { std::slice::from_raw_parts_mut(start.as_ptr(), bytes) };
        let limits = self.arguments.device().0.limits;
        let address = self.arguments.address() + place as u64;
        let (packet, segments) = super::arguments::prepare(kernel, launch, limits, address, host)?;
        Ok((segments, packet.into()))
    }

    fn check_step(&self, step: Step) -> Result<()> {
        if step.list == self.id {
            return Ok(());
        }
        Err(Error::Value { subject: "a step of a list", value: step.index as u64, expected: "of this list" })
    }

    fn check_idle(&self) -> Result<()> {
        if self.last.iter().all(Ticket::is_over) { Ok(()) } else { Err(Error::InUse) }
    }

    /// Before anything is submitted: whether all of it can be.
    fn check_room(&self, queues: &mut [Queue], engines: &mut [SdmaQueue]) -> Result<()> {
        let [for_queues, for_engines] = &self.needs;
        if for_queues.len() > queues.len() || for_engines.len() > engines.len() {
            let (given, expected) =
                (queues.len() + engines.len(), "as many queues and engines each as the list's steps name");
            return Err(Error::Value {
                subject: "the number of queues that a list was given",
                value: given as u64,
                expected,
            });
        }
        let lacks = |queue: &Queue| !queue.gpu().node().queues_wait_for_values();
        if self.edges.is_none() && !self.after.is_empty() && queues[..for_queues.len()].iter().any(lacks) {
            let why = "its packet processor is not known to have barrier-value packets; make the list for that queue's device";
            return Err(Error::Unsupported {
                subject: "a queue of a gfx90x except gfx90a in a list of another device",
                why: why.into(),
            });
        }
        for (queue, need) in queues.iter_mut().zip(for_queues) {
            queue.get_private_bytes(need.private_bytes)?;
            queue.need_room(need.space)?;
        }
        // Commands may have been changed since they were appended.
        for step in &self.steps {
            if let Work::Commands(commands) = &step.work {
                commands.iter().try_for_each(Command::check)?;
            }
        }
        for (number, (engine, need)) in engines.iter_mut().zip(for_engines).enumerate() {
            engine.begin()?;
            let of_engine = |step: &&Entry| step.work.kind() == ENGINES && step.queue == number;
            let space: u64 = self
                .steps
                .iter()
                .filter(of_engine)
                .map(|step| {
                    let waits = step.after.len() as u64 * step.work.space_of_a_wait();
                    step.work.space().saturating_add(waits)
                })
                .fold(0, u64::saturating_add);
            engine.need_room_for(need.works, space)?;
        }
        Ok(())
    }
}

impl Work {
    /// Makes it begin when all before it in its queue is done, and see what that stored, and what was stored by whatever the queue waited for. Kernels have a packet
    /// that does so. Engines begin nothing before the atomic operation that counts the work before it.
    fn begin_behind_all(&mut self) {
        const BEHIND: Control = Control { barrier: true, acquire: Scope::System, release: Scope::None };
        let Work::Packets(packets) = self else { return };
        if packets.first().is_some_and(|first| !is_hsas_with(first, BEHIND)) {
            packets.insert(0, BarrierAnd::NOP.with_control(Control::SYSTEM).into());
        }
    }

    fn kind(&self) -> usize {
        if matches!(self, Work::Commands(_)) { ENGINES } else { QUEUES }
    }

    /// Packets, with that which counts and that which empties caches, or dwords.
    fn space(&self) -> u64 {
        match self {
            Work::Packets(packets) => packets.len() as u64 + 2,
            Work::Kernel { .. } => 3,
            Work::Commands(commands) => commands
                .iter()
                .map(Command::dwords)
                .fold(0, u64::saturating_add)
                .saturating_add(SdmaQueue::DWORDS_OF_WORK),
        }
    }

    fn space_of_a_wait(&self) -> u64 {
        if self.kind() == ENGINES { SdmaQueue::DWORDS_OF_WAIT } else { 2 }
    }

    fn private_bytes(&self) -> u32 {
        match self {
            Work::Kernel { segments, .. } => segments.private_bytes,
            _ => 0,
        }
    }
}
