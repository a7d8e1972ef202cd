//! Agent dispatch.

use super::packet;
use crate::PacketType;

/// Agent dispatch packet (`hsa_agent_dispatch_packet_t`): a call of a function of a host agent. GPU queues do not
/// process it.
#[must_use = "a packet does nothing before it is submitted"]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C, align(64))]
pub struct AgentDispatch {
    header: u16,
    function: u16,
    reserved0: u32,
    return_address: u64,
    arg: [u64; 4],
    reserved2: u64,
    completion_signal: u64,
}

impl AgentDispatch {
    /// Call of `function` (the field `type`: 0..0x3fff belong to HSA, 0x4000..0x7fff to vendors, the rest to
    /// applications).
    pub const fn new(function: u16, arg: [u64; 4]) -> AgentDispatch {
        AgentDispatch {
            header: PacketType::AgentDispatch as u16,
            function,
            reserved0: 0,
            return_address: 0,
            arg,
            reserved2: 0,
            completion_signal: 0,
        }
    }

    /// Sets where the agent stores the result; 0 for nowhere.
    pub const fn with_return_address(mut self, address: u64) -> Self {
        self.return_address = address;
        self
    }

    /// Number of the function.
    pub const fn function(&self) -> u16 {
        self.function
    }

    /// Where the result goes, 0 for nowhere.
    pub const fn return_address(&self) -> u64 {
        self.return_address
    }

    /// The arguments.
    pub const fn args(&self) -> [u64; 4] {
        self.arg
    }
}

packet!(AgentDispatch: AgentDispatch {
    header @ 0, function @ 2, reserved0 @ 4, return_address @ 8, arg @ 16, reserved2 @ 48, completion_signal @ 56,
});
