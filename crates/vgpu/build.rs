//! Has the linker put the library of the same package into the program, so that it carries it along.
//!
//! The linker, as it runs each time that the library was built anew; what the compiler is given is the same each time, and it would keep the old one.

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Set by cargo fuzz.
    println!("cargo::rustc-check-cfg=cfg(fuzzing)");
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR for build scripts");
    // OUT_DIR is PROFILE/build/vgpu-HASH/out, and libraries are linked in PROFILE/deps before programs are.
    let profile = Path::new(&out).ancestors().nth(3).expect("OUT_DIR is four folders deep");
    let library = profile.join("deps/libvgpu.so").display().to_string();
    for argument in ["-Wl,--format=binary", &library, "-Wl,--format=default"] {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
    // The linker calls the first byte and the end of such a file so, with a `_` for each byte that is no letter or digit.
    let plain: String =
        library.bytes().map(|byte| if byte.is_ascii_alphanumeric() { byte as char } else { '_' }).collect();
    let declared = ["start", "end"]
        .map(|name| format!("#[link_name = \"_binary_{plain}_{name}\"] static {}: u8;\n", name.to_uppercase()));
    let text = format!("unsafe extern \"C\" {{\n{}}}\n", declared.concat());
    std::fs::write(Path::new(&out).join("library.rs"), text).expect("OUT_DIR is writable");
}
