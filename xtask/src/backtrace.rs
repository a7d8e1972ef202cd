//! `cargo xtask backtrace`: the calls through AMD's libraries, from a function of HIP to the driver and the GPU, as gdb
//! sees them.
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::stack::{More, Prepared, Stack};
use crate::vgpu::{self, Build, Options, Vgpu};
use crate::{chains, progress};

/// Prints the functions through which a launch, a wait, an allocation, a copy and a queue's creation go, from HIP to
/// the driver and the doorbell.
///
/// A small program runs on the virtual GPU under gdb. Debian's libraries are stripped, so HIP and ROCr 6.4.3 are
/// compiled first, once, from Debian's sources, with lines and without optimisation. That takes ten minutes of one
/// processor and 150 MB in cargo's target folder.
#[derive(clap::Args)]
pub struct Args {
    /// Write the calls into docs/src/chains/calls.md instead
    #[arg(long)]
    page: bool,
}

/// gdb, and what AMD's sources are compiled with.
const TOOLS: More = More {
    name: "backtrace",
    packages: &[
        "cmake",
        "gdb",
        "libclang-21-dev",
        "libdrm-dev",
        "libelf-dev",
        "libnuma-dev",
        "llvm-21-dev",
        "mesa-common-dev",
        "ninja-build",
        "pkgconf",
        "xxd",
        "zlib1g-dev",
    ],
    wheels: &[],
};

/// Debian's source packages.
const PACKAGES: [&str; 2] = ["rocm-hipamd", "rocr-runtime"];

/// A part of AMD's stack: its name, its folder in a package's sources, that package, and the library that has it.
const LAYERS: [(&str, &str, &str, &str); 4] = [
    ("HIP", "hipamd/", PACKAGES[0], "libamdhip64"),
    ("ROCclr", "rocclr/", PACKAGES[0], "libamdhip64"),
    ("ROCr", "runtime/hsa-runtime/", PACKAGES[1], "libhsa-runtime64"),
    ("thunk", "libhsakmt/", PACKAGES[1], "libhsa-runtime64"),
];

/// Files of functions that only pass a call on to the function of the same name.
const TABLES: [&str; 2] = ["hip_table_interface.cpp", "hsa_table_interface.cpp"];

const NAMESPACES: [&str; 8] = ["amd", "device", "hip", "roc", "rocr", "core", "AMD", "HSA"];

/// Runs the command line.
pub fn main(args: Args) -> Result<()> {
    let stack = Stack::Forky.prepare()?.with(&TOOLS, false)?;
    let folder = vgpu::target_folder()?.join("backtrace");
    let libraries = libraries(&stack, &folder)?;
    let calls = read(&stops(&stack, &folder, &libraries)?)?;
    if !args.page {
        print!("{}", text(&calls));
        return Ok(());
    }
    let page = vgpu::root().join("docs/src/chains/calls.md");
    let mut text = fs::read_to_string(&page).with_context(|| format!("cannot read {}", page.display()))?;
    for call in &calls {
        text = with_call(&text, call)?;
    }
    fs::write(&page, text).with_context(|| format!("cannot write {}", page.display()))
}

