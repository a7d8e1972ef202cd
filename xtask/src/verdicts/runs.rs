//! Compiles a suite, asks it what its cases are, and runs them.
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Result, ensure};

use crate::checked::{self, ISA};
use crate::progress;
use crate::stack::Prepared;
use crate::vgpu::{self, Vgpu};

/// All that `vgpu check` looks for.
const KINDS: &str = "memory,race,init,leak,sync,exit,stream,wait";
/// How long a run may take: a program with a fault may not end.
const LIMIT: Duration = Duration::from_secs(60);

/// A program of a suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    pub name: String,
    pub planted: String,
    /// Findings, of which each tells what was planted; none if it is right.
    pub told: Vec<String>,
}

impl Case {
    /// From a line of `--list`.
    pub fn read(line: &str) -> Result<Case> {
        let fields: Vec<&str> = line.split('\t').collect();
        ensure!(fields.len() == 3, "this is no case: {line}");
        let told = fields[2].split(',').filter(|finding| *finding != "nothing").map(str::to_owned).collect();
        Ok(Case { name: fields[0].to_owned(), planted: fields[1].to_owned(), told })
    }
}

/// What came of a run.
pub struct Outcome {
    /// Names of the findings.
    pub told: Vec<String>,
    /// Whether the program came to its end, with the right data if it is right.
    pub ended: bool,
}

/// Programs that are one file.
pub struct Suite<'a> {
    pub name: &'static str,
    stack: &'a Prepared,
    vgpu: &'a Vgpu,
    folder: &'a Path,
    program: PathBuf,
}

impl<'a> Suite<'a> {
    /// Compiles it into `folder`.
    ///
    /// # Errors
    /// If that fails.
    pub fn compile(name: &'static str, stack: &'a Prepared, vgpu: &'a Vgpu, folder: &'a Path) -> Result<Self> {
        let program = folder.join(name);
        let source = format!("verdict_{name}.hip");
        let mut hipcc = stack.command(&[], "hipcc")?;
        hipcc.args(["-O2", &format!("--offload-arch={ISA}"), "-o"]).arg(&program);
        hipcc.arg(vgpu::root().join("tests/stack/programs").join(&source));
        progress::run(&format!("compiling {source}"), &mut hipcc)?;
        Ok(Self { name, stack, vgpu, folder, program })
    }

    /// Its cases.
    ///
    /// # Errors
    /// If it does not list them.
    pub fn cases(&self) -> Result<Vec<Case>> {
        let mut command = self.stack.command(&[], &self.program)?;
        let lines = progress::output(&format!("listing what {} has", self.name), command.arg("--list"))?;
        lines.iter().map(|line| Case::read(line)).collect()
    }

    /// Runs a case under `vgpu check`, in the usual order or, if there are `seeds`, with these until something is told.
    /// One run at a time of each `worker`.
    ///
    /// # Errors
    /// If it cannot be started. That it fails is an outcome.
    pub fn run(&self, case: &Case, seeds: u32, worker: usize) -> Result<Outcome> {
        let json = self.folder.join(format!("findings-{}-{worker}.json", self.name));
        let mut front: Vec<OsString> = vec![self.vgpu.program().into(), "check".into(), "--only".into(), KINDS.into()];
        front.extend(["--json".into(), json.clone().into()]);
        if seeds > 0 {
            front.push(format!("--seeds={seeds}").into());
        }
        front.push("--".into());
        let mut command: Command = self.stack.command(&front, &self.program)?;
        command.arg(&case.name).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let status = checked::run(&mut command, LIMIT)?;
        let found = checked::findings(&json);
        let mut told: Vec<String> =
            found.iter().filter_map(|finding| finding["finding"].as_str()).map(str::to_owned).collect();
        told.sort();
        told.dedup();
        Ok(Outcome { told, ended: status.success() })
    }
}
