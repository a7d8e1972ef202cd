//! Functions that a newer version declares under the same name with other parameters. Called with the new parameters,
//! an older library would misread its arguments.
use super::model::{Api, Function, Item, words};
use std::collections::{BTreeMap, BTreeSet};

/// Ends of names of enum values that count the others, so that each version has another number for them.
const COUNTS: [&str; 4] = ["MAX", "LAST", "COUNT", "NUM"];

/// The functions that changed, with the last version that changed them: their types, the fields of structs that they
/// take, or numbers of enum values. `same` are types that were given another name.
pub fn changed(versions: &[(&'static str, Api)], same: &[(&str, &str)]) -> BTreeMap<String, &'static str> {
    let mut changed = BTreeMap::new();
    let mut shapes: BTreeMap<&str, Shape> = BTreeMap::new();
    let mut known: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    for (version, api) in versions {
        let mut renumbered = BTreeSet::new();
        for name in api.keys() {
            for (value, number) in numbers(api, name) {
                if known.insert((name, value), number).is_some_and(|old| old != number) {
                    renumbered.insert(name.as_str());
                }
            }
        }
        for (name, item) in api {
            let Item::Function(function) = item else { continue };
            let shape = Shape::of(function, api, same);
            let renumbered = shape.enums.iter().any(|name| renumbered.contains(name.as_str()));
            if shapes.get(name.as_str()).is_some_and(|old| old.text != shape.text || renumbered) {
                changed.insert(name.clone(), *version);
            }
            shapes.insert(name, shape);
        }
    }
    changed
}

/// The functions that newer versions lack, and whose structs or enum values `merged`, which has the newest, has
/// otherwise: nothing that a program could pass to them is what they take. With the last version that has them.
pub fn misread(
    versions: &[(&'static str, Api)],
    merged: &Api,
    same: &[(&str, &str)],
) -> BTreeMap<String, &'static str> {
    let mut misread = BTreeMap::new();
    let older = versions.len().saturating_sub(1);
    for (index, (version, api)) in versions.iter().enumerate().take(older) {
        let newer = &versions[index + 1..];
        for (name, item) in api.iter().filter(|(name, _)| !newer.iter().any(|(_, api)| api.contains_key(*name))) {
            let Item::Function(function) = item else { continue };
            let shape = Shape::of(function, api, same);
            let renumbered =
                |name: &String| numbers(api, name).any(|value| numbers(merged, name).all(|new| new != value));
            if shape.text != Shape::of(function, merged, same).text || shape.enums.iter().any(renumbered) {
                misread.insert(name.clone(), *version);
            }
        }
    }
    misread
}

/// The values of an enum with their numbers, but those that count the others.
fn numbers<'a>(api: &'a Api, name: &str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let values = match api.get(name) {
        Some(Item::Enum { values, .. }) => &values[..],
        _ => &[],
    };
    let counts = |value: &str| COUNTS.iter().any(|end| value.ends_with(end));
    values.iter().map(|(value, number)| (value.as_str(), number.as_str())).filter(move |(value, _)| !counts(value))
}

/// What a function takes and returns, with structs as lists of their fields' types.
struct Shape {
    text: String,
    enums: BTreeSet<String>,
}

impl Shape {
    fn of(function: &Function, api: &Api, same: &[(&str, &str)]) -> Self {
        let mut shape = Self { text: String::new(), enums: BTreeSet::new() };
        for ty in function.args.iter().map(|(_, ty)| ty).chain(&function.ret) {
            shape.add(ty, api, same, &mut Vec::new());
            shape.text.push(',');
        }
        // Whether a pointer is to constants does not matter to a call.
        shape.text = shape.text.replace("*const ", "*mut ");
        shape
    }

    /// Adds a type. `within` are the structs that it is in: those that point to themselves are described once.
    fn add<'a>(&mut self, ty: &'a str, api: &'a Api, same: &[(&'a str, &'a str)], within: &mut Vec<&'a str>) {
        let mut rest = ty;
        for (between, name, behind) in words(ty) {
            self.text.push_str(between);
            rest = behind;
            let name = same.iter().find(|(old, _)| *old == name).map_or(name, |(_, new)| new);
            match api.get(name) {
                Some(Item::Alias(target)) if target != name => self.add(target, api, same, within),
                Some(Item::Record(record)) if !within.contains(&name) => {
                    within.push(name);
                    self.text.push_str(if record.union { "{|" } else { "{" });
                    self.text.push_str(&record.repr);
                    for (_, ty) in &record.fields {
                        self.add(ty, api, same, within);
                        self.text.push(';');
                    }
                    self.text.push('}');
                    within.pop();
                }
                Some(Item::Enum { repr, .. }) => {
                    self.enums.insert(name.to_owned());
                    self.text.push_str(name);
                    // Others have 32 bits, with a sign or without one.
                    self.text.push_str(if repr.ends_with("long") { " of 64 bits" } else { "" });
                }
                _ => self.text.push_str(name),
            }
        }
        self.text.push_str(rest);
    }
}
