//! Leaks: decides which allocations that were never freed are the program's own.

use super::{Finding, Frame, api, counted, fmt_stack, is_amds};
use serde_json::json;
use std::fmt;

/// The functions that give memory to a program, which it frees itself. Those of pools keep it, and managed memory is
/// the host's.
const GIVE: &[&str] = &[
    "hipMalloc",
    "hipMallocPitch",
    "hipMalloc3D",
    "hipMallocHost",
    "hipMallocArray",
    "hipMalloc3DArray",
    "hipExtMallocWithFlags",
    "hipHostMalloc",
    "hipHostAlloc",
    "hipMemAlloc",
    "hipMemAllocPitch",
    "hipMemAllocHost",
    "clCreateBuffer",
    "clCreateBufferWithProperties",
    "clCreateImage",
    "clCreateImageWithProperties",
    "clSVMAlloc",
    "hsa_amd_memory_pool_allocate",
    "hsa_memory_allocate",
];

impl Finding {
    /// Whether the program itself allocated the memory. AMD's runtimes also keep allocations that they never free.
    pub fn is_the_programs(&self) -> bool {
        let has_to_free = || api(&self.allocated).is_some_and(|name| GIVE.contains(&name));
        self.leaked().is_none() || has_to_free() && (self.freed.is_empty() || is_by_runtime(&self.freed))
    }

    /// The bytes of a leak.
    pub fn leaked(&self) -> Option<u64> {
        self.number("bytes").filter(|_| self.kind() == "leak")
    }

    /// Whether another leak is by the same lines. A loop that the compiler has unrolled has several calls.
    pub(super) fn leaks_like(&self, other: &Finding) -> bool {
        let has_lines = self.allocated.iter().any(|frame| !frame.place.lines.is_empty());
        let callers = |finding: &Finding| match has_lines {
            true => {
                json!(
                    finding
                        .allocated
                        .iter()
                        .filter(|frame| !is_amds(&frame.file))
                        .map(Frame::to_json)
                        .collect::<Vec<_>>()
                )
            }
            false => finding.fields.get("allocated_by").cloned().unwrap_or_default(),
        };
        api(&self.allocated) == api(&other.allocated)
            && callers(self) == callers(other)
            && self.is_the_programs() == other.is_the_programs()
    }

    /// Adds what another leak has that is by the same lines.
    pub(super) fn add_leaked(&mut self, other: &Finding) {
        if let (Some(bytes), Some(more)) = (self.leaked(), other.leaked()) {
            self.fields.insert("bytes".to_owned(), (bytes + more).into());
        }
    }

    pub(super) fn fmt_leak(&self, f: &mut fmt::Formatter<'_>, bytes: u64) -> fmt::Result {
        let (count, bytes) = (counted(self.count, "allocation"), counted(bytes, "byte"));
        write!(f, "check: leak: {count} of {bytes} in all, not freed when the program ended")?;
        fmt_stack(f, "allocated", &self.allocated)
    }
}

fn name(frame: &Frame) -> &str {
    frame.file.rsplit('/').next().unwrap_or(&frame.file)
}

/// Whether AMD's runtime freed by itself, called by what ends a process: not by a function for programs, which may be
/// the last thing that a function of the program's does, and then has no caller in the stack.
fn is_by_runtime(frames: &[Frame]) -> bool {
    let ends = |frame: &Frame| ["libc.", "libc-", "ld-"].iter().any(|of| name(frame).starts_with(of));
    let is_called = api(frames).is_some_and(|name| !name.starts_with("lib"));
    !is_called && frames.iter().find(|frame| !is_amds(&frame.file)).is_none_or(ends)
}
