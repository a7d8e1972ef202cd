//! What the tests of `kfd` share: a GPU for each, and kernels of our own, compiled by Debian's clang 19 or 15, or by
//! ROCm's.
//!
//! They are tests like all others and run with `cargo test`: each starts its own program again, under `vgpu run`, for
//! itself alone. Only here do `kfd` and `vgpu` meet, as two programs. `cargo xtask test --device real` runs them on the
//! machine's own GPU, where a test that fails for what the GPU or the driver does not support is a skip with the
//! reason, if `may_lack.txt` has that.
pub mod backend;
pub mod everything;
pub mod within;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use kfd::{Device, Driver, Engine, Module, Result, Topology};

/// Set for the program that has the GPU.
const INSIDE: &str = "KFD_TESTS_INSIDE";

/// `real` for the machine's own GPU.
const DEVICE: &str = "KFD_TESTS_DEVICE";

/// Options of `vgpu run` for every test, besides its own.
const OPTIONS: &str = "KFD_TESTS_OPTIONS";

/// Runs `body` in a process of its own with a GPU. `name` is the test's.
///
/// # Panics
/// If it fails there.
pub fn on_gpu(name: &str, body: fn()) {
    on_gpu_with(&[], name, body);
}

/// As [`on_gpu`], with options of `vgpu run`. The machine's own GPUs are as they are: two are enough for `--gpus 2`,
/// the order of work (`--schedule`) is the hardware's, as are its bugs, and a test with any other option is skipped.
///
/// # Panics
/// If it fails there.
pub fn on_gpu_with(options: &[&str], name: &str, body: fn()) {
    if inside() {
        return body();
    }
    if on_machines_gpu()
        && let Some(lacking) = lacking(options)
    {
        return skip(&lacking);
    }
    let output = again(options, name);
    let text = text_of(&output);
    let passed = output.status.success() && text.contains("1 passed");
    if !passed
        && on_machines_gpu()
        && let Some(reason) = unsupported(&text, &isa())
    {
        return skip(reason);
    }
    assert!(passed, "{options:?}: {}\n{text}", output.status);
}

/// The answers for which a test may be skipped.
const MAY_LACK: &str = include_str!("may_lack.txt");

/// Why a test that failed may be skipped on a GPU of this instruction set: `kfd` says in `text` that the GPU or the
/// driver does not support something, and the list has that. Any other such answer may be a mistake of `kfd`'s.
fn unsupported<'a>(text: &'a str, isa: &str) -> Option<&'a str> {
    let allowed = |line: &&str| {
        MAY_LACK.lines().filter(|entry| !entry.starts_with('#')).any(|entry| {
            let (gpus, answer) = entry.split_once(": ").expect("a line of the list has GPUS first");
            (gpus == "any" || isa != "gfx908") && line.contains(answer)
        })
    };
    let answers: Vec<&str> = text.lines().map(str::trim).filter(|line| line.contains(UNSUPPORTED)).collect();
    answers.first().copied().filter(|_| answers.iter().all(allowed))
}

/// How `kfd` says that the driver or the GPU is of another kind than it supports.
const UNSUPPORTED: &str = " is not supported here: ";

/// What the machine lacks of a virtual GPU with such options.
fn lacking(options: &[&str]) -> Option<String> {
    match options {
        [] | ["--schedule", _] | ["--hardware-bugs", "--schedule", _] => None,
        ["--gpus", number] => {
            let found = Topology::read().map_or(0, |topology| topology.gpus().count());
            (found < number.parse().expect("a number of GPUs"))
                .then(|| format!("needs {number} GPUs, there are {found}"))
        }
        _ => Some("needs a virtual GPU with options of its own".to_owned()),
    }
}

fn skip(reason: &str) {
    let program = std::env::current_exe().expect("a program has a path");
    let program = program.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    // cargo puts a digest behind the name.
    test_skip::record(program.rsplit_once('-').map_or(&*program, |(name, _)| name), reason);
}

/// Skips the calling test, with a reason, where the tests run on the machine's own GPU.
#[macro_export]
macro_rules! needs_vgpu {
    () => {
        if $crate::on_machines_gpu() {
            test_skip::skip!("needs a virtual GPU with options of its own");
        }
    };
}

/// Whether the tests run on the machine's own GPU.
pub fn on_machines_gpu() -> bool {
    std::env::var_os(DEVICE).is_some_and(|device| device == "real")
}

