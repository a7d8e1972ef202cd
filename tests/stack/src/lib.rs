//! What the stack tests share: which stack they run in, AMD's compiler, and running programs with a time limit.
//!
//! `cargo xtask test --stack NAME` builds the tests on the host and runs them inside the stack, on the virtual GPU; the
//! programs that they start are on it too. They use AMD's userspace as a user would and check data, not return codes.
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::future::{Future, IntoFuture};
use std::io::{Read, Seek};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::{Command, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant, SystemTime};

/// The version of AMD's userspace that the test runs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stack {
    /// The host's Debian packages, with PoCL as the OpenCL.
    Native,
    /// Debian trixie: ROCr 6.1.2, HIP and AMD OpenCL 5.7.1.
    Trixie,
    /// Debian forky: ROCr, HIP and AMD OpenCL 6.4.3 or newer.
    Forky,
    /// Debian experimental: ROCr, HIP and AMD OpenCL 7.2.4 or newer.
    Experimental,
    /// A ROCm that the user installed.
    Host,
}

/// The stack that the test runs in.
///
/// # Panics
/// If the test was not started by `cargo xtask test`.
pub fn stack() -> Stack {
    match std::env::var("STACK_TESTS_STACK").as_deref() {
        Ok("native") => Stack::Native,
        Ok("trixie") => Stack::Trixie,
        Ok("forky") => Stack::Forky,
        Ok("experimental") => Stack::Experimental,
        Ok("host") => Stack::Host,
        _ => panic!("stack tests run inside a stack: `cargo xtask test --stack trixie`"),
    }
}

/// Major and minor version of the stack's HIP. What tests know to differ between versions goes by this, so that it is
/// known of a ROCm of the user's too.
///
/// # Panics
/// If the test was not started by `cargo xtask test`.
pub fn hip_version() -> (u32, u32) {
    match stack() {
        Stack::Native => (5, 2),
        Stack::Trixie => (5, 7),
        Stack::Forky => (6, 4),
        Stack::Experimental => (7, 2),
        Stack::Host => {
            let version = std::env::var("STACK_TESTS_HIP").expect("`cargo xtask test` sets STACK_TESTS_HIP");
            let mut numbers = version.split('.').map(|number| number.parse().expect("a number"));
            [(); 2].map(|()| numbers.next().expect("two numbers")).into()
        }
    }
}

/// Why the tests of OpenCL cannot run, where the stack's OpenCL does not have the GPU.
pub fn without_amd_opencl() -> Option<&'static str> {
    match stack() {
        Stack::Native => Some("the native stack's OpenCL is PoCL, which does not use the GPU"),
        Stack::Host if std::env::var_os("STACK_TESTS_OPENCL").is_none() => {
            Some("the OpenCL here does not have the GPU")
        }
        _ => None,
    }
}

/// Skips the calling test, with a reason, where OpenCL does not have the GPU.
#[macro_export]
macro_rules! needs_amd_opencl {
    () => {
        if let Some(reason) = $crate::without_amd_opencl() {
            test_skip::skip!("{reason}");
        }
    };
}

/// Whether the stack has one of ROCm's libraries, to link with: of a ROCm of the user's that is looked up, as it is
/// known of the others.
pub fn has_library(name: &str) -> bool {
    match stack() {
        Stack::Native => false,
        Stack::Forky => name != "rocRAND",
        Stack::Trixie | Stack::Experimental => true,
        Stack::Host => {
            let file = format!("lib{}.so", name.to_lowercase());
            let folders =
                [rocm().join("lib"), "/usr/lib/x86_64-linux-gnu".into(), "/usr/lib64".into(), "/usr/lib".into()];
            folders.iter().any(|folder| folder.join(&file).exists())
        }
    }
}

/// Skips the calling test, with a reason, where the stack lacks one of ROCm's libraries.
#[macro_export]
macro_rules! needs_library {
    ($name:literal) => {
        if !$crate::has_library($name) {
            test_skip::skip!("this stack has no {}", $name);
        }
    };
}

/// Where AMD's own packages put ROCm.
fn rocm() -> PathBuf {
    std::env::var_os("ROCM_PATH").map_or_else(|| "/opt/rocm".into(), PathBuf::from)
}

