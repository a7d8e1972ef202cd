//! `cargo xtask api`: the public interface of each library as a text, so that a review sees every change of it.
//!
//! The sources are read, not compiled. What macros make of a call is not listed.

mod list;
mod source;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::vgpu;
use source::Source;

/// Writes the public items of each library of `crates` to its `api.txt`, one line each.
///
/// Left out are generated bindings, which `cargo xtask bindgen --check` compares, libraries that are internal to their
/// program or to another crate, and layers, which no Rust program calls.
#[derive(clap::Args)]
pub struct Args {
    /// Change nothing: print the lines that differ, and fail if there are any
    #[arg(long)]
    check: bool,
}

/// Libraries whose public items are promised to nobody.
const INTERNAL: [&str; 4] = ["cl-external-memory", "gcn-alu", "hip-external-semaphores", "vgpu"];

/// Runs the command line.
pub fn main(Args { check }: Args) -> Result<()> {
    let mut differences = 0;
    for folder in libraries(&vgpu::root().join("crates"))? {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let source = Source::read(&folder.join("src/lib.rs"))?;
        let lines = list::lines(&source, &name.replace('-', "_"));
        let file = folder.join("api.txt");
        if !check {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
            continue;
        }
        let before = fs::read_to_string(&file)
            .with_context(|| format!("cannot read {}; `cargo xtask api` writes it", file.display()))?;
        let before: Vec<&str> = before.lines().collect();
        let gone = before.iter().filter(|line| !lines.iter().any(|now| now == **line)).map(|line| ('-', *line));
        let new = lines.iter().filter(|line| !before.contains(&line.as_str())).map(|line| ('+', line.as_str()));
        for (sign, line) in gone.chain(new) {
            println!("{name}: {sign} {line}");
            differences += 1;
        }
    }
    ensure!(differences == 0, "{differences} lines differ from crates/*/api.txt: `cargo xtask api` writes them anew");
    Ok(())
}

/// The folders of the libraries that are listed.
fn libraries(crates: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(crates).with_context(|| format!("cannot read {}", crates.display()))?;
    let mut folders = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    folders.retain(|folder| {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        folder.join("src/lib.rs").exists() && !name.ends_with("-sys") && !INTERNAL.contains(&name.as_ref())
    });
    folders.sort();
    Ok(folders)
}
