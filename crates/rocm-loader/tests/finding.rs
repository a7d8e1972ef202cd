//! The file that a search chooses, in child processes: this program again, with other variables and libraries.
use rocm_loader::{LoadError, Names, functions, loaded_library};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

loaded_library! {
    /// A library of these tests.
    Sample {
        library: "the sample",
        variable: "SAMPLE_FILE",
        names: &[
            Names { stem: "libsample", known: 2..=3, newer: true },
            Names { stem: "libsubstitute", known: 1..=1, newer: false },
        ],
        roots: &["SAMPLE_ROOT", "OTHER_ROOT"],
        help: "install nothing",
    }
}
functions! { Sample {
    answer "1" "3" () -> i32;
    question "1" "1" () -> i32;
}}

/// Libraries that the program of a test has loaded before it searches.
const LOADED: &str = "SAMPLE_LOADED";
/// `nobody`: has no rights that root has not.
const OTHER_USER: u32 = 65534;

/// Run by the tests below as a program of its own.
#[test]
fn says_what_is_found() {
    for file in std::env::var(LOADED).unwrap_or_default().split_terminator(':') {
        // SAFETY: a library of these tests, without initialisers.
        std::mem::forget(unsafe { libloading::Library::new(file) }.unwrap());
    }
    let expected = std::env::var_os("SAMPLE_EXPECTED").is_some();
    match Sample::load() {
        // SAFETY: the functions of these tests have this type.
        Ok(sample) => println!("found {} {}", sample.library(), unsafe { sample.answer() }.unwrap()),
        Err(LoadError::LibraryNotFound { tried, .. }) => {
            tried.iter().for_each(|(path, error)| println!("tried {}: {error}", path.display()));
            assert!(!expected);
        }
        Err(error) => panic!("{error}"),
    }
    let status = fs::read_to_string("/proc/self/status").unwrap();
    println!("{}", status.lines().find(|line| line.starts_with("Uid:")).unwrap());
}

