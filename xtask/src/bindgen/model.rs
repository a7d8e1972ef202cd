//! What one header version declares, as data: read from the Rust that bindgen writes.
use anyhow::{Context, Result, bail};
use quote::ToTokens;
use std::collections::BTreeMap;

pub type Api = BTreeMap<String, Item>;

#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    Const {
        ty: String,
        value: String,
    },
    /// A C enum: values are constants of a newtype, so that a value this header does not know is no undefined
    /// behaviour.
    Enum {
        repr: String,
        values: Vec<(String, String)>,
    },
    Record(Record),
    Alias(String),
    Function(Function),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub union: bool,
    /// Content of `#[repr(..)]`.
    pub repr: String,
    pub debug: bool,
    pub fields: Vec<(String, String)>,
    pub bitfields: Vec<Bitfield>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Bitfield {
    pub name: String,
    /// The field of bytes that holds it.
    pub unit: String,
    pub offset: u32,
    pub width: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    pub args: Vec<(String, String)>,
    pub ret: Option<String>,
}

/// The words of a type, each with what stands between it and the one before, and with all that is behind it.
pub fn words(ty: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = ty;
    std::iter::from_fn(move || {
        let start = rest.find(is_word)?;
        let end = rest[start..].find(|c| !is_word(c)).map_or(rest.len(), |length| start + length);
        let word = (&rest[..start], &rest[start..end], &rest[end..]);
        rest = word.2;
        Some(word)
    })
}

/// Reads bindgen's output.
pub fn parse(rust: &str) -> Result<Api> {
    let file = syn::parse_file(rust)?;
    let mut api = Api::new();
    for item in &file.items {
        match item {
            syn::Item::Const(item) => {
                // Messages to C programmers are no part of an API.
                if item.ident.to_string().ends_with("DEPRECATED_MSG") {
                    continue;
                }
                let value = match &*item.expr {
                    syn::Expr::Lit(literal) => literal.to_token_stream().to_string(),
                    other => text(other),
                };
                api.insert(item.ident.to_string(), Item::Const { ty: text(&item.ty), value });
            }
            syn::Item::Type(item) => {
                api.insert(item.ident.to_string(), Item::Alias(text(&item.ty)));
            }
            syn::Item::Struct(item) if !helper(&item.ident) => {
                let repr = attribute(&item.attrs, "repr").unwrap_or_default();
                if repr == "transparent" {
                    let field = item.fields.iter().next().context("newtype without a field")?;
                    api.insert(item.ident.to_string(), Item::Enum { repr: text(&field.ty), values: Vec::new() });
                } else {
                    api.insert(item.ident.to_string(), record(false, repr, &item.attrs, item.fields.iter()));
                }
            }
            syn::Item::Union(item) => {
                let repr = attribute(&item.attrs, "repr").unwrap_or_default();

                api.insert(item.ident.to_string(), record(true, repr, &item.attrs, item.fields.named.iter()));
            }
            syn::Item::ForeignMod(block) => {
                for item in &block.items {
                    match item {
                        // A function of C++: nothing that is looked up by its name.
                        syn::ForeignItem::Fn(item) if mangled(&item.attrs) => {}
                        // A method cannot have any number of arguments.
                        syn::ForeignItem::Fn(item) if item.sig.variadic.is_some() => {}
                        syn::ForeignItem::Fn(item) => {
                            api.insert(item.sig.ident.to_string(), function(&item.sig)?);
                        }
                        // Of the header, which has a copy in each file that includes it.
                        syn::ForeignItem::Static(_) => {}
                        other => bail!("unexpected declaration {}", text(other)),
                    }
                }
            }
            // `typedef enum Tag {..} Name;` becomes `pub use self::Tag as Name;`.
            syn::Item::Use(item) => {
                let words = text(&item.tree);
                if let Some((tag, name)) = words.strip_prefix("self::").and_then(|rest| rest.split_once(" as ")) {
                    api.insert(name.to_owned(), Item::Alias(tag.to_owned()));
                }
            }
            _ => {}
        }
    }
    // Second pass: the values of enums and the places of bit-fields are in inherent impls.
    for item in &file.items {
        let syn::Item::Impl(block) = item else { continue };
        if block.trait_.is_some() {
            continue;
        }
        match api.get_mut(&text(&block.self_ty)) {
            Some(Item::Enum { values, .. }) => {
                for item in &block.items {
                    let syn::ImplItem::Const(item) = item else { continue };
                    let syn::Expr::Call(call) = &item.expr else { bail!("enum value {} is no literal", item.ident) };
                    values.push((item.ident.to_string(), call.args.to_token_stream().to_string().replace(' ', "")));
                }
            }
            Some(Item::Record(record)) => {
                for item in &block.items {
                    if let syn::ImplItem::Fn(item) = item {
                        record.bitfields.extend(bitfield(item));
                    }
                }
            }
            _ => {}
        }
    }
    Ok(api)
}

