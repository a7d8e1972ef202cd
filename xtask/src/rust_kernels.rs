//! `cargo xtask rust-kernels`: kernels in Rust, built by Debian's compiler and run on the virtual GPU.
mod core_tests;

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::progress;
use crate::stack::{self, Prepared};
use crate::vgpu::{self, Build, Options, Vgpu};

/// Where the tree has the sources of `core`, its tests and the crates that these use.
const LIBRARY: &str = "/usr/lib/rustlib/src/rust/library";

/// Builds kernels in Rust and tests them on the virtual GPU: tests that run there, parts of `core`'s own among them,
/// and launches by `kfd`.
///
/// The compiler, `core`'s sources and the linker are Debian forky's, in a tree in the user's cache folder, made on
/// first use (about 1.4 GB). No C compiler and no library of AMD's takes part.
#[derive(clap::Args)]
pub struct Args {
    /// Make the tree anew, even if it is there
    #[arg(long)]
    renew: bool,
    /// Leave out the tests of `core`, whose code takes the longest to generate
    #[arg(long)]
    no_core: bool,
}

/// Runs the command line.
pub fn main(args: Args) -> Result<()> {
    let ahead = Vgpu::build_ahead(Build::Checked)?;
    let tree = stack::rust(args.renew)?;
    drop(ahead);
    let device = Compiler::new(tree)?;
    let sources = vgpu::root().join("tests/rust-kernels");
    device.fetch_crates(&sources)?;

    let mut failed = Vec::new();
    let tests = "the kernels' own tests, on the GPU";
    failed.extend(part(tests, device.cargo("test", &sources)?)?);
    let mut failing = device.cargo("test", &sources)?;
    failing.args(["--features", "failing", "--", "failing::", "--limit", "3"]);
    if !fails_as_expected(failing)? {
        failed.push("tests that fail, told by the runner");
    }
    progress::run("building the kernels", &mut device.cargo("build", &sources)?)?;
    let mut host = Command::new(env!("CARGO"));
    host.current_dir(vgpu::root()).args(["test", "--package", "kfd-tests", "--test", "rust_kernels"]);
    host.env("KFD_TESTS_RUST_KERNELS", device.target().join("amdgcn-amd-amdhsa/debug/kernels.elf"));
    failed.extend(part("launches by kfd, compared with the host", host)?);
    if !args.no_core {
        let package = core_tests::write(&device.library()?, &device.folder)?;
        failed.extend(part("core's own tests, on the GPU", device.cargo("test", &package)?)?);
    }
    if failed.is_empty() { Ok(()) } else { bail!("failed: {}", failed.join("; ")) }
}

