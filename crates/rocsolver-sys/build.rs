// Written by `cargo xtask bindgen` from a row of xtask/src/bindgen/libraries.rs; do not edit.
//! With the feature `link`, has what the module `linked` declares linked; without it, nothing is linked and nothing fails.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    #[cfg(feature = "link")]
    rocm_loader::link::dynamically(&["rocsolver"]);
}
