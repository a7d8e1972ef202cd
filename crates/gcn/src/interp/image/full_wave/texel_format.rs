//! Converts the texels of all lanes to register components and back.

use crate::interp::data_format::Number;
use crate::interp::image::descriptor::Image;
use crate::interp::image::full_wave::coordinates::nearest;
use crate::interp::image::sampler::Sampler;
use gcn_alu::fp::{f16_to_f32, f32_to_f16};
use gcn_alu::wave::{LANES, Lanes};

/// A not-a-number as conversions between formats make it, without its sign, and what is behind the infinity of a half.
const NAN: u32 = 0x7fc0_0000;
const HALF_NAN: u32 = 0x7e00;
const HALF_INFINITY: u32 = 0x7c00;

/// Components of the same width, one after the other.
pub(super) struct Colours {
    number: Number,
    width: u32,
    count: usize,
    select: [u8; 4],
    /// 1, as registers hold it.
    one: u32,
}

/// The border's value of each component in memory.
pub(super) struct Border([u32; 4]);

impl Border {
    #[inline(always)]
    pub fn of(image: &Image, sampler: &Sampler) -> Border {
        let one = if image.format.is_integer() { 1 } else { 1f32.to_bits() };
        Border(image.border.map(|component| if sampler.border[component] { one } else { 0 }))
    }
}

impl Colours {
    /// `None` if the format is not one of these.
    #[inline(always)]
    pub fn of(image: &Image) -> Option<Colours> {
        let number = image.format.number;
        let (width, count) = image.format.even()?;
        let is_here = match number {
            Number::Uint | Number::Sint => true,
            Number::Unorm | Number::Snorm => width < 32,
            Number::Float => width > 8,
            Number::Uscaled | Number::Sscaled | Number::Srgb => false,
        };
        let one = if image.format.is_integer() { 1 } else { 1f32.to_bits() };
        is_here.then_some(Colours { number, width, count, select: image.select, one })
    }

    /// Component `register` of what registers get. Outside of the image it is the border; without one 0, of what comes
    /// from memory.
    #[inline(always)]
    pub fn component(&self, raw: &[Lanes; 4], register: usize, inside: &Lanes, border: Option<&Border>) -> Lanes {
        let component = match self.select[register & 3] {
            1 => return Lanes([self.one; LANES]),
            select @ 4..=7 => usize::from(select - 4),
            _ => return Lanes::ZERO,
        };
        let mut values = if component < self.count {
            self.decode(raw, component)
        } else {
            Lanes([if component == 3 { self.one } else { 0 }; LANES])
        };
        let outside = border.map_or(0, |border| border.0[component]);
        for lane in 0..LANES {
            values.0[lane] = if inside.0[lane] != 0 { values.0[lane] } else { outside };
        }
        values
    }

    /// A component that there is.
    #[inline(always)]
    fn decode(&self, raw: &[Lanes; 4], component: usize) -> Lanes {
        let bit = component as u32 * self.width;
        let (dword, shift, unused) = (&raw[bit as usize / 32 % 4].0, bit % 32, 32 - self.width);
        let unsigned = |lane: usize| dword[lane] >> shift & u32::MAX >> unused;
        let signed = |lane: usize| (dword[lane] << (unused - shift)) as i32 >> unused;
        let most = (i32::MAX as u32 >> unused) as f32;
        let mut values = Lanes::ZERO;
        match self.number {
            Number::Sint => {
                for lane in 0..LANES {
                    values.0[lane] = signed(lane) as u32;
                }
            }
            Number::Unorm => {
                for lane in 0..LANES {
                    values.0[lane] = quotient(unsigned(lane) as i32, (u32::MAX >> unused) as f32).to_bits();
                }
            }
            Number::Snorm => {
                for lane in 0..LANES {
                    values.0[lane] = quotient(signed(lane), most).max(-1.0).to_bits();
                }
            }
            Number::Float if self.width == 16 => {
                for lane in 0..LANES {
                    let half = unsigned(lane);
                    let value = f16_to_f32(half as u16).to_bits();
                    let is_nan = half & 0x7fff > HALF_INFINITY;
                    values.0[lane] = if is_nan { NAN | (half & 0x8000) << 16 } else { value };
                }
            }
            _ => {
                for lane in 0..LANES {
                    values.0[lane] = unsigned(lane);
                }
            }
        }
        values
    }

    /// Texels from register components; missing components are 0.
    #[inline(always)]
    pub fn raw(&self, registers: &[Option<Lanes>; 4]) -> [Lanes; 4] {
        let mut raw = [Lanes::ZERO; 4];
        for component in 0..self.count {
            let register = self.select.iter().position(|&select| usize::from(select) == component + 4);
            let Some(values) = register.and_then(|register| registers[register & 3].as_ref()) else { continue };
            let encoded = self.encode(values);
            let bit = component as u32 * self.width;
            let dword = &mut raw[bit as usize / 32 % 4].0;
            for (dword, encoded) in dword.iter_mut().zip(&encoded.0) {
                *dword |= encoded << (bit % 32);
            }
        }
        raw
    }

    /// A component in its width.
    #[inline(always)]
    fn encode(&self, values: &Lanes) -> Lanes {
        let ones = u32::MAX >> (32 - self.width);
        let most = (ones >> 1) as i32;
        // No number becomes 0.
        let float = |lane: usize| {
            let value = f32::from_bits(values.0[lane]);
            f64::from(if value.is_nan() { 0.0 } else { value })
        };
        let mut encoded = Lanes::ZERO;
        match self.number {
            Number::Uint => {
                for lane in 0..LANES {
                    encoded.0[lane] = values.0[lane].min(ones);
                }
            }
            Number::Sint => {
                for lane in 0..LANES {
                    encoded.0[lane] = (values.0[lane] as i32).max(-most - 1).min(most) as u32 & ones;
                }
            }
            Number::Unorm => {
                for lane in 0..LANES {
                    encoded.0[lane] = nearest(float(lane).clamp(0.0, 1.0) * f64::from(ones)) as u32;
                }
            }
            Number::Snorm => {
                for lane in 0..LANES {
                    encoded.0[lane] = nearest(float(lane).clamp(-1.0, 1.0) * f64::from(most)) as u32 & ones;
                }
            }
            Number::Float if self.width == 16 => {
                for lane in 0..LANES {
                    let value = f32::from_bits(values.0[lane]);
                    let half = u32::from(f32_to_f16(value));
                    let is_nan = half & 0x7fff > HALF_INFINITY;
                    encoded.0[lane] = if is_nan { HALF_NAN | half & 0x8000 } else { half };
                }
            }
            _ => encoded = *values,
        }
        encoded
    }
}

/// `number / divisor`, rounded once, for numbers of 16 bits and the largest of 8 or 16: the product with the inverse,
/// and what is missing of it.
#[inline(always)]
fn quotient(number: i32, divisor: f32) -> f32 {
    let (number, inverse) = (number as f32, 1.0 / divisor);
    let near = number * inverse;
    (-near).mul_add(divisor, number).mul_add(inverse, near)
}
