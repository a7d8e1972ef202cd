//! `cargo xtask objects`: the code objects in Debian's ROCm libraries, disassembled by `gcn` and by llvm-objdump.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{apt, progress, vgpu};

/// Disassembles every gfx908 code object in Debian's ROCm libraries and compares with llvm-objdump, line by line.
///
/// Fetches the packages of the suite with apt into the target folder (trixie: 0.3 GB, 3 GB unpacked), which a second run uses
/// again. Prints a table of the libraries; any difference that is not meant is an error. Takes the better part of an hour.
#[derive(clap::Args)]
pub struct Args {
    /// The Debian release
    #[arg(default_value = "trixie")]
    suite: String,
    /// Only packages whose name contains this
    #[arg(long, default_value = "")]
    package: String,
}

/// Packages with code objects, without the number of the library's version.
const PACKAGES: &[&str] = &[
    "libamdhip64-",
    "libhsa-runtime64-",
    "librocalution",
    "librocblas",
    "librocfft",
    "librocrand",
    "librocsolver",
    "librocsparse",
    "rocm-opencl-icd",
];

/// Runs the command line.
pub fn main(args: Args) -> Result<()> {
    apt::ensure(&["llvm-19", "debian-archive-keyring"], "disassembling ROCm's libraries")?;
    let folder = vgpu::target_folder().join("objects").join(&args.suite);
    let apt = Apt::new(&folder, &args.suite)?;
    let names: Vec<String> = apt.packages()?.into_iter().filter(|name| name.contains(&args.package)).collect();
    if names.is_empty() {
        bail!("{} has no package of ROCm whose name contains {:?}", args.suite, args.package);
    }
    let mut files = Vec::new();
    for name in &names {
        let unpacked = folder.join(name);
        if !unpacked.is_dir() {
            apt.unpack(name, &unpacked)?;
        }
        collect(&unpacked, &mut files)?;
    }
    files.sort();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(vgpu::root()).args([
        "run",
        "--quiet",
        "--release",
        "--package",
        "gcn",
        "--example",
        "code_objects",
        "--",
    ]);
    let status = cargo.args(files).status().context("cannot start cargo")?;
    if !status.success() {
        bail!("the disassemblies differ");
    }
    Ok(())
}

/// apt with lists of its own, for a release that need not be the host's.
struct Apt {
    folder: PathBuf,
    options: Vec<OsString>,
}

impl Apt {
    fn new(folder: &Path, suite: &str) -> Result<Apt> {
        for part in ["apt/lists/partial", "apt/cache/archives/partial", "debs"] {
            fs::create_dir_all(folder.join(part))
                .with_context(|| format!("cannot make {part} in {}", folder.display()))?;
        }
        let apt = folder.join("apt");
        let sources = apt.join("sources.list");
        let mirror = apt::mirror(&apt.join("mirror"))?;
        fs::write(&sources, format!("deb {mirror} {suite} main\n")).context("cannot write sources.list")?;
        fs::write(apt.join("status"), "").context("cannot write an empty status file")?;
        let option = |name: &str, value: &Path| {
            let mut option = OsString::from(format!("-o{name}="));
            option.push(value);
            option
        };
        let mut options = vec![
            option("Dir::Etc::sourcelist", &sources),
            option("Dir::Etc::sourceparts", Path::new("/dev/null")),
            option("Dir::State::lists", &apt.join("lists")),
            option("Dir::State::status", &apt.join("status")),
            option("Dir::Cache", &apt.join("cache")),
            // As for the stacks: the date of a testing release on a mirror that lags may have run out.
            OsString::from("-oAcquire::Check-Valid-Until=false"),
        ];
        if apt::is_root() {
            options.push("-oAPT::Sandbox::User=root".into());
        }
        let apt = Apt { folder: folder.to_owned(), options };
        progress::run(&format!("fetching the package lists of {suite}"), apt.command("apt-get").arg("update"))?;
        Ok(apt)
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.args(&self.options).current_dir(self.folder.join("debs"));
        command
    }

    /// The packages of [`PACKAGES`] that the release has.
    fn packages(&self) -> Result<Vec<String>> {
        let output = self.command("apt-cache").arg("pkgnames").output().context("cannot start apt-cache")?;
        let text = String::from_utf8_lossy(&output.stdout);
        let runtime = |name: &str| {
            PACKAGES.iter().any(|prefix| {
                name.strip_prefix(prefix)
                    .is_some_and(|version| version.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
            })
        };
        let mut names: Vec<String> = text.lines().filter(|name| runtime(name)).map(str::to_owned).collect();
        names.sort();
        Ok(names)
    }

    fn unpack(&self, name: &str, to: &Path) -> Result<()> {
        progress::run(&format!("fetching {name}"), self.command("apt-get").args(["--quiet", "download", name]))?;
        let debs = fs::read_dir(self.folder.join("debs"))?.collect::<std::io::Result<Vec<_>>>()?;
        let ours = |file: &str| file.strip_prefix(name).is_some_and(|rest| rest.starts_with('_'));
        let deb = debs.into_iter().find(|entry| entry.file_name().to_str().is_some_and(ours));
        let deb = deb.with_context(|| format!("apt-get left no package of {name}"))?.path();
        let unfinished = to.with_extension("unfinished");
        progress::run(&format!("unpacking {name}"), Command::new("dpkg-deb").arg("-x").arg(&deb).arg(&unfinished))?;
        fs::remove_file(&deb).with_context(|| format!("cannot remove {}", deb.display()))?;
        fs::rename(&unfinished, to).with_context(|| format!("cannot rename {}", unfinished.display()))
    }
}

/// Libraries and code object files below `folder`, except those that name another GPU.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let entry = entry?;
        let (kind, name) = (entry.file_type()?, entry.file_name().to_string_lossy().into_owned());
        if kind.is_dir() {
            collect(&entry.path(), files)?;
        } else if kind.is_file() && (name.contains(".so") || name.ends_with(".co") || name.ends_with(".hsaco")) {
            let other_gpu = name.contains("gfx") && !name.contains("gfx908");
            files.extend((!other_gpu).then(|| entry.path()));
        }
    }
    Ok(())
}
