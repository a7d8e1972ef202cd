//! Assembles this crate's text with llvm-mc: the bytes are the same, or the reason is named here and counted.

use std::collections::BTreeMap;

use gcn::decode::decode;
use gcn::inst::{Format, Inst, Mods, Operand};
use gcn::op::{Kind, Op};
use gcn::target::Target;

use crate::support::assemble;

/// What became of the texts.
pub struct Again {
    target: Target,
    pub equal: usize,
    /// Not the same bytes for a reason that is LLVM's, by name.
    pub intended: BTreeMap<&'static str, usize>,
    pub failures: Vec<String>,
}

impl Again {
    /// Nothing assembled yet.
    pub fn new(target: Target) -> Again {
        Again { target, equal: 0, intended: BTreeMap::new(), failures: Vec::new() }
    }

    /// Prints each instruction, assembles the texts and compares. What we do not decode has no text and is not counted.
    pub fn add<'a>(&mut self, codes: impl IntoIterator<Item = &'a [u8]>) {
        let target = self.target;
        let decoded = codes.into_iter().filter_map(|code| Some((code, decode(target, code).ok()?)));
        let (codes, insts): (Vec<&[u8]>, Vec<Inst>) = decoded.unzip();
        let texts: Vec<String> = insts.iter().map(Inst::to_string).collect();
        for (((code, inst), text), again) in codes.iter().zip(&insts).zip(&texts).zip(assemble(target, &texts)) {
            let code = &code[..usize::from(inst.len)];
            if again.as_deref() == Some(code) {
                self.equal += 1;
            } else if let Some(reason) = reason(target, inst, text, again.as_deref()) {
                *self.intended.entry(reason).or_default() += 1;
            } else {
                self.failures.push(format!("{text}\n  from {code:02x?}\n  assembles to {again:02x?}"));
            }
        }
    }

    /// Prints the counts and the first failures.
    pub fn print(&self, what: &str) {
        println!("{what}: {} equal, {} failures", self.equal, self.failures.len());
        for (reason, count) in &self.intended {
            println!("  intended: {reason}: {count}");
        }
        for failure in self.failures.iter().take(40) {
            println!("{failure}");
        }
    }
}

/// Why `text`, printed for `inst` as LLVM prints it, need not assemble to the same bytes.
fn reason(target: Target, inst: &Inst, text: &str, again: Option<&[u8]>) -> Option<&'static str> {
    let half = half_constants(inst);
    let Some(again) = again else {
        return half.is_some().then_some(
            "refused: LLVM prints a float constant of a 16-bit integer as the bits of a half, a literal where there are none",
        );
    };
    let again = decode(target, again).ok().filter(|again| again.op == inst.op)?;
    if let (Mods::Ds { offset0: a, .. }, Mods::Ds { offset0: b, .. }, Op::DsSwizzleB32) =
        (inst.mods, again.mods, inst.op)
    {
        return (swizzle(a)? == swizzle(b)?).then_some("lane patterns of ds_swizzle that select the same lanes");
    }
    if again.to_string() != text {
        return None;
    }
    match (inst.op, inst.src[0], again.src[0]) {
        _ if half == Some(again.src) => {
            Some("LLVM reads a float constant of a 16-bit integer as a literal of the same bits")
        }
        _ if again == *inst => Some("bits that the instruction ignores"),
        (Op::SSendmsg | Op::SSendmsghalt, Operand::Imm(a), Operand::Imm(b)) if a & !0x80 == b & !0x80 => {
            Some("the names of s_sendmsg leave out a bit that it ignores")
        }
        (Op::SWaitcnt, Operand::Imm(a), Operand::Imm(b)) if a & 0xcf7f == b & 0xcf7f => {
            Some("s_waitcnt ignores bits between its counts")
        }
        (Op::VNop | Op::VClrexcp, ..) if inst.format == Format::Vop3 => {
            Some("LLVM prints no suffix for the longer encoding of an instruction without operands")
        }
        _ => None,
    }
}

/// The lane that each of 32 lanes reads, if the pattern consists of masks: and, or, exclusive or.
fn swizzle(pattern: u16) -> Option<[u16; 32]> {
    let lane = |n: usize| ((n as u16 & pattern & 31) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31);
    (pattern < 0x8000).then(|| std::array::from_fn(lane))
}

/// The sources as they are if each float constant of a 16-bit integer is a literal of the same bits; `None` if there is
/// none.
fn half_constants(inst: &Inst) -> Option<[Operand; 4]> {
    const HALVES: [u32; 9] = [0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118];
    let literal = |(source, kind)| match (source, kind) {
        (Operand::Float(code), Kind::I16) => Operand::Literal(HALVES[usize::from(code) - 240]),
        (source, _) => source,
    };
    let mut sources = inst.src;
    for (source, kind) in sources.iter_mut().zip(inst.op.info().src) {
        *source = literal((*source, kind));
    }
    (sources != inst.src).then_some(sources)
}
