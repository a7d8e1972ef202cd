//! Work that is recorded once and submitted often.

mod edges;

use aql::{BarrierAnd, Control, Packet, Scope};
use kfd::code::{Launch, Segments};
use kfd::raw::{Command, Memory, Queue, Room, SdmaQueue, SignalLink, Submission};
use kfd::{Device, Kernel, Placement, Ticket, Tickets, Wait};

use crate::error::value;
use crate::{Error, Result};
use edges::Edges;

/// Steps for several queues, each of which comes after others, recorded once and submitted often.
///
/// A step is a piece of work of one queue: packets, a kernel with its arguments, or commands of a copy engine. It
/// begins when all the steps that it comes after are done, and sees what they stored, whichever queues they are of and
/// whatever its packets' own barrier bits and fences are. For a step of another queue the queue waits on the GPU: by a
/// barrier-value packet where AMD's runtime uses such ([`Queue::wait_for_work`]), else, as on gfx908, by a barrier-AND
/// packet and a signal that the earlier step completes. In front of packets that do not begin with the barrier bit and
/// an acquire fence of system scope, a barrier packet has these for them. The queues are given each time the graph is
/// submitted, by their numbers.
///
/// Steps of one queue that do not come after each other, in one submission or in two, begin in the order of the graph.
/// Kernels and commands of copy engines are then done in this order; packets without the barrier bit may run side by
/// side. If a step of one queue must not begin before another queue's of the last submission, the queues are made to
/// wait for the tickets of that ([`ticket`](Self::ticket), [`Queue::wait_for_work`]).
///
/// Submitting allocates nothing and makes no system call, once it was done with the same queues and no more submissions
/// are in flight than were before, or than [`reserve`](Self::reserve) was given. Arguments and commands can be changed
/// between two submissions, when the last one is over; who has to change them before that uses two graphs in turn.
///
/// # Example
/// ```no_run
/// use kfd::code::{Arg, Launch};
/// use kfd::raw::Queue;
/// use kfd::{Kernel, Wait, aql::Geometry};
/// use kfd_runtime::Graph;
/// # fn example(gpu: kfd::Device, scale: &Kernel, add: &Kernel, [a, b, sum]: [u64; 3]) -> kfd_runtime::Result<()> {
/// let grid = Geometry::covering([1 << 20], [256])?;
/// let mut graph = Graph::new(gpu, 4096)?;
/// let factor = |of: u64, factor: f32| [Arg::pointer(of), factor.into()];
/// let left = graph.launch(0, &[], scale, &Launch::new(grid, &factor(a, 2.0)))?;
/// let right = graph.launch(1, &[], scale, &Launch::new(grid, &factor(b, 3.0)))?;
/// let both = [Arg::pointer(a), Arg::pointer(b), Arg::pointer(sum)];
/// graph.launch(0, &[left, right], add, &Launch::new(grid, &both))?;
///
/// let mut queues = [Queue::new(gpu)?, Queue::new(gpu)?];
/// for step in 1..100 {
///     graph.set_launch(right, &Launch::new(grid, &factor(b, step as f32)))?;
///     // SAFETY: the kernels access what their arguments lead to, which lasts, and each waits for those that write it.
///     unsafe { graph.submit(&mut queues, &mut []) }?;
///     graph.wait(Wait::FOREVER)?;
/// }
/// # Ok(()) }
/// ```
#[doc(alias = "hipGraph_t")]
#[doc(alias = "hipGraphLaunch")]
#[doc(alias = "command list")]
#[derive(Debug)]
pub struct Graph {
    /// Arguments of kernels.
    arguments: Memory,
    arguments_end: usize,
    steps: Vec<Entry>,
    /// What each step comes after, one behind the other.
    after: Vec<Step>,
    /// Of the last submission, those of all steps that were submitted.
    tickets: Vec<Ticket>,
    /// Of all submissions.
    submitted: Tickets,
    /// How queues wait for each other, if not by barrier-value packets.
    edges: Option<Edges>,
    /// Of each queue and of each engine.
    needs: [Vec<Need>; 2],
    /// Tells graphs apart.
    id: u64,
}

/// A step of a [`Graph`].
#[doc(alias = "node")]
#[doc(alias = "hipGraphNode_t")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    graph: u64,
    index: usize,
}

#[derive(Debug)]
struct Entry {
    /// Its number among the queues, or among the engines.
    queue: usize,
    /// In the graph's `after`.
    after: std::ops::Range<usize>,
    /// Its number among those that complete a signal for others. Packets and commands then have one more behind them,
    /// which does so.
    mark: Option<usize>,
    work: Work,
}

#[derive(Debug)]
enum Work {
    Packets(Vec<Packet>),
    Kernel { kernel: Box<Kernel>, place: usize, private_bytes: u32, packet: Packet },
    Commands(Vec<Command>),
}

