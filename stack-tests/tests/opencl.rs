//! OpenCL programs of ours (`programs/{opencl,images,sampling}.hip`), whose kernels AMD's OpenCL compiles at run time for the virtual GPU.
use std::process::Command;
use std::time::Duration;

use stack_tests::{Stack, check_case, hip_program, run, stack};

const LIMIT: Duration = Duration::from_secs(300);

fn command(program: &str, case: &str) -> Command {
    let mut command = Command::new(hip_program(program));
    command.arg(case);
    command
}

macro_rules! cases {
    ($($test:ident: $program:literal $case:literal;)*) => {
        $(
            #[test]
            fn $test() {
                if stack() == Stack::Native {
                    test_skip::skip!("the native stack's OpenCL is PoCL, which does not use the GPU");
                }
                check_case($case, &run(&mut command($program, $case), LIMIT));
            }
        )*
    };
}

cases! {
    opencl_vector_add: "opencl" "vector_add";
    opencl_local_memory: "opencl" "local_memory";
    opencl_copies: "opencl" "copies";
    opencl_svm: "opencl" "svm";
    opencl_build_errors: "opencl" "build_errors";
    opencl_image_transfers: "images" "transfers";
    opencl_image_copies: "images" "copies";
    opencl_image_fills: "images" "fills";
    opencl_image_maps: "images" "maps";
    opencl_image_kernels: "images" "kernels";
    opencl_image_formats: "images" "formats";
    opencl_depth_images: "images" "depth";
    opencl_images_of_buffers: "images" "of_buffers";
    opencl_image_queries: "images" "queries";
    opencl_read_write_images: "images" "read_write";
    opencl_nearest_filter: "sampling" "nearest";
    opencl_linear_filter: "sampling" "linear";
    opencl_filter_precision: "sampling" "precision";
    opencl_integer_samplers: "sampling" "integers";
}

#[test]
fn opencl_printf() {
    if stack() == Stack::Native {
        test_skip::skip!("the native stack's OpenCL is PoCL, which does not use the GPU");
    }
    let output = run(&mut command("opencl", "print"), LIMIT);
    let mut lines: Vec<&str> = output.lines().filter(|line| line.starts_with("work-item")).collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        ["work-item 3 of 100: speaks 1.50", "work-item 43 of 100: speaks 21.50", "work-item 83 of 100: speaks 41.50"]
    );
}
