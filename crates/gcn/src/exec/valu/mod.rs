//! Vector ALU: one [`Kernel`] per operation, run over the 64 lanes of a wave.
//!
//! A kernel says what one lane does. This module runs it: `plain` where nothing but EXEC modifies the instruction and the modes are
//! the usual ones, `modified` (module [`modify`]) for everything else. Both are compiled for several instruction sets of the host, and
//! the best one is chosen when an instruction is lowered.
//!
//! Floating-point exceptions are not recorded in TRAPSTS and never trap, whatever MODE.EXCP_EN says. Which NaN an operation makes of
//! others (payload and sign) is the host's choice.

use super::alu::AluFn;
use super::float::{self, Env, F16, Moded, Native};
use super::wave::{Lanes, Wave};
use crate::inst::{Inst, Mods, Operand};
use crate::op::Op;
use operand::{Source, Splat, halves, register, source, write};

mod carry;
mod compare;
mod convert;
mod cross_lane;
mod divide;
mod dot;
mod float16;
mod float32;
mod float64;
mod integer;
mod integer16;
mod modify;
mod multiply64;
mod operand;
mod packed;
mod sad;
mod transcendental;

/// The function that executes `inst`, if it is a vector ALU instruction.
pub(super) fn lower(inst: &Inst) -> Option<AluFn> {
    const TABLES: &[fn(&Inst) -> Option<AluFn>] = &[
        integer::lower,
        float32::lower,
        compare::lower,
        carry::lower,
        convert::lower,
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
        super::mfma::lower,
    ];
    TABLES.iter().find_map(|table| table(inst))
}

/// How the bits of an operand are to be read: which inline constants, how wide, what a negation flips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    /// Not there.
    Nothing,
    /// One bit per lane, in a scalar register pair.
    Mask,
    Int16,
    Float16,
    Int32,
    Float32,
    Int64,
    Float64,
    /// Two 16-bit integers.
    PackedInt,
    /// Two halves.
    PackedFloat,
    /// A float, or a half that `op_sel` chooses, widened to one.
    Mix,
}

impl Type {
    const fn is_float(self) -> bool {
        matches!(self, Type::Float16 | Type::Float32 | Type::Float64 | Type::PackedFloat | Type::Mix)
    }

    const fn is_wide(self) -> bool {
        matches!(self, Type::Int64 | Type::Float64)
    }
}

/// A value that a kernel takes.
trait Value: Copy {
    const TYPE: Type;
    fn get(source: &Source, half: usize, lane: usize) -> Self;
    /// With the sign modifiers of VOP3, which other types than floats do not have.
    #[inline(always)]
    fn get_signed(source: &Source, half: usize, lane: usize, _: Sign) -> Self {
        Self::get(source, half, lane)
    }
}

/// Sign modifiers of a source, as what they do to the register that has the sign.
#[derive(Clone, Copy)]
struct Sign {
    keep: u32,
    flip: u32,
}

impl Sign {
    /// Those that a VOP3 instruction has for source `index`.
    #[inline(always)]
    fn of(inst: &Inst, index: usize) -> Sign {
        match inst.mods {
            Mods::Vop3 { neg, abs, .. } => {
                let bit = |mask: u8| u32::from(mask >> index & 1) << 31;
                Sign { keep: !bit(abs), flip: bit(neg) }
            }
            _ => Sign { keep: !0, flip: 0 },
        }
    }
}

/// What a kernel returns: a value, a bit for a mask, or both.
trait Output: Copy {
    /// Type of the value; [`Type::Nothing`] if there is only a bit.
    const TYPE: Type;
    /// There is a bit.
    const MASK: bool;
    fn bits(self) -> (u32, u32, bool);
}

