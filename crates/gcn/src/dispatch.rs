//! Executes dispatches: decoded code, initial registers, work-groups with their scheduler and trap handler.

pub(crate) mod code_cache;
pub(crate) mod launch;
pub(crate) mod outcome;
pub(crate) mod scheduler;
pub(crate) mod trap;
pub(crate) mod workgroup;
