//! What `rocm-probe` says of a stack.
use std::ffi::OsString;
use std::process::Command;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};

use crate::stack::Prepared;
use crate::vgpu;

/// The libraries of a stack, and what they see and share.
pub struct Userspace(Value);

impl Userspace {
    /// Asks `rocm-probe` in the stack; `front` goes before it, as with [`Prepared::command`].
    ///
    /// # Errors
    /// If it does not build or gives no report.
    pub fn ask(prepared: &Prepared, front: &[OsString]) -> Result<Self> {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(vgpu::root()).args(["build", "--package", "rocm-probe"]);
        let program = vgpu::built(&mut cargo, "rocm-probe", "rocm-probe")?;
        let probe = |environment| probe(prepared.command(front, &program)?, environment);
        let report = probe(&[]).or_else(|error| {
            // An OpenCL of others may end the process that HIP is in: two copies of LLVM, for one.
            eprintln!("{error:#}\nrocm-probe is asked again, without any OpenCL");
            let mut report = probe(&[("OCL_ICD_VENDORS", "/nonexistent")])?;
            report["findings"]["OpenCL"] = json!({"ok": false, "text": format!("left out: {error:#}")});
            anyhow::Ok(report)
        })?;
        Ok(Self(report))
    }

    /// Major and minor version of HIP.
    ///
    /// # Errors
    /// If there is no HIP.
    pub fn hip(&self) -> Result<String> {
        let finding = &self.0["findings"]["HIP library"];
        let text = finding["text"].as_str().unwrap_or_default();
        // `libamdhip64.so.6, 6.4.43484`
        let version = text.rsplit(' ').next().filter(|_| finding["ok"] == true);
        let mut numbers = version.into_iter().flat_map(|version| version.split('.'));
        match (numbers.next(), numbers.next()) {
            (Some(major), Some(minor)) => Ok(format!("{major}.{minor}")),
            _ => bail!("the tests need HIP, and it does not load: {text}"),
        }
    }

    /// Whether OpenCL has a GPU.
    pub fn opencl(&self) -> bool {
        let mut gpus = self.0["gpus"].as_array().into_iter().flatten();
        gpus.any(|gpu| gpu["findings"]["OpenCL"]["ok"] == true)
    }

    /// All of it.
    pub fn into_json(self) -> Value {
        self.0
    }
}

/// The report of `rocm-probe`, in such an environment.
fn probe(mut command: Command, environment: &[(&str, &str)]) -> Result<Value> {
    // Tests of others may take the processors.
    command.args(["--json", "--limit", "600"]).envs(environment.iter().copied());
    let output = command.output().context("cannot start rocm-probe")?;
    let errors = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).map_err(|_| anyhow!("rocm-probe: {}: {}", output.status, errors.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_opencl_are_found_in_the_report() {
        let of = |hip: Value, opencl: bool| {
            Userspace(json!({
                "findings": {"HIP library": hip},
                "gpus": [{"pci": "0000:03:00.0", "findings": {"OpenCL": {"ok": opencl, "text": "device 0"}}}],
            }))
        };
        let found = of(json!({"ok": true, "text": "libamdhip64.so.6, 6.4.43484"}), true);
        assert_eq!((found.hip().unwrap(), found.opencl()), ("6.4".to_owned(), true));
        let missing = of(json!({"ok": false, "text": "libamdhip64 is not there"}), false);
        assert!(missing.hip().unwrap_err().to_string().ends_with("libamdhip64 is not there"));
        assert!(!missing.opencl());
    }
}