/// Runs a part of the tests, and gives its name if it failed.
fn part(what: &'static str, mut command: Command) -> Result<Option<&'static str>> {
    eprintln!("     Running {what}");
    let status = command.status().with_context(|| format!("cannot start `{}`", progress::display(&command)))?;
    Ok((!status.success()).then_some(what))
}

/// What the runner says of the tests that fail (`failing` of `tests/rust-kernels/kernels/src/tests.rs`).
const FAILURES: &[&str] = &[
    "test tests::failing::does_not_panic - should panic ... FAILED",
    "it should panic, and did not",
    "test tests::failing::is_ignored ... ignored",
    "test tests::failing::never_ends ... FAILED",
    "not done within 3",
    "test tests::failing::panics ... FAILED",
    "assertion `left == right` failed: there is nothing",
    "test tests::failing::panics_with_another_message - should panic ... FAILED",
    "it should panic, and say \"something else\"",
    "test tests::failing::passes_beside_them ... ok",
    "test tests::failing::returns_an_error ... FAILED",
    "Error: ParseIntError { kind: InvalidDigit }",
    "test tests::failing::traps ... FAILED",
    "a trap; drop that queue and make another",
    "test result: FAILED. 1 passed; 6 failed; 1 ignored; 0 measured; 5 filtered out; finished in ",
];

/// Whether a run fails with just these words.
fn fails_as_expected(mut command: Command) -> Result<bool> {
    eprintln!("     Running tests that fail");
    let output = command.stderr(Stdio::inherit()).output().context("cannot start cargo in the tree")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let missing: Vec<_> = FAILURES.iter().filter(|words| !text.contains(**words)).collect();
    let fine = output.status.code() == Some(101) && missing.is_empty();
    if !fine {
        eprintln!("{text}\n{}: missing are {missing:#?}", output.status);
    }
    Ok(fine)
}

/// The compiler for the GPU, with all that it needs.
struct Compiler {
    tree: Prepared,
    /// The description of the target.
    target: PathBuf,
    /// The runner with its arguments, as cargo's variable has them.
    runner: OsString,
    /// Where everything is written to.
    folder: PathBuf,
}

impl Compiler {
    fn new(tree: Prepared) -> Result<Compiler> {
        let folder = vgpu::target_folder()?.join("rust-kernels");
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--package", "kfd-runner"]).current_dir(vgpu::root());
        let program = vgpu::built(&mut build, "kfd-runner", "the runner")?;

        let mut describe = tree.command(&[], &program)?;
        let output = describe.args(["target", "gfx908"]).output().context("cannot start the runner")?;
        if !output.status.success() {
            bail!("{}", String::from_utf8_lossy(&output.stderr).trim_end());
        }
        let target = folder.join("amdgcn-amd-amdhsa.json");
        write_if_changed(&target, &output.stdout)?;

        let mut words = Vgpu::build(Build::Checked)?.words(&Options::default());
        words.extend([program.into(), "run".into()]);
        if words.iter().any(|word| word.as_encoded_bytes().contains(&b' ')) {
            bail!(
                "the target folder's path has a space, at which cargo would split the runner: choose another by CARGO_TARGET_DIR"
            );
        }
        Ok(Compiler { tree, target, runner: words.join(" ".as_ref()), folder })
    }

    /// cargo's own target folder for the GPU.
    fn target(&self) -> PathBuf {
        self.folder.join("target")
    }

    /// Where cargo finds the crates of others: nothing is fetched in the tree.
    fn crates(&self) -> PathBuf {
        self.folder.join("crates")
    }

    /// Puts links there to the crates that the workspace in `sources` is locked to, which are fetched, and to those of
    /// the compiler's sources.
    fn fetch_crates(&self, sources: &Path) -> Result<()> {
        let fetched = self.folder.join("fetched");
        let mut vendor = Command::new(env!("CARGO"));
        vendor.args(["vendor", "--locked", "--quiet", "--versioned-dirs", "--manifest-path"]);
        vendor.arg(sources.join("Cargo.toml")).arg(&fetched);
        progress::run("fetching the crates that the kernels use", &mut vendor)?;
        stack::remove(&self.crates())?;
        fs::create_dir_all(self.crates()).with_context(|| format!("cannot make {}", self.crates().display()))?;
        let inside = Path::new(LIBRARY).join("vendor");
        let of_compiler = self.library()?.join("vendor");
        for (folder, shown) in [(&fetched, &fetched), (&of_compiler, &inside)] {
            for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
                let name = entry?.file_name();
                symlink(shown.join(&name), self.crates().join(&name)).context("cannot link a crate")?;
            }
        }
        Ok(())
    }

    /// Where the host has [`LIBRARY`].
    fn library(&self) -> Result<PathBuf> {
        self.tree.path(LIBRARY).context("the compiler is not in a tree")
    }

    /// `cargo COMMAND` in `folder`, for the GPU.
    fn cargo(&self, command: &str, folder: &Path) -> Result<Command> {
        let mut cargo = self.tree.command(&[], "cargo")?;
        cargo.current_dir(folder).args([command, "--offline", "--target"]).arg(&self.target);
        cargo.args([
            "-Zjson-target-spec",
            "-Zbuild-std=core,alloc",
            "--config",
            r#"source.crates-io.replace-with="vendored""#,
        ]);
        cargo.arg("--config").arg(format!("source.vendored.directory={:?}", self.crates().display().to_string()));
        cargo
            .env("RUSTC_BOOTSTRAP", "1")
            .env("CARGO_TARGET_DIR", self.target())
            .env("CARGO_HOME", self.folder.join("home"));
        cargo.env("CARGO_TARGET_AMDGCN_AMD_AMDHSA_RUNNER", &self.runner);
        // Debian's rustc comes without the linker that the target names.
        cargo.env("CARGO_TARGET_AMDGCN_AMD_AMDHSA_LINKER", "ld.lld");
        Ok(cargo)
    }
}

/// Writes a file whose age tells cargo what to build again.
fn write_if_changed(path: &Path, content: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|old| old == content) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))
}
