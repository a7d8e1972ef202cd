//! Linker options of the library.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // AMD's libraries keep addresses of this one's functions, so it is never unloaded.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    // The loader has functions of the same names, and is searched first. Where this library names one, its own is
    // meant.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic-functions");
}
