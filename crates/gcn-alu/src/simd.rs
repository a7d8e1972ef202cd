//! Detects the host's vector instruction sets at run time.
//!
//! Hot code is written once, generic over an [`Isa`] and inlined into one function per instruction set that enables its
//! features.

use crate::fp::{f16_to_f32, f32_to_f16};
use crate::wave::{LANES, Lanes};
use once_cell::race::OnceBox;
#[cfg(target_arch = "x86_64")]
use std::arch::asm;
use std::fmt::{self, Display, Formatter};
use std::io::Write;
use std::str::FromStr;

/// Vector instruction sets of the host that code is compiled for, as levels of x86-64. What waves compute is the same
/// with each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Simd {
    /// The set that the target guarantees: SSE2 on x86-64.
    Baseline,
    /// x86-64-v3: AVX2, FMA and others.
    Avx2,
    /// x86-64-v4: AVX-512.
    Avx512,
}

/// Why a [`Simd`] that was asked for is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SimdError {
    /// There is none of that name.
    #[error("{0:?} is no instruction set of the host: there are baseline, v3 and v4, the levels of x86-64")]
    Unknown(String),
    /// The processor lacks instructions of the chosen set.
    #[error("this processor lacks instructions of {asked}: the best that it has is {best}")]
    Lacking {
        /// What was asked for.
        asked: Simd,
        /// What this processor has.
        best: Simd,
    },
}

impl Simd {
    /// The environment variable that hides better instructions of the processor than it names: `baseline`, `v3` or
    /// `v4`. It is read once.
    pub const VARIABLE: &str = "GCN_HOST_ISA";

    const ALL: [Simd; 3] = [Simd::Baseline, Simd::Avx2, Simd::Avx512];

    /// The best that this processor has.
    #[cfg(target_arch = "x86_64")]
    pub fn best() -> Simd {
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
    pub fn best() -> Simd {
        Simd::Baseline
    }

    /// The set to use on this processor: the one that [`Simd::VARIABLE`] names, or the best one.
    ///
    /// # Errors
    /// If the variable names none, or more than this processor has. Code is executed with the best then, and the first
    /// wave says so on standard error.
    pub fn chosen() -> Result<Simd, SimdError> {
        static CHOSEN: OnceBox<Result<Simd, SimdError>> = OnceBox::new();
        let choose = || match std::env::var_os(Simd::VARIABLE) {
            Some(name) => name.to_string_lossy().parse::<Simd>()?.ensure(),
            None => Ok(Simd::best()),
        };
        CHOSEN.get_or_init(|| Box::new(choose())).clone()
    }

    /// This set.
    ///
    /// # Errors
    /// If this processor lacks it.
    pub fn ensure(self) -> Result<Simd, SimdError> {
        let best = Simd::best();
        if self <= best { Ok(self) } else { Err(SimdError::Lacking { asked: self, best }) }
    }

    /// The sets that may be used here, the smallest first.
    pub fn usable() -> impl Iterator<Item = Simd> {
        Simd::ALL.into_iter().filter(|&isa| isa <= simd())
    }
}

impl Display for Simd {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Simd::Baseline => "baseline",
            Simd::Avx2 => "v3",
            Simd::Avx512 => "v4",
        })
    }
}

impl FromStr for Simd {
    type Err = SimdError;

    fn from_str(text: &str) -> Result<Simd, SimdError> {
        let named = Simd::ALL.into_iter().find(|isa| isa.to_string() == text);
        named.ok_or_else(|| SimdError::Unknown(text.to_owned()))
    }
}

/// The instructions that code is executed with.
#[inline]
pub fn simd() -> Simd {
    static USED: OnceBox<Simd> = OnceBox::new();
    *USED.get_or_init(|| {
        Box::new(Simd::chosen().unwrap_or_else(|error| {
            let best = Simd::best();
            // Not by `eprintln!`, which the harness of tests keeps to itself, and in one piece, as others write too.
            // There is nobody to tell that standard error is closed.
            let text = format!("gcn: {}: {error}; using {best}\n", Simd::VARIABLE);
            let _ = std::io::stderr().write_all(text.as_bytes());
            best
        }))
    })
}

/// `of` each place, as one loop. Of `std::array::from_fn` and `map` there are five functions for each use, which the
/// compiler has to put together to make a vector of them: an eighth of the code that it was given.
#[inline(always)]
pub fn array<T: Copy + Default, const N: usize>(of: impl Fn(usize) -> T) -> [T; N] {
    let mut array = [T::default(); N];
    for (place, value) in array.iter_mut().enumerate() {
        *value = of(place);
    }
    array
}

