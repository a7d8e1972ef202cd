//! The code objects that are committed are what their sources compile to.
use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// Byte for byte: clang 19 of Debian bookworm made them, by the command at the top of each source.
#[test]
fn committed_code_is_what_its_source_compiles_to() {
    let clang = Path::new("/usr/lib/llvm-19/bin/clang");
    if !clang.exists() {
        test_skip::skip!("clang 19 is not installed (clang-19, lld-19)");
    }
    for folder in ["src/queues/blit", "examples"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let source = fs::read_to_string(folder.join("kernels.cl")).expect("the source is there");
        let line = source.lines().nth(1).expect("the second line is the command");
        let mut words = line.trim_start_matches("//").split_whitespace();
        assert_eq!(words.next(), Some("clang-19"), "{line}");
        let output = env::temp_dir().join(format!("kfd-committed-{}.co", std::process::id()));
        let arguments = words.take_while(|word| *word != "-o");
        let status = Command::new(clang).args(arguments).arg("-o").arg(&output).current_dir(&folder).status();
        assert!(status.expect("clang starts").success(), "{line}");
        let compiled = fs::read(&output).expect("clang wrote it");
        fs::remove_file(&output).expect("it is this test's");
        let committed = fs::read(folder.join("kernels.co")).expect("the code object is there");
        assert!(compiled == committed, "{}: kernels.co is not made of kernels.cl; make it again", folder.display());
    }
}
