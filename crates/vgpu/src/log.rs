//! Log messages on standard error, enabled by `VGPU_LOG`.

use std::sync::OnceLock;

/// Environment variable with what to log to standard error: a comma-separated list of `unknown`, `ioctl`, `all`.
const VARIABLE: &str = "VGPU_LOG";

/// Kinds of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// Requests that the device does not know or does not serve, and why a queue stopped.
    Unknown,
    /// Every ioctl with its result.
    Ioctl,
}

/// True if messages of `topic` are wanted: `VGPU_LOG` is a list of `unknown`, `ioctl`, `all`.
pub fn wanted(topic: Topic) -> bool {
    static WANTED: OnceLock<(bool, bool)> = OnceLock::new();
    let (unknown, ioctl) = *WANTED.get_or_init(|| {
        let list = std::env::var_os(VARIABLE).unwrap_or_default();
        let list = list.to_string_lossy();
        let has = |name: &str| list.split(',').any(|entry| entry == name || entry == "all");
        (has("unknown"), has("ioctl"))
    });
    match topic {
        Topic::Unknown => unknown,
        Topic::Ioctl => ioctl,
    }
}

/// Writes a message of `topic`, if it is wanted.
pub fn write(topic: Topic, message: std::fmt::Arguments<'_>) {
    if wanted(topic) {
        say(message);
    }
}

/// Writes a message whatever is wanted. That standard error is full or closed must not end the program.
pub fn say(message: std::fmt::Arguments<'_>) {
    let line = format!("vgpu: {message}\n");
    // Not Rust's stream, whose lock a forked child might find taken.
    // SAFETY: `line` is readable for its length.
    unsafe { libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), line.len()) };
}
