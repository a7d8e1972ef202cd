//! The packages that headers and test libraries come from: pinned by version and SHA-256, unpacked under `target/`.
//!
//! Debian's mirrors keep one version per suite, so a pin can vanish when a suite moves on. The headers inside seldom
//! change with it, and a version goes on from `experimental` to `sid` to `forky`: each header package therefore has a
//! second pin, over the header text alone, and any version on the mirror with this text will do. If there is none, a
//! stable suite or a wheel is at fault and that is an error. The rolling suites do this by nature: then the result is
//! [`Gone`], on which `--check` and the tests go on with what can still be had and say what they left out.
use crate::apt;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// Suites that pinned Debian packages come from.
const SUITES: [&str; 5] = ["bookworm", "trixie", "forky", "sid", "experimental"];
/// Those that change all the time.
const ROLLING: [&str; 3] = ["forky", "sid", "experimental"];

pub enum Origin {
    /// A Debian suite on the mirror that the host's apt is configured with.
    Debian { suite: &'static str },
    /// A wheel from the package index that pip is configured with.
    Wheel { python: &'static str, platform: &'static str, file: &'static str },
}

pub struct Package {
    pub name: &'static str,
    pub version: &'static str,
    pub origin: Origin,
    /// Of the `.deb` or `.whl`.
    pub sha256: &'static str,
    /// Header folders inside the package, and the SHA-256 over their content (see [`digest`]).
    pub headers: Option<(&'static [&'static str], &'static str)>,
}

/// HIP 7.1 and its HSA headers, which no Debian suite has.
pub const TRITON: Package = Package {
    name: "triton",
    version: "3.9.0",
    origin: Origin::Wheel {
        python: "3.11",
        platform: "manylinux_2_28_x86_64",
        file: "triton-3.9.0-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl",
    },
    sha256: "1622118a038b0c6e16fa4a0305da62c8b3c15904ee1cc4d4e65846a25969e41e",
    headers: Some((
        &["triton/backends/amd/include/hip", "triton/backends/amd/include/hsa"],
        "2411e54213c4e4b2acf3b7cb906c5d78b7ee22c8d8b2dac437141da4afcd9bb2",
    )),
};

/// A rolling suite has moved on: the pinned version is no longer to be had, nor another one with the same headers.
#[derive(Debug)]
pub struct Gone {
    package: String,
    available: Vec<(String, String)>,
}

impl fmt::Display for Gone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is gone from the mirror", self.package)?;
        match &self.available[..] {
            [] => write!(f, ", which has no version of it"),
            others => {
                let others: Vec<_> = others.iter().map(|(version, suite)| format!("{version} in {suite}")).collect();
                write!(
                    f,
                    ", which has {}: review what changed and pin one of them in xtask/src/bindgen",
                    others.join(", ")
                )
            }
        }
    }
}

impl std::error::Error for Gone {}

/// For the end of a test that has checked all packages but these.
#[cfg(test)]
macro_rules! skip_if_gone {
    ($gone:expr) => {
        if !$gone.is_empty() {
            $gone.iter().for_each(|gone| eprintln!("not checked: {gone}"));
            // The same words whatever is gone: `test/skips.txt` allows them.
            test_skip::skip!("a pinned package is gone from the mirror; the others were checked");
        }
    };
}
#[cfg(test)]
pub(super) use skip_if_gone;

/// Tests fetch from several threads; apt and pip are to run once at a time.
static FETCHING: Mutex<()> = Mutex::new(());

impl Package {
    /// Downloads (once), verifies and unpacks the package.
    ///
    /// # Errors
    /// [`Gone`] if it is one of a rolling suite that has moved on.
    pub fn fetch(&self, target: &Path) -> Result<PathBuf> {
        let _one_at_a_time = FETCHING.lock().unwrap_or_else(PoisonError::into_inner);
        let downloads = target.join("packages");
        let root = downloads.join(format!("{}_{}", self.name, self.version));
        let stamp = root.join(".sha256");
        if fs::read_to_string(&stamp).is_ok_and(|stamped| stamped == self.sha256) {
            return Ok(root);
        }
        fs::create_dir_all(&downloads)?;
        match self.origin {
            Origin::Debian { suite } => self.fetch_deb(&downloads, target, suite, &root)?,
            Origin::Wheel { python, platform, file } => {
                let file = self.download_wheel(&downloads, python, platform, file)?;
                self.verify(&file)?;
                // Only the headers: the wheel carries a compiler.
                let (folders, _) = self.headers.context("a wheel is pinned for its headers")?;
                let members = folders.iter().map(|folder| format!("{folder}/*"));
                empty(&root)?;
                run(Command::new("unzip").arg("-q").arg(&file).args(members).arg("-d").arg(&root))?;
                self.verify_headers(&root)?;
            }
        };
        fs::write(stamp, self.sha256)?;
        Ok(root)
    }

