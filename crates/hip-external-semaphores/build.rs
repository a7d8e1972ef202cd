//! Linker options of the library.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // HIP calls functions of this library when work is over, so it is never unloaded.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    // HIP's library has functions of the same names. Where this library names one, its own is meant.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic-functions");
}
