//! A test machine: one wave executes a few instructions, from given registers to resulting ones.

// Each test program uses a part of this.
#![allow(dead_code)]

#[path = "memory.rs"]
pub mod memory;

use std::collections::HashMap;
use std::fmt::Debug;

use gcn::exec::{Code, Compile, Exception, Launch, LaunchParameters, Order, Outcome, Scratch, Workgroup};
use gcn::sanitizer::{Wanted, poison};
use gcn::target::Target;

use crate::support::{assemble, has_llvm};
use memory::{Asked, Memory, Raced, Told};

/// A vector register.
pub type Lanes = [u32; 64];

/// Where [`Machine::heap`] is, in bytes behind s\[0:1\].
pub const HEAP: usize = 4096;
const HEAP_DWORDS: usize = 512;

/// Where the code of [`Machine::raise`] starts.
pub const BASE: u64 = 0x1_0000;
/// One past the last address that is mapped.
pub const END: u64 = BASE + BYTES as u64;
pub const DATA: u64 = BASE + 0x1000;
/// Where memory starts that nobody has written, in [`Machine::check_segments_for`].
pub const FRESH: u64 = DATA + 0x100;
/// Where all private memory starts in [`Machine::check_segments`].
const SCRATCH: u64 = BASE + 0x2000;
const BYTES: usize = 0x4000;

/// v0 is the lane, v\[10:13\] are what the caller gives.
const PROLOGUE: &[&str] = &["v_lshlrev_b32 v1, 4, v0", "global_load_dwordx4 v[10:13], v1, s[0:1]"];
/// v\[20:23\] are what the caller gets.
const EPILOGUE: &[&str] =
    &["v_lshlrev_b32 v1, 4, v0", "global_store_dwordx4 v1, v[20:23], s[0:1] offset:1024", "s_endpgm"];

/// The lines of assembly in `text`.
pub fn lines(text: &str) -> Vec<String> {
    text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
}

/// Memory, and the encodings of the lines that ran.
pub struct Machine {
    pub heap: [u32; HEAP_DWORDS],
    /// What the lines asked caches for.
    pub asked: Vec<Asked>,
    /// Whether the device's registers have ECC, as an MI100's have.
    pub sram_ecc: bool,
    /// What the program says that waves synchronise by, by plain accesses, where races are looked for.
    pub flags: Vec<std::ops::Range<u64>>,
    target: Target,
    encodings: HashMap<String, Vec<u8>>,
}

/// Accesses outside alone, of which most are compiled.
const STRAYS: Wanted = Wanted { strays: true, ..Wanted::NOTHING };

impl Machine {
    /// A gfx908. `None` if LLVM is not installed.
    pub fn new() -> Option<Machine> {
        Machine::of(Target::Gfx908)
    }

    /// `None` if LLVM is not installed.
    pub fn of(target: Target) -> Option<Machine> {
        has_llvm().then(|| Machine {
            heap: [0; HEAP_DWORDS],
            asked: Vec::new(),
            sram_ecc: true,
            flags: Vec::new(),
            target,
            encodings: HashMap::new(),
        })
    }