/// The instruction set of the first GPU: the machine's own, the one that this process has, or the one that the options
/// for every test name.
///
/// # Panics
/// If the machine's own is to be used and there is none, or the options name a GPU that is not known here.
pub fn isa() -> String {
    if !on_machines_gpu() && !inside() {
        return match model() {
            "mi100" => "gfx908",
            "mi210" => "gfx90a",
            "mi300x" => "gfx942",
            other => panic!("{OPTIONS}: the tests know no GPU {other}"),
        }
        .to_owned();
    }
    let topology = Topology::read().expect("the machine has a GPU");
    topology.gpus().next().expect("the machine has a GPU").isa()
}

/// The virtual card that `vgpu run` is told to make, however it is divided.
pub fn model() -> &'static str {
    kind().split(':').next().unwrap_or_default()
}

/// The kind of virtual GPU that `vgpu run` is told to make: a card, and how it is divided.
pub fn kind() -> &'static str {
    static KIND: OnceLock<String> = OnceLock::new();
    KIND.get_or_init(|| {
        let options = std::env::var(OPTIONS).unwrap_or_default();
        let mut words = options.split_whitespace().skip_while(|word| *word != "--gpu").skip(1);
        words.next().unwrap_or("mi100").to_owned()
    })
}

/// Whether this process is the one with the GPU.
pub fn inside() -> bool {
    std::env::var_os(INSIDE).is_some()
}

/// Runs the test called `name` of this program again with a GPU, whatever comes of it.
///
/// # Panics
/// If it cannot be started.
pub fn again(options: &[&str], name: &str) -> Output {
    let mut command = with_gpu(options, &std::env::current_exe().expect("a program has a path"));
    command.args(["--exact", name, "--nocapture", "--test-threads=1"]).env(INSIDE, "1");
    command.stdin(Stdio::null()).output().expect("the program can be started")
}

/// A program that has a GPU.
fn with_gpu(options: &[&str], program: &Path) -> Command {
    if on_machines_gpu() {
        return Command::new(program);
    }
    let mut command = Command::new(vgpu());
    command.arg("run").args(options);
    let more = std::env::var(OPTIONS).unwrap_or_default();
    let mut more = more.split_whitespace().peekable();
    while let Some(option) = more.next() {
        let value = more.next_if(|word| !word.starts_with('-'));
        // What a test itself says of an option is not said twice.
        let name = |option: &str| option.split('=').next().map(str::to_owned);
        if !options.iter().any(|said| name(said) == name(option)) {
            command.arg(option).args(value);
        }
    }
    command.arg("--").arg(program);
    command
}

/// What a program wrote.
pub fn text_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The first GPU, opened.
///
/// # Errors
/// As of [`Driver::device`].
pub fn gpu() -> Result<Device> {
    nth_gpu(0)
}

/// A GPU, opened.
///
/// # Errors
/// As of [`Driver::device`].
///
/// # Panics
/// If there are not that many.
pub fn nth_gpu(index: usize) -> Result<Device> {
    let topology = Topology::read()?;
    Driver::open()?.device(topology.gpus().nth(index).expect("as many GPUs as the test asked for"))
}

/// The copy engine for what goes to other GPUs: one for xGMI, if this GPU has any.
pub fn engine_between_gpus(gpu: Device) -> Engine {
    if gpu.node().property("num_sdma_xgmi_engines") == Some(0) { Engine::Any } else { Engine::Xgmi }
}

/// Runs the example called `name` of the crate with a GPU, whatever comes of it.
///
/// # Panics
/// If it cannot be built or started.
pub fn example(name: &str) -> Output {
    build(&["--package", "kfd", "--example", name]);
    let mut command = with_gpu(&[], &built().join("examples").join(name));
    command.stdin(Stdio::null()).output().expect("the example can be started")
}

/// The program `vgpu`, built if it is not there.
fn vgpu() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        build(&["--package", "rocm-vgpu"]);
        built().join("vgpu")
    })
}

/// Builds as this test was built, unless whoever runs it says that all is built.
fn build(what: &[&str]) {
    if std::env::var_os("KFD_TESTS_BUILT").is_some() {
        return;
    }
    let profile = if cfg!(debug_assertions) { "dev" } else { "release" };
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--quiet", "--profile", profile]).args(what).current_dir(package());
    let output = build.output().expect("cargo can be started");
    assert!(output.status.success(), "{build:?}\n{}", text_of(&output));
}

/// The folder of this package, as cargo says when it starts a test. Not the one that was compiled in: in a copy of the
/// project that is the original's.
fn package() -> PathBuf {
    std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo starts the tests").into()
}

