//! The code objects that are committed are what their sources compile to.
use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// Byte for byte: clang 19 of Debian bookworm made them, by the commands at the top of each source.
#[test]
fn committed_code_is_what_its_source_compiles_to() {
    if !Path::new("/usr/bin/clang-19").exists() {
        test_skip::skip!("clang 19 is not installed (clang-19, lld-19)");
    }
    for (folder, objects) in
        [("src/family/blit", &["gfx908.co", "gfx90a.co", "gfx942.co"][..]), ("examples", &["kernels.co"])]
    {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let source = fs::read_to_string(folder.join("kernels.cl")).expect("the source is there");
        let script: Vec<&str> = source.lines().skip(1).map_while(|line| line.strip_prefix("//   ")).collect();
        assert!(script.iter().any(|line| line.contains("clang-19 ")), "{script:?}");
        let made = env::temp_dir().join(format!("kfd-committed-{}", std::process::id()));
        fs::create_dir_all(&made).expect("a folder for it");
        fs::write(made.join("kernels.cl"), &source).expect("a copy of the source");
        let status = Command::new("sh").args(["-euc", &script.join("\n")]).current_dir(&made).status();
        assert!(status.expect("a shell starts").success(), "{script:?}");
        for object in objects {
            let compiled = fs::read(made.join(object)).expect("the commands wrote it");
            let committed = fs::read(folder.join(object)).expect("the code object is there");
            assert!(compiled == committed, "{}: {object} is not made of kernels.cl; make it again", folder.display());
        }
        fs::remove_dir_all(&made).expect("it is this test's");
    }
}
