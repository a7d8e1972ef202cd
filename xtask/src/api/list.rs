//! The lines of a crate's public interface.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Fields, ImplItem, Item, ItemImpl, TraitItem, Type, Visibility};

use super::source::{Source, Target, ident, imports, is_left_out, is_public};

/// The public items of a crate, one line each, sorted by their paths.
pub fn lines(source: &Source, name: &str) -> Vec<String> {
    let mut list = List { source, lines: BTreeSet::new(), paths: BTreeMap::new(), seen: Vec::new() };
    list.module(0, name);
    list.macros(name);
    list.impls();
    let mut lines: Vec<String> = list.lines.into_iter().collect();
    let root = format!("{name}::");
    let path = |line: &str| {
        let from = &line[line.find(&root).unwrap_or(0)..];
        from.split(|c: char| !c.is_alphanumeric() && !"_:.".contains(c)).next().unwrap_or_default().to_owned()
    };
    lines.sort_by_cached_key(|line| (path(line), line.clone()));
    lines
}

struct List<'a> {
    source: &'a Source,
    lines: BTreeSet<String>,
    /// Where users find an item of a module: the first path that leads there.
    paths: BTreeMap<(usize, usize), String>,
    /// Modules that are being listed, for those that import each other.
    seen: Vec<usize>,
}

