//! What can go wrong, with the library that said so.

use std::fmt;

use rocm_loader::LoadError;

/// Result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What a function of a library returned. Shown by its name in that library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    number: u32,
    name: Option<&'static str>,
}

impl Code {
    /// Of a status that is none of the library's names for success.
    pub(crate) fn new(number: u32, name: Option<&'static str>) -> Code {
        Code { number, name }
    }

    /// Its value in the library's headers.
    pub fn number(self) -> u32 {
        self.number
    }

    /// Its name in the library's headers; `None` if they have none for it.
    pub fn name(self) -> Option<&'static str> {
        self.name
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name {
            Some(name) => f.write_str(name),
            None => write!(f, "status {}", self.number),
        }
    }
}

/// Why a call was refused. Nothing was enqueued, except where a library fails in the middle of its work
/// ([`Call`](Error::Call)).
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The session refused it: a buffer of another session, work that was given up, a call of HIP.
    #[error("{0}")]
    Session(#[from] rocm_interop::Error),
    /// The library, or one of its functions, is missing.
    #[error("{0}")]
    Load(LoadError),
    /// A function of the library returned an error.
    #[error("{library}: {call} returned {code}; {}", advice(*code))]
    Call {
        /// The library.
        library: &'static str,
        /// The function.
        call: &'static str,
        /// What it returned.
        code: Code,
    },
    /// The library has no kernels for this GPU.
    #[error(
        "{library} ({file}) has kernels for {}, none for {isa}; install a {library} that is built for {isa}",
        present.join(", ")
    )]
    NoKernels {
        /// The library.
        library: &'static str,
        /// Where it was looked for.
        file: String,
        /// The GPU's instruction set.
        isa: String,
        /// What there are kernels for.
        present: Vec<String>,
    },
    /// A library works with another copy of a library than this process otherwise does. A stream or a handle of one
    /// copy is of no use to the other.
    #[error("{library} ({file}) works with {dependency} of {its}, but {used} is in use; load libraries of one ROCm")]
    OtherCopy {
        /// The library.
        library: &'static str,
        /// Its file.
        file: String,
        /// The library that it works with.
        dependency: &'static str,
        /// The file of that; `no file` if none was found.
        its: String,
        /// The file that is in use.
        used: String,
    },
    /// An operand is wrong in itself or does not fit the others.
    #[error("{subject}: {reason}")]
    Argument {
        /// The operand, or the call whose operands do not fit.
        subject: &'static str,
        /// What is wrong with it.
        reason: String,
    },
}

/// Not `From`, whose `?` would take the errors of other crates' libraries too.
impl Error {
    pub(crate) fn load(error: LoadError) -> Error {
        Error::Load(error)
    }

    pub(crate) fn argument(subject: &'static str) -> impl FnOnce(String) -> Error {
        move |reason| Error::Argument { subject, reason }
    }
}

fn advice(code: Code) -> &'static str {
    let name = code.name.unwrap_or_default().to_lowercase();
    if ["memory", "allocation"].iter().any(|part| name.contains(part)) {
        "free memory of the GPU, also in other processes, or ask for less"
    } else {
        "`rocm-probe` shows what works here, the kernel's log (`dmesg`) what the driver says"
    }
}

/// The text of `Display`, as `main` prints an error by this.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_shown_by_its_name() {
        let call =
            |number, name| Error::Call { library: "rocBLAS", call: "f", code: Code::new(number, name) }.to_string();
        assert!(
            call(5, Some("rocblas_status_memory_error"))
                .starts_with("rocBLAS: f returned rocblas_status_memory_error; free memory")
        );
        assert!(call(102, Some("ROCRAND_STATUS_ALLOCATION_FAILED")).contains("; free memory"));
        assert!(call(99, None).starts_with("rocBLAS: f returned status 99; `rocm-probe` shows"));
    }

    #[test]
    fn the_sessions_error_is_found_in_it() {
        let error = Error::from(rocm_interop::Error::NoMemory { call: "clSVMAlloc", bytes: 1 });
        assert!(rocm_interop::Error::find(&error).is_some_and(rocm_interop::Error::is_out_of_memory));
    }
}
