//! Running dispatches: chooses the next work-group, its thread and its time slice.
//!
//! Work-groups are resumable. A thread takes one, runs it for [`BUDGET`] instructions and puts it back, so that
//! work-groups that wait for others do not keep them from running. Started ones go on before new ones start; new ones
//! start when the started ones have all had turns without one ending, at most as many as the GPU holds at once. That
//! keeps few registers and LDS in the host's caches for ordinary kernels, and still makes every work-group resident
//! that a cooperative launch needs.
//!
//! Short work-groups are taken several at a time, as taking and ending one costs more than running it. Those that a
//! thread does not come to in its turn it gives back, so that they wait for nobody.

use super::Options;
use super::access::{Memory, Waves};
use super::occupancy::{Occupied, Room};
use super::queue::Stop;
use super::strays::Strays;
use super::trails::Trails;
use super::wave_fault::{Origin, WaveFault};
use crate::hardware::caches::Caches;
use crate::hardware::checks::findings;
use crate::hardware::gpu::Gpu;
use crate::hardware::interrupts::{Retry, Sender};
use crate::hardware::profile::Profile;
use crate::hardware::queue::QueueArgs;
use crate::hardware::random::Random;
use crate::hardware::units::{Unit, Units};
use crate::locks::{lock, wait};
use crate::log::{self, Topic};
use crate::trace;
use gcn::bus::Traps;
use gcn::exec::{Code, Exception, Launch, Order, Outcome, Place, View, Workgroup};
use gcn::sanitizer::Shadow;
use gcn::sanitizer::Wanted;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock};
use std::time::Duration;

/// Instructions of one turn: some hundred microseconds, for which a page table change may have to wait.
const BUDGET: u64 = 20_000;
/// Instructions that the threads which are awake execute before they wake a helper: about as long as that takes. So
/// what is over sooner never waits for a thread that the host schedules late.
const ALONE: u64 = 4_000;
/// What a turn takes besides, in instructions.
const TURN: u64 = 30;
/// Turns that a thread takes before it sleeps, when all that runs polls: waves sleep for less than five microseconds,
/// threads for longer.
const POLLS: usize = 256;
/// After so many of them it gives way to other threads.
const LOOK: usize = 16;
/// How long a helper sleeps then.
const PAUSE: Duration = Duration::from_micros(100);
/// Work-group objects kept for reuse.
const SPARE: usize = 32;
/// Work-groups that a thread takes at a time, at most: so many that what a turn costs is little for each.
const BATCH: u32 = 32;
/// Of those that are left to start, a thread takes this part at most, so that others have some too.
const SHARE: u64 = 8;

/// A kernel dispatch, from launch to end.
#[derive(Debug)]
pub struct Dispatch {
    launch: Launch,
    /// Where it comes from.
    origin: Origin,
    /// Work-groups in all.
    total: u64,
    groups: [u32; 3],
    room: Room,
    killed: AtomicBool,
    /// Its queue is suspended: no work-group of it runs.
    suspended: AtomicBool,
    finished: AtomicBool,
    /// Why it ended early.
    fault: Mutex<Option<WaveFault>>,
    /// A wave of it raised another exception.
    trapped: AtomicBool,
    /// A wave of it made a stray access.
    strayed: AtomicBool,
    /// Where its waves' interrupts come from.
    sender: Sender,
    /// Instructions executed, for the trace.
    executed: AtomicU64,
    /// What its waves did to device memory, if races are looked for.
    shadow: OnceLock<Shadow>,
}

impl Dispatch {
    /// A dispatch of `launch`.
    pub fn new(launch: Launch, origin: Origin, room: Room, sender: Sender) -> Dispatch {
        let groups = launch.workgroups();
        Dispatch {
            total: groups.iter().map(|&n| u64::from(n)).product(),
            groups,
            launch,
            origin,
            room,
            killed: AtomicBool::new(false),
            suspended: AtomicBool::new(false),
            finished: AtomicBool::new(false),
            fault: Mutex::new(None),
            trapped: AtomicBool::new(false),
            strayed: AtomicBool::new(false),
            sender,
            executed: AtomicU64::new(0),
            shadow: OnceLock::new(),
        }
    }