/// What `program`, which is this test, says with these environment variables.
fn say(program: &Path, variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(program);
    command.args(["--exact", "says_what_is_found", "--nocapture"]).envs(variables.iter().copied());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn run(variables: &[(&str, &str)]) -> String {
    say(&std::env::current_exe().unwrap(), variables)
}

/// Libraries with one function, in a folder that is removed at the end.
struct Libraries(PathBuf);

impl Libraries {
    fn new(test: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("rocm-loader-{test}-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
        Self(folder)
    }

    /// Makes `path`, whose `answer` is this.
    fn with(self, path: &str, answer: i32) -> Self {
        let file = self.0.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let source = self.0.join("source.c");
        fs::write(&source, format!("int answer(void) {{ return {answer}; }}\n")).unwrap();
        let name = file.file_name().unwrap().to_str().unwrap();
        let mut cc = c_compiler::command().unwrap();
        cc.args(["-shared", "-fPIC", "-nostdlib", &format!("-Wl,-soname,{name}"), "-o"]).arg(&file).arg(&source);
        assert!(cc.status().unwrap().success());
        self
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    /// What `run` says of a search for them in these folders of the loader's path, with these loaded already.
    fn found(&self, folders: &[&str], loaded: &[&str], more: &[(&str, &str)]) -> String {
        let join = |names: &[&str]| names.iter().map(|name| self.path(name)).collect::<Vec<_>>().join(":");
        let (path, loaded) = (join(folders), join(loaded));
        let variables = [("LD_LIBRARY_PATH", path.as_str()), (LOADED, &loaded), ("SAMPLE_EXPECTED", "")];
        let text = run(&[&variables, more].concat());
        text.lines().find_map(|line| line.strip_prefix("found ")).unwrap().to_owned()
    }
}

impl Drop for Libraries {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn known_versions_come_before_newer_ones_and_those_before_none() {
    let libraries =
        Libraries::new("versions").with("a/libsample.so.2", 2).with("a/libsample.so", 1).with("a/libsample.so.4", 4);
    assert_eq!(libraries.found(&["a"], &[], &[]), "libsample.so.2 2");
    fs::remove_file(libraries.path("a/libsample.so.2")).unwrap();
    assert_eq!(libraries.found(&["a"], &[], &[]), "libsample.so.4 4");
    fs::remove_file(libraries.path("a/libsample.so.4")).unwrap();
    assert_eq!(libraries.found(&["a"], &[], &[]), "libsample.so 1");
}

#[test]
fn a_loaded_copy_comes_before_all_files() {
    let libraries = Libraries::new("loaded").with("a/libsample.so.3", 3).with("b/libsample.so.2", 2);
    assert_eq!(libraries.found(&["a"], &["b/libsample.so.2"], &[]), "libsample.so.2 2");
}

#[test]
fn a_substitute_is_taken_only_where_the_library_is_not() {
    let libraries = Libraries::new("substitute").with("a/libsample.so.3", 3).with("b/libsubstitute.so.1", 1);
    assert_eq!(
        libraries.found(&["a"], &["b/libsubstitute.so.1"], &[]),
        "libsample.so.3 3",
        "though the other is loaded"
    );
    assert_eq!(libraries.found(&[], &["b/libsubstitute.so.1"], &[]), "libsubstitute.so.1 1");
    assert_eq!(libraries.found(&["b"], &[], &[]), "libsubstitute.so.1 1");
}

#[test]
fn roots_are_searched_in_their_order_for_any_version() {
    let libraries = Libraries::new("roots").with("a/lib64/libsample.so.99", 99).with("b/lib/libsample.so.3", 3);
    let (a, b) = (libraries.path("a"), libraries.path("b"));
    let far = format!("{a}/lib64/libsample.so.99 99");
    assert_eq!(libraries.found(&[], &[], &[("SAMPLE_ROOT", &a), ("OTHER_ROOT", &b)]), far);
    let known = format!("{b}/lib/libsample.so.3 3");
    assert_eq!(libraries.found(&[], &[], &[("SAMPLE_ROOT", &b), ("OTHER_ROOT", &a)]), known);
    assert_eq!(libraries.found(&[], &[], &[("SAMPLE_ROOT", ""), ("OTHER_ROOT", &b)]), known);
}

#[test]
fn a_file_that_is_named_is_the_only_one() {
    let libraries = Libraries::new("named").with("a/libsample.so.3", 3).with("b/any.so", 7);
    let file = libraries.path("b/any.so");
    assert_eq!(libraries.found(&["a"], &["a/libsample.so.3"], &[("SAMPLE_FILE", &file)]), format!("{file} 7"));
    let missing = libraries.path("missing.so");
    let text = run(&[("LD_LIBRARY_PATH", &libraries.path("a")), ("SAMPLE_FILE", &missing)]);
    let tried: Vec<&str> = text.lines().filter(|line| line.starts_with("tried ")).collect();
    let [only] = tried[..] else { panic!("{text}") };
    assert!(only.starts_with(&format!("tried {missing}: ")) && only.contains("No such file"), "{text}");
}

#[test]
fn an_empty_variable_is_not_set() {
    // The loader takes the empty name for the program itself.
    let text = run(&[("SAMPLE_FILE", "")]);
    assert!(text.contains("tried libsample.so.3: "), "{text}");
    let text = run(&[("SAMPLE_ROOT", "")]);
    assert!(text.contains("tried /opt/rocm/lib/libsample.so*: no such file\n"), "{text}");
    assert!(!text.contains("tried lib/") && !text.contains("tried lib64/"), "{text}");
}

#[test]
fn a_root_must_be_an_absolute_path() {
    let libraries = Libraries::new("relative").with("planted/lib/libsample.so.3", 3);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "says_what_is_found", "--nocapture"])
        .env("SAMPLE_ROOT", "planted")
        .current_dir(&libraries.0);
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("tried planted: left out, because SAMPLE_ROOT must be an absolute path\n"), "{text}");
    assert!(text.contains("tried /opt/rocm/lib/libsample.so*: ") && !text.contains("found planted"), "{text}");
}

#[test]
fn an_error_lists_what_was_tried_and_what_to_do() {
    let file = "/nonexistent/libsample.so.3";
    // SAFETY: there is no such file.
    let error = unsafe { Sample::open(file) }.unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with(&format!("the sample could not be loaded: install nothing. Tried:\n  {file}: ")),
        "{text}"
    );
    assert!(text.contains("No such file"), "{text}");
    // As a `main` that returns it prints it.
    assert_eq!(format!("{error:?}"), text);
}

#[test]
fn a_set_user_id_program_does_not_heed_its_environment() {
    let variables = [("SAMPLE_FILE", "/callers/file"), ("SAMPLE_ROOT", "/callers")];
    let texts = variables.map(|variable| run(&[variable]));
    assert!(texts[0].contains("tried /callers/file: ") && !texts[0].contains("libsample"), "{}", texts[0]);
    assert!(texts[1].contains("tried /callers/lib/libsample.so*: "), "{}", texts[1]);

    let folder = std::env::temp_dir().join(format!("rocm-loader-set-user-id-{}", std::process::id()));
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, Permissions::from_mode(0o700)).unwrap();
    let program = folder.join("test");
    // By another process: a file that is being written cannot be executed, and children that other tests start
    // meanwhile would have it open too.
    let copied = Command::new("cp").arg(std::env::current_exe().unwrap()).arg(&program).status().unwrap();
    assert!(copied.success());
    let given = chown(&program, Some(OTHER_USER), None);
    let texts = given.is_ok().then(|| {
        fs::set_permissions(&program, Permissions::from_mode(0o4755)).unwrap();
        variables.map(|variable| say(&program, &[variable]))
    });
    fs::remove_dir_all(&folder).unwrap();
    let Some(texts) = texts else { test_skip::skip!("only root can give a program to another user") };
    for text in texts {
        // Real and effective user.
        if !text.contains(&format!("Uid:\t0\t{OTHER_USER}\t")) {
            test_skip::skip!("set-user-ID has no effect in the folder for temporary files");
        }
        assert!(text.contains("tried libsample.so.3: ") && !text.contains("/callers"), "{text}");
    }
}
