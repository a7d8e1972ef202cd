//! `cargo xtask wrap`: comments of Rust files, at most 120 columns wide.
//!
//! rustfmt does this too (`wrap_comments`, `comment_width`), but only the one of nightly Rust.
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::vgpu;

/// The width of `rustfmt.toml`.
const WIDTH: usize = 120;

/// The first line of files that a program writes.
const GENERATED: &str = "// Written by `cargo xtask ";

/// Wraps comments and documentation of all Rust files at 120 columns.
///
/// Only paragraphs with a longer line change. Tables, headings, code and generated files stay as they are.
#[derive(clap::Args)]
pub struct Args {
    /// Change nothing: print the lines that are too long, and fail if there are any
    #[arg(long)]
    check: bool,

    /// Only files below these folders, or these files
    paths: Vec<PathBuf>,
}

/// Runs the command line.
pub fn main(Args { check, paths }: Args) -> Result<()> {
    let mut too_long = 0;
    for path in rust_files(&paths)? {
        let file = vgpu::root().join(&path);
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let wrapped = wrap(&text);
        if wrapped == text {
            continue;
        }
        if check {
            for line in long_lines(&text) {
                println!("{}:{line}: a comment of more than {WIDTH} columns", path.display());
                too_long += 1;
            }
        } else {
            fs::write(&file, wrapped).with_context(|| format!("cannot write {}", file.display()))?;
        }
    }
    ensure!(too_long == 0, "{too_long} comments are too wide: `cargo xtask wrap` wraps them");
    Ok(())
}

/// The Rust files that git has or would add, from the root of the project.
fn rust_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut git = Command::new("git");
    git.current_dir(vgpu::root()).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"]);
    if paths.is_empty() {
        git.arg("*.rs");
    } else {
        git.args(paths);
    }
    let output = git.output().context("cannot start git")?;
    ensure!(output.status.success(), "git: {}", String::from_utf8_lossy(&output.stderr));
    let names = String::from_utf8(output.stdout).context("names of files that are not UTF-8")?;
    let files = names.split('\0').map(PathBuf::from);
    Ok(files
        .filter(|file| file.extension().is_some_and(|its| its == "rs") && vgpu::root().join(file).exists())
        .collect())
}

/// The numbers of the lines that [`wrap`] would break.
fn long_lines(text: &str) -> Vec<usize> {
    let blocks = Block::all(text);
    let mut lines = Vec::new();
    for block in &blocks {
        let mut line = block.line;
        for part in block.parts() {
            if let Part::Words { .. } = part {
                lines.extend((line..).zip(part.lines()).filter(|(_, text)| block.is_too_wide(text)).map(|(at, _)| at));
            }
            line += part.lines().len();
        }
    }
    lines
}

/// A file with each paragraph of its comments wrapped that has a line wider than [`WIDTH`].
fn wrap(text: &str) -> String {
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    // From the last one on, so that the lines of those before stay where they are.
    for block in Block::all(text).iter().rev() {
        let wrapped: Vec<String> = block.parts().iter().flat_map(|part| block.wrapped(part)).collect();
        let begin = block.line - 1;
        lines.splice(begin..begin + block.texts.len(), wrapped);
    }
    lines.join("\n")
}

/// Lines that are nothing but comments of one kind, one below the other.
struct Block<'a> {
    /// The number of the first line, from 1.
    line: usize,
    /// What each line begins with: blanks, and `//`, `///` or `//!`.
    prefix: &'a str,
    /// The lines without it.
    texts: Vec<&'a str>,
}

/// Lines of a comment that are wrapped together, or that stay as they are.
enum Part<'a> {
    /// A paragraph, or an item of a list, whose further lines are indented by so many blanks.
    Words { lines: Vec<&'a str>, indent: usize },
    /// Tables, headings, code, definitions of links, empty lines.
    Kept(Vec<&'a str>),
}

impl Part<'_> {
    fn lines(&self) -> &[&str] {
        match self {
            Self::Words { lines, .. } | Self::Kept(lines) => lines,
        }
    }
}

