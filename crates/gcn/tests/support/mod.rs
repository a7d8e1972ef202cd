//! The reference for disassembly: runs LLVM's disassembler over raw code and compares line by line.

// Each test program uses a part of this.
#![allow(dead_code)]

pub mod words;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use gcn::decode::{DecodeError, Reason, decode};
use gcn::target::Target;

/// SplitMix64: the same sequence everywhere for the same seed.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn word(&mut self) -> u32 {
        self.next() as u32
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// One line of llvm-objdump.
pub struct Line {
    pub address: usize,
    pub words: Vec<u32>,
    /// `None`: not an instruction.
    pub text: Option<String>,
}

/// Whether llvm-mc and llvm-objdump can be run.
pub fn has_llvm() -> bool {
    let runs = |name| tool(name).arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success());
    runs("llvm-mc") && runs("llvm-objdump")
}

fn tool(name: &str) -> Command {
    // Debian's name first; a plain one serves other systems.
    let versioned = format!("{name}-19");
    let found = Command::new(&versioned).arg("--version").stdout(Stdio::null()).status();
    Command::new(if found.is_ok() { versioned } else { name.to_owned() })
}

/// A relocatable ELF file of `target` with `code` as its `.text`.
fn elf(target: Target, code: &[u8]) -> Vec<u8> {
    const NAMES: &[u8] = b"\0.text\0.shstrtab\0";
    let mut file = Vec::new();
    let names_at = 64 + code.len() as u64;
    let sections_at = (names_at + NAMES.len() as u64).next_multiple_of(8);
    file.extend(b"\x7fELF\x02\x01\x01\x40\x03\0\0\0\0\0\0\0");
    file.extend(1u16.to_le_bytes()); // ET_REL
    file.extend(224u16.to_le_bytes()); // EM_AMDGPU
    file.extend(1u32.to_le_bytes());
    file.extend([0; 16]); // entry, program headers
    file.extend(sections_at.to_le_bytes());
    file.extend(target.elf_machine().to_le_bytes());
    for half in [64u16, 0, 0, 64, 3, 2] {
        file.extend(half.to_le_bytes());
    }
    file.extend(code);
    file.extend(NAMES);
    file.resize(sections_at as usize, 0);
    let mut section = |name: u32, kind: u32, flags: u64, offset: u64, size: u64| {
        file.extend(name.to_le_bytes());
        file.extend(kind.to_le_bytes());
        for value in [flags, 0, offset, size, 0, 4, 0] {
            file.extend(value.to_le_bytes());
        }
    };
    section(0, 0, 0, 0, 0);
    section(1, 1, 6, 64, code.len() as u64); // SHT_PROGBITS, ALLOC | EXECINSTR
    section(7, 3, 0, names_at, NAMES.len() as u64); // SHT_STRTAB
    file
}

/// Disassembles raw code with llvm-objdump; `None` if that crashes, which some undefined words make it do.
pub fn objdump(target: Target, code: &[u8]) -> Option<Vec<Line>> {
    let mut lines = Vec::new();
    objdump_each(target, code, |line| lines.push(line)).then_some(lines)
}