/// What a submission takes of a queue, at most.
#[derive(Clone, Copy, Debug, Default)]
struct Need {
    room: Room,
    private_bytes: u32,
}

/// In `needs`.
const QUEUES: usize = 0;
const ENGINES: usize = 1;
/// Kernel arguments begin with a cache line.
const ALIGN: usize = 64;
/// Of a graph's queues and engines each: so that a number that was meant to be something else is no allocation.
const MAX_QUEUES: usize = 1024;

impl Graph {
    /// An empty graph, with memory of the host for so many bytes of kernel arguments. The queues may be of other
    /// devices if everything is mapped there, but for kernels, which are of this one.
    ///
    /// # Errors
    /// As of [`Memory::new`].
    pub fn new(device: Device, argument_bytes: usize) -> Result<Graph> {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Ok(Graph {
            arguments: Memory::new(device, argument_bytes, Placement::HOST)?,
            arguments_end: 0,
            steps: Vec::new(),
            after: Vec::new(),
            tickets: Vec::new(),
            submitted: Tickets::new(),
            edges: (!device.node().queues_wait_for_values()).then(Edges::default),
            needs: [Vec::new(), Vec::new()],
            id: NEXT.fetch_add(1, Ordering::Relaxed),
        })
    }

    /// Appends packets for queue number `queue`, as of [`Queue::submit`]. They all begin when the steps of `after` are
    /// done.
    ///
    /// # Errors
    /// [`Error::Step`] for a step of another graph, [`kfd::Error::Value`] for a queue's number of 1024 and more.
    pub fn packets(&mut self, queue: usize, after: &[Step], packets: &[Packet]) -> Result<Step> {
        self.append(queue, after, Work::Packets(packets.to_vec()))
    }

    /// Appends a kernel for queue number `queue`, with arguments that are checked against what the code object says. It
    /// begins when everything before it in its queue is done, and is kept by the graph.
    ///
    /// # Errors
    /// [`kfd::Error::Launch`] for arguments or a grid that do not fit the kernel, [`kfd::Error::OtherDevice`],
    /// [`kfd::Error::Value`] when the graph's memory for arguments is full, and as of [`packets`](Self::packets).
    pub fn launch(&mut self, queue: usize, after: &[Step], kernel: &Kernel, launch: &Launch<'_>) -> Result<Step> {
        if kernel.device() != self.arguments.device() {
            return Err(kfd::Error::OtherDevice("the kernel").into());
        }
        let align = (kernel.description().kernarg_align() as usize).max(ALIGN);
        let place = self.arguments_end.next_multiple_of(align);
        let bytes = kernel.description().kernarg_bytes() as usize;
        let end = place.saturating_add(bytes);
        if end > self.arguments.bytes() {
            let expected = "at most what Graph::new was given";
            return Err(value("the bytes of a graph's kernel arguments", end as u64, expected));
        }
        let (packet, Segments { private_bytes, .. }) = self.prepare(kernel, place, launch)?;
        let kernel = Box::new(kernel.clone());
        let step = self.append(queue, after, Work::Kernel { kernel, place, private_bytes, packet })?;
        self.arguments_end = end;
        Ok(step)
    }

    /// Appends commands for engine number `engine`, as of [`SdmaQueue::submit`].
    ///
    /// # Errors
    /// [`kfd::Error::Value`] for commands that engines do not do. [`kfd::Error::Unsupported`] for commands that come
    /// after a step of another queue where engines [do not wait](SdmaQueue#waiting). As of [`packets`](Self::packets).
    pub fn commands(&mut self, engine: usize, after: &[Step], commands: &[Command]) -> Result<Step> {
        commands.iter().try_for_each(Command::check)?;
        self.append(engine, after, Work::Commands(commands.to_vec()))
    }

    /// Gives a kernel's step another grid and other arguments.
    ///
    /// # Errors
    /// [`Error::InUse`] while the graph's last submission is not over; [`Error::Step`] for a step that is no kernel's
    /// of this graph; [`kfd::Error::Launch`].
    pub fn set_launch(&mut self, step: Step, launch: &Launch<'_>) -> Result<()> {
        self.check_idle()?;
        self.check_step(step)?;
        let Some(Entry { work: Work::Kernel { kernel, place, .. }, queue, .. }) = self.steps.get(step.index) else {
            return Err(Error::Step { index: step.index, expected: "a kernel's" });
        };
        let (changed, Segments { private_bytes, .. }) = self.prepare(kernel, *place, launch)?;
        let need = &mut self.needs[QUEUES][*queue];
        need.private_bytes = need.private_bytes.max(private_bytes);
        if let Work::Kernel { packet, .. } = &mut self.steps[step.index].work {
            *packet = changed;
        }
        Ok(())
    }

