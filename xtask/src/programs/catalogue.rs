//! The programs: to add one is to describe it here.
use std::fmt;
use std::time::Duration;

use super::output::{self, Read};
use super::run::Part;
use crate::stack::{More, Stack};

/// A program of others.
pub struct Program {
    pub name: &'static str,
    /// What it is, and what is compared with what.
    pub about: &'static str,
    /// The stack on which it runs.
    pub stack: Stack,
    /// Debian packages that it needs and the stack does not have.
    pub packages: &'static [&'static str],
    /// Packages of PyPI that it needs, each with its version.
    pub wheels: &'static [&'static str],
    /// A folder of `xtask/programs` with a crate whose tests are the program. They are built on the host, and `{built}`
    /// is the result.
    pub crate_folder: Option<&'static str>,
    /// What is run first, without a GPU, each time. `{files}` is the folder `xtask/programs`, `{outputs}` the one that
    /// the program runs in.
    pub before: &'static [&'static str],
    /// What runs a part, whose name is in the place of `{}`. Folders as above, here and in the environment, where
    /// `{external_memory}` is the OpenCL layer of that name.
    pub command: &'static [&'static str],
    pub environment: &'static [(&'static str, &'static str)],
    pub parts: Parts,
    /// How a line that it writes to standard output is understood.
    pub read: Read,
    /// How long a part may take.
    pub limit: Duration,
}

/// The parts that a program is run in.
pub enum Parts {
    These(&'static [&'static str]),
    /// Those that it lists itself.
    Asked {
        command: &'static [&'static str],
        read: fn(&str) -> Vec<Part>,
    },
}

impl Program {
    /// What its tree has beyond the stack's.
    pub fn more(&self) -> More {
        More { name: self.name, packages: self.packages, wheels: self.wheels }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.name, self.about)?;
        write!(f, "  needs {}: {}", self.stack.name(), self.packages.join(", "))?;
        if !self.wheels.is_empty() {
            write!(f, "; of PyPI {}", self.wheels.join(", "))?;
        }
        Ok(())
    }
}

const LLAMA: &str = "/usr/libexec/x86_64-linux-gnu/llama.cpp-tests/test-backend-ops";
const MINUTE: Duration = Duration::from_secs(60);

/// The tests of one of AMD's libraries, from Debian's package of them. A part is a suite: the first pattern of
/// GoogleTest's says which suites, the other, in which `{}` is the suite, which of its tests. Or all that are of one
/// pattern are one part: where each start reads the data of all tests first, for a minute or two. Where it compares
/// with BLAS on the CPU, that is OpenBLAS: Debian's default, the reference in Fortran, takes most of the time of all.
macro_rules! library_tests {
    ($name:literal, $about:literal, [$($package:literal),+], $program:literal, suites $suites:literal, $tests:literal) => {
        library_tests!(
            $name,
            $about,
            [$($package),+],
            $program,
            $tests,
            Parts::Asked {
                command: &[
                    $program,
                    "--gtest_list_tests",
                    concat!("--gtest_filter=", $suites),
                ],
                read: output::google_test_suites,
            },
            MINUTE
        )
    };
    ($name:literal, $about:literal, [$($package:literal),+], $program:literal, at_once $tests:literal) => {
        library_tests!(
            $name,
            $about,
            [$($package),+],
            $program,
            "{}",
            Parts::These(&[$tests]),
            Duration::from_secs(1200)
        )
    };
    ($name:literal, $about:literal, [$($package:literal),+], $program:literal, $tests:literal, $parts:expr, $limit:expr) => {
        Program {
            name: $name,
            about: concat!($about, "'s own tests, against its reference on the CPU"),
            stack: Stack::Trixie,
            packages: &[$($package),+],
            wheels: &[],
            crate_folder: None,
            before: &[],
            command: &[
                $program,
                concat!("--gtest_filter=", $tests),
                // What is run before the time is over is then a sample of all.
                "--gtest_shuffle",
                "--gtest_random_seed=1",
            ],
            environment: &[],
            parts: $parts,
            read: output::google_test,
            limit: $limit,
        }
    };
}

