//! What `rocm-trace` writes for other programs, as these see it: Perfetto's format by its authors' definitions, Chrome's in speedscope.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::browser;
use super::check::ForPerfetto;
use crate::vgpu::{self, Build};
use crate::{apt, progress, record};

/// Perfetto's definitions, and what decodes by them.
const PERFETTO: [&str; 2] = ["perfetto==0.59.1", "protobuf==7.36.2"];
const SPEEDSCOPE: &str = "1.25.0";

/// What the site's viewer gives to Perfetto, by Perfetto's definitions.
pub fn check_viewer(made: &ForPerfetto) -> Result<()> {
    let folder = vgpu::target_folder()?.join("formats");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
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

/// Records a program that submits packets, and opens what is written.
pub fn check() -> Result<()> {
    apt::ensure(&["gcc", "libc6-dev"], "a program to be recorded")?;
    let recorder = vgpu::rocm_trace(Build::Checked)?;
    let folder = vgpu::target_folder()?.join("formats");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let [lines, perfetto, chrome] = ["run.jsonl", "run.pftrace", "run.json"].map(|name| folder.join(name));
    let program = program(&folder)?;
    let code_object = vgpu::root().join("crates/kfd/fuzz/corpus/code_object/saxpy-v5");
    let mut record = Command::new(recorder);
    record.arg("run").args([&lines, &perfetto, &chrome].into_iter().flat_map(|path| [Path::new("--out"), path]));
    output(record.arg("--").arg(program).arg(code_object))?;

    println!("Perfetto's definitions: {}", compared_with_definitions(&perfetto, &lines)?);
    in_speedscope(&folder, &chrome)
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

/// The folder with Perfetto's definitions for Python.
fn definitions() -> Result<PathBuf> {
    let folder = vgpu::target_folder()?.join("tools").join(PERFETTO.join("-").replace("==", "-"));
    if !folder.is_dir() {
        apt::ensure(&["python3-pip"], "Perfetto's definitions")?;
        // Under its name only when it is whole.
        let new = folder.with_extension("new");
        let mut pip = Command::new("pip");
        pip.args(["install", "--quiet", "--no-deps", "--upgrade", "--target"]).arg(&new).args(PERFETTO);
        progress::run("getting Perfetto's definitions", &mut pip)?;
        fs::rename(&new, &folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    Ok(folder)
}

/// speedscope as its package has it, built.
fn speedscope() -> Result<PathBuf> {
    let tools = vgpu::target_folder()?.join("tools");
    let folder = tools.join(format!("speedscope-{SPEEDSCOPE}"));
    if !folder.is_dir() {
        if Command::new("npm").arg("--version").output().is_err() {
            apt::ensure(&["npm"], "getting speedscope")?;
        }
        let new = folder.with_extension("new");
        fs::create_dir_all(&new).with_context(|| format!("cannot make {}", new.display()))?;
        let mut npm = Command::new("npm");
        npm.args(["pack", "--silent", &format!("speedscope@{SPEEDSCOPE}")]).current_dir(&new);
        progress::run("getting speedscope", &mut npm)?;
        let archive = format!("speedscope-{SPEEDSCOPE}.tgz");
        output(Command::new("tar").args(["-xzf", &archive]).current_dir(&new))?;
        fs::rename(&new, &folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    Ok(folder.join("package/dist/release/index.html"))
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
    println!("speedscope shows the recording");
    Ok(())
}
