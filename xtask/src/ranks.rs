//! `cargo xtask ranks`: the example of several ranks, started by Open MPI on virtual GPUs of their own.
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::apt;
use crate::stack::{More, Stack};
use crate::vgpu::{self, Artifacts, Build, Vgpu};

/// What the crate `mpi` needs to be built.
const HOST_PACKAGES: &[&str] = &["libclang-common-19-dev", "libclang1-19", "libopenmpi-dev"];

/// What the example's tree has beyond the stack's.
fn more(stack: Stack) -> Result<More> {
    let packages: &[&str] = match stack {
        Stack::Trixie => &["librccl1", "openmpi-bin"],
        // Whose tree takes what is not named from unstable, which has an older one.
        Stack::Experimental => &["librccl1/experimental", "openmpi-bin"],
        other => bail!("Debian has no RCCL for the stack {}: choose trixie or experimental", other.name()),
    };
    Ok(More { name: "ranks", packages, wheels: &[] })
}

/// Builds the example `tests/ranks` and tests it: ranks started by Open MPI, each with a virtual GPU, add by RCCL what
/// OpenCL wrote.
///
/// The example is no part of the workspace, because the crate `mpi` needs Open MPI's compiler and libclang to be built;
/// both are installed (as root, else it says what to install). RCCL and `mpirun` are Debian's, in a tree beside the
/// stack's (about 0.4 GB more).
#[derive(clap::Args)]
pub struct Args {
    /// Which stack: trixie, with RCCL 2.13, or experimental, with 2.27
    #[arg(long, value_enum, default_value_t = Stack::Trixie)]
    stack: Stack,
    /// Make the tree anew, even if it is there
    #[arg(long)]
    renew: bool,
    /// Arguments for the test program, such as a part of a test's name
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<String>,
}

/// Runs the command line.
pub fn main(args: Args) -> Result<()> {
    let more = more(args.stack)?;
    apt::ensure(HOST_PACKAGES, "building a program that uses MPI")?;
    let ahead = Vgpu::build_ahead(Build::Checked)?;
    let stack = args.stack.prepare()?.with(&more, args.renew)?;
    drop(ahead);
    let vgpu = Vgpu::build(Build::Checked)?;
    let target = vgpu::target_folder()?;
    let sources = vgpu::root().join("tests/ranks");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["test", "--no-run", "--locked", "--test", "on_gpus"]).current_dir(&sources);
    // Debian has libclang where no loader looks.
    cargo.env("CARGO_TARGET_DIR", target.join("ranks")).env("LIBCLANG_PATH", "/usr/lib/llvm-19/lib");
    let built = Artifacts::build(&mut cargo, "the example of several ranks")?.tests();
    let program = built.first().context("cargo built no test of the example of several ranks")?;
    let mut tests = stack.command(&[], &program.path)?;
    // Each has up to four processes and as many GPUs.
    tests.arg("--test-threads=1").args(&args.arguments).current_dir(&sources).stdin(Stdio::null());
    tests.env("STACK_TESTS_STACK", args.stack.name()).env("STACK_TESTS_TARGET", &target);
    let status = tests.env("STACK_TESTS_VGPU", vgpu.program()).status().context("cannot start the tests")?;
    if status.success() { Ok(()) } else { bail!("the tests failed: {status}") }
}
