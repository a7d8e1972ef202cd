//! Errors of loading a library and of looking up a function.
use std::fmt;
use std::path::PathBuf;

/// A function that the headers declare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// The symbol's name.
    pub name: &'static str,
    /// The oldest header version that declares the function, among those that the bindings are made from.
    pub since: &'static str,
    /// The newest.
    pub until: &'static str,
    /// Whether versions before `since` have a function of this name that takes something else.
    pub changed: bool,
}

/// Why a function cannot be called.
#[non_exhaustive]
pub enum LoadError {
    /// No file of the library could be opened.
    LibraryNotFound {
        /// What was looked for.
        library: &'static str,
        /// Every file tried, in order, and what the loader said of it; and what was not tried, and why.
        tried: Vec<(PathBuf, String)>,
        /// What to do about it.
        help: &'static str,
    },
    /// The library is there but has no such function.
    FunctionMissing {
        /// The function; its `since` and `until` tell which versions have it.
        function: Function,
        /// The library's file, or a description of the caller's own loader.
        library: String,
    },
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LibraryNotFound { library, tried, help } => {
                write!(f, "{library} could not be loaded: {help}. Tried:")?;
                tried.iter().try_for_each(|(path, error)| write!(f, "\n  {}: {error}", path.display()))
            }
            Self::FunctionMissing { function: Function { name, since, until, changed }, library } => {
                let so = if *changed { " with these parameters" } else { "" };
                write!(
                    f,
                    "{library} has no function {name}{so}; the headers that declare it{so} are of versions {since} to {until}: \
                     install a library of such a version, or do without the function"
                )
            }
        }
    }
}

/// As [`Display`](fmt::Display): a `main` that returns the error prints it so.
impl fmt::Debug for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for LoadError {}
