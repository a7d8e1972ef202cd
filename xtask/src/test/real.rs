//! The report of a run on the machine's own GPU: what it is, what its userspace says, each test, and which of the
//! pages' claims hold.
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use kfd::{Driver, Topology};
use serde_json::{Value, json};

use super::claims::{Claim, PAGES, claims};
use super::tally::{Ended, Tallies};
use super::userspace::Userspace;
use crate::bench;
use crate::stack::{Device, Stack};
use crate::vgpu;

/// What the report has that is known before the tests.
pub struct Before {
    machine: Value,
    stack: Stack,
    userspace: Userspace,
    /// With claims, by title.
    pages: Vec<(&'static str, String)>,
    figures: Value,
}

impl Before {
    /// # Errors
    /// If the machine has no GPU, or the pages or figures cannot be read.
    pub fn new(stack: Stack, userspace: Userspace) -> Result<Self> {
        let mut pages = Vec::new();
        for (page, title) in PAGES {
            let path = vgpu::root().join("docs/src").join(page);
            pages.push((title, fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?));
        }
        Ok(Self { machine: machine()?, stack, userspace, pages, figures: figures()? })
    }

    /// The report on tests that were run in the stack; `skipped` are their reasons.
    pub fn report(self, tallies: &Tallies, skipped: &[String]) -> Report {
        let (tests, claimed) = outcomes(tallies, skipped, &self.pages);
        Report(json!({
            "machine": self.machine,
            "stack": self.stack.name(),
            "userspace": self.userspace.into_json(),
            "tests": tests,
            "claims": claimed,
            "figures": self.figures,
        }))
    }
}

/// Everything that the report has, as JSON, of which the text is made.
pub struct Report(Value);

impl Report {
    /// Writes `report.txt` and `report.json` to a folder; returns their paths.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write(&self, folder: &Path) -> Result<[PathBuf; 2]> {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let paths = ["report.txt", "report.json"].map(|name| folder.join(name));
        for (path, text) in paths.iter().zip([self.to_string(), serde_json::to_string_pretty(&self.0)? + "\n"]) {
            fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(paths)
    }
}

/// How each test ended, and with that each claim of the pages, which have titles.
fn outcomes(tallies: &Tallies, skipped: &[String], pages: &[(&str, String)]) -> (Vec<Value>, Vec<Value>) {
    let endings = tallies.endings();
    let reason = |test: &str| {
        skipped.iter().find_map(|skip| skip.strip_prefix(test)?.strip_prefix(": ")).unwrap_or_default().to_owned()
    };
    let tests = endings.iter().map(|(test, ended)| match ended {
        Ended::Passed => json!({"test": test, "ended": "passed"}),
        Ended::Failed => json!({"test": test, "ended": "failed", "reason": tallies.message(test)}),
        Ended::Skipped => json!({"test": test, "ended": "skipped", "reason": reason(test)}),
    });
    let row = |claim: &Claim| {
        let failed = claim.that(Ended::Failed, &endings);
        json!({"claim": claim.text, "verdict": claim.verdict(&endings).to_string(), "tests": claim.tests, "failed": failed})
    };
    let of_page = |(title, text): &(&str, String)| json!({"about": title, "claims": claims(text).iter().map(row).collect::<Vec<_>>()});
    (tests.collect(), pages.iter().map(of_page).collect())
}

/// The driver and the GPUs, as the kernel says.
fn machine() -> Result<Value> {
    let topology = Topology::read().context("the machine's own GPUs cannot be asked for")?;
    let gpus: Vec<Value> = topology
        .gpus()
        .map(|gpu| {
            json!({
                "pci": gpu.pci_address().map(|address| address.to_string()),
                "isa": gpu.isa(),
                "compute_units": gpu.compute_units(),
                "vram_bytes": gpu.vram(),
            })
        })
        .collect();
    if gpus.is_empty() {
        bail!("the machine has no GPU that the kernel's driver (amdkfd) shows; without one, leave out --device real");
    }
    let release = rustix::system::uname();
    let amdgpu = fs::read_to_string("/sys/module/amdgpu/version");
    let kfd = Driver::open().map(Driver::version);
    Ok(json!({
        "kernel": release.release().to_string_lossy(),
        "amdgpu": amdgpu.map_or("of the kernel".to_owned(), |version| version.trim().to_owned()),
        "kfd": kfd.map_or_else(|error| error.to_string(), |(major, minor)| format!("{major}.{minor}")),
        "gpus": gpus,
    }))
}

/// The instruction set of the first GPU, for the compiler of test programs.
pub fn isa() -> Result<String> {
    let machine = machine()?;
    Ok(machine["gpus"][0]["isa"].as_str().unwrap_or_default().to_owned())
}

/// Medians of the benchmarks, where they were run on the machine's own GPU, next to the virtual one's.
fn figures() -> Result<Value> {
    let Some(real) = bench::figures(Device::Real)? else { return Ok(Value::Null) };
    let virt = bench::figures(Device::Virtual)?.unwrap_or_default();
    let rows = real.iter().map(|(name, ns)| json!({"benchmark": name, "real_ns": ns, "virtual_ns": virt.get(name)}));
    Ok(rows.collect())
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        let rows = |value: &'_ Value| value.as_array().cloned().unwrap_or_default();
        let machine = &self.0["machine"];
        let [kernel, amdgpu, kfd] = ["kernel", "amdgpu", "kfd"].map(|name| text(&machine[name]));
        writeln!(f, "machine: Linux {kernel}, amdgpu {amdgpu}, KFD {kfd}")?;
        for gpu in rows(&machine["gpus"]) {
            let mib = gpu["vram_bytes"].as_u64().unwrap_or_default() >> 20;
            writeln!(
                f,
                "  GPU {}: {}, {} compute units, {mib} MiB",
                text(&gpu["pci"]),
                text(&gpu["isa"]),
                gpu["compute_units"]
            )?;
        }
        writeln!(f, "\nuserspace (stack {}):", text(&self.0["stack"]))?;
        findings(f, &self.0["userspace"]["findings"], "  ")?;
        for gpu in rows(&self.0["userspace"]["gpus"]) {
            writeln!(f, "  GPU {}", text(&gpu["pci"]))?;
            findings(f, &gpu["findings"], "    ")?;
        }
        let tests = rows(&self.0["tests"]);
        let count = |ended: &str| tests.iter().filter(|test| test["ended"] == ended).count();
        writeln!(f, "\ntests: {} passed, {} failed, {} skipped", count("passed"), count("failed"), count("skipped"))?;
        for ended in ["failed", "skipped"] {
            for test in tests.iter().filter(|test| test["ended"] == ended) {
                let reason = test["reason"].as_str().filter(|reason| !reason.is_empty());
                let reason =
                    reason.map(|reason| format!(": {}", reason.replace('\n', "\n           "))).unwrap_or_default();
                writeln!(f, "  {ended:8} {}{reason}", text(&test["test"]))?;
            }
        }
        for page in rows(&self.0["claims"]) {
            let of_page = rows(&page["claims"]);
            let count = |verdict: &str| of_page.iter().filter(|claim| claim["verdict"] == verdict).count();
            writeln!(
                f,
                "\n{} ({} hold, {} differ, {} not seen):",
                text(&page["about"]),
                count("holds"),
                count("differs"),
                count("not seen")
            )?;
            for claim in rows(&page["claims"]) {
                writeln!(f, "  {:8} {}", text(&claim["verdict"]), text(&claim["claim"]))?;
                rows(&claim["failed"]).iter().try_for_each(|test| writeln!(f, "           by {}", text(test)))?;
            }
        }
        if self.0["figures"].is_null() {
            return writeln!(
                f,
                "\nfigures: none; `cargo xtask bench -p stack-tests --stack {} --device real` takes them",
                text(&self.0["stack"])
            );
        }
        writeln!(f, "\nfigures (microseconds):\n  {:70} {:>12} {:>12}", "", "real", "virtual")?;
        for row in rows(&self.0["figures"]) {
            let us = |value: &Value| value.as_f64().map_or("-".to_owned(), |ns| format!("{:.2}", ns / 1000.0));
            writeln!(f, "  {:70} {:>12} {:>12}", text(&row["benchmark"]), us(&row["real_ns"]), us(&row["virtual_ns"]))?;
        }
        Ok(())
    }
}

