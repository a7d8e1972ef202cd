//! The OpenCL layer `cl-external-memory`, as programs in C meet it: dma-bufs of HIP's memory become memory objects of
//! AMD's OpenCL. The program is `programs/external_memory.c`.
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use cl_sys::*;
use stack_tests::{
    Stack, check_case, external_memory_layer, hip_program, instructions, needs_amd_opencl, needs_vgpu, on_vgpu,
    on_virtual_gpu, preload, run, run_tests, stack, work_folder,
};

const PROGRAM: &str = "external_memory";
const LIMIT: Duration = Duration::from_secs(300);
/// Numbers of a dma-buf in the program.
const N: usize = 3 << 18;

/// Has the loader use the layer, and nothing else of the tester's.
fn layered(command: &mut Command) -> &mut Command {
    command.env("OPENCL_LAYERS", external_memory_layer()).env_remove("OPENCL_LAYER_PATH")
}

/// Loads the layer in front of the program, behind the virtual GPU.
fn preloaded(command: &mut Command) -> &mut Command {
    preload(command, Path::new(&external_memory_layer())).env_remove("OPENCL_LAYERS")
}

/// Runs a case of the program, which says how many values it checked.
fn case(name: &str, values: usize) {
    let output = run(layered(Command::new(hip_program(PROGRAM)).arg(name)), LIMIT);
    check_case(name, values, &output);
}

#[test]
fn m14_extensions_are_found_with_the_layer_only() {
    needs_amd_opencl!();
    case("queries", 32);
    let output = run(Command::new(hip_program(PROGRAM)).arg("without").env_remove("OPENCL_LAYERS"), LIMIT);
    check_case("without", 2, &output);
}

#[test]
fn m14_opencl_computes_on_hips_memory_by_a_dma_buf() {
    needs_amd_opencl!();
    // Two checks by HIP, and what is read, mapped, filled, and read after HIP has freed the memory.
    case("computes", 2 * N + 3 * N + (N - 1024) + 11);
}

#[test]
fn m14_images_on_dma_bufs_have_the_rows_that_the_program_says() {
    needs_amd_opencl!();
    stack_tests::needs_images!();
    case("images", 300 * 200 * 4 + N + 15);
}

#[test]
fn m14_what_the_specification_forbids_is_refused_by_its_errors() {
    needs_amd_opencl!();
    case("errors", 2 * N + 71);
}

#[test]
fn m14_acquire_and_release_are_commands_in_order_with_events() {
    needs_amd_opencl!();
    case("events", 20 * (2 * N + 10));
}

#[test]
fn m14_memory_comes_back_in_whatever_order_objects_are_released() {
    needs_amd_opencl!();
    case("lifetimes", 40 * N + 2);
}

#[test]
fn m14_threads_import_beside_each_other() {
    needs_amd_opencl!();
    case("threads", 6 * 8 * (N + 3));
}

/// The host sees memory only, not the GPU's caches: a release has to write them back, and what is acquired again must
/// not be old.
#[test]
fn m14_turns_are_right_with_caches() {
    needs_amd_opencl!();
    needs_vgpu!();
    for seed in ["1", "2", "3"] {
        let output = run(layered(on_vgpu(&["--caches", seed], hip_program(PROGRAM)).arg("turns")), LIMIT);
        check_case("turns", 4 * N, &output);
    }
}

/// Two objects of one dma-buf are used in one queue, whose kernels AMD's OpenCL would let overlap.
#[test]
fn m14_objects_of_one_dma_buf_are_used_one_after_the_other() {
    needs_amd_opencl!();
    needs_vgpu!();
    for seed in ["1", "2", "3"] {
        let output = run(layered(on_vgpu(&["--schedule", seed], hip_program(PROGRAM)).arg("aliases")), LIMIT);
        check_case("aliases", 4 * N, &output);
    }
}

#[test]
fn m14_contexts_of_several_gpus_are_refused() {
    needs_amd_opencl!();
    needs_vgpu!();
    let output = run(layered(on_vgpu(&["--gpus", "2"], hip_program(PROGRAM)).arg("devices")), LIMIT);
    check_case("devices", N + 5, &output);
}

#[test]
fn m14_a_preloaded_layer_does_the_same() {
    needs_amd_opencl!();
    let images = stack_tests::has_images().then_some(("images", 300 * 200 * 4 + N + 15));
    for (name, values) in [("queries", 32), ("errors", 2 * N + 71)].into_iter().chain(images) {
        let output = run(preloaded(Command::new(hip_program(PROGRAM)).arg(name)), LIMIT);
        check_case(name, values, &output);
    }
    // Once is enough, also where it is asked for twice.
    let mut twice = Command::new(hip_program(PROGRAM));
    let output = run(preloaded(twice.arg("queries")).env("OPENCL_LAYERS", external_memory_layer()), LIMIT);
    check_case("queries", 32, &output);
}