    /// No work-group of the dispatch runs any more, and none will.
    pub fn finished(&self) -> bool {
        self.finished.load(Ordering::Acquire)
    }

    /// Its work-groups may have turns.
    fn may_run(&self) -> bool {
        !self.killed.load(Ordering::Relaxed) && !self.suspended.load(Ordering::Relaxed)
    }

    /// Instructions that its waves have executed.
    pub fn executed(&self) -> u64 {
        self.executed.load(Ordering::Relaxed)
    }

    /// Where it comes from, and device address of its first instruction.
    pub fn origin(&self) -> (Origin, u64) {
        (self.origin, self.launch.entry)
    }

    /// The shadow memory of the dispatch, if races are checked.
    pub fn shadow(&self) -> Option<&Shadow> {
        self.shadow.get()
    }

    /// Records the completion.
    ///
    /// # Errors
    /// Why it ended early, which stops the queue.
    pub fn end(&self, args: &QueueArgs) -> Result<(), Stop> {
        if self.strayed.load(Ordering::Relaxed) {
            findings::flush();
        }
        if let Some(fault) = lock(&self.fault).take() {
            return Err(Stop::Wave(Box::new(fault)));
        }
        let (number, executed) = (self.origin.dispatch, self.executed());
        trace::emit("dispatch_end", |e| {
            e.number("queue", args.id).number("dispatch", number).number("instructions", executed)
        });
        Ok(())
    }

    /// Says which exception a wave raised. Of all waves only the first is told.
    fn trapped(&self, exception: &Exception, traps: Traps) {
        if self.trapped.swap(true, Ordering::Relaxed) {
            return;
        }
        let handler = if let Traps::Handler { code, .. } = traps { code } else { 0 };
        trace::emit("exception", |e| {
            e.number("dispatch", self.origin.dispatch).text("exception", exception).address("trap_handler", handler)
        });
        let what = format_args!("dispatch {}: {exception}", self.origin.dispatch);
        match traps {
            Traps::Handler { .. } => log::write(Topic::Unknown, what),
            _ if exception.is_passed_over() => {
                log::say(format_args!("{what}; the process has no trap handler, so nothing comes of it"));
            }
            _ => log::say(format_args!(
                "{what}; the process has no trap handler, so the wave halts and the dispatch never ends"
            )),
        }
    }

    fn group(&self, index: u64) -> [u32; 3] {
        let (x, y) = (u64::from(self.groups[0]), u64::from(self.groups[1]));
        [(index % x) as u32, (index / x % y) as u32, (index / x / y) as u32]
    }
}

/// A dispatch that has work-groups left.
#[derive(Debug)]
struct Active {
    dispatch: Arc<Dispatch>,
    /// Work-groups taken. Without a seed, those with numbers below this, but for...
    taken: u64,
    /// ...these, which were given back.
    given_back: Vec<u64>,
    /// Work-groups done.
    done: u64,
    /// Taken, not done.
    resident: u32,
    /// How many a thread takes at a time: more as long as it comes to all of them in a turn.
    batch: u32,
    /// Private memory slots that are free, of each XCC over which it is spread.
    slots: Vec<Vec<u32>>,
    /// The work-group to start next, once that is decided.
    next: Option<u64>,
    /// Compute units that it may use.
    units: Units,
    /// With a schedule seed, the order of work-groups is shuffled: those that are not at the place of their number.
    shuffled: HashMap<u64, u64>,
}

impl Active {
    /// Work-groups that could start, if the compute units have room.
    fn left(&self) -> u64 {
        let may_start = self.dispatch.may_run() && !self.is_full();
        if may_start { self.not_taken() } else { 0 }
    }

    fn not_taken(&self) -> u64 {
        self.dispatch.total - self.taken + self.given_back.len() as u64
    }

    /// No slot of private memory is free.
    fn is_full(&self) -> bool {
        self.slots.iter().all(Vec::is_empty)
    }

