//! Names of functions and requests, with the names and kinds of their arguments, for display.

use crate::generated::cl_sys::{opencl, opencl_extensions};
use crate::generated::{hip_sys::hip, hsa_sys::hsa, kfd_sys as kfd};
use crate::preload::functions::hip_compiler;
use crate::preload::hooks::Hook;
use std::ffi::{CStr, c_void};
use std::sync::atomic::AtomicPtr;

/// A function that is recorded.
#[derive(Debug)]
pub struct Function {
    /// The name.
    pub name: &'static CStr,
    /// The arguments.
    pub args: &'static [Field],
    /// The type of the result.
    pub result: Option<Type>,
    /// How many arguments are texts.
    pub(crate) texts: u8,
    /// How many arguments are pointers to a value that the function gives.
    pub(crate) outs: u8,
    /// Words of its result.
    pub(crate) results: u8,
    /// The library's function, once it is known.
    pub(crate) real: AtomicPtr<c_void>,
    /// The function that stands in front of it.
    pub(crate) wrapper: Wrapper,
    /// What is done besides recording it.
    pub(crate) hook: Hook,
}

/// Address of a function of this library.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wrapper(pub(crate) *const c_void);
// SAFETY: functions may be called from all threads.
unsafe impl Sync for Wrapper {}

/// An argument, or a field of a record.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The name.
    pub name: &'static str,
    /// How to show it.
    pub ty: Type,
    /// Bytes from the beginning of the record; 0 for arguments.
    pub offset: usize,
    /// The size in bytes.
    pub bytes: usize,
}

/// A structure.
#[derive(Debug)]
pub struct Layout {
    /// The fields.
    pub fields: &'static [Field],
}

/// Numbers with their names.
pub type Names = &'static [(u64, &'static str)];

/// How to show the bytes of a value.
#[derive(Clone, Copy, Debug)]
pub enum Type {
    /// An unsigned integer.
    Unsigned,
    /// A signed integer.
    Signed,
    /// A floating-point number.
    Float,
    /// A pointer or a handle.
    Address,
    /// A pointer to a C string, which is recorded.
    Text,
    /// A value of a C enum.
    Enumerator(fn(u64) -> Option<&'static str>),
    /// A number that constants name.
    Named(Names),
    /// Bits that constants name.
    Flags(Names),
    /// A structure.
    Record(&'static Layout),
    /// Bytes of which no more is known.
    Bytes,
    /// A pointer to a value that the function gives. The size is the value's.
    Out(&'static Type, usize),
}

/// A request of the driver.
#[derive(Debug)]
pub struct Request {
    /// The name in the header.
    pub name: &'static str,
    /// The number.
    pub number: u64,
    /// The argument.
    pub argument: Layout,
}

/// A group of functions.
#[derive(Debug)]
pub struct Table {
    /// The layer that they are of: `hip`, `opencl` or `hsa`.
    pub layer: &'static str,
    /// The functions, sorted by name.
    pub functions: &'static [Function],
    /// Beginnings of the names of the libraries' files.
    pub(crate) libraries: &'static [&'static str],
    /// Whether a library exports them; if not, programs get their addresses by a call.
    pub(crate) exported: bool,
}

/// Places in [`TABLES`].
#[allow(non_upper_case_globals)]
pub(crate) mod number {
    pub const hip: usize = 0;
    pub const hip_compiler: usize = 1;
    pub const hsa: usize = 2;
    pub const opencl: usize = 3;
    pub const opencl_extensions: usize = 4;
}

const fn table(
    layer: &'static str,
    functions: &'static [Function],
    libraries: &'static [&'static str],
    exported: bool,
) -> Table {
    Table { layer, functions, libraries, exported }
}

/// All functions. A record has the table's place here and the function's place there.
pub static TABLES: [Table; 5] = [
    table("hip", &hip::FUNCTIONS, &["libamdhip64", "libhiprtc"], true),
    table("hip", &hip_compiler::FUNCTIONS, &["libamdhip64"], true),
    table("hsa", &hsa::FUNCTIONS, &["libhsa-runtime64"], true),
    table("opencl", &opencl::FUNCTIONS, &["libOpenCL"], true),
    table("opencl", &opencl_extensions::FUNCTIONS, &[], false),
];

/// A function's number in records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Id(pub u32);

impl Id {
    /// The function at `index` of the table at `table`.
    pub(crate) const fn new(table: usize, index: usize) -> Id {
        Id((table as u32) << 16 | index as u32)
    }

    /// The table's place.
    pub(crate) const fn table(self) -> usize {
        self.0 as usize >> 16
    }

    /// The table and the function of this number.
    pub fn find(self) -> Option<(&'static Table, &'static Function)> {
        let table = TABLES.get(self.0 as usize >> 16)?;
        Some((table, table.functions.get(self.0 as usize & 0xffff)?))
    }
}

/// The function of this name.
pub fn find(name: &CStr) -> Option<(Id, &'static Function)> {
    TABLES.iter().enumerate().find_map(|(number, table)| {
        let index = table.functions.binary_search_by(|function| function.name.cmp(name)).ok()?;
        Some((Id::new(number, index), &table.functions[index]))
    })
}

/// The description of the request with this number. Drivers and libraries of other versions pass arguments of other
/// sizes.
pub fn request(number: u64) -> Option<&'static Request> {
    const SIZE: u64 = 0x3fff << 16;
    let mut same = kfd::REQUESTS.iter().filter(|request| request.number & !SIZE == number & !SIZE);
    let first = same.next();
    same.find(|request| request.number == number).or(first)
}

