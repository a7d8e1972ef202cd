//! HIP programs of ours (`programs/*.hip`), compiled by the stack's hipcc and run on the virtual GPU. Each checks its
//! data against values that the CPU computes.
use std::process::Command;
use std::time::Duration;

use stack_tests::{
    Finished, assert_fault_reported, check_case, has_images, hip_program, hip_version, on_virtual_gpu, run, run_any,
};

const LIMIT: Duration = Duration::from_secs(300);

fn command(program: &str, case: &str) -> Command {
    let mut command = Command::new(hip_program(program));
    command.arg(case);
    command
}

#[track_caller]
fn passes(program: &str, case: &str, values: usize) {
    check_case(case, values, &run(&mut command(program, case), LIMIT));
}

macro_rules! cases {
    ($($test:ident: $program:literal $case:literal $values:expr;)*) => {
        $(
            #[test]
            fn $test() {
                passes($program, $case, $values);
            }
        )*
    };
}

cases! {
    device_properties: "runtime" "device" 5;
    vector_add: "compute" "vector_add" 100_003;
    reduction: "compute" "reduction" 1;
    matmul_lds: "compute" "matmul_lds" 16_384;
    atomics: "compute" "atomics" 65;
    scratch: "compute" "scratch" 1500;
    divergence: "compute" "divergence" 5000;
    wavefront_operations: "compute" "wavefront" 384;
    math_functions: "compute" "math" 8000;
    geometry: "compute" "geometry" 12_600;
    copies: "memory" "copies" 1_780_742;
    pinned_copies: "memory" "pinned" 1_400_002;
    kernels_on_host_memory: "memory" "host_access" 100_002;
    managed_memory: "memory" "managed" 90_003;
    memset: "memory" "memset" 205_004;
    streams: "runtime" "streams" 12_004;
    events: "runtime" "events" 100_001;
    stream_callback: "runtime" "callback" 2;
    graph: "runtime" "graph" 15_000;
    module_of_hiprtc: "runtime" "module" 1002;
    cooperative_launch: "runtime" "cooperative" 768;
    compute_unit_masks: "runtime" "cu_mask" 3;
    fork_before_hip: "several" "forks" 100_002;
}

macro_rules! pitched_cases {
    ($($test:ident: $case:literal $values:expr;)*) => {
        $(
            #[test]
            fn $test() {
                if !has_images() && hip_version() < (6, 0) {
                    test_skip::skip!("HIP 5 gives no pitched memory on a GPU without images");
                }
                passes("memory", $case, $values);
            }
        )*
    };
}

pitched_cases! {
    copies_2d: "copies_2d" 34_496;
    copies_3d: "copies_3d" 10_800;
}

macro_rules! texture_cases {
    ($($test:ident: $case:literal $values:expr;)*) => {
        $(
            #[test]
            fn $test() {
                stack_tests::needs_textures!();
                passes("textures", $case, $values);
            }
        )*
    };
}

texture_cases! {
    texture_lines: "lines" 144_192;
    texture_planes: "planes" 327_424;
    texture_volumes: "volumes" 261_632;
    texture_layers: "layers" 106_240;
    texture_normalized_reads: "normalized" 4800;
    texture_linear_memory: "linear_memory" 4400;
    texture_variants: "variants" 3600;
    // The headers of HIP 5.2 are wrong for surfaces of integers, which the program then leaves out.
    texture_surfaces: "surfaces" if hip_version() < (5, 7) { 6561 } else { 68_561 };
    texture_kinds_that_hip_refuses: "refusals" 3;
}

macro_rules! library_cases {
    ($($test:ident: $program:literal $case:literal $values:expr, with $library:literal;)*) => {
        $(
            #[test]
            fn $test() {
                stack_tests::needs_library!($library);
                stack_tests::needs_code!($library);
                passes($program, $case, $values);
            }
        )*
    };
}

