//! Builds the virtual GPU and puts it in front of a command.
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::stack::Stack;
use crate::{processes, progress};

/// How the virtual GPU is to be: `vgpu run`'s options of the same names.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Options {
    /// Model of the virtual GPU (`vgpu info` prints them), or a list, separated by commas, of each GPU's
    #[arg(long, value_name = "MODEL")]
    pub gpu: Option<String>,
    /// Number of virtual GPUs
    #[arg(long, value_name = "N")]
    pub gpus: Option<u32>,
    /// Write what the virtual GPU does to FILE, one JSON object a line
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Faults on demand (see `vgpu run --help`)
    #[arg(long, value_name = "SPEC")]
    pub faults: Option<String>,
    /// Seed for the order in which independent work runs
    #[arg(long, value_name = "SEED")]
    pub schedule: Option<u64>,
    /// Seed for what the GPU's caches keep, which it has only with this
    #[arg(long, value_name = "SEED")]
    pub caches: Option<u64>,
    /// The host's vector instructions that kernels are executed with, if not the best that the processor has. They
    /// compute the same
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub host_isa: Option<HostIsa>,
    /// See a packet only when a doorbell at or past it rang
    #[arg(long)]
    pub strict_doorbells: bool,
    /// The hardware misbehaves as it is known to: all bugs of the GPU, or those named (see `vgpu run --help`)
    #[arg(long, value_name = "LIST", num_args = 0..=1, require_equals = true, default_missing_value = "all")]
    pub hardware_bugs: Option<String>,
}

impl Options {
    fn arguments(&self) -> Vec<OsString> {
        let mut arguments = Vec::new();
        let mut add = |name: &str, value: Option<OsString>| {
            if let Some(value) = value {
                arguments.extend([OsString::from(name), value]);
            }
        };
        add("--gpu", self.gpu.clone().map(Into::into));
        add("--gpus", self.gpus.map(|number| number.to_string().into()));
        add("--trace", self.trace.clone().map(Into::into));
        add("--faults", self.faults.clone().map(Into::into));
        add("--schedule", self.schedule.map(|seed| seed.to_string().into()));
        add("--caches", self.caches.map(|seed| seed.to_string().into()));
        add("--host-isa", self.host_isa.map(|isa| isa.name().into()));
        if self.strict_doorbells {
            arguments.push("--strict-doorbells".into());
        }
        arguments.extend(self.hardware_bugs.iter().map(|list| format!("--hardware-bugs={list}").into()));
        arguments
    }
}

/// Vector instructions of the host, as levels of x86-64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum HostIsa {
    /// What all processors have
    Baseline,
    /// AVX2 and others
    V3,
    /// AVX-512
    V4,
}

impl HostIsa {
    /// What `gcn` reads it from.
    const VARIABLE: &str = "GCN_HOST_ISA";

    /// The name on command lines and in the variable.
    pub fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::V3 => "v3",
            Self::V4 => "v4",
        }
    }

    /// Has all that this process starts from now on use these instructions. `gcn` and `vgpu` refuse what the processor
    /// lacks.
    pub fn hide_better_ones(self) {
        // SAFETY: commands call this before they start threads, so no other one reads the environment.
        unsafe { std::env::set_var(Self::VARIABLE, self.name()) };
    }

    /// Gives them to one command alone.
    pub fn of_command(self, command: &mut Command) {
        command.env(Self::VARIABLE, self.name());
    }

    /// What this process and all that it starts use: the processor's best, unless the variable names less.
    pub fn in_use() -> Self {
        let named =
            std::env::var(Self::VARIABLE).ok().and_then(|name| <Self as clap::ValueEnum>::from_str(&name, false).ok());
        named.map_or(Self::of_processor(), |named| named.min(Self::of_processor()))
    }

    /// As `Simd::best` of `gcn-alu`.
    #[cfg(target_arch = "x86_64")]
    fn of_processor() -> Self {
        let v3 = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt");
        let v4 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        match (v3, v4) {
            (true, true) => Self::V4,
            (true, false) => Self::V3,
            _ => Self::Baseline,
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn of_processor() -> Self {
        Self::Baseline
    }
}

/// Which build of the virtual GPU to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    /// The one that tests use: with overflow and debug checks, shared with `cargo test`.
    Checked,
    /// For times that are looked at: the demo and the benchmarks.
    Release,
}

