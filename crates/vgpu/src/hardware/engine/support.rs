//! The packets that the engines process, for the support table.

use crate::support::Support::{self, Full, Partial, Refused};

const AQL: &str = "AQL queue";
const PM4: &str = "PM4 queue, PM4 in AQL";
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
    (PM4, "INDIRECT_BUFFER", Partial("two levels, and chains; more stop the queue")),
    (PM4, "SET_SH_REG", Partial("of the compute registers, work-group masks and resource limits have no effect")),
    (
        PM4,
        "PRED_EXEC",
        Partial("in indirect buffers; what it guards is done once if one of the XCCs that process the buffer is named"),
    ),
    (PM4, "SET_UCONFIG_REG", Partial("kept, without effect")),
    (PM4, "DISPATCH_DIRECT", Partial("the first work-group is 0, 0, 0: other COMPUTE_START stop the queue")),
    (PM4, "DISPATCH_INDIRECT", Partial("as DISPATCH_DIRECT")),
    (PM4, "ACQUIRE_MEM", Full),
    (
        PM4,
        "RELEASE_MEM",
        Partial("32 or 64 bits or the clock to memory, interrupt without comparison; others stop the queue"),
    ),
    (PM4, "WRITE_DATA", Partial("to memory and registers; others stop the queue")),
    (
        PM4,
        "COPY_DATA",
        Partial("of memory, registers that the queue wrote, immediate data and the clock; others stop the queue"),
    ),
    (PM4, "ATOMIC_MEM", Partial("as SDMA's ATOMIC")),
    (
        PM4,
        "WAIT_REG_MEM",
        Partial("of memory, registers that the queue wrote, and the flush of HDP; others stop the queue"),
    ),
    (
        PM4,
        "EVENT_WRITE",
        Partial("a partial flush of compute waits; events of caches and graphics do nothing; samples stop the queue"),
    ),
    (PM4, "DMA_DATA", Partial("memory to memory and fill; registers and GDS stop the queue")),
    (PM4, "others", Refused("the queue stops, in AQL with an error")),
    (SDMA, "NOP", Full),
    (SDMA, "COPY linear, broadcast", Full),
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