macro_rules! value {
    ($ty:ty, $kind:ident, |$lo:ident, $hi:ident| $from:expr, |$v:ident| $to:expr $(, sign in $top:ident)?) => {
        impl Value for $ty {
            const TYPE: Type = Type::$kind;
            #[inline(always)]
            fn get(source: &Source, half: usize, lane: usize) -> Self {
                let ($lo, $hi) = (source.lo.0[32 * half + lane], source.hi.0[32 * half + lane]);
                $from
            }
            $(
                #[inline(always)]
                fn get_signed(source: &Source, half: usize, lane: usize, sign: Sign) -> Self {
                    let ($lo, $hi) = (source.lo.0[32 * half + lane], source.hi.0[32 * half + lane]);
                    let $top = $top & sign.keep ^ sign.flip;
                    $from
                }
            )?
        }
        impl Output for $ty {
            const TYPE: Type = Type::$kind;
            const MASK: bool = false;
            #[inline(always)]
            fn bits(self) -> (u32, u32, bool) {
                let $v = self;
                let (lo, hi): (u32, u32) = $to;
                (lo, hi, false)
            }
        }
        impl Output for ($ty, bool) {
            const TYPE: Type = Type::$kind;
            const MASK: bool = true;
            #[inline(always)]
            fn bits(self) -> (u32, u32, bool) {
                let (lo, hi, _) = self.0.bits();
                (lo, hi, self.1)
            }
        }
    };
}

/// Two 16-bit integers in one register.
#[derive(Clone, Copy)]
struct Int16x2(u32);
/// Two halves in one register.
#[derive(Clone, Copy)]
struct F16x2(u32);
/// A source of `v_fma_mix*`.
#[derive(Clone, Copy)]
struct Mix(f32);

value!(u32, Int32, |lo, _hi| lo, |v| (v, 0));
value!(i32, Int32, |lo, _hi| lo as i32, |v| (v as u32, 0));
value!(f32, Float32, |lo, _hi| f32::from_bits(lo), |v| (v.to_bits(), 0), sign in lo);
value!(u16, Int16, |lo, _hi| lo as u16, |v| (u32::from(v), 0));
value!(i16, Int16, |lo, _hi| lo as i16, |v| (u32::from(v as u16), 0));
value!(F16, Float16, |lo, _hi| F16(lo as u16), |v| (u32::from(v.0), 0));
value!(u64, Int64, |lo, hi| u64::from(lo) | u64::from(hi) << 32, |v| (v as u32, (v >> 32) as u32));
value!(i64, Int64, |lo, hi| (u64::from(lo) | u64::from(hi) << 32) as i64, |v| (v as u32, (v as u64 >> 32) as u32));
value!(f64, Float64, |lo, hi| f64::from_bits(u64::from(lo) | u64::from(hi) << 32), |v| {
    (v.to_bits() as u32, (v.to_bits() >> 32) as u32)
}, sign in hi);
value!(Int16x2, PackedInt, |lo, _hi| Int16x2(lo), |v| (v.0, 0));
value!(F16x2, PackedFloat, |lo, _hi| F16x2(lo), |v| (v.0, 0));
value!(Mix, Mix, |lo, _hi| Mix(f32::from_bits(lo)), |v| (v.0.to_bits(), 0));

impl Value for () {
    const TYPE: Type = Type::Nothing;
    #[inline(always)]
    fn get(_: &Source, _: usize, _: usize) -> Self {}
}

/// A value, and the lane's bit of VCC.
#[derive(Clone, Copy)]
struct WithVcc<V>(V, bool);

impl<V: Value> Value for WithVcc<V> {
    const TYPE: Type = V::TYPE;
    #[inline(always)]
    fn get(source: &Source, half: usize, lane: usize) -> Self {
        WithVcc(V::get(source, half, lane), source.mask[half] >> lane & 1 != 0)
    }
}

impl Value for bool {
    const TYPE: Type = Type::Mask;
    #[inline(always)]
    fn get(source: &Source, half: usize, lane: usize) -> Self {
        source.mask[half] >> lane & 1 != 0
    }
}

impl Output for bool {
    const TYPE: Type = Type::Nothing;
    const MASK: bool = true;
    #[inline(always)]
    fn bits(self) -> (u32, u32, bool) {
        (0, 0, self)
    }
}

