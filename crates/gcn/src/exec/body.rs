//! Instructions that are compiled for every vector instruction set of the host.

use super::machine::{CoreFn, Flow, Machine, Stop};
use super::simd::{Simd, simd};
use super::wave::Wave;
use crate::inst::Inst;

/// What an instruction does, as code that is compiled for every instruction set.
pub(crate) trait Body: 'static {
    /// To be `#[inline(always)]`, and everything of weight in it.
    fn run(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop>;
}

/// The best compiled `B` for this processor.
pub(crate) fn compiled<B: Body>() -> CoreFn {
    compiled_for::<B>(simd())
}

/// `B` for an instruction set that this processor has.
pub(crate) fn compiled_for<B: Body>(level: Simd) -> CoreFn {
    match level.min(simd()) {
        #[cfg(target_arch = "x86_64")]
        Simd::Avx512 => |wave, inst, machine| {
            // SAFETY: the processor has the features, `simd` found them.
            unsafe { avx512::<B>(wave, inst, machine) }
        },
        #[cfg(target_arch = "x86_64")]
        Simd::Avx2 => |wave, inst, machine| {
            // SAFETY: as above.
            unsafe { avx2::<B>(wave, inst, machine) }
        },
        _ => B::run,
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt")]
fn avx2<B: Body>(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    B::run(wave, inst, machine)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt")]
fn avx512<B: Body>(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    B::run(wave, inst, machine)
}
