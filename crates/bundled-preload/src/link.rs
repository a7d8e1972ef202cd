//! For the build script: links the library that the program carries.
use std::path::Path;

/// Links the library of the calling build script's package into the package's programs. `library` is its name without
/// `lib` and `.so`.
///
/// The linker, because it runs each time that the library was built anew: to the compiler, all that it is given would
/// be as before, and it would keep a program with an old library. Cargo runs the build script again only if `build.rs`
/// changes.
///
/// # Panics
/// If it is not called by a build script.
pub fn link(library: &str) {
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name| std::env::var(name).unwrap_or_else(|_| panic!("cargo sets {name} for build scripts"));
    let out = variable("OUT_DIR");
    // OUT_DIR is PROFILE/build/PACKAGE-HASH/out, and libraries are linked in PROFILE/deps before programs are.
    let profile = Path::new(&out).ancestors().nth(3).expect("OUT_DIR is four folders deep");
    let file = profile.join("deps").join(super::file(library)).display().to_string();
    for argument in ["-Wl,--format=binary", &file, "-Wl,--format=default"] {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
    let arguments = format!("({library:?}, {})", bytes(&file));
    std::fs::write(Path::new(&out).join("bundled_preload.rs"), arguments).expect("OUT_DIR is writable");
}

/// The expression of the bytes that the linker puts into the program.
fn bytes(file: &str) -> String {
    // It calls the first byte and the end of such a file so, with a `_` for each byte that is no letter or digit.
    let plain: String =
        file.bytes().map(|byte| if byte.is_ascii_alphanumeric() { byte as char } else { '_' }).collect();
    format!(
        r#"{{
    unsafe extern "C" {{
        #[link_name = "_binary_{plain}_start"]
        static START: u8;
        #[link_name = "_binary_{plain}_end"]
        static END: u8;
    }}
    let (start, end) = (&raw const START, &raw const END);
    // SAFETY: the linker puts the file between the two symbols, and nobody writes to it.
    unsafe {{ ::core::slice::from_raw_parts(start, end.addr() - start.addr()) }}
}}"#
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn symbols_are_named_as_the_linker_names_them() {
        let text = super::bytes("/a b/ü-1/libsome_recorder.so");
        assert!(text.contains("\"_binary__a_b____1_libsome_recorder_so_start\""), "{text}");
    }
}