/// The folder of HIP and ROCr with lines, compiled first if they are not there.
fn libraries(stack: &Prepared, folder: &Path) -> Result<PathBuf> {
    let done = folder.join("lib");
    if done.is_dir() {
        return Ok(done);
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for package in PACKAGES {
        let mut copy = Command::new("cp");
        copy.args(["--recursive", "--no-target-directory"]);
        copy.arg(chains::linked_sources(package)?).arg(folder.join(package));
        progress::run(&format!("copying the sources of {package}"), &mut copy)?;
    }
    let mut build = stack.command(&[], "sh")?;
    build.args(["-exc", include_str!("backtrace/build.sh"), "sh"]).arg(folder);
    progress::run("compiling HIP and ROCr with lines (once)", &mut build)?;
    Ok(done)
}

/// What gdb wrote: a line for each stop.
fn stops(stack: &Prepared, folder: &Path, libraries: &Path) -> Result<String> {
    let [source, program, script, stops] =
        ["calls.hip", "calls", "calls.py", "stops.jsonl"].map(|name| folder.join(name));
    fs::write(&source, include_str!("backtrace/calls.hip"))?;
    fs::write(&script, include_str!("backtrace/calls.py"))?;
    let mut compiler = stack.command(&[], "hipcc")?;
    compiler.args(["-O1", "--offload-arch=gfx908"]).arg(&source).arg("-o").arg(&program);
    progress::run("compiling the program", &mut compiler)?;
    let front = Vgpu::build(Build::Checked)?.words(&Options::default());
    let mut gdb = stack.command(&front, "gdb")?;
    let path = format!("set environment LD_LIBRARY_PATH {}", libraries.display());
    gdb.args(["--quiet", "--batch", "--nx", "-iex", "set debuginfod enabled off"]);
    gdb.args(["-iex", "set startup-with-shell off", "-iex", &path]).arg("-x").arg(&script).arg(&program);
    progress::run("running the program under gdb", gdb.env("STOPS", &stops))?;
    fs::read_to_string(&stops).with_context(|| format!("gdb wrote no {}", stops.display()))
}

/// A function of AMD's libraries, and what it called from one line.
#[derive(Debug, PartialEq, Eq)]
struct Call {
    /// Without namespaces, parameters and arguments of templates.
    function: String,
    layer: &'static str,
    library: &'static str,
    package: &'static str,
    /// In the package's sources.
    file: String,
    /// Where the calls below are made, or where gdb stopped.
    line: u64,
    calls: Vec<Call>,
    /// How the way through the libraries ended here, and how many times in a row.
    ends: Vec<(String, usize)>,
}

/// The functions of HIP that the program called.
fn read(stops: &str) -> Result<Vec<Call>> {
    let mut roots = Vec::new();
    for stop in stops.lines() {
        let stop: Value = serde_json::from_str(stop).with_context(|| format!("not a stop: {stop}"))?;
        let end = end(&stop)?;
        let mut way = stop["frames"].as_array().context("a stop without frames")?.iter().filter_map(call);
        let mut here = last_or(&mut roots, way.next().context("a stop outside AMD's libraries")?);
        for call in way {
            here = last_or(&mut here.calls, call);
        }
        match here.ends.last_mut() {
            Some((last, times)) if *last == end => *times += 1,
            _ => here.ends.push((end, 1)),
        }
    }
    ensure!(!roots.is_empty(), "gdb has seen no call");
    Ok(roots)
}

/// The last of the calls if it is this one; else this one, as the last.
fn last_or(calls: &mut Vec<Call>, call: Call) -> &mut Call {
    let is_same = |last: &Call| (&last.function, &last.file, last.line) == (&call.function, &call.file, call.line);
    if !calls.last().is_some_and(is_same) {
        calls.push(call);
    }
    calls.last_mut().expect("it has one now")
}

/// The call of a frame, if it is one of a function that does something in AMD's sources.
fn call(frame: &Value) -> Option<Call> {
    let (function, path) = (frame["function"].as_str()?, frame["file"].as_str()?);
    let (layer, package, library, file) = LAYERS.iter().find_map(|(layer, folder, package, library)| {
        let at = path.find(&format!("/{package}/{folder}"))? + package.len() + 2;
        Some((layer, package, library, &path[at..]))
    })?;
    let is_table = TABLES.iter().any(|table| file.ends_with(table));
    (!is_table && !function.contains("operator()")).then(|| Call {
        function: short_name(function),
        layer,
        library,
        package,
        file: file.to_owned(),
        line: frame["line"].as_u64().unwrap_or_default(),
        calls: Vec::new(),
        ends: Vec::new(),
    })
}

/// `VirtualGPU::submit` of `bool amd::roc::VirtualGPU::submit<int>(Command&) const`.
fn short_name(name: &str) -> String {
    let mut depth = 0_usize;
    let mut bare = String::new();
    for c in name.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            '(' if depth == 0 => break,
            _ if depth == 0 => bare.push(c),
            _ => {}
        }
    }
    // A template's name begins with the type that it gives.
    let bare = bare.rsplit(' ').next().unwrap_or(&bare);
    bare.split("::").filter(|part| !NAMESPACES.contains(part)).collect::<Vec<_>>().join("::")
}

/// How a stop ends the way through the libraries.
fn end(stop: &Value) -> Result<String> {
    Ok(match stop["end"].as_str() {
        Some("ioctl") => {
            let number = stop["request"].as_u64().context("a request without a number")?;
            // Without the size of the argument, which may end in an array.
            let request = kfd::kfd_sys::REQUESTS.iter().find(|request| (request.number ^ number) & 0xffff == 0);
            request.map_or_else(|| format!("request {number:#x}"), |request| request.name.to_owned())
        }
        Some("doorbell") => "the doorbell".to_owned(),
        _ => "waits until the signal's value has changed".to_owned(),
    })
}

/// A line of the tree of calls.
enum Line<'a> {
    Call(&'a Call),
    /// It called the same as an equal line above.
    Again(&'a Call),
    End(&'a str, usize),
}

/// The lines of a call and what is below it, each with its depth.
fn lines(root: &Call) -> Vec<(usize, Line<'_>)> {
    fn add<'a>(call: &'a Call, depth: usize, seen: &mut Vec<&'a Call>, lines: &mut Vec<(usize, Line<'a>)>) {
        if !call.calls.is_empty() && seen.contains(&call) {
            lines.push((depth, Line::Again(call)));
            return;
        }
        seen.push(call);
        lines.push((depth, Line::Call(call)));
        for below in &call.calls {
            add(below, depth + 1, seen, lines);
        }
        lines.extend(call.ends.iter().map(|(end, times)| (depth + 1, Line::End(end, *times))));
    }
    let mut lines = Vec::new();
    add(root, 0, &mut Vec::new(), &mut lines);
    lines
}