    /// The number of the work-group to take next: any of those that are left, if `draw` gives a number below how many
    /// they are. The same until it is taken.
    fn next_group(&mut self, draw: impl Fn(u64) -> Option<u64>) -> u64 {
        if let Some(next) = self.next.or_else(|| self.given_back.last().copied()) {
            return next;
        }
        let place = self.taken;
        let ahead = match draw(self.dispatch.total - place) {
            Some(ahead) => ahead,
            None if self.shuffled.is_empty() => return place,
            // A schedule that has ended.
            None => 0,
        };
        // A step of a Fisher-Yates shuffle. Behind `place` nobody looks again.
        let here = self.shuffled.remove(&place).unwrap_or(place);
        let group = if ahead == 0 { here } else { self.shuffled.insert(place + ahead, here).unwrap_or(place + ahead) };
        *self.next.insert(group)
    }

    /// Takes the work-group that [`Active::next_group`] gave.
    fn take_group(&mut self) {
        if self.next.take().is_some() || self.given_back.pop().is_none() {
            self.taken += 1;
        }
        self.resident += 1;
    }
}

/// Where a work-group has room.
#[derive(Clone, Copy)]
struct Seat {
    /// Number of the work-group.
    number: u64,
    slot: u32,
    unit: Unit,
    /// Wave slots of the unit that it has, a bit each.
    waves: u64,
}

/// What a thread runs work-groups with, one after the other.
#[derive(Default)]
struct Runner {
    group: Workgroup,
    /// Those that it has taken.
    seats: Vec<Seat>,
    /// Which of them is the current one.
    current: usize,
}

struct Task {
    dispatch: Arc<Dispatch>,
    /// Apart, as a task is moved several times.
    runner: Box<Runner>,
    /// Its current work-group is to be started; else it goes on.
    is_new: bool,
    /// Instructions of its next turn, if no seed says otherwise.
    budget: u64,
    /// Those that its current work-group has executed.
    executed: u64,
    /// The unit whose caches it uses: their model has fewer.
    cached_by: usize,
    /// What its waves executed last, if somebody wants to read it.
    trails: Option<Arc<Trails>>,
}

impl Task {
    fn seat(&self) -> Seat {
        self.runner.seats[self.runner.current]
    }

    fn start_if_new(&mut self) {
        if !std::mem::take(&mut self.is_new) {
            return;
        }
        let Seat { number, slot, unit, waves: slots } = self.seat();
        let group = &mut self.runner.group;
        group.start(&self.dispatch.launch, self.dispatch.group(number), slot);
        let [xcc, engine, unit] = [unit.xcc, unit.engine, unit.number].map(u32::from);
        group.place(Place { xcc, engine, unit, slots });
    }

    /// Goes to the next work-group that was taken, if there is one.
    fn advance(&mut self) -> bool {
        if self.runner.current + 1 == self.runner.seats.len() || !self.dispatch.may_run() {
            return false;
        }
        self.runner.current += 1;
        (self.is_new, self.executed) = (true, 0);
        true
    }
}

struct State {
    active: Vec<Active>,
    parked: VecDeque<Task>,
    #[allow(clippy::vec_box)] // They are moved one by one.
    spare: Vec<Box<Runner>>,
    /// Next of `active` to start a work-group of.
    turn: usize,
    occupied: Occupied,
    /// Turns since a work-group ended or started.
    fruitless: usize,
    /// Of these, turns that ended early because every wave slept or polled.
    polling: usize,
    /// Work-groups still to start without regard to `fruitless`.
    admit: usize,
    /// Helpers that sleep.
    sleeping: usize,
    /// While some do: instructions executed since one was woken, or since there was nothing to run.
    alone: u64,
    /// How often one was woken.
    #[cfg(test)]
    woken: u64,
    /// Threads that wait on [`Work::ended`]: to tell nobody takes a system call too.
    awaiting: usize,
    stopped: bool,
}

impl State {
    fn new(profile: &Profile) -> State {
        State {
            active: Vec::new(),
            parked: VecDeque::new(),
            spare: Vec::new(),
            turn: 0,
            occupied: Occupied::none(profile),
            fruitless: 0,
            polling: 0,
            admit: 0,
            sleeping: 0,
            alone: 0,
            #[cfg(test)]
            woken: 0,
            awaiting: 0,
            stopped: false,
        }
    }

