//! Pages in headless Chromium.
use std::process::Command;

use anyhow::{Context, Result};

use crate::{apt, progress};

/// A page after its scripts ran.
pub struct Opened {
    /// Its elements then.
    pub document: String,
    /// What the browser said, with what the scripts wrote to the console.
    pub messages: String,
}

/// Opens a page from its file (the path, perhaps with `#..`) and waits for its scripts.
pub fn open(page: &str) -> Result<Opened> {
    apt::ensure(&["chromium"], "looking at pages in a browser")?;
    let mut browser = Command::new("chromium");
    browser.args([
        "--headless",
        "--disable-gpu",
        "--enable-logging=stderr",
        "--virtual-time-budget=600000",
        "--dump-dom",
    ]);
    // Containers have little of what it would use.
    browser.arg("--disable-dev-shm-usage");
    // Only for these checks: they look into pages and load scripts that were opened from files.
    browser.arg("--allow-file-access-from-files");
    if apt::is_root() {
        browser.arg("--no-sandbox");
    }
    browser.arg(format!("file://{page}"));
    let output = browser.output().with_context(|| format!("cannot start `{}`", progress::display(&browser)))?;
    let [document, messages] =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    Ok(Opened { document, messages })
}
