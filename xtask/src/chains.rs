//! `cargo xtask chains`: the chains of functions on the pages, against the sources of the versions that they name.
mod source;
#[cfg(test)]
mod tests;
mod variables;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::apt::Archive;
use crate::docs::WITHOUT_A_NETWORK;
use crate::processes::lock;
use crate::stack::cache_folder;
use crate::vgpu;

/// Checks the chains of functions on the pages against the sources: file, function, and who calls it; and the page on
/// environment variables.
///
/// The sources are Debian's packages of the versions that the pages name. apt fetches them into the user's cache folder
/// once.
#[derive(clap::Args)]
pub struct Args {}

/// Sources of one version.
struct Version {
    /// As the pages write it.
    name: &'static str,
    package: &'static str,
    suite: &'static str,
}

impl Version {
    fn unpacked_in(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}-{}", self.package, self.name))
    }
}

/// What the links of a chain lead to.
struct Project {
    /// How its links begin. The rest is the path of the file.
    link: &'static str,
    /// The version that the links name comes first.
    versions: &'static [Version],
}

const PROJECTS: &[Project] = &[
    Project {
        link: "https://github.com/ROCm/clr/blob/rocm-6.4.3/",
        versions: &[
            Version { name: "6.4.3", package: "rocm-hipamd", suite: "forky" },
            Version { name: "5.7.1", package: "rocm-hipamd", suite: "trixie" },
        ],
    },
    Project {
        link: "https://github.com/ROCm/ROCR-Runtime/blob/rocm-6.4.3/",
        versions: &[Version { name: "6.4.3", package: "rocr-runtime", suite: "forky" }],
    },
    Project { link: "https://github.com/torvalds/linux/blob/v6.12/", versions: &[LINUX] },
];

/// Debian packs the kernel's sources as a binary package, an archive in an archive.
const LINUX: Version = Version { name: "6.12", package: "linux-source-6.12", suite: "trixie" };

/// A row of a chain.
struct Step {
    page: String,
    number: String,
    function: String,
    /// The number of the step whose function calls this one by name, if one does.
    caller: Option<String>,
    /// What the caller's text has, where it is not the function's own name: a member that points to it.
    called_as: Option<String>,
    project: &'static Project,
    file: String,
    /// The line to which the link leads. Only versions whose sources are the linked ones to the letter have one.
    line: Option<usize>,
    versions: Vec<&'static Version>,
}

/// Runs the command line.
pub fn main(Args {}: Args) -> Result<()> {
    check_pages()
}

/// Which sources the next check has to fetch, if any.
pub fn missing() -> Result<Option<String>> {
    let folder = folder()?;
    let names: Vec<_> = versions()
        .filter(|version| !version.unpacked_in(&folder).exists())
        .map(|version| format!("{} {}", version.package, version.name))
        .collect();
    Ok((!names.is_empty()).then(|| format!("Debian's sources of {}, in {}", names.join(", "), folder.display())))
}

/// Where the sources are kept.
fn folder() -> Result<PathBuf> {
    Ok(cache_folder()?.join("sources"))
}

fn versions() -> impl Iterator<Item = &'static Version> {
    PROJECTS.iter().flat_map(|project| project.versions)
}

/// The project whose links lead into the sources of a package.
fn project_of(package: &str) -> Result<&'static Project> {
    let project = PROJECTS.iter().find(|project| project.versions[0].package == package);
    project.with_context(|| format!("no chain leads into {package}"))
}

/// How links begin that lead into the sources of a package.
pub fn link_into(package: &str) -> Result<&'static str> {
    Ok(project_of(package)?.link)
}

/// The sources of a package that its links lead into, fetched first if they are not there.
pub fn linked_sources(package: &str) -> Result<PathBuf> {
    Ok(sources()?[&(package, project_of(package)?.versions[0].name)].clone())
}

/// The unpacked sources, by package and version, fetched first if they are not there.
fn sources() -> Result<BTreeMap<(&'static str, &'static str), PathBuf>> {
    let folder = folder()?;
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let _lock = lock(&folder.with_extension("lock"), "another process that fetches sources")?;
    fetch(&folder)
}

/// Fails with the steps that are not as their pages say.
pub fn check_pages() -> Result<()> {
    let steps = steps()?;
    let sources = sources().with_context(|| {
        format!("the chains are checked against sources of Debian, which apt fetches once; {WITHOUT_A_NETWORK}")
    })?;
    let mut wrong = Vec::new();
    let mut checked = 0;
    for step in &steps {
        for version in &step.versions {
            let root = &sources[&(version.package, version.name)];
            checked += 1;
            if let Err(problem) = check(step, &steps, version, root) {
                wrong.push(format!("{} step {} in {}: {problem:#}", step.page, step.number, version.name));
            }
        }
    }
    let (of_variables, variables) = variables::check(&sources)?;
    wrong.extend(of_variables);
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{} steps, checked {checked} times against {} sources; {variables} variables", steps.len(), sources.len());
    Ok(())
}

