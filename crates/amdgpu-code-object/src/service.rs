//! Services that kernels expect from a runtime beyond their arguments (such as hostcalls), and whether a kernel uses
//! them.

use std::fmt;

/// Something that a runtime provides to kernels through a hidden argument: most are addresses in GPU memory.
///
/// This crate provides none of them itself. A kernel that needs one is refused by name, unless the launch gives its
/// address ([`Launch::with_service`](crate::Launch::with_service)).
///
/// # Declared is not needed
/// Compilers declare more than kernels use. LLVM leaves out what it can prove to be unused, but proves nothing without
/// optimisation, and little where a kernel calls by pointer or uses AMD's hostcall or malloc.
/// [`Kernel::needs`](crate::Kernel::needs) therefore says:
///
/// - The compiler has proven something, since some of the services are not declared: a declared one is needed.
/// - It has not, since host calls, multi-grid synchronisation and (from version 5 on) the heap are all declared: a
///   service is needed if the code object has the functions of AMD's device libraries that use it, in its symbol table.
///   `__ockl_hostcall_internal`, `__ockl_dm_alloc` and `printf` are never inlined, so they are there. Without a symbol
///   table all that is declared is needed.
/// - A printf buffer is declared only if some kernel of the program prints, and then counts as needed by all, because
///   the printing kernel is not recorded.
///
/// A declared service that is not needed is passed as 0. This refuses too much where one kernel of a program prints, or
/// is not optimised and needs a service, and another does not: 0 as the address of that service makes the other run. It
/// refuses too little only for a kernel of the second sort whose use of a device queue or of multi-grid synchronisation
/// was inlined: that one reads from address 0 and ends in a memory fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Service {
    /// Calls to the host: HIP's `printf` and `assert`, and what the heap grows by.
    HostcallBuffer,
    /// OpenCL's `printf`.
    PrintfBuffer,
    /// `malloc` on the device (version 1 of the device library's heap).
    Heap,
    /// OpenCL's default device queue: kernels that launch kernels.
    DefaultQueue,
    /// The action by which kernels that launch kernels signal completion.
    CompletionAction,
    /// Cooperative launches over several devices.
    MultigridSync,
    /// The `amd_queue_t` of the queue on which the kernel runs.
    QueuePointer,
    /// High 32 bits of the address at which scratch memory appears (before gfx9).
    PrivateBase,
    /// High 32 bits of the address at which local memory appears (before gfx9).
    SharedBase,
}

/// Each service with its `.value_kind`, what a message calls it, and the functions of AMD's device libraries that use
/// it: whole names, or the start of names where they end in a star.
const TABLE: [(Service, &str, &str, &[&str]); Service::COUNT] = [
    (
        Service::HostcallBuffer,
        "hidden_hostcall_buffer",
        "the host-call buffer (printf or assert of HIP)",
        &["__ockl_hostcall_internal", "__ockl_hostcall_preview"],
    ),
    (Service::PrintfBuffer, "hidden_printf_buffer", "the printf buffer (printf of OpenCL)", &["printf"]),
    (
        Service::Heap,
        "hidden_heap_v1",
        "the device heap (malloc on the device)",
        &["__ockl_dm_alloc", "__ockl_dm_dealloc"],
    ),
    (
        Service::DefaultQueue,
        "hidden_default_queue",
        "the default device queue (enqueue_kernel)",
        &["__enqueue_kernel_*", "_Z17get_default_queuev"],
    ),
    (
        Service::CompletionAction,
        "hidden_completion_action",
        "the completion action of device-side enqueue (enqueue_kernel)",
        &["__enqueue_kernel_*"],
    ),
    (
        Service::MultigridSync,
        "hidden_multigrid_sync_arg",
        "multi-grid synchronisation (cooperative launch over several devices)",
        &["__ockl_multi_grid_*"],
    ),
    (Service::QueuePointer, "hidden_queue_ptr", "the address of its queue (amd_queue_t)", &["__enqueue_kernel_*"]),
    (Service::PrivateBase, "hidden_private_base", "the base of the private aperture", &[]),
    (Service::SharedBase, "hidden_shared_base", "the base of the shared aperture", &[]),
];

impl Service {
    const COUNT: usize = 9;

    /// `.value_kind` of the hidden argument.
    pub fn value_kind(self) -> &'static str {
        TABLE[self as usize].1
    }

    pub(super) fn from_value_kind(kind: &str) -> Option<Service> {
        TABLE.iter().find(|entry| entry.1 == kind).map(|entry| entry.0)
    }

    /// Bytes of the hidden argument.
    pub(super) fn bytes(self) -> u32 {
        if matches!(self, Service::PrivateBase | Service::SharedBase) { 4 } else { 8 }
    }
}

impl fmt::Display for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (_, value_kind, text, _) = TABLE[*self as usize];
        write!(f, "{text}, {value_kind}")
    }
}

/// A set of services.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Set(u16);

impl Set {
    pub(super) fn contains(self, service: Service) -> bool {
        self.0 >> service as u16 & 1 != 0
    }

    pub(super) fn insert(&mut self, service: Service) {
        self.0 |= 1 << service as u16;
    }

    pub(super) fn contains_all(self, services: &[Service]) -> bool {
        services.iter().all(|&service| self.contains(service))
    }

    pub(super) fn iter(self) -> impl Iterator<Item = Service> {
        TABLE.iter().map(|entry| entry.0).filter(move |&service| self.contains(service))
    }
}

impl fmt::Debug for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// Which services a code object has functions for.
pub(super) struct Evidence {
    pub(super) functions: Set,
    /// There is a table of all symbols, so that a missing one means something.
    pub(super) complete: bool,
}

impl Evidence {
    /// Of a code object without a table of its local symbols.
    pub(super) const UNKNOWN: Evidence = Evidence { functions: Set(0), complete: false };

    /// From the names of all its functions.
    pub(super) fn of<'a>(functions: impl Iterator<Item = &'a [u8]>) -> Evidence {
        let mut found = Set::default();
        for name in functions {
            for (service, _, _, users) in TABLE {
                if users.iter().any(|user| matches(name, user.as_bytes())) {
                    found.insert(service);
                }
            }
        }
        Evidence { functions: found, complete: true }
    }
}

fn matches(name: &[u8], pattern: &[u8]) -> bool {
    match pattern.strip_suffix(b"*") {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}

/// Addresses of services, for one launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Provided([Option<u64>; Service::COUNT]);

impl Provided {
    pub(super) fn set(&mut self, service: Service, value: u64) {
        self.0[service as usize] = Some(value);
    }

    pub(super) fn get(&self, service: Service) -> Option<u64> {
        self.0[service as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum() {
        for (index, entry) in TABLE.iter().enumerate() {
            assert_eq!(entry.0 as usize, index, "{:?}", entry.0);
        }
    }
}
