//! `cargo xtask docs --check`: the built site as a reader meets it.
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;

use super::browser;
use crate::vgpu;

/// Most bytes that opening a page may load.
const FIRST_LOAD: u64 = 1 << 20;

/// A recording as the viewer gives it to Perfetto.
pub struct ForPerfetto {
    /// `launch.trixie`.
    pub recording: String,
    pub bytes: Vec<u8>,
}

/// Looks for broken links and pages that load too much, then uses every page in headless Chromium. Gives a file that a
/// page made.
pub fn check(site: &Path) -> Result<ForPerfetto> {
    let mut pages = pages(site)?;
    let mut wrong = Vec::new();
    let mut links = 0;
    let mut largest = (0, PathBuf::new());
    for page in &pages {
        let text = read(page)?;
        for link in attributes(&text) {
            links += 1;
            if let Some(problem) = broken(page, &link)? {
                wrong.push(format!("{}: {link}: {problem}", page.display()));
            }
        }
        let size = first_load(page, &text)?;
        if size > FIRST_LOAD {
            wrong.push(format!("{} loads {size} bytes", page.display()));
        }
        largest = largest.max((size, page.clone()));
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!(
        "{} pages, {links} links; the largest first load is {} KiB, of {}",
        pages.len(),
        largest.0 >> 10,
        largest.1.display()
    );
    drawn_by_the_script()?;
    // What stands for a page that has moved has a link and nothing else.
    pages.retain(|page| !read(page).is_ok_and(|text| text.contains("http-equiv=\"refresh\"")));
    in_a_browser(site, &pages)
}

/// The committed pictures are those that their script draws.
fn drawn_by_the_script() -> Result<()> {
    let folder = vgpu::target_folder()?.join("pictures");
    let script = vgpu::root().join("docs/pictures.py");
    let status = Command::new("python3").arg(&script).arg(&folder).status().context("cannot start python3")?;
    ensure!(status.success(), "{} failed: {status}", script.display());
    let names = |folder: &Path| -> Result<BTreeSet<_>> {
        let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
        Ok(entries.flatten().map(|entry| entry.file_name()).collect())
    };
    let committed = vgpu::root().join("docs/src/pictures");
    ensure!(names(&committed)? == names(&folder)?, "docs/pictures.py draws other pictures than there are");
    for name in names(&folder)? {
        let same = read(&committed.join(&name))? == read(&folder.join(&name))?;
        ensure!(same, "run `python3 docs/pictures.py`: {} differs", name.display());
    }
    Ok(())
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The site's pages, without those that are parts of others or stand for missing ones.
fn pages(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut pages = super::files_below(folder, "html")?;
    pages.retain(|page| !["404.html", "toc.html"].iter().any(|name| page.ends_with(name)));
    Ok(pages)
}

/// What a page links to or loads.
fn attributes(text: &str) -> BTreeSet<String> {
    let values = ["href=\"", "src=\""].into_iter().flat_map(|name| text.split(name).skip(1));
    values.filter_map(|rest| Some(rest.split('"').next()?.replace("&amp;", "&"))).collect()
}

/// Why a link of `page` leads nowhere.
fn broken(page: &Path, link: &str) -> Result<Option<String>> {
    if link.starts_with("https://") || link.starts_with("http://") {
        return Ok(None);
    }
    let (path, fragment) = link.split_once('#').unwrap_or((link, ""));
    let target = if path.is_empty() { page.to_owned() } else { page.parent().unwrap_or(page).join(path) };
    if !target.is_file() {
        return Ok(Some("there is no such file".into()));
    }
    // The viewer's own addresses are checked against the recordings.
    if fragment.is_empty() || fragment.contains('=') || read(&target)?.contains(&format!("id=\"{fragment}\"")) {
        return Ok(None);
    }
    Ok(Some("the page has no such heading".into()))
}

/// Bytes of what a page loads when it is opened: itself, scripts, style sheets, all fonts, and its first recording.
fn first_load(page: &Path, text: &str) -> Result<u64> {
    let folder = page.parent().unwrap_or(page);
    let size = |path: &Path| fs::metadata(path).map_or(0, |metadata| metadata.len());
    let loaded = attributes(text);
    let loaded =
        loaded.iter().filter(|link| link.ends_with(".js") || link.ends_with(".css") || link.ends_with(".woff2"));
    let mut sum = size(page) + loaded.map(|link| size(&folder.join(link))).sum::<u64>();
    if let Some(place) = text.split("data-recording=\"").nth(1) {
        let name = place.split('"').next().unwrap_or_default();
        let stack = place
            .split("data-stacks=\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next()?.split(' ').next_back())
            .unwrap_or_default();
        let recording = folder.join("../recordings").join(format!("{name}.{stack}.js"));
        ensure!(recording.is_file(), "{} is missing", recording.display());
        sum += size(&recording);
    }
    Ok(sum)
}

/// Opens each page from its file, clicks and types, and fails at anything that the browser or the page complains about.
fn in_a_browser(site: &Path, pages: &[PathBuf]) -> Result<ForPerfetto> {
    let names: Vec<_> =
        pages.iter().filter_map(|page| Some(format!("site/{}", page.strip_prefix(site).ok()?.display()))).collect();
    let drawn = fs::read_dir(vgpu::root().join("docs/src/pictures")).context("cannot read docs/src/pictures")?;
    let mut pictures: Vec<_> =
        drawn.flatten().map(|entry| format!("site/pictures/{}", entry.file_name().display())).collect();
    pictures.sort();
    let script = read(&vgpu::root().join("docs/viewer/check.js"))?;
    let page = vgpu::target_folder()?.join("site-check.html");
    let text = format!(
        "<!doctype html><meta charset=\"utf-8\"><body><script>const pages = {}, pictures = {};\n{script}</script>",
        json!(names),
        json!(pictures)
    );
    fs::write(&page, text).with_context(|| format!("cannot write {}", page.display()))?;
    let opened = browser::open(&page.display().to_string())?;
    let result = opened.document.split_once("<pre id=\"result\">").and_then(|(_, rest)| rest.split("</pre>").next());
    let Some(result) = result else { bail!("the browser did not come to the end:\n{}", opened.messages) };
    let complaints = opened.messages.lines().filter(|line| line.contains("CONSOLE"));
    let wrong: Vec<_> = result.lines().filter(|line| !line.starts_with("done ")).chain(complaints).collect();
    ensure!(wrong.is_empty(), "in the browser:\n{}", wrong.join("\n"));
    println!("in the browser: {} checks on {} pages", result.trim().trim_start_matches("done "), names.len());
    for_perfetto(&opened.document).context("no page made a file for Perfetto")
}

/// What the script left in the document: the recording's name, and the file's bytes in hexadecimal.
fn for_perfetto(document: &str) -> Option<ForPerfetto> {
    let (recording, digits) =
        document.split_once("<pre id=\"perfetto\">")?.1.split_once("</pre>")?.0.split_once(' ')?;
    let byte = |at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    Some(ForPerfetto {
        recording: recording.into(),
        bytes: (0..digits.len()).step_by(2).map(byte).collect::<Option<_>>()?,
    })
}
