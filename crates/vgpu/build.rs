//! Tells the program where cargo puts the library of the same package, so that it can carry it along.

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Set by cargo fuzz.
    println!("cargo::rustc-check-cfg=cfg(fuzzing)");
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR for build scripts");
    // OUT_DIR is PROFILE/build/vgpu-HASH/out, and libraries are linked in PROFILE/deps before programs are.
    let profile = Path::new(&out).ancestors().nth(3).expect("OUT_DIR is four folders deep");
    println!("cargo::rustc-env=VGPU_LIBRARY={}", profile.join("deps/libvgpu.so").display());
}
