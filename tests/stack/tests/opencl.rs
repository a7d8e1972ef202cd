//! OpenCL programs of ours (`programs/{opencl,images,sampling}.hip`), whose kernels AMD's OpenCL compiles at run time
//! for the virtual GPU.
use std::process::Command;
use std::time::Duration;

use stack_tests::{check_case, hip_program, run};

const LIMIT: Duration = Duration::from_secs(300);

fn command(program: &str, case: &str) -> Command {
    let mut command = Command::new(hip_program(program));
    command.arg(case);
    command
}

macro_rules! cases {
    ($($test:ident: $program:literal $case:literal $values:expr;)*) => {
        $(
            #[test]
            fn $test() {
                stack_tests::needs_amd_opencl!();
                if ["images", "sampling"].contains(&$program) {
                    stack_tests::needs_images!();
                }
                check_case($case, $values, &run(&mut command($program, $case), LIMIT));
            }
        )*
    };
}

cases! {
    opencl_vector_add: "opencl" "vector_add" 65_538;
    opencl_local_memory: "opencl" "local_memory" 64;
    opencl_copies: "opencl" "copies" 210_600;
    opencl_svm: "opencl" "svm" 40_001;
    opencl_build_errors: "opencl" "build_errors" 2;
    opencl_image_transfers: "images" "transfers" 14_191_676;
    opencl_image_copies: "images" "copies" 14_135_225;
    opencl_image_fills: "images" "fills" 6_586_911;
    opencl_image_maps: "images" "maps" 7_548_314;
    opencl_image_kernels: "images" "kernels" 10_836_531;
    opencl_image_formats: "images" "formats" 503_579;
    opencl_depth_images: "images" "depth" 200;
    opencl_images_of_buffers: "images" "of_buffers" 122_720;
    opencl_image_queries: "images" "queries" 13;
    opencl_read_write_images: "images" "read_write" 27_600;
    opencl_nearest_filter: "sampling" "nearest" 860_160;
    opencl_linear_filter: "sampling" "linear" 860_160;
    opencl_filter_precision: "sampling" "precision" 163_840;
    opencl_integer_samplers: "sampling" "integers" 16_000;
}

#[test]
fn opencl_printf() {
    stack_tests::needs_amd_opencl!();
    let output = run(&mut command("opencl", "print"), LIMIT);
    let mut lines: Vec<&str> = output.lines().filter(|line| line.starts_with("work-item")).collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        ["work-item 3 of 100: speaks 1.50", "work-item 43 of 100: speaks 21.50", "work-item 83 of 100: speaks 41.50"]
    );
}
