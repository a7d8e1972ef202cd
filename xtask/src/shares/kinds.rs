//! What a sample was taken in, by the names of its thread, library and function.

use std::fmt;

use anyhow::{Context, Result};

/// Samples that `perf` took in one function of one thread's name.
#[derive(Debug, PartialEq, Eq)]
pub struct Sample {
    pub count: u64,
    /// The thread's name.
    pub thread: String,
    /// The file that the code is of, without its folder.
    pub file: String,
    pub function: String,
}

impl Sample {
    /// A line of `perf report` with tabs between its fields.
    pub fn parse(line: &str) -> Result<Sample> {
        let mut fields = line.splitn(4, '\t').map(str::trim);
        let mut field = || fields.next().with_context(|| format!("perf printed a line of another form: {line:?}"));
        let count = field()?;
        let count = count.parse().with_context(|| format!("perf printed {count:?} as a number of samples"))?;
        let (thread, file, function) = (field()?, field()?, field()?);
        // In front of the name: whether it is the kernel's.
        let function = function.split_once("] ").map_or(function, |(_, name)| name);
        Ok(Sample { count, thread: thread.to_owned(), file: file.to_owned(), function: function.to_owned() })
    }
}

/// Who runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    Device,
    Driver,
    Runtime,
    Apis,
    Libraries,
    Compilers,
    Kernel,
    Program,
}

impl Kind {
    pub const ALL: [Kind; 8] = [
        Kind::Device,
        Kind::Driver,
        Kind::Runtime,
        Kind::Apis,
        Kind::Libraries,
        Kind::Compilers,
        Kind::Kernel,
        Kind::Program,
    ];

    /// Nothing for what builds and starts programs here.
    pub fn of(sample: &Sample) -> Option<Kind> {
        const TOOLS: [&str; 6] = ["cargo", "rustc", "xtask", "perf", "bwrap", "ld"];
        const COMPILERS: [&str; 6] = ["clang", "lld", "ld.lld", "hipcc", "llc", "opt"];
        let starts = |text: &str, names: &[&str]| names.iter().any(|name| text.starts_with(name));
        let (thread, file) = (sample.thread.as_str(), sample.file.as_str());
        Some(if TOOLS.contains(&thread) {
            return None;
        } else if thread.starts_with("vgpu-") {
            Kind::Device
        } else if starts(thread, &COMPILERS) || starts(file, &["libamd_comgr", "libLLVM", "libclang", "liblld"]) {
            Kind::Compilers
        } else if starts(file, &["libvgpu"]) {
            Kind::Driver
        } else if starts(file, &["libhsa-runtime64", "libhsakmt", "librocprofiler-register"]) {
            Kind::Runtime
        } else if starts(file, &["libamdhip64", "libhiprtc", "libamdocl64", "libOpenCL"]) {
            Kind::Apis
        } else if starts(file, &["libroc", "libhip", "libMIOpen", "librccl"]) {
            Kind::Libraries
        } else if file.starts_with("[kernel") {
            Kind::Kernel
        } else {
            Kind::Program
        })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Device => "the device",
            Kind::Driver => "its driver, in the program's threads",
            Kind::Runtime => "ROCr and the thunk, with its waits",
            Kind::Apis => "HIP and OpenCL",
            Kind::Libraries => "ROCm's libraries",
            Kind::Compilers => "compilers (comgr, LLVM)",
            Kind::Kernel => "the kernel, for the program",
            Kind::Program => "the program, its references and other libraries",
        })
    }
}

const COMPILED: &str = "compiled code";
const ARITHMETIC: &str = "vector arithmetic";
const MATRICES: &str = "matrix instructions";
const MEMORY: &str = "memory instructions, LDS and images";
const LANES: &str = "from lane to lane";
const SCALAR: &str = "scalar instructions";
const WAVES: &str = "waves, and the loop from one instruction to the next";
const REST: &str = "queues, work-groups, threads";
const KERNEL: &str = "the kernel";
const COPIES: &str = "libc: copies";

/// What the device's threads do.
pub const DEVICE: [&str; 10] = [COMPILED, ARITHMETIC, MATRICES, MEMORY, LANES, SCALAR, WAVES, REST, KERNEL, COPIES];

/// Of [`DEVICE`].
pub fn of_device(sample: &Sample) -> &'static str {
    /// By the module that a function is of, or is made for; the first that fits.
    const MODULES: [(&str, &str); 13] = [
        ("gcn_alu::mfma", MATRICES),
        ("gcn_alu::valu::cross_lane", LANES),
        ("gcn::interp::ds::permute", LANES),
        ("gcn_alu::valu", ARITHMETIC),
        ("gcn_alu::fp", ARITHMETIC),
        ("gcn_alu::salu", SCALAR),
        ("gcn::interp::control", SCALAR),
        ("gcn::interp", MEMORY),
        ("gcn::machine::memory", MEMORY),
        ("gcn::sanitizer", MEMORY),
        ("address_space", MEMORY),
        ("gcn::", WAVES),
        ("gcn_alu::", WAVES),
    ];
    if sample.file.starts_with("[kernel") {
        return KERNEL;
    }
    // What perf calls code that is in no file.
    if sample.file.starts_with("[JIT]") {
        return COMPILED;
    }
    if sample.file.starts_with("libc.") {
        return COPIES;
    }
    MODULES.iter().find(|(module, _)| sample.function.contains(module)).map_or(REST, |(_, name)| name)
}