fn check(step: &Step, steps: &[Step], version: &Version, root: &Path) -> Result<()> {
    let body = |file: &str, function: &str| -> Result<(usize, String)> {
        let path = root.join(file);
        let text = fs::read(&path).with_context(|| format!("no file {file}"))?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let body = source::body(&text, function).with_context(|| format!("{file} has no {function}"))?;
        Ok((source::line_of(&text, body), body.to_owned()))
    };
    let (defined, _) = body(&step.file, &step.function)?;
    if let Some(line) = step.line
        && version.name == step.project.versions[0].name
    {
        ensure!(line == defined, "{} is in line {defined}, the link leads to line {line}", step.function);
    }
    let Some(number) = &step.caller else { return Ok(()) };
    let caller = steps.iter().find(|other| other.page == step.page && other.number == *number);
    let caller = caller.with_context(|| format!("no step {number}"))?;
    // A call from one project into another has the callee's exported name too.
    if std::ptr::eq(caller.project, step.project) {
        let last = step.function.rsplit("::").next().unwrap_or(&step.function);
        let name = step.called_as.as_deref().unwrap_or(last);
        let (_, text) = body(&caller.file, &caller.function)?;
        ensure!(source::has_call(&text, name), "{} does not call {name}", caller.function);
    }
    Ok(())
}

/// The unpacked sources, by package and version.
fn fetch(folder: &Path) -> Result<BTreeMap<(&'static str, &'static str), PathBuf>> {
    let mut found = BTreeMap::new();
    let mut archive = None;
    for version in versions() {
        let to = version.unpacked_in(folder);
        if !to.exists() {
            if archive.is_none() {
                archive = Some(Archive::with_sources(folder, &["trixie", "forky"])?);
            }
            let archive = archive.as_ref().context("apt's lists")?;
            if version.package == LINUX.package {
                unpack_linux(archive, &to)?;
            } else {
                archive.unpack_source(version.package, version.suite, version.name, &to)?;
            }
        }
        found.insert((version.package, version.name), to);
    }
    Ok(found)
}

fn unpack_linux(archive: &Archive, to: &Path) -> Result<()> {
    let package = to.with_extension("package");
    if !package.exists() {
        archive.unpack(LINUX.package, &package)?;
    }
    let unfinished = to.with_extension("unfinished");
    fs::create_dir_all(&unfinished).with_context(|| format!("cannot make {}", unfinished.display()))?;
    let mut tar = std::process::Command::new("tar");
    tar.arg("-xf").arg(package.join(format!("usr/src/{}.tar.xz", LINUX.package))).arg("-C").arg(&unfinished);
    tar.args(["--strip-components=1", "--wildcards", "*/drivers/gpu/drm/amd"]);
    crate::progress::run("unpacking the driver of Linux", &mut tar)?;
    fs::remove_dir_all(&package).with_context(|| format!("cannot remove {}", package.display()))?;
    fs::rename(&unfinished, to).with_context(|| format!("cannot rename {}", unfinished.display()))
}

/// The rows of all chains.
fn steps() -> Result<Vec<Step>> {
    let folder = vgpu::root().join("docs/src/chains");
    let mut pages = fs::read_dir(&folder)?.collect::<std::io::Result<Vec<_>>>()?;
    pages.sort_by_key(fs::DirEntry::file_name);
    let mut steps = Vec::new();
    for page in pages {
        let name = page.file_name().to_string_lossy().into_owned();
        let text = fs::read_to_string(page.path()).with_context(|| format!("cannot read {name}"))?;
        for line in text.lines().filter(|line| line.contains("https://github.com/") && line.starts_with('|')) {
            steps.push(step(&name, line).with_context(|| format!("{name}: {line}"))?);
        }
    }
    ensure!(steps.len() > 20, "only {} steps", steps.len());
    Ok(steps)
}

/// `| 3 | 2 as `name` | [`function`](link#L12) | 6.4.3, 5.7.1 | what |`. A dash stands for a step that none calls by
/// name.
fn step(page: &str, line: &str) -> Result<Step> {
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    let ["", number, caller, function, versions, what, ..] = cells[..] else { bail!("not the columns of a chain") };
    ensure!(!what.is_empty(), "says nothing");
    let (function, link) = function.split_once("](").context("no link")?;
    let (link, line) = match link.trim_end_matches(')').split_once("#L") {
        Some((link, line)) => (link, Some(line.parse().context("the link's line")?)),
        None => (link.trim_end_matches(')'), None),
    };
    let (project, file, versions) = project_and_versions(link, versions)?;
    let (caller, called_as) = match caller.split_once(" as ") {
        Some((caller, name)) => (caller, Some(name.trim_matches('`').to_owned())),
        None => (caller, None),
    };
    Ok(Step {
        page: page.to_owned(),
        number: number.to_owned(),
        function: function.trim_matches(['[', '`']).to_owned(),
        caller: (caller != "-").then(|| caller.to_owned()),
        called_as,
        project,
        file,
        line,
        versions,
    })
}

/// Where a link leads: the project, the file in it, and the versions of it that `versions` lists.
fn project_and_versions(link: &str, versions: &str) -> Result<(&'static Project, String, Vec<&'static Version>)> {
    let project =
        PROJECTS.iter().find(|project| link.starts_with(project.link)).context("not a source that is known")?;
    let named = |name: &str| project.versions.iter().find(|version| version.name == name);
    let versions: Option<Vec<_>> = versions.split(", ").map(named).collect();
    let versions = versions.context("a version that the project's sources are not fetched of")?;
    Ok((project, link[project.link.len()..].to_owned(), versions))
}
