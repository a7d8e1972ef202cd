//! One set of bindings from several header versions.
use super::model::{Api, Item};
use std::collections::BTreeMap;

/// A header version's short name, such as `5.7`, with what it declares. Oldest first.
pub type Versions = Vec<(&'static str, Api)>;

pub struct Merged {
    pub api: Api,
    /// First and last header version that declare a function.
    pub functions: BTreeMap<String, (&'static str, &'static str)>,
    /// What differs between versions, for the provenance file: a reviewer must see it.
    pub differences: Vec<String>,
}

/// The newest declaration of everything, with enum values of all versions.
pub fn merge(versions: Versions) -> Merged {
    let mut merged = Merged { api: Api::new(), functions: BTreeMap::new(), differences: Vec::new() };
    for (version, api) in versions {
        for (name, mut item) in api {
            if let Item::Function(_) = item {
                merged.functions.entry(name.clone()).or_insert((version, version)).1 = version;
            }
            if let Some(old) = merged.api.get(&name) {
                if let (Item::Enum { values: old_values, .. }, Item::Enum { values, .. }) = (old, &mut item) {
                    for (value, number) in old_values {
                        match values.iter().find(|(new, _)| new == value) {
                            None => values.push((value.clone(), number.clone())),
                            Some((_, new)) if new != number => {
                                merged.differences.push(format!("{version}: {name}::{value} is {new}, was {number}"));
                            }
                            Some(_) => {}
                        }
                    }
                } else if *old != item {
                    merged.differences.push(format!("{version}: {name} {}", change(old, &item)));
                }
            }
            merged.api.insert(name, item);
        }
    }
    merged
}

fn change(old: &Item, new: &Item) -> String {
    match (old, new) {
        (Item::Const { value: old, .. }, Item::Const { value: new, .. }) => format!("is {new}, was {old}"),
        (Item::Alias(old), Item::Alias(new)) => format!("is {new}, was {old}"),
        (Item::Function(old), Item::Function(new)) => {
            format!("takes {:?} -> {:?}, took {:?} -> {:?}", new.args, new.ret, old.args, old.ret)
        }
        (Item::Record(old), Item::Record(new)) => {
            let gone: Vec<_> = old.fields.iter().filter(|field| !new.fields.contains(field)).collect();
            let added: Vec<_> = new.fields.iter().filter(|field| !old.fields.contains(field)).collect();
            format!("gained {added:?}, lost {gone:?}")
        }
        _ => "is another kind of item".into(),
    }
}
