//! The ways of packets from call to wait, by programs that do what runtimes and threads do to queues and signals.

use super::{Folder, calls, cc};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Compiles the library that stands for HSA's. Gives what a linker is told who links with it.
fn hsa(folder: &Folder) -> [String; 2] {
    let library = folder.path("libhsa-runtime64.so.1");
    cc(["-shared", "-fPIC", "-o"], &library, "hsa.c", &[]);
    [library.to_str().expect("UTF-8").into(), format!("-Wl,-rpath,{}", folder.0.display())]
}

/// Records a program that is linked with it.
fn recorded(folder: &Folder, source: &str, libraries: &[&str]) -> Vec<Value> {
    let ([hsa, rpath], program): (_, PathBuf) = (hsa(folder), folder.path("program"));
    cc(["-O1", "-g0", "-o"], &program, source, &[libraries, &[&hsa, &rpath]].concat());
    let output = folder.recorder(&[], &program).output().expect("rocm-trace");
    assert!(output.status.success(), "{output:?}");
    folder.lines()
}

fn of_kind<'a>(lines: &'a [Value], kind: &str) -> Vec<&'a Value> {
    lines.iter().filter(|line| line["kind"] == kind).collect()
}

#[test]
fn times_in_a_signal_are_of_what_used_it_last() {
    let lines = recorded(&Folder::new("reused"), "reused.c", &[]);
    let ticks: Vec<_> = of_kind(&lines, "ticks").into_iter().map(|line| &line["args"]).collect();
    let shown: Vec<_> = ticks.iter().map(|args| [&args["start"], &args["end"], &args["packet"]]).collect();
    assert_eq!(shown, [[&json!(5000), &json!(6000), &Value::Null], [&json!(1020), &json!(1025), &json!(2)]]);
}

#[test]
fn a_look_whether_a_signal_is_free_is_no_wait() {
    let folder = Folder::new("looks");
    let ([hsa, rpath], runtime) = (hsa(&folder), folder.path("libamdhip64.so.5"));
    cc(["-shared", "-fPIC", "-o"], &runtime, "runtime.c", &[&hsa, &rpath]);
    let lines = recorded(&folder, "launches.c", &[runtime.to_str().expect("UTF-8")]);
    let [copy] = calls(&lines, "hipMemcpy")[..] else { panic!("one copy") };
    let [wait] = calls(&lines, "hipDeviceSynchronize")[..] else { panic!("one wait") };
    let waited: Vec<_> = of_kind(&lines, "flow").into_iter().map(|flow| &flow["waited_in"]).collect();
    // The signals of the first two were given up when those of the next were made; nobody waited for them.
    assert_eq!(waited, [&Value::Null, &Value::Null, &wait["id"], &copy["id"]]);
}