/// `to` of each value, likewise.
#[inline(always)]
pub fn each<T: Copy, U: Copy + Default, const N: usize>(from: &[T; N], to: impl Fn(T) -> U) -> [U; N] {
    array(|place| to(from[place]))
}

/// An operation on all lanes, compiled for every vector instruction set of the host.
pub trait Vectored {
    type Out;
    /// To be `#[inline(always)]`, and everything of weight in it.
    fn run(self) -> Self::Out;
    /// What a processor without AVX2 does.
    #[inline(always)]
    fn run_baseline(self) -> Self::Out
    where
        Self: Sized,
    {
        self.run()
    }
}

/// `work`, done with the best instructions that this processor has. What is compiled so exists three times: it should
/// be no more of an instruction than goes over all lanes.
#[inline(always)]
pub fn vectored<W: Vectored>(work: W) -> W::Out {
    // SAFETY: the processor has what `simd` found.
    unsafe { vectored_by(simd(), work) }
}

/// [`vectored`] with the instructions of `simd`.
///
/// # Safety
/// This processor has them.
#[inline(always)]
pub unsafe fn vectored_by<W: Vectored>(simd: Simd, work: W) -> W::Out {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt")]
    fn avx2<W: Vectored>(work: W) -> W::Out {
        work.run()
    }
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt")]
    fn avx512<W: Vectored>(work: W) -> W::Out {
        work.run()
    }
    match simd {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the caller promises the instructions.
        Simd::Avx512 => unsafe { avx512(work) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Simd::Avx2 => unsafe { avx2(work) },
        _ => work.run_baseline(),
    }
}

/// Number of lanes whose addresses are examined together. Kernels with two-dimensional work-groups often access runs of
/// this length.
pub const ROW: usize = 16;

/// Copies `rows` times [`ROW`] dwords between registers and memory that other threads access; each dword in one piece.
/// Returns false if this processor has no instruction for it, with nothing copied.
///
/// # Safety
/// All of it is readable at `from` and writable at `to`, and both are multiples of 4.
#[inline(always)]
pub unsafe fn copy_rows(from: *const u32, to: *mut u32, rows: usize) -> bool {
    // SAFETY: the caller promises the memory; the processor has what `simd` found.
    unsafe { copy_rows_by(simd(), from, to, rows) }
}

/// [`copy_rows`] with the instructions of `simd`, which the processor must have.
#[inline(always)]
unsafe fn copy_rows_by(simd: Simd, from: *const u32, to: *mut u32, rows: usize) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        // Not loads and stores of the language: it has no atomic ones of this size, and others would race. Processors
        // do not tear aligned dwords of a vector.
        for row in 0..rows {
            let (from, to) = (from.wrapping_add(row * ROW), to.wrapping_add(row * ROW));
            match simd {
                // SAFETY: the caller promises the memory and the instructions.
                Simd::Avx512 => unsafe {
                    asm!("vmovdqu64 zmm0, [{from}]", "vmovdqu64 [{to}], zmm0", from = in(reg) from, to = in(reg) to,
                        out("zmm0") _, options(nostack, preserves_flags));
                },
                // SAFETY: as above.
                Simd::Avx2 => unsafe {
                    asm!("vmovdqu ymm0, [{from}]", "vmovdqu ymm1, [{from} + 32]", "vmovdqu [{to}], ymm0",
                        "vmovdqu [{to} + 32], ymm1", from = in(reg) from, to = in(reg) to,
                        out("ymm0") _, out("ymm1") _, options(nostack, preserves_flags));
                },
                Simd::Baseline => return false,
            }
        }
        true
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = (simd, from, to, rows);
        false
    }
}

/// Dwords of the lanes of a row, which have up to four each, side by side.
pub type RowDwords = [u32; 4 * ROW];

/// Gives register `k` dword `k` of each lane of row `row`.
#[inline(never)]
pub fn part_row<const N: usize>(dwords: &RowDwords, registers: &mut [Lanes; N], row: usize) {
    #[inline(always)]
    fn here<const N: usize>(dwords: &RowDwords, registers: &mut [Lanes; N], row: usize) {
        for (k, register) in registers.iter_mut().enumerate() {
            let lanes = &mut register.0.as_chunks_mut::<ROW>().0[row % (LANES / ROW)];
            for (lane, dwords) in lanes.iter_mut().zip(dwords.as_chunks::<N>().0) {
                *lane = dwords[k];
            }
        }
    }
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn avx512<const N: usize>(dwords: &RowDwords, registers: &mut [Lanes; N], row: usize) {
        here(dwords, registers, row);
    }
    match simd() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the processor has what `simd` found.
        Simd::Avx512 => unsafe { avx512(dwords, registers, row) },
        _ => here(dwords, registers, row),
    }
}

