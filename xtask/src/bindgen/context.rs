//! What generators and tests share: where things are, and what the provenance file will say.
use super::packages::Package;
use crate::vgpu;
use anyhow::Result;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;

/// Where things are, and what the provenance file will say.
pub struct Context {
    pub root: PathBuf,
    pub target: PathBuf,
    packages: RefCell<BTreeSet<String>>,
    differences: RefCell<Vec<String>>,
}

impl Context {
    pub fn new() -> Result<Self> {
        let (root, target) = (vgpu::root().to_owned(), vgpu::target_folder()?);
        Ok(Self { root, target, packages: RefCell::default(), differences: RefCell::default() })
    }

    /// Unpacked root of `package`.
    pub fn fetch(&self, package: &Package) -> Result<PathBuf> {
        let root = package.fetch(&self.target)?;
        let line = format!("{} {}, SHA-256 {}", package.name, package.version, package.sha256);
        self.packages.borrow_mut().insert(line);
        Ok(root)
    }

    /// Keeps what differs between header versions for the reader of the provenance file.
    pub fn note_differences(&self, differences: &[String]) {
        self.differences.borrow_mut().extend_from_slice(differences);
    }

    /// Text of `bindings.txt`.
    pub fn provenance(&self) -> String {
        let mut text = String::from("Written by `cargo xtask bindgen` with bindgen 0.73.2 from the headers in:\n");
        for line in self.packages.borrow().iter() {
            writeln!(text, "  {line}").unwrap();
        }
        let differences = self.differences.borrow();
        if !differences.is_empty() {
            text.push_str("\nThe bindings have the newest declaration of each name. Older headers differ in:\n");
        }
        for line in differences.iter() {
            writeln!(text, "  {line}").unwrap();
        }
        text
    }
}