/// Changes with what the numbers in records mean.
pub fn digest() -> u64 {
    // FNV-1a
    let mut digest = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |bytes: &[u8]| {
        for byte in bytes {
            digest = (digest ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    };
    for function in TABLES.iter().flat_map(|table| table.functions) {
        add(function.name.to_bytes_with_nul());
        for argument in function.args {
            add(argument.name.as_bytes());
            add(&argument.bytes.to_le_bytes());
        }
    }
    digest
}

/// A kind as the generated tables write it.
macro_rules! kind {
    ([unsigned $ty:ty]) => { $crate::tables::Type::Unsigned };
    ([signed $ty:ty]) => { $crate::tables::Type::Signed };
    ([float $ty:ty]) => { $crate::tables::Type::Float };
    ([address]) => { $crate::tables::Type::Address };
    ([text]) => { $crate::tables::Type::Text };
    ([enumerator $ty:ident]) => { $crate::tables::Type::Enumerator(|value| $ty(value as _).name()) };
    ([named $ty:ident]) => { $crate::tables::Type::Named(names::$ty) };
    ([flags $ty:ident]) => { $crate::tables::Type::Flags(names::$ty) };
    ([record $ty:ident]) => { $crate::tables::Type::Record(&records::$ty) };
    ([bytes $ty:ty]) => { $crate::tables::Type::Bytes };
    ([out address]) => { $crate::tables::Type::Out(&kind!([address]), 8) };
    ([out $kind:ident $ty:ident]) => { $crate::tables::Type::Out(&kind!([$kind $ty]), size_of::<$ty>()) };
}

/// The size of a value of a kind.
macro_rules! bytes {
    ([address]) => {
        8
    };
    ([$kind:ident $ty:ty]) => {
        size_of::<$ty>()
    };
}

/// Names of an integer type's values, as a constant of the type's name.
macro_rules! named {
    ($($ty:ident: $($name:ident,)*;)*) => {
        #[allow(non_upper_case_globals)]
        mod names {
            use super::*;
            $(pub(super) const $ty: $crate::tables::Names = &[$(($name as i64 as u64, stringify!($name)),)*];)*
        }
    };
}

/// Structures that are passed by value, as constants of their names.
macro_rules! records {
    ($($record:ident: $($field:ident = $kind:tt,)*;)*) => {
        #[allow(non_upper_case_globals)]
        mod records {
            use super::*;
            $(pub(super) static $record: $crate::tables::Layout = layout!($record: $($field = $kind,)*);)*
        }
    };
}

macro_rules! layout {
    ($record:ty: $($field:ident = $kind:tt,)*) => {
        $crate::tables::Layout {
            fields: &[$($crate::tables::Field {
                name: stringify!($field),
                ty: kind!($kind),
                offset: core::mem::offset_of!($record, $field),
                bytes: bytes!($kind),
            },)*],
        }
    };
}

/// Requests of the driver with the fields of their arguments.
macro_rules! requests {
    ($($request:ident: $(())? $($args:ident { $($field:ident = $kind:tt,)* })?,)*) => {
        /// All requests.
        pub static REQUESTS: &[$crate::tables::Request] = &[$($crate::tables::Request {
            name: stringify!($request),
            number: $request,
            argument: requests!(@layout $($args: $($field = $kind,)*)?),
        },)*];
    };
    (@layout) => { $crate::tables::Layout { fields: &[] } };
    (@layout $($layout:tt)*) => { layout!($($layout)*) };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argument(function: &CStr, name: &str) -> Type {
        let (_, function) = find(function).expect("a function");
        function.args.iter().find(|field| field.name == name).expect("an argument").ty
    }

    fn name(ty: Type, number: i64) -> Option<&'static str> {
        let Type::Named(names) = ty else { panic!("{ty:?} has no names") };
        names.iter().find(|(value, _)| *value as i64 == number).map(|(_, name)| *name)
    }

    #[test]
    fn only_arguments_of_a_type_for_constants_have_names() {
        // Counts and indices are integers of no type of their own, and some constants are too.
        for (function, name) in [
            (c"clSetKernelArg", "arg_index"),
            (c"clEnqueueNDRangeKernel", "work_dim"),
            (c"clWaitForEvents", "num_events"),
            (c"clSVMAlloc", "alignment"),
        ] {
            assert!(matches!(argument(function, name), Type::Unsigned), "{name} of {function:?}");
        }
        assert!(matches!(argument(c"clSetUserEventStatus", "execution_status"), Type::Signed));
        assert_eq!(name(argument(c"clGetDeviceInfo", "param_name"), 0x102B), Some("CL_DEVICE_NAME"));
        assert_eq!(name(argument(c"clEnqueueReadBuffer", "blocking_read"), 1), Some("CL_TRUE"));
        let (_, function) = find(c"clSetKernelArg").expect("a function");
        assert_eq!(name(function.result.expect("a result"), -49), Some("CL_INVALID_ARG_INDEX"));
        let Type::Out(status, 4) = argument(c"clCreateBuffer", "errcode_ret") else {
            panic!("an error is given there")
        };
        assert_eq!((name(*status, 0), name(*status, -61)), (Some("CL_SUCCESS"), Some("CL_INVALID_BUFFER_SIZE")));
    }
}