/// The stack's hipcc. AMD's own packages do not put it where the shell looks.
pub fn hipcc() -> Command {
    let of_rocm = rocm().join("bin/hipcc");
    if stack() == Stack::Host && of_rocm.exists() { Command::new(of_rocm) } else { Command::new("hipcc") }
}

/// Compiles `programs/NAME.hip`, or `NAME.c`, with the stack's hipcc for the GPU and gives the program's path. It is
/// compiled once for each stack and again when the source changes.
///
/// # Panics
/// If hipcc fails; the message holds what it printed.
pub fn hip_program(name: &str) -> PathBuf {
    hip_program_for(name, &[&isa()])
}

/// As [`hip_program`], with code for each of these instruction sets.
///
/// # Panics
/// As of [`hip_program`].
pub fn hip_program_for(name: &str, isas: &[&str]) -> PathBuf {
    let programs = package().join("programs");
    let in_c = programs.join(format!("{name}.c"));
    let source = if in_c.exists() { in_c } else { programs.join(format!("{name}.hip")) };
    let folder = work_folder();
    let program = folder.join(format!("{name}-{}", isas.join("-")));
    fs::create_dir_all(&folder).expect("the target folder is writable");
    // One at a time, over all threads and all runs of the tests.
    let compiling = File::create(folder.join("compiling")).expect("the target folder is writable");
    compiling.lock().expect("the file can be locked");
    if modified(&program) < newest(&programs) {
        let unfinished = folder.join(format!("{name}.unfinished"));
        let mut hipcc = hipcc();
        hipcc
            .arg("-O2")
            .args(isas.iter().map(|isa| format!("--offload-arch={isa}")))
            .arg(&source)
            .args(libraries(name))
            .arg("-o")
            .arg(&unfinished);
        run(&mut hipcc, Duration::from_secs(300));
        fs::rename(&unfinished, &program).expect("hipcc wrote its output");
    }
    program
}

/// The folder of this package, as whoever starts a test says. Not the one that was compiled in: in a copy of the
/// project that is the original's.
///
/// # Panics
/// If the test was started neither by cargo nor by `cargo xtask test`.
pub fn package() -> PathBuf {
    std::env::var_os("CARGO_MANIFEST_DIR").expect("`cargo xtask test` sets CARGO_MANIFEST_DIR").into()
}

/// What a program of `programs/` is linked with besides HIP.
fn libraries(program: &str) -> &'static [&'static str] {
    match program {
        "blas" => &["-lrocsolver", "-lrocblas"],
        "gemm" => &["-lrocblas"],
        "fft" => &["-lrocfft"],
        "random" => &["-lrocrand"],
        "dmabuf" | "copies_hsa" => &["-lhsa-runtime64"],
        // HIP 5.2 does not know this version.
        "device_malloc" if hip_version() >= (5, 7) => &["-g", "-mcode-object-version=5"],
        "device_malloc" => &["-g"],
        "sync" | "frees" => &["-g", "-lhsa-runtime64"],
        "external_memory" => &["-lOpenCL", "-lhsa-runtime64", "-lpthread"],
        "tool" | "empty_layer" => &["-shared", "-fPIC"],
        "opencl" | "images" | "sampling" => &["-lOpenCL"],
        "stray" | "races" | "device_races" | "segments" | "unwritten" | "uninitialized" | "leaks" | "pieces"
        | "streams" | "waits" | "pinned" => &["-g"],
        "stray_opencl" | "uninitialized_opencl" | "queues_opencl" => &["-g", "-lOpenCL"],
        // Before HIP 6, hiprtc is in the runtime library itself.
        "runtime" if hip_version() >= (6, 0) => &["-lhiprtc"],
        _ => &[],
    }
}

/// Whether the tests run on the virtual GPU, not on the machine's own.
pub fn on_virtual_gpu() -> bool {
    std::env::var_os("STACK_TESTS_VGPU").is_some()
}

/// Skips the calling test, with a reason, where the tests run on the machine's own GPU.
#[macro_export]
macro_rules! needs_vgpu {
    () => {
        if !$crate::on_virtual_gpu() {
            test_skip::skip!("needs a virtual GPU with options of its own");
        }
    };
}

