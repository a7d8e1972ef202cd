//! Attributes a finding to the program or to AMD's runtime, whose kernels the program cannot change.

use super::Finding;

/// Of the kernels that the runtime launches by itself, those that use memory of the runtime's own. The others copy and
/// fill what the program names.
const OF_OWN_MEMORY: &[&str] = &["__amd_rocclr_initHeap", "__amd_rocclr_scheduler", "__amd_rocclr_gwsInit"];

impl Finding {
    /// Whether the mistake is in a kernel of AMD's runtime, and not in the program's use of it.
    pub fn is_of_runtime(&self) -> bool {
        let [own, other] = self.runtimes_code;
        let has_other = self.text("other_code_object").is_some();
        if !own || has_other && !other {
            return false;
        }
        match self.kind() {
            // The program calls for both.
            "dispatch-race" | "host-race" => false,
            // What is copied or filled is what the program named.
            "out-of-bounds" | "use-after-free" | "memory-fault" | "uninitialized" | "device-race" => {
                self.text("kernel").is_some_and(|kernel| OF_OWN_MEMORY.contains(&kernel))
            }
            _ => true,
        }
    }

    /// The party that can fix it.
    pub fn whose(&self) -> &'static str {
        if self.is_of_runtime() { "runtime" } else { "program" }
    }
}
