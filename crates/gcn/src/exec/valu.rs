//! Vector ALU: one [`Kernel`] per operation, run over the 64 lanes of a wave.
//!
//! A kernel says what one lane does. Module [`lanes`] runs it over a wave, compiled for several instruction sets of the host of which
//! the best is chosen when an instruction is lowered. Around it goes `plain` (module [`shape`]) where nothing but EXEC modifies the
//! instruction and the modes are the usual ones for its types, `modified` (module [`modify`]) for everything else.
//!
//! Floating-point exceptions are not recorded in TRAPSTS and never trap, whatever MODE.EXCP_EN says. Which NaN an operation makes of
//! others (payload and sign) is the host's choice.

use super::float::{self, Env, F16, Moded, Native, Nearest};
use super::wave::{AluFn, Lanes, Wave};
use crate::inst::{Inst, Mods, Operand};
use crate::op::Op;
use kernel::{Kernel, kernel_flag, kernels};
use lanes::Results;
use operand::{Source, Splat, halves, register, source, write};
use shape::{Shape, lower_kernel, write_mask};
use value::{F16x2, F32x2, Int16x2, Int32x2, Mix, Pair, Type, WithVcc};

pub(super) use modify::{OUT_OF_RANGE, dpp_source};

mod carry;
mod compare;
mod convert;
mod cross_lane;
mod divide;
mod dot;
mod float16;
mod float32;
mod float64;
mod fp8;
mod integer;
mod integer16;
mod kernel;
mod lanes;
mod modify;
mod multiply64;
mod operand;
mod packed;
mod sad;
mod shape;
mod transcendental;
mod value;

/// The function that executes `inst`, if it is a vector ALU instruction.
pub(super) fn lower(inst: &Inst) -> Option<AluFn> {
    const TABLES: &[fn(&Inst) -> Option<AluFn>] = &[
        integer::lower,
        float32::lower,
        compare::lower,
        carry::lower,
        convert::lower,
        fp8::lower,
        transcendental::lower,
        divide::lower,
        float64::lower,
        float16::lower,
        integer16::lower,
        packed::lower,
        dot::lower,
        sad::lower,
        sad::lower_wide,
        multiply64::lower,
        cross_lane::lower,
    ];
    if dot::is_undefined(inst) {
        return None;
    }
    TABLES.iter().find_map(|table| table(inst))
}

#[cfg(test)]
mod tests;
