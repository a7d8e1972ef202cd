//! `cargo xtask` in a small project of its own: which project it works on, and what is left when it is killed.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// A project in a folder of its own, with a blank in its path, gone with the value.
struct Project(PathBuf);

impl Project {
    /// The package `xtask` has a benchmark, and `rocm-vgpu` a build script that writes its number to the file
    /// `building` and never ends.
    fn new(name: &str) -> Project {
        let folder = std::env::temp_dir().join(format!("xtask project {name} {}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let files = [
            ("Cargo.toml", "[workspace]\nmembers = ['xtask', 'vgpu']\nresolver = '2'\n"),
            ("xtask/Cargo.toml", "[package]\nname = 'xtask'\nedition = '2021'\n[[bench]]\nname = 'some'\n"),
            ("xtask/src/lib.rs", ""),
            ("xtask/benches/some.rs", "fn main() {}"),
            ("vgpu/Cargo.toml", "[package]\nname = 'rocm-vgpu'\nedition = '2021'\n"),
            ("vgpu/src/main.rs", "fn main() {}"),
            (
                "vgpu/build.rs",
                "fn main() {
                    std::fs::write(\"../number\", std::process::id().to_string()).unwrap();
                    std::fs::rename(\"../number\", \"../building\").unwrap();
                    loop { std::thread::park(); }
                }",
            ),
        ];
        for (file, text) in files {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Project(folder)
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The program, started in a folder, as of cargo's package `package` or of none.
fn xtask(folder: &Path, package: Option<&Path>) -> Command {
    in_project(Command::new(env!("CARGO_BIN_EXE_xtask")), folder, package)
}

fn in_project(mut command: Command, folder: &Path, package: Option<&Path>) -> Command {
    command.current_dir(folder).env_remove("CARGO_MANIFEST_DIR").env_remove("CARGO_TARGET_DIR").stdin(Stdio::null());
    command.envs(package.map(|package| ("CARGO_MANIFEST_DIR", package)));
    command
}

/// The packages with benchmarks, which the program lists if it is asked for those of another.
fn packages_with_benches(output: &Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr);
    let list = error.split("there are some in: ").nth(1);
    list.unwrap_or_else(|| panic!("{error}")).trim().to_owned()
}

#[test]
fn it_works_on_the_project_that_it_is_run_in() {
    let project = Project::new("copied");
    let elsewhere = std::env::temp_dir();
    let package = project.0.join("xtask");
    for (folder, package) in [
        (&project.0, None),
        (&package.join("src"), None),
        (&elsewhere, Some(package.as_path())),
        // Of a package elsewhere, that is run by another of cargo's programs.
        (&project.0, Some(Path::new("/usr"))),
    ] {
        let output = xtask(folder, package).args(["bench", "--package", "none"]).output().unwrap();
        assert_eq!(packages_with_benches(&output), "xtask", "{folder:?} {package:?}");
    }
    let output = xtask(Path::new("/"), None).args(["bench", "--package", "none"]).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("/ is not in the project") && output.status.code() == Some(1), "{error}");
}

/// The parent of a process that runs.
fn parent(process: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let mut behind_name = stat.rsplit_once(')')?.1.split_whitespace();
    let is_running = behind_name.next()? != "Z";
    behind_name.next()?.parse().ok().filter(|_| is_running)
}

/// Waits for what comes soon.
fn soon<T>(what: &str, mut there: impl FnMut() -> Option<T>) -> T {
    for _ in 0..600 {
        if let Some(it) = there() {
            return it;
        }
        thread::sleep(Duration::from_millis(100));
    }
    panic!("not within a minute: {what}");
}

fn kill(process: i32, signal: Signal) {
    // It may have ended.
    let _ = kill_process(Pid::from_raw(process).unwrap(), signal);
}

/// Killed when a test fails.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_killed_one_takes_its_build_with_it() {
    let project = Project::new("killed");
    let building = project.0.join("building");
    for signal in [Signal::KILL, Signal::TERM, Signal::INT] {
        let _ = fs::remove_file(&building);
        // Whoever runs the tests in the background may have had them ignore SIGINT.
        let mut command = in_project(Command::new("env"), &project.0, None);
        command.args(["--default-signal=INT", env!("CARGO_BIN_EXE_xtask")]);
        command.args(["stack", "host", "--", "true"]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut running = Running(command.spawn().unwrap());
        let script: i32 = soon("the build begins", || fs::read_to_string(&building).ok()?.parse().ok());
        let cargo = parent(script).expect("the script runs");
        assert_eq!(parent(cargo), Some(running.0.id() as i32));
        kill(running.0.id() as i32, signal);
        running.0.wait().unwrap();
        // Who is no longer the child of cargo has lost it.
        soon("cargo ends", || (parent(script) != Some(cargo)).then_some(()));
        kill(script, Signal::KILL);
    }
}
