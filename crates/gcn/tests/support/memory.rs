//! A device with a single piece of memory.

// Each test program uses a part of this.
#![allow(dead_code)]

use std::cell::UnsafeCell;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use gcn::bus::{Access, Bus, Caches, MemoryFault, Path, Reached, Window};
use gcn::exec::{Code, View};
use gcn::sanitizer::{Allocations, Checks, Race, Racer, Shadow, Space, Stray, Unordered, Wanted};

/// Memory from one device address on; all other addresses fault.
pub struct Memory {
    start: u64,
    words: Box<[UnsafeCell<u64>]>,
    /// What waves asked caches for, if it is accessed in lines.
    asked: Option<Mutex<Vec<Asked>>>,
    /// Where that ends which waves may access, if the device checks it, and what it was told.
    checked: Option<(u64, Mutex<Vec<Told>>)>,
    /// What it wants to be told of.
    wanted: Wanted,
    /// The races that it was told.
    raced: Mutex<Vec<Raced>>,
    /// What waves of the dispatch did to it, if races are looked for there, and where the program's data begins.
    shadow: Option<(Shadow, u64)>,
    /// What the program says that waves synchronise by, by plain accesses.
    flags: Vec<Range<u64>>,
    /// Dwords that waves have written, though they hold their poison.
    written: Mutex<Vec<u64>>,
    /// Where that ends which is there, if more comes.
    there: Option<AtomicU64>,
    /// The waves and addresses of what was executed, if waves are followed.
    followed: Option<Mutex<Vec<(u32, u64)>>>,
}

/// A stray access that the device was told of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub pc: u64,
    pub instruction: String,
    pub wave: u32,
    pub lane: Option<u8>,
    pub space: Space,
    pub address: u64,
    pub access: Access,
}

/// A race that the device was told of: the address, and what was done by whom, the first of them first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raced {
    pub address: u64,
    pub unordered: Unordered,
    /// Their work-groups, in x.
    pub groups: [u32; 2],
    pub by: [Told; 2],
}

/// What a wave asked caches for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    Reach(Access, Path),
    Invalidate(Path),
    WriteBackL2,
    InvalidateL2,
}

/// Bytes of a line.
const LINE: u64 = 64;

impl Memory {
    /// `content`, which is a multiple of 8 bytes long, at device address `start`.
    pub fn new(start: u64, content: &[u8]) -> Memory {
        let (words, rest) = content.as_chunks();
        assert!(rest.is_empty());
        let words = words.iter().map(|&word| UnsafeCell::new(u64::from_le_bytes(word))).collect();
        Memory {
            start,
            words,
            asked: None,
            checked: None,
            wanted: Wanted::USUAL,
            raced: Mutex::default(),
            written: Mutex::default(),
            shadow: None,
            flags: Vec::new(),
            there: None,
            followed: None,
        }
    }

    /// The same accessed in lines, as if there were caches, which are coherent.
    pub fn in_lines(start: u64, content: &[u8]) -> Memory {
        Memory { asked: Some(Mutex::default()), ..Memory::new(start, content) }
    }

    /// The same with checks: waves may access what is below `end`.
    pub fn up_to(self, end: u64) -> Memory {
        Memory { checked: Some((end, Mutex::default())), ..self }
    }

    /// The same with checks for these only.
    pub fn wanting(self, wanted: Wanted) -> Memory {
        Memory { wanted, ..self }
    }

    /// The same on a device that checks accesses and follows waves.
    pub fn following(self) -> Memory {
        Memory { followed: Some(Mutex::default()), ..self }
    }

    /// The wave and the address of each instruction that was executed, of a device that follows.
    pub fn followed(&self) -> Vec<(u32, u64)> {
        self.followed.as_ref().map_or(Vec::new(), |steps| steps.lock().unwrap().clone())
    }

    /// The same with the program's data from `data` on, where races are looked for.
    pub fn shared_from(self, data: u64) -> Memory {
        Memory { shadow: Some((Shadow::new(), data)), ..self }
    }

    /// The same with flags that are accessed by plain loads and stores.
    pub fn with_flags(self, flags: &[Range<u64>]) -> Memory {
        Memory { flags: flags.to_vec(), ..self }
    }

    /// The same on a device that replays accesses: what is below `end` is there, and more with each [`Memory::grow`].
    pub fn there_up_to(self, end: u64) -> Memory {
        Memory { there: Some(AtomicU64::new(end)), ..self }
    }

    /// One dword more is there.
    pub fn grow(&self) {
        self.there.iter().for_each(|end| _ = end.fetch_add(4, Ordering::Relaxed));
    }

    /// The stray accesses that were told.
    pub fn told(&self) -> Vec<Told> {
        self.checked.as_ref().map_or(Vec::new(), |(_, told)| told.lock().unwrap().clone())
    }

    /// The races that were told.
    pub fn raced(&self) -> Vec<Raced> {
        self.raced.lock().unwrap().clone()
    }

    /// A thread's view of it, checked if it checks accesses.
    pub fn view<'a>(&'a self, code: &'a Code) -> View<'a> {
        if self.checked.is_some() { View::checked(self, code) } else { View::new(self, code) }
    }

