//! What the engines process, for the support table.

use crate::support::Support::{self, Full, Partial, Refused};

const AQL: &str = "AQL queue";
const PM4: &str = "PM4 in AQL";
const SDMA: &str = "SDMA queue";

/// Engine, packet, how far it is served.
pub const SUPPORT: &[(&str, &str, Support)] = &[
    (AQL, "HSA_PACKET_TYPE_KERNEL_DISPATCH", Full),
    (AQL, "HSA_PACKET_TYPE_BARRIER_AND", Full),
    (AQL, "HSA_PACKET_TYPE_BARRIER_OR", Full),
    (AQL, "HSA_PACKET_TYPE_AGENT_DISPATCH", Refused("queue error, as on hardware")),
    (AQL, "HSA_AMD_PACKET_TYPE_BARRIER_VALUE", Full),
    (AQL, "HSA_AMD_PACKET_TYPE_PM4_IB", Partial("the PM4 packets below")),
    (PM4, "NOP", Full),
    (PM4, "ACQUIRE_MEM", Full),
    (PM4, "others", Refused("queue error")),
    ("PM4 queue", "all", Refused("no engine runs PM4 rings")),
    (SDMA, "NOP", Full),
    (SDMA, "COPY linear", Full),
    (SDMA, "COPY linear sub-window", Full),
    (SDMA, "COPY others", Refused("the queue stops")),
    (SDMA, "WRITE untiled", Full),
    (SDMA, "INDIRECT", Full),
    (SDMA, "FENCE", Full),
    (SDMA, "TRAP", Full),
    (
        SDMA,
        "POLL_REGMEM",
        Partial(
            "memory, retried for ever; of registers only ROCr's HDP flush, which has nothing to do; others stop the queue",
        ),
    ),
    (
        SDMA,
        "ATOMIC",
        Partial("swap, compare-and-swap, integer arithmetic and bits, 32 and 64 bits wide; others stop the queue"),
    ),
    (SDMA, "CONST_FILL", Full),
    (SDMA, "TIMESTAMP", Partial("GET_GLOBAL; others stop the queue")),
    (SDMA, "swapped bytes, encryption, protected memory", Refused("the queue stops")),
    (SDMA, "others", Refused("the queue stops")),
];