/// Skips the calling test, with a reason, where hipcc compiles no textures for the GPU: a gfx90a has no
/// `image_sample_lz`, a gfx942 no images.
#[macro_export]
macro_rules! needs_textures {
    () => {
        if ["gfx90a", "gfx942"].contains(&&*$crate::isa()) {
            test_skip::skip!("hipcc compiles no textures for {}", $crate::isa());
        }
    };
}

/// Skips the calling test, with a reason, where the stack's math libraries have no code for the GPU: for gfx942 they
/// have from 7.2 on.
#[macro_export]
macro_rules! needs_code {
    ($library:literal) => {
        if $crate::isa() == "gfx942" && $crate::hip_version() < (7, 0) {
            test_skip::skip!("this stack's {} has no code for {}", $library, $crate::isa());
        }
    };
}

/// Whether the GPU has images: a gfx942 has none.
pub fn has_images() -> bool {
    isa() != "gfx942"
}

/// Skips the calling test, with a reason, where the GPU has no images.
#[macro_export]
macro_rules! needs_images {
    () => {
        if !$crate::has_images() {
            test_skip::skip!("a {} has no images", $crate::isa());
        }
    };
}

/// Skips the calling test, with a reason, where the GPU is no gfx908.
#[macro_export]
macro_rules! needs_gfx908 {
    () => {
        if $crate::isa() != "gfx908" {
            test_skip::skip!("is about a gfx908, and this GPU is a {}", $crate::isa());
        }
    };
}

/// The instruction set of the GPU that the tests run on.
pub fn isa() -> String {
    std::env::var("STACK_TESTS_ISA").unwrap_or_else(|_| "gfx908".to_owned())
}

/// `program` on a virtual GPU of its own, with other options of `vgpu run` than the one that the test runs on.
///
/// # Panics
/// If the test was not started by `cargo xtask test`.
pub fn on_vgpu(options: &[&str], program: impl AsRef<Path>) -> Command {
    vgpu("run", options, program.as_ref())
}

/// As [`on_vgpu`], with its accesses checked (`vgpu check`).
///
/// # Panics
/// As of [`on_vgpu`].
pub fn checked(options: &[&str], program: impl AsRef<Path>) -> Command {
    vgpu("check", options, program.as_ref())
}

fn vgpu(task: &str, options: &[&str], program: &Path) -> Command {
    let vgpu = std::env::var_os("STACK_TESTS_VGPU").expect("`cargo xtask test` sets STACK_TESTS_VGPU");
    let mut command = Command::new(vgpu);
    // `vgpu run` sets the environment of the device anew, except that it keeps what was preloaded.
    let model = std::env::var("STACK_TESTS_GPU").map(|model| ["--gpu".to_owned(), model]);
    command.env_remove("LD_PRELOAD").arg(task).args(model.into_iter().flatten()).args(options).arg("--").arg(program);
    command
}

/// Has the dynamic linker load a library in front of the program's, behind the virtual GPU's if `command` has that
/// already.
///
/// It is named without its folder: `LD_PRELOAD` ends a name at a blank, which the path of the checkout may have.
///
/// # Panics
/// If `library` is no path of a file.
pub fn preload<'c>(command: &'c mut Command, library: &Path) -> &'c mut Command {
    let own = command.get_envs().find(|(name, _)| *name == "LD_PRELOAD").map(|(_, list)| list.map(OsString::from));
    let mut list = own.unwrap_or_else(|| std::env::var_os("LD_PRELOAD")).unwrap_or_default();
    if !list.is_empty() {
        list.push(":");
    }
    list.push(library.file_name().expect("a file"));
    command.env("LD_PRELOAD", list).env("LD_LIBRARY_PATH", library.parent().expect("a file in a folder"))
}

/// A file for what a virtual GPU traces, of this process and of this name. It is gone with the value, unless the test
/// fails.
pub struct TraceFile(String);

