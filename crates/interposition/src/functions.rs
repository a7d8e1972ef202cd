//! The table of the functions of another library: how each is called, and what stands in front of it.

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::dlsym::{for_program, is_called, object_of};

/// A function of another library, as a row of [`functions!`](crate::functions) declares it.
#[derive(Debug)]
pub struct Function {
    /// Its name.
    pub name: &'static CStr,
    /// Its position in the table in which a loader passes functions to its layers, if the row has one.
    pub slot: Option<usize>,
    /// The exported function in front of it. Null if this library only calls it.
    own: *const c_void,
    /// Its address, null until it is known.
    next: AtomicPtr<c_void>,
}

// SAFETY: addresses of functions, which all threads may call.
unsafe impl Sync for Function {}

impl Function {
    #[doc(hidden)]
    pub const fn new(name: &'static CStr, slot: Option<usize>, own: Option<*const c_void>) -> Function {
        let own = match own {
            Some(own) => own,
            None => null(),
        };
        Function { name, slot, own, next: AtomicPtr::new(null_mut()) }
    }

    /// This library's exported function in front of it, if there is one.
    pub const fn own(&self) -> Option<*mut c_void> {
        if self.own.is_null() { None } else { Some(self.own.cast_mut()) }
    }

    /// Sets the function's address unless it is known already. Returns the known one.
    pub fn keep(&self, address: *mut c_void) -> *mut c_void {
        match self.next.compare_exchange(null_mut(), address, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => address,
            Err(known) => known,
        }
    }
}

/// The functions of another library that this library calls or stands in front of, declared by
/// [`functions!`](crate::functions).
#[derive(Debug)]
pub struct Table {
    #[doc(hidden)]
    pub functions: &'static [Function],
    #[doc(hidden)]
    pub file: &'static str,
    #[doc(hidden)]
    pub find: fn(&CStr) -> Option<*mut c_void>,
}

impl Table {
    /// All rows, in order.
    pub const fn functions(&self) -> &'static [Function] {
        self.functions
    }

    /// Looks all functions up now. Later, a caller may be in a signal handler or hold the dynamic linker's lock.
    pub fn resolve(&self) {
        for function in self.functions {
            self.address(function);
        }
    }

    /// The next library's function, null if there is none.
    #[doc(hidden)]
    #[inline]
    pub fn address(&self, function: &Function) -> *mut c_void {
        let known = function.next.load(Ordering::Acquire);
        if known.is_null() { self.look_up(function) } else { known }
    }

    #[cold]
    fn look_up(&self, function: &Function) -> *mut c_void {
        (self.find)(function.name).map_or(null_mut(), |found| function.keep(found))
    }

    /// The result of `dlsym` for a program: this library's function where the lookup would find the one behind it.
    /// `None` if this library stands in front of no function of this name.
    ///
    /// # Safety
    /// `handle` is one that `dlsym` takes: of a library that is open, or one of the numbers that stand for others.
    pub unsafe fn lookup(&self, handle: *mut c_void, name: &CStr) -> Option<*mut c_void> {
        let (function, own) = self.replaced(name)?;
        if handle == libc::RTLD_DEFAULT {
            // Where the library is not loaded, the lookup is to fail, and `dlerror` to say so.
            // SAFETY: a number that stands for the libraries behind.
            let missing = || unsafe { for_program(libc::RTLD_NEXT, name) };
            return Some(if self.address(function).is_null() { missing() } else { own });
        }
        // SAFETY: as promised by the caller.
        Some(self.in_front(name, unsafe { for_program(handle, name) }))
    }

    /// The function that a program gets which has `found` a function of this name: this library's, if that calls the
    /// found one.
    pub fn in_front(&self, name: &CStr, found: *mut c_void) -> *mut c_void {
        let Some((function, own)) = self.replaced(name) else { return found };
        // Other libraries have functions of the same names: a loader's implementations, say.
        let is_of_library = object_of(found.addr()).is_some_and(|file| is_called(file, self.file));
        if !is_of_library {
            return found;
        }
        let known = self.address(function);
        let next = if known.is_null() { function.keep(found) } else { known };
        if next == found { own } else { found }
    }

    /// The function of this name that this library stands in front of, and its own.
    fn replaced(&self, name: &CStr) -> Option<(&'static Function, *mut c_void)> {
        let function = self.functions.iter().find(|function| function.name == name)?;
        Some((function, function.own()?))
    }
}

/// The C string of a name that ends in its only zero, `concat!(stringify!(name), "\0")`.
///
/// # Panics
/// If it does not. The name is a constant, so the compiler says so.
pub const fn c_name(name: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(name.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("the name does not end in its only zero"),
    }
}