fn cargo_build(package: &str, build: Build) -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--package", package]).current_dir(root());
    if build == Build::Release {
        cargo.arg("--release");
    }
    cargo
}

/// Builds with `cargo` (`cargo build` of some package) and gives the program `name`. `shown` is what the user reads
/// meanwhile.
pub fn built(cargo: &mut Command, name: &str, shown: &str) -> Result<PathBuf> {
    Artifacts::build(cargo, shown)?.program(name)
}

/// What cargo says that it built.
#[derive(Debug)]
pub struct Artifacts(Vec<Value>);

impl Artifacts {
    /// Makes cargo say it, on standard output.
    const MESSAGES: &str = "--message-format=json-render-diagnostics";

    /// Builds with `cargo`. `shown` is what the user reads meanwhile.
    pub fn build(cargo: &mut Command, shown: &str) -> Result<Self> {
        let messages = progress::output(&format!("building {shown}"), cargo.arg(Self::MESSAGES))?;
        Ok(Self::of(messages.iter().map(String::as_str)))
    }

    /// Builds the tests, or benchmarks, of `cargo` (`cargo test`, `cargo bench`) without running them. The user reads
    /// what cargo says meanwhile.
    pub fn build_tests(cargo: &mut Command) -> Result<Self> {
        cargo.args(["--no-run", Self::MESSAGES]).stdin(Stdio::null()).stderr(Stdio::inherit());
        let shown = progress::display(cargo);
        let output = processes::dies_with_us(cargo).output().context("cannot start cargo")?;
        if !output.status.success() {
            bail!("`{shown}` failed");
        }
        let artifacts = Self::of(String::from_utf8_lossy(&output.stdout).lines());
        if artifacts.tests().is_empty() {
            bail!("`{shown}` built no test");
        }
        Ok(artifacts)
    }

    fn of<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        let messages = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        Self(messages.filter(|message| message["reason"] == "compiler-artifact").collect())
    }

    /// The programs with tests or benchmarks, ordered by their paths.
    pub fn tests(&self) -> Vec<Program> {
        let tests = self.0.iter().filter(|artifact| artifact["profile"]["test"] == true);
        let mut programs: Vec<_> = tests.filter_map(program_of).collect();
        programs.sort();
        programs
    }

    /// The program `name`, which is no test. Where it is depends on the user's settings too: the target folder, the
    /// target triple.
    pub fn program(&self, name: &str) -> Result<PathBuf> {
        let is_program = |artifact: &&Value| artifact["target"]["name"] == name && artifact["profile"]["test"] != true;
        let program = self.0.iter().filter(is_program).find_map(program_of);
        program.map(|program| program.path).with_context(|| format!("cargo built no program {name}"))
    }

    /// The library of `package` that programs load.
    pub fn library(&self, package: &str) -> Result<PathBuf> {
        let target = package.replace('-', "_");
        let mut files =
            self.0.iter().filter(|artifact| artifact["target"]["name"] == target.as_str()).filter_map(|artifact| {
                // The one to load, of those that cargo built.
                let mut files = artifact["filenames"].as_array()?.iter().filter_map(Value::as_str).map(PathBuf::from);
                files.find(|file| file.extension().is_some_and(|extension| extension == "so"))
            });
        files.next().with_context(|| format!("cargo built no library of {package}"))
    }
}

/// The program of one of cargo's messages.
fn program_of(artifact: &Value) -> Option<Program> {
    Some(Program {
        path: artifact["executable"].as_str()?.into(),
        folder: Path::new(artifact["manifest_path"].as_str()?).parent()?.to_owned(),
    })
}

/// A program that cargo built.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Program {
    /// Where it is.
    pub path: PathBuf,
    /// The package's folder, where cargo runs its tests.
    pub folder: PathBuf,
}

impl Program {
    /// The program of a test, as cargo would start it.
    pub fn in_its_folder<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder)
    }
}

