//! Packages of Debian releases that need not be the host's, fetched and unpacked without being installed.
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::progress;

/// apt's own program for a single file, in the package `apt`. It checks the file's digest.
const APT_HELPER: &str = "/usr/lib/apt/apt-helper";

/// apt with lists of its own.
pub struct Archive {
    folder: PathBuf,
    options: Vec<OsString>,
}

impl Archive {
    /// The packages of these suites, with the lists and what is fetched in `folder`.
    ///
    /// # Errors
    /// If the folder cannot be written to, no Debian mirror is known, or the lists cannot be fetched.
    pub fn new(folder: &Path, suites: &[&str]) -> Result<Archive> {
        Self::open(folder, suites, &["deb"])
    }

    /// The same with source packages.
    ///
    /// # Errors
    /// As of [`Archive::new`].
    pub fn with_sources(folder: &Path, suites: &[&str]) -> Result<Archive> {
        Self::open(folder, suites, &["deb", "deb-src"])
    }

    fn open(folder: &Path, suites: &[&str], kinds: &[&str]) -> Result<Archive> {
        for part in ["apt/lists/partial", "apt/cache/archives/partial", "debs"] {
            fs::create_dir_all(folder.join(part))
                .with_context(|| format!("cannot make {part} in {}", folder.display()))?;
        }
        let apt = folder.join("apt");
        let sources = apt.join("sources.list");
        let mirror = super::mirror(&apt.join("mirror"))?;
        let line =
            |kind: &&str| suites.iter().map(|suite| format!("{kind} {mirror} {suite} main\n")).collect::<String>();
        let lines: String = kinds.iter().map(line).collect();
        fs::write(&sources, lines).context("cannot write sources.list")?;
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
            // Else a mirror that cannot be reached is a warning, and the lists are empty.
            OsString::from("-oAPT::Update::Error-Mode=any"),
        ];
        if super::is_root() {
            options.push("-oAPT::Sandbox::User=root".into());
        }
        let archive = Archive { folder: folder.to_owned(), options };
        let what = format!("fetching the package lists of {}", suites.join(" and "));
        progress::run(&what, archive.command("apt-get").arg("update"))?;
        Ok(archive)
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.args(&self.options).current_dir(self.folder.join("debs"));
        command
    }

    /// The names of all packages.
    ///
    /// # Errors
    /// If apt-cache cannot be started.
    pub fn names(&self) -> Result<Vec<String>> {
        let output = self.command("apt-cache").arg("pkgnames").output().context("cannot start apt-cache")?;
        Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
    }

    /// Fetches the newest version of a package and unpacks it into the folder `to`, which is there only when it is
    /// complete.
    ///
    /// # Errors
    /// If there is none, or it cannot be fetched or unpacked.
    pub fn unpack(&self, name: &str, to: &Path) -> Result<()> {
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

    /// Fetches the upstream part of a source package from `suite` and unpacks it into the folder `to`, which is there
    /// only when it is complete.
    ///
    /// # Errors
    /// If the suite has it in another version than `version`, or it cannot be fetched or unpacked.
    pub fn unpack_source(&self, name: &str, suite: &str, version: &str, to: &Path) -> Result<()> {
        let mut listed = self.command("apt-get");
        listed.args(["--print-uris", "--only-source", "--tar-only", "source", &format!("{name}/{suite}")]);
        let lines = progress::output(&format!("looking up the source of {name} in {suite}"), &mut listed)?;
        // A package has several archives, and a mirror may lack one that is not needed here: apt-get itself fetches all
        // or fails.
        let (uri, file, hash) = lines
            .iter()
            .filter_map(|line| uri_line(line))
            .find(|(_, file, _)| file.starts_with(&format!("{name}_{version}")) && file.contains(".orig.tar."))
            .with_context(|| format!("{name} in Debian {suite} is not {version} any more"))?;
        let archive = self.folder.join("debs").join(file);
        let mut fetch = self.command(APT_HELPER);
        fetch.args(["download-file", uri]).arg(&archive).arg(hash);
        progress::run(&format!("fetching the source of {name} in {suite}"), &mut fetch)?;
        let unfinished = to.with_extension("unfinished");
        fs::create_dir_all(&unfinished).with_context(|| format!("cannot make {}", unfinished.display()))?;
        let mut tar = Command::new("tar");
        tar.arg("-xf").arg(&archive).arg("-C").arg(&unfinished).arg("--strip-components=1");
        progress::run(&format!("unpacking {name} {version}"), &mut tar)?;
        fs::rename(&unfinished, to).with_context(|| format!("cannot rename {}", unfinished.display()))
    }
}

/// Address, file name and digest of a line of `apt-get --print-uris`: `'ADDRESS' FILE SIZE SHA256:DIGEST`.
fn uri_line(line: &str) -> Option<(&str, &str, &str)> {
    let [uri, file, _size, hash] = line.split_whitespace().collect::<Vec<_>>()[..] else { return None };
    let uri = uri.strip_prefix('\'')?.strip_suffix('\'')?;
    hash.contains(':').then_some((uri, file, hash))
}

#[cfg(test)]
mod tests {
    use super::uri_line;

    #[test]
    fn lines_of_files_are_told_from_others() {
        let line = "'http://mirror/pool/r/rocr_6.4.3.orig.tar.gz' rocr_6.4.3.orig.tar.gz 1234 SHA256:0a1b";
        let parts = ("http://mirror/pool/r/rocr_6.4.3.orig.tar.gz", "rocr_6.4.3.orig.tar.gz", "SHA256:0a1b");
        assert_eq!(uri_line(line), Some(parts));
        for other in ["Reading package lists...", "Need to get 3 kB", "'unfinished f 1 SHA256:0", "'u' f 1 nothing", ""]
        {
            assert_eq!(uri_line(other), None, "{other}");
        }
    }
}
