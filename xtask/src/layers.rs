//! `cargo xtask layers`: installs what the project puts in front of AMD's libraries for other programs.
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::vgpu::{self, Build};

/// Installs the layers in front of AMD's libraries: the OpenCL layer cl-external-memory, and hip-external-semaphores.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Builds the layers and copies them into a folder
    Install {
        /// The folder, as /usr/local: the libraries go to lib, the files for shells and for the OpenCL loader to
        /// share/rocm-layers, with a page (README.md) that says when to use which
        #[arg(long, value_name = "DIR")]
        prefix: PathBuf,
    },
}

/// The OpenCL layer's file.
const LIBRARY: &str = "libcl_external_memory.so";
/// The file of HIP's external semaphores.
const SEMAPHORES: &str = "libhip_external_semaphores.so";

/// Runs the command line.
pub fn main(args: Args) -> Result<()> {
    let Command::Install { prefix } = args.command;
    let library = vgpu::external_memory_layer(Build::Release)?;
    let built = vgpu::external_semaphores_library(Build::Release)?;
    let installed = install(&library, &prefix)?;
    let semaphores = installed.library.with_file_name(SEMAPHORES);
    put(&built, &semaphores)?;
    println!("installed {}", installed.library.display());
    println!("for one shell:        . {}", installed.shell.display());
    println!("for all programs:     cp {} /etc/OpenCL/layers/", installed.manifest.display());
    println!("for older loaders:    LD_PRELOAD={} PROGRAM", installed.library.display());
    println!("installed {}", semaphores.display());
    println!("for HIP's semaphores: LD_PRELOAD={} PROGRAM", semaphores.display());
    println!("when to use which:    {}", installed.page.display());
    Ok(())
}

/// What was written.
struct Installed {
    library: PathBuf,
    /// To be read by a shell.
    shell: PathBuf,
    /// To be copied to where the loader looks for layers.
    manifest: PathBuf,
    /// To be read by people.
    page: PathBuf,
}

fn install(built: &Path, prefix: &Path) -> Result<Installed> {
    fs::create_dir_all(prefix).with_context(|| format!("cannot make {}", prefix.display()))?;
    let prefix = prefix.canonicalize().with_context(|| format!("cannot find {}", prefix.display()))?;
    let library = prefix.join("lib").join(LIBRARY);
    let text = library.to_str().context("the folder's name is not UTF-8")?;
    // Loaders take lists of layers, separated by colons; LD_PRELOAD separates by spaces too.
    ensure!(
        !text.contains([':', ' ', '\'', '\n']),
        "{text}: loaders cannot be told of files with a colon, space, quote or line break in their names; choose another folder"
    );
    let share = prefix.join("share/rocm-layers");
    let (shell, manifest) = (share.join("environment.sh"), share.join("cl-external-memory.lay"));
    let page = share.join("README.md");
    for folder in [prefix.join("lib"), share] {
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    put(built, &library)?;
    let for_shells = format!(
        "# Gives AMD's OpenCL cl_khr_external_memory_dma_buf, in programs that are started from this shell.\n\
         export OPENCL_LAYERS='{text}'\"${{OPENCL_LAYERS:+:$OPENCL_LAYERS}}\"\n"
    );
    let files = [(&shell, for_shells), (&manifest, format!("{text}\n")), (&page, include_str!("layers.md").to_owned())];
    for (file, text) in files {
        fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(Installed { library, shell, manifest, page })
}

/// Copies a library. Programs that run keep the file they have.
fn put(built: &Path, library: &Path) -> Result<()> {
    let new = library.with_extension("so.new");
    fs::copy(built, &new).with_context(|| format!("cannot write {}", new.display()))?;
    fs::rename(&new, library).with_context(|| format!("cannot write {}", library.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_lead_to_the_installed_library() {
        let folder = std::env::temp_dir().join(format!("xtask-layers-{}", std::process::id()));
        let built = folder.join("built.so");
        fs::create_dir_all(&folder).unwrap();
        let folder = folder.canonicalize().unwrap();
        for contents in ["one", "another"] {
            fs::write(&built, contents).unwrap();
            let installed = install(&built, &folder.join("prefix/of mine".replace(' ', "-"))).unwrap();
            assert_eq!(fs::read_to_string(&installed.library).unwrap(), contents);
            assert_eq!(fs::read_to_string(&installed.manifest).unwrap().trim(), installed.library.to_str().unwrap());
            let page = fs::read_to_string(&installed.page).unwrap();
            assert!([LIBRARY, SEMAPHORES].iter().all(|library| page.contains(library)), "{page}");
            for (before, after) in [(None, String::new()), (Some("/a.so:/b.so"), ":/a.so:/b.so".to_owned())] {
                let mut shell = std::process::Command::new("sh");
                shell.arg("-c").arg(format!(". {} && printf %s \"$OPENCL_LAYERS\"", installed.shell.display()));
                shell.env_remove("OPENCL_LAYERS").envs(before.map(|value| ("OPENCL_LAYERS", value)));
                let output = String::from_utf8(shell.output().unwrap().stdout).unwrap();
                assert_eq!(output, format!("{}{after}", installed.library.display()));
            }
        }
        let error = install(&built, &folder.join("with space")).err().unwrap().to_string();
        assert!(error.contains("choose another folder"), "{error}");
        fs::remove_dir_all(&folder).unwrap();
    }
}
