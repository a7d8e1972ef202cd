//! Conversions to and from FP8 and BF8, by the definition of the formats: the nearest of all 256 bytes.

use crate::machine::{Lanes, Machine, lines};
use crate::support::Random;
use crate::{NO_LLVM, machine};

/// A format of eight bits with one zero and one NaN.
#[derive(Clone, Copy)]
pub struct Format {
    pub name: &'static str,
    fraction: i32,
    bias: i32,
}

pub const FORMATS: [Format; 2] =
    [Format { name: "fp8", fraction: 3, bias: 8 }, Format { name: "bf8", fraction: 2, bias: 16 }];

impl Format {
    /// `None`: not a number.
    pub fn value(self, byte: u8) -> Option<f64> {
        let exponent = i32::from(byte & 0x7f) >> self.fraction;
        let fraction = f64::from(i32::from(byte) & ((1 << self.fraction) - 1)) / f64::from(1 << self.fraction);
        let leading = if exponent == 0 { 0.0 } else { 1.0 };
        let magnitude = (leading + fraction) * 2f64.powi(exponent.max(1) - self.bias);
        (byte != 0x80).then_some(if byte & 0x80 != 0 { -magnitude } else { magnitude })
    }

    /// The byte of a value that has one.
    pub fn byte(self, value: f64) -> u8 {
        (0..=255).find(|&byte| self.value(byte) == Some(value)).expect("a value of the format")
    }

    /// The nearest byte, an even one of two that are.
    fn nearest(self, value: f32, saturate: bool) -> u8 {
        let value = f64::from(value);
        let largest = self.value(0x7f).expect("a number");
        // What would be next decides where rounding goes too far.
        let step = largest - self.value(0x7e).expect("a number");
        if !value.is_finite() {
            return 0x80;
        }
        if value.abs() >= largest + step / 2.0 {
            let sign = if value < 0.0 { 0x80 } else { 0 };
            return if saturate { sign | 0x7f } else { 0x80 };
        }
        let distance = |byte: u8| (self.value(byte).expect("a number") - value).abs();
        let bytes = (0..=255u8).filter(|&byte| byte != 0x80);
        bytes.min_by(|&a, &b| distance(a).total_cmp(&distance(b)).then((a & 1).cmp(&(b & 1)))).expect("some")
    }
}

/// Lane l has the bytes from 4 l on.
fn every_byte() -> Lanes {
    std::array::from_fn(|lane| u32::from_le_bytes([0, 1, 2, 3].map(|byte| (4 * lane + byte) as u8)))
}

fn check_number(ours: u32, expected: Option<f64>, what: &str) {
    match expected {
        None => assert!(f32::from_bits(ours).is_nan(), "{what}: {ours:#x}"),
        Some(value) => assert_eq!(f64::from(f32::from_bits(ours)), value, "{what}"),
    }
}

#[test]
fn every_byte_is_converted_from_every_place() {
    let Some(mut machine) = machine() else { test_skip::skip!("{NO_LLVM}") };
    let input = [every_byte(), [0; 64], [0; 64], [0; 64]];
    for format in FORMATS {
        let name = format.name;
        let code = format!(
            "v_cvt_f32_{name} v20, v10
            v_cvt_f32_{name}_sdwa v21, v10 src0_sel:BYTE_1
            v_cvt_f32_{name}_sdwa v22, v10 src0_sel:BYTE_2
            v_cvt_f32_{name}_sdwa v23, v10 src0_sel:BYTE_3"
        );
        let singles = machine.run(&lines(&code), input);
        let code = format!(
            "v_cvt_pk_f32_{name} v[20:21], v10
            v_cvt_pk_f32_{name}_sdwa v[22:23], v10 src0_sel:WORD_1"
        );
        let pairs = machine.run(&lines(&code), input);
        for lane in 0..64 {
            for place in 0..4 {
                let byte = (4 * lane + place) as u8;
                check_number(singles[place][lane], format.value(byte), &format!("{name} {byte:#x}"));
                check_number(pairs[place][lane], format.value(byte), &format!("{name} {byte:#x}, packed"));
            }
        }
    }
}

#[test]
fn conversions_have_constants_lanes_and_output_modifiers() {
    let Some(mut machine) = machine() else { test_skip::skip!("{NO_LLVM}") };
    let input = [std::array::from_fn(|lane| lane as u32), [0; 64], [0; 64], [0; 64]];
    let code = "v_cvt_f32_fp8_e64 v20, 0x40
        v_cvt_f32_fp8_dpp v21, v10 row_shl:1 row_mask:0xf bank_mask:0xf bound_ctrl:0
        v_cvt_f32_bf8_e64 v22, v10 clamp
        v_cvt_pk_f32_bf8_dpp v[24:25], v10 row_newbcast:3 row_mask:0xf bank_mask:0xf
        v_mov_b32 v23, v24";
    // An inline constant, as a literal is not possible there.
    let output = machine.run(&lines(&code.replace("0x40", "64")), input);
    for lane in 0..64 {
        let value = |byte: usize| FORMATS[0].value(byte as u8).expect("a number") as f32;
        assert_eq!(f32::from_bits(output[0][lane]), 1.0);
        let next = if lane % 16 == 15 { 0.0 } else { value(lane + 1) };
        assert_eq!(f32::from_bits(output[1][lane]), next, "lane {lane}");
        let bf8 = |byte: usize| FORMATS[1].value(byte as u8).expect("a number") as f32;
        assert_eq!(f32::from_bits(output[2][lane]), bf8(lane).min(1.0), "lane {lane}");
        assert_eq!(f32::from_bits(output[3][lane]), bf8(lane / 16 * 16 + 3), "lane {lane}");
    }
}