/// Declares the functions of another library that this library calls or stands in front of.
///
/// ```
/// # #![allow(clippy::needless_doctest_main)]
/// use interposition::dlsym;
/// use std::ffi::c_int;
///
/// interposition::functions! {
///     /// libc's functions.
///     static LIBC: found by dlsym::next, in "libc.so";
///     fn getppid() -> c_int, else -1;
///     fn getpgid(pid: c_int) -> c_int, else -1 => next::getpgid(pid) + 1;
/// }
///
/// fn main() {
///     assert_eq!(unsafe { getpgid(0) }, unsafe { next::getpgid(0) } + 1);
/// }
/// ```
///
/// The first line names the [`Table`], a `fn(&CStr) -> Option<*mut c_void>` that finds the next library's function of a
/// name, and how that library's file name begins. Each further line is a function with the type of the other library's.
/// After `else` is the result of a call if the next library has no such function. After `=>` is the body of an exported
/// function of the same name, which stands in front. It may be unsafe, under the safety contract of the other library's
/// function. If it panics, the exported function returns what is after `else`. With `unwinding` before `static` panics
/// are not caught, because a thread that is cancelled (`pthread_cancel`) unwinds through functions of libc.
/// `name[slot]` has the function's position in a loader's table.
///
/// `next::name` calls the next library's function.
#[macro_export]
macro_rules! functions {
    ($(#[$doc:meta])* $visibility:vis unwinding static $($rest:tt)*) => {
        $crate::functions! { @table unwinding $(#[$doc])* $visibility $($rest)* }
    };
    ($(#[$doc:meta])* $visibility:vis static $($rest:tt)*) => {
        $crate::functions! { @table caught $(#[$doc])* $visibility $($rest)* }
    };
    (@table $how:ident $(#[$doc:meta])* $visibility:vis $table:ident: found by $find:expr, in $file:expr;
        $(fn $name:ident $([$slot:literal])? ($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty, else $missing:expr $(=> $own:expr)?;)*
    ) => {
        $(#[$doc])*
        $visibility static $table: $crate::Table = {
            static FUNCTIONS: [$crate::Function; [$(stringify!($name)),*].len()] = [$($crate::Function::new(
                $crate::c_name(concat!(stringify!($name), "\0")),
                $crate::functions!(@optional $($slot)?),
                $crate::functions!(@own $name $($own)?),
            )),*];
            $crate::Table { functions: &FUNCTIONS, file: $file, find: $find }
        };

        /// The next library's functions.
        #[allow(non_snake_case, non_camel_case_types, dead_code, clippy::too_many_arguments, clippy::enum_variant_names)]
        $visibility mod next {
            use super::*;

            enum Index { $($name),* }

            $(
                /// Calls the next library's function.
                ///
                /// # Safety
                /// That of the function.
                #[inline]
                pub unsafe fn $name($($arg: $ty),*) -> $ret {
                    let address = super::$table.address(&super::$table.functions()[Index::$name as usize]);
                    if address.is_null() {
                        return $missing;
                    }
                    // SAFETY: the function of this name, or in this slot, has this type.
                    let next = unsafe {
                        ::core::mem::transmute::<*mut ::core::ffi::c_void, unsafe extern "C-unwind" fn($($ty),*) -> $ret>(address)
                    };
                    // SAFETY: as promised by the caller.
                    unsafe { next($($arg),*) }
                }
            )*
        }

        $($crate::functions! { @export $how $name ($($arg: $ty),*) -> $ret, $missing $(=> $own)? })*
    };
    (@optional) => { None };
    (@optional $slot:literal) => { Some($slot) };
    (@own $name:ident) => { None };
    (@own $name:ident $own:expr) => { Some($name as *const ::core::ffi::c_void) };
    (@export $how:ident $name:ident ($($arg:ident: $ty:ty),*) -> $ret:ty, $missing:expr) => {};
    (@export $how:ident $name:ident ($($arg:ident: $ty:ty),*) -> $ret:ty, $missing:expr => $own:expr) => {
        /// Stands in front of the function of this name.
        ///
        /// # Safety
        /// That of the function.
        #[unsafe(no_mangle)]
        // A body may be unsafe: the macro's documentation says so.
        #[allow(non_snake_case, unused_unsafe, clippy::too_many_arguments, clippy::macro_metavars_in_unsafe)]
        pub unsafe extern "C-unwind" fn $name($($arg: $ty),*) -> $ret {
            // SAFETY: as promised by the caller.
            $crate::functions!(@$how unsafe { $own }, $missing)
        }
    };
    (@caught $call:expr, $missing:expr) => { $crate::caught(|| $call).unwrap_or_else(|| $missing) };
    (@unwinding $call:expr, $missing:expr) => { $call };
}

#[cfg(test)]
mod tests {
    use crate::dlsym;
    use std::ffi::{CStr, c_int};
    use std::ptr::null_mut;

    functions! {
        /// Functions of libc.
        static LIBC: found by dlsym::next, in "libc.so";
        fn getpgid(pid: c_int) -> c_int, else -1
            => match pid { 0 => next::getpgid(pid) + 1, _ => panic!("any other") };
        fn getppid[7]() -> c_int, else -1;
        fn no_such_function(number: c_int) -> c_int, else -number => next::no_such_function(number);
    }

    #[test]
    fn rows_make_calls_and_functions_in_front() {
        // SAFETY: they take any number.
        unsafe {
            assert_eq!((getpgid(0), next::getpgid(0)), (libc::getpgrp() + 1, libc::getpgrp()));
            assert_eq!((next::getppid(), no_such_function(5)), (libc::getppid(), -5));
            assert_eq!(getpgid(1), -1, "it panics");
        }
        let slots: Vec<_> = LIBC.functions().iter().map(|function| (function.slot, function.own().is_some())).collect();
        assert_eq!(slots, [(None, true), (Some(7), false), (None, true)]);
    }

    #[test]
    fn programs_find_what_stands_in_front() {
        // SAFETY: a number that stands for all libraries.
        let lookup = |name| unsafe { LIBC.lookup(libc::RTLD_DEFAULT, name) }.map(|found| found.addr());
        assert_eq!(lookup(c"getpgid"), Some(getpgid as *const () as usize));
        assert_eq!(lookup(c"getppid"), None, "it is only called");
        assert_eq!(lookup(c"no_such_function"), Some(0));
        let of_libc = dlsym::next(c"getpgid").expect("libc has it");
        assert_eq!(LIBC.in_front(c"getpgid", of_libc).addr(), getpgid as *const () as usize);
        assert_eq!(LIBC.in_front(c"getpgid", null_mut()), null_mut());
        let other = super::c_name as fn(&'static str) -> &'static CStr as *mut std::ffi::c_void;
        assert_eq!(LIBC.in_front(c"getpgid", other), other, "of another library");
    }
}
