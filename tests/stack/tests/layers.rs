//! The names on the site's pages about AMD's layers (`docs/src/stack`), in AMD's libraries themselves.
use std::fs;
use std::path::Path;

use stack_tests::{Stack, stack};

/// Pages with tables of names, and the libraries that have them.
const PAGES: [(&str, &[&str]); 5] = [
    ("hip", &["libamdhip64.so"]),
    ("opencl", &["libamdocl64.so"]),
    ("rocclr", &["libamdhip64.so", "libamdocl64.so"]),
    ("rocr", &["libhsa-runtime64.so"]),
    ("thunk", &["libhsakmt.so", "libhsa-runtime64.so"]),
];
/// Marks what no library keeps.
const READ_IN_THE_SOURCE: char = '†';

/// A row of a page's table.
struct Row {
    names: Vec<String>,
    file: String,
    /// Whether the names, and whether the file, are to be found.
    checked: [bool; 2],
}

/// The words between backticks.
fn quoted(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The rows of tables of names that hold for `stack`.
fn rows(page: &str, stack: &str) -> Vec<Row> {
    let path = stack_tests::package().join("../../docs/src/stack").join(format!("{page}.md"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut rows = Vec::new();
    let mut of_names = false;
    for line in text.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        of_names = match cells[..] {
            ["", "name", "source file", ..] => true,
            ["", ..] if of_names && line.starts_with('|') => true,
            _ => false,
        };
        let ["", name, file, ..] = cells[..] else { continue };
        let names = quoted(name);
        let only = name.split_once('(').map(|(_, stacks)| stacks);
        if !of_names || names.is_empty() || only.is_some_and(|stacks| !stacks.contains(stack)) {
            continue;
        }
        let checked = [name, file].map(|cell| !cell.contains(READ_IN_THE_SOURCE));
        rows.push(Row { names, file: quoted(file).concat(), checked });
    }
    rows
}

/// The texts in a library, with a zero before and behind each: of the file in the loader's folder whose name begins so.
fn library(name: &str) -> Option<String> {
    let folder = Path::new("/usr/lib/x86_64-linux-gnu");
    let mut found: Vec<_> =
        fs::read_dir(folder).expect("the libraries' folder").flatten().map(|entry| entry.path()).collect();
    found
        .retain(|path| path.file_name().is_some_and(|file| file.to_string_lossy().starts_with(name)) && path.is_file());
    let bytes = fs::read(found.first()?).expect("the library can be read");
    let texts = bytes.split(|byte| !matches!(byte, b' '..=b'~')).filter(|text| text.len() > 3);
    Some(texts.map(|text| String::from_utf8_lossy(text) + "\0").fold("\0".to_owned(), |all, text| all + &text))
}

/// Whether a library keeps `name`: as an exported function, in the text of an assertion, or as the name of a type.
fn has_name(library: &str, name: &str) -> bool {
    let Some((_, last)) = name.rsplit_once("::") else {
        return library.contains(&format!("\0{name}\0")) || library.contains(&format!("{name}("));
    };
    // In the text of an assertion, as the function's own name or as the class of another; as a type, with the length of
    // its name before it.
    let of_assertions =
        [" ", "\0"].into_iter().flat_map(|before| ["(", "::", "<"].map(|after| format!("{before}{name}{after}")));
    let of_types = format!("{}{last}E\0", last.len());
    of_assertions.chain([of_types]).any(|text| library.contains(&text))
}

#[test]
fn l1_names_on_the_pages_are_in_the_libraries() {
    let stack = match stack() {
        Stack::Trixie => "trixie",
        Stack::Forky => "forky",
        Stack::Experimental => "experimental",
        Stack::Native | Stack::Host => test_skip::skip!("the pages are about the stacks that are trees"),
    };
    let mut missing = Vec::new();
    for (page, names) in PAGES {
        let libraries: Vec<_> = names.iter().filter_map(|name| library(name)).collect();
        assert!(!libraries.is_empty(), "none of {names:?} is here");
        let has = |found: &dyn Fn(&str) -> bool| libraries.iter().any(|library| found(library));
        let mut checked = 0;
        for row in rows(page, stack) {
            let [names, file] = row.checked;
            for name in row.names.iter().filter(|_| names) {
                checked += 1;
                if !has(&|library| has_name(library, name)) {
                    missing.push(format!("{page}: {name}"));
                }
            }
            if file && !has(&|library| library.contains(&format!("{}\0", row.file))) {
                missing.push(format!("{page}: {}", row.file));
            }
        }
        // The thunk is a library of its own in trixie only.
        assert!(checked > 3 || (page == "thunk" && stack != "trixie"), "{page} names next to nothing");
    }
    assert!(missing.is_empty(), "not in this stack's libraries:\n{}", missing.join("\n"));
}

#[test]
fn names_that_do_not_exist_are_not_found() {
    // A library as the check sees it: exported names, an assertion, the name of a type.
    let library = "\0hipMalloc\0\0virtual void rocr::AMD::AqlQueue::Suspend()\0N3amd3roc10VirtualGPUE\0hipamd/src/hip_memory.cpp\0";
    for name in ["hipMalloc", "rocr::AMD::AqlQueue::Suspend", "rocr::AMD::AqlQueue", "roc::VirtualGPU"] {
        assert!(has_name(library, name), "{name}");
    }
    for name in ["hipMall", "Malloc", "rocr::AMD::AqlQueue::Resume", "rocr::AMD::Queue", "roc::VirtualG", "roc::GPU"] {
        assert!(!has_name(library, name), "{name}");
    }
}