/// Numbers around all that the formats have, and some that are none.
fn numbers(random: &mut Random) -> Lanes {
    std::array::from_fn(|lane| match lane % 8 {
        0 => [0.0f32, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 248.0, -61440.0, 1e-30][lane / 8].to_bits(),
        // A byte's value or the middle between two.
        1..=3 => {
            let format = FORMATS[random.below(2)];
            let at = random.below(126) as u8;
            let (a, b) = (format.value(at).expect("a number"), format.value(at + 1).expect("a number"));
            ([a, b, (a + b) / 2.0][random.below(3)] as f32).to_bits()
        }
        _ => ((random.word() as i32 as f32) * 2f32.powi(random.below(40) as i32 - 46)).to_bits(),
    })
}

fn narrow(machine: &mut Machine, format: Format, saturate: bool, random: &mut Random) {
    let (name, mode) = (format.name, u32::from(saturate));
    let code = format!(
        "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), {mode}
        v_mov_b32 v20, 0x11223344
        v_mov_b32 v21, 0x55667788
        v_cvt_pk_{name}_f32 v20, v10, v11
        v_cvt_pk_{name}_f32 v21, -v10, |v11| op_sel:[0,0,1]
        s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 0"
    );
    let input = [numbers(random), numbers(random), [0; 64], [0; 64]];
    let output = machine.run(&lines(&code), input);
    for lane in 0..64 {
        let [a, b] = [0, 1].map(|i| f32::from_bits(input[i][lane]));
        let pair = |a, b| u32::from(format.nearest(a, saturate)) | u32::from(format.nearest(b, saturate)) << 8;
        assert_eq!(output[0][lane], 0x1122_0000 | pair(a, b), "{name} of {a:e} and {b:e}");
        assert_eq!(output[1][lane], pair(-a, b.abs()) << 16 | 0x7788, "{name} of {a:e} and {b:e}");
    }
}

#[test]
fn numbers_are_rounded_to_the_nearest_byte_in_half_a_register() {
    let Some(mut machine) = machine() else { test_skip::skip!("{NO_LLVM}") };
    let mut random = Random(8);
    for format in FORMATS {
        for saturate in [false, true] {
            (0..12).for_each(|_| narrow(&mut machine, format, saturate, &mut random));
        }
    }
}

/// A number between two bytes becomes either, as the random number is below or above how far it is.
#[test]
fn numbers_are_rounded_by_chance_into_any_byte() {
    let Some(mut machine) = machine() else { test_skip::skip!("{NO_LLVM}") };
    let mut random = Random(88);
    for format in FORMATS {
        let name = format.name;
        let code = format!(
            "v_mov_b32 v20, 0x11223344
            v_cvt_sr_{name}_f32 v20, v10, v11
            v_mov_b32 v21, 0x11223344
            v_cvt_sr_{name}_f32 v21, -v10, v11 op_sel:[0,0,1,0]
            v_mov_b32 v22, 0x11223344
            v_cvt_sr_{name}_f32 v22, v10, v12 op_sel:[0,0,0,1]
            v_mov_b32 v23, 0x11223344
            v_cvt_sr_{name}_f32 v23, v10, v13 op_sel:[0,0,1,1]"
        );
        for _ in 0..16 {
            let low: [u8; 64] = std::array::from_fn(|_| random.below(126) as u8 + 1);
            let eighths: [u32; 64] = std::array::from_fn(|_| random.below(7) as u32 + 1);
            let value = |lane: usize| {
                let [a, b] = [0, 1].map(|up| format.value(low[lane] + up).expect("a number"));
                (a + (b - a) * f64::from(eighths[lane]) / 8.0) as f32
            };
            // The first random number that rounds up, and the one below it; any.
            let up = |lane: usize| (8 - eighths[lane]) << 29;
            let any: Lanes = std::array::from_fn(|_| random.word());
            let input = [
                std::array::from_fn(|lane| value(lane).to_bits()),
                std::array::from_fn(up),
                std::array::from_fn(|lane| up(lane) - 1),
                any,
            ];
            let output = machine.run(&lines(&code), input);
            for lane in 0..64 {
                let (low, high) = (u32::from(low[lane]), u32::from(low[lane]) + 1);
                let by_any = if any[lane] >= up(lane) { high } else { low };
                assert_eq!(output[0][lane], 0x1122_3300 | high, "{name}, lane {lane}");
                assert_eq!(output[1][lane], 0x1122_0044 | (0x80 | high) << 8, "{name}, lane {lane}");
                assert_eq!(output[2][lane], 0x1100_3344 | low << 16, "{name}, lane {lane}");
                assert_eq!(output[3][lane], 0x0022_3344 | by_any << 24, "{name}, lane {lane}");
            }
        }
    }
}