impl<'a> Block<'a> {
    /// The comments of a file that stand on lines of their own. Generated files have none.
    fn all(text: &'a str) -> Vec<Block<'a>> {
        let mut blocks: Vec<Block<'a>> = Vec::new();
        if text.starts_with(GENERATED) {
            return blocks;
        }
        let is_in_literal = begins_in_literal(text);
        for (number, line) in (1..).zip(text.split('\n')) {
            let code = line.trim_start();
            let Some(after) = code.strip_prefix("//").filter(|_| !is_in_literal[number - 1]) else { continue };
            let marker =
                if after.starts_with('/') && !after.starts_with("//") || after.starts_with('!') { 3 } else { 2 };
            let (prefix, words) = line.split_at(line.len() - code.len() + marker);
            match blocks.last_mut() {
                Some(block) if block.prefix == prefix && block.line + block.texts.len() == number => {
                    block.texts.push(words);
                }
                _ => blocks.push(Block { line: number, prefix, texts: vec![words] }),
            }
        }
        blocks
    }

    fn is_too_wide(&self, text: &str) -> bool {
        self.prefix.chars().count() + text.chars().count() > WIDTH
    }

    /// The paragraphs and what is between them.
    fn parts(&self) -> Vec<Part<'a>> {
        let mut parts: Vec<Part<'a>> = Vec::new();
        let mut is_code = false;
        let mut begins = true;
        for &text in &self.texts {
            let words = text.trim_start();
            let is_fence = words.starts_with("```");
            let is_indented_code = text.starts_with("     ") && begins;
            let is_definition = words.starts_with('[') && words.contains("]: ");
            let is_markup = words.is_empty() || words.starts_with(['|', '#', '<']) || is_definition;
            if is_fence || is_code || is_indented_code || is_markup {
                is_code ^= is_fence;
                begins = true;
                match parts.last_mut() {
                    Some(Part::Kept(lines)) => lines.push(text),
                    _ => parts.push(Part::Kept(vec![text])),
                }
                continue;
            }
            let bullet = bullet(words);
            match parts.last_mut() {
                Some(Part::Words { lines, .. }) if !begins && bullet == 0 => lines.push(text),
                _ => {
                    let indent = text.len() - words.len() + bullet;
                    parts.push(Part::Words { lines: vec![text], indent });
                }
            }
            begins = false;
        }
        parts
    }

    /// The lines of a part, as they are to be.
    fn wrapped(&self, part: &Part<'_>) -> Vec<String> {
        let kept = || part.lines().iter().map(|text| format!("{}{text}", self.prefix)).collect();
        let Part::Words { lines, indent } = part else { return kept() };
        if !lines.iter().any(|text| self.is_too_wide(text)) {
            return kept();
        }
        let first = &lines[0][..lines[0].len() - lines[0].trim_start().len()];
        let mut wrapped = Vec::new();
        let mut line = format!("{}{first}", self.prefix);
        let mut is_empty = true;
        for word in lines.iter().flat_map(|text| text.split_whitespace()) {
            // A line that begins so would be an item of a list, a heading or a table.
            let may_begin = bullet(&format!("{word} ")) == 0 && !word.starts_with(['|', '#', '>', '<', '=']);
            if !is_empty && may_begin && line.chars().count() + 1 + word.chars().count() > WIDTH {
                wrapped.push(line);
                line = format!("{}{}", self.prefix, " ".repeat(*indent));
                is_empty = true;
            }
            if !is_empty {
                line.push(' ');
            }
            line += word;
            is_empty = false;
        }
        wrapped.push(line);
        wrapped
    }
}

/// The length of what makes a line an item of a list, with the blank after it; 0 if it is none.
fn bullet(words: &str) -> usize {
    if words.starts_with("- ") || words.starts_with("* ") || words.starts_with("+ ") {
        return 2;
    }
    let digits = words.len() - words.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let is_numbered =
        (1..=3).contains(&digits) && (words[digits..].starts_with(". ") || words[digits..].starts_with(") "));
    if is_numbered { digits + 2 } else { 0 }
}

/// Whether each line of a Rust file begins in a string or in a comment of the form `/* */`.
fn begins_in_literal(text: &str) -> Vec<bool> {
    let bytes = text.as_bytes();
    let mut lines = vec![false];
    let mut at = 0;
    // Goes on to `end`, through lines that begin inside.
    let skip = |from: usize, end: usize, lines: &mut Vec<bool>, inside: bool| {
        lines.extend(bytes[from..end].iter().filter(|byte| **byte == b'\n').map(|_| inside));
        end
    };
    while at < bytes.len() {
        let rest = &text[at..];
        let end = if rest.starts_with("//") {
            at + rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            let end = at + block_comment(rest);
            at = skip(at, end, &mut lines, true);
            continue;
        } else if let Some(length) = string(rest, at.checked_sub(1).map(|before| bytes[before])) {
            at = skip(at, at + length, &mut lines, true);
            continue;
        } else {
            at + character(rest)
        };
        at = skip(at, end, &mut lines, false);
    }
    lines
}

/// The length of a comment of the form `/* */`, which nests.
fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        if rest[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}

