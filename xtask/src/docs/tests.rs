//! What the pages say about the tests, against the sources.
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use clap::CommandFactory;

use crate::test::{PAGES, claims};
use crate::vgpu;

/// The tests that the tables of a page name, but for beginnings of several.
fn named(page: &str) -> BTreeSet<String> {
    let path = vgpu::root().join("docs/src").join(page);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    claims(&text).into_iter().flat_map(|claim| claim.tests).filter(|test| !test.ends_with("...")).collect()
}

/// Functions under `#[test]` in the Rust files of a folder.
fn tests_in(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("the project's folders can be read").flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_dir() && name != "target" && !name.to_string_lossy().starts_with('.') {
            tests_in(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("the project's sources can be read");
            found.extend(text.split("#[test]\n").skip(1).filter_map(first_function));
        }
    }
}

/// The name of the function that `text` begins with, after attributes.
fn first_function(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim_start).find(|line| !line.starts_with("#["))?;
    Some(line.strip_prefix("fn ")?.split('(').next()?.to_owned())
}

#[test]
fn tests_that_the_pages_name_exist() {
    let mut tests = BTreeSet::new();
    tests_in(vgpu::root(), &mut tests);
    for (page, _) in PAGES {
        let named = named(page);
        assert!(!named.is_empty(), "{page} names no test");
        let missing: Vec<_> = named.difference(&tests).collect();
        assert!(missing.is_empty(), "{page} names tests that do not exist: {missing:?}");
    }
}

/// The functions that a column `test` of the tables of a page names.
fn in_columns_of_tests(page: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(vgpu::root().join("docs/src").join(page)).expect("the page can be read");
    let mut found = BTreeSet::new();
    let mut column = None;
    for line in text.lines() {
        let Some(row) = line.strip_prefix('|') else {
            column = None;
            continue;
        };
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        let Some(column) = column else {
            column = Some(cells.iter().position(|cell| *cell == "test"));
            continue;
        };
        let names = column
            .and_then(|column: usize| cells.get(column))
            .into_iter()
            .flat_map(|cell| cell.split('`').skip(1).step_by(2));
        found.extend(names.filter(|name| name.contains('_') && !name.starts_with('-')).map(str::to_owned));
    }
    found
}

#[test]
fn tests_that_the_tables_of_hardware_and_caches_name_exist() {
    let mut tests = BTreeSet::new();
    tests_in(vgpu::root(), &mut tests);
    for page in ["notes/hardware.md", "tools/caches.md"] {
        let named = in_columns_of_tests(page);
        assert!(named.len() > 9, "{page} names few tests: {named:?}");
        let missing: Vec<_> = named.difference(&tests).collect();
        assert!(missing.is_empty(), "{page} names tests that do not exist: {missing:?}");
    }
}

#[test]
fn every_test_of_a_scenario_is_in_the_table() {
    let mut tests = BTreeSet::new();
    tests_in(&vgpu::root().join("tests/stack/tests"), &mut tests);
    // `m13_...`: one letter and a number.
    let of_a_scenario = |test: &String| {
        let id = test.split('_').next().unwrap_or_default().as_bytes();
        matches!(id, [letter, number @ ..] if letter.is_ascii_lowercase() && !number.is_empty() && number.iter().all(u8::is_ascii_digit))
    };
    tests.retain(of_a_scenario);
    assert!(!tests.is_empty());
    let named = named("scenarios.md");
    let missing: Vec<_> = tests.difference(&named).collect();
    assert!(missing.is_empty(), "scenarios.md does not name {missing:?}");
}

/// The files below a folder whose name ends so.
fn texts(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("the project's folders can be read").flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_dir() && name != "target" && !name.to_string_lossy().starts_with('.') {
            texts(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push((
                path.display().to_string(),
                fs::read_to_string(&path).expect("the project's pages can be read"),
            ));
        }
    }
}

/// The words of the project's commands in a text, without what is for others.
fn commands(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let commands = text.lines().flat_map(|line| line.split("cargo xtask ").skip(1));
    commands.map(|rest| {
        let own = rest.split(['`', '#']).next().and_then(|rest| rest.split(" -- ").next()).unwrap_or_default();
        own.split_whitespace().collect()
    })
}

