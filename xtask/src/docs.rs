//! `cargo xtask docs`: the documentation site.
mod browser;
mod check;
#[cfg(test)]
mod corrections;
mod fetched;
mod formats;
#[cfg(test)]
mod happens;
mod search;
#[cfg(test)]
mod stack_pages;
#[cfg(test)]
mod structures;
#[cfg(test)]
mod tests;
mod words;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use fetched::Fetched;
pub use fetched::WITHOUT_A_NETWORK;

use crate::{chains, progress, vgpu};

/// The mdBook that builds the site; a change of version is made here.
const MDBOOK: &str = "0.5.4";

/// Builds the documentation site into target/site.
///
/// The first run compiles mdBook into target/tools, which takes under a minute; later ones take seconds.
#[derive(clap::Args)]
pub struct Args {
    /// Then look for long cells of tables and phrases that the pages avoid, for broken links, open every page in
    /// headless Chromium (installed if it is not there) and use it, and open what rocm-trace writes in speedscope and
    /// by Perfetto's definitions. The chains of functions are checked as `cargo xtask chains` does, for which apt
    /// fetches sources once
    #[arg(long)]
    check: bool,

    /// Skip the checks that need something which has to be fetched, where this machine does not have it yet. They are
    /// named at the end
    #[arg(long, requires = "check")]
    offline: bool,
}

/// Runs the command line.
pub fn main(Args { check, offline }: Args) -> Result<()> {
    let mdbook = mdbook()?;
    let site = vgpu::target_folder()?.join("site");
    let mut build = Command::new(mdbook);
    build.arg("build").arg(vgpu::root().join("docs")).arg("--dest-dir").arg(&site);
    let output = build.output().with_context(|| format!("cannot start `{}`", progress::display(&build)))?;
    let messages = String::from_utf8_lossy(&output.stderr);
    eprint!("{messages}");
    // mdBook goes on after a missing include or a broken summary; a page with a hole is not a page.
    if !output.status.success() || messages.contains("ERROR") || messages.contains(" WARN") {
        bail!("mdBook did not build the site without complaints");
    }
    search::extend(&site, &vgpu::root().join("docs/src"))?;
    println!("{}", site.join("index.html").display());
    if check {
        let wrong = words::wrong()?;
        ensure!(wrong.is_empty(), "{}\n{} places of the pages to rewrite", wrong.join("\n"), wrong.len());
        let for_perfetto = check::check(&site)?;
        let mut fetched = Fetched::new(offline);
        formats::check(&for_perfetto, &mut fetched)?;
        if fetched.may_check("the chains of functions and the environment variables", chains::missing()?) {
            chains::check_pages()?;
        }
        print!("{}", fetched.skipped());
    }
    Ok(())
}

/// The mdBook program, compiled first if it is not there.
fn mdbook() -> Result<PathBuf> {
    let tools = vgpu::target_folder()?.join("tools");
    let program = tools.join("bin/mdbook");
    let version = Command::new(&program).arg("--version").output();
    if version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).trim() == format!("mdbook v{MDBOOK}")) {
        return Ok(program);
    }
    let mut install = Command::new(env!("CARGO"));
    install.args([
        "install",
        "mdbook",
        "--version",
        MDBOOK,
        "--locked",
        "--no-default-features",
        "--features",
        "search",
        "--force",
        // Not optimised it builds these pages in little over a second, and is compiled with half the work.
        "--debug",
        "--config",
        "profile.dev.debug=false",
        "--root",
    ]);
    // In a folder of its own: in cargo's, every other build of the project would wait for it, and it for them.
    install.arg(&tools).arg("--target-dir").arg(tools.join("build"));
    progress::run(&format!("compiling mdBook {MDBOOK} (once)"), &mut install)?;
    Ok(program)
}

/// The files below a folder with this extension, in order.
fn files_below(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(files_below(&path, extension)?);
        } else if path.extension().is_some_and(|its| its == extension) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
