//! The frame of a vector instruction: reads operands, applies the kernel, and writes results under EXEC.

use crate::fp;
use crate::fp::Moded;
#[cfg(target_arch = "x86_64")]
use crate::fp::{Flushing, Native};
#[cfg(target_arch = "x86_64")]
use crate::simd::{Avx2, Avx512, Isa, Simd, simd};
use crate::valu::lane_op::Kernel;
use crate::valu::modifiers;
use crate::valu::operand::{Source, Splat, halves, source, write};
use crate::valu::types::{Output, Type, Value};
use crate::valu::vectorize::{Results, Run, run_moded, run_native};
#[cfg(target_arch = "x86_64")]
use crate::valu::vectorize::{lanes_in, lanes_signed, run_moded_hot};
use crate::wave::{AluFn, Mode, Wave};
use gcn_isa::inst::{Inst, Operand};

/// Properties of a kernel for the code around it. One copy of that code serves all kernels that are not
/// [`Kernel::HOT`].
pub struct Shape {
    pub sources: [Type; 3],
    pub result: Type,
    pub mask: bool,
    pub accumulate: bool,
    pub keep_half: bool,
    pub high_half: bool,
    pub vcc: bool,
    pub to_exec: bool,
    /// The results depend on MODE.
    pub obeys_mode: bool,
    /// They depend on what MODE says of f32.
    obeys_f32: bool,
    pub native: Run,
    pub moded: Run,
}

impl Shape {
    const fn of<K: Kernel>() -> Shape {
        let sources = [K::A::TYPE, K::B::TYPE, K::C::TYPE];
        let result = K::D::TYPE;
        let [a, b, c] = sources;
        Shape {
            sources,
            result,
            mask: K::D::MASK,
            accumulate: K::ACCUMULATE,
            keep_half: K::KEEP_HALF,
            high_half: K::HIGH_HALF,
            vcc: K::VCC,
            to_exec: K::TO_EXEC,
            obeys_mode: a.is_float() || b.is_float() || c.is_float() || result.is_float(),
            obeys_f32: a.has_f32() || b.has_f32() || c.has_f32() || result.has_f32(),
            native: run_native::<K>,
            moded: moded::<K>(),
        }
    }

    /// Whether `mode` is the usual one, as far as the types of the operation obey it.
    #[inline(always)]
    pub fn is_usual(&self, mode: Mode) -> bool {
        !self.obeys_mode || fp::is_native(mode) || !self.obeys_f32 && fp::is_flushing(mode)
    }

    /// The source operands in the kernel's order.
    #[inline(always)]
    pub fn operands(&self, inst: &Inst) -> [Operand; 3] {
        let [a, b, c, _] = inst.src;
        [a, b, if self.accumulate { inst.dst[0] } else { c }]
    }
}

#[cfg(target_arch = "x86_64")]
const fn moded<K: Kernel>() -> Run {
    let floats = K::A::TYPE.is_float() || K::D::TYPE.is_float();
    if K::HOT && floats { run_moded_hot::<K> } else { run_moded::<K> }
}

#[cfg(not(target_arch = "x86_64"))]
const fn moded<K: Kernel>() -> Run {
    run_moded::<K>
}

/// All that a kernel is compiled to. A constant chooses what there is: a branch in code would make the compiler
/// generate both sides first.
struct Functions {
    shape: Shape,
    plain: AluFn,
    modified: AluFn,
    /// [`plain`] by instruction set.
    #[cfg(target_arch = "x86_64")]
    hot: Option<Hot>,
}

/// The functions of a [`Kernel::HOT`].
#[cfg(target_arch = "x86_64")]
struct Hot {
    avx2: AluFn,
    avx512: AluFn,
    /// With modifiers that change nothing but signs of sources.
    signed: Option<Signed>,
}

/// By instruction set.
#[cfg(target_arch = "x86_64")]
struct Signed {
    avx2: AluFn,
    avx512: AluFn,
}