    /// The commands of an engine's step, to be changed: addresses, sizes, values.
    ///
    /// # Errors
    /// [`Error::InUse`] while the graph's last submission is not over; [`Error::Step`] for a step that is no engine's
    /// of this graph.
    pub fn commands_mut(&mut self, step: Step) -> Result<&mut [Command]> {
        self.check_idle()?;
        self.check_step(step)?;
        match self.steps.get_mut(step.index) {
            Some(Entry { work: Work::Commands(commands), mark, .. }) => {
                let own = commands.len() - usize::from(mark.is_some());
                Ok(&mut commands[..own])
            }
            _ => Err(Error::Step { index: step.index, expected: "an engine's" }),
        }
    }

    /// Submits all steps to these queues and engines, all or none of them.
    ///
    /// # Safety
    /// For each step as of [`Queue::submit`] and [`SdmaQueue::submit`]; steps that are not in one queue and not after
    /// each other may run side by side. The graph is dropped when the work is over.
    ///
    /// # Errors
    /// [`kfd::Error::Value`] for fewer queues than steps name, or commands that engines do not do any more;
    /// [`kfd::Error::Unsupported`], also for a queue of a gfx908 with a graph of another device that has edges;
    /// [`kfd::Error::QueueFull`]; [`kfd::Error::Request`] when there is not enough private memory. Nothing was
    /// submitted then. [`kfd::Error::Stopped`] and [`kfd::Error::Lost`]: what was submitted before has an error too.
    pub unsafe fn submit(&mut self, queues: &mut [Queue], engines: &mut [SdmaQueue]) -> Result<()> {
        self.check_room(queues, engines)?;
        self.begin_edges()?;
        self.tickets.clear();
        for step in &self.steps {
            let before = self.after[step.after.clone()].iter().map(|step| step.index);
            let edges = self.edges.as_ref();
            let completed = step.mark.zip(edges).map(|(mark, edges)| edges.signal(mark));
            let completes = completed.map(SignalLink::completes);
            // Of a queue: engines wait by the ticket.
            let wait = |queue: &mut Queue, before: usize| {
                let ticket = &self.tickets[before];
                match edges.zip(self.steps[before].mark) {
                    Some((edges, mark)) if !ticket.is_done() => queue.wait_for(&[edges.signal(mark)]),
                    _ => queue.order_after(ticket),
                }
            };
            let packets = match &step.work {
                Work::Packets(packets) => packets.as_slice(),
                Work::Kernel { packet, .. } => std::slice::from_ref(packet),
                Work::Commands(_) => &[],
            };
            let ticket = if let Work::Commands(commands) = &step.work {
                let engine = &mut engines[step.queue];
                before.into_iter().try_for_each(|before| engine.wait_for_work(&self.tickets[before]))?;
                // SAFETY: the caller's promise.
                unsafe { engine.submit(Submission::new(commands).with_links(completes.as_slice())) }?
            } else {
                let queue = &mut queues[step.queue];
                before.into_iter().try_for_each(|before| wait(queue, before))?;
                // SAFETY: the caller's promise; arguments and kernels are the graph's.
                unsafe { queue.submit(Submission::new(packets).with_links(completes.as_slice())) }?
            };
            self.submitted.insert(&ticket);
            self.edges.iter_mut().for_each(|edges| edges.note(&ticket));
            self.tickets.push(ticket);
        }
        Ok(())
    }

    /// The ticket of a step in the last submission.
    pub fn ticket(&self, step: Step) -> Option<&Ticket> {
        if step.graph == self.id { self.tickets.get(step.index) } else { None }
    }

    /// Whether all that was ever submitted of it is done.
    pub fn is_done(&self) -> bool {
        self.submitted.are_done()
    }

    /// Waits until all that was ever submitted of it is done.
    ///
    /// # Errors
    /// As of [`Ticket::wait`].
    pub fn wait(&self, wait: Wait) -> Result<()> {
        Ok(self.submitted.wait(wait)?)
    }

