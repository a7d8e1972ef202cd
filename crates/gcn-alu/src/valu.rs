//! The vector ALU: one `Kernel` for each operation, applied to the 64 lanes of a wave.
//!
//! A kernel says what one lane does. Module `vectorize` runs it over a wave, compiled for several instruction sets of
//! the host of which the best is chosen when an instruction is lowered. Around it goes `plain` (module `op_traits`)
//! where nothing but EXEC modifies the instruction and the modes are the usual ones for its types, `modified` (module
//! `modifiers`) for everything else.
//!
//! Floating-point exceptions are not recorded in TRAPSTS and never trap, whatever MODE.EXCP_EN says. Which NaN an
//! operation makes of others (payload and sign) is the host's choice.

use crate::fp;
use crate::fp::{Env, F16, Moded, Native, Nearest};
use crate::valu::lane_op::{Kernel, kernel_flag, kernels};
use crate::valu::op_traits::{Shape, lower_kernel, write_mask};
use crate::valu::operand::{Source, Splat, halves, register, source, write};
use crate::valu::types::{F16x2, F32x2, Int16x2, Int32x2, Mix, Pair, Type, WithVcc};
use crate::valu::vectorize::Results;
use crate::wave::{AluFn, Lanes, Wave};
use gcn_isa::inst::{Inst, Mods, Operand};
use gcn_isa::op::Op;

pub use crate::valu::modifiers::{OUT_OF_RANGE, dpp_source};

mod carry;
mod compare;
mod convert;
mod cross_lane;
mod divide;
mod dot;
mod f16;
mod f32;
mod f64;
mod fp8;
mod int16;
mod int32;
mod int64;
mod lane_op;
mod modifiers;
mod op_traits;
mod operand;
mod packed;
mod sad;
mod transcendental;
mod types;
mod vectorize;

/// The function that executes `inst`, if it is a vector ALU instruction.
pub fn lower(inst: &Inst) -> Option<AluFn> {
    const TABLES: &[fn(&Inst) -> Option<AluFn>] = &[
        int32::lower,
        f32::lower,
        compare::lower,
        carry::lower,
        convert::lower,
        fp8::lower,
        transcendental::lower,
        divide::lower,
        f64::lower,
        f16::lower,
        int16::lower,
        packed::lower,
        dot::lower,
        sad::lower,
        sad::lower_wide,
        int64::lower,
        cross_lane::lower,
    ];
    if dot::is_undefined(inst) {
        return None;
    }
    TABLES.iter().find_map(|table| table(inst))
}

#[cfg(test)]
mod tests;
