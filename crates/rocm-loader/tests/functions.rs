//! Functions through a loader that the caller provides: each is looked up once, a missing one is named, and the check
//! runs before a call.
use rocm_loader::{Function, LoadError, Names, functions, loaded_library};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

loaded_library! {
    /// A library of these tests.
    Sample {
        library: "the sample",
        variable: "SAMPLE_FILE",
        names: &[Names { stem: "libsample", known: 1..=1, newer: false }],
        roots: &[],
        help: "install nothing",
    }
}

#[derive(Debug)]
enum Refused {
    Load(LoadError),
    Check(&'static str, &'static str, c_int),
}

impl From<LoadError> for Refused {
    fn from(error: LoadError) -> Self {
        Self::Load(error)
    }
}

thread_local! {
    static CHECKED: Cell<bool> = const { Cell::new(false) };
}

/// Refuses odd numbers.
macro_rules! even {
    ($self:ident, $name:ident, $since:tt, $number:ident) => {
        CHECKED.set($self.library() == "a loader");
        if $number % 2 == 1 {
            return Err(Refused::Check(stringify!($name), $since, $number));
        }
    };
}

functions! { checked by even -> Refused, Sample {
    absent "1.0" "1.2" (number: c_int) -> c_int;
    /// Documented.
    twice "1.1" "2.0" (number: c_int) -> c_int;
}}

mod foreign {
    use std::ffi::c_int;
    rocm_loader::foreign_functions! { Sample {
        abs "1.0" "1.2" (number: c_int) -> c_int;
    }}
}

extern "C" fn twice(number: c_int) -> c_int {
    number * 2
}

thread_local! {
    static LOOKED_UP: Cell<usize> = const { Cell::new(0) };
}

fn sample() -> Sample {
    let resolve = |name: &str| {
        LOOKED_UP.set(LOOKED_UP.get() + 1);
        (name == "twice").then(|| NonNull::new(twice as *mut c_void).unwrap())
    };
    // SAFETY: the function has the type that the table gives it.
    unsafe { Sample::from_resolver("a loader", resolve) }
}

#[test]
fn a_function_is_looked_up_once_and_called() {
    let sample = sample();
    assert_eq!(LOOKED_UP.get(), 0, "nothing is looked up in advance");
    // SAFETY: the function takes any number.
    assert_eq!(unsafe { (sample.twice(4).unwrap(), sample.twice(-6).unwrap()) }, (8, -12));
    assert_eq!(sample.address("twice"), NonNull::new(twice as *mut c_void));
    assert_eq!(LOOKED_UP.get(), 1);
    assert_eq!((sample.address("absent"), sample.address("unknown")), (None, None));
    assert_eq!(format!("{sample:?}"), r#"Sample { symbols: Symbols { library: "a loader", .. } }"#);
}

#[test]
fn a_missing_function_names_itself_and_its_versions() {
    let sample = sample();
    // SAFETY: the call is not made.
    let Err(Refused::Load(error)) = (unsafe { sample.absent(2) }) else { panic!() };
    assert!(CHECKED.get(), "the check comes first");
    assert_eq!(
        error.to_string(),
        "a loader has no function absent; the headers that declare it are of versions 1.0 to 1.2: install a library of such a version, \
         or do without the function"
    );
    let twice = Function { name: "twice", since: "1.1", until: "2.0", changed: false };
    assert_eq!(Sample::FUNCTIONS[1], twice);
}

#[test]
fn a_check_comes_before_the_call() {
    let sample = sample();
    // SAFETY: the call is not made.
    let Err(Refused::Check(name, since, 3)) = (unsafe { sample.twice(3) }) else { panic!() };
    assert_eq!((name, since), ("twice", "1.1"));
}

#[test]
fn the_same_table_declares_foreign_functions() {
    // SAFETY: libc's function takes any number but the least.
    assert_eq!(unsafe { foreign::abs(-5) }, 5);
}

loaded_library! {
    /// A library whose function took one argument before 2.0.
    Changed {
        library: "the changed sample",
        variable: "CHANGED_SAMPLE_FILE",
        names: &[Names { stem: "libchangedsample", known: 1..=1, newer: false }],
        roots: &[],
        help: "install nothing",
    }
}
functions! { Changed {
    came_too "2.0" "3.0" ();
    gone_since "2.0" "2.1" ();
    sum "2.0" "3.0" changed (first: c_int, second: c_int) -> c_int;
}}

extern "C" fn sum(first: c_int, second: c_int) -> c_int {
    first + second
}

extern "C" fn nothing() {}

/// A library that has these functions.
fn changed(functions: &'static [&'static str]) -> Changed {
    let resolve = |name: &str| match name {
        _ if !functions.contains(&name) => None,
        "sum" => NonNull::new(sum as *mut c_void),
        _ => NonNull::new(nothing as *mut c_void),
    };
    // SAFETY: the functions have the types that the table gives them.
    unsafe { Changed::from_resolver("a loader", resolve) }
}

#[test]
fn a_function_of_other_parameters_is_not_called() {
    for functions in [&["sum"][..], &["gone_since", "sum"]] {
        let library = changed(functions);
        // SAFETY: if it were called, it would add two numbers.
        let error = unsafe { library.sum(1, 2) }.unwrap_err();
        let LoadError::FunctionMissing { function, .. } = &error else { panic!("{error}") };
        assert_eq!((function.name, function.since, function.changed), ("sum", "2.0", true));
        assert!(error.to_string().contains("no function sum with these parameters"), "{error}");
        assert_eq!(library.address("sum"), None);
    }
    // SAFETY: it adds two numbers.
    assert_eq!(unsafe { changed(&["came_too", "sum"]).sum(1, 2) }.unwrap(), 3);
}
