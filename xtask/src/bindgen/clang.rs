//! From C headers to [`Api`], by way of bindgen and libclang.
#[cfg(feature = "bindgen")]
use super::model::{self, Api};
#[cfg(feature = "bindgen")]
use anyhow::{Context, Result};
use std::path::PathBuf;

/// The C++ that headers are read as.
pub const CPP: &str = "c++17";

/// One version of a set of headers.
pub struct Headers {
    /// C (or C++) source that includes them.
    pub source: String,
    pub include: Vec<PathBuf>,
    pub defines: Vec<String>,
    pub cpp: bool,
    /// Regular expressions of header paths whose declarations are wanted.
    pub files: Vec<String>,
    /// Regular expressions of names wanted from other files.
    pub items: Vec<String>,
    /// Regular expressions of header paths whose declarations another crate has: they are used, and not declared again.
    pub foreign: Vec<String>,
}

impl Headers {
    pub fn clang_args(&self) -> Vec<String> {
        let mut args = vec!["-x".to_owned(), if self.cpp { "c++".into() } else { "c".into() }];
        if self.cpp {
            args.push(format!("-std={CPP}"));
        }
        args.extend(self.include.iter().map(|path| format!("-I{}", path.display())));
        args.extend(self.defines.iter().map(|define| format!("-D{define}")));
        args
    }

    #[cfg(feature = "bindgen")]
    pub fn read(&self) -> Result<Api> {
        find_libclang();
        let mut builder = bindgen::builder()
            .header_contents(if self.cpp { "wrapper.hpp" } else { "wrapper.h" }, &self.source)
            .clang_args(self.clang_args())
            .default_enum_style(bindgen::EnumVariation::NewType { is_bitfield: false, is_global: false })
            .ctypes_prefix("core::ffi")
            .use_core()
            .layout_tests(false)
            .generate_comments(false)
            .merge_extern_blocks(true)
            .prepend_enum_name(false)
            .derive_copy(true)
            .derive_debug(true)
            .disable_header_comment()
            .formatter(bindgen::Formatter::None)
            .allowlist_file(".*wrapper\\.h(pp)?");
        for file in &self.files {
            builder = builder.allowlist_file(file);
        }
        for name in &self.items {
            builder = builder.allowlist_item(name);
        }
        for file in &self.foreign {
            builder = builder.blocklist_file(file);
        }
        if !self.foreign.is_empty() {
            builder = builder.parse_callbacks(Box::new(Foreign));
        }
        let bindings = builder.generate().context("bindgen failed")?;
        model::parse(&bindings.to_string())
    }
}

/// What bindgen has to know of the types of other crates of bindings: that they are like those of this one.
#[cfg(feature = "bindgen")]
#[derive(Debug)]
struct Foreign;

#[cfg(feature = "bindgen")]
impl bindgen::callbacks::ParseCallbacks for Foreign {
    fn blocklisted_type_implements_trait(
        &self,
        _name: &str,
        asked: bindgen::callbacks::DeriveTrait,
    ) -> Option<bindgen::callbacks::ImplementsTrait> {
        use bindgen::callbacks::{DeriveTrait, ImplementsTrait};
        let implemented = matches!(asked, DeriveTrait::Copy | DeriveTrait::Debug);
        Some(if implemented { ImplementsTrait::Yes } else { ImplementsTrait::No })
    }
}

#[cfg(feature = "bindgen")]
/// Points bindgen at a libclang that is not in the loader's path, as Debian's `libclang1-N` is not.
fn find_libclang() {
    if std::env::var_os("LIBCLANG_PATH").is_some() {
        return;
    }
    for version in (14..=30).rev() {
        let dir = format!("/usr/lib/llvm-{version}/lib");
        let named = [format!("libclang.so.{version}"), format!("libclang-{version}.so.1"), "libclang.so".into()];
        if named.iter().any(|name| std::path::Path::new(&dir).join(name).exists()) {
            // SAFETY: xtask runs one thread.
            unsafe { std::env::set_var("LIBCLANG_PATH", &dir) };
            return;
        }
    }
}
