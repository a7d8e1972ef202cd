//! Flows of packets from call to wait, in programs that use queues and signals as runtimes and threads do.

use super::{Folder, calls, cc};
use serde_json::{Value, json};
use std::collections::BTreeMap;
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
fn each_packet_of_a_queue_that_threads_share_is_there_once() {
    let lines = recorded(&Folder::new("shared"), "shared.c", &[]);
    let packets: BTreeMap<_, _> = of_kind(&lines, "packet")
        .into_iter()
        .map(|line| {
            let args = &line["args"];
            (args["index"].as_u64().expect("an index"), [&args["kernel_object"], &args["taken"]])
        })
        .collect();
    let count = of_kind(&lines, "packet").len();
    assert_eq!((count, packets.len(), of_kind(&lines, "flow").len()), (25, 25, 25), "{packets:?}");
    for (index, [kernel, taken]) in packets {
        assert_eq!(*kernel, format!("{:#x}", 0x1000 + 64 * index), "{index}");
        // Two were, which A had rung for too late.
        assert_eq!(*taken == json!(true), matches!(index, 19 | 20), "{index}");
    }
}

#[test]
fn a_look_whether_a_signal_is_free_is_no_wait() {
    let folder = Folder::new("looks");
    let ([hsa, rpath], runtime) = (hsa(&folder), folder.path("libamdhip64.so.5"));
    cc(["-shared", "-fPIC", "-o"], &runtime, "runtime.c", &[&hsa, &rpath]);
    let lines = recorded(&folder, "launches.c", &[runtime.to_str().expect("UTF-8")]);
    let [first, second] = calls(&lines, "hipMemcpy")[..] else { panic!("two copies") };
    let [wait] = calls(&lines, "hipDeviceSynchronize")[..] else { panic!("one wait") };
    let waited: Vec<_> = of_kind(&lines, "flow").into_iter().map(|flow| &flow["waited_in"]).collect();
    // The signals of the first two were given up when those of the copies were made; nobody waited for them.
    assert_eq!(waited, [&Value::Null, &Value::Null, &first["id"], &second["id"], &wait["id"]]);
}

/// HIP 5.7 asks it so often that anything more than passing it on makes loading rocBLAS take longer.
#[test]
fn what_is_asked_of_each_symbol_is_passed_on_and_nothing_else() {
    let lines = recorded(&Folder::new("symbols"), "symbols.c", &[]);
    let [asked] = calls(&lines, "hsa_executable_symbol_get_info")[..] else { panic!("one call that is recorded") };
    assert_eq!(asked["args"]["attribute"], "HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT");
    // What happens inside of a call is recorded: inside of this one alone.
    let inside: Vec<_> = of_kind(&lines, "syscall").into_iter().map(|line| [&line["name"], &line["parent"]]).collect();
    assert_eq!(inside, [[&json!("mmap"), &asked["id"]], [&json!("munmap"), &asked["id"]]]);
}
