//! The modules of a crate as its files have them, and what names in them mean.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use syn::{Attribute, Ident, Item, UseTree, Visibility};

/// A module, with the items that stand in its file or block.
pub struct Module {
    pub items: Vec<Item>,
    parent: Option<usize>,
    children: Vec<(String, usize)>,
}

/// A crate: its modules, the root first.
pub struct Source {
    pub modules: Vec<Module>,
}

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Module(usize),
    /// An item of a module.
    Item(usize, usize),
}

/// One name that a `use` brings in; no name for `*`.
pub struct Import {
    pub path: Vec<String>,
    pub name: Option<String>,
}

impl Source {
    /// Reads the crate whose root is this file.
    pub fn read(root: &Path) -> Result<Source> {
        let mut source = Source { modules: Vec::new() };
        let folder = root.parent().unwrap_or(root).to_owned();
        source.add_file(root, folder, None)?;
        Ok(source)
    }

    /// A crate without files of its own modules.
    #[cfg(test)]
    pub fn parse(text: &str) -> Result<Source> {
        let mut source = Source { modules: Vec::new() };
        source.add(&syn::parse_file(text)?.items, PathBuf::new(), None)?;
        Ok(source)
    }

    fn add_file(&mut self, file: &Path, folder: PathBuf, parent: Option<usize>) -> Result<usize> {
        let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let parsed = syn::parse_file(&text).with_context(|| format!("cannot parse {}", file.display()))?;
        self.add(&parsed.items, folder, parent)
    }

    /// `folder` is where files of the module's own modules are.
    fn add(&mut self, items: &[Item], folder: PathBuf, parent: Option<usize>) -> Result<usize> {
        let id = self.modules.len();
        self.modules.push(Module { items: Vec::new(), parent, children: Vec::new() });
        for item in items {
            let Item::Mod(module) = item else { continue };
            if is_left_out(&module.attrs) {
                continue;
            }
            let name = module.ident.to_string();
            let child = match &module.content {
                Some((_, items)) => self.add(items, folder.join(&name), Some(id))?,
                None => {
                    let own = folder.join(&name);
                    let file = match path_of(&module.attrs) {
                        Some(path) => folder.join(path),
                        None if own.with_extension("rs").exists() => own.with_extension("rs"),
                        None => own.join("mod.rs"),
                    };
                    self.add_file(&file, own, Some(id))?
                }
            };
            self.modules[id].children.push((name, child));
        }
        self.modules[id].items = items.to_vec();
        Ok(id)
    }

    /// What a path means in a module; `None` for items of other crates.
    pub fn resolve(&self, module: usize, path: &[String]) -> Option<Target> {
        self.resolve_within(module, path, 16)
    }

    /// With a limit for imports that lead in a circle.
    fn resolve_within(&self, module: usize, path: &[String], limit: usize) -> Option<Target> {
        let mut at = Target::Module(module);
        for (nth, name) in path.iter().enumerate() {
            let Target::Module(here) = at else { return None };
            at = match name.as_str() {
                "crate" => Target::Module(0),
                "self" => at,
                "super" => Target::Module(self.modules[here].parent?),
                name => self.named(here, name, limit.checked_sub(1)?)?,
            };
            if nth > 0 && at == Target::Module(here) {
                return None;
            }
        }
        Some(at)
    }

    fn named(&self, module: usize, name: &str, limit: usize) -> Option<Target> {
        let here = &self.modules[module];
        if let Some((_, child)) = here.children.iter().find(|(child, _)| child == name) {
            return Some(Target::Module(*child));
        }
        if let Some(nth) = here.items.iter().position(|item| ident(item).is_some_and(|own| own == name)) {
            return Some(Target::Item(module, nth));
        }
        let imports = || here.items.iter().filter_map(as_use).flat_map(|item| imports(&item.tree));
        let by_name = imports().filter(|import| import.name.as_deref() == Some(name));
        // An import of what has the same name in another crate would lead to itself.
        let found = by_name
            .filter(|import| import.path != [name])
            .find_map(|import| self.resolve_within(module, &import.path, limit));
        found.or_else(|| {
            let globs = imports().filter(|import| import.name.is_none());
            globs.filter_map(|import| self.resolve_within(module, &import.path, limit)).find_map(
                |target| match target {
                    Target::Module(other) if other != module => self.named(other, name, limit.checked_sub(1)?),
                    _ => None,
                },
            )
        })
    }
}

/// The name that an item declares in its module. Macros by example are left out: they have names of their own.
pub fn ident(item: &Item) -> Option<&Ident> {
    Some(match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    })
}

fn as_use(item: &Item) -> Option<&syn::ItemUse> {
    match item {
        Item::Use(item) => Some(item),
        _ => None,
    }
}

/// The names that a `use` brings in.
pub fn imports(tree: &UseTree) -> Vec<Import> {
    let below = |name: &Ident, tree: &UseTree| {
        let name = name.to_string();
        let mut list = imports(tree);
        for import in &mut list {
            match import.path.first().map(String::as_str) {
                // `a::{self}` is `a`.
                Some("self") if import.path.len() == 1 => {
                    import.path = vec![name.clone()];
                    if import.name.as_deref() == Some("self") {
                        import.name = Some(name.clone());
                    }
                }
                _ => import.path.insert(0, name.clone()),
            }
        }
        list
    };
    match tree {
        UseTree::Path(path) => below(&path.ident, &path.tree),
        UseTree::Name(name) => vec![Import { path: vec![name.ident.to_string()], name: Some(name.ident.to_string()) }],
        UseTree::Rename(rename) => {
            vec![Import { path: vec![rename.ident.to_string()], name: Some(rename.rename.to_string()) }]
        }
        UseTree::Glob(_) => vec![Import { path: Vec::new(), name: None }],
        UseTree::Group(group) => group.items.iter().flat_map(imports).collect(),
    }
}

/// Whether users of the crate see the item.
pub fn is_public(visibility: &Visibility, attributes: &[Attribute]) -> bool {
    matches!(visibility, Visibility::Public(_)) && !is_left_out(attributes)
}

/// Hidden from documentation, or not there in a build for users: for tests, for loom and for doctests.
pub fn is_left_out(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let text = quote::ToTokens::to_token_stream(&attribute.meta).to_string();
        ["doc (hidden)", "cfg (test)", "cfg (loom)", "cfg (doctest)"].contains(&text.as_str())
    })
}

fn path_of(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find(|attribute| attribute.path().is_ident("path")).and_then(|attribute| match &attribute.meta {
        syn::Meta::NameValue(syn::MetaNameValue { value: syn::Expr::Lit(literal), .. }) => match &literal.lit {
            syn::Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    })
}