/// An object of `rocm-probe --json`: each finding is what was found, or why not.
fn findings(f: &mut fmt::Formatter<'_>, object: &Value, indent: &str) -> fmt::Result {
    for (name, finding) in object.as_object().into_iter().flatten() {
        let mark = if finding["ok"] == true { "yes" } else { "no " };
        writeln!(f, "{indent}{mark} {name}: {}", finding["text"].as_str().unwrap_or_default())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::claims::tests::PAGE;
    use super::*;

    /// A run in which one test of the second claim fails, and one of the others is skipped.
    #[test]
    fn a_difference_is_shown_in_text_and_json() {
        let mut tallies = Tallies::default();
        for line in [
            "test a_works ... ok",
            "test y::m1_one ... FAILED",
            "test y::m1_two ... ok",
            "test m2 ... ok",
            "failures:",
            "---- y::m1_one stdout ----",
            "",
            "assertion `left == right` failed",
            "  left: 1",
            "failures:",
        ] {
            tallies.read(line);
        }
        tallies.prefix("x");
        let skips = ["x::m2: needs two GPUs".to_owned()];
        skips.iter().for_each(|skip| tallies.skipped(skip));
        let (tests, claims) = outcomes(&tallies, &skips, &[("a page", PAGE.to_owned())]);
        let gpu = json!({"pci": "0000:03:00.0", "isa": "gfx908", "compute_units": 120, "vram_bytes": 32_u64 << 30});
        let report = Report(json!({
            "machine": {"kernel": "6.12", "amdgpu": "6.7", "kfd": "1.14", "gpus": [gpu]},
            "stack": "host",
            "userspace": {"findings": {"HIP": {"ok": false, "text": "none"}}, "gpus": []},
            "tests": tests,
            "claims": claims,
            "figures": null,
        }));
        let folder = std::env::temp_dir().join(format!("xtask-report-{}", std::process::id()));
        let [text, json] = report.write(&folder).unwrap().map(|path| fs::read_to_string(path).unwrap());
        fs::remove_dir_all(&folder).unwrap();
        for line in [
            "machine: Linux 6.12, amdgpu 6.7, KFD 1.14",
            "  GPU 0000:03:00.0: gfx908, 120 compute units, 32768 MiB",
            "tests: 2 passed, 1 failed, 1 skipped",
            "  failed   x::y::m1_one: assertion `left == right` failed",
            "             left: 1",
            "  skipped  x::m2: needs two GPUs",
            "a page (2 hold, 1 differ, 0 not seen):",
            "  holds    a is called: it works",
            "  differs  M1: sharing",
            "           by x::y::m1_one",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(
            json["claims"][0]["claims"][2],
            json!({"claim": "M1: sharing", "verdict": "differs", "tests": ["m1_...", "m10_too"], "failed": ["x::y::m1_one"]})
        );
        assert_eq!(json["tests"][1], json!({"test": "x::m2", "ended": "skipped", "reason": "needs two GPUs"}));
    }
}
