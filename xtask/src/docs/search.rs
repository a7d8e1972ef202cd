//! Makes the site's search find what somebody with a backtrace types: parts of names, files of sources, and events of
//! recordings.
//!
//! mdBook's index has words as they stand between blanks, so `VirtualGPU::submitKernel` is one. Its parts are added to
//! the same index, each event of a recording as a page of its own that leads into the viewer.
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use crate::record;

/// Words longer than this are nobody's query, and each character is a level of the index.
const LONGEST: usize = 80;

/// How often the title of an event counts as having the event's whole name, so that a search for it finds the recording
/// before the many pages that mention it.
const EXACT: u32 = 16;

/// Adds to the index of a site that mdBook has built.
pub fn extend(site: &Path, sources: &Path) -> Result<()> {
    let path = index_file(site)?;
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let (before, rest) = text.split_once("JSON.parse('").context("mdBook's search index has another form")?;
    let (quoted, after) = rest.rsplit_once("')").context("mdBook's search index has another form")?;
    let mut config: Value =
        serde_json::from_str(&unquote(quoted)).with_context(|| format!("cannot read {}", path.display()))?;
    add_parts(&mut config)?;
    add_events(&mut config, &events(sources)?)?;
    let text = format!("{before}JSON.parse('{}'){after}", quote(&config.to_string()));
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn index_file(site: &Path) -> Result<PathBuf> {
    let files = fs::read_dir(site).with_context(|| format!("cannot read {}", site.display()))?.flatten();
    let mut found: Vec<PathBuf> =
        files.map(|entry| entry.path()).filter(|path| path.to_string_lossy().contains("/searchindex-")).collect();
    // Those of earlier builds stay in the folder; mdBook has just written the newest.
    found.sort_by_key(|path| path.metadata().and_then(|metadata| metadata.modified()).ok());
    found.pop().context("mdBook wrote no search index")
}

/// The text of a literal of JavaScript in single quotes.
fn unquote(literal: &str) -> String {
    let mut text = String::with_capacity(literal.len());
    let mut characters = literal.chars();
    while let Some(character) = characters.next() {
        text.extend(if character == '\\' { characters.next() } else { Some(character) });
    }
    text
}

fn quote(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\'', "\\'")
}

/// The words by which a word of a page should be found besides itself: names between `::` and signs, names of files,
/// parts between `_`.
fn parts(word: &str) -> BTreeSet<String> {
    let is_of_a_name = |c: char| c == '_' || c == '.' || c.is_ascii_alphanumeric();
    let whole = word.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != '_').to_lowercase();
    let mut parts = BTreeSet::new();
    for name in whole.split(|c| !is_of_a_name(c)).map(|name| name.trim_matches('.')) {
        parts.insert(name.to_owned());
        for part in name.split('.') {
            parts.insert(part.to_owned());
            parts.extend(part.split('_').map(str::to_owned));
        }
    }
    parts.retain(|part| {
        (2..=LONGEST).contains(&part.len()) && *part != whole && part.contains(|c: char| c.is_ascii_alphabetic())
    });
    // The search cuts words of a query down to their stem, and finds what begins with it: but for this ending.
    let stems: Vec<_> = parts.iter().filter_map(|part| Some(format!("{}i", part.strip_suffix('y')?))).collect();
    parts.extend(stems);
    parts
}

fn add_parts(config: &mut Value) -> Result<()> {
    let documents = config["index"]["documentStore"]["docs"].as_object().context("the index has no documents")?;
    let mut found = BTreeMap::<(&str, String, String), u32>::new();
    for (id, document) in documents {
        for field in ["title", "body"] {
            for word in document[field].as_str().unwrap_or_default().split_whitespace() {
                for part in parts(word) {
                    *found.entry((field, part, id.clone())).or_default() += 1;
                }
            }
        }
    }
    for ((field, part, id), count) in found {
        insert(&mut config["index"]["index"][field]["root"], &part, &id, count);
    }
    Ok(())
}

/// Puts a word of a document into elasticlunr's tree, which has an object for each character.
fn insert(mut node: &mut Value, word: &str, id: &str, count: u32) {
    for character in word.chars() {
        let children = node.as_object_mut().expect("a node of the index is an object");
        node = children.entry(character.to_string()).or_insert_with(|| json!({ "docs": {}, "df": 0 }));
    }
    let documents = node["docs"].as_object_mut().expect("a node of the index has documents");
    let known = documents.get(id).map_or(0.0, |document| document["tf"].as_f64().unwrap_or(0.0).powi(2));
    documents.insert(id.to_owned(), json!({ "tf": (known + f64::from(count)).sqrt() }));
    node["df"] = json!(documents_of(node));
}