/// One operation, by what it does in one lane.
trait Kernel: 'static {
    type A: Value;
    type B: Value;
    type C: Value;
    type D: Output;
    /// Compilers emit it all the time: worth its own copy of everything.
    const HOT: bool = false;
    /// The last source is the destination.
    const ACCUMULATE: bool = false;
    /// A 16-bit result leaves the other half of the register as it is.
    const KEEP_HALF: bool = false;
    /// The result goes to the high half (with `KEEP_HALF`).
    const HIGH_HALF: bool = false;
    /// The last source comes with VCC ([`WithVcc`]).
    const VCC: bool = false;
    /// The mask is written to EXEC too.
    const TO_EXEC: bool = false;
    fn lane<E: Env>(e: E, a: Self::A, b: Self::B, c: Self::C) -> Self::D;
}

/// Constants of `Kernel` by the words used in the tables.
macro_rules! kernel_flag {
    (hot) => {
        const HOT: bool = true;
    };
    (accumulate) => {
        const ACCUMULATE: bool = true;
    };
    (keep_half) => {
        const KEEP_HALF: bool = true;
    };
    (high_half) => {
        const KEEP_HALF: bool = true;
        const HIGH_HALF: bool = true;
    };
    (vcc) => {
        const VCC: bool = true;
    };
    (to_exec) => {
        const TO_EXEC: bool = true;
    };
}

/// A table of operations: name, flags, and what one lane does with its sources in environment `e`.
macro_rules! kernels {
    ($($op:ident $(@$flag:ident)* |$e:ident, $a:ident: $ta:ty $(, $b:ident: $tb:ty $(, $c:ident: $tc:ty)?)?| -> $td:ty $body:block)*) => {
        mod ops {
            $(pub(super) struct $op;)*
        }
        $(impl Kernel for ops::$op {
            type A = $ta;
            type B = kernels!(@or_unit $($tb)?);
            type C = kernels!(@or_unit $($($tc)?)?);
            type D = $td;
            $(kernel_flag!($flag);)*
            #[allow(unused_variables)]
            #[inline(always)]
            fn lane<E: Env>($e: E, $a: $ta, b: Self::B, c: Self::C) -> $td {
                $(let $b = b; $(let $c = c;)?)?
                $body
            }
        })*

        /// The function that executes `inst`, if it is one of this table.
        pub(super) fn lower(inst: &Inst) -> Option<AluFn> {
            Some(match inst.op {
                $(Op::$op => lower_kernel::<ops::$op>(inst),)*
                _ => return None,
            })
        }
    };
    (@or_unit) => { () };
    (@or_unit $t:ty) => { $t };
}
use {kernel_flag, kernels};

/// What a kernel computed.
struct Results {
    lo: Lanes,
    hi: Lanes,
    mask: u64,
}

impl Results {
    #[inline(always)]
    fn new() -> Results {
        Results { lo: Lanes::ZERO, hi: Lanes::ZERO, mask: 0 }
    }
}

/// Runs a kernel over all lanes. EXEC is applied to what comes out.
#[inline(always)]
fn lanes<K: Kernel>(a: Source, b: Source, c: Source, out: &mut Results) {
    lanes_by(out, |half, lane| {
        K::lane(Native, K::A::get(&a, half, lane), K::B::get(&b, half, lane), K::C::get(&c, half, lane))
    });
}

/// As [`lanes`], with the sign modifiers of a VOP3 instruction.
#[inline(always)]
fn lanes_signed<K: Kernel>(inst: &Inst, a: Source, b: Source, c: Source, out: &mut Results) {
    let signs = [0, 1, 2].map(|index| Sign::of(inst, index));
    lanes_by(out, |half, lane| {
        let a = K::A::get_signed(&a, half, lane, signs[0]);
        let b = K::B::get_signed(&b, half, lane, signs[1]);
        let c = K::C::get_signed(&c, half, lane, signs[2]);
        K::lane(Native, a, b, c)
    });
}

#[inline(always)]
fn lanes_by<D: Output>(out: &mut Results, one: impl Fn(usize, usize) -> D) {
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
        out.mask = mask_of(&flags);
    }
}