#[test]
fn commands_on_the_pages_have_the_options_that_are_named() {
    let xtask = crate::Cli::command();
    let mut pages = Vec::new();
    texts(vgpu::root(), &mut pages);
    let mut checked = 0;
    for (page, text) in &pages {
        for words in commands(text) {
            let [name, rest @ ..] = &words[..] else { continue };
            let command =
                xtask.find_subcommand(name).unwrap_or_else(|| panic!("{page}: there is no `cargo xtask {name}`"));
            // `kfdtest` of `suites kfdtest`.
            let command = rest.first().and_then(|word| command.find_subcommand(word)).unwrap_or(command);
            for option in rest.iter().filter_map(|word| word.strip_prefix("--")) {
                let option = option.split_once('=').map_or(option, |(option, _)| option);
                let known = command.get_arguments().any(|argument| argument.get_long() == Some(option));
                assert!(known, "{page}: `cargo xtask {}` has no `--{option}`", command.get_name());
            }
            checked += 1;
        }
    }
    assert!(checked > 50, "only {checked} commands");
}

/// The README's lines of code are those of the documentation's example, which is compiled.
#[test]
fn the_readmes_example_is_compiled() {
    let read = |path: &str| fs::read_to_string(vgpu::root().join(path)).expect("the project's files can be read");
    let (readme, source) = (read("README.md"), read("crates/rocm-interop/src/lib.rs"));
    let compiled: BTreeSet<&str> = source.lines().filter_map(|line| line.strip_prefix("//! ")).collect();
    let example = readme.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let lines: Vec<&str> = example.lines().collect();
    assert_eq!(lines.len(), 10);
    let missing: Vec<_> = lines.iter().filter(|line| !compiled.contains(*line)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// The action's inputs, with their defaults.
fn inputs(action: &str) -> Vec<(&str, &str)> {
    let block = action.split("inputs:\n").nth(1).and_then(|rest| rest.split("\nruns:").next()).unwrap_or("");
    let mut inputs: Vec<(&str, &str)> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("    default: "), line.strip_prefix("  ").and_then(|line| line.strip_suffix(':'))) {
            (Some(default), _) => inputs.last_mut().expect("an input").1 = default.trim_matches('"'),
            (None, Some(name)) if !name.starts_with(' ') => inputs.push((name, "")),
            _ => {}
        }
    }
    inputs
}

/// The action, its script, the page and the workflow, which uses it itself, say the same.
#[test]
fn the_action_has_the_inputs_that_the_page_tells() {
    let read = |path: &str| fs::read_to_string(vgpu::root().join(path)).expect("a file of the project");
    let (action, script) = (read(".github/actions/vgpu/action.yml"), read(".github/actions/vgpu/run.sh"));
    let (page, workflow) = (read("docs/src/tools/ci.md"), read(".github/workflows/ci.yml"));
    assert!(action.contains("$GITHUB_ACTION_PATH/run.sh"), "the action runs the script");
    let inputs = inputs(&action);
    assert_eq!(inputs.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["run", "options", "packages"]);
    for (name, default) in &inputs {
        let variable = format!("VGPU_{}", name.to_uppercase());
        assert!(action.contains(&format!("{variable}: ${{{{ inputs.{name} }}}}\n")), "{name} is handed on");
        assert!(script.contains(&variable) && page.contains(&variable), "{variable}");
        let default = if default.is_empty() { "none".to_owned() } else { format!("`{default}`") };
        assert!(page.contains(&format!("| `{name}` | {default} |")), "{name}: {default}");
    }
    // What is given where the action is used, in the page's example and here.
    for (place, text) in [("page", &page), ("workflow", &workflow)] {
        let used = text.split("/.github/actions/vgpu").nth(1).expect(place);
        let given = used.lines().skip(2).take_while(|line| line.starts_with("          "));
        let given: Vec<_> = given.filter_map(|line| line.trim().split(':').next()).collect();
        assert!(given.contains(&"run"), "{place}: {given:?}");
        assert!(given.iter().all(|name| inputs.iter().any(|(input, _)| input == name)), "{place}: {given:?}");
    }
}
