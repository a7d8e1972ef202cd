//! `cargo xtask newcomer`: the README's first commands on a machine that has nothing.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::stack::{cache_folder, make_in_cache, remove};
use crate::{apt, processes, progress, vgpu};

/// Runs the README's first commands on a bare Debian bookworm made for it, from a clean clone of what is committed, and
/// the tests once more with AVX-512 hidden.
///
/// The machine has Rust, a C linker and certificates, as the README asks for, and nothing else: no package, cache or
/// crate of this one, whose kernel and network it uses. Its Rust is the toolchain that runs this command. Each
/// command's output is shown, and at the end how long each took. The exit status is 1 if a command failed; the others
/// are run all the same, as a newcomer would.
///
/// It needs root, and about 25 GB in the user's cache folder while it runs.
#[derive(clap::Args)]
pub struct Args {
    /// Run only the commands whose text has this in it, such as `demo`
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Leave the machine's tree in the cache folder, to look at
    #[arg(long)]
    keep: bool,
}

/// What the README's commands do on most laptops, whose processors have no AVX-512.
const FEWER_INSTRUCTIONS: &str = "cargo xtask test --host-isa v3";

/// Where the clone lies on the bare machine, and the toolchain.
const PROJECT: &str = "/root/project";
const RUST: &str = "/usr/local/rust";

/// What a machine has before somebody comes with Rust and this project.
const PACKAGES: &str = "ca-certificates,gcc,libc6-dev";

/// Runs the command line.
pub fn main(args: Args) -> Result<()> {
    ensure!(apt::is_root(), "a machine whose root installs packages is made by root only: run this command as root");
    let readme = fs::read_to_string(vgpu::root().join("README.md")).context("cannot read README.md")?;
    let mut commands = first_commands(&readme);
    // Without AVX-512 here the README's commands show it.
    if vgpu::HostIsa::in_use() > vgpu::HostIsa::V3 {
        commands.push(FEWER_INSTRUCTIONS);
    }
    if let Some(text) = &args.only {
        commands.retain(|command| command.contains(text.as_str()));
    }
    ensure!(!commands.is_empty(), "the README's first block has no such command");
    apt::ensure(&["bubblewrap", "git", "mmdebstrap", "debian-archive-keyring"], "making a bare machine")?;
    let cache = make_in_cache(&cache_folder()?)?;
    let _lock = processes::lock(&cache.join("newcomer.lock"), "another `cargo xtask newcomer`")?;
    let machine = Machine::make(cache.join("newcomer"), args.keep)?;

    let mut outcomes = Vec::new();
    for command in commands {
        println!("\n=== on the bare machine: {command}");
        let started = Instant::now();
        let status = machine.command(command)?.status().context("cannot start bwrap")?;
        outcomes.push((command, status, started.elapsed()));
    }
    println!("\nOn a bare Debian bookworm, {} cores:", std::thread::available_parallelism()?);
    outcomes.iter().for_each(|(command, status, time)| println!("  {}", line(command, *status, *time)));
    if outcomes.iter().any(|(_, status, _)| !status.success()) {
        bail!("a command of the README failed on a bare machine; `--keep` leaves its tree to look at");
    }
    Ok(())
}

fn line(command: &str, status: ExitStatus, time: Duration) -> String {
    let outcome = if status.success() { "succeeded".to_owned() } else { format!("FAILED ({status})") };
    let seconds = time.as_secs();
    format!("{command}: {outcome} in {} min {:02} s", seconds / 60, seconds % 60)
}

/// The commands of the README's first block of shell, without their comments.
fn first_commands(readme: &str) -> Vec<&str> {
    let block = readme.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap_or("");
    let commands = block.lines().map(|line| line.split(" #").next().unwrap_or("").trim());
    commands.filter(|command| !command.is_empty()).collect()
}

struct Machine {
    tree: PathBuf,
    /// Rust's toolchain on this machine.
    rust: PathBuf,
    keep: bool,
}

impl Machine {
    fn make(tree: PathBuf, keep: bool) -> Result<Self> {
        let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output().context("cannot start rustc")?;
        ensure!(sysroot.status.success(), "`rustc --print sysroot` failed");
        let rust = PathBuf::from(String::from_utf8_lossy(&sysroot.stdout).trim());
        // Of an earlier run with `--keep`, or one that was killed.
        remove(&tree)?;
        let machine = Self { tree, rust, keep };
        let mirror = apt::mirror(&machine.tree.with_extension("apt"))?;
        let mut mmdebstrap = Command::new("mmdebstrap");
        mmdebstrap.args(["--verbose", "--variant=minbase", "--format=directory"]);
        mmdebstrap.arg(format!("--include={PACKAGES}"));
        mmdebstrap.arg("--aptopt=Acquire::Check-Valid-Until \"false\"");
        mmdebstrap.arg("bookworm").arg(&machine.tree).arg(mirror);
        progress::run("making a bare machine", &mut mmdebstrap)?;
        machine.clone_project()?;
        Ok(machine)
    }

    fn clone_project(&self) -> Result<()> {
        let project = vgpu::root();
        let mut git = Command::new("git");
        git.args(["status", "--porcelain"]).current_dir(project);
        let changes = progress::output("asking git what is not committed", &mut git)?.len();
        if changes > 0 {
            eprintln!("{changes} files are changed and not committed: the machine gets what is committed");
        }
        let mut clone = Command::new("git");
        clone.args(["clone", "--quiet", "--no-hardlinks"]).arg(project).arg(self.tree.join(&PROJECT[1..]));
        progress::run("cloning the project", &mut clone)
    }

    /// Runs a line of shell as root of the machine, with nothing of this one's environment.
    fn command(&self, line: &str) -> Result<Command> {
        let mut bwrap = Command::new("bwrap");
        bwrap.env_clear();
        // With the capabilities of a machine's root, which makes Debian trees and namespaces of its own.
        bwrap.args(["--die-with-parent", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--cap-add", "ALL"]);
        bwrap.arg("--dev-bind").arg(&self.tree).arg("/");
        bwrap.args(["--dev", "/dev", "--proc", "/proc", "--ro-bind", "/sys", "/sys", "--tmpfs", "/run"]);
        let certificates = "/etc/ssl/certs/ca-certificates.crt";
        for file in ["/etc/resolv.conf", "/etc/hosts", certificates] {
            bwrap.args(["--ro-bind-try", file, file]);
        }
        bwrap.arg("--ro-bind").arg(&self.rust).arg(RUST);
        let path = format!("{RUST}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        bwrap.args(["--setenv", "PATH", &path, "--setenv", "HOME", "/root", "--setenv", "USER", "root"]);
        // Who reaches the network by a proxy does so from any machine.
        for name in ["http_proxy", "https_proxy", "no_proxy"] {
            if let Some(proxy) = std::env::var_os(name) {
                bwrap.args(["--setenv", name]).arg(proxy);
            }
        }
        if Path::new(certificates).exists() {
            bwrap.args(["--setenv", "PIP_CERT", certificates]);
        }
        bwrap.args(["--chdir", PROJECT, "--", "sh", "-c", line]);
        Ok(bwrap)
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        if self.keep {
            eprintln!("the machine's tree is {}", self.tree.display());
        } else if let Err(error) = remove(&self.tree) {
            eprintln!("{error:#}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_begins_with_the_commands_that_a_newcomer_types() {
        let readme = fs::read_to_string(vgpu::root().join("README.md")).unwrap();
        assert_eq!(first_commands(&readme), ["cargo xtask demo", "cargo xtask test"]);
        assert!(first_commands("no shell here").is_empty());
    }
}
