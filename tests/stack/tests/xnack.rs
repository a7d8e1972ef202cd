//! Memory that nobody told the GPU of, on GPUs whose processes may switch XNACK on: kernels use it then, and with XNACK
//! off it is a memory fault.
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use stack_tests::{Finished, TraceFile, assert_fault_reported, check_case, hip_program_for, on_vgpu, run, run_any};

const LIMIT: Duration = Duration::from_secs(300);

/// A virtual GPU and its instruction set.
#[derive(Clone, Copy)]
struct Model {
    gpu: &'static str,
    isa: &'static str,
}

const MI210: Model = Model { gpu: "--gpu=mi210", isa: "gfx90a" };
const MI300X: Model = Model { gpu: "--gpu=mi300x", isa: "gfx942" };

/// Makes a test of each for both models.
macro_rules! on_both {
    ($($test:ident)*) => {
        mod mi210 {
            $(
                #[test]
                fn $test() {
                    stack_tests::needs_vgpu!();
                    super::$test(super::MI210);
                }
            )*
        }
        mod mi300x {
            $(
                #[test]
                fn $test() {
                    stack_tests::needs_vgpu!();
                    if stack_tests::hip_version() < (5, 7) {
                        test_skip::skip!("ROCr 5.2 knows no gfx942");
                    }
                    super::$test(super::MI300X);
                }
            )*
        }
    };
}

on_both! {
    rocminfo_shows_the_mode
    kernels_use_what_the_program_may_use
    ranges_end_with_mappings_and_at_two_mebibytes
    what_the_program_may_not_use_is_a_memory_fault
    without_xnack_it_is_a_memory_fault
    code_of_the_other_mode_is_refused
}

impl Model {
    /// `case` of `pageable.hip` with `options` of `vgpu run`, compiled for this instruction set and `setting`, XNACK on
    /// or off.
    fn command(self, options: &[&str], setting: &str, on: bool, case: &str) -> Command {
        let program = hip_program_for("pageable", &[&format!("{}{setting}", self.isa)]);
        let mut command = on_vgpu(&[&[self.gpu], options].concat(), program);
        command.arg(case).env("HSA_XNACK", if on { "1" } else { "0" });
        command
    }

    fn run_any(self, setting: &str, on: bool, case: &str) -> Finished {
        run_any(&mut self.command(&[], setting, on, case), LIMIT)
    }
}

fn rocminfo_shows_the_mode(model: Model) {
    for (mode, setting) in [("1", "xnack+"), ("0", "xnack-")] {
        let output = run(on_vgpu(&[model.gpu], "rocminfo").env("HSA_XNACK", mode), LIMIT);
        let isa = format!("amdgcn-amd-amdhsa--{}:sramecc+:{setting}", model.isa);
        assert!(output.lines().any(|line| line.trim_end().ends_with(&isa)), "no {isa} in\n{output}");
    }
}

fn kernels_use_what_the_program_may_use(model: Model) {
    let cases = [
        ("large", 2_500_002),
        ("heap", 48_080),
        ("variables", 10_004),
        ("managed", 400_002),
        ("atomics", 1),
        ("remapped", 10_241),
        ("untold", 1),
    ];
    for setting in [":xnack+", ""] {
        for (case, values) in cases {
            check_case(case, values, &run(&mut model.command(&[], setting, true, case), LIMIT));
        }
    }
    for seed in ["1", "2"] {
        let options = ["--schedule", seed];
        check_case("atomics", 1, &run(&mut model.command(&options, ":xnack+", true, "atomics"), LIMIT));
    }
}

/// As the driver makes them: what is accessed first is mapped as far as its mapping goes within 2 MiB.
fn ranges_end_with_mappings_and_at_two_mebibytes(model: Model) {
    const SPAN: u64 = 2 << 20;
    let trace = TraceFile::new(&format!("ranges-{}", model.isa));
    check_case("large", 2_500_002, &run(&mut model.command(&trace.options(), ":xnack+", true, "large"), LIMIT));
    let text = trace.read();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let address = |line: &Value, field: &str| {
        let text = line[field].as_str().and_then(|text| text.strip_prefix("0x")).expect("an address");
        u64::from_str_radix(text, 16).expect("hexadecimal")
    };
    let served = lines.filter(|line| line["event"] == "retry_fault").map(|line| {
        let (start, bytes) = (address(&line, "start"), line["bytes"].as_u64().expect("a number"));
        assert!((start..start + bytes).contains(&address(&line, "address")), "{line}");
        (start, start + bytes)
    });
    let mut ranges: Vec<(u64, u64)> = served.collect();
    ranges.sort();
    // Several waves may have waited for one.
    ranges.dedup();
    assert!(ranges.iter().all(|(start, end)| start / SPAN == (end - 1) / SPAN), "{ranges:x?}");
    assert!(ranges.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{ranges:x?}");
    // 1,250,001 words are in three or four of them, and in their mapping nothing but malloc's header and the rest of
    // the last page.
    let bytes: u64 = ranges.iter().map(|(start, end)| end - start).sum();
    assert!((3..=4).contains(&ranges.len()) && (5_000_004..5_000_004 + 8192).contains(&bytes), "{ranges:x?}");
}

/// Checks that the program ended by a fault of this `access` at the address that it printed, and `vgpu` and the runtime
/// say so.
#[track_caller]
fn faults(finished: &Finished, access: &str) {
    assert_fault_reported(finished, "Memory access fault by GPU node-1", "hipErrorIllegalAddress");
    let address = finished.stdout.lines().last().expect("it prints an address");
    let number = u64::from_str_radix(address.trim_start_matches("0x"), 16).expect("hexadecimal");
    let fault = format!("vgpu: memory fault: {access} at {address}, ");
    assert!(finished.stderr.contains(&fault), "no `{fault}` in {finished:?}");
    let page = format!("on address {:#x}", number & !0xfff);
    assert!(!finished.stderr.contains("on address") || finished.stderr.contains(&page), "{finished:?}");
}

fn what_the_program_may_not_use_is_a_memory_fault(model: Model) {
    for (case, access) in [("unmapped", "read"), ("freed", "read"), ("read_only", "write")] {
        faults(&model.run_any(":xnack+", true, case), access);
    }
}

fn without_xnack_it_is_a_memory_fault(model: Model) {
    for setting in [":xnack-", ""] {
        faults(&model.run_any(setting, false, "untold"), "read");
    }
}

fn code_of_the_other_mode_is_refused(model: Model) {
    for (setting, on) in [(":xnack+", false), (":xnack-", true)] {
        let mut command = model.command(&[], setting, on, "large");
        let finished = run_any(command.env("AMD_LOG_LEVEL", "1"), LIMIT);
        // HIP 5.2 ends the program itself, and 7.2 crashes with any program that has no code for the GPU.
        assert!(!finished.status.success() && finished.stdout.is_empty(), "{finished:?}");
        let refusals =
            ["hipErrorInvalidDeviceFunction", "hipErrorNoBinaryForGpu", "No compatible code objects found for"];
        assert!(refusals.iter().any(|refusal| finished.stderr.contains(refusal)), "{finished:?}");
    }
}