    fn fetch_deb(&self, downloads: &Path, target: &Path, suite: &str, root: &Path) -> Result<()> {
        if let Some(file) = self.downloaded(downloads, self.version)?
            && self.verify(&file).is_ok()
        {
            unpack(&file, root)?;
            return self.verify_headers(root);
        }
        let apt = Apt::new(target)?;
        let available = apt.versions(self.name)?;
        if available.iter().any(|(version, _)| version == self.version) {
            let file = self.download_deb(&apt, downloads, self.version)?;
            self.verify(&file)?;
            unpack(&file, root)?;
            return self.verify_headers(root);
        }
        if let Some((folders, expected)) = self.headers {
            for (version, _) in &available {
                unpack(&self.download_deb(&apt, downloads, version)?, root)?;
                if digest(root, folders).is_ok_and(|found| found == expected) {
                    println!("note: {} is gone from the mirror; {version} has the same headers", self.full_name());
                    return Ok(());
                }
            }
        }
        let gone = Gone { package: self.full_name(), available };
        if ROLLING.contains(&suite) { Err(gone.into()) } else { bail!("{gone}") }
    }

    /// The package's file of this version.
    fn download_deb(&self, apt: &Apt, downloads: &Path, version: &str) -> Result<PathBuf> {
        if let Some(file) = self.downloaded(downloads, version)? {
            return Ok(file);
        }
        let wanted = format!("{}={version}", self.name);
        run(apt.command("apt-get").current_dir(downloads).arg("download").arg(wanted))?;
        let file = self.downloaded(downloads, version)?;
        file.with_context(|| format!("apt-get did not download {} {version}", self.name))
    }

    /// The downloaded file of this version: its name ends with an architecture, which is not the same in all suites.
    fn downloaded(&self, downloads: &Path, version: &str) -> Result<Option<PathBuf>> {
        let start = format!("{}_{}_", self.name, version.replace(':', "%3a"));
        let mut names =
            fs::read_dir(downloads)?.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        let name = names.find(|name| name.starts_with(&start) && name.ends_with(".deb"));
        Ok(name.map(|name| downloads.join(name)))
    }

    fn full_name(&self) -> String {
        format!("{} {}", self.name, self.version)
    }

    fn verify(&self, file: &Path) -> Result<()> {
        let found = sha256(&fs::canonicalize(file)?)?;
        if found != self.sha256 {
            bail!("{}: SHA-256 is {found}, pinned is {}", self.full_name(), self.sha256);
        }
        Ok(())
    }

    fn verify_headers(&self, root: &Path) -> Result<()> {
        let Some((folders, expected)) = self.headers else { return Ok(()) };
        let found = digest(root, folders)?;
        if found != expected {
            bail!("{}: the headers' SHA-256 is {found}, pinned is {expected}", self.full_name());
        }
        Ok(())
    }

    fn download_wheel(&self, downloads: &Path, python: &str, platform: &str, file: &str) -> Result<PathBuf> {
        let path = downloads.join(file);
        if !path.exists() {
            run(Command::new("pip")
                .args([
                    "download",
                    "--quiet",
                    "--no-deps",
                    "--only-binary=:all:",
                    "--python-version",
                    python,
                    "--platform",
                    platform,
                ])
                .arg("--dest")
                .arg(downloads)
                .arg(format!("{}=={}", self.name, self.version)))?;
        }
        Ok(path)
    }
}

