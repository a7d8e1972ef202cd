//! A work-group: its waves, its LDS, and the loop that runs them.

use crate::dispatch::code_cache::{Code, Page, RecentPages};
use crate::dispatch::launch::{Launch, Place};
use crate::dispatch::outcome::{Exception, Outcome};
use crate::dispatch::scheduler::Order;
use crate::dispatch::trap;
use crate::interp::{control, replay};
use crate::jit::{Block, Exit};
use crate::machine::bus::Bus;
use crate::machine::context::{CoreFn, Device, Flow, Lds, Machine, Slot, Step, Stop, Tool};
use crate::machine::memory::{Memory, Windows};
use crate::machine::segments::Segments;
use crate::sanitizer::{Checks, Group, GroupState};
use gcn_alu::wave::{Mode, Wave};
use gcn_isa::inst::Inst;

/// A thread's view of a device's memory and code. It caches what its work-groups looked up.
pub struct View<'a> {
    device: Device<'a>,
    checks: Option<&'a dyn Checks>,
    code: &'a Code,
    windows: Windows,
}

impl<'a> View<'a> {
    /// Nothing was found yet.
    pub fn new(bus: &'a dyn Bus, code: &'a Code) -> View<'a> {
        View { device: Device::of(bus, None), checks: None, code, windows: Windows::NONE }
    }

    /// The same of a device that checks accesses.
    pub fn checked(checks: &'a dyn Checks, code: &'a Code) -> View<'a> {
        let device = Device::of(checks, Some(checks.wanted().exits()));
        View { device, checks: Some(checks), code, windows: Windows::NONE }
    }
}

/// A resumable work-group. Reuse one for many: its registers and LDS are allocated once.
#[derive(Default)]
pub struct Workgroup {
    waves: Vec<Wave>,
    /// Waves of the current work-group; `waves` may hold more from an earlier one.
    count: usize,
    lds: Lds,
    /// Of a device that checks accesses.
    state: GroupState,
    /// What else its waves have, for a device that checks accesses.
    segments: Segments,
    /// Which work-group it is, of how many in each direction.
    place_in_grid: [[u32; 3]; 2],
    /// The group has not run yet.
    is_new: bool,
    pages: RecentPages,
    generation: u64,
    last: usize,
    /// Turns until each wave has had its first one since the last barrier.
    leaving: u32,
    executed: u64,
}

impl Workgroup {
    /// Nothing to run yet.
    pub fn new() -> Workgroup {
        Workgroup::default()
    }

    /// Sets up work-group `id` of `launch` (each part below that of [`Launch::workgroups`]), dropping whatever ran here
    /// before. `scratch_slot` selects its private memory: no two work-groups that run at the same time may share one.
    ///
    /// Inlined, as what has just computed `id` has it in registers: to read it from memory as other pieces than it was
    /// written in takes long.
    #[inline]
    pub fn start(&mut self, launch: &Launch, id: [u32; 3], scratch_slot: u32) {
        let start = launch.workgroup(id, scratch_slot);
        self.count = start.waves() as usize;
        while self.waves.len() < self.count {
            self.waves.push(Wave::default());
        }
        for (index, wave) in self.waves[..self.count].iter_mut().enumerate() {
            start.wave(wave, index as u32);
        }
        self.lds.reset(launch.lds_bytes as usize);
        self.segments = launch.segments(scratch_slot);
        self.place_in_grid = [id, launch.workgroups()];
        self.is_new = true;
        self.generation = launch.generation;
        self.last = self.count.saturating_sub(1);
        self.leaving = 0;
        self.executed = 0;
    }

    /// Moves the work-group, before it runs, to a place on the GPU other than [`Place::FIRST`].
    pub fn place(&mut self, place: Place) {
        for (index, wave) in self.waves[..self.count].iter_mut().enumerate() {
            wave.hw_id = place.hw_id(index as u32);
            wave.xcc_id = wave.xcc_id.map(|_| place.xcc & 15);
        }
    }

    /// Instructions executed since [`Workgroup::start`].
    pub fn executed(&self) -> u64 {
        self.executed
    }

    /// Index of the wave that had the last turn: after an exception, the one that raised it.
    pub fn last_wave(&self) -> usize {
        self.last
    }

    /// The waves, for tests and debuggers.
    pub fn waves(&self) -> &[Wave] {
        &self.waves[..self.count]
    }