/// Where cargo puts programs: tests are in its folder `deps`.
fn built() -> PathBuf {
    let program = std::env::current_exe().expect("a program has a path");
    program.ancestors().nth(2).expect("tests lie two folders deep").to_owned()
}

/// The module made of `kernels/NAME.cl`, loaded on `device`.
///
/// # Errors
/// As of [`Module::load`].
///
/// # Panics
/// If clang does not compile it.
pub fn module(device: Device, name: &str) -> Result<Module> {
    Module::load(device, &code_object(name, &device.node().isa()))
}

/// The code object of `kernels/NAME.cl` for an instruction set. It is compiled once, and again when the source changes.
///
/// # Panics
/// If clang does not compile it.
pub fn code_object(name: &str, isa: &str) -> Vec<u8> {
    let source = package().join("kernels").join(format!("{name}.cl"));
    compile(name, isa, &fs::read_to_string(&source).expect("the kernels are there"))
}

fn compile(name: &str, isa: &str, source: &str) -> Vec<u8> {
    let folder = built().join("kfd-tests");
    fs::create_dir_all(&folder).expect("the target folder is writable");
    let object = folder.join(format!("{name}-{isa}-{:016x}.co", digest(source)));
    if let Ok(bytes) = fs::read(&object) {
        return bytes;
    }
    let unfinished = folder.join(format!("{name}-{}.unfinished", std::process::id()));
    // Without AMD's device libraries: the kernels use the compiler's own functions.
    let mut clang = Command::new(clang());
    clang.args(["-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-nogpulib", "-O2", "-"]);
    clang
        .arg(format!("-mcpu={isa}"))
        .arg("-o")
        .arg(&unfinished)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // The compiler needs no GPU.
    clang.env_remove("LD_PRELOAD");
    let mut child = clang.spawn().unwrap_or_else(|error| panic!("{clang:?}: {error}; install clang-19 and lld-19"));
    child.stdin.take().expect("piped").write_all(source.as_bytes()).expect("clang reads its input");
    let output = child.wait_with_output().expect("clang ends");
    assert!(output.status.success(), "{clang:?}\n{}", text_of(&output));
    fs::rename(&unfinished, &object).expect("clang wrote its output");
    fs::read(&object).expect("it is there now")
}

/// Debian's compiler, ROCm's, or the one that the system has.
fn clang() -> PathBuf {
    let versions = ["/usr/lib/llvm-19/bin/clang", "/usr/lib/llvm-15/bin/clang", "/opt/rocm/llvm/bin/clang"];
    versions.iter().map(PathBuf::from).find(|path| path.exists()).unwrap_or_else(|| "clang".into())
}

/// FNV-1a: to tell versions of a source apart.
fn digest(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLIT: &str = "thread 'x' panicked\nError: copying by a kernel is not supported here: this crate has kernels for gfx908, gfx90a and gfx942, the \
        device is a gfx906; use an SdmaQueue\ntest result: FAILED";

    #[test]
    fn a_gpu_of_another_kind_may_lack_what_the_list_names() {
        let reason = unsupported(BLIT, "gfx906").expect("there are no kernels for it");
        assert!(reason.starts_with("Error: copying by a kernel is not supported here: "), "{reason}");
    }

    #[test]
    fn an_mi100_that_is_told_so_is_a_failure_and_so_is_an_answer_that_is_not_listed() {
        assert_eq!(unsupported(BLIT, "gfx908"), None);
        let other = "Error: a launch is not supported here: a bug of kfd";
        assert_eq!(unsupported(other, "gfx90a"), None);
        assert_eq!(unsupported(&format!("{BLIT}\n{other}"), "gfx906"), None);
        assert_eq!(unsupported("Error: out of memory", "gfx90a"), None);
    }

    /// An MI100 whose driver is older, or whose machine has no large BAR, is no mistake of `kfd`'s.
    #[test]
    fn what_depends_on_the_machine_may_be_lacking_on_an_mi100_too() {
        let old = "Error: exporting a dma-buf is not supported here: the driver's interface is 1.9, dma-bufs are exported from 1.12 on";
        assert_eq!(unsupported(old, "gfx908"), Some(old));
    }

    #[test]
    fn every_line_of_the_list_has_gpus_and_an_answer() {
        for line in MAY_LACK.lines().filter(|line| !line.starts_with('#')) {
            let (gpus, answer) = line.split_once(": ").unwrap_or_else(|| panic!("{line}"));
            assert!(["any", "other"].contains(&gpus), "{line}");
            assert!(
                answer.split_once(UNSUPPORTED).is_some_and(|(what, why)| !what.is_empty() && !why.is_empty()),
                "{line}"
            );
        }
    }
}
