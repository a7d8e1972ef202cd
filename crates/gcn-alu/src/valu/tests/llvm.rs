//! Operations against LLVM's constant folding: `opt` evaluates the intrinsics with code that AMD wrote to match the
//! hardware.

use crate::valu::tests::*;
use std::io::Write;
use std::process::{Command, Stdio};

/// A value in LLVM's types.
#[derive(Clone, Copy, PartialEq)]
enum Type {
    F16,
    F32,
    F64,
    I16,
    I32,
    /// A bit of a lane mask.
    Bit,
    /// Two halves.
    F16x2,
}
use Type::*;

impl Type {
    fn name(self) -> &'static str {
        match self {
            F16 => "half",
            F32 => "float",
            F64 => "double",
            I16 => "i16",
            I32 => "i32",
            Bit => "i1",
            F16x2 => "<2 x half>",
        }
    }

    /// The integer of as many bits.
    fn integer(self) -> &'static str {
        match self {
            F16 | I16 => "i16",
            F32 | I32 | F16x2 => "i32",
            F64 => "i64",
            Bit => "i1",
        }
    }

    fn bits(self) -> u32 {
        match self {
            Bit => 1,
            F16 | I16 => 16,
            F32 | I32 | F16x2 => 32,
            F64 => 64,
        }
    }

    fn is_nan(self, bits: u64) -> bool {
        match self {
            F16 => bits & 0x7fff > 0x7c00,
            F32 => bits & 0x7fff_ffff > 0x7f80_0000,
            F64 => bits & (u64::MAX >> 1) > 0x7ff << 52,
            _ => false,
        }
    }

    fn float(self, bits: u64) -> f64 {
        match self {
            F16 => f64::from(crate::fp::f16_to_f32(bits as u16)),
            F32 => f64::from(f32::from_bits(bits as u32)),
            _ => f64::from_bits(bits),
        }
    }

    /// Random bits, magnitudes around one, and special values.
    fn sample(self, random: &mut Random) -> u64 {
        let (bits, choice) = (random.next(), random.next() % 4);
        let floats = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.0, 1e-40, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 65504.0];
        let special = floats[(random.next() % 12) as usize];
        let near = (bits as i32 as f64 / 2f64.powi(31)) * [1.0, 8.0, 300.0, 1e-3][(bits >> 40) as usize % 4];
        let float = if choice == 0 { special } else { near };
        match self {
            F64 if choice > 1 => bits,
            F64 => float.to_bits(),
            F32 if choice > 1 => bits & 0xffff_ffff,
            F32 => u64::from((float as f32).to_bits()),
            F16 if choice > 1 => bits & 0xffff,
            F16 => u64::from(crate::fp::f32_to_f16(float as f32)),
            I32 if choice > 1 => bits >> 32,
            I32 => bits % 40,
            I16 => (bits as i8 as i16 >> (choice * 2)) as u16 as u64,
            Bit | F16x2 => 0,
        }
    }
}