/// Builds the recorder and the library that it loads in front of programs, and gives the program.
pub fn rocm_trace(build: Build) -> Result<PathBuf> {
    built(&mut cargo_build("rocm-trace", build), "rocm-trace", "the recorder")
}

/// Builds the OpenCL layer and gives its library.
pub fn external_memory_layer(build: Build) -> Result<PathBuf> {
    built_library("cl-external-memory", build, "the OpenCL layer")
}

/// Builds the library of HIP's external semaphores and gives it.
pub fn external_semaphores_library(build: Build) -> Result<PathBuf> {
    built_library("hip-external-semaphores", build, "HIP's external semaphores")
}

/// Builds a package that is a library to load, and gives the library.
fn built_library(package: &str, build: Build, shown: &str) -> Result<PathBuf> {
    Artifacts::build(&mut cargo_build(package, build), shown)?.library(package)
}

/// Compiling in the background while something else waits for the network, stopped when dropped. Whoever builds the
/// same meanwhile or afterwards gets what is done already, and shows the errors.
pub struct Ahead(Child);

impl Ahead {
    /// Begins.
    pub fn start(cargo: &mut Command) -> Result<Self> {
        cargo.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Self(processes::dies_with_us(cargo).spawn().context("cannot start cargo")?))
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        // Not cargo alone: a compiler that it started would go on, and write files that another one writes by then.
        processes::kill_with_descendants(self.0.id());
        _ = self.0.wait();
    }
}

/// The `vgpu` program, built.
#[derive(Clone, Debug)]
pub struct Vgpu {
    program: PathBuf,
}

impl Vgpu {
    /// Begins to build.
    pub fn build_ahead(build: Build) -> Result<Ahead> {
        Ahead::start(&mut cargo_build("rocm-vgpu", build))
    }

    /// Builds the program and the library it loads in front of others.
    pub fn build(build: Build) -> Result<Self> {
        Self::of(&Artifacts::build(&mut cargo_build("rocm-vgpu", build), "the virtual GPU")?)
    }

    /// The one among what cargo built.
    pub fn of(built: &Artifacts) -> Result<Self> {
        Ok(Self { program: built.program("vgpu")? })
    }

    /// Where the program is.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The instruction set of a model, as compilers call it.
    ///
    /// # Errors
    /// If there is no such model.
    pub fn isa(&self, model: &str) -> Result<String> {
        let output =
            Command::new(&self.program).args(["info", "--gpu", model]).output().context("cannot start vgpu")?;
        let text = String::from_utf8_lossy(&output.stdout);
        let isa = text.lines().find_map(|line| line.strip_prefix("instruction set"));
        match isa {
            Some(isa) => Ok(isa.trim().to_owned()),
            None => bail!("{}", String::from_utf8_lossy(&output.stderr).trim()),
        }
    }

    /// `vgpu check OPTIONS`, to which more options of it, a program and its arguments are to be added.
    pub fn check_words(&self, options: &Options) -> Vec<OsString> {
        let mut words = vec![self.program.clone().into(), "check".into()];
        words.extend(options.arguments());
        words
    }

    /// `vgpu run OPTIONS --`, to which a program and its arguments are to be added.
    pub fn words(&self, options: &Options) -> Vec<OsString> {
        let mut words = vec![self.program.clone().into(), "run".into()];
        words.extend(options.arguments());
        words.push("--".into());
        words
    }
}

/// Variables that choose among the machine's GPUs, or change how one is used.
const OF_THE_MACHINES_GPUS: [&str; 8] = [
    "CUDA_VISIBLE_DEVICES",
    "GPU_DEVICE_ORDINAL",
    "HIP_VISIBLE_DEVICES",
    "HSA_OVERRIDE_GFX_VERSION",
    "HSA_XNACK",
    "KFD_TESTS_DEVICE",
    "OCL_ICD_VENDORS",
    "ROCR_VISIBLE_DEVICES",
];

/// Takes what the user has set for the machine's own GPUs from this process's environment, and so from all that it
/// starts. The OpenCL stays for the ROCm that the user installed, which may not be found otherwise.
pub fn leave_out_the_machines_gpus(stack: Stack) {
    for name in OF_THE_MACHINES_GPUS.into_iter().filter(|name| *name != "OCL_ICD_VENDORS" || stack != Stack::Host) {
        if std::env::var_os(name).is_some() {
            eprintln!("{name} is set, for the machine's own GPUs; it is left out for the virtual one");
            // SAFETY: commands call this before they start threads, so no other one reads the environment.
            unsafe { std::env::remove_var(name) };
        }
    }
}