    /// Runs until every wave has ended, a wave raises an exception, or about `budget` instructions were executed.
    pub fn run(&mut self, view: &mut View, budget: u64, order: &mut Order) -> Outcome {
        let View { ref device, checks, code, ref mut windows } = *view;
        let bus = device.bus;
        let is_new = std::mem::take(&mut self.is_new);
        let mut sanitizer = checks.map(|checks| {
            let group = Group {
                place_in_grid: &self.place_in_grid,
                waves: self.count,
                lds_bytes: self.lds.len(),
                private_bytes: self.segments.private_bytes,
            };
            self.state.sanitizer(checks, &group, is_new)
        });
        let waves = &mut self.waves[..self.count];
        let live = waves.iter().filter(|w| !w.ended).count() as u32;
        let follows = sanitizer.as_ref().is_some_and(|sanitizer| sanitizer.follows());
        let mut machine = Machine {
            memory: Memory::new(bus, device.has_caches, checks.is_some(), windows),
            lds: &mut self.lds,
            device,
            tool: sanitizer.as_mut().map(|sanitizer| sanitizer as &mut dyn Tool),
            segments: &self.segments,
            shared_base: waves.first().map_or(0, |w| w.shared_base),
            waves: live,
            at_barrier: waves.iter().filter(|w| w.at_barrier).count() as u32,
            leaving: false,
            slept: false,
        };
        let mut fetch = Fetch { code, generation: &mut self.generation, pages: &mut self.pages };
        // Turns in a row that ended in a sleep: when all waves only poll, others should run.
        let mut naps = 0;
        let mut left = budget;
        loop {
            if machine.waves == 0 {
                return Outcome::Done;
            }
            if machine.at_barrier >= machine.waves {
                machine.at_barrier = 0;
                machine.tool.iter_mut().for_each(|tool| tool.barrier());
                waves.iter_mut().for_each(|w| w.at_barrier = false);
                self.leaving = if order.leaves_barriers_together() { machine.waves } else { 0 };
            }
            if left == 0 || naps >= self.count || !waves.iter().any(Wave::runs) {
                return Outcome::Yielded;
            }
            let (mut next, turn) = order.next(self.last, waves.len());
            while !waves[next].runs() {
                next = if next + 1 < waves.len() { next + 1 } else { 0 };
            }
            self.last = next;
            let turn = turn.min(left);
            machine.leaving = self.leaving > 0;
            self.leaving = self.leaving.saturating_sub(1);
            let mut rest = turn;
            match run_wave(&mut waves[next], &mut machine, &mut fetch, follows, &mut rest) {
                Ok(()) => {
                    let used = turn - rest;
                    left -= used.min(left);
                    naps = if std::mem::take(&mut machine.slept) { naps + 1 } else { 0 };
                    self.executed += used;
                }
                Err(exception) => {
                    if let Exception::MemoryFault { pc, instruction: Some(_), .. } = *exception
                        && bus.replays()
                    {
                        waves[next].pc = pc;
                        // Without the one that is not done.
                        self.executed += turn - rest - 1;
                        return Outcome::Faulted(*exception);
                    }
                    let in_group = machine.waves > 1;
                    let handled = trap::take(&mut waves[next], &exception, machine.memory.bus.traps(), in_group);
                    return if handled { Outcome::Trapped(*exception) } else { Outcome::Exception(*exception) };
                }
            }
        }
    }
}

/// Where the instructions of a work-group come from.
struct Fetch<'a> {
    code: &'a Code,
    /// Age that decoded code must have; see [`Code::page`].
    generation: &'a mut u64,
    pages: &'a mut RecentPages,
}

/// Runs one wave while instructions are `left`, or until it pauses. `follows`: as of [`Tool::follows`].
fn run_wave(
    wave: &mut Wave,
    machine: &mut Machine,
    fetch: &mut Fetch,
    follows: bool,
    left: &mut u64,
) -> Result<(), Box<Exception>> {
    while *left > 0 {
        // The program counter has 48 bits, the lowest two always 0.
        wave.pc &= 0xffff_ffff_fffc;
        let pc = wave.pc;
        let page = fetch
            .pages
            .page(fetch.code, machine.memory.bus, pc, *fetch.generation)
            .map_err(|fault| Exception::MemoryFault { pc, instruction: None, lane: None, fault })?;
        let end = match (machine.device.checked, follows) {
            (false, _) => run_page::<false, false>(wave, machine, page, left),
            (true, false) => run_page::<true, false>(wave, machine, page, left),
            (true, true) => run_page::<true, true>(wave, machine, page, left),
        };
        wave.touch(page.touches());
        match end? {
            Flow::Pause => break,
            Flow::Refetch => *fetch.generation = fetch.code.next_generation(),
            Flow::Next | Flow::Branch => {}
        }
    }
    Ok(())
}

