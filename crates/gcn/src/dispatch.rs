//! Runs dispatches: decoded code, what a launch gives its waves, and work-groups with their scheduler and trap handler.

pub(crate) mod code_cache;
pub(crate) mod launch;
pub(crate) mod outcome;
pub(crate) mod scheduler;
pub(crate) mod trap;
pub(crate) mod workgroup;
