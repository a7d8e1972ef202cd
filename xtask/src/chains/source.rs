//! Just enough of C and C++ to find a function in a file.

/// Most bytes between a function's parameters and its body: `const`, `override`, a constructor's initialisers.
const BEFORE_BODY: usize = 4096;

/// From the parameters of the function `name` to the end of its body, where `text` defines it. Comments count as text.
pub fn body<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.match_indices(name).find_map(|(at, _)| {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|c| is_of_a_name(c) || c == ':' || c == '~') {
            return None;
        }
        let rest = &text[at + name.len()..];
        let parameters = end(rest, '(', ')').filter(|_| rest.trim_start().starts_with('('))?;
        let behind = &rest[parameters..];
        let open = behind.find(['{', ';']).filter(|&open| open < BEFORE_BODY && behind[open..].starts_with('{'))?;
        // An expression's call is followed by an operator or a bracket, a definition by its body, qualifiers or
        // initialisers.
        let between = behind[..open].trim();
        if !(between.is_empty()
            || between.starts_with(':')
            || between.chars().all(|c| is_of_a_name(c) || c.is_whitespace()))
        {
            return None;
        }
        let length = end(&behind[open..], '{', '}')?;
        Some(&rest[..parameters + open + length])
    })
}

/// The line in which `part`, a part of `text`, begins.
pub fn line_of(text: &str, part: &str) -> usize {
    let at = part.as_ptr() as usize - text.as_ptr() as usize;
    1 + text[..at].matches('\n').count()
}

/// Whether `text` names `name` as a whole word, with a bracket behind it.
pub fn has_call(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        !text[..at].ends_with(is_of_a_name) && text[at + name.len()..].trim_start().starts_with(['(', '<'])
    })
}

fn is_of_a_name(c: char) -> bool {
    c == '_' || c.is_ascii_alphanumeric()
}

/// Where the first bracket of `text` that `open` begins is closed, behind the closing one.
fn end(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(at + 1);
            }
        }
    }
    None
}
