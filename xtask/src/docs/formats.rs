//! What `rocm-trace` writes for other programs, as these see it: Perfetto's format by its authors' definitions,
//! Chrome's in speedscope.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::browser;
use super::check::ForPerfetto;
use super::fetched::{Fetched, WITHOUT_A_NETWORK};
use crate::vgpu::{self, Build};
use crate::{apt, progress, record};

/// Perfetto's definitions, and what decodes by them.
const PERFETTO: [&str; 2] = ["perfetto==0.59.1", "protobuf==7.36.2"];
const SPEEDSCOPE: &str = "1.25.0";

/// Opens what the site's viewer and `rocm-trace` write as other programs do.
pub fn check(of_viewer: &ForPerfetto, fetched: &mut Fetched) -> Result<()> {
    let folder = vgpu::target_folder()?.join("formats");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let missing = |path: &Path, what: &str| (!path.is_dir()).then(|| what.to_owned());
    let by_definitions = fetched.may_check(
        "files for Perfetto, by its definitions",
        missing(&definitions_folder()?, "Perfetto's definitions (from PyPI)"),
    );
    let by_speedscope = fetched.may_check(
        "files for Chrome's viewer, in speedscope",
        missing(&speedscope_folder()?, &format!("speedscope {SPEEDSCOPE} (from npm)")),
    );
    if by_definitions {
        check_viewer(&folder, of_viewer)?;
    }
    if !by_definitions && !by_speedscope {
        return Ok(());
    }
    let Recorded { lines, perfetto, chrome } = record_packets(&folder)?;
    in_its_own_page(&folder, &lines)?;
    if by_definitions {
        println!("Perfetto's definitions: {}", compared_with_definitions(&perfetto, &lines)?);
    }
    if by_speedscope {
        in_speedscope(&folder, &chrome)?;
    }
    Ok(())
}

/// What the site's viewer gives to Perfetto, by Perfetto's definitions.
fn check_viewer(folder: &Path, made: &ForPerfetto) -> Result<()> {
    let file = folder.join("viewer.pftrace");
    fs::write(&file, &made.bytes).with_context(|| format!("cannot write {}", file.display()))?;
    let recording = record::folder().join(format!("{}.js", made.recording));
    println!("the viewer's file for Perfetto: {}", compared_with_definitions(&file, &recording)?);
    Ok(())
}

fn compared_with_definitions(file: &Path, recording: &Path) -> Result<String> {
    let mut python = Command::new("python3");
    python.arg("-c").arg(include_str!("check_perfetto.py")).args([file, recording]).env("PYTHONPATH", definitions()?);
    Ok(output(&mut python)?.trim().to_owned())
}

/// One recording in each format.
struct Recorded {
    lines: PathBuf,
    perfetto: PathBuf,
    chrome: PathBuf,
}

/// Records a program that submits packets.
fn record_packets(folder: &Path) -> Result<Recorded> {
    apt::ensure(&["gcc", "libc6-dev"], "a program to be recorded")?;
    let recorder = vgpu::rocm_trace(Build::Checked)?;
    let [lines, perfetto, chrome] = ["run.jsonl", "run.pftrace", "run.json"].map(|name| folder.join(name));
    let program = program(folder)?;
    let code_object = vgpu::root().join("crates/amdgpu-code-object/fuzz/corpus/code_object/saxpy-v5");
    let mut record = Command::new(recorder);
    record.arg("run").args([&lines, &perfetto, &chrome].into_iter().flat_map(|path| [Path::new("--out"), path]));
    output(record.arg("--").arg(program).arg(code_object))?;
    Ok(Recorded { lines, perfetto, chrome })
}

/// The program of rocm-trace's own tests, linked with what stands for ROCr there.
fn program(folder: &Path) -> Result<PathBuf> {
    let sources = vgpu::root().join("crates/rocm-trace/tests/programs");
    let (library, program) = (folder.join("libhsa-runtime64.so.1"), folder.join("packets"));
    output(c_compiler::command()?.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(sources.join("hsa.c")))?;
    let rpath = format!("-Wl,-rpath,{}", folder.display());
    output(c_compiler::command()?.arg("-o").arg(&program).arg(sources.join("packets.c")).arg(&library).arg(rpath))?;
    Ok(program)
}

fn output(command: &mut Command) -> Result<String> {
    let shown = progress::display(command);
    let output = command.output().with_context(|| format!("cannot start `{shown}`"))?;
    let [text, errors] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    ensure!(output.status.success(), "`{shown}` failed ({}):\n{text}{errors}", output.status);
    Ok(text)
}

fn definitions_folder() -> Result<PathBuf> {
    Ok(vgpu::target_folder()?.join("tools").join(PERFETTO.join("-").replace("==", "-")))
}