    /// Work-groups that threads could take now, as far as two.
    fn waiting(&self) -> usize {
        let parked = self.parked.iter().filter(|task| task.dispatch.may_run()).map(|_| ());
        let new = self.active.iter().flat_map(|active| (0..active.left()).map(|_| ()));
        parked.chain(new).take(2).count()
    }
}

/// The dispatches that run on one GPU.
pub struct Work {
    gpu: Arc<Gpu>,
    code: Code,
    state: Mutex<State>,
    /// For helpers: there is work.
    available: Condvar,
    /// For who waits for the end of dispatches.
    ended: Condvar,
    /// With a schedule seed, everything is drawn from it.
    random: Option<Mutex<Random>>,
    /// Turns of waves that are still drawn.
    turns: AtomicU64,
    /// What accesses of waves are checked for.
    checks: Option<Wanted>,
    /// Threads may take several work-groups at a time: nothing asks for which one of them it is that accesses memory.
    batches: bool,
}

/// The result of a thread's search for work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Nothing.
    None,
    /// It ran a work-group.
    Ran,
    /// It ran a work-group, and for a while all that run have only polled.
    Polled,
    /// The last work-group of a dispatch ended.
    Ended,
}

impl Work {
    /// Nothing to do yet.
    pub fn new(gpu: Arc<Gpu>, options: &Options) -> Work {
        let Options { schedule, check: checks, compile, .. } = *options;
        if schedule.is_some_and(|schedule| schedule.turns == Some(0)) {
            findings::schedule_ended();
        }
        Work {
            code: Code::compiled(gpu.profile.target, compile),
            state: Mutex::new(State::new(gpu.profile)),
            batches: schedule.is_none() && checks.is_none() && gpu.space.caches().is_none(),
            gpu,
            available: Condvar::new(),
            ended: Condvar::new(),
            random: schedule.map(|schedule| Mutex::new(Random::new(schedule.seed ^ 0x5ca1_ab1e))),
            turns: AtomicU64::new(schedule.map_or(0, |schedule| schedule.turns.unwrap_or(u64::MAX))),
            checks,
        }
    }

    /// The decoded code of this GPU.
    pub fn code(&self) -> &Code {
        &self.code
    }

