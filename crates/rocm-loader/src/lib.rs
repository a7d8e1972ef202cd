//! Finds ROCm libraries and their functions at run time, for crates of bindings.
//!
//! The `*-sys` crates are generated tables of functions; the code that opens a library and calls its functions is here,
//! once. A program uses those crates, and of this one sees only [`LoadError`]. Two
//! questions about a process are here too: [which HSA runtimes](loaded_hsa_runtimes) it has loaded, and [which
//! variables](visibility) hide GPUs from it. A crate of bindings for another library of ROCm can use it too:
//!
//! ```
//! use rocm_loader::{LoadError, Names, loaded_library, functions};
//!
//! loaded_library! {
//!     /// rocBLAS of this machine.
//!     Rocblas {
//!         library: "rocBLAS",
//!         variable: "MY_ROCBLAS",
//!         names: &[Names { stem: "librocblas", known: 4..=5, newer: true }],
//!         roots: &["ROCM_PATH"],
//!         help: "install librocblas4 (Debian, Ubuntu) or rocblas (AMD's packages), or set MY_ROCBLAS to the file",
//!     }
//! }
//! functions! { Rocblas {
//!     rocblas_get_version_string_size "3.0" "5.0" (len: *mut usize) -> i32;
//! }}
//!
//! match Rocblas::load() {
//!     Ok(library) => println!("{}", library.library()),
//!     Err(error @ LoadError::LibraryNotFound { .. }) => println!("{error}"),
//!     Err(error) => unreachable!("{error}"),
//! }
//! ```
//!
//! # Search order
//! 1. The file that the library's environment variable names, and no other.
//! 2. A copy that this process has loaded already: there must not be two.
//! 3. Its names in the loader's path: the versions that the bindings were made for, newest first, then newer ones, then
//!    `.so`.
//! 4. Files of such names in Debian's multiarch folder, in the roots that environment variables name, in `/opt/rocm`,
//!    `/opt/rocm/core`, `/opt/rocm/core-*` and `/opt/rocm-*` (newest first); of each root in `lib` and `lib64`. A
//!    version that the bindings do not know is used too.
//!
//! An empty environment variable counts as unset, and a root that is not an absolute path is left out: through it,
//! anyone who can write to the current folder could run code in the program. A program that has more privileges than
//! the user who started it (set-user-ID, file capabilities) ignores these variables.
//!
//! # Features
//! `load` (on) is what the above needs. Without it only the [macros](c_enums) for generated types are there, which need
//! no other crate.

#[cfg(feature = "load")]
mod error;
#[cfg(feature = "load")]
mod functions;
#[cfg(feature = "load")]
mod hsa_runtimes;
#[cfg(feature = "link")]
pub mod link;
#[cfg(feature = "load")]
mod search;
#[cfg(feature = "load")]
mod symbols;
mod types;
#[cfg(feature = "load")]
pub mod visibility;

#[cfg(feature = "load")]
pub use error::{Function, LoadError};
#[cfg(feature = "load")]
pub use hsa_runtimes::loaded_hsa_runtimes;
#[cfg(feature = "load")]
pub use search::{Names, Search};
#[cfg(feature = "load")]
pub use symbols::Symbols;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
