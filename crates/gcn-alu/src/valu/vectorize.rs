//! Applies a kernel to the 64 lanes of a wave, compiled for several vector instruction sets of the host.

use crate::fp;
use crate::simd;
use crate::simd::{Isa, Simd, mask_of};
use crate::valu::lane_op::Kernel;
use crate::valu::operand::Source;
use crate::valu::types::{Output, Sign, Type, Value};
use crate::valu::{Env, Moded, Nearest};
use crate::wave::Lanes;
use gcn_isa::inst::Inst;

/// The results of a kernel for all lanes.
pub struct Results {
    pub lo: Lanes,
    pub hi: Lanes,
    pub mask: u64,
}

impl Results {
    #[inline(always)]
    pub fn new() -> Results {
        Results { lo: Lanes::ZERO, hi: Lanes::ZERO, mask: 0 }
    }
}

/// Runs a kernel over all lanes in environment `e`. EXEC is applied to what comes out.
#[inline(always)]
pub fn lanes_in<K: Kernel, E: Env, I: Isa>(e: E, a: Source, b: Source, c: Source, out: &mut Results) {
    lanes_by::<K::D, I>(out, |half, lane| {
        K::lane(e, K::A::get(&a, half, lane), K::B::get(&b, half, lane), K::C::get(&c, half, lane))
    });
}

/// f16 arithmetic as f32 arithmetic, exact enough to be rounded again, with the host's conversions.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn halves<K: Kernel, I: Isa>(
    operation: impl Fn(f32, f32, f32) -> f32,
    a: Source,
    b: Source,
    c: Source,
    out: &mut Results,
) {
    let compute = |high: bool| {
        let (a, b) = (simd::widen::<I>(a.lo, high), simd::widen::<I>(b.lo, high));
        let c = if K::C::TYPE == Type::Nothing { Lanes::ZERO } else { simd::widen::<I>(c.lo, high) };
        let mut result = Lanes::ZERO;
        for lane in 0..64 {
            let float = |source: &Lanes| f32::from_bits(source.0[lane]);
            result.0[lane] = operation(float(&a), float(&b), float(&c)).to_bits();
        }
        simd::narrow::<I>(&result)
    };
    out.lo = compute(false);
    if K::D::TYPE == Type::PackedFloat {
        for (lane, high) in out.lo.0.iter_mut().zip(compute(true).0) {
            *lane |= high << 16;
        }
    }
}

/// As [`lanes_in`], with the sign modifiers of a VOP3 instruction.
#[inline(always)]
pub fn lanes_signed<K: Kernel, E: Env, I: Isa>(e: E, inst: &Inst, a: Source, b: Source, c: Source, out: &mut Results) {
    let signs = Sign::all_of(inst);
    lanes_by::<K::D, I>(out, |half, lane| {
        let a = K::A::get_signed(&a, half, lane, signs[0]);
        let b = K::B::get_signed(&b, half, lane, signs[1]);
        let c = K::C::get_signed(&c, half, lane, signs[2]);
        K::lane(e, a, b, c)
    });
}

#[inline(always)]
fn lanes_by<D: Output, I: Isa>(out: &mut Results, one: impl Fn(usize, usize) -> D) {
    let mut flags = Lanes::ZERO;
    for half in 0..2 {
        for lane in 0..32 {
            let (lo, hi, bit) = one(half, lane).bits();
            if D::TYPE != Type::Nothing {
                out.lo.0[32 * half + lane] = lo;
            }
            if D::TYPE.is_wide() {
                out.hi.0[32 * half + lane] = hi;
            }
            flags.0[32 * half + lane] = u32::from(bit).wrapping_neg();
        }
    }
    if D::MASK {
        out.mask = mask_of::<I>(&flags);
    }
}

/// A kernel applied to all lanes, compiled for each operation.
pub type Run = fn(Moded, &[Source; 3], &mut Results);

/// In any mode, a lane at a time.
pub fn run_moded<K: Kernel>(e: Moded, sources: &[Source; 3], out: &mut Results) {
    /// Not inlined, so that the compiler does not spend its time on a loop that is rarely run.
    #[inline(never)]
    fn one<K: Kernel>(e: Moded, [a, b, c]: &[Source; 3], half: usize, lane: usize) -> (u32, u32, bool) {
        K::lane(e, K::A::get(a, half, lane), K::B::get(b, half, lane), K::C::get(c, half, lane)).bits()
    }
    each_lane(one::<K>, e, sources, out);
}

/// What one lane computes.
type Lane = fn(Moded, &[Source; 3], usize, usize) -> (u32, u32, bool);

#[inline(never)]
fn each_lane(one: Lane, e: Moded, sources: &[Source; 3], out: &mut Results) {
    for n in 0..64 {
        let (lo, hi, bit) = one(e, sources, n / 32, n % 32);
        out.lo.0[n] = lo;
        out.hi.0[n] = hi;
        out.mask |= u64::from(bit) << n;
    }
}

/// [`run_moded`] for [`Kernel::HOT`] arithmetic of floats.
#[cfg(target_arch = "x86_64")]
pub fn run_moded_hot<K: Kernel>(e: Moded, sources: &[Source; 3], out: &mut Results) {
    #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt")]
    fn avx2<K: Kernel, E: Env>(e: E, [a, b, c]: &[Source; 3], out: &mut Results) {
        lanes_in::<K, E, simd::Avx2>(e, *a, *b, *c, out);
    }
    if simd::simd() == Simd::Baseline {
        return run_moded::<K>(e, sources, out);
    }
    if fp::is_nearest(e.mode) {
        // SAFETY: the processor has the features, `simd` found them.
        unsafe { avx2::<K, Nearest>(Nearest(e), sources, out) }
    } else {
        // SAFETY: as above.
        unsafe { avx2::<K, Moded>(e, sources, out) }
    }
}

/// With the usual modes.
#[cfg(target_arch = "x86_64")]
pub fn run_native<K: Kernel>(e: Moded, sources: &[Source; 3], out: &mut Results) {
    #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt")]
    fn avx2<K: Kernel>([a, b, c]: &[Source; 3], out: &mut Results) {
        K::all_lanes::<simd::Avx2>(*a, *b, *c, out);
    }
    match simd::simd() {
        Simd::Baseline => run_moded::<K>(e, sources, out),
        // SAFETY: the processor has the features, `simd` found them.
        _ => unsafe { avx2::<K>(sources, out) },
    }
}

/// With the usual modes.
#[cfg(not(target_arch = "x86_64"))]
pub fn run_native<K: Kernel>(_: Moded, [a, b, c]: &[Source; 3], out: &mut Results) {
    K::all_lanes::<simd::Baseline>(*a, *b, *c, out);
}