    /// No dispatch runs.
    pub fn is_empty(&self) -> bool {
        self.lock().active.is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// A number below `bound`, if there is a schedule that has not ended.
    fn draw(&self, bound: u64) -> Option<u64> {
        let random = self.random.as_ref().filter(|_| self.turns.load(Ordering::Relaxed) > 0)?;
        Some(lock(random).below(bound))
    }

    /// So many turns are still drawn. One thread alone comes here.
    fn left(&self, turns: u64) {
        if self.turns.swap(turns, Ordering::Relaxed) > 0 && turns == 0 {
            findings::schedule_ended();
        }
    }

    /// Starts a dispatch.
    pub fn add(&self, dispatch: Arc<Dispatch>) {
        let Room { limit, slots, xccs: [_, xccs], .. } = dispatch.room;
        let limit = u64::from(limit).min(dispatch.total.div_ceil(xccs.into())) as u32;
        let of_xcc = |xcc| (0..limit).rev().map(|slot| xcc * slots + slot).collect();
        let mut state = self.lock();
        if state.active.is_empty() {
            self.gpu.activity.begin();
        }
        state.active.push(Active {
            slots: (0..xccs).map(of_xcc).collect(),
            next: None,
            units: dispatch.room.units,
            dispatch,
            taken: 0,
            given_back: Vec::new(),
            done: 0,
            resident: 0,
            batch: 1,
            shuffled: HashMap::new(),
        });
    }

    /// Ends a dispatch early. [`Dispatch::finished`] reports when it has ended.
    pub fn kill(&self, dispatch: &Arc<Dispatch>) {
        let mut state = self.lock();
        self.kill_locked(&mut state, dispatch);
    }

    /// Ends all dispatches early.
    pub fn kill_all(&self) {
        let mut state = self.lock();
        let all: Vec<Arc<Dispatch>> = state.active.iter().map(|active| active.dispatch.clone()).collect();
        all.iter().for_each(|dispatch| self.kill_locked(&mut state, dispatch));
    }

    fn kill_locked(&self, state: &mut State, dispatch: &Arc<Dispatch>) {
        dispatch.killed.store(true, Ordering::Relaxed);
        let mut index = 0;
        while index < state.parked.len() {
            if !Arc::ptr_eq(&state.parked[index].dispatch, dispatch) {
                index += 1;
            } else if let Some(task) = state.parked.remove(index) {
                self.end_group(state, task);
            }
        }
        self.retire(state, dispatch);
    }

    /// Restricts the work-groups that a dispatch still starts to these compute units.
    pub fn restrict(&self, dispatch: &Arc<Dispatch>, units: Units) {
        let mut state = self.lock();
        let active = state.active.iter_mut().find(|active| Arc::ptr_eq(&active.dispatch, dispatch));
        if let Some(active) = active {
            active.units = units;
        }
        self.available.notify_all();
    }

    /// Suspends a dispatch, or lets it continue. After the return no thread runs a suspended one.
    pub fn suspend(&self, dispatch: &Arc<Dispatch>, suspended: bool) {
        let mut state = self.lock();
        dispatch.suspended.store(suspended, Ordering::Relaxed);
        if !suspended {
            self.available.notify_all();
            return;
        }
        let is_it = |other: &Arc<Dispatch>| Arc::ptr_eq(other, dispatch);
        let threads_run_it = |state: &State| {
            let parked = state.parked.iter().filter(|task| is_it(&task.dispatch)).count();
            state.active.iter().any(|active| is_it(&active.dispatch) && active.resident as usize > parked)
        };
        while threads_run_it(&state) {
            state = self.await_end(state);
        }
    }

    /// Waits until something ends.
    fn await_end<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        state.awaiting += 1;
        let mut state = wait(&self.ended, state);
        state.awaiting -= 1;
        state
    }

    fn tell_of_end(&self, state: &State) {
        if state.awaiting > 0 {
            self.ended.notify_all();
        }
    }

    /// Waits until a dispatch has completed.
    pub fn wait(&self, dispatch: &Dispatch) {
        let mut state = self.lock();
        while !dispatch.finished() {
            state = self.await_end(state);
        }
    }

    /// Runs one work-group for one turn, if there is one to run.
    fn turn(&self) -> Turn {
        let Some(task) = self.take(&mut self.lock()) else { return Turn::None };
        self.run(task)
    }

    /// Runs work-groups for [`POLLS`] turns, or until one does more than poll, or until `look`, which is called
    /// periodically, has found work.
    pub fn turns(&self, mut look: impl FnMut() -> bool) -> Turn {
        for polled in 1..=POLLS {
            let turn = self.turn();
            if turn != Turn::Polled {
                return turn;
            }
            if polled % LOOK == 0 {
                // What the waves wait for may come from a thread of the program that waits for this CPU.
                std::thread::yield_now();
                if look() {
                    return Turn::Ran;
                }
            }
        }
        Turn::Polled
    }

    /// A helper thread's life: runs work-groups until [`Work::stop`].
    pub fn help(&self) {
        let mut state = self.lock();
        while !state.stopped {
            let Some(task) = self.take(&mut state) else {
                state.sleeping += 1;
                state = wait(&self.available, state);
                state.sleeping -= 1;
                continue;
            };
            drop(state);
            if self.run(task) == Turn::Polled && self.turns(|| false) == Turn::Polled {
                std::thread::sleep(PAUSE);
            }
            state = self.lock();
        }
    }

    /// Sends helpers home.
    pub fn stop(&self) {
        self.lock().stopped = true;
        self.available.notify_all();
    }

    fn take(&self, state: &mut State) -> Option<Task> {
        if self.turns.load(Ordering::Relaxed) > 0 {
            return self.take_any(state);
        }
        let mut task = self.take_next(state)?;
        let may_wake = state.sleeping > 0 && state.waiting() > 0;
        task.budget = if may_wake { ALONE - state.alone } else { BUDGET };
        Some(task)
    }