    fn append(&mut self, queue: usize, after: &[Step], mut work: Work) -> Result<Step> {
        after.iter().try_for_each(|step| self.check_step(*step))?;
        if queue >= MAX_QUEUES {
            return Err(value("the number of a graph's queue", queue as u64, "below 1024"));
        }
        let kind = work.kind();
        let is_other = |step: &&Step| {
            let of = &self.steps[step.index];
            (of.work.kind(), of.queue) != (kind, queue)
        };
        let others: Vec<Step> = after.iter().filter(is_other).copied().collect();
        if kind == ENGINES && !others.is_empty() && !self.arguments.device().node().engines_wait() {
            return Err(unsupported(
                "commands of a copy engine after another queue's step",
                "the copy engines of gfx90x except gfx90a may go on too early; let a kernel copy, or the host wait \
                 between two graphs",
            ));
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
        let need = &mut needs[queue];
        need.room.submissions += 1;
        need.room.waits += (self.after.len() - start) as u64;
        need.room.items = need.room.items.saturating_add(work.items());
        need.private_bytes = need.private_bytes.max(work.private_bytes());
        self.steps.push(Entry { queue, after: start..self.after.len(), mark: None, work });
        self.tickets.reserve(self.steps.len());
        Ok(Step { graph: self.id, index })
    }

    /// Writes a kernel's arguments to their place. Returns the packet and what it needs.
    fn prepare(&self, kernel: &Kernel, place: usize, launch: &Launch<'_>) -> Result<(Packet, Segments)> {
        let bytes = kernel.description().kernarg_bytes() as usize;
        // SAFETY: inside the memory: `launch` looked at that.
        let start = unsafe { self.arguments.host()?.add(place) };
        // SAFETY: as above. The place is this step's, and nothing uses it: it is new, or the graph is idle.
        let host = unsafe { std::slice::from_raw_parts_mut(start.as_ptr(), bytes) };
        let (packet, segments) = kernel.prepare(launch, self.arguments.address() + place as u64, host)?;
        Ok((packet.into(), segments))
    }

    fn check_step(&self, step: Step) -> Result<()> {
        if step.graph == self.id {
            return Ok(());
        }
        Err(Error::Step { index: step.index, expected: "of this graph" })
    }

    fn check_idle(&self) -> Result<()> {
        if self.submitted.are_over() { Ok(()) } else { Err(Error::InUse) }
    }

    /// Before anything is submitted: whether all of it can be.
    fn check_room(&self, queues: &mut [Queue], engines: &mut [SdmaQueue]) -> Result<()> {
        let [for_queues, for_engines] = &self.needs;
        if for_queues.len() > queues.len() || for_engines.len() > engines.len() {
            let given = queues.len() + engines.len();
            let expected = "as many queues and engines each as the graph's steps name";
            return Err(value("the number of queues that a graph was given", given as u64, expected));
        }
        let lacks = |queue: &Queue| !queue.device().node().queues_wait_for_values();
        if self.edges.is_none() && !self.after.is_empty() && queues[..for_queues.len()].iter().any(lacks) {
            return Err(unsupported(
                "a queue of a gfx90x except gfx90a in a graph of another device",
                "its packet processor is not known to have barrier-value packets; make the graph for that queue's \
                 device",
            ));
        }
        for (queue, need) in queues.iter_mut().zip(for_queues) {
            queue.reserve_private_bytes(need.private_bytes)?;
            queue.check_room(need.room)?;
        }
        // Commands may have been changed since they were appended, and how many dwords they have.
        for (number, (engine, need)) in engines.iter_mut().zip(for_engines).enumerate() {
            let mut items: u64 = 0;
            for step in self.steps.iter().filter(|step| step.queue == number) {
                if let Work::Commands(commands) = &step.work {
                    commands.iter().try_for_each(Command::check)?;
                    items = items.saturating_add(step.work.items());
                }
            }
            engine.check_room(Room { items, ..need.room })?;
        }
        Ok(())
    }
}

/// For what a device cannot do.
fn unsupported(subject: &'static str, why: &str) -> Error {
    Error::Kfd(kfd::Error::Unsupported { subject, why: why.into() })
}

impl Work {
    /// Makes it begin when all before it in its queue is done, and see what that stored, and what was stored by
    /// whatever the queue waited for. Kernels have a packet that does so. Engines begin nothing before the atomic
    /// operation that counts the work before it.
    fn begin_behind_all(&mut self) {
        const BEHIND: Control = Control { barrier: true, acquire: Scope::System, release: Scope::None };
        let Work::Packets(packets) = self else { return };
        if packets.first().is_some_and(|first| !first.has_at_least(BEHIND)) {
            packets.insert(0, BarrierAnd::NOP.with_control(Control::SYSTEM).into());
        }
    }

    fn kind(&self) -> usize {
        if matches!(self, Work::Commands(_)) { ENGINES } else { QUEUES }
    }

    /// Packets, or dwords of commands.
    fn items(&self) -> u64 {
        match self {
            Work::Packets(packets) => packets.len() as u64,
            Work::Kernel { .. } => 1,
            Work::Commands(commands) => commands.iter().map(Command::dwords).fold(0, u64::saturating_add),
        }
    }

    fn private_bytes(&self) -> u32 {
        match self {
            Work::Kernel { private_bytes, .. } => *private_bytes,
            _ => 0,
        }
    }
}