/// The operation, the intrinsic with its overloads, its result and arguments.
#[rustfmt::skip]
const FOLDED: &[(Op, &str, Type, &[Type])] = &[
    (Op::VCubeidF32, "amdgcn.cubeid", F32, &[F32, F32, F32]),
    (Op::VCubemaF32, "amdgcn.cubema", F32, &[F32, F32, F32]),
    (Op::VCubescF32, "amdgcn.cubesc", F32, &[F32, F32, F32]),
    (Op::VCubetcF32, "amdgcn.cubetc", F32, &[F32, F32, F32]),
    (Op::VSinF32, "amdgcn.sin.f32", F32, &[F32]),
    (Op::VCosF32, "amdgcn.cos.f32", F32, &[F32]),
    (Op::VSinF16, "amdgcn.sin.f16", F16, &[F16]),
    (Op::VCosF16, "amdgcn.cos.f16", F16, &[F16]),
    (Op::VFractF32, "amdgcn.fract.f32", F32, &[F32]),
    (Op::VFractF16, "amdgcn.fract.f16", F16, &[F16]),
    (Op::VFractF64, "amdgcn.fract.f64", F64, &[F64]),
    (Op::VMulLegacyF32, "amdgcn.fmul.legacy", F32, &[F32, F32]),
    (Op::VMed3F32, "amdgcn.fmed3.f32", F32, &[F32, F32, F32]),
    (Op::VMed3F16, "amdgcn.fmed3.f16", F16, &[F16, F16, F16]),
    (Op::VRcpF32, "amdgcn.rcp.f32", F32, &[F32]),
    (Op::VRcpF16, "amdgcn.rcp.f16", F16, &[F16]),
    (Op::VRcpF64, "amdgcn.rcp.f64", F64, &[F64]),
    (Op::VFrexpMantF32, "amdgcn.frexp.mant.f32", F32, &[F32]),
    (Op::VFrexpMantF16, "amdgcn.frexp.mant.f16", F16, &[F16]),
    (Op::VFrexpMantF64, "amdgcn.frexp.mant.f64", F64, &[F64]),
    (Op::VFrexpExpI32F32, "amdgcn.frexp.exp.i32.f32", I32, &[F32]),
    (Op::VFrexpExpI32F64, "amdgcn.frexp.exp.i32.f64", I32, &[F64]),
    (Op::VFrexpExpI16F16, "amdgcn.frexp.exp.i16.f16", I16, &[F16]),
    (Op::VLdexpF32, "ldexp.f32.i32", F32, &[F32, I32]),
    (Op::VLdexpF64, "ldexp.f64.i32", F64, &[F64, I32]),
    (Op::VLdexpF16, "ldexp.f16.i16", F16, &[F16, I16]),
    (Op::VCmpClassF32, "amdgcn.class.f32", Bit, &[F32, I32]),
    (Op::VCmpClassF64, "amdgcn.class.f64", Bit, &[F64, I32]),
    (Op::VCmpClassF16, "amdgcn.class.f16", Bit, &[F16, I32]),
    (Op::VCvtPkrtzF16F32, "amdgcn.cvt.pkrtz", F16x2, &[F32, F32]),
    (Op::VBfeU32, "amdgcn.ubfe.i32", I32, &[I32, I32, I32]),
    (Op::VBfeI32, "amdgcn.sbfe.i32", I32, &[I32, I32, I32]),
    (Op::VPermB32, "amdgcn.perm", I32, &[I32, I32, I32]),
    (Op::VTrigPreopF64, "amdgcn.trig.preop.f64", F64, &[F64, I32]),
    (Op::VFmaF16, "fma.f16", F16, &[F16, F16, F16]),
];