    /// Started work-groups before new ones, as far as those get on.
    fn take_next(&self, state: &mut State) -> Option<Task> {
        let resident: u64 = state.active.iter().map(|a| u64::from(a.resident)).sum();
        if state.parked.is_empty() || state.admit > 0 {
            if let Some(task) = self.start(state) {
                state.admit = state.admit.saturating_sub(1);
                return Some(task);
            }
            state.admit = 0;
        } else if state.fruitless > 2 * resident as usize {
            // Everything that runs may wait for what has not started: double it.
            state.fruitless = 0;
            state.admit = resident as usize;
        }
        match state.parked.iter().position(|task| task.dispatch.may_run()) {
            Some(next) => state.parked.remove(next),
            None => self.start(state),
        }
    }

    /// Starts a work-group of the next dispatch that has room for one.
    fn start(&self, state: &mut State) -> Option<Task> {
        let count = state.active.len();
        (0..count).find_map(|i| {
            let index = (state.turn + i) % count;
            let task = self.start_of(state, index)?;
            state.turn = index + 1;
            Some(task)
        })
    }

    /// Takes a work-group of dispatch `index`, if it has one and the GPU has room.
    fn seat_of(&self, state: &mut State, index: usize) -> Option<Seat> {
        let active = &mut state.active[index];
        if active.left() == 0 {
            return None;
        }
        let number = active.next_group(|left| self.draw(left));
        let room = &active.dispatch.room;
        let at = room.xcc_of(number);
        let free = active.slots.get_mut(at as usize).filter(|slots| !slots.is_empty())?;
        let (unit, waves) = state.occupied.take(room, &active.units, room.xccs[0] + at)?;
        let slot = free.pop()?;
        active.take_group();
        Some(Seat { number, slot, unit, waves })
    }

    /// Starts a work-group of dispatch `index`, or some, if it has one and the GPU has room.
    fn start_of(&self, state: &mut State, index: usize) -> Option<Task> {
        let first = self.seat_of(state, index)?;
        let mut runner = state.spare.pop().unwrap_or_default();
        runner.current = 0;
        runner.seats.clear();
        runner.seats.push(first);
        let Active { batch, .. } = state.active[index];
        let more = u64::from(batch - 1).min(state.active[index].left() / SHARE);
        runner.seats.extend((0..more).map_while(|_| self.seat_of(state, index)));
        let dispatch = state.active[index].dispatch.clone();
        self.gpu.activity.add_waves(dispatch.room.waves * runner.seats.len() as u32);
        let cached_by = |caches: &Caches| caches.unit(first.unit.xcc.into(), dispatch.origin.dispatch, first.number);
        let cached_by = self.gpu.space.caches().map_or(0, cached_by);
        let trails = findings::follows().then(Arc::default);
        Some(Task { dispatch, runner, is_new: true, budget: BUDGET, executed: 0, cached_by, trails })
    }

    /// With a seed: any of the started work-groups, or a new one of any dispatch.
    fn take_any(&self, state: &mut State) -> Option<Task> {
        // Looking for work must not use up numbers.
        if state.active.is_empty() {
            return None;
        }
        let started = |state: &mut State| {
            let count = state.parked.len();
            let first = self.draw(count.max(1) as u64)? as usize;
            let may_run = |at: &usize| state.parked[*at].dispatch.may_run();
            let next = (0..count).map(|at| (first + at) % count).find(may_run)?;
            state.parked.remove(next)
        };
        let new = |state: &mut State| {
            let count = state.active.len();
            let first = self.draw(count.max(1) as u64)? as usize;
            (0..count).find_map(|i| self.start_of(state, (first + i) % count))
        };
        if self.draw(2)? == 0 { started(state).or_else(|| new(state)) } else { new(state).or_else(|| started(state)) }
    }

