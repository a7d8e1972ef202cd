//! Which environment variables a search for a library heeds, in an ordinary program and in a set-user-ID one.
use crate::LoadError;
use crate::library::Search;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::Command;

const SEARCH: Search = Search {
    library: "no library",
    variable: "LIBRARY_TEST_FILE",
    names: &["libnone-of-this-name.so"],
    roots: &["LIBRARY_TEST_ROOT"],
    help: "install nothing",
};
/// `nobody`: has no rights that root has not.
const OTHER_USER: u32 = 65534;

/// Run by the test below as a program of its own.
#[test]
fn prints_what_was_tried() {
    let error = SEARCH.open(&[]).unwrap_err();
    let LoadError::LibraryNotFound { tried, .. } = error else { panic!("{error}") };
    tried.iter().for_each(|(path, _)| println!("tried {}", path.display()));
    let status = fs::read_to_string("/proc/self/status").unwrap();
    println!("{}", status.lines().find(|line| line.starts_with("Uid:")).unwrap());
}

/// What `program`, which is this test, says that it tried with the environment variable.
fn tried(program: &Path, variable: &str, value: &str) -> String {
    let mut command = Command::new(program);
    command.args(["--exact", "library_test::prints_what_was_tried", "--nocapture"]).env(variable, value);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn a_program_heeds_its_environment() {
    let program = std::env::current_exe().unwrap();
    let file = tried(&program, SEARCH.variable, "/callers/file");
    assert!(file.contains("tried /callers/file\n") && !file.contains("libnone"), "{file}");
    let root = tried(&program, SEARCH.roots[0], "/callers");
    assert!(root.contains("tried /callers/lib/libnone-of-this-name.so\n"), "{root}");
}

/// One test, for a copy that is being written cannot be executed, which it is as long as a child of another test has it open.
#[test]
fn a_set_user_id_program_does_not_heed_its_environment() {
    a_program_heeds_its_environment();
    let folder = std::env::temp_dir().join(format!("hip-sys-set-user-id-{}", std::process::id()));
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, Permissions::from_mode(0o700)).unwrap();
    let program = folder.join("test");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let given = chown(&program, Some(OTHER_USER), None);
    let texts = given.is_ok().then(|| {
        fs::set_permissions(&program, Permissions::from_mode(0o4755)).unwrap();
        [(SEARCH.variable, "/callers/file"), (SEARCH.roots[0], "/callers")]
            .map(|(variable, value)| tried(&program, variable, value))
    });
    fs::remove_dir_all(&folder).unwrap();
    let Some(texts) = texts else { test_skip::skip!("only root can give a program to another user") };
    for text in texts {
        // Real and effective user.
        if !text.contains(&format!("Uid:\t0\t{OTHER_USER}\t")) {
            test_skip::skip!("set-user-ID has no effect in {}", folder.display());
        }
        assert!(text.contains("tried libnone-of-this-name.so\n") && !text.contains("/callers"), "{text}");
    }
}
