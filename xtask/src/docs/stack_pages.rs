//! What the pages about AMD's stack say, against the kernel's header, the bindings and the recordings. Names inside
//! AMD's libraries are looked for in the libraries themselves, by the stack tests.
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{record, vgpu};

/// A recording that is committed.
pub struct Recorded {
    pub name: String,
    pub stack: String,
    text: String,
}

pub fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|found| found == extension));
    files.sort();
    files
}

/// The pages that explain AMD's stack, by their path in docs/src, but for the chains, whose names `cargo xtask chains`
/// checks.
fn pages() -> BTreeMap<String, String> {
    pages_in(&["stack", "happens", "journey"])
}

fn pages_in(folders: &[&str]) -> BTreeMap<String, String> {
    let folders: Vec<_> = folders.iter().map(|folder| vgpu::root().join("docs/src").join(folder)).collect();
    let pages = folders.iter().flat_map(|folder| files(folder, "md"));
    let name = |path: &Path| path.strip_prefix(vgpu::root().join("docs/src")).expect("a page").display().to_string();
    pages.map(|path| (name(&path), read(&path))).collect()
}

pub fn recordings() -> Vec<Recorded> {
    let part = |path: &Path, number| path.file_name()?.to_str()?.split('.').nth(number).map(str::to_owned);
    let recording = |path: PathBuf| Recorded {
        name: part(&path, 0).expect("NAME.STACK.js"),
        stack: part(&path, 1).expect("NAME.STACK.js"),
        text: read(&path),
    };
    files(&record::folder(), "js").into_iter().map(recording).collect()
}

impl Recorded {
    pub fn events(&self) -> Vec<Value> {
        let lines = self.text.lines().filter(|line| line.starts_with('{'));
        lines.map(|line| serde_json::from_str(line.trim_end_matches(',')).expect("an event is JSON")).collect()
    }
}

/// The words between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with("```")).flat_map(|line| line.split('`').skip(1).step_by(2))
}

fn bindings(package: &str) -> String {
    let files = files(&vgpu::root().join("crates").join(package).join("src"), "rs");
    files
        .iter()
        .filter(|path| path.ends_with("bindings.rs") || path.ends_with("bindings_functions.rs"))
        .map(|path| read(path))
        .collect()
}

/// Whether `text` has `name` as a whole word.
fn has_word(text: &str, name: &str) -> bool {
    let of_a_name = |c: char| c == '_' || c.is_ascii_alphanumeric();
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(of_a_name) && !text[at + name.len()..].starts_with(of_a_name))
}

#[test]
fn functions_structures_and_requests_on_the_pages_exist() {
    let [kfd, hip, hsa, cl] = ["kfd-sys", "hip-sys", "hsa-sys", "cl-sys"].map(bindings);
    let mut checked = 0;
    for (page, text) in pages() {
        for word in quoted(&text) {
            let is_name = !word.is_empty() && word.chars().all(|c| c == '_' || c.is_ascii_alphanumeric());
            let source = match word {
                // The headers have these as macros with a cast, which bindings have not.
                "hipStreamPerThread" | "hipStreamLegacy" => continue,
                _ if !is_name => continue,
                _ if word.starts_with("AMDKFD_IOC_") || word.starts_with("KFD_IOC_") => &kfd,
                _ if word.starts_with("kfd_ioctl_") && word.ends_with("_args") => &kfd,
                _ if word.starts_with("hsa_") || word.starts_with("HSA_STATUS") || word.starts_with("HSA_WAIT") => &hsa,
                _ if word.starts_with("amd_") && word.ends_with("_t") => &hsa,
                _ if word.starts_with("hip") && word[3..].starts_with(|c: char| c.is_ascii_uppercase()) => &hip,
                _ if word.starts_with("cl") && word[2..].starts_with(|c: char| c.is_ascii_uppercase()) => &cl,
                _ => continue,
            };
            assert!(has_word(source, word), "{page} names `{word}`, which the headers do not have");
            checked += 1;
        }
    }
    assert!(checked > 100, "only {checked} names");
}

