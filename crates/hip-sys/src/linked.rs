// What is documented where the crate declares this module. (The same file in each crate that loads a library.)
macro_rules! functions {
    ($table:ident { $($name:ident $since:tt $until:literal ($($arg:ident: $ty:ty),*) $(-> $ret:ty)?;)* }) => {
        unsafe extern "C" {
            $(
                #[doc = concat!("`", stringify!($name), "`, which headers ", $since, " to ", $until, " declare.")]
                pub fn $name($($arg: $ty),*) $(-> $ret)?;
            )*
        }
    };
}
include!("bindings_functions.rs");