    fn run(&self, mut task: Task) -> Turn {
        let dispatch = task.dispatch.clone();
        let (budget, mut order) = match self.draw(u64::MAX) {
            // Turns of a few instructions as likely as long ones: otherwise short kernels would never be interrupted.
            Some(seed) => {
                let order = Order::seeded(seed).for_turns(self.turns.load(Ordering::Relaxed));
                (1 + (seed >> 32) % (1 << (seed % 13)), order)
            }
            None => (task.budget, Order::round_robin()),
        };
        // What it ran, and what that took: instructions.
        let (mut ran, mut cost) = (0, 0);
        let outcome = {
            let Dispatch { origin, sender, .. } = *dispatch;
            let waves = Waves { dispatch: origin.dispatch, unit: task.cached_by, sender };
            let shadow = |wanted: Wanted| wanted.races.then(|| dispatch.shadow.get_or_init(Shadow::new));
            let strays = self.checks.map(|wanted| Strays::new(wanted, task.trails.clone(), shadow(wanted)));
            let memory = Memory::of_waves(&self.gpu, waves, strays.as_ref());
            let mut view = match strays {
                Some(_) => View::checked(&memory, &self.code),
                None => View::new(&memory, &self.code),
            };
            let outcome = loop {
                task.start_if_new();
                let outcome = task.runner.group.run(&mut view, budget - cost, &mut order);
                let executed = task.runner.group.executed();
                let here = executed - task.executed;
                task.executed = executed;
                (ran, cost) = (ran + here, cost + here + TURN);
                if !matches!(outcome, Outcome::Done) || cost >= budget || !task.advance() {
                    break outcome;
                }
            };
            drop(memory);
            if self.turns.load(Ordering::Relaxed) > 0 {
                self.left(order.turns_left());
            }
            let id = dispatch.group(task.seat().number);
            if strays.is_some_and(|strays| strays.tell(&self.gpu, &dispatch.launch, origin, id)) {
                dispatch.strayed.store(true, Ordering::Relaxed);
            }
            outcome
        };
        if let Outcome::Trapped(exception) = &outcome {
            dispatch.trapped(exception, self.gpu.traps());
        }
        let (outcome, mapped) = self.retry(outcome);
        dispatch.executed.fetch_add(ran, Ordering::Relaxed);

        let mut state = self.lock();
        let goes_on = matches!(outcome, Outcome::Yielded | Outcome::Trapped(_));
        if goes_on && !dispatch.killed.load(Ordering::Relaxed) {
            state.fruitless += 1;
            state.polling = if ran < budget && !mapped { state.polling + 1 } else { 0 };
            self.keep_current(&mut state, &mut task);
            self.tell_if_suspended(&state, &task);
            state.parked.push_back(task);
            self.wake_helper(&mut state, cost, 1);
            let patience = 16 + 4 * state.parked.len();
            let all_started = state.active.iter().all(|a| a.not_taken() == 0 || a.is_full());
            return if all_started && state.polling > patience { Turn::Polled } else { Turn::Ran };
        }
        state.fruitless = 0;
        state.polling = 0;
        let id = dispatch.group(task.seat().number);
        let (wave, trails) = (task.runner.group.last_wave(), task.trails.clone());
        self.end_group(&mut state, task);
        self.wake_helper(&mut state, cost, 1);
        // Only memory faults do not go to trap handlers.
        if let Outcome::Exception(exception) = outcome
            && let Some(fault) = WaveFault::of(exception, &dispatch.launch, dispatch.origin, id, wave)
        {
            let trail = trails.map_or_else(Vec::new, |trails| trails.until(wave as u32, fault.pc));
            lock(&dispatch.fault).get_or_insert(fault.behind(trail));
            self.kill_locked(&mut state, &dispatch);
        }
        if self.retire(&mut state, &dispatch) { Turn::Ended } else { Turn::Ran }
    }

    /// Asks the driver about an access that is to be made again. Says what comes of it, and whether the memory is there
    /// now.
    fn retry(&self, outcome: Outcome) -> (Outcome, bool) {
        match outcome {
            Outcome::Faulted(exception) => match exception {
                Exception::MemoryFault { fault, .. } => match self.gpu.interrupts.retry_fault(fault) {
                    Retry::Mapped => (Outcome::Yielded, true),
                    Retry::Later => (Outcome::Yielded, false),
                    Retry::Refused => (Outcome::Exception(exception), false),
                },
                other => (Outcome::Exception(other), false),
            },
            other => (other, false),
        }
    }

