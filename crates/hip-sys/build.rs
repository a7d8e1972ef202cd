//! With the feature `link`: tells the linker about the libraries that a development package has put where such packages do.
//! Without it, or without them, nothing is linked and nothing fails. (The same file in each crate that loads a library.)
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for variable in ["HIP_PATH", "ROCM_PATH"] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    if std::env::var_os("CARGO_FEATURE_LINK").is_none() {
        return;
    }
    let libraries: &[&str] = match std::env::var("CARGO_PKG_NAME").as_deref() {
        Ok("hip-sys") => &["amdhip64", "hiprtc"],
        Ok("hsa-sys") => &["hsa-runtime64"],
        _ => &["OpenCL"],
    };
    let arch = std::env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    let roots = ["HIP_PATH", "ROCM_PATH"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    let folders: Vec<PathBuf> =
        [PathBuf::from(format!("/usr/lib/{arch}-linux-gnu")), "/usr/lib64".into(), "/usr/lib".into()]
            .into_iter()
            .chain(roots.chain([PathBuf::from("/opt/rocm")]).map(|root| root.join("lib")))
            .collect();
    for library in libraries {
        let file = format!("lib{library}.so");
        match folders.iter().find(|folder: &&PathBuf| Path::new(folder).join(&file).exists()) {
            Some(folder) => {
                println!("cargo:rustc-link-search=native={}", folder.display());
                println!("cargo:rustc-link-lib=dylib={library}");
            }
            None => println!(
                "cargo:warning=feature `link`: no {file} in {folders:?}; calling its functions in `linked` will not link"
            ),
        }
    }
}
