//! Vector instruction sets of the host, found at run time.
//!
//! Hot code is written once, generic over an [`Isa`] and inlined into one function per instruction set that enables its features.

use super::machine::{CoreFn, Flow, Machine, Stop};
use super::wave::{Lanes, Wave};
use crate::inst::Inst;

/// Vector instruction sets that code is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Simd {
    /// What the target guarantees.
    Baseline,
    /// x86-64-v3.
    Avx2,
    /// x86-64-v4.
    Avx512,
}

/// The best that this processor has.
#[cfg(target_arch = "x86_64")]
pub(crate) fn simd() -> Simd {
    let v3 = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("f16c")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt");
    let v4 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl");
    match (v3, v4) {
        (true, true) => Simd::Avx512,
        (true, false) => Simd::Avx2,
        _ => Simd::Baseline,
    }
}

/// The best that this processor has.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn simd() -> Simd {
    Simd::Baseline
}

/// What an instruction does, as code that is compiled for every instruction set.
pub(crate) trait Body: 'static {
    /// To be `#[inline(always)]`, and everything of weight in it.
    fn run(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop>;
}

/// The best compiled `B` for this processor.
pub(crate) fn compiled<B: Body>() -> CoreFn {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt")]
        fn avx2<B: Body>(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
            B::run(wave, inst, machine)
        }
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt")]
        fn avx512<B: Body>(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
            B::run(wave, inst, machine)
        }
        match simd() {
            // SAFETY: the processor has the features, `simd` found them.
            Simd::Avx512 => return |wave, inst, machine| unsafe { avx512::<B>(wave, inst, machine) },
            // SAFETY: as above.
            Simd::Avx2 => return |wave, inst, machine| unsafe { avx2::<B>(wave, inst, machine) },
            Simd::Baseline => {}
        }
    }
    B::run
}

/// An instruction set as a type. Code that is generic over one runs only where [`simd`] found it.
pub(crate) trait Isa {
    const SIMD: Simd;
}

macro_rules! isa {
    ($($(#[$condition:meta])? $name:ident)*) => {$(
        $(#[$condition])?
        pub(crate) struct $name;
        $(#[$condition])?
        impl Isa for $name {
            const SIMD: Simd = Simd::$name;
        }
    )*};
}
isa! {
    #[cfg(not(target_arch = "x86_64"))] Baseline
    #[cfg(target_arch = "x86_64")] Avx2
    #[cfg(target_arch = "x86_64")] Avx512
}

/// The sign bits of all lanes.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn mask_of<I: Isa>(flags: &Lanes) -> u64 {
    match I::SIMD {
        Simd::Baseline => x86::mask_sse(flags),
        // SAFETY: the processor has the features of `I`, see `Isa`.
        Simd::Avx2 => unsafe { x86::mask_avx2(flags) },
        // SAFETY: as above.
        Simd::Avx512 => unsafe { x86::mask_avx512(flags) },
    }
}

/// The sign bits of all lanes.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(crate) fn mask_of<I: Isa>(flags: &Lanes) -> u64 {
    flags.0.iter().enumerate().fold(0, |mask, (n, flag)| mask | u64::from(flag >> 31) << n)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Lanes;
    use std::arch::x86_64::*;

    #[inline(always)]
    pub fn mask_sse(flags: &Lanes) -> u64 {
        (0..16).fold(0, |mask, n| {
            // SAFETY: SSE is part of x86-64; 4 of 64 values from a multiple of 4 on are in the array, whose alignment is 64.
            let signs = unsafe { _mm_movemask_ps(_mm_load_ps(flags.0.as_ptr().add(4 * n).cast())) };
            mask | (signs as u64) << (4 * n)
        })
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn mask_avx2(flags: &Lanes) -> u64 {
        (0..8).fold(0, |mask, n| {
            // SAFETY: 8 of 64 values from a multiple of 8 on are in the array, whose alignment is 64.
            let signs = unsafe { _mm256_load_ps(flags.0.as_ptr().add(8 * n).cast()) };
            mask | u64::from(_mm256_movemask_ps(signs) as u32) << (8 * n)
        })
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub fn mask_avx512(flags: &Lanes) -> u64 {
        (0..4).fold(0, |mask, n| {
            // SAFETY: 16 of 64 values from a multiple of 16 on are in the array, whose alignment is 64.
            let signs = unsafe { _mm512_load_si512(flags.0.as_ptr().add(16 * n).cast()) };
            mask | u64::from(_mm512_movepi32_mask(signs)) << (16 * n)
        })
    }
}