#[test]
fn numbers_of_requests_are_the_headers() {
    let kfd = bindings("kfd-sys");
    let page = read(&vgpu::root().join("docs/src/stack/driver.md"));
    let mut checked = 0;
    for line in page.lines().filter(|line| line.starts_with("| `AMDKFD_IOC_")) {
        let cells: Vec<&str> = line.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        let [_, request, value, ..] = cells[..] else { panic!("{line}") };
        let (number, structure) = value.split_once(" `").expect(line);
        let declared =
            kfd.lines().find_map(|line| line.trim().strip_prefix(&format!("{request} = 0x"))).expect(request);
        let (code, rest) = declared.split_once(',').expect(declared);
        assert_eq!(format!("0x{}", &code[code.len() - 2..]), number, "{request}");
        assert!(has_word(rest, structure), "{request} takes {rest}, not {structure}");
        checked += 1;
    }
    assert_eq!(checked, page.matches("`AMDKFD_IOC_").count(), "each request of the page is a row");
}

#[test]
fn the_viewer_has_the_headers_numbers() {
    let kfd = bindings("kfd-sys");
    let glossary = read(&vgpu::root().join("docs/viewer/glossary.js"));
    let value = |constant: &str| -> u32 {
        let line = kfd.lines().find_map(|line| line.strip_prefix(&format!("pub const {constant}: u32 = ")));
        line.and_then(|line| line.trim_end_matches(';').parse().ok()).unwrap_or_else(|| panic!("{constant}"))
    };
    for (object, prefix, is_bit) in [
        ("memoryFlags", "KFD_IOC_ALLOC_MEM_FLAGS_", true),
        ("queueTypes", "KFD_IOC_QUEUE_TYPE_", false),
        ("eventTypes", "KFD_IOC_EVENT_", false),
    ] {
        let body =
            glossary.split_once(&format!("const {object} = {{")).expect(object).1.split_once('}').expect("its end").0;
        let entries: Vec<_> = body.split(',').map(str::trim).filter(|entry| !entry.is_empty()).collect();
        assert!(entries.len() > 2, "{object}");
        for entry in entries {
            let (number, name) = entry.split_once(':').expect(entry);
            let number: u32 = number.trim().parse().expect(entry);
            let expected = value(&format!("{prefix}{}", name.trim().trim_matches('"')));
            assert_eq!(if is_bit { 1 << number } else { number }, expected, "{name}");
        }
    }
}

#[test]
fn lines_of_sources_on_the_pages_were_logged() {
    let recordings = recordings();
    let mut checked = 0;
    for (page, text) in pages() {
        for word in quoted(&text) {
            let Some((file, line)) = word.split_once(':') else { continue };
            if line.parse::<u32>().is_err() || !file.contains('.') {
                continue;
            }
            let logged = recordings.iter().any(|recording| recording.text.contains(&format!("\"{word}\"")));
            assert!(logged, "{page} names {word}, which no recording has");
            checked += 1;
        }
    }
    assert!(checked > 5, "only {checked} lines");
}

#[test]
fn pages_and_recordings_belong_together() {
    let recordings = recordings();
    let pages = pages();
    let there: BTreeSet<_> =
        recordings.iter().map(|recording| (recording.name.as_str(), recording.stack.as_str())).collect();
    let mut shown = BTreeSet::new();
    for (page, text) in &pages {
        for place in text.split("<div class=\"recording\" ").skip(1) {
            let attribute = |name: &str| {
                place.split_once(&format!("{name}=\"")).and_then(|(_, rest)| rest.split('"').next()).expect(name)
            };
            let name = attribute("data-recording");
            for stack in attribute("data-stacks").split(' ') {
                assert!(there.contains(&(name, stack)), "{page} shows {name} of {stack}, which is not recorded");
                shown.insert((name, stack));
            }
        }
    }
    let unused: Vec<_> = there.difference(&shown).collect();
    assert!(unused.is_empty(), "no page shows {unused:?}");
    for recording in &recordings {
        assert!(!recording.text.contains("\"HIP\":\"\""), "{} of {} has no version", recording.name, recording.stack);
    }
    let known: BTreeSet<_> = record::names().collect();
    assert!(there.iter().all(|(name, _)| known.contains(name)), "`cargo xtask record` makes all of {there:?}");
}

