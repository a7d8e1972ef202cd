//! Data formats of buffer and image resources: conversion between bytes in memory and registers.

use crate::interp::atomic::{f16_to_f64, f64_to_f16};

/// How the bits of a component are numbers (`NUM_FORMAT`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    Unorm,
    Snorm,
    Uscaled,
    Sscaled,
    Uint,
    Sint,
    Float,
    /// sRGB: the colours are, w is Unorm.
    Srgb,
}

/// A data format (`DATA_FORMAT`) with its number format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    /// Bits of each component in memory, from the lowest.
    widths: &'static [u8],
    bytes: u8,
    pub number: Number,
}

impl Format {
    /// By the fields of a resource; `None` if reserved or not a plain format.
    pub fn new(data: u8, number: u8) -> Option<Format> {
        let widths: &[u8] = match data {
            1 => &[8],
            2 => &[16],
            3 => &[8, 8],
            4 => &[32],
            5 => &[16, 16],
            6 => &[11, 11, 10],
            7 => &[10, 11, 11],
            8 => &[2, 10, 10, 10],
            9 => &[10, 10, 10, 2],
            10 => &[8, 8, 8, 8],
            11 => &[32, 32],
            12 => &[16, 16, 16, 16],
            13 => &[32, 32, 32],
            14 => &[32, 32, 32, 32],
            16 => &[5, 6, 5],
            17 => &[5, 5, 5, 1],
            18 => &[1, 5, 5, 5],
            19 => &[4, 4, 4, 4],
            _ => return None,
        };
        let number = match number {
            0 => Number::Unorm,
            1 => Number::Snorm,
            2 => Number::Uscaled,
            3 => Number::Sscaled,
            4 => Number::Uint,
            5 => Number::Sint,
            7 => Number::Float,
            9 => Number::Srgb,
            _ => return None,
        };
        let bytes = widths.iter().sum::<u8>() / 8;
        Some(Format { widths, bytes, number })
    }

    /// By the fields of an image resource; `None` if the combination is not one of images.
    pub fn image(data: u8, number: u8) -> Option<Format> {
        let format = Format::new(data, number)?;
        let exists = |&width: &u8| match format.number {
            Number::Float => matches!(width, 10 | 11 | 16 | 32),
            Number::Srgb => width == 8,
            Number::Uint | Number::Sint => true,
            Number::Unorm | Number::Snorm | Number::Uscaled | Number::Sscaled => width < 32,
        };
        // Of 10 bits there are floating-point numbers only next to those of 11.
        let three = format.number != Number::Float || matches!(data, 6 | 7) || !format.widths.contains(&10);
        (three && format.widths.iter().all(exists)).then_some(format)
    }

    /// Width and number of the components, if they all have 8, 16 or 32 bits.
    #[inline]
    pub fn even(self) -> Option<(u32, usize)> {
        let width = self.widths[0];
        let is_even = matches!(width, 8 | 16 | 32) && self.widths.iter().all(|&other| other == width);
        is_even.then_some((width.into(), self.widths.len()))
    }

    /// Bytes of an element.
    pub fn bytes(self) -> usize {
        self.bytes.into()
    }

    /// The register holds an integer.
    pub fn is_integer(self) -> bool {
        matches!(self.number, Number::Uint | Number::Sint)
    }

    /// Decodes the components into register values; missing components are 0, 0, 0, 1.
    #[inline]
    pub fn decode(self, bytes: &[u8; 16]) -> [u32; 4] {
        let one = if self.is_integer() { 1 } else { 1f32.to_bits() };
        let mut values = [0, 0, 0, one];
        let dwords = bytes.as_chunks::<4>().0;
        if self.widths[0] == 32 {
            for (i, dword) in dwords.iter().enumerate().take(self.widths.len()) {
                values[i] = self.decode_component(u32::from_le_bytes(*dword), 32, i);
            }
            return values;
        }
        // Others have 64 bits at most.
        let mut rest = u64::from(u32::from_le_bytes(dwords[0])) | u64::from(u32::from_le_bytes(dwords[1])) << 32;
        for (i, &width) in self.widths.iter().enumerate() {
            let raw = rest as u32 & (u32::MAX >> (32 - width));
            values[i] = self.decode_component(raw, u32::from(width), i);
            rest >>= width;
        }
        values
    }

    #[inline]
    fn decode_component(self, raw: u32, width: u32, index: usize) -> u32 {
        let signed = (raw << (32 - width)) as i32 >> (32 - width);
        let ones = f64::from(u32::MAX >> (32 - width));
        match self.number {
            Number::Uint => raw,
            Number::Sint => signed as u32,
            Number::Uscaled => (raw as f32).to_bits(),
            Number::Sscaled => (signed as f32).to_bits(),
            // The same number as below, sooner.
            Number::Unorm if width <= 16 => (raw as f32 / ones as f32).to_bits(),
            Number::Unorm => ((f64::from(raw) / ones) as f32).to_bits(),
            Number::Srgb if index == 3 => ((f64::from(raw) / ones) as f32).to_bits(),
            Number::Srgb => (srgb_to_linear(f64::from(raw) / ones) as f32).to_bits(),
            Number::Snorm => {
                let most = f64::from(i32::MAX >> (32 - width));
                ((f64::from(signed) / most).max(-1.0) as f32).to_bits()
            }
            Number::Float => match width {
                32 => raw,
                16 => (f16_to_f64(raw as u16) as f32).to_bits(),
                // 10- and 11-bit floats: no sign, 5 exponent bits as f16 has them.
                11 => (f16_to_f64((raw << 4) as u16) as f32).to_bits(),
                10 => (f16_to_f64((raw << 5) as u16) as f32).to_bits(),
                _ => 0,
            },
        }
    }

