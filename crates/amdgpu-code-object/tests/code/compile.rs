//! Compiles the tests' sources with Debian's clang.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The source of most tests.
pub const KERNELS: &str = include_str!("kernels/kernels.cl");
/// An assembly source.
pub const BY_HAND: &str = include_str!("kernels/by_hand.s");

/// A program of LLVM: Debian's of the version that knows what is asked, else what is in the path.
pub fn tool(name: &str, version: u32) -> PathBuf {
    let debian = PathBuf::from(format!("/usr/lib/llvm-{version}/bin/{name}"));
    if debian.exists() { debian } else { PathBuf::from(name) }
}

/// The LLVM that still writes a code object version; 19 does from 4 on.
pub fn llvm_for(code_object_version: u32) -> u32 {
    if code_object_version == 3 { 15 } else { 19 }
}

/// Runs a compiler on a source. Its output file, or why nothing can be compiled here.
///
/// # Panics
/// If it compiles other sources, but not this one.
fn run(command: Command, source: &str, version: u32) -> Result<Vec<u8>, String> {
    static WORKS: [OnceLock<bool>; 7] = [const { OnceLock::new() }; 7];
    let works = || {
        let command = opencl_command("gfx908", version);
        *WORKS[version as usize].get_or_init(|| try_run(command, "kernel void nothing(void) {}").is_ok())
    };
    try_run(command, source).map_err(|reason| if works() { panic!("{reason}") } else { reason })
}

fn try_run(mut command: Command, source: &str) -> Result<Vec<u8>, String> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let output = std::env::temp_dir().join(format!("amdgpu-code-object-test-{}-{number}", std::process::id()));
    command.arg("-o").arg(&output).stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("{command:?} does not start: {error}"))?;
    child.stdin.take().expect("a pipe").write_all(source.as_bytes()).map_err(|error| error.to_string())?;
    let result = child.wait_with_output().map_err(|error| error.to_string())?;
    if !result.status.success() {
        return Err(format!("{command:?}: {}", String::from_utf8_lossy(&result.stderr)));
    }
    let bytes = std::fs::read(&output).map_err(|error| error.to_string());
    std::fs::remove_file(&output).map_err(|error| error.to_string())?;
    bytes
}

fn opencl_command(target: &str, version: u32) -> Command {
    let mut command = Command::new(tool("clang", llvm_for(version)));
    command.args(["-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-nogpulib", "-"]);
    command.arg(format!("-mcpu={target}")).arg(format!("-mcode-object-version={version}"));
    command
}

/// Compiles OpenCL C for `target` to a code object of a version.
pub fn opencl(source: &str, target: &str, version: u32, options: &[&str]) -> Result<Vec<u8>, String> {
    let mut command = opencl_command(target, version);
    // The last option for the optimisation counts.
    command.arg("-O2").args(options);
    run(command, source, version)
}

/// Compiles C, which has recursion and calls by pointer.
pub fn c(source: &str, version: u32) -> Result<Vec<u8>, String> {
    let mut command = Command::new(tool("clang", llvm_for(version)));
    command.args(["-x", "c", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx908", "-nogpulib", "-O2", "-"]);
    command.arg(format!("-mcode-object-version={version}"));
    run(command, source, version)
}

/// The usual source as a code object of a version for any gfx908.
pub fn kernels(version: u32) -> Result<Vec<u8>, String> {
    opencl(KERNELS, "gfx908", version, &[])
}

/// Assembles and links, for gfx908.
pub fn assembly(source: &str) -> Result<Vec<u8>, String> {
    assembly_for("gfx908:sramecc+:xnack-", source)
}

/// Assembles and links.
pub fn assembly_for(target: &str, source: &str) -> Result<Vec<u8>, String> {
    let mut command = Command::new(tool("clang", 19));
    command.args(["-x", "assembler", "-target", "amdgcn-amd-amdhsa", "-"]).arg(format!("-mcpu={target}"));
    run(command, source, 5)
}

/// A file that is there while the value lives, for programs that want a name.
pub struct Temporary(PathBuf);

impl Temporary {
    pub fn new(bytes: &[u8]) -> Temporary {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("amdgpu-code-object-file-{}-{number}", std::process::id()));
        std::fs::write(&path, bytes).expect("a temporary file");
        Temporary(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).expect("the temporary file");
    }
}

/// What a program of LLVM 19 prints about a file.
pub fn printed(name: &str, arguments: &[&str], bytes: &[u8]) -> String {
    let file = Temporary::new(bytes);
    let output = Command::new(tool(name, 19)).args(arguments).arg(file.path()).output().expect("LLVM's tools");
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Takes what was compiled, or skips the test.
#[macro_export]
macro_rules! compiled {
    ($result:expr) => {
        match $result {
            Ok(bytes) => bytes,
            Err(reason) => test_skip::skip!("{reason}"),
        }
    };
}