/// A program that loads the loader itself, as this one does, finds the functions by `dlsym`.
#[test]
fn m14_a_preloaded_layer_serves_programs_that_load_the_loader() {
    needs_amd_opencl!();
    if std::env::var_os("CHILD_OF_EXTERNAL_MEMORY").is_none() {
        let own = std::env::current_exe().expect("this program");
        let mut again = Command::new(own);
        again.env("CHILD_OF_EXTERNAL_MEMORY", "1");
        run_tests(preloaded(&mut again), &["m14_a_preloaded_layer_serves_programs_that_load_the_loader"], LIMIT);
        return;
    }
    let cl = Cl::load().expect("the stack has a loader");
    let mut platforms = [std::ptr::null_mut(); 8];
    let mut count = 0;
    // SAFETY: places for so many platforms.
    let code = unsafe { cl.clGetPlatformIDs(8, platforms.as_mut_ptr(), &mut count) }.expect("of every version");
    assert_eq!(code, CL_SUCCESS);
    let extensions: Vec<_> = platforms[..count as usize]
        .iter()
        .map(|platform| {
            let mut text = vec![0u8; 10_000];
            // SAFETY: a platform, and a place of this size.
            let code = unsafe {
                cl.clGetPlatformInfo(
                    *platform,
                    CL_PLATFORM_EXTENSIONS,
                    text.len(),
                    text.as_mut_ptr().cast(),
                    std::ptr::null_mut(),
                )
            };
            assert_eq!(code.expect("of every version"), CL_SUCCESS);
            String::from_utf8_lossy(&text).trim_end_matches('\0').to_owned()
        })
        .collect();
    assert!(extensions.iter().any(|names| names.ends_with(" cl_khr_external_memory_dma_buf")), "{extensions:?}");
}

/// What `clinfo` says is the same but for the extension, and all the same for PoCL, the OpenCL of the native stack.
#[test]
fn m14_nothing_but_the_extension_is_changed() {
    if stack() == Stack::Host {
        test_skip::skip!("the clinfo here may be AMD's, which knows no --raw");
    }
    // On a GPU of its own, as how much is free changes with the other tests.
    let own = || if on_virtual_gpu() { on_vgpu(&[], "clinfo") } else { Command::new("clinfo") };
    let all = |command: &mut Command| run(command.arg("--raw"), LIMIT);
    let before = all(own().env_remove("OPENCL_LAYERS"));
    assert!(before.contains("CL_PLATFORM_NAME"), "{before}");
    let mut in_front = own();
    preloaded(&mut in_front);
    for with in [all(layered(&mut own())), all(&mut in_front)] {
        if stack() == Stack::Native {
            assert_eq!(with, before);
            continue;
        }
        let others = |text: &str| {
            let of_it = |line: &&str| {
                let free = !on_virtual_gpu() && line.contains("FREE_MEMORY");
                free || ["EXTENSIONS", "EXTERNAL_MEMORY"].iter().any(|name| line.contains(name))
            };
            text.lines().filter(|line| !of_it(line)).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(others(&with), others(&before));
        assert!(with.contains("CL_DEVICE_GLOBAL_FREE_MEMORY_AMD"), "{with}");
        let has = |text: &str| text.matches(" cl_khr_external_memory_dma_buf").count();
        assert!(has(&with) >= 2 && has(&before) == 0, "{with}");
    }
}

/// Functions that the layer does not see take as many instructions as without it: preloaded, as the loader alone; as a
/// layer, as with any layer, for which the loader itself takes some more.
#[test]
fn m14_functions_that_the_layer_does_not_see_cost_nothing_more() {
    needs_amd_opencl!();
    let of = |command: &mut Command| {
        let counted = instructions(command.arg("cost"), LIMIT);
        let seen = counted.iter().position(|(name, _)| name == "clGetDeviceInfo").expect("the first that it sees");
        assert_eq!((seen, counted.len()), (3, 8), "{counted:?}");
        // Shown with the test's output.
        println!("{counted:?}");
        counted[..seen].iter().map(|(_, count)| *count).collect::<Vec<_>>()
    };
    let program = || Command::new(hip_program(PROGRAM));
    let alone = of(program().env_remove("OPENCL_LAYERS"));
    assert_eq!(of(preloaded(&mut program())), alone);
    let any = of(program().env("OPENCL_LAYERS", hip_program("empty_layer")));
    assert!(any.iter().zip(&alone).all(|(any, alone)| any > alone), "{any:?} {alone:?}: the layer was not loaded");
    assert_eq!(of(layered(&mut program())), any);
}

#[test]
fn m14_the_log_says_what_was_done() {
    needs_amd_opencl!();
    stack_tests::needs_images!();
    let log = work_folder().join(format!("external-memory-{}.log", std::process::id()));
    let run_with = |log: OsString, name: &str| {
        let mut program = Command::new(hip_program(PROGRAM));
        layered(program.arg(name)).env("CL_EXTERNAL_MEMORY_LOG", log);
        run(&mut program, LIMIT)
    };
    run_with(log.clone().into(), "images");
    let text = fs::read_to_string(&log).expect("a log");
    fs::remove_file(&log).expect("the log is there");
    let lines = |what: &str| text.lines().filter(|line| line.contains(what)).count();
    assert_eq!((lines("used as a layer of a loader"), lines("gets cl_khr_external_memory_dma_buf")), (1, 1), "{text}");
    let imported = lines(" are the buffer ");
    assert_eq!((imported, lines("unmapped the dma-buf")), (2, 2), "{text}");
    assert_eq!(lines("refused: the dma-buf"), 1, "{text}");
    // A log that cannot be written is no reason to fail.
    run_with("/nonexistent/log".into(), "queries");
}