/// `kernel_dispatch` of `kernel_dispatch _Z3addPff`.
pub fn first_word(event: &Value) -> &str {
    event["n"].as_str().and_then(|name| name.split(' ').next()).expect("an event has a name")
}

#[test]
fn links_to_events_lead_to_one_in_every_version() {
    let recordings = recordings();
    let mut checked = 0;
    for (page, text) in pages_in(&["stack", "happens", "chains", "journey"]) {
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let Some((target, event)) = link.split_once("#e=") else { continue };
            let own = page.rsplit_once('/').map_or("", |(_, file)| file);
            let target = if target.is_empty() { own } else { target.rsplit('/').next().unwrap_or(target) };
            let target = &pages()[&format!("happens/{target}")];
            let name = target
                .split_once("data-recording=\"")
                .and_then(|(_, rest)| rest.split('"').next())
                .expect("a recording");
            let (what, nth) = match event.rsplit_once('.') {
                Some((what, nth)) if nth.parse::<usize>().is_ok() => (what, nth.parse().unwrap_or(1)),
                _ => (event, 1),
            };
            for recording in recordings.iter().filter(|recording| recording.name == name) {
                let found = recording.events().iter().filter(|event| first_word(event) == what).count();
                assert!(found >= nth, "{page} links to {event}, which {name} of {} does not have", recording.stack);
            }
            checked += 1;
        }
    }
    assert!(checked > 5, "only {checked} links");
}

/// What is named where in a structure of AMD's headers: field, offset, bytes.
macro_rules! fields {
    ($structure:path: $($field:ident),+ $(,)?) => {{
        let value = std::mem::MaybeUninit::<$structure>::zeroed();
        // SAFETY: the structures are of integers and pointers, for which zero is a value.
        let value = unsafe { value.assume_init_ref() };
        BTreeMap::from([$((
            stringify!($field).to_owned(),
            (std::mem::offset_of!($structure, $field), std::mem::size_of_val(&value.$field)),
        )),+])
    }};
}

/// The fields that a picture places.
fn drawn(picture: &str) -> BTreeMap<String, (usize, usize)> {
    let text = read(&vgpu::root().join("docs/src/pictures").join(picture));
    let fields = text.split("data-field=\"").skip(1).map(|rest| {
        let attribute = |name: &str| {
            let (_, rest) = rest.split_once(&format!("{name}=\"")).expect(name);
            rest.split('"').next().and_then(|value| value.parse().ok()).expect(name)
        };
        (rest.split('"').next().expect("a name").to_owned(), (attribute("data-offset"), attribute("data-bytes")))
    });
    fields.collect()
}

#[test]
fn pictures_place_fields_where_the_headers_do() {
    let packet = fields!(hsa_sys::hsa_kernel_dispatch_packet_s: header, setup, workgroup_size_x, workgroup_size_y,
        workgroup_size_z, reserved0, grid_size_x, grid_size_y, grid_size_z, private_segment_size, group_segment_size,
        kernel_object, kernarg_address, reserved2, completion_signal);
    assert_eq!(drawn("packet.svg"), packet);
    assert_eq!(size_of::<hsa_sys::hsa_kernel_dispatch_packet_s>(), 64);

    let mut signal = fields!(hsa_sys::amd_signal_s: kind, event_mailbox_ptr, event_id, start_ts, end_ts);
    // A union in the header.
    signal.insert("value".into(), (std::mem::offset_of!(hsa_sys::amd_signal_s, __bindgen_anon_1), 8));
    assert_eq!(drawn("signal.svg"), signal);
    assert_eq!(size_of::<hsa_sys::amd_signal_s>(), 64);

    let queue = fields!(hsa_sys::amd_queue_s: write_dispatch_id, read_dispatch_id);
    let picture = read(&vgpu::root().join("docs/src/pictures/queue.svg"));
    for (field, (offset, _)) in queue {
        assert!(picture.contains(&format!("{field} at {offset:#x}")), "{field} is at {offset:#x}");
    }
}