fn helper(name: &syn::Ident) -> bool {
    name.to_string().starts_with("__IncompleteArray") || name.to_string().starts_with("__Bindgen")
}

fn mangled(attrs: &[syn::Attribute]) -> bool {
    let linked = attrs.iter().find(|attr| attr.path().is_ident("link_name"));
    linked.is_some_and(|attr| attr.meta.to_token_stream().to_string().contains("_Z"))
}

fn record<'a>(
    union: bool,
    repr: String,
    attrs: &[syn::Attribute],
    fields: impl Iterator<Item = &'a syn::Field>,
) -> Item {
    let fields = fields.map(|field| (field.ident.as_ref().map(text).unwrap_or_default(), text(&field.ty))).collect();
    let debug = attribute(attrs, "derive").is_some_and(|derive| derive.contains("Debug"));
    Item::Record(Record { union, repr, debug, fields, bitfields: Vec::new() })
}

fn function(signature: &syn::Signature) -> Result<Item> {
    let mut args = Vec::new();
    for arg in &signature.inputs {
        let syn::FnArg::Typed(arg) = arg else { bail!("{}: self argument", signature.ident) };
        args.push((text(&arg.pat), text(&arg.ty)));
    }
    let ret = match &signature.output {
        syn::ReturnType::Default => None,
        // One that never returns: `Result<!, _>` is not stable.
        syn::ReturnType::Type(_, ty) if matches!(**ty, syn::Type::Never(_)) => None,
        syn::ReturnType::Type(_, ty) => Some(text(ty)),
    };
    Ok(Item::Function(Function { args, ret }))
}

/// bindgen's getter of a bit-field is `fn name(&self) -> T { ... self.unit.get_const::<offset, width>() ... }`.
fn bitfield(getter: &syn::ImplItemFn) -> Option<Bitfield> {
    let name = getter.sig.ident.to_string();
    if name.starts_with("set_") || name.ends_with("_raw") || getter.sig.inputs.len() != 1 {
        return None;
    }
    let body = getter.block.to_token_stream().to_string().replace(' ', "");
    let (before, after) = body.split_once(".get_const::<")?;
    let unit = before.rsplit_once("self.")?.1.to_owned();
    let mut numbers =
        after.split([',', '>']).map(|number| number.trim_end_matches("usize").trim_end_matches("u8").parse().ok());
    Some(Bitfield { name, unit, offset: numbers.next()??, width: numbers.next()?? })
}

fn attribute(attrs: &[syn::Attribute], name: &str) -> Option<String> {
    let found = attrs.iter().find(|attr| attr.path().is_ident(name))?;
    Some(found.meta.require_list().ok()?.tokens.to_string().replace(' ', ""))
}

/// Source text of `tokens` with the spacing that rustfmt would give simple types and literals.
fn text(tokens: &impl ToTokens) -> String {
    let mut text = tokens.to_token_stream().to_string();
    for (spaced, tight) in [
        (" :: ", "::"),
        (":: ", "::"),
        ("::core::ffi::", ""),
        ("core::ffi::", ""),
        ("::core::option::", ""),
        (" < ", "<"),
        (" > ", ">"),
        (" >", ">"),
        ("* mut", "*mut"),
        ("* const", "*const"),
        (" ;", ";"),
        (" ,", ","),
        (", )", ")"),
        (" (", "("),
        ("( ", "("),
        (" )", ")"),
        (" : ", ": "),
        ("[ ", "["),
        (" ]", "]"),
        ("- ", "-"),
        ("->", "-> "),
        (">-> ", "> -> "),
        (")-> ", ") -> "),
        ("->  ", "-> "),
        ("usize]", "]"),
        ("& [", "&["),
        // The kernel's names for the fixed-width types.
        ("__u8", "u8"),
        ("__u16", "u16"),
        ("__u32", "u32"),
        ("__u64", "u64"),
        ("__s8", "i8"),
        ("__s16", "i16"),
        ("__s32", "i32"),
        ("__s64", "i64"),
        ("__kernel_size_t", "usize"),
    ] {
        text = text.replace(spaced, tight);
    }
    // A flexible array member takes no room in its struct.
    if let Some(inner) = text.strip_prefix("__IncompleteArrayField<").and_then(|rest| rest.strip_suffix('>')) {
        return format!("[{inner}; 0]");
    }
    if let Some(inner) = text.strip_prefix("__BindgenBitfieldUnit<").and_then(|rest| rest.strip_suffix('>')) {
        return inner.to_owned();
    }
    text.trim().to_owned()
}