/// The sign bits of all lanes.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn mask_of(flags: &Lanes) -> u64 {
    use std::arch::x86_64::{_mm_load_ps, _mm_movemask_ps};
    (0..16).fold(0, |mask, n| {
        // SAFETY: SSE is part of x86-64; 4 of 64 values from a multiple of 4 on are in the array, whose alignment is 64.
        let signs = unsafe { _mm_movemask_ps(_mm_load_ps(flags.0.as_ptr().add(4 * n).cast())) };
        mask | (signs as u64) << (4 * n)
    })
}

/// The sign bits of all lanes.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn mask_of(flags: &Lanes) -> u64 {
    flags.0.iter().enumerate().fold(0, |mask, (n, flag)| mask | u64::from(flag >> 31) << n)
}

/// Vector instruction sets of the host that code is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Host {
    /// What the target guarantees.
    Baseline,
    /// x86-64-v3.
    Avx2,
    /// x86-64-v4.
    Avx512,
}

/// The best that this processor has.
#[cfg(target_arch = "x86_64")]
pub(super) fn host() -> Host {
    let v3 = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt");
    let v4 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl");
    match (v3, v4) {
        (true, true) => Host::Avx512,
        (true, false) => Host::Avx2,
        _ => Host::Baseline,
    }
}

/// The best that this processor has.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn host() -> Host {
    Host::Baseline
}

/// A kernel over all lanes: what is compiled per operation.
type Run = fn(Moded, Source, Source, Source, &mut Results);

/// In any mode, a lane at a time.
fn run_moded<K: Kernel>(e: Moded, a: Source, b: Source, c: Source, out: &mut Results) {
    /// Not inlined, so that the compiler does not spend its time on a loop that is rarely run.
    #[inline(never)]
    fn one<K: Kernel>(e: Moded, [a, b, c]: &[Source; 3], half: usize, lane: usize) -> K::D {
        K::lane(e, K::A::get(a, half, lane), K::B::get(b, half, lane), K::C::get(c, half, lane))
    }
    let sources = [a, b, c];
    for n in 0..64 {
        let (lo, hi, bit) = one::<K>(e, &sources, n / 32, n % 32).bits();
        out.lo.0[n] = lo;
        out.hi.0[n] = hi;
        out.mask |= u64::from(bit) << n;
    }
}

/// With the usual modes.
#[cfg(target_arch = "x86_64")]
fn run_native<K: Kernel>(e: Moded, a: Source, b: Source, c: Source, out: &mut Results) {
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt")]
    fn avx2<K: Kernel>(a: Source, b: Source, c: Source, out: &mut Results) {
        lanes::<K>(a, b, c, out);
    }
    match host() {
        Host::Baseline => run_moded::<K>(e, a, b, c, out),
        // SAFETY: the processor has the features, `host` found them.
        _ => unsafe { avx2::<K>(a, b, c, out) },
    }
}

/// With the usual modes.
#[cfg(not(target_arch = "x86_64"))]
fn run_native<K: Kernel>(_: Moded, a: Source, b: Source, c: Source, out: &mut Results) {
    lanes::<K>(a, b, c, out);
}

/// What the code around a kernel needs to know of it. One copy of that code serves all kernels that are not [`Kernel::HOT`].
struct Shape {
    sources: [Type; 3],
    result: Type,
    mask: bool,
    accumulate: bool,
    keep_half: bool,
    high_half: bool,
    vcc: bool,
    to_exec: bool,
    /// The results depend on MODE.
    obeys_mode: bool,
    native: Run,
    moded: Run,
}

impl Shape {
    const fn of<K: Kernel>() -> Shape {
        let sources = [K::A::TYPE, K::B::TYPE, K::C::TYPE];
        let result = K::D::TYPE;
        Shape {
            sources,
            result,
            mask: K::D::MASK,
            accumulate: K::ACCUMULATE,
            keep_half: K::KEEP_HALF,
            high_half: K::HIGH_HALF,
            vcc: K::VCC,
            to_exec: K::TO_EXEC,
            obeys_mode: sources[0].is_float() || sources[1].is_float() || sources[2].is_float() || result.is_float(),
            native: run_native::<K>,
            moded: run_moded::<K>,
        }
    }