library_cases! {
    rocblas_sgemm: "blas" "sgemm" 4697, with "rocBLAS";
    rocblas_dgemm: "blas" "dgemm" 4697, with "rocBLAS";
    rocblas_cgemm: "blas" "cgemm" 4697, with "rocBLAS";
    rocblas_gemm_ex_of_halves: "gemm" "halves" 2_382_440, with "rocBLAS";
    rocblas_gemm_ex_of_other_types: "gemm" "others" 3_578_946, with "rocBLAS";
    rocsolver_cpotrf: "blas" "cpotrf" 1177, with "rocSOLVER";
    rocsolver_cgetrf: "blas" "cgetrf" 1641, with "rocSOLVER";
    rocfft_forward: "fft" "forward" 4752, with "rocFFT";
    rocfft_inverse: "fft" "inverse" 1024, with "rocFFT";
    rocfft_planes: "fft" "planes" 1536, with "rocFFT";
    rocrand_integers: "random" "integers" 50_004, with "rocRAND";
    rocrand_uniform: "random" "uniform" 100_004, with "rocRAND";
}

macro_rules! dmabuf_cases {
    ($($test:ident: $case:literal;)*) => {
        $(
            #[test]
            fn $test() {
                if hip_version() < (5, 7) {
                    test_skip::skip!("ROCr 5.2 cannot export a dma-buf");
                }
                passes("dmabuf", $case, 200_004);
            }
        )*
    };
}

dmabuf_cases! {
    two_processes_share_a_dmabuf_by_hsa: "hsa";
    two_processes_share_a_dmabuf_by_hip: "hip";
}

#[test]
fn who_waits_for_a_kernel_leaves_the_cpu_to_the_device() {
    if !on_virtual_gpu() {
        test_skip::skip!("a GPU does not need the CPU");
    }
    passes("runtime", "waiting", 2);
}

#[test]
fn kernel_printf() {
    let output = run(&mut command("compute", "print"), LIMIT);
    let mut lines: Vec<&str> = output.lines().filter(|line| line.starts_with("work-item")).collect();
    lines.sort_unstable();
    let expected = [
        "work-item 101 of 128: says 25.250",
        "work-item 37 of 128: says 9.250",
        "work-item 5 of 128: says 1.250",
        "work-item 69 of 128: says 17.250",
    ];
    assert_eq!(lines, expected);
}

/// A program that must end because of a fault of the GPU.
#[track_caller]
fn faults(case: &str, message: &str, error: &str) -> Finished {
    let finished = run_any(&mut command("compute", case), LIMIT);
    assert_fault_reported(&finished, message, error);
    finished
}

/// What ROCr says of a memory fault. The node of a GPU of the user's may be any.
fn memory_fault() -> &'static str {
    if on_virtual_gpu() { "Memory access fault by GPU node-1" } else { "Memory access fault by GPU node-" }
}

/// What the virtual GPU says besides: the kernel of one work-item that stored.
#[track_caller]
fn names_who_did_it(finished: &Finished, kernel: &str) {
    if !on_virtual_gpu() {
        return;
    }
    let said = finished.stderr.lines().find_map(|line| line.strip_prefix("vgpu: memory fault: write at 0x"));
    let said = said.unwrap_or_else(|| panic!("{finished:?}"));
    let instruction = format!(", where nothing is mapped, by kernel {kernel}: ");
    let (_, instruction) = said.split_once(&instruction).unwrap_or_else(|| panic!("{said}"));
    assert!(instruction.starts_with("global_store_dword v") || instruction.starts_with("flat_store_dword v"), "{said}");
    assert!(said.contains(&format!(" at {kernel}+0x")), "{said}");
    assert!(said.contains(", lane 0 of wave 0 of work-group [0, 0, 0]; dispatch "), "{said}");
    assert!(said.ends_with(", grid [1, 1, 1] in work-groups of [1, 1, 1]"), "{said}");
}

#[test]
fn a_stray_store_is_reported_by_the_runtime() {
    let finished = faults("memory_fault", memory_fault(), "hipErrorIllegalAddress");
    names_who_did_it(&finished, "_Z5strayPi");
}

#[test]
fn a_store_to_memory_that_the_program_freed_is_reported_by_the_runtime() {
    let finished = faults("freed_memory", memory_fault(), "hipErrorIllegalAddress");
    assert!(finished.stdout.contains("used while it was there"), "{finished:?}");
    names_who_did_it(&finished, "_Z3onePi");
}

#[test]
fn an_illegal_instruction_reaches_the_queue_callback() {
    let message = "HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION";
    let finished = faults("illegal_instruction", message, "hipErrorLaunchFailure");
    assert!(finished.stderr.contains(message), "{finished:?}");
}