impl TraceFile {
    /// An empty one, since the device appends.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn new(name: &str) -> TraceFile {
        let folder = work_folder();
        fs::create_dir_all(&folder).expect("the target folder is writable");
        let path = folder.join(format!("trace-{name}-{}", std::process::id()));
        File::create(&path).expect("the target folder is writable");
        TraceFile(path.into_os_string().into_string().expect("the target folder's name is UTF-8"))
    }

    /// The options of `vgpu run` that have the device write it.
    pub fn options(&self) -> [&str; 2] {
        ["--trace", &self.0]
    }

    /// What the device has written so far: a line of JSON for each event.
    ///
    /// # Panics
    /// If it cannot be read.
    pub fn read(&self) -> String {
        fs::read_to_string(&self.0).expect("the file is there until this value is dropped")
    }
}

impl Drop for TraceFile {
    fn drop(&mut self) {
        if !thread::panicking() {
            fs::remove_file(&self.0).expect("nobody else removes it");
        }
    }
}

/// The program `rocm-trace`.
///
/// # Panics
/// If the test was not started by `cargo xtask`.
pub fn rocm_trace() -> PathBuf {
    std::env::var_os("STACK_TESTS_ROCM_TRACE").expect("`cargo xtask` sets STACK_TESTS_ROCM_TRACE").into()
}

/// The OpenCL layer `cl-external-memory`.
///
/// # Panics
/// If the test was not started by `cargo xtask`.
pub fn external_memory_layer() -> PathBuf {
    std::env::var_os("STACK_TESTS_EXTERNAL_MEMORY").expect("`cargo xtask test` sets STACK_TESTS_EXTERNAL_MEMORY").into()
}

/// The library `hip-external-semaphores`.
///
/// # Panics
/// If the test was not started by `cargo xtask`.
pub fn external_semaphores_library() -> PathBuf {
    let library = std::env::var_os("STACK_TESTS_EXTERNAL_SEMAPHORES");
    library.expect("`cargo xtask test` sets STACK_TESTS_EXTERNAL_SEMAPHORES").into()
}

/// For tests that must not run beside each other: one of a file's at a time has it.
pub fn exclusive() -> MutexGuard<'static, ()> {
    static TESTS: Mutex<()> = Mutex::new(());
    TESTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs one task on this thread, which sleeps while it waits.
pub fn block_on<T>(task: impl IntoFuture<Output = T>) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut task = pin!(task.into_future());
    loop {
        match task.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

/// A folder for what the tests of this stack write, in the target folder.
pub fn work_folder() -> PathBuf {
    target_folder().join("stack-tests").join(format!("{:?}", stack()).to_lowercase())
}

/// Cargo's target folder.
///
/// # Panics
/// If the test was not started by `cargo xtask test`.
pub fn target_folder() -> PathBuf {
    std::env::var_os("STACK_TESTS_TARGET").expect("`cargo xtask test` sets STACK_TESTS_TARGET").into()
}

/// When the newest source was modified: the programs share headers.
fn newest(sources: &Path) -> Option<SystemTime> {
    let entries = fs::read_dir(sources).expect("the programs' folder can be read");
    entries.flatten().filter_map(|entry| modified(&entry.path())).max()
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}

/// What a program did.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
}

/// Runs a program to its end, which must be a success, and gives what it wrote to standard output.
///
/// # Panics
/// If it cannot be started, fails, or is not done within `limit`; the message holds its output.
#[track_caller]
pub fn run(command: &mut Command, limit: Duration) -> String {
    let finished = run_any(command, limit);
    assert!(finished.status.success(), "{command:?} failed ({})\n{}", finished.status, both(&finished));
    finished.stdout
}

/// Runs tests of this test program again, in the process that `command` starts, and gives what they wrote.
///
/// # Panics
/// As [`run`], and if not all of them ran.
#[track_caller]
pub fn run_tests(command: &mut Command, tests: &[&str], limit: Duration) -> String {
    let output = run(command.args(["--exact", "--nocapture"]).args(tests), limit);
    assert!(output.contains(&format!(" {} passed", tests.len())), "{command:?}\n{output}");
    output
}

/// Checks that a program of `programs/` says that it checked so many values in `case`: one that came to no data, or to
/// less than it should, fails.
///
/// # Panics
/// If it says another number or none.
#[track_caller]
pub fn check_case(case: &str, values: usize, output: &str) {
    let expected = format!("{case}: {values} values checked");
    assert!(output.lines().any(|line| line == expected), "it does not say `{expected}`:\n{output}");
}

