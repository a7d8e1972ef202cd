//! Decodes machine code into [`Inst`].
//!
//! Strict: what the ISA reserves, and operands that a field could hold but the operation cannot use, are errors. LLVM's
//! disassembler prints some of these with a remark; `tests/support/mod.rs` names the differences.
pub(crate) mod gfx9;

use std::fmt;

use crate::inst::{Cache, Format, Inst, Mods, Operand};
use crate::op::{Info, Kind, Op};
use crate::target::{Properties, Target};

/// Why bytes are not an instruction of a chip.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct DecodeError {
    target: Target,
    /// The first 32-bit words, as many as there were (at most three).
    words: [u32; 3],
    have: u8,
    op: Option<Op>,
    reason: Reason,
}

/// The text of `Display`, as `main` prints an error by this.
impl fmt::Debug for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Reasons why bytes cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The code ends inside the instruction, which has this many bytes.
    Truncated(u8),
    /// No encoding starts with these bits.
    Encoding,
    /// The encoding has no operation with this opcode.
    Opcode(Format, u16),
    /// This operand code is reserved, or is not allowed for this operand.
    Operand(u16),
    /// The registers go beyond the last one.
    RegisterRange,
    /// The operand has several vector registers, of which the first has an odd number.
    OddRegister(u16),
    /// This field must be zero or has a reserved value.
    Field(&'static str),
}

impl DecodeError {
    /// The operation, where the opcode is known.
    pub fn op(&self) -> Option<Op> {
        self.op
    }

    /// The reason.
    pub fn reason(&self) -> Reason {
        self.reason
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("illegal instruction")?;
        for word in &self.words[..usize::from(self.have)] {
            write!(f, " {word:08x}")?;
        }
        if let Some(op) = self.op {
            write!(f, " ({})", op.mnemonic())?;
        }
        match self.reason {
            Reason::Truncated(need) => write!(f, ": the code ends before its {need} bytes do"),
            Reason::Encoding => write!(f, ": no {} encoding starts like this", self.target),
            Reason::Opcode(format, opcode) => write!(f, ": {format:?} has no opcode {opcode:#x}"),
            Reason::Operand(code) => write!(f, ": operand code {code} is reserved or not allowed there"),
            Reason::OddRegister(first) => {
                write!(f, ": operand of several registers begins at {first}; on {} it has to be even", self.target)
            }
            Reason::RegisterRange => f.write_str(": operand goes beyond the last register"),
            Reason::Field(name) => write!(f, ": {name} is reserved"),
        }
    }
}

impl std::error::Error for DecodeError {}

/// Decodes the instruction of `target` at the start of `bytes`. At most 12 bytes are read.
///
/// # Errors
/// [`DecodeError`] if the bytes are truncated, undefined on `target`, or use a reserved field or operand.
pub fn decode(target: Target, bytes: &[u8]) -> Result<Inst, DecodeError> {
    let mut words = [0; 3];
    let mut have = 0;
    for (word, chunk) in words.iter_mut().zip(bytes.chunks_exact(4)) {
        *word = u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
        have += 1;
    }
    let mut code = Code { target, properties: target.properties(), words, have, len: 4, literal: None, op: None };
    code.inst().map_err(|reason| DecodeError { target, words, have, op: code.op, reason })
}

/// The instruction being decoded.
struct Code {
    target: Target,
    properties: &'static Properties,
    words: [u32; 3],
    have: u8,
    /// In bytes, as far as known.
    len: u8,
    literal: Option<u32>,
    op: Option<Op>,
}

/// Bits `low..low + width` of a word.
fn bits(word: u32, low: u32, width: u32) -> u32 {
    word >> low & ((1 << width) - 1)
}

fn bit(word: u32, at: u32) -> bool {
    word >> at & 1 != 0
}

impl Code {
    fn inst(&mut self) -> Result<Inst, Reason> {
        if self.have == 0 {
            return Err(Reason::Truncated(4));
        }
        let word = self.words[0];
        let mut inst = match word >> 26 {
            0b110000 => self.smem(),
            0b110001 => self.exp(),
            0b110100 if bits(word, 23, 3) == 0b111 => self.vop3p(),
            0b110100 => self.vop3(),
            0b110101 => self.vintrp(),
            0b110110 => self.ds(),
            0b110111 => self.flat(),
            0b111000 => self.mubuf(),
            0b111010 => self.mtbuf(),
            0b111100 => self.mimg(),
            _ => match (word >> 31, word >> 28, word >> 25, word >> 23) {
                (0, _, 0b0111111, _) => self.vop1(),
                (0, _, 0b0111110, _) => self.vopc(),
                (0, ..) => self.vop2(),
                (.., 0b101111101) => self.sop1(),
                (.., 0b101111110) => self.sopc(),
                (.., 0b101111111) => self.sopp(),
                (_, 0b1011, ..) => self.sopk(),
                (_, 0b1000..=0b1010, ..) => self.sop2(),
                _ => Err(Reason::Encoding),
            },
        }?;
        inst.len = self.len;
        inst.target = self.target;
        Ok(inst)
    }

    /// Finds the operation; from here on errors name it.
    fn op(&mut self, format: Format, opcode: u32) -> Result<(Op, &'static Info), Reason> {
        let op = Op::from_opcode(self.target, format, opcode as u16).ok_or(Reason::Opcode(format, opcode as u16))?;
        self.op = Some(op);
        Ok((op, op.info()))
    }

    /// The second word of a 64-bit encoding.
    fn second_word(&mut self) -> Result<u32, Reason> {
        if self.have < 2 {
            return Err(Reason::Truncated(8));
        }
        self.len = 8;
        Ok(self.words[1])
    }

    /// The cache policy that these bits are on this chip.
    fn cache(&self, glc: bool, slc: bool, scc: bool) -> Cache {
        let scc = self.properties.scc && scc;
        let coherent = if self.properties.scopes { scc } else { glc };
        Cache::default()
            .with(Cache::GLC, glc)
            .with(Cache::SLC, slc)
            .with(Cache::SCC, scc)
            .with(Cache::COHERENT, coherent)
    }

    /// The literal constant behind the instruction.
    fn literal(&mut self) -> Result<u32, Reason> {
        if let Some(literal) = self.literal {
            return Ok(literal);
        }
        let at = self.len / 4;
        if self.have <= at {
            return Err(Reason::Truncated(self.len + 4));
        }
        let literal = self.words[usize::from(at)];
        self.len += 4;
        self.literal = Some(literal);
        Ok(literal)
    }
}

/// An instruction of this operation without operands, whose length and chip are not known yet.
fn empty(op: Op, format: Format) -> Inst {
    Inst {
        op,
        format,
        target: Target::Gfx908,
        len: 0,
        dst: [Operand::None; 2],
        src: [Operand::None; 4],
        mods: Mods::None,
    }
}

/// `Err` if a field that has no meaning here is not zero.
fn reserved(name: &'static str, value: u32) -> Result<(), Reason> {
    if value == 0 { Ok(()) } else { Err(Reason::Field(name)) }
}

/// Sources that the kinds list.
fn count(kinds: &[Kind]) -> usize {
    kinds.iter().take_while(|&&kind| kind != Kind::None).count()
}
