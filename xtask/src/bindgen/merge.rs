//! One set of bindings from several header versions.
use super::model::{Api, Function, Item, Record, words};
use std::collections::{BTreeMap, BTreeSet};

/// A header version's short name, such as `5.7`, with what it declares. Oldest first.
pub type Versions = Vec<(&'static str, Api)>;

pub struct Merged {
    pub api: Api,
    /// First and last header version that declare a function.
    pub functions: BTreeMap<String, (&'static str, &'static str)>,
    /// What differs between versions, for the provenance file: a reviewer must see it.
    pub differences: Vec<String>,
    /// Functions that older versions declare with parameters of other types, and the first version with the new ones.
    pub changed: BTreeMap<String, &'static str>,
    /// Functions that must not be called in a library older than the version in `functions`.
    pub refused: BTreeSet<String>,
}

/// The newest declaration of everything, with enum values of all versions. A record whose fields a newer version only
/// moved into an unnamed union, to give other views of the same bytes, keeps its older declaration: programs name the
/// fields.
pub fn merge(versions: Versions) -> Merged {
    let mut merged = Merged {
        api: Api::new(),
        functions: BTreeMap::new(),
        differences: Vec::new(),
        changed: BTreeMap::new(),
        refused: BTreeSet::new(),
    };
    let mut aliases = Api::new();
    for (version, api) in versions {
        let kept: Vec<String> = api.keys().filter(|name| only_covered(&merged.api, &api, name)).cloned().collect();
        for (name, mut item) in api.clone() {
            if kept.iter().any(|kept| name == *kept || name.starts_with(&format!("{kept}__bindgen_ty_"))) {
                if kept.contains(&name) {
                    merged
                        .differences
                        .push(format!("{version}: {name} has unnamed unions around fields; not taken over"));
                }
                continue;
            }
            if let Item::Function(_) = item {
                merged.functions.entry(name.clone()).or_insert((version, version)).1 = version;
            }
            if let Some(old) = merged.api.get(&name) {
                if let (Item::Function(old), Item::Function(new)) = (old, &item)
                    && signature(old, &aliases) != signature(new, &api)
                {
                    merged.changed.insert(name.clone(), version);
                }
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
        aliases.extend(api);
    }
    merged
}

/// Whether all that changed in the record `name` is that `new` has some of its fields inside unnamed members.
fn only_covered(old: &Api, new: &Api, name: &str) -> bool {
    let (Some(Item::Record(before)), Some(Item::Record(after))) = (old.get(name), new.get(name)) else { return false };
    let gained: Vec<_> = after.fields.iter().filter(|field| !before.fields.contains(field)).collect();
    let mut covered = Vec::new();
    for (field, ty) in &gained {
        if field.starts_with("__bindgen_anon") {
            fields_within(new, ty, &mut covered);
        }
    }
    let lost = before.fields.iter().filter(|field| !after.fields.contains(field));
    // The numbers that bindgen gives to nested types move along.
    let nested = |ty: &str| ty.starts_with(&format!("{name}__bindgen_ty_"));
    let there = |(field, ty): &(String, String)| {
        covered.iter().any(|known| known == &(field.clone(), ty.clone()))
            || nested(ty) && after.fields.iter().any(|(known, new_ty)| known == field && nested(new_ty))
    };
    let only_moved = |(field, ty): &&(String, String)| {
        field.starts_with("__bindgen_anon") || nested(ty) && before.fields.iter().any(|(known, _)| known == field)
    };
    before != after && !covered.is_empty() && lost.into_iter().all(there) && gained.iter().all(only_moved)
}

/// All fields of `ty`, those inside its unnamed members among them.
fn fields_within(api: &Api, ty: &str, fields: &mut Vec<(String, String)>) {
    let Some(Item::Record(Record { fields: own, .. })) = api.get(ty) else { return };
    for (field, ty) in own {
        match field.starts_with("__bindgen_anon") {
            true => fields_within(api, ty, fields),
            false => fields.push((field.clone(), ty.clone())),
        }
    }
}

/// What a caller passes and gets, with aliases resolved; whether a pointer is to constants does not matter to a call.
fn signature(function: &Function, aliases: &Api) -> Vec<String> {
    let types = function.args.iter().map(|(_, ty)| ty).chain(&function.ret);
    types.map(|ty| resolved(ty, aliases).replace("*const ", "*mut ")).collect()
}

fn resolved(ty: &str, aliases: &Api) -> String {
    let mut resolved = String::new();
    let mut rest = ty;
    for (between, name, behind) in words(ty) {
        resolved.push_str(between);
        match aliases.get(name) {
            Some(Item::Alias(target)) if target != name => resolved.push_str(&self::resolved(target, aliases)),
            _ => resolved.push_str(name),
        }
        rest = behind;
    }
    resolved + rest
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