fn text(calls: &[Call]) -> String {
    let mut text = String::new();
    for (depth, line) in calls.iter().flat_map(lines) {
        let indent = "  ".repeat(depth);
        _ = match line {
            Line::Call(Call { function, layer, library, file, line, .. }) => {
                writeln!(text, "{:70} {layer:6} {library:16} {file}:{line}", format!("{indent}{function}"))
            }
            Line::Again(Call { function, .. }) => writeln!(text, "{indent}{function}, as above"),
            Line::End(end, times) => writeln!(text, "{indent}=> {end}{}", count(times)),
        };
    }
    text
}

fn count(times: usize) -> String {
    if times == 1 { String::new() } else { format!(", {times} times") }
}

fn html(root: &Call) -> Result<String> {
    let mut text = String::from("<pre style=\"overflow-x: auto\">\n");
    for (depth, line) in lines(root) {
        let indent = "  ".repeat(depth);
        _ = match line {
            Line::Call(Call { function, layer, library, package, file, line, .. }) => {
                let (name, link) = (file.rsplit('/').next().unwrap_or(file), chains::link_into(package)?);
                let link = format!("<a href=\"{link}{file}#L{line}\">{name}:{line}</a>");
                writeln!(text, "{indent}{function} <small>{layer}, {library}, {link}</small>")
            }
            Line::Again(Call { function, .. }) => writeln!(text, "{indent}{function}, as above"),
            Line::End(end, times) => writeln!(text, "{indent}→ <b>{end}</b>{}", count(times)),
        };
    }
    Ok(text + "</pre>\n")
}

/// The page with another tree between the marks of this function of HIP.
fn with_call(page: &str, root: &Call) -> Result<String> {
    let (begin, end) = (format!("<!-- {} -->\n", root.function), format!("<!-- end of {} -->", root.function));
    let (before, rest) = page.split_once(&begin).with_context(|| format!("the page has no {begin}"))?;
    let (_, after) = rest.split_once(&end).with_context(|| format!("the page has no {end}"))?;
    Ok(format!("{before}{begin}{}{end}{after}", html(root)?))
}

#[cfg(test)]
mod tests {
    use super::{read, short_name, text};

    #[test]
    fn names_are_those_of_the_chains() {
        for (full, short) in [
            ("hip::hipMalloc(void**, unsigned long)", "hipMalloc"),
            ("amd::roc::VirtualGPU::submitKernel(amd::NDRangeKernelCommand&)", "VirtualGPU::submitKernel"),
            ("bool amd::roc::VirtualGPU::dispatch<hsa_packet_s>(hsa_packet_s*)", "VirtualGPU::dispatch"),
            ("rocr::core::Shared<A, B<A> >::Shared(int)", "Shared::Shared"),
            ("rocr::HSA::hsa_queue_create(hsa_agent_s)", "hsa_queue_create"),
            ("hsakmt_ioctl", "hsakmt_ioctl"),
        ] {
            assert_eq!(short_name(full), short);
        }
    }

    #[test]
    fn stops_that_share_their_way_are_one_tree() {
        let stop = |request: u32, line: u32, callee: &str| {
            let frame = |function: &str, file: &str, line: u32| {
                format!(r#"{{"function":"{function}","file":"/x/{file}","line":{line}}}"#)
            };
            let frames = [
                frame("hipA", "rocm-hipamd/hipamd/src/hip_table_interface.cpp", 1),
                frame("hip::hipA(int)", "rocm-hipamd/hipamd/src/a.cpp", line),
                frame("std::move", "c++/utility", 7),
                frame(callee, "rocr-runtime/libhsakmt/src/b.c", 8),
                frame("hsakmt_ioctl", "rocr-runtime/libhsakmt/src/c.c", 9),
            ];
            format!("{{\"end\":\"ioctl\",\"request\":{request},\"frames\":[{}]}}\n", frames.join(","))
        };
        let create = 0xc020_4b08;
        let stops = [stop(create, 2, "f"), stop(create, 2, "f"), stop(create, 3, "f"), stop(0xffff, 3, "g")].concat();
        let text = text(&read(&stops).unwrap());
        let words: Vec<_> = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(
            words,
            [
                "hipA HIP libamdhip64 hipamd/src/a.cpp:2",
                "f thunk libhsa-runtime64 libhsakmt/src/b.c:8",
                "hsakmt_ioctl thunk libhsa-runtime64 libhsakmt/src/c.c:9",
                "=> AMDKFD_IOC_CREATE_EVENT, 2 times",
                "hipA HIP libamdhip64 hipamd/src/a.cpp:3",
                "f thunk libhsa-runtime64 libhsakmt/src/b.c:8",
                "hsakmt_ioctl thunk libhsa-runtime64 libhsakmt/src/c.c:9",
                "=> AMDKFD_IOC_CREATE_EVENT",
                "g thunk libhsa-runtime64 libhsakmt/src/b.c:8",
                "hsakmt_ioctl thunk libhsa-runtime64 libhsakmt/src/c.c:9",
                "=> request 0xffff",
            ]
        );
    }
}
