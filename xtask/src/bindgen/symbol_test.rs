//! The function tables against what real libraries export.
use super::Context;
use super::packages::{self, Gone, Origin, Package, skip_if_gone};
use object::{Object, ObjectSymbol};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const fn debian(name: &'static str, version: &'static str, suite: &'static str, sha256: &'static str) -> Package {
    Package { name, version, origin: Origin::Debian { suite }, sha256, headers: None }
}

const HIP: [Package; 6] = [
    debian("libamdhip64-5", "5.2.3-8", "bookworm", "e89c3757b6ca16b7a03374a0a42402ab19e9e7000251d47379838be965330ebd"),
    debian(
        "libamdhip64-5",
        "5.7.1-6+deb13u1",
        "trixie",
        "a60c313b59c09d776190a6e70b13337992240227f365ce4b91bb476d47a776d7",
    ),
    debian("libamdhip64-6", "6.4.3-5", "forky", "0c90c3f0a1f02ab5525a11c5b1879f1cb05bee9c7a2a79aa36863f57c85f7177"),
    debian("libhiprtc6", "6.4.3-5", "forky", "cfe65df612e88fa34b2e7c37f99378b6823cd3c3b9e37b249bc15929b0160f08"),
    debian(
        "libamdhip64-7",
        "7.2.4-1~exp2",
        "experimental",
        "265743c8647c0200b014062d3fdcea617c1b7c87a214f666a86dc1da8dd53192",
    ),
    debian(
        "libhiprtc7",
        "7.2.4-1~exp2",
        "experimental",
        "85b88195e47ac59c640bc57e3623030363cbedf4f145bc4fcaba88d7087a6038",
    ),
];
const HSA: [Package; 4] = [
    debian(
        "libhsa-runtime64-1",
        "5.2.3-3",
        "bookworm",
        "9b633756945b16124376b274dbc681e4022c2b9704b8bdfa04637b09c7bfad93",
    ),
    debian(
        "libhsa-runtime64-1",
        "6.1.2-3",
        "trixie",
        "5633b84b2f6527b19d70db064cfbbaf37b426f3a1a826316de115c8acb8c196d",
    ),
    debian(
        "libhsa-runtime64-1",
        "6.4.3+dfsg-5",
        "forky",
        "ca6a3f8a844010ee4ccd0165af5ed21192dbfe58a1ce1f2360037fe797bf27d0",
    ),
    debian(
        "libhsa-runtime64-1",
        "7.2.4+dfsg-1~exp1",
        "experimental",
        "5298b55763e0f756f154f4fb9e142b0a93cb8584ef57e6f26127d295e9d08641",
    ),
];
const CL: [Package; 2] = [
    debian(
        "ocl-icd-libopencl1",
        "2.3.1-1",
        "bookworm",
        "ddd8509c0430545173752bed272c7f44f8b5f7d125265b20456207aaefbb52c8",
    ),
    debian(
        "ocl-icd-libopencl1",
        "2.3.4-1+b1",
        "forky",
        "b6e38cf1047d92f7b461422b6078e008279ad127a11451383d9710ff95101fed",
    ),
];

/// What the libraries of `packages` export under `prefix` and `known` has not, and the packages that can no longer be
/// had.
///
/// # Panics
/// If a library exports fewer than `least` such functions: then it is not the library.
fn undeclared(packages: &[Package], prefixes: &[&str], least: usize, known: &[&str]) -> (BTreeSet<String>, Vec<Gone>) {
    let context = Context::new().unwrap();
    packages::download(packages, &context.target).unwrap();
    let (mut undeclared, mut gone) = (BTreeSet::new(), Vec::new());
    for package in packages {
        let folder = match context.fetch(package) {
            Ok(root) => root.join("usr/lib/x86_64-linux-gnu"),
            Err(error) => {
                gone.push(error.downcast::<Gone>().unwrap_or_else(|error| panic!("{error:#}")));
                continue;
            }
        };
        let library = fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .find(|path| is_library(path))
            .unwrap_or_else(|| panic!("no library in {}", folder.display()));
        let bytes = fs::read(&library).unwrap();
        let file = object::File::parse(bytes.as_slice()).unwrap();
        let exported: Vec<String> = file
            .dynamic_symbols()
            .filter(|symbol| symbol.is_definition() && symbol.kind() == object::SymbolKind::Text)
            .filter_map(|symbol| Some(symbol.name().ok()?.to_owned()))
            .filter(|name| prefixes.iter().any(|prefix| name.starts_with(prefix)))
            .collect();
        assert!(exported.len() >= least, "{} exports {} functions", library.display(), exported.len());
        undeclared.extend(exported.into_iter().filter(|name| !known.contains(&name.as_str())));
    }
    (undeclared, gone)
}

fn is_library(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let wanted = ["libamdhip64.so.", "libhiprtc.so.", "libhsa-runtime64.so.", "libOpenCL.so."];
    wanted.iter().any(|start| name.starts_with(start)) && !path.is_symlink()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn hip_has_every_function_that_the_libraries_export() {
    let known: Vec<&str> =
        hip_sys::Hip::FUNCTIONS.iter().chain(hip_sys::Hiprtc::FUNCTIONS).map(|function| function.name).collect();
    // For AMD's tracers; no header declares them.
    let tracing =
        ["hipEnableActivityCallback", "hipGetCmdName", "hipInitActivityCallback", "hipRegisterTracerCallback"];
    let (undeclared, gone) = undeclared(&HIP, &["hip"], 18, &known);
    assert_eq!(undeclared, set(&tracing));
    skip_if_gone!(gone);
}

#[test]
fn hsa_has_every_function_that_the_libraries_export() {
    let known: Vec<&str> = hsa_sys::Hsa::FUNCTIONS.iter().map(|function| function.name).collect();
    let (undeclared, gone) = undeclared(&HSA, &["hsa_"], 220, &known);
    assert_eq!(undeclared, set(&[]));
    skip_if_gone!(gone);
}

#[test]
fn cl_has_every_function_that_the_loaders_export() {
    let known: Vec<&str> =
        cl_sys::Cl::FUNCTIONS.iter().chain(cl_sys::ClExtensions::FUNCTIONS).map(|function| function.name).collect();
    let (undeclared, gone) = undeclared(&CL, &["cl"], 130, &known);
    assert_eq!(undeclared, set(&[]));
    skip_if_gone!(gone);
}
