//! The libraries whose kernels are changed: to add one is to describe it here, and to write a program that calls it.

/// A library, or several whose code is compiled into the program.
pub struct Library {
    pub name: &'static str,
    /// The program that calls it, in `xtask/planted`.
    pub source: &'static str,
    /// How the program is linked.
    pub links: &'static [&'static str],
    /// Debian packages that it needs and the stack does not have.
    pub packages: &'static [&'static str],
    /// The files that have its kernels, and what has to be beside them, in the stack.
    pub files: &'static [&'static str],
    /// What leads the library to such a file that the loader does not look for: variables, whose value is the copies'
    /// folder.
    pub led_by: &'static [&'static str],
}

/// All of them.
pub const LIBRARIES: &[Library] = &[
    Library {
        name: "rocblas",
        source: "blas.hip",
        links: &["-lrocblas"],
        packages: &[],
        files: &[
            "/usr/lib/x86_64-linux-gnu/librocblas.so.0",
            "/usr/lib/x86_64-linux-gnu/rocblas/2.47.0/library/Kernels.so-000-gfx908.hsaco",
            "/usr/lib/x86_64-linux-gnu/rocblas/2.47.0/library/TensileLibrary.dat",
            "/usr/lib/x86_64-linux-gnu/rocblas/2.47.0/library/TensileLibrary_gfx908.co",
        ],
        led_by: &["ROCBLAS_TENSILE_LIBPATH"],
    },
    Library {
        name: "rocsolver",
        source: "solver.hip",
        links: &["-lrocsolver", "-lrocblas"],
        packages: &[],
        files: &["/usr/lib/x86_64-linux-gnu/librocsolver.so.0"],
        led_by: &[],
    },
    Library {
        name: "rocrand",
        source: "random.hip",
        links: &["-lrocrand"],
        packages: &[],
        files: &["/usr/lib/x86_64-linux-gnu/librocrand.so.1"],
        led_by: &[],
    },
    Library {
        name: "rocprim",
        source: "prim.hip",
        links: &[],
        packages: &["libhipcub-dev", "librocprim-dev", "librocthrust-dev"],
        files: &[],
        led_by: &[],
    },
];