/// The reverse of [`part_row`].
#[inline(never)]
pub fn join_row<const N: usize>(registers: &[Lanes; N], row: usize) -> RowDwords {
    #[inline(always)]
    fn here<const N: usize>(registers: &[Lanes; N], row: usize) -> RowDwords {
        let mut joined = [0; 4 * ROW];
        for (k, register) in registers.iter().enumerate() {
            let lanes = &register.0.as_chunks::<ROW>().0[row % (LANES / ROW)];
            for (dwords, lane) in joined.as_chunks_mut::<N>().0.iter_mut().zip(lanes) {
                dwords[k] = *lane;
            }
        }
        joined
    }
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    fn avx512<const N: usize>(registers: &[Lanes; N], row: usize) -> RowDwords {
        here(registers, row)
    }
    match simd() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the processor has what `simd` found.
        Simd::Avx512 => unsafe { avx512(registers, row) },
        _ => here(registers, row),
    }
}

/// An instruction set as a type. Code that is generic over one runs only where [`simd`] found it.
pub trait Isa {
    const SIMD: Simd;
}

macro_rules! isa {
    ($($(#[$condition:meta])? $name:ident)*) => {$(
        $(#[$condition])?
        pub struct $name;
        $(#[$condition])?
        impl Isa for $name {
            const SIMD: Simd = Simd::$name;
        }
    )*};
}
isa! {
    Baseline
    #[cfg(target_arch = "x86_64")] Avx2
    #[cfg(target_arch = "x86_64")] Avx512
}

/// The sign bits of all lanes.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn mask_of<I: Isa>(flags: &Lanes) -> u64 {
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
pub fn mask_of<I: Isa>(flags: &Lanes) -> u64 {
    flags.0.iter().enumerate().fold(0, |mask, (n, flag)| mask | u64::from(flag >> 31) << n)
}

/// The low or high half of every lane, an f16, as the bits of an f32. Signaling NaNs become quiet.
#[inline(always)]
pub fn widen<I: Isa>(lanes: &Lanes, high: bool) -> Lanes {
    match I::SIMD {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the processor has the features of `I`, see `Isa`.
        Simd::Avx2 => unsafe { x86::widen_avx2(lanes, high) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Simd::Avx512 => unsafe { x86::widen_avx512(lanes, high) },
        _ => Lanes(each(&lanes.0, |lane| f16_to_f32((lane >> if high { 16 } else { 0 }) as u16).to_bits())),
    }
}

/// The bits of an f32 in every lane as those of the nearest f16.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn narrow<I: Isa>(lanes: &Lanes) -> Lanes {
    match I::SIMD {
        Simd::Baseline => Lanes(each(&lanes.0, |lane| u32::from(f32_to_f16(f32::from_bits(lane))))),
        // SAFETY: the processor has the features of `I`, see `Isa`.
        Simd::Avx2 => unsafe { x86::narrow_avx2(lanes) },
        // SAFETY: as above.
        Simd::Avx512 => unsafe { x86::narrow_avx512(lanes) },
    }
}

/// Every lane gets the lane of `table` that the low 6 bits of its own in `from` name.
#[inline(always)]
pub fn lookup(table: &Lanes, from: &Lanes) -> Lanes {
    match simd() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the processor has what `simd` found.
        Simd::Avx512 => unsafe { x86::lookup_avx512(table, from) },
        _ => Lanes(each(&from.0, |from| table.0[from as usize % LANES])),
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Lanes;
    use std::arch::x86_64::*;

    #[inline(always)]
    pub fn mask_sse(flags: &Lanes) -> u64 {
        (0..16).fold(0, |mask, n| {
            // SAFETY: SSE is part of x86-64; 4 of 64 values from a multiple of 4 on are in the array, whose alignment
            // is 64.
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

    // SAFETY of the loads and stores below: 8 or 16 of 64 values from a multiple of that on are in the array, whose
    // alignment is 64.

    #[inline]
    #[target_feature(enable = "avx2,f16c")]
    pub fn widen_avx2(lanes: &Lanes, high: bool) -> Lanes {
        let mut wide = Lanes::ZERO;
        for n in 0..8 {
            // SAFETY: see above.
            let bits = unsafe { _mm256_load_si256(lanes.0.as_ptr().add(8 * n).cast()) };
            let bits =
                if high { _mm256_srli_epi32::<16>(bits) } else { _mm256_and_si256(bits, _mm256_set1_epi32(0xffff)) };
            // Each 128 bits are packed by themselves: their halves are put together.
            let packed = _mm256_permute4x64_epi64::<0b10_00>(_mm256_packus_epi32(bits, bits));
            let floats = _mm256_cvtph_ps(_mm256_castsi256_si128(packed));
            // SAFETY: see above.
            unsafe { _mm256_store_ps(wide.0.as_mut_ptr().add(8 * n).cast(), floats) };
        }
        wide
    }

    #[inline]
    #[target_feature(enable = "avx2,f16c")]
    pub fn narrow_avx2(lanes: &Lanes) -> Lanes {
        let mut narrow = Lanes::ZERO;
        for n in 0..8 {
            // SAFETY: see above.
            let floats = unsafe { _mm256_load_ps(lanes.0.as_ptr().add(8 * n).cast()) };
            let halves = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(floats);
            // SAFETY: see above.
            unsafe { _mm256_store_si256(narrow.0.as_mut_ptr().add(8 * n).cast(), _mm256_cvtepu16_epi32(halves)) };
        }
        narrow
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn lookup_avx512(table: &Lanes, from: &Lanes) -> Lanes {
        // SAFETY: see above.
        let [a, b, c, d] = std::array::from_fn(|n| unsafe { _mm512_load_si512(table.0.as_ptr().add(16 * n).cast()) });
        let mut found = Lanes::ZERO;
        for n in 0..4 {
            // SAFETY: see above.
            let from = unsafe { _mm512_load_si512(from.0.as_ptr().add(16 * n).cast()) };
            // Each permutation looks at the low 5 bits.
            let (low, high) = (_mm512_permutex2var_epi32(a, from, b), _mm512_permutex2var_epi32(c, from, d));
            let in_high = _mm512_test_epi32_mask(from, _mm512_set1_epi32(32));
            let lanes = _mm512_mask_blend_epi32(in_high, low, high);
            // SAFETY: see above.
            unsafe { _mm512_store_si512(found.0.as_mut_ptr().add(16 * n).cast(), lanes) };
        }
        found
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn widen_avx512(lanes: &Lanes, high: bool) -> Lanes {
        let mut wide = Lanes::ZERO;
        for n in 0..4 {
            // SAFETY: see above.
            let bits = unsafe { _mm512_load_si512(lanes.0.as_ptr().add(16 * n).cast()) };
            let bits = if high { _mm512_srli_epi32::<16>(bits) } else { bits };
            let floats = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(bits));
            // SAFETY: see above.
            unsafe { _mm512_store_ps(wide.0.as_mut_ptr().add(16 * n).cast(), floats) };
        }
        wide
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn narrow_avx512(lanes: &Lanes) -> Lanes {
        let mut narrow = Lanes::ZERO;
        for n in 0..4 {
            // SAFETY: see above.
            let floats = unsafe { _mm512_load_ps(lanes.0.as_ptr().add(16 * n).cast()) };
            let halves = _mm512_cvtps_ph::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(floats);
            // SAFETY: see above.
            unsafe { _mm512_store_si512(narrow.0.as_mut_ptr().add(16 * n).cast(), _mm512_cvtepu16_epi32(halves)) };
        }
        narrow
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    /// Every half both ways, and floats around every border between halves, against the conversions in integer
    /// arithmetic.
    fn conversions<I: Isa>() {
        let same =
            |got: u32, exact: u32, nan: u32| got == exact || got & 0x7fff_ffff > nan && exact & 0x7fff_ffff > nan;
        for first in (0..=0xffffu32).step_by(64) {
            let halves = Lanes(std::array::from_fn(|n| (first + n as u32) * 0x1_0001));
            for high in [false, true] {
                let wide = widen::<I>(&halves, high);
                for (n, &got) in wide.0.iter().enumerate() {
                    let exact = f16_to_f32((first + n as u32) as u16).to_bits();
                    assert!(same(got, exact, 0x7f80_0000), "{:#x}: {got:#x}, expected {exact:#x}", first + n as u32);
                }
            }
            for near in [0u32, 1, 0xfff, 0x1000, 0x1001, 0x1fff, 0x0800, 0x1_0000, u32::MAX] {
                let floats =
                    Lanes(std::array::from_fn(|n| f16_to_f32((first + n as u32) as u16).to_bits().wrapping_add(near)));
                for (got, float) in narrow::<I>(&floats).0.into_iter().zip(floats.0) {
                    let exact = u32::from(f32_to_f16(f32::from_bits(float)));
                    assert!(
                        same(got & 0x7fff | got >> 15 << 31, exact & 0x7fff | exact >> 15 << 31, 0x7c00),
                        "{float:#x}: {got:#x}, expected {exact:#x}"
                    );
                }
            }
        }
    }

    #[test]
    fn rows_are_copied_whole_from_any_dword_to_any_dword() {
        let from: [u32; 3 * ROW] = std::array::from_fn(|i| 0x9e37_79b9u32.wrapping_mul(i as u32 + 1));
        for level in Simd::usable() {
            for (source, target) in [(0, 0), (1, 0), (0, 3), (5, 7)] {
                let mut to = [0; 3 * ROW];
                // SAFETY: two rows from below the second one on are in the arrays, and the processor has the level.
                let copied = unsafe { copy_rows_by(level, from[source..].as_ptr(), to[target..].as_mut_ptr(), 2) };
                let mut expected = [0; 3 * ROW];
                if level > Simd::Baseline {
                    expected[target..][..2 * ROW].copy_from_slice(&from[source..][..2 * ROW]);
                }
                assert_eq!((copied, to), (level > Simd::Baseline, expected), "{level:?}, {source} to {target}");
            }
        }
    }

    #[test]
    fn every_set_is_named_and_the_best_has_all_below_it() {
        for set in Simd::ALL {
            assert_eq!(set.to_string().parse(), Ok(set));
            assert_eq!(set.ensure().is_ok(), set <= Simd::best(), "{set}");
        }
        let error = "v5".parse::<Simd>().unwrap_err().to_string();
        assert_eq!(
            error,
            "\"v5\" is no instruction set of the host: there are baseline, v3 and v4, the levels of x86-64"
        );
        let error = SimdError::Lacking { asked: Simd::Avx512, best: Simd::Avx2 }.to_string();
        assert_eq!(error, "this processor lacks instructions of v4: the best that it has is v3");
    }

    /// It also fails if what the variable asks for cannot be had: the other tests would go on with another set.
    #[test]
    fn the_set_that_the_environment_names_is_used() {
        let named = std::env::var(Simd::VARIABLE).ok();
        assert_eq!(Simd::chosen(), named.map_or(Ok(Simd::best()), |name| name.parse()));
        assert_eq!(Simd::chosen(), Ok(simd()));
    }

    #[test]
    #[cfg(not(miri))]
    fn each_set_that_this_processor_has_can_be_asked_for_and_no_other() {
        let asked = |name: &str| {
            let mut program = std::process::Command::new(std::env::current_exe().unwrap());
            program.args(["--exact", "simd::tests::the_set_that_the_environment_names_is_used"]);
            program.env(Simd::VARIABLE, name).output().unwrap()
        };
        for set in Simd::ALL {
            let output = asked(&set.to_string());
            assert_eq!(output.status.success(), set <= Simd::best(), "{output:?}");
        }
        let output = asked("v5");
        let error = String::from_utf8_lossy(&output.stderr);
        let told = "gcn: GCN_HOST_ISA: \"v5\" is no instruction set of the host";
        assert!(!output.status.success() && error.contains(told), "{output:?}");
    }

    #[test]
    fn lanes_are_looked_up_by_the_low_bits() {
        let table = Lanes(std::array::from_fn(|i| 0x9e37_79b9u32.wrapping_mul(i as u32 + 1)));
        let from = Lanes(std::array::from_fn(|i| 0xabcd_ef40u32.wrapping_mul(i as u32) | ((i as u32 * 37 + 5) % 64)));
        let expected = from.0.map(|from| 0x9e37_79b9u32.wrapping_mul(from % 64 + 1));
        assert_eq!(lookup(&table, &from).0, expected);
    }

    #[test]
    fn conversions_of_halves_are_exact() {
        if simd() >= Simd::Avx2 {
            conversions::<Avx2>();
        }
        if simd() >= Simd::Avx512 {
            conversions::<Avx512>();
        }
    }
}
