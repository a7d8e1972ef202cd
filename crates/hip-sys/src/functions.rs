//! What a generated function table expands to: one method per function, looked up in the library on its first call.
//! (The same file in each crate that loads a library.)

/// What is done before a call: nothing, unless a crate puts a macro of its own in place of this one.
#[allow(unused_macros)]
macro_rules! gate {
    ($($anything:tt)*) => {};
}

macro_rules! functions {
    ($table:ident { $($name:ident $since:tt $until:literal ($($arg:ident: $ty:ty),*) $(-> $ret:ty)?;)* }) => {
        const _: () = {
            #[allow(non_camel_case_types, clippy::enum_variant_names)]
            enum Index {
                $($name,)*
            }

            impl $table {
                /// Every function that this table knows, in the order of their names.
                pub const FUNCTIONS: &'static [Function] = &[
                    $(Function { name: stringify!($name), since: $since, until: $until },)*
                ];

                $(
                    #[doc = concat!("Calls `", stringify!($name), "`, which headers ", $since, " to ", $until, " declare.")]
                    ///
                    /// # Errors
                    /// [`LoadError`] if this library lacks the function; what the function itself returns is the `Ok` value.
                    /// # Safety
                    /// As the API says of the C function.
                    #[inline]
                    #[allow(non_snake_case, clippy::too_many_arguments)]
                    pub unsafe fn $name(&self $(, $arg: $ty)*) -> Result<functions!(@ret $($ret)?), LoadError> {
                        gate!(self, $name, $since $(, $arg)*);
                        let address = self.symbols.get(Index::$name as usize)?;
                        // SAFETY: the library's symbol of this name has the type that its header declares, which this is.
                        let function = unsafe {
                            core::mem::transmute::<
                                core::ptr::NonNull<core::ffi::c_void>,
                                unsafe extern "C" fn($($ty),*) $(-> $ret)?,
                            >(address)
                        };
                        // SAFETY: the caller's promise.
                        Ok(unsafe { function($($arg),*) })
                    }
                )*
            }
        };
    };
    (@ret) => { () };
    (@ret $ret:ty) => { $ret };
}

/// The type of a library's functions and the ways to open it. The methods for the functions come from `functions!`.
macro_rules! loaded_library {
    ($(#[$doc:meta])* $table:ident { $($search:tt)* }) => {
        $(#[$doc])*
        ///
        /// Can be used from all threads at once as far as the API itself allows. The library stays loaded until the process ends,
        /// also when this value is dropped.
        #[derive(Debug)]
        pub struct $table {
            symbols: crate::library::Symbols,
        }

        impl $table {
            const SEARCH: crate::library::Search = crate::library::Search { $($search)* };

            /// Opens the library of this machine.
            ///
            /// # Errors
            /// [`LoadError::LibraryNotFound`] with every file that was tried.
            pub fn load() -> Result<Self, LoadError> {
                Ok(Self { symbols: Self::SEARCH.open(Self::FUNCTIONS)? })
            }

            /// Opens the library in this file.
            ///
            /// # Errors
            /// [`LoadError::LibraryNotFound`]
            ///
            /// # Safety
            /// The file must be an implementation of this API: opening it runs its initialisers, and its functions are taken to have the
            /// types that the headers give them.
            pub unsafe fn open(path: impl AsRef<std::path::Path>) -> Result<Self, LoadError> {
                Ok(Self { symbols: Self::SEARCH.open_first(Self::FUNCTIONS, [path.as_ref().to_owned()])? })
            }

            /// Takes functions from a loader of the caller's own: `resolve` gives the address of the function of that name. `name` describes
            /// the loader in errors.
            ///
            /// # Safety
            /// What `resolve` returns must be functions of the types that the headers give them, callable until the process ends.
            pub unsafe fn from_resolver(
                name: impl Into<String>,
                resolve: impl Fn(&str) -> Option<core::ptr::NonNull<core::ffi::c_void>> + Send + Sync + 'static,
            ) -> Self {
                Self { symbols: crate::library::Symbols::of_resolver(Self::FUNCTIONS, name.into(), resolve) }
            }

            /// The file, or the name given to [`from_resolver`](Self::from_resolver), that the functions come from.
            pub fn library(&self) -> &str {
                self.symbols.name()
            }

            /// The address of a function of [`FUNCTIONS`](Self::FUNCTIONS) by name: `None` if this library, or the table, lacks it.
            pub fn address(&self, function: &str) -> Option<core::ptr::NonNull<core::ffi::c_void>> {
                let index = Self::FUNCTIONS.iter().position(|known| known.name == function)?;
                self.symbols.get(index).ok()
            }
        }
    };
}