    /// What waves have asked caches for.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.as_ref().map_or(Vec::new(), |asked| asked.lock().unwrap().clone())
    }

    fn note(&self, what: Asked) {
        self.asked.iter().for_each(|asked| asked.lock().unwrap().push(what));
    }

    /// Writes `bytes`, `at` bytes behind the start.
    pub fn fill(&mut self, at: usize, bytes: &[u8]) {
        for (at, &byte) in (at..).zip(bytes) {
            let word = self.words[at / 8].get_mut();
            let mut content = word.to_le_bytes();
            content[at % 8] = byte;
            *word = u64::from_le_bytes(content);
        }
    }

    /// All that it holds.
    pub fn into_bytes(self) -> Vec<u8> {
        self.words.into_iter().flat_map(|word| word.into_inner().to_le_bytes()).collect()
    }
}

// SAFETY: one thread runs.
unsafe impl Sync for Memory {}

// SAFETY: the window is all of the box, which lives as long as `self`.
unsafe impl Bus for Memory {
    fn window(&self, address: u64, access: Access) -> Result<Window, MemoryFault> {
        let window = self.mapped(address, access)?;
        match &self.checked {
            Some((end, _)) if address >= *end => Err(MemoryFault { address, access, protection: false }),
            Some((end, _)) => Ok(Window { end: window.end.min(*end), ..window }),
            None => Ok(window),
        }
    }

    fn replays(&self) -> bool {
        self.there.is_some()
    }

    fn mapped(&self, address: u64, access: Access) -> Result<Window, MemoryFault> {
        let end = self.start + size_of_val(&*self.words) as u64;
        let end = self.there.as_ref().map_or(end, |there| end.min(there.load(Ordering::Relaxed)));
        if !(self.start..end).contains(&address) {
            return Err(MemoryFault { address, access, protection: false });
        }
        Ok(Window { start: self.start, end, host: self.words.as_ptr().cast_mut().cast(), writable: true })
    }

    fn caches(&self) -> Option<&dyn Caches> {
        self.asked.as_ref().map(|_| self as &dyn Caches)
    }

    fn realtime(&self) -> u64 {
        1
    }

    fn memtime(&self) -> u64 {
        2
    }

    fn interrupt(&self, _: u32, _: bool) {}
}

impl Allocations for Memory {
    fn allocation(&self, address: u64) -> Option<Range<u64>> {
        let start = self.shadow.as_ref()?.1;
        Some(start..self.start + size_of_val(&*self.words) as u64).filter(|data| data.contains(&address))
    }

    fn flags(&self, range: Range<u64>) -> Vec<Range<u64>> {
        self.flags.iter().filter(|flag| range.contains(&flag.start)).cloned().collect()
    }
}

impl Checks for Memory {
    fn wanted(&self) -> Wanted {
        self.wanted
    }

    fn stray(&self, stray: &Stray) {
        let Stray { pc, instruction, wave, lane, space, fault } = *stray;
        let MemoryFault { address, access, .. } = fault;
        let told = Told { pc, instruction: instruction.to_string(), wave, lane, space, address, access };
        self.checked.iter().for_each(|(_, all)| all.lock().unwrap().push(told.clone()));
    }

    fn is_unwritten(&self, address: u64) -> bool {
        !self.written.lock().unwrap().contains(&address)
    }

    fn wrote_poison(&self, address: u64) {
        self.written.lock().unwrap().push(address);
    }

    fn race(&self, race: &Race) {
        let by = [race.first, race.second].map(|Racer { pc, instruction, wave, lane, access, .. }| Told {
            pc,
            instruction: instruction.to_string(),
            wave,
            lane,
            space: race.space,
            address: race.address,
            access,
        });
        let groups = [race.first.workgroup[0], race.second.workgroup[0]];
        self.raced.lock().unwrap().push(Raced { address: race.address, unordered: race.unordered, groups, by });
    }

    fn shadow(&self) -> Option<&Shadow> {
        self.shadow.as_ref().map(|(shadow, _)| shadow)
    }

    fn follows(&self) -> bool {
        self.followed.is_some()
    }

    fn step(&self, wave: u32, pc: u64) {
        self.followed.iter().for_each(|steps| steps.lock().unwrap().push((wave, pc)));
    }
}

// SAFETY: what it gives is inside the window.
unsafe impl Caches for Memory {
    fn reach(&self, address: u64, bytes: u64, access: Access, path: Path) -> Result<Reached, MemoryFault> {
        let window = self.mapped(address, access)?;
        if address % LINE + bytes > LINE {
            return Ok(Reached::Apart);
        }
        self.note(Asked::Reach(access, path));
        Ok(Reached::Line(window.host.wrapping_add((address - window.start) as usize)))
    }

    fn invalidate(&self, path: Path) {
        self.note(Asked::Invalidate(path));
    }

    fn write_back_l2(&self) {
        self.note(Asked::WriteBackL2);
    }

    fn invalidate_l2(&self) {
        self.note(Asked::InvalidateL2);
    }
}