    /// The calling thread was busy elsewhere for about the time that waking a helper takes.
    pub fn lead_was_busy(&self) {
        self.wake_helper(&mut self.lock(), ALONE, 0);
    }

    /// A thread has been busy for `instructions`. Wakes a helper once this has gone on for long enough, if more than
    /// the `own` work-groups that the thread takes next are waiting.
    fn wake_helper(&self, state: &mut State, instructions: u64, own: usize) {
        if state.sleeping == 0 {
            return;
        }
        state.alone += instructions;
        if state.alone < ALONE {
            return;
        }
        state.alone = 0;
        if state.waiting() > own {
            #[cfg(test)]
            {
                state.woken += 1;
            }
            self.available.notify_one();
        }
    }

    /// How many helpers sleep, and how often one was woken.
    #[cfg(test)]
    pub fn helpers(&self) -> (usize, u64) {
        let state = self.lock();
        (state.sleeping, state.woken)
    }

    /// Somebody may wait until no thread runs the dispatch of `task`.
    fn tell_if_suspended(&self, state: &State, task: &Task) {
        if task.dispatch.suspended.load(Ordering::Relaxed) {
            self.tell_of_end(state);
        }
    }

    /// Ends the work-groups of `task` before its current one, and gives those behind it back.
    fn keep_current(&self, state: &mut State, task: &mut Task) {
        let Runner { seats, current, .. } = &mut *task.runner;
        let (before, rest) = seats.split_at(*current);
        self.give_back(state, &task.dispatch, before, &rest[1..]);
        seats.swap(0, *current);
        seats.truncate(1);
        *current = 0;
    }

    /// Ends the current work-group of `task` and those before it, and gives those behind it back.
    fn end_group(&self, state: &mut State, task: Task) {
        self.tell_if_suspended(state, &task);
        let (done, behind) = task.runner.seats.split_at(task.runner.current + 1);
        self.give_back(state, &task.dispatch, done, behind);
        if state.spare.len() < SPARE {
            state.spare.push(task.runner);
        }
    }

    /// Gives back the room of work-groups that are `done`, and others that were not started.
    fn give_back(&self, state: &mut State, dispatch: &Arc<Dispatch>, done: &[Seat], others: &[Seat]) {
        let room = &dispatch.room;
        if let Some(active) = state.active.iter_mut().find(|a| Arc::ptr_eq(&a.dispatch, dispatch)) {
            for seat in done.iter().chain(others) {
                active.slots[(u32::from(seat.unit.xcc) - room.xccs[0]) as usize].push(seat.slot);
            }
            active.resident -= (done.len() + others.len()) as u32;
            active.done += done.len() as u64;
            active.given_back.extend(others.iter().rev().map(|seat| seat.number));
            active.batch =
                if self.batches && others.is_empty() && !done.is_empty() { BATCH.min(2 * active.batch) } else { 1 };
        }
        for seat in done.iter().chain(others) {
            state.occupied.give_back(room, seat.unit, seat.waves);
        }
        self.gpu.activity.remove_waves(room.waves * (done.len() + others.len()) as u32);
    }

    /// Removes a dispatch that is over. Returns whether it is.
    fn retire(&self, state: &mut State, dispatch: &Arc<Dispatch>) -> bool {
        let Some(index) = state.active.iter().position(|a| Arc::ptr_eq(&a.dispatch, dispatch)) else {
            // It never ran, or is over already.
            if dispatch.killed.load(Ordering::Relaxed) {
                dispatch.finished.store(true, Ordering::Release);
            }
            return dispatch.finished();
        };
        let active = &state.active[index];
        let over = active.done == dispatch.total || dispatch.killed.load(Ordering::Relaxed);
        if active.resident > 0 || !over {
            return false;
        }
        state.active.remove(index);
        if state.active.is_empty() {
            state.alone = 0;
            self.gpu.activity.end();
        }
        dispatch.finished.store(true, Ordering::Release);
        self.tell_of_end(state);
        true
    }
}
