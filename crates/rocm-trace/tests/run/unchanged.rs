//! The recorder does not change a program's behaviour, not even for unusual programs.

use super::{Folder, cc};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs a program alone and recorded; both must do the same. Gives what it did recorded.
fn the_same(folder: &Folder, program: &Path, arguments: &[&Path]) -> Output {
    let alone = Command::new(program).args(arguments).output().expect("the program");
    let recorded = folder.recorder(&[], program).args(arguments).output().expect("rocm-trace");
    assert_eq!((recorded.status, &recorded.stdout), (alone.status, &alone.stdout), "{recorded:?}");
    recorded
}

/// Compiles the library that uses the library that stands for HIP's.
fn plugin(folder: &Folder) -> PathBuf {
    let ([library, rpath], plugin) = (folder.library(), folder.path("plugin.so"));
    cc(["-shared", "-fPIC", "-o"], &plugin, "plugin.c", &[&library, &rpath]);
    plugin
}

#[test]
fn a_library_that_is_unloaded_and_loaded_again_is_used_where_it_is() {
    let folder = Folder::new("unloaded");
    let plugin = plugin(&folder);
    let program = folder.path("host");
    cc(["-O1", "-g0", "-o"], &program, "host.c", &["-ldl"]);
    let output = the_same(&folder, &program, &[&plugin]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "0: 0\n1: 0\n2: 0\n");
    assert_eq!(super::calls(&folder.lines(), "hipMalloc").len(), 3);
}

#[test]
fn addresses_that_cannot_be_read_are_refused_by_the_kernel() {
    let folder = Folder::new("pointers");
    let program = folder.path("pointers");
    cc(["-O1", "-g0", "-o"], &program, "pointers.c", &[]);
    let output = the_same(&folder, &program, &[]);
    let lines = String::from_utf8_lossy(&output.stdout).lines().count();
    assert_eq!(lines, 14, "{output:?}");
    let requests = folder.lines().iter().filter(|line| line["kind"] == "ioctl").count();
    assert_eq!(requests, 5);
}

/// The dynamic linker runs the constructors of libraries before that of the recorder, which is in front of all.
#[test]
fn constructors_of_libraries_are_recorded() {
    let folder = Folder::new("constructors");
    let plugin = plugin(&folder);
    let program = folder.path("host");
    let (plugin, rpath) = (plugin.to_str().expect("UTF-8"), format!("-Wl,-rpath,{}", folder.0.display()));
    let allocator = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/allocator.c");
    cc(["-O1", "-DLINKED", "-o"], &program, "host.c", &[allocator, plugin, &rpath, "-lpthread"]);
    the_same(&folder, &program, &[]);
    let lines = folder.lines();
    let calls = super::calls(&lines, "hipModuleGetFunction");
    assert_eq!((calls.len(), &calls[0]["args"]["kname"]), (1, &json!("kernel of a constructor")));
    let library = lines.iter().find(|line| line["kind"] == "library").expect("the library");
    assert_eq!(library["args"]["function"], "hipModuleGetFunction");
    assert!(library["args"]["path"].as_str().expect("a path").ends_with("libamdhip64.so.5"));
}

/// As `nohup` and shells ignore them for what they start.
#[test]
fn signals_that_are_ignored_or_wait_stay_so() {
    let folder = Folder::new("signals");
    let program = folder.path("signals");
    cc(["-O1", "-g0", "-o"], &program, "signals.c", &[]);
    for ignored in ["", "HUP", "INT TERM", "HUP INT QUIT CHLD"] {
        let shell = |command: &Command| {
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(format!("for signal in {ignored}; do trap '' $signal; done; exec \"$@\"")).arg("sh");
            shell.arg(command.get_program()).args(command.get_args()).output().expect("sh")
        };
        let (alone, recorded) = (shell(&Command::new(&program)), shell(&folder.recorder(&[], &program)));
        assert_eq!(String::from_utf8_lossy(&recorded.stdout), String::from_utf8_lossy(&alone.stdout), "{ignored}");
        assert_eq!((alone.status.code(), recorded.status.code()), (Some(0), Some(0)), "{recorded:?}");
    }
}

#[test]
fn descriptors_of_the_driver_are_known_by_their_copies() {
    let folder = Folder::new("descriptors");
    let (device, program) = (folder.path("device.so"), folder.path("descriptors"));
    cc(["-shared", "-fPIC", "-o"], &device, "device.c", &[]);
    let device = device.to_str().expect("UTF-8");
    cc(["-O1", "-g0", "-o"], &program, "descriptors.c", &["-Wl,--no-as-needed", device]);
    let output = the_same(&folder, &program, &[]);
    let stdout = String::from_utf8_lossy(&output.stdout);
    let printed: Vec<u64> = stdout.lines().map(|line| line.parse().expect("a number")).collect();
    let [fd, copies @ ..] = &printed[..] else { panic!("descriptors") };
    let lines = folder.lines();
    let requests = lines.iter().filter(|line| line["kind"] == "ioctl");
    let requests: Vec<_> = requests.map(|line| line["args"]["fd"].as_u64().expect("a number")).collect();
    assert_eq!(requests, [copies, &[*fd, copies[0]]].concat());
    // The child's is its own.
    assert!(lines.iter().all(|line| line["name"] != "close"));
}
