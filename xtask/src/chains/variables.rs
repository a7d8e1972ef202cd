//! The page on environment variables, against the sources.
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use super::{Project, Version, project_and_versions};
use crate::vgpu;

/// Where ROCclr keeps all of its variables with their defaults.
const FLAGS: &str = "rocclr/utils/flags.hpp";

/// A row of the page.
struct Variable {
    name: String,
    /// As the page writes it: of the first version, then `; 0 in 5.7.1` for others.
    default: String,
    project: &'static Project,
    file: String,
    versions: Vec<&'static Version>,
}

/// What is wrong with the page, and how many variables it has.
pub fn check(sources: &BTreeMap<(&'static str, &'static str), PathBuf>) -> Result<(Vec<String>, usize)> {
    let path = vgpu::root().join("docs/src/stack/variables.md");
    let page = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let rows = page.lines().filter(|line| line.starts_with("| [`"));
    let variables = rows.map(|line| variable(line).with_context(|| line.to_owned())).collect::<Result<Vec<_>>>()?;
    ensure!(variables.len() > 20, "only {} variables", variables.len());
    let mut wrong = Vec::new();
    for variable in &variables {
        for version in &variable.versions {
            let root = &sources[&(version.package, version.name)];
            if let Err(problem) = check_one(variable, version, root) {
                wrong.push(format!("{} in {}: {problem:#}", variable.name, version.name));
            }
        }
    }
    Ok((wrong, variables.len()))
}

fn check_one(variable: &Variable, version: &Version, root: &Path) -> Result<()> {
    let read = |file: &str| fs::read_to_string(root.join(file)).with_context(|| format!("no file {file}"));
    let Variable { name, file, .. } = variable;
    ensure!(read(file)?.contains(name.as_str()), "{file} does not have it");
    if variable.project.versions[0].package != "rocm-hipamd" {
        return Ok(());
    }
    let declared = read(FLAGS)?;
    let found = default_in(&declared, name).with_context(|| format!("{FLAGS} does not declare it"))?;
    let said = default_of(&variable.default, version.name);
    ensure!(found.eq_ignore_ascii_case(said), "the default is {found}, the page has {said}");
    Ok(())
}

/// What `release(type, NAME, DEFAULT, ...)` has, as the page writes it.
pub fn default_in<'a>(declared: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = declared.split_once(&format!(", {name},"))?;
    Some(match rest.split(',').next()?.trim() {
        "true" => "1",
        "false" => "0",
        "\"\"" => "none",
        other => other,
    })
}

/// The part of `64; 32 in 5.7.1` that holds for `version`.
pub fn default_of<'a>(said: &'a str, version: &str) -> &'a str {
    let mut parts = said.split("; ");
    let first = parts.next().unwrap_or(said);
    parts.filter_map(|part| part.split_once(" in ")).find(|(_, of)| *of == version).map_or(first, |(value, _)| value)
}

/// ``| [`NAME`](link) | default | 6.4.3, 5.7.1 | what |``
fn variable(line: &str) -> Result<Variable> {
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    let ["", name, default, versions, what, ""] = cells[..] else { bail!("not the columns of the page") };
    ensure!(!what.is_empty(), "says nothing");
    let (name, link) = name.split_once("](").context("no link")?;
    let (project, file, versions) = project_and_versions(link.trim_end_matches(')'), versions)?;
    let name = name.trim_matches(['[', '`']).to_owned();
    Ok(Variable { name, default: default.to_owned(), project, file, versions })
}