/// What LLVM folds each function of `module` to, by its number.
fn fold(module: &str) -> Vec<Option<u64>> {
    let mut child =
        opt().args(["-passes=instcombine", "-S"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("opt");
    let mut input = child.stdin.take().expect("piped");
    let text = module.to_owned();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("opt");
    writer.join().expect("no panic").expect("opt reads its input");
    assert!(output.status.success());
    let mut results = Vec::new();
    for line in String::from_utf8(output.stdout).expect("UTF-8").lines() {
        if line.starts_with("define") {
            results.push(None);
        } else if let Some(value) = line.trim().strip_prefix("ret i") {
            let value = value.split_once(' ').expect("a value").1;
            let value = match value {
                "true" => Some(1),
                "false" => Some(0),
                number => number.parse::<i64>().ok().map(|n| n as u64),
            };
            *results.last_mut().expect("inside a function") = value;
        }
    }
    results
}

fn opt() -> Command {
    let versioned = "/usr/lib/llvm-19/bin/opt";
    Command::new(if std::path::Path::new(versioned).exists() { versioned } else { "opt" })
}

/// A function that applies the intrinsic to constants.
fn function(number: usize, intrinsic: &str, result: Type, arguments: &[(Type, u64)]) -> String {
    let argument = |&(ty, bits): &(Type, u64)| {
        let (name, integer) = (ty.name(), ty.integer());
        if name == integer { format!("{name} {bits}") } else { format!("{name} bitcast ({integer} {bits} to {name})") }
    };
    let arguments: Vec<String> = arguments.iter().map(argument).collect();
    let (name, integer) = (result.name(), result.integer());
    let cast = if name == integer { "%r" } else { "%b" };
    let conversion = if name == integer { String::new() } else { format!("%b = bitcast {name} %r to {integer}\n") };
    format!(
        "define {integer} @f{number}() {{\n%r = call {name} @llvm.{intrinsic}({})\n{conversion}ret {integer} {cast}\n}}\n",
        arguments.join(", ")
    )
}

fn declaration(intrinsic: &str, result: Type, arguments: &[Type]) -> String {
    let arguments: Vec<&str> = arguments.iter().map(|ty| ty.name()).collect();
    format!("declare {} @llvm.{intrinsic}({})\n", result.name(), arguments.join(", "))
}

/// Where the two are allowed, or known, to differ.
fn comparable(op: Op, arguments: &[(Type, u64)], result: Type, expected: u64) -> bool {
    let denormal = |ty: Type, bits: u64| ty == F32 && bits & 0x7f80_0000 == 0 && bits & 0x7f_ffff != 0;
    match op {
        // LLVM 19 takes the maximum of the others if the third is NaN, where the manual has the minimum of all three.
        Op::VMed3F32 | Op::VMed3F16 => !arguments.iter().any(|&(ty, bits)| ty.is_nan(bits)),
        // LLVM's comment says that it is more precise here than the instruction, which flushes.
        Op::VRcpF32 => !denormal(arguments[0].0, arguments[0].1) && !denormal(result, expected),
        // LLVM gives 0 where a segment reaches past the end of its table, where the manual shifts in zeros.
        Op::VTrigPreopF64 => {
            let exponent = arguments[0].1 >> 52 & 0x7ff;
            (arguments[1].1 & 31) * 53 + exponent.saturating_sub(1077) < 1100
        }
        _ => true,
    }
}

fn same(op: Op, ty: Type, got: u64, expected: u64) -> bool {
    let bound = match op {
        Op::VSinF32 | Op::VCosF32 => 2f64.powi(-23),
        Op::VSinF16 | Op::VCosF16 => 2f64.powi(-11),
        _ => 0.0,
    };
    let halves = |bits: u64| [bits & 0xffff, bits >> 16];
    got == expected
        || ty.is_nan(got) && ty.is_nan(expected)
        || bound > 0.0 && (ty.float(got) - ty.float(expected)).abs() <= bound
        || ty == F16x2
            && halves(got).iter().zip(halves(expected)).all(|(&g, e)| g == e || F16.is_nan(g) && F16.is_nan(e))
}

#[test]
fn results_are_those_that_llvm_folds() {
    if opt().arg("--version").stdout(Stdio::null()).status().is_err() {
        test_skip::skip!("opt (Debian package llvm-19) is not installed");
    }
    const ROUNDS: usize = 6;
    let mut random = Random(50);
    let mut module = String::from("target triple = \"amdgcn-amd-amdhsa\"\n");
    let mut cases: Vec<Vec<(Type, u64)>> = Vec::new();
    for (_, intrinsic, result, types) in FOLDED {
        module += &declaration(intrinsic, *result, types);
        for _ in 0..64 * ROUNDS {
            let arguments: Vec<(Type, u64)> = types.iter().map(|ty| (*ty, ty.sample(&mut random))).collect();
            module += &function(cases.len(), intrinsic, *result, &arguments);
            cases.push(arguments);
        }
    }
    let folded = fold(&module);
    assert_eq!(folded.len(), cases.len());
    let mut compared_of_all = 0;
    for (n, (op, intrinsic, result, _)) in FOLDED.iter().enumerate() {
        let mut compared = 0;
        for round in 0..ROUNDS {
            let first = (n * ROUNDS + round) * 64;
            let mut w = wave(1);
            w.mode = USUAL;
            for lane in 0..64 {
                for (k, &(_, bits)) in cases[first + lane].iter().enumerate() {
                    (w.vgpr[1 + 2 * k].0[lane], w.vgpr[2 + 2 * k].0[lane]) = (bits as u32, (bits >> 32) as u32);
                }
            }
            run(&mut w, &inst(*op, Mods::None));
            for lane in 0..64 {
                let got = match result {
                    Bit => w.vcc() >> lane & 1,
                    _ => {
                        (u64::from(w.vgpr[10].0[lane]) | u64::from(w.vgpr[11].0[lane]) << 32)
                            & u64::MAX >> (64 - result.bits())
                    }
                };
                let arguments = &cases[first + lane];
                let Some(expected) = folded[first + lane] else { continue };
                let expected = expected & u64::MAX >> (64 - result.bits());
                if !comparable(*op, arguments, *result, expected) {
                    continue;
                }
                compared += 1;
                let values: Vec<String> = arguments.iter().map(|(_, bits)| format!("{bits:#x}")).collect();
                assert!(
                    same(*op, *result, got, expected),
                    "{intrinsic}({}): ours {got:#x}, LLVM's {expected:#x}",
                    values.join(", ")
                );
            }
        }
        println!("{intrinsic}: {compared} of {} compared", 64 * ROUNDS);
        assert!(compared > 64, "{intrinsic} is hardly folded");
        compared_of_all += compared;
    }
    println!("{compared_of_all} of {} compared", cases.len());
}