/// The same, line by line. False if llvm-objdump fails.
pub fn objdump_each(target: Target, code: &[u8], each: impl FnMut(Line)) -> bool {
    let path = std::env::temp_dir().join(format!("gcn-{}-{:?}.o", std::process::id(), std::thread::current().id()));
    std::fs::write(&path, elf(target, code)).expect("temporary file");
    let mut child = tool("llvm-objdump")
        .args(["-d", "-z"])
        .arg(format!("--mcpu={target}"))
        .arg(&path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("llvm-objdump is needed (Debian package llvm-19)");
    let output = BufReader::new(child.stdout.take().expect("piped"));
    output.lines().map_while(Result::ok).filter_map(|text| line(&text)).for_each(each);
    let success = child.wait().expect("llvm-objdump").success();
    std::fs::remove_file(&path).expect("temporary file");
    success
}

fn line(line: &str) -> Option<Line> {
    let (text, rest) = line.strip_prefix('\t')?.rsplit_once("// ")?;
    let (address, rest) = rest.split_once(": ")?;
    let words = rest.split(' ').map_while(|word| u32::from_str_radix(word, 16).ok()).collect();
    let text = text.trim_end();
    let text = (!text.starts_with(".long")).then(|| text.to_owned());
    Some(Line { address: usize::from_str_radix(address, 16).ok()?, words, text })
}

/// Assembles with llvm-mc: for each line its code, or `None` where it is refused.
pub fn assemble(target: Target, lines: &[String]) -> Vec<Option<Vec<u8>>> {
    let mut child = tool("llvm-mc")
        .args(["-triple=amdgcn-amd-amdhsa", "-show-encoding"])
        .arg(format!("-mcpu={target}"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("llvm-mc is needed (Debian package llvm-19)");
    let mut input = child.stdin.take().expect("piped");
    // A label before each line says in the output which line it was.
    let text: String = lines.iter().enumerate().map(|(i, line)| format!("L{i}:\n{line}\n")).collect();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("llvm-mc");
    writer.join().expect("no panic").expect("llvm-mc reads its input");
    let mut codes = vec![None; lines.len()];
    let mut current = 0;
    for line in String::from_utf8(output.stdout).expect("UTF-8").lines() {
        if let Some(label) = line.strip_prefix('L').and_then(|l| l.split(':').next()) {
            current = label.parse().expect("our label");
        } else if let Some((_, bytes)) = line.split_once("encoding: [") {
            let bytes = bytes.trim_end_matches(']').split(',');
            codes[current] = bytes.map(|b| u8::from_str_radix(b.trim_start_matches("0x"), 16).ok()).collect();
        }
    }
    codes
}

/// Results of a comparison.
pub struct Tally {
    target: Target,
    pub equal: usize,
    pub both_refuse: usize,
    /// LLVM prints a remark that the operands are invalid, and we refuse.
    pub remarked: usize,
    /// Differences that are meant, by name.
    pub intended: BTreeMap<&'static str, usize>,
    /// Pieces of code that LLVM crashes on.
    pub crashes: usize,
    pub failures: Vec<String>,
}

impl Tally {
    /// Nothing compared yet.
    pub fn new(target: Target) -> Tally {
        Tally {
            target,
            equal: 0,
            both_refuse: 0,
            remarked: 0,
            intended: BTreeMap::new(),
            crashes: 0,
            failures: Vec::new(),
        }
    }

    /// Compares one line of LLVM's with ours; `code` starts at the line's address.
    pub fn compare(&mut self, line: &Line, code: &[u8]) {
        let ours = decode(self.target, code);
        match (&line.text, ours) {
            (None, Err(_)) => self.both_refuse += 1,
            (Some(text), Err(_)) if text.contains("/*") => self.remarked += 1,
            (Some(text), Ok(inst)) if inst.to_string() == *text && usize::from(inst.len) == 4 * line.words.len() => {
                self.equal += 1;
            }
            (theirs, ours) => match intended(theirs.as_deref(), &ours, code) {
                Some(name) => *self.intended.entry(name).or_default() += 1,
                None => {
                    let ours = ours.map_or_else(|error| error.to_string(), |inst| format!("{inst}  [{}]", inst.len));
                    let theirs = theirs.as_deref().unwrap_or("refused");
                    let words: Vec<u32> =
                        code.chunks_exact(4).take(3).map(|w| u32::from_le_bytes(w.try_into().expect("four"))).collect();
                    self.failures.push(format!("{words:08x?}\n  LLVM: {theirs}\n  ours: {ours}"));
                }
            },
        }
    }

    /// Compares pieces of code of `size` bytes each.
    pub fn compare_all(&mut self, code: &[u8], size: usize) {
        match objdump(self.target, code) {
            Some(lines) => lines.iter().for_each(|line| self.compare(line, &code[line.address..])),
            None if code.len() <= size => {
                self.crashes += 1;
                // It may be any instruction that starts in the piece.
                let refused = (0..code.len()).step_by(4).any(|at| decode(self.target, &code[at..]).is_err());
                assert!(refused, "LLVM crashes on what we decode: {code:02x?}");
            }
            None => {
                let (first, second) = code.split_at(code.len() / size / 2 * size);
                self.compare_all(first, size);
                self.compare_all(second, size);
            }
        }
    }

    /// Adds the counts of another comparison.
    pub fn add(&mut self, other: Tally) {
        self.equal += other.equal;
        self.both_refuse += other.both_refuse;
        self.remarked += other.remarked;
        self.crashes += other.crashes;
        self.failures.extend(other.failures);
        for (name, count) in other.intended {
            *self.intended.entry(name).or_default() += count;
        }
    }

    /// Prints the counts and the first failures.
    pub fn print(&self, what: &str) {
        println!(
            "{what}: {} equal, {} refused by both, {} refused where LLVM remarks on operands, {} where it crashes, {} failures",
            self.equal,
            self.both_refuse,
            self.remarked,
            self.crashes,
            self.failures.len()
        );
        for (name, count) in &self.intended {
            println!("  intended: {name}: {count}");
        }
        for failure in
            self.failures.iter().take(std::env::var("GCN_FAILURES").map_or(40, |n| n.parse().expect("a number")))
        {
            println!("{failure}");
        }
    }

    /// Prints, and panics if there are failures.
    pub fn report(&self, what: &str) {
        self.print(what);
        assert!(self.failures.is_empty(), "{} failures", self.failures.len());
    }
}

/// Where we mean to differ from LLVM, which decodes some things that gfx9 does not have.
fn intended(theirs: Option<&str>, ours: &Result<gcn::inst::Inst, DecodeError>, _code: &[u8]) -> Option<&'static str> {
    let (Some(text), Err(error)) = (theirs, ours) else {
        return match (theirs, ours) {
            (Some(text), Ok(_))
                if text.starts_with("image_gather4") && text.contains(" tfe") && text.contains(" d16") =>
            {
                Some("image_gather4 with d16 and tfe has three registers, for which LLVM has no class")
            }
            (Some(text), Ok(_)) if text.starts_with("image_atomic") && text.contains(" tfe") => {
                Some("image atomics with tfe have one register more")
            }
            (None, Ok(inst))
                if inst.op.mnemonic().starts_with("image_gather4") && inst.to_string().ends_with(" d16") =>
            {
                Some("image_gather4 with d16 has two registers, LLVM checks for four")
            }
            _ => None,
        };
    };
    let operands = text.split_once(' ').map_or("", |(_, operands)| operands);
    match error.reason() {
        Reason::Operand(125)
            if operands.split([' ', ',']).any(|operand| operand.trim_matches(['-', '|']) == "null") =>
        {
            Some("gfx9 has no null register")
        }
        Reason::Field("neg, abs") => Some("neg and abs of integer sources have no meaning"),
        Reason::Field("gds") if text.starts_with("ds_") && !text.ends_with(" gds") => {
            Some("there is no global data share, LLVM drops the bit")
        }
        Reason::OddRegister(_) => Some("operands of several vector registers begin at even ones"),
        Reason::RegisterRange
            if ["[100:", "[96:", "[92:", "[88:"].iter().any(|at| text.contains(&format!("s{at}"))) =>
        {
            Some("scalar registers end at s101")
        }
        Reason::Operand(235..=239 | 251..=254) => Some("special scalar registers do not stand for vector registers"),
        Reason::Field("dst_sel, dst_unused") => Some("SDWA of these conversions has no selection of the result"),
        Reason::Field("dst_unused") => Some("dst_unused 3 is reserved"),
        Reason::Field("bit 25") => Some("bit 25 of DS and FLAT is reserved"),
        // LLVM prints one register where it has no class for as many as the instruction has.
        Reason::RegisterRange if text.starts_with("image_") && (text.contains("v25") || text.contains("v[25")) => {
            Some("vector registers end at v255")
        }
        Reason::Field("SDWA word" | "DPP source") => Some("SDWA and DPP of v_nop select nothing"),
        Reason::Field("dmask") => Some("image atomics transfer one or two values"),
        Reason::Field("offset bit 12") => Some("FLAT has 12 bits of offset"),
        _ => None,
    }
}
