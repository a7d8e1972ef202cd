//! The macro behind a generated function table: one method for each function, looked up in the library at its first
//! call.

/// Defines the functions of a library as methods of a type that [`loaded_library!`](crate::loaded_library) declares, or
/// of any type with a field `symbols` of type [`Symbols`](crate::Symbols). Invoke it in the module of the type or below
/// it.
///
/// Each line is a C function: its name, the oldest and the newest header version that declare it, and its type.
/// `changed` before the type marks a function that older versions declare otherwise. A library that lacks another
/// function of the same versions counts as older. A call of the marked function then returns an error. `checked by
/// check -> Error,` before the type's name has each method call `check!(self, name, since, arguments..)` first, and
/// return `Error`, which a [`LoadError`](crate::LoadError) converts to.
#[macro_export]
macro_rules! functions {
    ($table:ident { $($functions:tt)* }) => {
        $crate::functions! { checked by no_check -> $crate::LoadError, $table { $($functions)* } }
    };
    (checked by $check:ident -> $Error:ty, $table:ident {
        $($(#[$doc:meta])* $name:ident $since:tt $until:literal $($changed:ident)? ($($arg:ident: $ty:ty),*) $(-> $ret:ty)?;)*
    }) => {
        const _: () = {
            #[allow(non_camel_case_types, clippy::enum_variant_names)]
            enum Index {
                $($name,)*
            }

            impl $table {
                /// Every function that this table knows, in the order of their names.
                pub const FUNCTIONS: &'static [$crate::Function] = &[
                    $($crate::Function {
                        name: stringify!($name),
                        since: $since,
                        until: $until,
                        changed: $crate::functions!(@changed $($changed)?),
                    },)*
                ];

                $(
                    #[doc = concat!("Calls `", stringify!($name), "`, which headers ", $since, " to ", $until, " declare.")]
                    $(#[$doc])*
                    ///
                    /// # Errors
                    /// If this library lacks the function; what the function itself returns is the `Ok` value.
                    /// # Safety
                    /// As the API says of the C function.
                    #[inline]
                    #[allow(non_snake_case, clippy::too_many_arguments)]
                    pub unsafe fn $name(&self $(, $arg: $ty)*) -> Result<$crate::functions!(@ret $($ret)?), $Error> {
                        $crate::functions!(@check $check (self, $name, $since $(, $arg)*));
                        let address = self.symbols.get(Index::$name as usize)?;
                        // SAFETY: the library's symbol of this name has the type that its header declares, which this
                        // is.
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
    (@check no_check $arguments:tt) => {};
    (@check $check:ident ($($arguments:tt)*)) => { $check!($($arguments)*) };
    (@changed) => { false };
    (@changed changed) => { true };
    (@ret) => { () };
    (@ret $ret:ty) => { $ret };
}

/// Declares a type of a library's functions and the ways to open it; [`functions!`](crate::functions) makes its
/// methods. The fields are those of [`Search`](crate::Search).
#[macro_export]
macro_rules! loaded_library {
    ($(#[$doc:meta])* $table:ident { $($search:tt)* }) => {
        $(#[$doc])*
        ///
        /// Can be used from all threads at once as far as the API itself allows. The library stays loaded until the
        /// process ends, also when this value is dropped.
        #[derive(Debug)]
        pub struct $table {
            symbols: $crate::Symbols,
        }

        impl $table {
            const SEARCH: $crate::Search = $crate::Search { $($search)* };

            /// Opens the library of this machine.
            ///
            /// # Errors
            /// [`LoadError::LibraryNotFound`](rocm_loader::LoadError::LibraryNotFound) with every file that was tried.
            pub fn load() -> Result<Self, $crate::LoadError> {
                Ok(Self { symbols: Self::SEARCH.open(Self::FUNCTIONS)? })
            }

            /// Opens the library in this file.
            ///
            /// # Errors
            /// [`LoadError::LibraryNotFound`](rocm_loader::LoadError::LibraryNotFound)
            ///
            /// # Safety
            /// The file must be an implementation of this API: opening it runs its initialisers, and its functions are
            /// taken to have the types that the headers give them.
            pub unsafe fn open(path: impl AsRef<std::path::Path>) -> Result<Self, $crate::LoadError> {
                // SAFETY: the caller's promise.
                Ok(Self { symbols: unsafe { Self::SEARCH.open_file(Self::FUNCTIONS, path.as_ref().to_owned()) }? })
            }

            /// Uses functions from a loader that the caller provides: `resolve` returns the address of the function of
            /// a name. `name` describes the loader in errors.
            ///
            /// # Safety
            /// What `resolve` returns must be functions of the types that the headers give them, callable until the
            /// process ends.
            pub unsafe fn from_resolver(
                name: impl Into<String>,
                resolve: impl Fn(&str) -> Option<core::ptr::NonNull<core::ffi::c_void>> + Send + Sync + 'static,
            ) -> Self {
                Self { symbols: $crate::Symbols::of_resolver(Self::FUNCTIONS, name.into(), resolve) }
            }

            /// The file, or the name given to [`from_resolver`](Self::from_resolver), that the functions come from.
            pub fn library(&self) -> &str {
                self.symbols.name()
            }

            /// The address of a function of [`FUNCTIONS`](Self::FUNCTIONS) by name: `None` if this library, or the
            /// table, lacks it.
            pub fn address(&self, function: &str) -> Option<core::ptr::NonNull<core::ffi::c_void>> {
                let index = Self::FUNCTIONS.iter().position(|known| known.name == function)?;
                self.symbols.get(index).ok()
            }
        }
    };
}

/// The same table as ordinary foreign functions.
#[macro_export]
macro_rules! foreign_functions {
    ($table:ident { $($(#[$doc:meta])* $name:ident $since:tt $until:literal $($changed:ident)? ($($arg:ident: $ty:ty),*) $(-> $ret:ty)?;)* }) => {
        unsafe extern "C" {
            $(
                #[doc = concat!("`", stringify!($name), "`, which headers ", $since, " to ", $until, " declare.")]
                $(#[$doc])*
                pub fn $name($($arg: $ty),*) $(-> $ret)?;
            )*
        }
    };
}