/// The folder with Perfetto's definitions for Python.
fn definitions() -> Result<PathBuf> {
    let folder = definitions_folder()?;
    if !folder.is_dir() {
        apt::ensure(&["python3-pip"], "Perfetto's definitions")?;
        // Under its name only when it is whole.
        let new = folder.with_extension("new");
        let mut pip = Command::new("pip");
        pip.args(["install", "--quiet", "--no-deps", "--upgrade", "--target"]).arg(&new).args(PERFETTO);
        progress::run("getting Perfetto's definitions", &mut pip).context(WITHOUT_A_NETWORK)?;
        fs::rename(&new, &folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    Ok(folder)
}

fn speedscope_folder() -> Result<PathBuf> {
    Ok(vgpu::target_folder()?.join("tools").join(format!("speedscope-{SPEEDSCOPE}")))
}

/// speedscope as its package has it, built.
fn speedscope() -> Result<PathBuf> {
    let folder = speedscope_folder()?;
    if !folder.is_dir() {
        if Command::new("npm").arg("--version").output().is_err() {
            apt::ensure(&["npm"], "getting speedscope")?;
        }
        let new = folder.with_extension("new");
        fs::create_dir_all(&new).with_context(|| format!("cannot make {}", new.display()))?;
        let mut npm = Command::new("npm");
        npm.args(["pack", "--silent", &format!("speedscope@{SPEEDSCOPE}")]).current_dir(&new);
        progress::run("getting speedscope", &mut npm).context(WITHOUT_A_NETWORK)?;
        let archive = format!("speedscope-{SPEEDSCOPE}.tgz");
        output(Command::new("tar").args(["-xzf", &archive]).current_dir(&new))?;
        fs::rename(&new, &folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    Ok(folder.join("package/dist/release/index.html"))
}

/// What `rocm-trace view` writes: a page that shows the events, and only some of them where the address says so.
fn in_its_own_page(folder: &Path, lines: &Path) -> Result<()> {
    let page = folder.join("run.html");
    let mut view = Command::new(vgpu::rocm_trace(Build::Checked)?);
    output(view.arg("view").arg(lines).arg("--out").arg(&page))?;
    for (address, filtered) in [("", false), ("#q=hsa_queue_create", true)] {
        let opened = browser::open(&format!("{}{address}", page.display()))?;
        let complaints: Vec<_> = opened.messages.lines().filter(|line| line.contains("CONSOLE")).collect();
        ensure!(complaints.is_empty(), "the browser complains about {}:\n{}", page.display(), complaints.join("\n"));
        // A box of the time line, which is hidden where the text of the address leaves its event out.
        let boxes: Vec<_> =
            opened.document.split("<button ").filter(|button| button.contains("class=\"rec-box")).collect();
        let seen = |button: &&&str| !button.split('>').next().is_some_and(|tag| tag.contains("hidden"));
        ensure!(
            boxes.iter().filter(seen).any(|button| button.contains(">hsa_queue_create</span>")),
            "the page does not show the event:\n{}",
            opened.document
        );
        let all = boxes.iter().filter(seen).count() == boxes.len();
        ensure!(all != filtered, "the page's search does not work:\n{}", opened.document);
    }
    println!("the page of a recording shows it");
    Ok(())
}

/// speedscope lists the functions of the first thread with the time in each.
fn in_speedscope(folder: &Path, chrome: &Path) -> Result<()> {
    let page = speedscope()?;
    // What its own command does: a script that hands the file over.
    let script = folder.join("run.js");
    let recording = fs::read_to_string(chrome).with_context(|| format!("cannot read {}", chrome.display()))?;
    let text = format!("speedscope.loadFileFromBase64(\"run.json\", btoa({}))", serde_json::to_string(&recording)?);
    fs::write(&script, text).with_context(|| format!("cannot write {}", script.display()))?;
    let opened = browser::open(&format!("{}#localProfilePath={}&view=sandwich", page.display(), script.display()))?;
    let functions = ["hsa_queue_create", "hsa_signal_store_screlease", "hsa_signal_wait_scacquire"];
    let missing: Vec<_> = functions.iter().filter(|name| !opened.document.contains(**name)).collect();
    ensure!(missing.is_empty(), "speedscope does not show {missing:?}:\n{}\n{}", opened.messages, opened.document);
    // It would have a frame for each call, named with its arguments.
    let apart = functions.iter().find(|name| opened.document.contains(&format!("{name} {{")));
    ensure!(apart.is_none(), "speedscope does not add up the calls of {apart:?}:\n{}", opened.document);
    println!("speedscope shows the recording");
    Ok(())
}