    /// Destination selects for the components that there are; 0 for others.
    pub fn identity(self) -> [u8; 4] {
        std::array::from_fn(|i| if i < self.widths.len() { 4 + i as u8 } else { 0 })
    }

    /// Applies destination selects: 0, 1, and 4 to 7 for the components.
    #[inline]
    pub fn select(self, values: [u32; 4], select: [u8; 4]) -> [u32; 4] {
        select.map(|s| match s {
            1 if self.is_integer() => 1,
            1 => 1f32.to_bits(),
            4..=7 => values[usize::from(s - 4)],
            _ => 0,
        })
    }

    /// The reverse of [`Format::select`]: each component in memory is that of the first register which would be loaded
    /// from it.
    pub fn arrange(self, values: [u32; 4], select: [u8; 4]) -> [u32; 4] {
        std::array::from_fn(|i| {
            select.iter().position(|&s| usize::from(s) == i + 4).map_or(0, |register| values[register])
        })
    }

    /// Memory bytes of the components that registers hold; the first [`Format::bytes`] count.
    pub fn encode(self, values: [u32; 4]) -> [u8; 16] {
        let mut all = 0u128;
        let mut at = 0;
        for (i, &width) in self.widths.iter().enumerate() {
            let raw = self.encode_component(values[i], u32::from(width), i) & (u32::MAX >> (32 - width));
            all |= u128::from(raw) << at;
            at += width;
        }
        all.to_le_bytes()
    }

    fn encode_component(self, value: u32, width: u32, index: usize) -> u32 {
        let float = f64::from(f32::from_bits(value));
        let ones = u32::MAX >> (32 - width);
        let most = f64::from(i32::MAX >> (32 - width));
        // `as` saturates and turns NaN into 0.
        match self.number {
            Number::Uint => value.min(ones),
            Number::Sint => (value as i32).clamp(-(most as i32) - 1, most as i32) as u32,
            Number::Uscaled => (float as u32).min(ones),
            Number::Sscaled => (float as i32).clamp(-(most as i32) - 1, most as i32) as u32,
            Number::Unorm => (float.clamp(0.0, 1.0) * f64::from(ones)).round_ties_even() as u32,
            Number::Srgb if index == 3 => (float.clamp(0.0, 1.0) * f64::from(ones)).round_ties_even() as u32,
            Number::Srgb => (linear_to_srgb(float.clamp(0.0, 1.0)) * f64::from(ones)).round_ties_even() as u32,
            Number::Snorm => (float.clamp(-1.0, 1.0) * most).round_ties_even() as i32 as u32,
            Number::Float => match width {
                32 => value,
                16 => u32::from(f64_to_f16(float)),
                11 => u32::from(f64_to_f16(float.max(0.0)) >> 4),
                10 => u32::from(f64_to_f16(float.max(0.0)) >> 5),
                _ => 0,
            },
        }
    }

    /// The register value of a half in a D16 store.
    pub fn widen(self, half: u16) -> u32 {
        match self.number {
            Number::Uint => u32::from(half),
            Number::Sint => i32::from(half as i16) as u32,
            _ => (f16_to_f64(half) as f32).to_bits(),
        }
    }
}

/// A component as D16 registers hold it.
pub(crate) fn component_bits(format: Format, value: u32) -> u16 {
    if format.is_integer() { value as u16 } else { f64_to_f16(f64::from(f32::from_bits(value))) }
}

fn srgb_to_linear(value: f64) -> f64 {
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

fn linear_to_srgb(value: f64) -> f64 {
    if value <= 0.003_130_8 { value * 12.92 } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_survive_the_round_trip() {
        for number in [0, 4, 5, 2, 3] {
            let Some(format) = Format::new(10, number) else { panic!("8_8_8_8 has number format {number}") };
            let mut bytes = [0; 16];
            bytes[..4].copy_from_slice(&[0, 1, 127, 255]);
            assert_eq!(format.encode(format.decode(&bytes)), bytes, "{number}");
        }
    }

    #[test]
    fn short_quotients_are_those_of_f64() {
        for width in 1..=16 {
            let ones = u32::MAX >> (32 - width);
            assert!(
                (0..=ones).all(|raw| raw as f32 / ones as f32 == (f64::from(raw) / f64::from(ones)) as f32),
                "{width}"
            );
        }
    }

    #[test]
    fn scaled_numbers_saturate() {
        let Some(format) = Format::new(10, 3) else { panic!("8_8_8_8 has signed scaled numbers") };
        let values = [-200.0f32, -128.0, 127.9, 1000.0].map(f32::to_bits);
        assert_eq!(format.encode(values)[..4], [0x80, 0x80, 0x7f, 0x7f]);
    }

    #[test]
    fn missing_components() {
        let Some(format) = Format::new(4, 7) else { panic!("32 float exists") };
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(&2.5f32.to_le_bytes());
        assert_eq!(format.decode(&bytes), [2.5f32.to_bits(), 0, 0, 1f32.to_bits()]);
    }
}
