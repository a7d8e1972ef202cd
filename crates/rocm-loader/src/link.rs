//! For build scripts of binding crates that can also link their library at build time.
use std::path::PathBuf;

/// Tells cargo to link the `libraries` of a development package, found in `/usr/lib`, or in `lib` of `HIP_PATH`,
/// `ROCM_PATH` or `/opt/rocm`. A missing library is a warning, and an error of the linker if one of its functions is
/// used.
pub fn dynamically(libraries: &[&str]) {
    let environment = |name: &str| {
        println!("cargo:rerun-if-env-changed={name}");
        std::env::var_os(name).map(PathBuf::from)
    };
    let roots = ["HIP_PATH", "ROCM_PATH"].map(environment);
    let arch = std::env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    let folders = folders(&arch, roots.into_iter().flatten());
    for library in libraries {
        let file = format!("lib{library}.so");
        match folders.iter().find(|folder| folder.join(&file).exists()) {
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

/// Roots that are no absolute paths, as empty variables are none, would be taken relative to wherever cargo runs the
/// script.
fn folders(arch: &str, roots: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let system = [PathBuf::from(format!("/usr/lib/{arch}-linux-gnu")), "/usr/lib64".into(), "/usr/lib".into()];
    let roots = roots.filter(|root| root.is_absolute()).chain([PathBuf::from("/opt/rocm")]);
    system.into_iter().chain(roots.map(|root| root.join("lib"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_absolute_roots_are_searched() {
        let roots = ["", "relative", "/callers"].map(PathBuf::from);
        let folders = folders("x86_64", roots.into_iter());
        let expected = ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/callers/lib", "/opt/rocm/lib"];
        assert_eq!(folders, expected.map(PathBuf::from));
    }
}