fn documents_of(node: &Value) -> usize {
    node["docs"].as_object().map_or(0, Map::len)
}

/// What is known of an event's name: the pages whose recordings have it, and the lines of sources that logged it.
#[derive(Default)]
struct Event {
    /// Path and title of the page; the first is where a search leads.
    pages: Vec<(String, String)>,
    sources: BTreeSet<String>,
}

/// The events of all recordings that pages show, by the first word of their name.
fn events(sources: &Path) -> Result<BTreeMap<String, Event>> {
    let read = |path: &Path| fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()));
    let summary = read(&sources.join("SUMMARY.md"))?;
    let pages = summary.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let mut events = BTreeMap::<String, Event>::new();
    for page in pages {
        let text = read(&sources.join(page))?;
        let Some(place) = text.split_once("<div class=\"recording\" ").map(|(_, rest)| rest) else { continue };
        let title = text.lines().next().unwrap_or_default().trim_start_matches("# ");
        let attribute = |name: &str| place.split_once(&format!("{name}=\""))?.1.split('"').next();
        let name = attribute("data-recording").with_context(|| format!("{page} names no recording"))?;
        for stack in attribute("data-stacks").unwrap_or_default().split(' ') {
            let recording = read(&record::folder().join(format!("{name}.{stack}.js")))?;
            for line in recording.lines().filter(|line| line.starts_with('{')) {
                let event: Value = serde_json::from_str(line.trim_end_matches(','))
                    .with_context(|| format!("the recording {name} of {stack}"))?;
                let word = event["n"].as_str().and_then(|name| name.split(' ').next()).unwrap_or_default();
                let known = events.entry(word.to_owned()).or_default();
                known.sources.extend(event["s"].as_str().map(str::to_owned));
                let page = (page.replace(".md", ".html"), title.to_owned());
                if !known.pages.contains(&page) {
                    known.pages.push(page);
                }
            }
        }
    }
    Ok(events)
}

fn add_events(config: &mut Value, events: &BTreeMap<String, Event>) -> Result<()> {
    for (word, event) in events {
        let Some((page, title)) = event.pages.first() else { continue };
        let addresses = config["doc_urls"].as_array_mut().context("the index has no addresses")?;
        let id = addresses.len().to_string();
        addresses.push(json!(format!("{page}#e={word}")));
        let titles: Vec<&str> = event.pages.iter().map(|(_, title)| title.as_str()).collect();
        let logged: Vec<&str> = event.sources.iter().map(String::as_str).collect();
        let body = format!(
            "{word}: an event of the recordings of {}.{}{}",
            titles.join(", "),
            if logged.is_empty() { "" } else { " Logged at " },
            logged.join(", ")
        );
        let breadcrumbs = format!("Recording: {title} » {word}");
        let store = &mut config["index"]["documentStore"];
        store["docs"][&id] = json!({ "id": id, "title": word, "body": body, "breadcrumbs": breadcrumbs });
        let words = |text: &str| text.split_whitespace().count();
        store["docInfo"][&id] = json!({ "title": 1, "body": words(&body), "breadcrumbs": words(&breadcrumbs) });
        store["length"] = json!(store["docs"].as_object().map_or(0, Map::len));
        for (field, text) in [("title", word.as_str()), ("body", &logged.join(" "))] {
            for whole in text.split_whitespace() {
                let mut all = parts(whole);
                all.insert(whole.to_lowercase());
                for part in all {
                    let count = if field == "title" && part == word.to_lowercase() { EXACT } else { 1 };
                    insert(&mut config["index"]["index"][field]["root"], &part, &id, count);
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found_by(word: &str) -> Vec<String> {
        parts(word).into_iter().collect()
    }

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(found_by("`VirtualGPU::submitKernel`,"), ["submitkernel", "virtualgpu"]);
        assert_eq!(
            found_by("hipamd/src/hip_module.cpp:744"),
            ["cpp", "hip", "hip_module", "hip_module.cpp", "hipamd", "module", "src"]
        );
        assert_eq!(found_by("Runtime::AsyncEventsLoop(void*)"), ["asynceventsloop", "runtime", "void"]);
        assert_eq!(found_by("(plain)"), [""; 0]);
        assert_eq!(found_by("copy_memory"), ["copi", "copy", "memori", "memory"]);
    }

    #[test]
    fn literals_come_back() {
        let text = r#"{"a":"it's \"so\" \\ here"}"#;
        assert_eq!(unquote(&quote(text)), text);
    }
}
