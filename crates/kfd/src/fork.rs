//! Noticing that the process is a copy: the driver's state is the parent's then, and the memory is not in the child at
//! all.

use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};

static GENERATION: AtomicU32 = AtomicU32::new(0);

extern "C" fn in_child() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
}

/// How many forks are between this process and the first one that asked. One load, so that launches can look too.
#[inline]
pub fn generation() -> u32 {
    GENERATION.load(Ordering::Relaxed)
}

/// Counts forks from now on.
pub fn watch() {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        // SAFETY: the handler only adds to an atomic. Without memory for it (ENOMEM) forks are not noticed, and the
        // driver refuses the child's requests instead (EBADF).
        unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    });
}