/// Runs one wave while it stays in `page` and instructions are `left`. [`Flow::Pause`] ends its turn. `CHECKED`: as
/// [`Device::checked`]. `FOLLOWED`: as of [`Tool::follows`].
///
/// Not inlined, so that nothing but what the loop needs is in registers.
#[inline(never)]
fn run_page<const CHECKED: bool, const FOLLOWED: bool>(
    wave: &mut Wave,
    machine: &mut Machine,
    page: &Page,
    left: &mut u64,
) -> Result<Flow, Box<Exception>> {
    // A turn begins, or a branch was taken.
    'arrived: while let Some(mut index) = page.index(wave.pc) {
        if !FOLLOWED && let Some(block) = page.block(index, wave.mode, machine.device.inspected) {
            match run_blocks::<CHECKED>(wave, machine, page, block, left)? {
                Flow::Next => index = ((wave.pc - page.base) / 4) as usize,
                flow => return Ok(flow),
            }
        }
        while *left > 0 && index < page.len() {
            let Some(slot) = page.slot(index) else {
                let (bytes, text) = page.illegal(index);
                let pc = page.base + index as u64 * 4;
                return Err(Box::new(Exception::IllegalInstruction { pc, bytes, text }));
            };
            if FOLLOWED && let Some(tool) = &mut machine.tool {
                tool.step(wave, page.base + index as u64 * 4, &slot.inst);
            }
            *left -= 1;
            index += usize::from(slot.inst.len / 4);
            wave.pc = page.base + index as u64 * 4;
            if wave.mode.0 & (Mode::GPR_IDX_EN | Mode::VSKIP) != 0 && crate::interp::gpr_index::run(wave, &slot.inst) {
                continue;
            }
            match slot.step {
                Step::Alu(run) => run(wave, &slot.inst),
                Step::Core(core) => match execute::<CHECKED>(core, wave, &slot.inst, machine) {
                    Ok(Flow::Next) => {}
                    Ok(Flow::Branch) => continue 'arrived,
                    Ok(flow) => return Ok(flow),
                    Err(stop) => return Err(exception(stop, page, index, slot)),
                },
            }
        }
        return Ok(Flow::Next);
    }
    Ok(Flow::Branch)
}

/// Executes an instruction that needs more than its wave. `CHECKED`: as [`Device::checked`].
#[inline(always)]
fn execute<const CHECKED: bool>(
    core: CoreFn,
    wave: &mut Wave,
    inst: &Inst,
    machine: &mut Machine,
) -> Result<Flow, Stop> {
    if !CHECKED {
        return core(wave, inst, machine);
    }
    match machine.tool.take() {
        Some(tool) => {
            let result = tool.execute(core, wave, inst, machine);
            machine.tool = Some(tool);
            result
        }
        None => replay::execute(core, wave, inst, machine),
    }
}

/// Runs one wave while there are blocks where it comes. [`Flow::Next`]: it goes on in the same page, where there is
/// none for it.
#[inline(never)]
fn run_blocks<'a, const CHECKED: bool>(
    wave: &mut Wave,
    machine: &mut Machine,
    page: &'a Page,
    mut block: &'a Block,
    left: &mut u64,
) -> Result<Flow, Box<Exception>> {
    while *left >= block.instructions() && block.is_for(wave.mode, machine.device.inspected) {
        match run_block::<CHECKED>(wave, machine, page, block, left)? {
            Flow::Next | Flow::Branch => {}
            flow => return Ok(flow),
        }
        let Some(index) = page.index(wave.pc) else { return Ok(Flow::Branch) };
        let Some(next) = page.block(index, wave.mode, machine.device.inspected) else { break };
        block = next;
    }
    Ok(Flow::Next)
}

/// Runs the region of `block` from there on, until the wave is elsewhere or the turn ends.
#[inline]
fn run_block<const CHECKED: bool>(
    wave: &mut Wave,
    machine: &mut Machine,
    page: &Page,
    block: &Block,
    left: &mut u64,
) -> Result<Flow, Box<Exception>> {
    let mut start = block.start();
    loop {
        let has_lds = !CHECKED || !machine.shows_lds();
        let known = machine.memory.windows();
        let others = if CHECKED { machine.device.inspected.but_arguments(known, machine.segments) } else { None };
        let windows = others.as_ref().unwrap_or(known);
        let lds = if has_lds { machine.lds.bytes_mut() } else { &mut [] };
        let (index, count, rest, resume) = match block.run(start, wave, lds, windows, machine.leaving, left) {
            Exit::Singles { index, count, rest, resume } => (index, count, rest, resume),
            Exit::Elsewhere(index) => {
                wave.pc = page.base.wrapping_add_signed(index * 4);
                return Ok(Flow::Branch);
            }
            Exit::End(index) => {
                wave.pc = page.base + u64::from(index) * 4;
                control::end(wave, machine);
                return Ok(Flow::Pause);
            }
        };
        let mut index = index as usize;
        for behind in (0..count).rev() {
            // Regions are made of slots that there are.
            let Some(slot) = page.slot(index) else { break };
            index += usize::from(slot.inst.len / 4);
            wave.pc = page.base + index as u64 * 4;
            let flow = match slot.step {
                Step::Alu(run) => {
                    run(wave, &slot.inst);
                    continue;
                }
                Step::Core(core) => execute::<CHECKED>(core, wave, &slot.inst, machine),
            };
            match flow {
                Ok(Flow::Next) => {}
                Ok(flow) => {
                    *left += u64::from(behind + rest);
                    return Ok(flow);
                }
                Err(stop) => {
                    *left += u64::from(behind + rest);
                    return Err(exception(stop, page, index, slot));
                }
            }
        }
        match resume {
            Some(resume) => start = resume,
            None => return Ok(Flow::Next),
        }
    }
}

/// What an instruction raised, behind which dword `index` of the page is.
#[cold]
fn exception(stop: Stop, page: &Page, index: usize, slot: &Slot) -> Box<Exception> {
    let start = index - usize::from(slot.inst.len / 4);
    let (bytes, _) = page.illegal(start);
    Box::new(stop.exception(page.base + start as u64 * 4, &slot.inst, bytes))
}