impl List<'_> {
    /// Lists what is public in a module that users find by this path.
    fn module(&mut self, module: usize, path: &str) {
        if self.seen.contains(&module) {
            return;
        }
        self.seen.push(module);
        let source = self.source;
        for (nth, item) in source.modules[module].items.iter().enumerate() {
            match item {
                Item::Mod(item) if is_public(&item.vis, &item.attrs) => {
                    if let Some(Target::Module(child)) = source.resolve(module, &[item.ident.to_string()]) {
                        self.named_module(child, &format!("{path}::{}", item.ident), &item.attrs);
                    }
                }
                Item::Use(item) if is_public(&item.vis, &item.attrs) => {
                    for import in imports(&item.tree) {
                        let target =
                            source.resolve(module, &import.path).filter(|target| *target != Target::Module(module));
                        match (target, import.name) {
                            (Some(Target::Module(other)), None) => self.module(other, path),
                            (Some(Target::Module(other)), Some(name)) => {
                                self.named_module(other, &format!("{path}::{name}"), &item.attrs);
                            }
                            (Some(Target::Item(other, nth)), Some(name)) => {
                                self.item(other, nth, &format!("{path}::{name}"), &item.attrs);
                            }
                            (_, name) => {
                                let from = import.path.join("::");
                                let name = name.as_deref().unwrap_or("*");
                                let from = if name == "*" { format!("{from}::*") } else { from };
                                self.line(&item.attrs, format!("use {path}::{name} = {from}"));
                            }
                        }
                    }
                }
                item if visibility(item).is_some_and(|own| is_public(own, attributes(item))) => {
                    if let Some(name) = ident(item) {
                        self.item(module, nth, &format!("{path}::{name}"), &[]);
                    }
                }
                _ => {}
            }
        }
        self.seen.pop();
    }

    fn named_module(&mut self, module: usize, path: &str, attributes: &[Attribute]) {
        self.line(attributes, format!("mod {path}"));
        self.module(module, path);
    }

    fn line(&mut self, attributes: &[Attribute], text: String) {
        let conditions = attributes.iter().filter(|attribute| {
            ["cfg", "non_exhaustive", "must_use"].iter().any(|name| attribute.path().is_ident(name))
        });
        let conditions: String = conditions.map(|attribute| format!(" #[{}]", condition(attribute))).collect();
        self.lines.insert(text + &conditions);
    }

    /// Lists an item that users find by this path.
    fn item(&mut self, module: usize, nth: usize, path: &str, import: &[Attribute]) {
        if let Some(first) = self.paths.get(&(module, nth)) {
            let first = first.clone();
            if first != path {
                self.line(import, format!("use {path} = {first}"));
            }
            return;
        }
        self.paths.insert((module, nth), path.to_owned());
        let item = &self.source.modules[module].items[nth];
        let own = attributes(item);
        match item {
            Item::Const(item) => self.line(own, format!("const {path}: {}", text(&item.ty))),
            Item::Static(item) => self.line(own, format!("static {path}: {}", text(&item.ty))),
            Item::Type(item) => self.line(own, format!("type {path}{} = {}", text(&item.generics), text(&item.ty))),
            Item::Fn(item) => self.line(own, signature(&item.sig, path)),
            Item::Struct(item) => {
                self.line(own, format!("struct {path}{}", generics(&item.generics)));
                self.fields(item.fields.iter(), path);
                self.derives(own, path);
            }
            Item::Union(item) => {
                self.line(own, format!("union {path}{}", generics(&item.generics)));
                self.fields(item.fields.named.iter(), path);
                self.derives(own, path);
            }
            Item::Enum(item) => {
                self.line(own, format!("enum {path}{}", generics(&item.generics)));
                for variant in &item.variants {
                    let value =
                        variant.discriminant.as_ref().map_or(String::new(), |(_, value)| format!(" = {}", text(value)));
                    let fields: Vec<String> = variant.fields.iter().map(|field| field_text(field, "")).collect();
                    let fields = match &variant.fields {
                        Fields::Named(_) => format!(" {{ {} }}", fields.join(", ")),
                        Fields::Unnamed(_) => format!("({})", fields.join(", ")),
                        Fields::Unit => String::new(),
                    };
                    self.line(&variant.attrs, format!("variant {path}::{}{fields}{value}", variant.ident));
                }
                self.derives(own, path);
            }
            Item::Trait(item) => {
                let safety = if item.unsafety.is_some() { "unsafe " } else { "" };
                let above =
                    if item.supertraits.is_empty() { String::new() } else { format!(": {}", text(&item.supertraits)) };
                self.line(own, format!("{safety}trait {path}{}{above}", generics(&item.generics)));
                for member in &item.items {
                    match member {
                        TraitItem::Const(item) => {
                            self.line(&item.attrs, format!("const {path}::{}: {}", item.ident, text(&item.ty)));
                        }
                        TraitItem::Fn(item) => {
                            let default = if item.default.is_some() { " { .. }" } else { "" };
                            let sig = signature(&item.sig, &format!("{path}::{}", item.sig.ident));
                            self.line(&item.attrs, sig + default);
                        }
                        TraitItem::Type(item) => self.line(
                            &item.attrs,
                            format!("type {path}::{}", text(item).trim_end_matches(';').trim_start_matches("type ")),
                        ),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn fields<'a>(&mut self, fields: impl Iterator<Item = &'a syn::Field>, path: &str) {
        for (nth, field) in fields.enumerate().filter(|(_, field)| is_public(&field.vis, &field.attrs)) {
            self.line(&field.attrs, format!("field {path}.{}", field_text(field, &nth.to_string())));
        }
    }

    fn derives(&mut self, own: &[Attribute], path: &str) {
        for attribute in own.iter().filter(|attribute| attribute.path().is_ident("derive")) {
            let _ = attribute.parse_nested_meta(|meta| {
                self.line(&[], format!("impl {} for {path}", text(&meta.path)));
                Ok(())
            });
        }
    }

    /// Macros by example that the crate exports: all are at its root.
    fn macros(&mut self, name: &str) {
        for item in self.source.modules.iter().flat_map(|module| &module.items) {
            if let Item::Macro(item) = item
                && let Some(own) = &item.ident
                && item.attrs.iter().any(|attribute| attribute.path().is_ident("macro_export"))
                && !is_left_out(&item.attrs)
            {
                self.line(&item.attrs, format!("macro {name}::{own}!"));
            }
        }
    }

    fn impls(&mut self) {
        for (module, own) in self.source.modules.iter().enumerate() {
            for item in &own.items {
                if let Item::Impl(item) = item
                    && !is_left_out(&item.attrs)
                {
                    self.implementation(module, item);
                }
            }
        }
    }

    fn implementation(&mut self, module: usize, item: &ItemImpl) {
        let of_reference = match &*item.self_ty {
            Type::Reference(reference) => &reference.elem,
            _ => &item.self_ty,
        };
        let Type::Path(ty) = &**of_reference else { return };
        let names: Vec<String> = ty.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let Some(Target::Item(of, nth)) = self.source.resolve(module, &names) else { return };
        let Some(path) = self.paths.get(&(of, nth)).cloned() else { return };
        let arguments = ty.path.segments.last().map_or(String::new(), |last| text(&last.arguments));
        let path = path + &arguments;
        if let Some((_, of_trait, _)) = &item.trait_ {
            let names: Vec<String> = of_trait.segments.iter().map(|segment| segment.ident.to_string()).collect();
            // A trait that users cannot name.
            if let Some(Target::Item(of, nth)) = self.source.resolve(module, &names)
                && !self.paths.contains_key(&(of, nth))
            {
                return;
            }
            let safety = if item.unsafety.is_some() { "unsafe " } else { "" };
            let reference = if matches!(*item.self_ty, Type::Reference(_)) { "&" } else { "" };
            let line = format!("{safety}impl{} {} for {reference}{path}", generics(&item.generics), text(of_trait));
            return self.line(&item.attrs, line.replace("  ", " "));
        }
        for member in &item.items {
            match member {
                ImplItem::Fn(item) if is_public(&item.vis, &item.attrs) => {
                    let line = signature(&item.sig, &format!("{path}::{}", item.sig.ident));
                    self.line(&item.attrs, line);
                }
                ImplItem::Const(item) if is_public(&item.vis, &item.attrs) => {
                    self.line(&item.attrs, format!("const {path}::{}: {}", item.ident, text(&item.ty)));
                }
                _ => {}
            }
        }
    }
}

fn visibility(item: &Item) -> Option<&Visibility> {
    Some(match item {
        Item::Const(item) => &item.vis,
        Item::Enum(item) => &item.vis,
        Item::Fn(item) => &item.vis,
        Item::Static(item) => &item.vis,
        Item::Struct(item) => &item.vis,
        Item::Trait(item) => &item.vis,
        Item::Type(item) => &item.vis,
        Item::Union(item) => &item.vis,
        _ => return None,
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        _ => &[],
    }
}

fn condition(attribute: &Attribute) -> String {
    // The reason of `must_use` is documentation.
    let name = attribute.path().to_token_stream().to_string();
    if name == "must_use" { name } else { text(&attribute.meta) }
}

fn field_text(field: &syn::Field, nth: &str) -> String {
    match (&field.ident, nth) {
        (Some(name), _) => format!("{name}: {}", text(&field.ty)),
        (None, "") => text(&field.ty),
        (None, nth) => format!("{nth}: {}", text(&field.ty)),
    }
}

/// The generic parameters with the conditions on them.
fn generics(generics: &syn::Generics) -> String {
    let conditions = generics.where_clause.as_ref().map_or(String::new(), |clause| format!(" {}", text(clause)));
    text(generics) + conditions.trim_end_matches(',')
}

/// A function's signature with this path instead of its name.
fn signature(sig: &syn::Signature, path: &str) -> String {
    // Whether a function changes its own copy of an argument is its affair.
    let text = text(sig).replace("(mut ", "(").replace(", mut ", ", ");
    let name = format!("fn {}", sig.ident);
    text.trim_end_matches(',').replacen(&name, &format!("fn {path}"), 1)
}

/// The text of some code, on one line, spaced as rustfmt does.
fn text(code: &impl ToTokens) -> String {
    let mut words = Vec::new();
    flatten(code.to_token_stream(), &mut words);
    let mut text = String::new();
    let mut before = "";
    for word in &words {
        if needs_space(before, word) {
            text.push(' ');
        }
        text.push_str(word);
        before = word;
    }
    text.replace(",)", ")").replace(", >", ">").replace(",>", ">")
}

fn needs_space(before: &str, word: &str) -> bool {
    let is_name = |text: &str| text.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '\'' || c == '"');
    match (before, word) {
        ("" | "(" | "[" | "<" | "&" | "!" | "::" | "#" | ".", _) => false,
        ("*", "const" | "mut") => false,
        (_, ")" | "]" | ">" | "," | ";" | ":" | "::" | "." | "?") => before == "->",
        ("->" | "=" | "+" | "," | ":" | ";" | "{" | "|", _) | (_, "->" | "=" | "+" | "{" | "}" | "|") => true,
        (before, "<" | "(" | "[" | "!") => {
            before.starts_with('\'')
                || before == "for"
                || before == "in"
                || before == "mut"
                || before == "dyn"
                || before == "impl" && word != "<"
        }
        (">" | ")" | "]", word) => is_name(word) || word == "&" || word == "*",
        (before, word) => is_name(before) && (is_name(word) || word == "&" || word == "*"),
    }
}

fn flatten(tokens: TokenStream, words: &mut Vec<String>) {
    let mut joined = String::new();
    for token in tokens {
        match token {
            TokenTree::Punct(punct) => {
                joined.push(punct.as_char());
                // `->`, `::` and lifetimes; others that are written without a space are two words.
                let goes_on =
                    matches!(joined.as_str(), "-" | ":" | "'" | "=" | ".") && punct.spacing() == Spacing::Joint;
                if !goes_on {
                    words.push(std::mem::take(&mut joined));
                }
            }
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::None => ("", ""),
                };
                words.push(open.to_owned());
                flatten(group.stream(), words);
                words.push(close.to_owned());
            }
            other => words.push(std::mem::take(&mut joined) + &other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(text: &str) -> Vec<String> {
        lines(&Source::parse(text).expect("Rust"), "c")
    }

    #[test]
    fn items_have_the_paths_by_which_users_find_them() {
        let text = "
            mod inner { pub struct Hidden; pub struct S { pub a: u32, b: u32 } pub(crate) fn no() {} pub fn f(mut x: &'static [u8]) -> Option<(u8, u8)> {} }
            pub use inner::{S as T, f};
            pub mod m { pub use crate::inner::S; pub use std::io; pub use super::inner::f as g; #[cfg(test)] pub fn test() {} }
            impl T { pub fn new(self) -> Self { todo!() } fn private() {} }
            impl inner::Hidden { pub fn of_hidden() {} }
            trait Sealed {} impl Sealed for T {}
            impl<'a> From<&'a str> for T { }";
        let expected = [
            "impl<'a> From<&'a str> for c::T",
            "struct c::T",
            "field c::T.a: u32",
            "fn c::T::new(self) -> Self",
            "fn c::f(x: &'static [u8]) -> Option<(u8, u8)>",
            "mod c::m",
            "use c::m::S = c::T",
            "use c::m::g = c::f",
            "use c::m::io = std::io",
        ];
        assert_eq!(listed(text), expected);
    }

    #[test]
    fn enums_traits_and_conditions_are_listed() {
        let text = "
            #[derive(Clone)] #[non_exhaustive] pub enum E<T: Copy = u8> where T: Send { A, B(T), C { d: *const T } }
            pub unsafe trait Tr: Sized { const N: usize; type Out: Copy; fn a(&mut self) { } fn b<F: Fn(u8) -> u8>(f: F) where F: Send; }
            #[cfg(feature = \"x\")] pub const K: [u8; 4] = [0; 4];
            #[macro_export] macro_rules! mac { () => {} }
            #[doc(hidden)] pub fn hidden() {}";
        let expected = [
            "enum c::E<T: Copy = u8> where T: Send #[non_exhaustive]",
            "impl Clone for c::E",
            "variant c::E::A",
            "variant c::E::B(T)",
            "variant c::E::C { d: *const T }",
            "const c::K: [u8; 4] #[cfg(feature = \"x\")]",
            "unsafe trait c::Tr: Sized",
            "const c::Tr::N: usize",
            "type c::Tr::Out: Copy",
            "fn c::Tr::a(&mut self) { .. }",
            "fn c::Tr::b<F: Fn(u8) -> u8>(f: F) where F: Send",
            "macro c::mac!",
        ];
        assert_eq!(listed(text), expected);
    }
}