/// What a program prints by `instructions.h`: names, and how many instructions each call took. The fewest of some
/// processes: libraries look up objects by their addresses, which differ, and take longer where another one is in the
/// way.
///
/// # Panics
/// As [`run`], and if the program counted nothing, something that is no number, or other calls than before.
#[track_caller]
pub fn instructions(program: &mut Command, limit: Duration) -> Vec<(String, u32)> {
    const PROCESSES: usize = 8;
    let mut fewest: Vec<(String, u32)> = Vec::new();
    for _ in 0..PROCESSES {
        let output = run(program, limit);
        let lines = output.lines().filter_map(|line| line.strip_prefix("instructions ")?.split_once(": "));
        let counted: Vec<(String, u32)> =
            lines.map(|(name, count)| (name.to_owned(), count.parse().expect("a number"))).collect();
        assert!(!counted.is_empty(), "nothing was counted:\n{output}");
        if fewest.is_empty() {
            fewest.clone_from(&counted);
        }
        let names = |all: &[(String, u32)]| all.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&counted), names(&fewest));
        fewest.iter_mut().zip(counted).for_each(|(fewest, (_, count))| fewest.1 = fewest.1.min(count));
    }
    fewest
}

/// Runs a program to its end, whatever that is.
///
/// # Panics
/// If it cannot be started or is not done within `limit`: it is then killed and the message holds its output.
#[track_caller]
pub fn run_any(command: &mut Command, limit: Duration) -> Finished {
    // Files, not pipes: a program that is killed may leave children that hold a pipe open.
    let mut stdout = temporary();
    let mut stderr = temporary();
    command.stdout(stdout.try_clone().expect("a descriptor")).stderr(stderr.try_clone().expect("a descriptor"));
    let mut child = command.spawn().unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
    let started = Instant::now();
    let (status, in_time) = loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            break (status, true);
        }
        if started.elapsed() > limit {
            child.kill().expect("a child can be killed");
            break (child.wait().expect("a child can be waited for"), false);
        }
        thread::sleep(Duration::from_millis(5));
    };
    let finished = Finished { status, stdout: contents(&mut stdout), stderr: contents(&mut stderr) };
    assert!(in_time, "{command:?} was not done within {limit:?}\n{}", both(&finished));
    finished
}

/// Checks that AMD's runtime reported a fault of the GPU: before HIP 7 it aborts the program with `message`; from then
/// on the calls that follow fail with `error`, at which the programs of `programs/` end themselves.
///
/// # Panics
/// If it did not.
#[track_caller]
pub fn assert_fault_reported(finished: &Finished, message: &str, error: &str) {
    const SIGABRT: i32 = 6;
    if hip_version() >= (7, 0) {
        assert_eq!(finished.status.code(), Some(2), "{finished:?}");
        assert!(finished.stderr.contains(&format!(": {error}\n")), "{finished:?}");
    } else {
        assert_eq!(finished.status.signal(), Some(SIGABRT), "{finished:?}");
        assert!(finished.stderr.contains(message), "{finished:?}");
    }
}

fn temporary() -> File {
    let folder = work_folder();
    fs::create_dir_all(&folder).expect("the target folder is writable");
    let thread = format!("{:?}", thread::current().id());
    let path = folder.join(format!("output-{}-{}", std::process::id(), thread.replace(['(', ')'], "")));
    let file =
        File::options().read(true).append(true).create_new(true).open(&path).expect("the target folder is writable");
    fs::remove_file(&path).expect("the file was just made");
    file
}

fn contents(file: &mut File) -> String {
    let mut bytes = Vec::new();
    file.rewind().and_then(|()| file.read_to_end(&mut bytes)).expect("the file can be read");
    String::from_utf8_lossy(&bytes).into_owned()
}

fn both(finished: &Finished) -> String {
    let mut text = String::new();
    for (name, output) in [("output", &finished.stdout), ("errors", &finished.stderr)] {
        write!(text, "--- {name}:\n{output}").expect("strings can be written to");
    }
    text
}