/// Downloads those Debian packages that are not there yet by one call of apt: each call of it takes seconds. What the
/// mirror no longer has is left to [`Package::fetch`], which knows what to do.
///
/// # Errors
/// If apt fails.
pub fn download<'a>(packages: impl IntoIterator<Item = &'a Package>, target: &Path) -> Result<()> {
    let _one_at_a_time = FETCHING.lock().unwrap_or_else(PoisonError::into_inner);
    let downloads = target.join("packages");
    fs::create_dir_all(&downloads)?;
    let mut missing = Vec::new();
    for package in packages.into_iter().filter(|package| matches!(package.origin, Origin::Debian { .. })) {
        if package.downloaded(&downloads, package.version)?.is_none() {
            missing.push(package);
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let apt = Apt::new(target)?;
    let names: Vec<&str> = missing.iter().map(|package| package.name).collect();
    let available = apt.available(&names)?;
    missing.retain(|package| {
        available.iter().any(|(name, version, _)| (&**name, &**version) == (package.name, package.version))
    });
    if missing.is_empty() {
        return Ok(());
    }
    let wanted = missing.iter().map(|package| format!("{}={}", package.name, package.version));
    run(apt.command("apt-get").current_dir(&downloads).arg("download").args(wanted))
}

/// Makes `root` the content of the package.
fn unpack(deb: &Path, root: &Path) -> Result<()> {
    empty(root)?;
    run(Command::new("dpkg-deb").arg("-x").arg(deb).arg(root))
}

/// Makes `folder` an empty one.
fn empty(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    Ok(fs::create_dir_all(folder)?)
}

/// apt with a state of its own under `target/`, reading the host's mirror for all [`SUITES`]. Needs no root.
struct Apt {
    options: Vec<String>,
}

impl Apt {
    fn new(target: &Path) -> Result<Self> {
        let dir = target.join("apt");
        fs::create_dir_all(dir.join("lists/partial"))?;
        fs::create_dir_all(dir.join("cache/archives/partial"))?;
        fs::create_dir_all(target.join("packages"))?;
        write_if_other(&dir.join("status"), "")?;
        let keyring = Path::new("/usr/share/keyrings/debian-archive-keyring.gpg");
        let signed_by = if keyring.exists() { format!("[signed-by={}] ", keyring.display()) } else { String::new() };
        let mirror = apt::mirror(&dir)?;
        let sources: String = SUITES.iter().map(|suite| format!("deb {signed_by}{mirror} {suite} main\n")).collect();
        let list = dir.join("sources.list");
        let fresh = !write_if_other(&list, &sources)?;
        let at = |name: &str| dir.join(name).display().to_string();
        let options = [
            format!("Dir::State={}", dir.display()),
            format!("Dir::State::lists={}", at("lists")),
            format!("Dir::State::status={}", at("status")),
            format!("Dir::Cache={}", at("cache")),
            format!("Dir::Etc::sourcelist={}", list.display()),
            "Dir::Etc::sourceparts=/dev/null".into(),
            "Dir::Etc::preferencesparts=/dev/null".into(),
            // Debian's container images turn apt's indexes off. Without them it reads all lists anew, ten seconds a
            // call.
            "Dir::Cache::pkgcache=pkgcache.bin".into(),
            "Dir::Cache::srcpkgcache=srcpkgcache.bin".into(),
            "Acquire::Languages=none".into(),
            // A mirror that lags holds a testing release whose date has run out; what is used is pinned by digest.
            "Acquire::Check-Valid-Until=false".into(),
            "APT::Sandbox::User=".into(),
        ];
        let apt = Self { options: options.into_iter().flat_map(|option| ["-o".to_owned(), option]).collect() };
        let updated = dir.join("updated");
        let age = fs::metadata(&updated).and_then(|meta| meta.modified()).ok().and_then(|at| at.elapsed().ok());
        if !fresh || age.is_none_or(|age| age.as_secs() > 24 * 3600) {
            run(apt.command("apt-get").args(["update", "-qq"]))?;
            fs::write(updated, "")?;
        }
        Ok(apt)
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.args(&self.options);
        command
    }

    /// Versions of `package` with the suite that has them.
    fn versions(&self, package: &str) -> Result<Vec<(String, String)>> {
        Ok(self.available(&[package])?.into_iter().map(|(_, version, suite)| (version, suite)).collect())
    }

    /// The packages of these names: each with a version and the suite that has it.
    fn available(&self, packages: &[&str]) -> Result<Vec<(String, String, String)>> {
        // madison prints "name | version | mirror suite/component arch Packages".
        let table = output(self.command("apt-cache").arg("madison").args(packages))?;
        let row = |line: &str| {
            let mut columns = line.split('|');
            let name = columns.next()?.trim().to_owned();
            let version = columns.next()?.trim().to_owned();
            let suite = columns.next()?.split_whitespace().nth(1)?.split('/').next()?.to_owned();
            Some((name, version, suite))
        };
        Ok(table.lines().filter_map(row).collect())
    }
}

/// Makes `text` the content of a file. True if it was not: apt reads all lists anew if one of its files has a new time.
fn write_if_other(path: &Path, text: &str) -> Result<bool> {
    let is_other = fs::read_to_string(path).ok().as_deref() != Some(text);
    if is_other {
        fs::write(path, text)?;
    }
    Ok(is_other)
}

/// SHA-256 over the relative paths and bytes of all files in `folders`, in path order.
fn digest(root: &Path, folders: &[&str]) -> Result<String> {
    let mut files = BTreeMap::new();
    for folder in folders {
        collect(root, &root.join(folder), &mut files)?;
    }
    let all = root.join(".digest");
    let mut bytes = Vec::new();
    for (name, path) in files {
        let content = fs::read(&path)?;
        bytes.extend_from_slice(format!("{name} {}\n", content.len()).as_bytes());
        bytes.extend_from_slice(&content);
    }
    fs::write(&all, bytes)?;
    let digest = sha256(&all)?;
    fs::remove_file(all)?;
    Ok(digest)
}

fn collect(root: &Path, path: &Path, files: &mut BTreeMap<String, PathBuf>) -> Result<()> {
    if path.is_dir() {
        // Debian's `hsa/hsa` leads to the folder that it is in.
        if path.is_symlink() && path.starts_with(fs::canonicalize(path)?) {
            return Ok(());
        }
        for entry in fs::read_dir(path)? {
            collect(root, &entry?.path(), files)?;
        }
    } else {
        let name = path.strip_prefix(root)?.display().to_string();
        fs::metadata(path).with_context(|| format!("{name} is not in the package"))?;
        files.insert(name, path.to_owned());
    }
    Ok(())
}

fn sha256(file: &Path) -> Result<String> {
    let line = output(Command::new("sha256sum").arg(file))?;
    Ok(line.split_whitespace().next().unwrap_or_default().to_owned())
}

pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {:?}", command.get_program()))?;
    if !status.success() {
        bail!("{command:?} failed: {status}");
    }
    Ok(())
}

pub fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot run {:?}", command.get_program()))?;
    if !output.status.success() {
        bail!("{command:?} failed: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?)
}