/// All of them.
pub const CATALOGUE: &[Program] = &[
    Program {
        name: "llama",
        about: "llama.cpp's test-backend-ops: each operation of its HIP backend, against its CPU backend",
        stack: Stack::Forky,
        packages: &["llama.cpp-tests", "libggml0-backend-hip"],
        wheels: &[],
        crate_folder: None,
        before: &[],
        command: &[LLAMA, "test", "-b", "ROCm0", "-o", "{}"],
        environment: &[],
        parts: Parts::Asked { command: &[LLAMA, "support", "-b", "ROCm0"], read: output::backend_op_names },
        read: output::backend_ops,
        limit: MINUTE,
    },
    Program {
        name: "cupy",
        about: "CuPy, against NumPy and SciPy (by xtask/programs/cupy_and_numpy.py)",
        stack: Stack::Experimental,
        packages: &[
            "gcc",
            "libhipblas3",
            "libhipfft0",
            "libhiprand1",
            "libhipsparse4",
            "librocthrust-dev",
            "python3",
            "python3-numpy",
            "python3-scipy",
        ],
        wheels: &["cupy-rocm-7-0==14.2.0"],
        crate_folder: None,
        before: &["gcc", "-shared", "-o", "{outputs}/libroctracer64.so.4", "{files}/roctracer.c"],
        command: &["env", "LD_LIBRARY_PATH={outputs}", "python3", "{files}/cupy_and_numpy.py", "{}"],
        environment: &[("CUPY_CACHE_DIR", "{outputs}/kernels")],
        parts: Parts::These(&[
            "elementwise",
            "reductions",
            "indexing",
            "sorting",
            "matmul",
            "solvers",
            "fft",
            "kernels",
            "sparse",
            "distributions",
        ]),
        read: output::own_script,
        limit: Duration::from_secs(900),
    },
    Program {
        name: "tinygrad",
        about: "tinygrad, which talks to the driver itself, against NumPy (by xtask/programs/tinygrad_and_numpy.py); needs --gpu mi300x",
        stack: Stack::Trixie,
        packages: &["libllvm19", "python3", "python3-numpy"],
        wheels: &["tinygrad==0.14.0"],
        crate_folder: None,
        before: &[],
        command: &["python3", "{files}/tinygrad_and_numpy.py", "{}"],
        environment: &[("DEV", "AMD:LLVM"), ("XDG_CACHE_HOME", "{outputs}/cache")],
        parts: Parts::These(&["elementwise", "types", "reductions", "movement", "matmul", "training"]),
        read: output::own_script,
        limit: Duration::from_secs(300),
    },
    Program {
        name: "pyopencl",
        about: "PyOpenCL with cl_khr_external_memory_dma_buf, on memory of HIP's, against NumPy (by xtask/programs/pyopencl_dma_buf.py)",
        stack: Stack::Trixie,
        packages: &["python3-pyopencl"],
        wheels: &[],
        crate_folder: None,
        before: &[],
        command: &["python3", "{files}/pyopencl_dma_buf.py", "{}"],
        environment: &[("OPENCL_LAYERS", "{external_memory}"), ("XDG_CACHE_HOME", "{outputs}/cache")],
        parts: Parts::These(&["queries", "arrays", "contexts", "refusals"]),
        read: output::own_script,
        limit: Duration::from_secs(300),
    },
    Program {
        name: "hashcat",
        about: "hashcat by OpenCL: the password of its own example of each kind of hash has to be found",
        stack: Stack::Trixie,
        packages: &["hashcat"],
        wheels: &[],
        crate_folder: None,
        before: &[],
        command: &["sh", "{files}/hashcat.sh", "{}"],
        environment: &[],
        // MD5, SHA-1, MD4, NTLM, SHA-256, SHA-512, RIPEMD-160, SHA3-256, Whirlpool, BLAKE2b.
        parts: Parts::These(&["0", "100", "900", "1000", "1400", "1700", "6000", "17400", "6100", "600"]),
        read: output::own_script,
        limit: Duration::from_secs(300),
    },
    Program {
        name: "cubecl",
        about: "cubecl's HIP runtime, a crate of others: the tests that cubecl has for runtimes, against values that the CPU computes",
        stack: Stack::Forky,
        packages: &[],
        wheels: &[],
        crate_folder: Some("cubecl"),
        before: &[],
        command: &["{built}", "{}", "--test-threads=1"],
        environment: &[],
        parts: Parts::These(&[
            "tests::test_",
            "binary_untyped::",
            "comparison::",
            "enums::",
            "metadata::",
            "f16_ty::",
            "f32_ty::",
            "i32_ty::",
            "u32_ty::",
        ]),
        read: output::rust_tests,
        limit: Duration::from_secs(300),
    },
    Program {
        name: "clblast",
        about: "CLBlast's tuners: each of its OpenCL kernels, built with many parameters, against the one that it ships",
        stack: Stack::Trixie,
        packages: &["clblast-utils"],
        wheels: &[],
        crate_folder: None,
        before: &[],
        command: &["sh", "{files}/clblast.sh", "{}"],
        environment: &[],
        parts: Parts::These(&[
            "xaxpy",
            "xdot",
            "xgemv",
            "xger",
            "xgemm",
            "xgemm_direct",
            "copy_fast",
            "copy_pad",
            "transpose_fast",
            "transpose_pad",
            "invert",
        ]),
        read: output::clblast_tuner,
        limit: Duration::from_secs(300),
    },
    library_tests!("rocblas", "rocBLAS", ["librocblas0-tests", "libopenblas0-serial"], "/usr/libexec/rocm/librocblas0-tests/rocblas-test", at_once "*quick*"),
    library_tests!("rocsolver", "rocSOLVER", ["librocsolver0-tests", "libopenblas0-serial"], "/usr/libexec/rocm/librocsolver0-tests/rocsolver-test", suites "checkin*", "{}*"),
    library_tests!("rocsparse", "rocSPARSE", ["librocsparse0-tests"], "/usr/libexec/rocm/librocsparse0-tests/rocsparse-test", at_once "quick*"),
    library_tests!("hipblas", "hipBLAS", ["libhipblas0-tests", "libopenblas0-serial"], "/usr/libexec/rocm/libhipblas0-tests/hipblas-test", suites "*", "{}*"),
    // Lengths of one and two digits.
    library_tests!(
        "rocfft",
        "rocFFT",
        ["librocfft0-tests"],
        "/usr/libexec/rocm/librocfft0-tests/rocfft-test",
        suites "*_len_?_*:*_len_??_*-*DISABLED*",
        "{}*_len_?_*:{}*_len_??_*"
    ),
    Program {
        name: "rocwmma",
        about: "rocWMMA's tests: products of matrices in its fragments, of all types, against rocBLAS and the CPU",
        stack: Stack::Experimental,
        packages: &["librocwmma-tests-validate"],
        wheels: &[],
        crate_folder: None,
        before: &[],
        command: &["/usr/libexec/rocm/librocwmma-tests/{}-validate", "--gtest_shuffle", "--gtest_random_seed=1"],
        environment: &[],
        parts: Parts::These(&[
            "gemm_PGR0_LB0_MP0_SB_NC_ad_hoc",
            "gemm_PGR0_LB0_MP0_MB_NC_ad_hoc",
            "gemm_PGR1_LB2_MP0_MB_CP_ad_hoc",
            "gemm_PGR0_LB0_MP0_SB_NC",
            "gemm_PGR0_LB0_MP0_MB_NC",
            "gemm_PGR1_LB2_MP0_MB_CP_BLK",
            "gemm_PGR1_LB2_MP0_MB_CP_WG",
            "gemm_PGR1_LB2_MP0_MB_CP_WV",
        ]),
        read: output::rocwmma,
        limit: MINUTE,
    },
    Program {
        name: "rocrand",
        about: "rocRAND's own tests, against its generators on the CPU and what distributions have to be",
        stack: Stack::Trixie,
        packages: &["librocrand1-tests"],
        wheels: &[],
        crate_folder: None,
        before: &[],
        command: &["/usr/libexec/rocm/librocrand1-tests/test_rocrand_{}", "--gtest_shuffle", "--gtest_random_seed=1"],
        environment: &[],
        parts: Parts::These(&[
            "basic",
            "generate",
            "generate_log_normal",
            "generate_normal",
            "generate_poisson",
            "generate_uniform",
            "kernel_mrg",
            "kernel_philox4x32_10",
            "kernel_sobol32",
            "kernel_threefry4x32_20",
            "kernel_xorwow",
            "mrg_prng",
            "mtgp32_prng",
            "philox_prng",
            "sobol32_qrng",
            "threefry4x32_20_prng",
            "xorwow_prng",
        ]),
        read: output::google_test,
        limit: MINUTE,
    },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::*;
    use crate::vgpu;

    #[test]
    fn each_program_has_a_name_of_its_own_and_is_on_the_page() {
        let names: BTreeSet<&str> = CATALOGUE.iter().map(|program| program.name).collect();
        assert_eq!(names.len(), CATALOGUE.len());
        let page = fs::read_to_string(vgpu::root().join("docs/src/programs.md")).expect("the page can be read");
        let missing: Vec<_> = names.iter().filter(|name| !page.contains(&format!("| `{name}` |"))).collect();
        assert!(missing.is_empty(), "docs/src/programs.md has no row for {missing:?}");
    }

    #[test]
    fn files_that_programs_are_given_exist() {
        let words = CATALOGUE.iter().flat_map(|program| program.before.iter().chain(program.command));
        let files: Vec<&str> = words.filter_map(|word| word.strip_prefix("{files}/")).collect();
        assert!(!files.is_empty());
        for file in files {
            assert!(vgpu::root().join("xtask/programs").join(file).is_file(), "{file} is not there");
        }
    }
}
