//! Puts the device's library into the program.

fn main() {
    bundled_preload::link("vgpu");
    // Set by cargo fuzz.
    println!("cargo::rustc-check-cfg=cfg(fuzzing)");
}
