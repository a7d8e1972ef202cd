//! The lines that a build script prints for cargo. This program, run again, is the script.
use rocm_loader::link;
use std::fs;
use std::process::Command;

/// Run by the test below as a program of its own.
#[test]
fn tells_cargo() {
    link::dynamically(&["of-these-tests", "of-no-package"]);
}

#[test]
fn a_library_that_is_there_is_linked_and_another_is_a_warning() {
    let root = std::env::temp_dir().join(format!("rocm-loader-link-{}", std::process::id()));
    fs::create_dir_all(root.join("lib")).unwrap();
    fs::write(root.join("lib/libof-these-tests.so"), "").unwrap();
    let mut script = Command::new(std::env::current_exe().unwrap());
    script.args(["--exact", "tells_cargo", "--nocapture"]).env("CARGO_CFG_TARGET_ARCH", "x86_64");
    let output = script.env("HIP_PATH", "").env("ROCM_PATH", &root).output().unwrap();
    fs::remove_dir_all(&root).unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let told: Vec<&str> = text.lines().filter_map(|line| line.split_once("cargo:")).map(|(_, told)| told).collect();
    let folder = root.join("lib").display().to_string();
    let search = format!("rustc-link-search=native={folder}");
    let variables = ["rerun-if-env-changed=HIP_PATH", "rerun-if-env-changed=ROCM_PATH"];
    assert_eq!(told[..4], [&variables[..], &[&search, "rustc-link-lib=dylib=of-these-tests"]].concat());
    let [warning] = told[4..] else { panic!("{text}") };
    assert!(warning.starts_with("warning=feature `link`: no libof-no-package.so in "), "{warning}");
    assert!(warning.contains(&folder) && warning.contains("\"/usr/lib/x86_64-linux-gnu\""), "{warning}");
}
