//! One kernel, its arguments, and the two ways to run it.

// The benchmarks use a part of this.
#![allow(dead_code)]

use gcn::target::Target;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A kernel argument.
#[derive(Clone, Debug)]
pub enum Arg {
    /// A buffer of these bytes, read and written.
    Buffer(Vec<u8>),
    /// A value of 1, 2, 4, 8 or 16 bytes.
    Value(Vec<u8>),
    /// Local memory of this size.
    Local(u32),
    /// An image, read and written.
    Image(Picture),
}

/// An image.
#[derive(Clone, Debug)]
pub struct Picture {
    pub kind: Kind,
    pub format: Format,
    /// Width, height, and depth or slices of an array of planes; 1 where there is no such.
    pub size: [u32; 3],
    /// Rows without gaps.
    pub texels: Vec<u8>,
}

/// What kind of image it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Plane,
    Volume,
    Planes,
}

/// Formats that both sides have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    RgbaUnorm8,
    RgbaUint8,
    BgraUnorm8,
    RgbaSint16,
    RgbaHalf,
    RUint32,
    RgbaFloat,
}

impl Format {
    /// Bytes of a texel.
    pub fn bytes(self) -> usize {
        match self {
            Format::RgbaUnorm8 | Format::RgbaUint8 | Format::BgraUnorm8 | Format::RUint32 => 4,
            Format::RgbaSint16 | Format::RgbaHalf => 8,
            Format::RgbaFloat => 16,
        }
    }
}

impl Arg {
    /// A buffer of `T`s.
    pub fn buffer<T: Bytes>(values: &[T]) -> Arg {
        Arg::Buffer(values.iter().flat_map(|v| v.bytes()).collect())
    }

    /// A scalar.
    pub fn value<T: Bytes>(value: T) -> Arg {
        Arg::Value(value.bytes())
    }
}

/// Numbers as memory holds them.
pub trait Bytes: Copy {
    fn bytes(self) -> Vec<u8>;
}

macro_rules! bytes {
    ($($t:ty)*) => {
        $(impl Bytes for $t {
            fn bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
        })*
    };
}
bytes!(u8 u16 u32 u64 i32 i64 f32 f64);

/// What to run: OpenCL C source, the kernel in it, its range and arguments.
#[derive(Clone, Debug)]
pub struct Run {
    pub source: String,
    pub kernel: &'static str,
    pub global: [u32; 3],
    pub local: [u32; 3],
    pub args: Vec<Arg>,
}

/// Options for both compilers. No contraction: fused multiply-add only where the source asks for it.
pub const OPTIONS: &str = "-cl-std=CL2.0 -cl-fp32-correctly-rounded-divide-sqrt";

fn tool(name: &str) -> PathBuf {
    let versioned = PathBuf::from(format!("/usr/lib/llvm-19/bin/{name}"));
    if versioned.exists() { versioned } else { PathBuf::from(name) }
}

/// Compiles `source` for gfx908. The code object's bytes.
pub fn compile(source: &str, options: &[&str]) -> Result<Vec<u8>, String> {
    compile_for(Target::Gfx908, source, options)
}

/// Compiles `source` for `target`. The code object's bytes.
pub fn compile_for(target: Target, source: &str, options: &[&str]) -> Result<Vec<u8>, String> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let output = std::env::temp_dir().join(format!("gcn-test-{}-{number}.o", std::process::id()));
    let mut command = Command::new(tool("clang"));
    command.args([
        "-x",
        "cl",
        "-target",
        "amdgcn-amd-amdhsa",
        &format!("-mcpu={target}"),
        "-O2",
        "-Xclang",
        "-finclude-default-header",
    ]);
    command.args(["-ffp-contract=off", "-Wno-unused-command-line-argument"]);
    command.args(OPTIONS.split(' '));
    if let Some(folder) = device_libraries() {
        command.args(with_libraries(target, &folder));
    }
    command.args(options).arg("-").arg("-o").arg(&output);
    let mut child = command
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("{command:?} does not start: {e}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(source.as_bytes()).map_err(|e| e.to_string())?;
    }
    let result = child.wait_with_output().map_err(|e| e.to_string())?;
    if !result.status.success() {
        return Err(format!("{}\n{source}", String::from_utf8_lossy(&result.stderr)));
    }
    let bytes = std::fs::read(&output).map_err(|e| e.to_string());
    std::fs::remove_file(&output).map_err(|e| e.to_string())?;
    bytes
}

/// The ROCm device libraries where Debian has them; other systems' compilers know theirs.
fn device_libraries() -> Option<PathBuf> {
    let debian = PathBuf::from("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode");
    debian.exists().then_some(debian)
}

/// What makes the compiler link the libraries in `folder`. Those of Debian 12 have a constant for gfx940 and none for
/// gfx942, which has the same instructions: then they are named one by one.
fn with_libraries(target: Target, folder: &Path) -> Vec<String> {
    let constant = |number: &str| folder.join(format!("oclc_isa_version_{number}.bc"));
    let number = target.name().trim_start_matches("gfx");
    if constant(number).exists() || target != Target::Gfx942 {
        return vec![format!("--rocm-device-lib-path={}", folder.display())];
    }
    let names = [
        "opencl",
        "ocml",
        "ockl",
        "oclc_daz_opt_off",
        "oclc_unsafe_math_off",
        "oclc_finite_only_off",
        "oclc_correctly_rounded_sqrt_on",
        "oclc_wavefrontsize64_on",
        "oclc_abi_version_500",
    ];
    let files = names.iter().map(|name| folder.join(format!("{name}.bc"))).chain([constant("940")]);
    let link = |file: PathBuf| {
        ["-Xclang".into(), "-mlink-builtin-bitcode".into(), "-Xclang".into(), file.display().to_string()]
    };
    [String::from("-nogpulib")].into_iter().chain(files.flat_map(link)).collect()
}

/// Why nothing can be compiled here, if so.
pub fn missing() -> Option<String> {
    compile("kernel void f(global float *p) { *p = sin(*p); }", &[]).err()
}
