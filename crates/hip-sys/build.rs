//! With the feature `link`, links the library that the module `linked` declares; without it, links nothing and cannot
//! fail.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    #[cfg(feature = "link")]
    rocm_loader::link::dynamically(&["amdhip64", "hiprtc"]);
}