static ROOT: OnceLock<PathBuf> = OnceLock::new();

/// Looks for the project's folder, which [`root`] then gives: that of the package that cargo runs this program of, or
/// the one that the working folder is in. It is not compiled in, as a copy of the project has this program of the
/// original until something changes.
///
/// # Errors
/// If there is none.
pub fn find_root() -> Result<()> {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let working = std::env::current_dir().context("cannot ask for the working folder")?;
    let found = package.iter().chain([&working]).find_map(|folder| project_around(folder));
    let found = found.with_context(|| {
        format!(
            "{} is not in the project, and cargo did not start this program: run `cargo xtask` in the project's folder",
            working.display()
        )
    })?;
    _ = ROOT.set(found);
    Ok(())
}

/// The folder of a workspace with this package that `folder` is in.
fn project_around(folder: &Path) -> Option<PathBuf> {
    let is_project = |folder: &&Path| ["Cargo.toml", "xtask/Cargo.toml"].iter().all(|file| folder.join(file).is_file());
    folder.ancestors().find(is_project).map(Path::to_owned)
}

/// The project's folder.
///
/// # Panics
/// Where [`find_root`], which `main` calls first, would fail.
pub fn root() -> &'static Path {
    if ROOT.get().is_none() {
        find_root().expect("tests run in the project");
    }
    ROOT.get().expect("it was found")
}

/// Where cargo puts what it builds, by the user's environment and settings.
///
/// # Errors
/// If cargo cannot be asked.
pub fn target_folder() -> Result<PathBuf> {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    if let Some(folder) = FOLDER.get() {
        return Ok(folder.clone());
    }
    let metadata = metadata()?;
    let folder = metadata["target_directory"].as_str().context("cargo's metadata names no target folder")?;
    Ok(FOLDER.get_or_init(|| folder.into()).clone())
}

/// What cargo says of the workspace.
///
/// # Errors
/// If it cannot be asked.
pub fn metadata() -> Result<Value> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root()).args(["metadata", "--no-deps", "--format-version", "1"]).stderr(Stdio::inherit());
    let output = cargo.output().context("cannot start cargo")?;
    serde_json::from_slice(&output.stdout).context("cannot read cargo's metadata")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// The user's settings may lead cargo elsewhere, while an older build is still where it usually is.
    #[test]
    fn a_program_is_the_one_that_was_just_built() {
        let folder = std::env::temp_dir().join(format!("xtask-built-{}", std::process::id()));
        let manifest = "[package]\nname = 'which'\nedition = '2021'\n[workspace]\n";
        let old = folder.join("target/debug/which");
        for (path, text) in
            [(folder.join("Cargo.toml"), manifest), (folder.join("src/main.rs"), "fn main() {}"), (old, "old")]
        {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let cargo = |command: &str| {
            let mut cargo = Command::new(env!("CARGO"));
            cargo.arg(command).current_dir(&folder).env_remove("CARGO_TARGET_DIR");
            cargo.env("CARGO_BUILD_TARGET_DIR", "elsewhere");
            cargo.env("CARGO_BUILD_TARGET", format!("{}-unknown-linux-gnu", std::env::consts::ARCH));
            cargo
        };
        let program = built(&mut cargo("build"), "which", "a test's program").unwrap();
        assert!(program.starts_with(folder.join("elsewhere")), "{}", program.display());
        assert!(Command::new(&program).status().unwrap().success());
        let error = built(&mut cargo("build"), "other", "a test's program").unwrap_err().to_string();
        assert!(error.ends_with("built no program other"), "{error}");
        let tests = Artifacts::build_tests(&mut cargo("test")).unwrap();
        assert_ne!(tests.tests()[0].path, program);
        assert_eq!(tests.tests().iter().map(|test| &test.folder).collect::<Vec<_>>(), [&folder]);
        fs::remove_dir_all(&folder).unwrap();
    }
}
