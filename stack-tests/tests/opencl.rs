//! An OpenCL program of ours (`programs/opencl.hip`), whose kernels AMD's OpenCL compiles at run time for the virtual GPU.
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::time::Duration;

use stack_tests::{Stack, check_case, hip_program, run, run_any, stack};

const LIMIT: Duration = Duration::from_secs(300);

fn command(case: &str) -> Command {
    let mut command = Command::new(hip_program("opencl", &["-lOpenCL"]));
    command.arg(case);
    command
}

macro_rules! cases {
    ($($test:ident: $case:literal;)*) => {
        $(
            #[test]
            fn $test() {
                if stack() == Stack::Native {
                    test_skip::skip!("the native stack's OpenCL is PoCL, which does not use the GPU");
                }
                check_case($case, &run(&mut command($case), LIMIT));
            }
        )*
    };
}

cases! {
    opencl_vector_add: "vector_add";
    opencl_local_memory: "local_memory";
    opencl_copies: "copies";
    opencl_svm: "svm";
    opencl_build_errors: "build_errors";
}

/// Image instructions are decoded and not executed yet: a kernel that has one ends with the GPU's own error, not with wrong data.
#[test]
fn opencl_images_are_refused() {
    const SIGABRT: i32 = 6;
    if stack() == Stack::Native {
        test_skip::skip!("the native stack's OpenCL is PoCL, which does not use the GPU");
    }
    let finished = run_any(&mut command("images"), LIMIT);
    assert_eq!(finished.status.signal(), Some(SIGABRT), "{finished:?}");
    assert!(finished.stderr.contains("HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION"), "{finished:?}");
}

#[test]
fn opencl_printf() {
    if stack() == Stack::Native {
        test_skip::skip!("the native stack's OpenCL is PoCL, which does not use the GPU");
    }
    let output = run(&mut command("print"), LIMIT);
    let mut lines: Vec<&str> = output.lines().filter(|line| line.starts_with("work-item")).collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        ["work-item 3 of 100: speaks 1.50", "work-item 43 of 100: speaks 21.50", "work-item 83 of 100: speaks 41.50"]
    );
}
