//! What `core`'s own tests use of the standard library, from `core` and `alloc`: the compiler takes this crate for
//! `std`.
#![no_std]

extern crate alloc as alloc_crate;

pub use alloc_crate::{borrow, boxed, collections, fmt, format, rc, slice, str, string, vec};
pub use core::*;

pub mod alloc {
    pub use alloc_crate::alloc::*;
}

pub mod panic {
    pub use core::panic::*;

    /// Panics end a wave here. Tests that need more than a call of `body` are ignored by their own attributes.
    pub fn catch_unwind<R>(body: impl FnOnce() -> R + UnwindSafe) -> crate::thread::Result<R> {
        Ok(body())
    }
}

pub mod prelude {
    pub mod rust_2024 {
        pub use crate::{boxed::Box, format, println, string::String, string::ToString, vec, vec::Vec};
        pub use alloc_crate::borrow::ToOwned;
        pub use core::prelude::rust_2024::*;
    }
}

pub mod sync {
    pub use alloc_crate::sync::*;
    pub use core::sync::*;

    /// A type that is `Sync` and not `Send`, as the tests need one.
    pub struct MutexGuard<'a, T: ?Sized>(&'a mut T, core::marker::PhantomData<*const ()>);

    // SAFETY: there are no values of it.
    unsafe impl<T: ?Sized + Sync> Sync for MutexGuard<'_, T> {}
}

pub mod task {
    pub use alloc_crate::task::*;
    pub use core::task::*;
}

pub mod thread {
    /// As `std`'s.
    pub type Result<T> = core::result::Result<T, crate::boxed::Box<dyn core::any::Any + Send + 'static>>;
}

/// Prints nothing: the GPU has nowhere to.
#[macro_export]
macro_rules! println {
    ($($text:tt)*) => {
        _ = format_args!($($text)*)
    };
}