    /// Assembles all lines that are going to run: one start of llvm-mc instead of one for each.
    pub fn prepare<'a>(&mut self, lines: impl IntoIterator<Item = &'a String>) {
        let mut new: Vec<String> =
            lines.into_iter().filter(|line| !self.encodings.contains_key(*line)).cloned().collect();
        new.sort();
        new.dedup();
        if new.is_empty() {
            return;
        }
        for (line, code) in new.iter().zip(assemble(self.target, &new)) {
            let code = code.unwrap_or_else(|| panic!("llvm-mc refuses: {line}"));
            self.encodings.insert(line.clone(), code);
        }
    }

    /// Bytes of the encodings of `lines`.
    pub fn length(&mut self, lines: &[String]) -> u64 {
        self.encode(lines).len() as u64
    }

    fn encode(&mut self, lines: &[String]) -> Vec<u8> {
        self.prepare(lines);
        lines.iter().flat_map(|line| self.encodings[line].iter().copied()).collect()
    }

    /// What `run` gives with code that is never compiled, which must be what it gives with code that is compiled when
    /// waves first come to it.
    fn either<T: PartialEq + Debug>(&self, mut run: impl FnMut(&Code) -> T) -> T {
        let [single, compiled] =
            [Compile::Never, Compile::After(0)].map(|compile| run(&Code::compiled(self.target, compile)));
        assert_eq!(single, compiled);
        single
    }

    /// Runs `lines`, which end the program, as a work-group of `waves`, in 10,000 instructions. s\[0:1\] point at the
    /// heap, v0 is the work-item. Returns the heap.
    pub fn run_group(&mut self, waves: u16, lines: &[String]) -> [u32; HEAP_DWORDS] {
        let mut content = self.encode(lines);
        let data = (DATA - BASE) as usize;
        assert!(content.len() <= data);
        content.resize(data, 0);
        content.extend(self.heap.iter().flat_map(|word| word.to_le_bytes()));
        content.resize(BYTES, 0);
        let (memory, cache) = (Memory::new(BASE, &content), Code::new(self.target));
        let launch = Launch::new(&parameters(self.sram_ecc, waves), &cache).expect("valid");
        let mut group = Workgroup::new();
        group.start(&launch, [0; 3], 0);
        let outcome = group.run(&mut memory.view(&cache), 10_000, &mut Order::round_robin());
        assert_eq!(outcome, Outcome::Done, "{lines:?}");
        let content = memory.into_bytes();
        let words = &content[data..].as_chunks().0[..HEAP_DWORDS];
        std::array::from_fn(|i| u32::from_le_bytes(words[i]))
    }

    /// Runs `lines`, which raise an exception, as a work-group of `waves`. s\[0:1\] point at the heap, v0 is the
    /// work-item, and all that is mapped ends at [`END`]. Returns the exception and the wave that raised it, in one
    /// window and in lines.
    pub fn raise(&mut self, waves: u16, lines: &[String]) -> [(Exception, usize); 2] {
        let mut content = self.encode(lines);
        content.resize(BYTES, 0);
        [Memory::new(BASE, &content), Memory::in_lines(BASE, &content)].map(|memory| {
            let cache = Code::new(self.target);
            let launch = Launch::new(&parameters(self.sram_ecc, waves), &cache).expect("valid");
            let mut group = Workgroup::new();
            group.start(&launch, [0; 3], 0);
            match group.run(&mut memory.view(&cache), 10_000, &mut Order::round_robin()) {
                Outcome::Exception(exception) => (exception, group.last_wave()),
                other => panic!("{lines:?}: {other:?}"),
            }
        })
    }

    /// Runs `lines`, which end the program, as one wave on memory that starts with them and has `data` from 4096 bytes
    /// on. s\[0:1\] point at the data. Returns all of the memory and what was told, where nothing is checked, and where
    /// waves may access what is below `end`, in one window and in lines.
    pub fn stray(&mut self, lines: &[String], data: &[u8], end: u64) -> [(Vec<u8>, Vec<Told>); 3] {
        let mut content = self.encode(lines);
        content.resize((DATA - BASE) as usize, 0);
        content.extend(data);
        content.resize(BYTES, 0);
        self.either(|cache| {
            let checked = || Memory::new(BASE, &content).up_to(end);
            let lines_of = || Memory::in_lines(BASE, &content);
            let [alone, rest @ ..] =
                [checked().wanting(STRAYS), Memory::new(BASE, &content), checked(), lines_of().up_to(end)].map(
                    |memory| {
                        let launch = Launch::new(&parameters(self.sram_ecc, 1), cache).expect("valid");
                        let mut group = Workgroup::new();
                        group.start(&launch, [0; 3], 0);
                        let outcome = group.run(&mut memory.view(cache), 10_000, &mut Order::round_robin());
                        assert_eq!(outcome, Outcome::Done, "{lines:?}");
                        let told = memory.told();
                        (memory.into_bytes(), told)
                    },
                );
            assert_eq!(alone, rest[1], "{lines:?}");
            rest
        })
    }

    /// Runs `lines`, which end the program, as a work-group of `waves` in this order on a device that checks accesses.
    /// s\[0:1\] point at the heap, v0 is the work-item. Returns the heap, what was told of accesses outside, and of
    /// races.
    pub fn check_group(
        &mut self,
        waves: u16,
        lines: &[String],
        order: Order,
    ) -> ([u32; HEAP_DWORDS], Vec<Told>, Vec<Raced>) {
        let of_strays = self.check_group_for(STRAYS, waves, lines, order.clone());
        let all = self.check_group_for(Wanted::USUAL, waves, lines, order);
        assert_eq!((&of_strays.0, &of_strays.1), (&all.0, &all.1), "{lines:?}");
        all
    }

    /// As [`Machine::check_group`], where only this is wanted.
    pub fn check_group_for(
        &mut self,
        wanted: Wanted,
        waves: u16,
        lines: &[String],
        order: Order,
    ) -> ([u32; HEAP_DWORDS], Vec<Told>, Vec<Raced>) {
        let mut content = self.encode(lines);
        let data = (DATA - BASE) as usize;
        assert!(content.len() <= data);
        content.resize(BYTES, 0);
        self.either(|cache| {
            let (memory, mut order) = (Memory::new(BASE, &content).up_to(END).wanting(wanted), order.clone());
            let launch = Launch::new(&parameters(self.sram_ecc, waves), cache).expect("valid");
            let mut group = Workgroup::new();
            group.start(&launch, [0; 3], 0);
            while group.run(&mut memory.view(cache), 1000, &mut order) != Outcome::Done {
                assert!(group.executed() < 100_000, "{lines:?}");
            }
            let (told, raced) = (memory.told(), memory.raced());
            let content = memory.into_bytes();
            let words = &content[data..].as_chunks().0[..HEAP_DWORDS];
            (std::array::from_fn(|i| u32::from_le_bytes(words[i])), told, raced)
        })
    }

    /// Runs `lines`, which end the program, as a work-group of `waves` on a device that follows them. Returns the wave
    /// and the offset in the code of each instruction that was executed, and how many the work-group counted.
    pub fn follow(&mut self, waves: u16, lines: &[String]) -> (Vec<(u32, u64)>, u64) {
        let mut content = self.encode(lines);
        content.resize(BYTES, 0);
        let (memory, cache) = (Memory::new(BASE, &content).up_to(END).following(), Code::new(self.target));
        let launch = Launch::new(&parameters(self.sram_ecc, waves), &cache).expect("valid");
        let mut group = Workgroup::new();
        group.start(&launch, [0; 3], 0);
        let outcome = group.run(&mut memory.view(&cache), 10_000, &mut Order::round_robin());
        assert_eq!(outcome, Outcome::Done, "{lines:?}");
        (memory.followed().iter().map(|(wave, pc)| (*wave, pc - BASE)).collect(), group.executed())
    }

    /// Runs `lines`, which end the program, as `groups` work-groups of `waves`, which take turns: `next` says which one
    /// is next, of how many, and for how many instructions. s\[0:1\] point at the heap, s2 is the work-group, v0 the
    /// work-item. Returns what was told of races.
    pub fn check_grid(
        &mut self,
        compile: Compile,
        groups: u32,
        waves: u16,
        lines: &[String],
        mut next: impl FnMut(usize) -> (usize, u64),
    ) -> Vec<Raced> {
        let mut content = self.encode(lines);
        content.resize(BYTES, 0);
        let memory = Memory::new(BASE, &content).up_to(END).shared_from(DATA).with_flags(&self.flags);
        let cache = Code::compiled(self.target, compile);
        let mut parameters = parameters(self.sram_ecc, waves);
        parameters.packet[12..16].copy_from_slice(&(64 * u32::from(waves) * groups).to_le_bytes());
        parameters.descriptor[52..56].copy_from_slice(&(2u32 << 1 | 1 << 7).to_le_bytes());
        let launch = Launch::new(&parameters, &cache).expect("valid");
        let mut running: Vec<Workgroup> = (0..groups)
            .map(|id| {
                let mut group = Workgroup::new();
                group.start(&launch, [id, 0, 0], 0);
                group
            })
            .collect();
        while !running.is_empty() {
            let (index, budget) = next(running.len());
            let group = &mut running[index];
            if group.run(&mut memory.view(&cache), budget, &mut Order::round_robin()) == Outcome::Done {
                running.remove(index);
            } else {
                assert!(group.executed() < 100_000, "{lines:?}");
            }
        }
        assert_eq!(memory.told(), [], "{lines:?}");
        memory.raced()
    }

    /// As [`Machine::check_group_for`], one work-group behind the other in the same place. Returns what was told of
    /// accesses of each.
    pub fn check_groups_for(&mut self, wanted: Wanted, waves: u16, lines: &[String]) -> [Vec<Told>; 2] {
        let mut content = self.encode(lines);
        content.resize(BYTES, 0);
        self.either(|cache| {
            let launch = Launch::new(&parameters(self.sram_ecc, waves), cache).expect("valid");
            let mut group = Workgroup::new();
            [0, 1].map(|_| {
                let memory = Memory::new(BASE, &content).up_to(END).wanting(wanted);
                group.start(&launch, [0; 3], 0);
                let outcome = group.run(&mut memory.view(cache), 10_000, &mut Order::round_robin());
                assert_eq!(outcome, Outcome::Done, "{lines:?}");
                memory.told()
            })
        })
    }

    /// Runs `lines`, which end the program, as a work-group of `waves` on a device that checks accesses. It has
    /// `kernarg` bytes of arguments, at [`DATA`], and `private` bytes of private memory a work-item. s\[4:5\] is the
    /// arguments' address; on chips where kernels set private memory up, s\[0:3\] is its resource, s\[6:7\] its address
    /// and s8 where the wave's begins in it. Returns what was told.
    pub fn check_segments(&mut self, waves: u16, kernarg: u32, private: u32, lines: &[String]) -> Vec<Told> {
        let [told, alone] =
            [Wanted::USUAL, STRAYS].map(|wanted| self.check_segments_for(wanted, waves, kernarg, private, lines));
        assert_eq!(told, alone, "{lines:?}");
        told
    }

    /// As [`Machine::check_segments`], where only this is wanted. From [`FRESH`] to where private memory starts nobody
    /// has written.
    pub fn check_segments_for(
        &mut self,
        wanted: Wanted,
        waves: u16,
        kernarg: u32,
        private: u32,
        lines: &[String],
    ) -> Vec<Told> {
        let mut content = self.encode(lines);
        content.resize((FRESH - BASE) as usize, 0);
        content.extend((FRESH..SCRATCH).step_by(4).flat_map(|dword| poison(dword).to_le_bytes()));
        content.resize(BYTES, 0);
        let mut parameters = parameters(self.sram_ecc, waves);
        parameters.packet[24..28].copy_from_slice(&private.to_le_bytes());
        parameters.descriptor[8..12].copy_from_slice(&kernarg.to_le_bytes());
        // Two pairs in front of the arguments' address: packet and queue.
        let (properties, user) = match self.target {
            Target::Gfx942 => (1 << 1 | 1 << 2 | 1 << 3, 6u32),
            _ => (1 << 0 | 1 << 3 | 1 << 5, 8),
        };
        parameters.descriptor[52..56].copy_from_slice(&(1 | user << 1).to_le_bytes());
        parameters.descriptor[56] = properties;
        parameters.scratch = Scratch { base: SCRATCH, bytes: END - SCRATCH };
        self.either(|cache| {
            let memory = Memory::new(BASE, &content).up_to(END).wanting(wanted);
            let launch = Launch::new(&parameters, cache).expect("valid");
            let mut group = Workgroup::new();
            group.start(&launch, [0; 3], 1);
            let outcome = group.run(&mut memory.view(cache), 10_000, &mut Order::round_robin());
            assert_eq!(outcome, Outcome::Done, "{lines:?}");
            memory.told()
        })
    }

    /// Runs `lines` as [`Machine::stray`] does, where only what is below `end` is there at first, and a dword more
    /// after each memory fault. Returns all of the memory, how many instructions were executed, and the faults: where
    /// all is there, and so in one window and in lines.
    pub fn replay(&mut self, lines: &[String], data: &[u8], end: u64) -> [(Vec<u8>, u64, Vec<Exception>); 3] {
        let mut content = self.encode(lines);
        content.resize((DATA - BASE) as usize, 0);
        content.extend(data);
        content.resize(BYTES, 0);
        self.either(|cache| {
            let growing = Memory::new(BASE, &content).there_up_to(end);
            [Memory::new(BASE, &content), growing, Memory::in_lines(BASE, &content).there_up_to(end)].map(|memory| {
                let launch = Launch::new(&parameters(self.sram_ecc, 1), cache).expect("valid");
                let mut group = Workgroup::new();
                group.start(&launch, [0; 3], 0);
                let mut faults = Vec::new();
                loop {
                    match group.run(&mut memory.view(cache), 10_000, &mut Order::round_robin()) {
                        Outcome::Done => break,
                        Outcome::Faulted(fault) => faults.push(fault),
                        other => panic!("{lines:?}: {other:?}"),
                    }
                    assert!(faults.len() < 10_000, "{lines:?}: no end of faults");
                    memory.grow();
                }
                (memory.into_bytes(), group.executed(), faults)
            })
        })
    }

    /// Runs `lines` with v\[10:13\] = `input`. s\[0:1\] point at memory, v0 is the lane. Returns v\[20:23\].
    pub fn run(&mut self, lines: &[String], input: [Lanes; 4]) -> [Lanes; 4] {
        let around = |lines: &[&str]| lines.iter().map(|&line| line.to_owned()).collect::<Vec<_>>();
        let code = self.encode(&[&around(PROLOGUE), lines, &around(EPILOGUE)].concat());
        assert!(code.len() <= (DATA - BASE) as usize);
        let mut words = vec![0u32; BYTES / 4];
        for (word, bytes) in words.iter_mut().zip(code.chunks(4)) {
            *word = u32::from_le_bytes(bytes.try_into().expect("instructions are dwords"));
        }
        let data = (DATA - BASE) as usize / 4;
        for lane in 0..64 {
            (0..4).for_each(|k| words[data + lane * 4 + k] = input[k][lane]);
        }
        let heap = data + HEAP / 4;
        words[heap..heap + HEAP_DWORDS].copy_from_slice(&self.heap);
        let content: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let run = |memory: Memory| {
            let cache = Code::new(self.target);
            let launch = Launch::new(&parameters(self.sram_ecc, 1), &cache).expect("valid");
            let mut group = Workgroup::new();
            group.start(&launch, [0; 3], 0);
            let outcome = group.run(&mut memory.view(&cache), 10_000, &mut Order::round_robin());
            assert!(matches!(outcome, Outcome::Done), "{lines:?}");
            (memory.asked(), memory.into_bytes())
        };
        let (_, content_of_windows) = run(Memory::new(BASE, &content));
        let (asked, content) = run(Memory::in_lines(BASE, &content));
        assert_eq!(content, content_of_windows, "in lines and in a window: {lines:?}");
        self.asked = asked;
        let words: Vec<u32> = content.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
        self.heap.copy_from_slice(&words[heap..heap + HEAP_DWORDS]);
        let out = data + 1024 / 4;
        std::array::from_fn(|k| std::array::from_fn(|lane| words[out + lane * 4 + k]))
    }
}