// SAFETY of the functions in `Hot`: `choose` takes them where the processor has the features that `simd` found.
impl Functions {
    const fn of<K: Kernel>() -> Functions {
        Functions {
            shape: Shape::of::<K>(),
            plain: plain_of::<K>,
            modified: modified_of::<K>,
            #[cfg(target_arch = "x86_64")]
            hot: if K::HOT { Some(Hot::of::<K>()) } else { None },
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl Hot {
    const fn of<K: Kernel>() -> Hot {
        Hot {
            // SAFETY: see above.
            avx2: |w, inst| unsafe { hot_avx2::<K>(w, inst) },
            // SAFETY: see above.
            avx512: |w, inst| unsafe { hot_avx512::<K>(w, inst) },
            signed: if Shape::of::<K>().obeys_mode { Some(Hot::signed::<K>()) } else { None },
        }
    }

    const fn signed<K: Kernel>() -> Signed {
        Signed {
            // SAFETY: see above.
            avx2: |w, inst| unsafe { signed_avx2::<K>(w, inst) },
            // SAFETY: see above.
            avx512: |w, inst| unsafe { signed_avx512::<K>(w, inst) },
        }
    }
}

/// The function for `inst`, which is the operation of `K`.
pub fn lower_kernel<K: Kernel>(inst: &Inst) -> AluFn {
    choose(const { &Functions::of::<K>() }, inst)
}

fn choose(functions: &Functions, inst: &Inst) -> AluFn {
    #[cfg(target_arch = "x86_64")]
    if let Some(Hot { signed: Some(signed), .. }) = &functions.hot
        && modifiers::is_signed_only(&functions.shape, inst)
    {
        match simd() {
            Simd::Avx512 => return signed.avx512,
            Simd::Avx2 => return signed.avx2,
            Simd::Baseline => {}
        }
    }
    if modifiers::is_modified(&functions.shape, inst) {
        return functions.modified;
    }
    #[cfg(target_arch = "x86_64")]
    if let Some(hot) = &functions.hot {
        match simd() {
            Simd::Avx512 => return hot.avx512,
            Simd::Avx2 => return hot.avx2,
            Simd::Baseline => {}
        }
    }
    functions.plain
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt")]
fn hot_avx2<K: Kernel>(w: &mut Wave, inst: &Inst) {
    plain(w, inst, const { &Shape::of::<K>() }, true, hot::<K, Avx2>);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt")]
fn hot_avx512<K: Kernel>(w: &mut Wave, inst: &Inst) {
    plain(w, inst, const { &Shape::of::<K>() }, true, hot::<K, Avx512>);
}

/// In the usual modes, and in those of [`Flushing`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn hot<K: Kernel, I: Isa>(e: Moded, a: Source, b: Source, c: Source, out: &mut Results) {
    if const { Shape::of::<K>().obeys_f32 } && fp::is_flushing(e.mode) {
        lanes_in::<K, Flushing, I>(Flushing, a, b, c, out);
    } else {
        K::all_lanes::<I>(a, b, c, out);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt")]
fn signed_avx2<K: Kernel>(w: &mut Wave, inst: &Inst) {
    plain(w, inst, const { &Shape::of::<K>() }, true, |e, a, b, c, out| signed::<K, Avx2>(inst, e, a, b, c, out));
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt")]
fn signed_avx512<K: Kernel>(w: &mut Wave, inst: &Inst) {
    plain(w, inst, const { &Shape::of::<K>() }, true, |e, a, b, c, out| signed::<K, Avx512>(inst, e, a, b, c, out));
}

/// As [`hot`], with the sign modifiers of a VOP3 instruction.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn signed<K: Kernel, I: Isa>(inst: &Inst, e: Moded, a: Source, b: Source, c: Source, out: &mut Results) {
    if const { Shape::of::<K>().obeys_f32 } && fp::is_flushing(e.mode) {
        lanes_signed::<K, Flushing, I>(Flushing, inst, a, b, c, out);
    } else {
        lanes_signed::<K, Native, I>(Native, inst, a, b, c, out);
    }
}

// Not closures, of each of which there are two functions.
fn plain_of<K: Kernel>(w: &mut Wave, inst: &Inst) {
    plain_shared(w, inst, const { &Shape::of::<K>() });
}

fn modified_of<K: Kernel>(w: &mut Wave, inst: &Inst) {
    modifiers::modified(w, inst, const { &Shape::of::<K>() });
}

fn plain_shared(w: &mut Wave, inst: &Inst, shape: &Shape) {
    plain(w, inst, shape, false, |e, a, b, c, out| (shape.native)(e, &[a, b, c], out));
}

/// An instruction without modifiers; the modes can still send it to [`modifiers::modified`]. `flushes`: `run` can do it
/// as in [`Flushing`] too.
#[inline(always)]
fn plain(
    w: &mut Wave,
    inst: &Inst,
    shape: &Shape,
    flushes: bool,
    run: impl Fn(Moded, Source, Source, Source, &mut Results),
) {
    if !(shape.is_usual(w.mode) || flushes && fp::is_flushing(w.mode)) {
        return modifiers::modified(w, inst, shape);
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
pub fn write_mask(w: &mut Wave, inst: &Inst, shape: &Shape, mask: u64) {
    let operand = if shape.result == Type::Nothing { inst.dst[0] } else { inst.dst[1] };
    w.write_scalar64(operand, mask);
    if shape.to_exec {
        w.set_exec(mask);
    }
}
