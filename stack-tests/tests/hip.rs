//! HIP programs of ours (`programs/*.hip`), compiled by the stack's hipcc and run on the virtual GPU. Each checks its data
//! against values that the CPU computes.
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::time::Duration;

use stack_tests::{Finished, Stack, check_case, hip_program, run, run_any, stack};

const LIMIT: Duration = Duration::from_secs(300);

fn command(program: &str, case: &str) -> Command {
    let mut command = Command::new(hip_program(program));
    command.arg(case);
    command
}

#[track_caller]
fn passes(program: &str, case: &str) {
    check_case(case, &run(&mut command(program, case), LIMIT));
}

macro_rules! cases {
    ($($test:ident: $program:literal $case:literal;)*) => {
        $(
            #[test]
            fn $test() {
                passes($program, $case);
            }
        )*
    };
}

cases! {
    device_properties: "runtime" "device";
    vector_add: "compute" "vector_add";
    reduction: "compute" "reduction";
    matmul_lds: "compute" "matmul_lds";
    atomics: "compute" "atomics";
    scratch: "compute" "scratch";
    divergence: "compute" "divergence";
    wavefront_operations: "compute" "wavefront";
    math_functions: "compute" "math";
    geometry: "compute" "geometry";
    copies: "memory" "copies";
    pinned_copies: "memory" "pinned";
    kernels_on_host_memory: "memory" "host_access";
    managed_memory: "memory" "managed";
    memset: "memory" "memset";
    copies_2d: "memory" "copies_2d";
    copies_3d: "memory" "copies_3d";
    streams: "runtime" "streams";
    events: "runtime" "events";
    stream_callback: "runtime" "callback";
    graph: "runtime" "graph";
    module_of_hiprtc: "runtime" "module";
    cooperative_launch: "runtime" "cooperative";
    compute_unit_masks: "runtime" "cu_mask";
    fork_before_hip: "several" "forks";
    texture_lines: "textures" "lines";
    texture_planes: "textures" "planes";
    texture_volumes: "textures" "volumes";
    texture_layers: "textures" "layers";
    texture_normalized_reads: "textures" "normalized";
    texture_linear_memory: "textures" "linear_memory";
    texture_variants: "textures" "variants";
    texture_surfaces: "textures" "surfaces";
    texture_kinds_that_hip_refuses: "textures" "refusals";
}

macro_rules! library_cases {
    ($($test:ident: $program:literal $case:literal, not on $stacks:pat, $reason:literal;)*) => {
        $(
            #[test]
            fn $test() {
                if matches!(stack(), $stacks) {
                    test_skip::skip!($reason);
                }
                passes($program, $case);
            }
        )*
    };
}

library_cases! {
    rocblas_sgemm: "blas" "sgemm", not on Stack::Native, "the native stack has no rocBLAS";
    rocblas_dgemm: "blas" "dgemm", not on Stack::Native, "the native stack has no rocBLAS";
    rocblas_cgemm: "blas" "cgemm", not on Stack::Native, "the native stack has no rocBLAS";
    rocblas_gemm_ex_of_halves: "gemm" "halves", not on Stack::Native, "the native stack has no rocBLAS";
    rocblas_gemm_ex_of_other_types: "gemm" "others", not on Stack::Native, "the native stack has no rocBLAS";
    rocsolver_cpotrf: "blas" "cpotrf", not on Stack::Native, "the native stack has no rocSOLVER";
    rocsolver_cgetrf: "blas" "cgetrf", not on Stack::Native, "the native stack has no rocSOLVER";
    rocfft_forward: "fft" "forward", not on Stack::Native, "the native stack has no rocFFT";
    rocfft_inverse: "fft" "inverse", not on Stack::Native, "the native stack has no rocFFT";
    rocfft_planes: "fft" "planes", not on Stack::Native, "the native stack has no rocFFT";
    rocrand_integers: "random" "integers", not on Stack::Native | Stack::Forky, "this stack has no rocRAND";
    rocrand_uniform: "random" "uniform", not on Stack::Native | Stack::Forky, "this stack has no rocRAND";
    two_processes_share_a_dmabuf_by_hsa: "dmabuf" "hsa", not on Stack::Native, "ROCr 5.2 cannot export a dma-buf";
    two_processes_share_a_dmabuf_by_hip: "dmabuf" "hip", not on Stack::Native, "ROCr 5.2 cannot export a dma-buf";
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

/// A program that AMD's runtime must abort.
#[track_caller]
fn aborts(case: &str) -> Finished {
    const SIGABRT: i32 = 6;
    let finished = run_any(&mut command("compute", case), LIMIT);
    assert_eq!(finished.status.signal(), Some(SIGABRT), "{finished:?}");
    finished
}

#[test]
fn a_stray_store_is_reported_by_the_runtime() {
    let finished = aborts("memory_fault");
    assert!(finished.stderr.contains("Memory access fault by GPU node-1"), "{finished:?}");
}

#[test]
fn a_store_to_memory_that_the_program_freed_is_reported_by_the_runtime() {
    let finished = aborts("freed_memory");
    assert!(finished.stdout.contains("used while it was there"), "{finished:?}");
    assert!(finished.stderr.contains("Memory access fault by GPU node-1"), "{finished:?}");
}

#[test]
fn an_illegal_instruction_reaches_the_queue_callback() {
    let finished = aborts("illegal_instruction");
    assert!(finished.stderr.contains("HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION"), "{finished:?}");
}