    /// The source operands in the kernel's order.
    #[inline(always)]
    fn operands(&self, inst: &Inst) -> [Operand; 3] {
        let [a, b, c, _] = inst.src;
        [a, b, if self.accumulate { inst.dst[0] } else { c }]
    }
}

/// The function for `inst`, which is the operation of `K`.
fn lower_kernel<K: Kernel>(inst: &Inst) -> AluFn {
    let shape = const { &Shape::of::<K>() };
    #[cfg(target_arch = "x86_64")]
    if const { K::HOT && Shape::of::<K>().obeys_mode } && modify::is_signed_only(shape, inst) && host() >= Host::Avx2 {
        // SAFETY: the processor has the features, `host` found them.
        return |w, inst| unsafe { signed_avx2::<K>(w, inst) };
    }
    if modify::is_modified(shape, inst) {
        return modified::<K>;
    }
    #[cfg(target_arch = "x86_64")]
    if K::HOT {
        match host() {
            // SAFETY: the processor has the features, `host` found them.
            Host::Avx512 => return |w, inst| unsafe { hot_avx512::<K>(w, inst) },
            // SAFETY: as above.
            Host::Avx2 => return |w, inst| unsafe { hot_avx2::<K>(w, inst) },
            Host::Baseline => {}
        }
    }
    |w, inst| plain_shared(w, inst, const { &Shape::of::<K>() })
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt")]
fn hot_avx2<K: Kernel>(w: &mut Wave, inst: &Inst) {
    plain(w, inst, const { &Shape::of::<K>() }, |_, a, b, c, out| lanes::<K>(a, b, c, out));
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt")]
fn hot_avx512<K: Kernel>(w: &mut Wave, inst: &Inst) {
    plain(w, inst, const { &Shape::of::<K>() }, |_, a, b, c, out| lanes::<K>(a, b, c, out));
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt")]
fn signed_avx2<K: Kernel>(w: &mut Wave, inst: &Inst) {
    plain(w, inst, const { &Shape::of::<K>() }, |_, a, b, c, out| lanes_signed::<K>(inst, a, b, c, out));
}

fn plain_shared(w: &mut Wave, inst: &Inst, shape: &Shape) {
    plain(w, inst, shape, shape.native);
}

fn modified<K: Kernel>(w: &mut Wave, inst: &Inst) {
    modify::modified(w, inst, const { &Shape::of::<K>() });
}

/// An instruction without modifiers; the modes can still send it to [`modify::modified`].
#[inline(always)]
fn plain(w: &mut Wave, inst: &Inst, shape: &Shape, run: impl Fn(Moded, Source, Source, Source, &mut Results)) {
    if shape.obeys_mode && !float::is_native(w.mode) {
        return modify::modified(w, inst, shape);
    }
    let exec = w.exec();
    let mut out = Results::new();
    {
        let (mut a, mut b, mut c) = (Splat::default(), Splat::default(), Splat::default());
        let operands = shape.operands(inst);
        let a = source(w, operands[0], shape.sources[0], &mut a);
        let b = source(w, operands[1], shape.sources[1], &mut b);
        let mut c = source(w, operands[2], shape.sources[2], &mut c);
        if shape.vcc {
            c.mask = halves(w.vcc());
        }
        run(Moded { mode: w.mode, saturate: false }, a, b, c, &mut out);
    }
    if shape.result != Type::Nothing {
        write(w, inst.dst[0], 0, exec, &out.lo);
    }
    if shape.result.is_wide() {
        write(w, inst.dst[0], 1, exec, &out.hi);
    }
    if shape.mask {
        write_mask(w, inst, shape, out.mask & exec);
    }
}

/// Writes a mask to the scalar destination of an instruction. Bits of disabled lanes are 0.
#[inline(always)]
fn write_mask(w: &mut Wave, inst: &Inst, shape: &Shape, mask: u64) {
    let operand = if shape.result == Type::Nothing { inst.dst[0] } else { inst.dst[1] };
    w.write_scalar64(operand, mask);
    if shape.to_exec {
        w.set_exec(mask);
    }
}

#[cfg(test)]
mod tests;
