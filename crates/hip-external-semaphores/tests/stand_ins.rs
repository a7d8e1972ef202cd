//! The library, preloaded into a C program, on libraries that replace AMD's HIP and the kernel's render node
//! (`stand_ins`). The library's own logic is tested without a GPU.
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The folder with the program and the stand-ins, built once.
fn built() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hip-stand-ins");
        std::fs::create_dir_all(&folder).expect("the target folder is writable");
        let build = |output: &str, source: &str, more: &[&str]| {
            let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stand_ins").join(source);
            let mut compiler = c_compiler::command().expect("a C compiler");
            compiler.arg("-O1").arg(source).arg("-o").arg(folder.join(output)).args(more).arg("-pthread").arg("-ldl");
            assert!(compiler.status().expect("a C compiler").success(), "{output}");
        };
        let library = folder.join("libamdhip64.so.6");
        let library = library.to_str().expect("a path of text");
        let search = format!("-Wl,-rpath,{}", folder.display());
        build("drm.so", "drm.c", &["-shared", "-fPIC"]);
        let named = "-Wl,-soname,libamdhip64.so.6";
        build("libamdhip64.so.6", "hip.c", &["-shared", "-fPIC", "-Wl,-Bsymbolic", named]);
        build("program", "program.c", &[library, &search]);
        folder
    })
}

/// Runs a case of the program.
fn run(case: &str, variable: Option<&str>) -> Output {
    // Cargo builds it beside this program.
    let own = std::env::current_exe().expect("this program");
    let library = own.with_file_name("libhip_external_semaphores.so");
    assert!(library.is_file(), "cargo builds the library first");
    let mut program = Command::new(built().join("program"));
    // By name, because a list of paths is separated by blanks too and has no way to escape them.
    program.arg(case).env("LD_PRELOAD", "libhip_external_semaphores.so:drm.so");
    program
        .env("LD_LIBRARY_PATH", std::env::join_paths([own.parent().expect("a folder"), built()]).expect("no colons"));
    program.env_remove("HIP_EXTERNAL_SEMAPHORES_LOG").envs(variable.map(|name| (name, "1")));
    let log = built().join(format!("{case}.log"));
    _ = std::fs::remove_file(&log);
    program.env("HIP_EXTERNAL_SEMAPHORES_LOG", &log);
    program.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = program.spawn().expect("the program");
    // What is wrong may be that it never ends.
    let end = Instant::now() + Duration::from_secs(60);
    while child.try_wait().expect("a child").is_none() {
        if Instant::now() > end {
            child.kill().expect("a child");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().expect("a child")
}

/// Runs a case that says how many values it checked.
fn case_with(case: &str, variable: Option<&str>, values: usize) {
    let output = run(case, variable);
    let text = String::from_utf8_lossy(&output.stdout);
    let says = format!("{case}: {values} values checked");
    assert!(output.status.success() && text.lines().any(|line| line == says), "{says}: {output:#?}");
}

fn case(case: &str, values: usize) {
    case_with(case, None, values);
}

#[test]
fn streams_wait_for_values_of_timelines_and_signal_them() {
    case("timeline", 35);
}

#[test]
fn each_signal_of_a_binary_semaphore_is_taken_once() {
    case("binary", 26);
}

#[test]
fn several_semaphores_are_waited_for_and_signaled_by_one_call() {
    case("several", 13);
}

#[test]
fn a_wait_outlives_its_semaphores_name() {
    case("destroyed", 10);
}

/// Nothing that was enqueued behind the wait runs, and who started the program is told.
#[test]
fn a_wait_that_fails_ends_the_process_before_the_stream_goes_on() {
    let output = run("fails", None);
    let [text, error] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert_eq!(output.status.signal(), Some(libc::SIGABRT), "{output:#?}");
    assert!(!text.contains("work ran"), "{text}");
    let log = std::fs::read_to_string(built().join("fails.log")).expect("the log");
    let name = log.split("is semaphore ").nth(1).and_then(|text| text.split(',').next()).expect("its import");
    let said = format!("semaphore {name} cannot be waited for: No such device");
    assert!(error.contains(&said) && error.contains("the process ends") && log.contains(&said), "{error}{log}");
}

#[test]
fn a_wait_that_cannot_begin_is_refused_as_a_whole() {
    case("no_thread", 15);
}

#[test]
fn what_is_wrong_is_refused_by_hips_codes() {
    case("errors", 28);
}

#[test]
fn nodes_of_graphs_are_refused_and_others_made() {
    case("graphs", 13);
}

#[test]
fn functions_are_found_by_handle_by_default_and_by_hips_own_lookup() {
    case("looked_up", 57);
}

#[test]
fn a_hip_that_has_semaphores_is_used_instead() {
    case_with("has_own", Some("HIP_HAS_SEMAPHORES"), 14);
    let log = std::fs::read_to_string(built().join("has_own.log")).expect("the log");
    assert!(log.contains("HIP has external semaphores itself"), "{log}");
}

#[test]
fn a_hip_that_cannot_say_yet_is_asked_again() {
    case("asked_again", 5);
}

#[test]
fn without_a_render_node_nothing_can_be_imported() {
    case_with("no_node", Some("DRM_NONE"), 2);
}