/// A work-group of `waves` whose s\[0:1\] is the argument segment, in the modes that compilers set, with all the LDS
/// that there is.
fn parameters(sram_ecc: bool, waves: u16) -> LaunchParameters {
    let mut packet = [0; 64];
    packet[2] = 1;
    let [low, high] = (64 * waves).to_le_bytes();
    packet[4..10].copy_from_slice(&[low, high, 1, 0, 1, 0]);
    packet[12..24].copy_from_slice(&[low, high, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
    packet[28..32].copy_from_slice(&65536u32.to_le_bytes());
    packet[32..40].copy_from_slice(&BASE.to_le_bytes());
    packet[40..48].copy_from_slice(&DATA.to_le_bytes());
    let mut descriptor = [0; 64];
    descriptor[48..52].copy_from_slice(&(7u32 | 0xf0 << 12 | 1 << 21 | 1 << 23).to_le_bytes());
    descriptor[52..56].copy_from_slice(&(2u32 << 1).to_le_bytes());
    descriptor[56] = 1 << 3;
    // ACCUM_OFFSET, where there is one: 32 registers of each kind.
    descriptor[44] = 7;
    LaunchParameters {
        packet,
        packet_address: DATA,
        dispatch_id: 0,
        queue_address: DATA,
        descriptor,
        scratch: Scratch { base: DATA, bytes: 0 },
        shared_base: 1 << 48,
        private_base: 2 << 48,
        sram_ecc,
    }
}