/// The length of a string that begins here, raw or not; `before` is the byte in front of it.
fn string(rest: &str, before: Option<u8>) -> Option<usize> {
    if let Some(body) = rest.strip_prefix('"') {
        let mut is_escaped = false;
        for (at, letter) in body.char_indices() {
            match letter {
                '"' if !is_escaped => return Some(at + 2),
                _ => is_escaped = letter == '\\' && !is_escaped,
            }
        }
        return Some(rest.len());
    }
    let is_in_name =
        before.is_some_and(|byte| byte.is_ascii_alphanumeric() && byte != b'b' && byte != b'c' || byte == b'_');
    let after = rest.strip_prefix('r').filter(|_| !is_in_name)?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    let body = after[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    Some(body.find(&end).map_or(rest.len(), |at| 1 + hashes + 1 + at + end.len()))
}

/// The length of a character literal that begins here, or of the next letter.
fn character(rest: &str) -> usize {
    let one = rest.chars().next().map_or(1, char::len_utf8);
    if !rest.starts_with('\'') {
        return one;
    }
    if rest.starts_with("'\\") {
        return rest[3.min(rest.len())..].find('\'').map_or(one, |at| 3 + at + 1);
    }
    let mut letters = rest[1..].chars();
    match (letters.next(), letters.next()) {
        (Some(letter), Some('\'')) => 1 + letter.len_utf8() + 1,
        // A lifetime.
        _ => one,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of five letters with blanks between them.
    fn words(count: usize) -> String {
        vec!["words"; count].join(" ")
    }

    #[test]
    fn a_long_line_is_broken_and_nothing_else_changes() {
        let text = format!("/// {}.\npub fn f() {{}} // {}\n", words(30), words(40));
        let wrapped = wrap(&text);
        // 4 columns, and 19 times 6, are 118.
        assert_eq!(wrapped, format!("/// {}\n/// {}.\npub fn f() {{}} // {}\n", words(19), words(11), words(40)));
        assert_eq!(wrap(&wrapped), wrapped);
        assert_eq!((long_lines(&text), long_lines(&wrapped)), (vec![1], vec![]));
    }

    #[test]
    fn only_the_paragraph_of_the_long_line_is_filled() {
        let text = format!("//! short\n//! lines\n//!\n//! {}\n//! more\n", words(21));
        assert_eq!(wrap(&text), format!("//! short\n//! lines\n//!\n//! {}\n//! {} more\n", words(19), words(2)));
        assert_eq!(long_lines(&text), [4]);
    }

    #[test]
    fn items_of_lists_are_indented_and_stay_apart() {
        let text = format!("    // - {}\n    //   more\n    // 12. {}\n", words(20), words(20));
        let expected = format!(
            "    // - {}\n    //   {} more\n    // 12. {}\n    //     {}\n",
            words(18),
            words(2),
            words(18),
            words(2)
        );
        assert_eq!(wrap(&text), expected);
    }

    #[test]
    fn no_line_begins_as_an_item_of_a_list() {
        for word in ["-", "1.", "#", "|", "> 5"] {
            let wrapped = wrap(&format!("// {} {word} more\n", words(19)));
            assert!(wrapped.starts_with(&format!("// {} {word}", words(19))), "{wrapped}");
        }
    }

    #[test]
    fn tables_headings_and_code_stay() {
        let long = words(30);
        for text in [
            format!("//! | {long} | b |\n"),
            format!("//! # {long}\n"),
            format!("//! ```\n//! {long}\n//! ```\n"),
            format!("//! <{}>\n", "x".repeat(150)),
            format!("//! [link]: {long}\n"),
            format!("// Written by `cargo xtask bindgen`\n// {long}\n"),
        ] {
            assert_eq!(wrap(&text), text);
            assert!(long_lines(&text).is_empty(), "{text}");
        }
        // After code, paragraphs are wrapped again.
        let text = format!("//! ```\n//! {long}\n//! ```\n//! {long}\n");
        assert_eq!(long_lines(&text), [4]);
    }

    #[test]
    fn strings_are_not_comments() {
        let long = words(30);
        for (begin, end) in [
            ("let kernel = \"\n", "\n\";"),
            ("let kernel = r#\"\n\"\n", "\n\"#;"),
            ("let kernel = br\"\\\n", "\n\";"),
            ("/* /* */\n", "\n*/"),
            ("let quote = ('\"', '\\'', '\"', \"\\\"\n", "\n\");"),
            ("let a: &'static str = \"\n", "\n\";"),
        ] {
            let text = format!("{begin}// {long}{end}\n");
            assert_eq!(wrap(&text), text);
            // And what comes after it is.
            let text = format!("{text}// {long}\n");
            assert_eq!(long_lines(&text), [text.lines().count()], "{text}");
        }
    }

    #[test]
    fn a_word_that_is_too_long_has_a_line_of_its_own() {
        let word = "x".repeat(130);
        let text = format!("// {word}\n");
        assert_eq!(wrap(&text), text);
        assert_eq!(wrap(&format!("// a {word} b\n")), format!("// a\n// {word}\n// b\n"));
    }
}
