// Written by `cargo xtask bindgen` from a row of xtask/src/bindgen/libraries.rs; do not edit.
// What is documented where the crate declares this module.
macro_rules! functions {
    ($($table:tt)*) => {
        rocm_loader::foreign_functions! { $($table)* }
    };
}
include!("bindings_functions.rs");
