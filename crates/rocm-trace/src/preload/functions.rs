//! The exported wrapper functions, and the macro that defines them.

use crate::preload::dlsym;
use crate::tables::{Function, Table};
use interposition::dlsym::is_called;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::io::Write;
use std::sync::atomic::Ordering;

/// Defines a table of functions and a wrapper for each. The wrappers in `opencl_extensions` are not exported: programs
/// get their addresses by a call.
macro_rules! wrappers {
    (opencl_extensions $($functions:tt)*) => {
        wrappers! { @table opencl_extensions exported if any $($functions)* }
    };
    // `all()` is true, `any()` is not.
    (@table $table:ident exported if $exported:ident
        $($name:ident($($arg:ident: $ty:ty = $kind:tt),*) $(-> $ret:ty = $ret_kind:tt)?;)*
    ) => {
        /// The functions' descriptions and their wrappers.
        #[allow(non_snake_case, nonstandard_style, unused_variables, unused_mut, clippy::all, missing_docs)]
        pub mod $table {
            use super::*;
            use $crate::preload::calls;
            use $crate::tables::{Field, Function, Id, Wrapper, number};

            enum Index {
                $($name,)*
            }

            const COUNT: usize = [$(stringify!($name)),*].len();

            /// The functions, sorted by name.
            pub static FUNCTIONS: [Function; COUNT] = [$({
                const ARGS: &[Field] = &[$(Field {
                    name: $crate::preload::functions::plain(stringify!($arg)),
                    ty: kind!($kind),
                    offset: 0,
                    bytes: size_of::<$ty>(),
                },)*];
                Function {
                    name: interposition::c_name(concat!(stringify!($name), "\0")),
                    args: ARGS,
                    result: wrappers!(@result $($ret_kind)?),
                    texts: calls::count(ARGS, true),
                    outs: calls::count(ARGS, false),
                    results: 0 $(+ calls::results_of::<$ret>())?,
                    real: core::sync::atomic::AtomicPtr::new(core::ptr::null_mut()),
                    wrapper: Wrapper($name as *const c_void),
                    hook: $crate::preload::hooks::of(stringify!($name)),
                }
            },)*];

            $(
                #[cfg_attr($exported(), unsafe(no_mangle))]
                pub unsafe extern "C-unwind" fn $name($($arg: $ty),*) $(-> $ret)? {
                    static FUNCTION: &Function = &FUNCTIONS[Index::$name as usize];
                    let mut arguments = [0_u64; 0 $(+ calls::words_of::<$ty>())*];
                    let mut at = 0;
                    $(calls::put(&mut arguments, &mut at, $arg);)*
                    let real = FUNCTION.real(number::$table);
                    // SAFETY: the library's function of this name has this type.
                    let real = unsafe {
                        core::mem::transmute::<*mut c_void, unsafe extern "C-unwind" fn($($ty),*) $(-> $ret)?>(real)
                    };
                    if let Some(quiet) = const { $crate::preload::hooks::of(stringify!($name)).quiet }
                        && quiet(&arguments)
                    {
                        // SAFETY: the caller's arguments.
                        return unsafe { real($($arg),*) };
                    }
                    let call = calls::enter(Id::new(number::$table, Index::$name as usize), FUNCTION, &arguments);
                    // SAFETY: the caller's arguments.
                    let mut result = unsafe { real($($arg),*) };
                    calls::leave(call, FUNCTION, &arguments, &raw mut result);
                    result
                }
            )*
        }
    };
    (@result) => { None };
    (@result $kind:tt) => { Some(kind!($kind)) };
    ($table:ident $($functions:tt)*) => {
        wrappers! { @table $table exported if all $($functions)* }
    };
}

/// An argument's name as C has it.
pub const fn plain(name: &'static str) -> &'static str {
    match name.as_bytes() {
        [b'r', b'#', ..] => name.split_at(2).1,
        _ => name,
    }
}

// What hipcc puts into programs; in no header.
wrappers! { hip_compiler
    __hipRegisterFatBinary(data: *const c_void = [address]) -> *mut c_void = [address];
    __hipRegisterFunction(modules: *mut c_void = [address], hostFunction: *const c_void = [address], deviceFunction: *const c_char = [address], deviceName: *const c_char = [text], threadLimit: c_uint = [unsigned c_uint], tid: *mut c_void = [address], bid: *mut c_void = [address], blockDim: *mut c_void = [address], gridDim: *mut c_void = [address], wSize: *mut c_int = [address]);
    __hipRegisterManagedVar(hipModule: *mut c_void = [address], pointer: *mut *mut c_void = [address], init_value: *mut c_void = [address], name: *const c_char = [text], size: usize = [unsigned usize], align: c_uint = [unsigned c_uint]);
    __hipRegisterSurface(modules: *mut c_void = [address], var: *mut c_void = [address], hostVar: *mut c_char = [address], deviceVar: *const c_char = [text], type_: c_int = [signed c_int], ext: c_int = [signed c_int]);
    __hipRegisterTexture(modules: *mut c_void = [address], var: *mut c_void = [address], hostVar: *mut c_char = [address], deviceVar: *const c_char = [text], type_: c_int = [signed c_int], norm: c_int = [signed c_int], ext: c_int = [signed c_int]);
    __hipRegisterVar(modules: *mut c_void = [address], var: *mut c_void = [address], hostVar: *mut c_char = [address], deviceVar: *const c_char = [text], ext: c_int = [signed c_int], size: usize = [unsigned usize], constant: c_int = [signed c_int], global: c_int = [signed c_int]);
    __hipUnregisterFatBinary(modules: *mut c_void = [address]);
}

impl Function {
    /// The library's function behind the wrapper. Without one, the program ends as it would have for want of the
    /// symbol.
    #[inline]
    pub(crate) fn real(&'static self, table: usize) -> *mut c_void {
        let known = self.real.load(Ordering::Acquire);
        if known.is_null() { self.resolve(table).unwrap_or_else(|| self.missing()) } else { known }
    }

    /// Looks for the function in the libraries that are loaded.
    #[cold]
    pub(crate) fn resolve(&'static self, table: usize) -> Option<*mut c_void> {
        let known = self.real.load(Ordering::Acquire);
        if !known.is_null() {
            return Some(known);
        }
        let found = dlsym::next(self.name).or_else(|| dlsym::loaded(table, self.name))?;
        Some(self.take(table, found))
    }

    /// Makes `real` the function behind the wrapper, unless there is one; gives the one that is.
    pub(crate) fn take(&'static self, table: usize, real: *mut c_void) -> *mut c_void {
        match self.real.compare_exchange(std::ptr::null_mut(), real, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => {
                dlsym::pin(real);
                dlsym::record_library(table, self, real);
                real
            }
            Err(known) => known,
        }
    }

    #[cold]
    fn missing(&self) -> ! {
        let name = self.name.to_string_lossy();
        _ = writeln!(std::io::stderr(), "rocm-trace: symbol lookup error: undefined symbol: {name}");
        // SAFETY: as the dynamic linker does.
        unsafe { libc::_exit(127) }
    }
}

impl Table {
    /// Whether a library of this file name is one that has the functions.
    pub(crate) fn is_of(&self, file: &CStr) -> bool {
        self.libraries.iter().any(|start| is_called(file, start))
    }
}
