// What the fields of requests, calls and events mean. The driver's numbers are those of the kernel's header kfd_ioctl.h; a test compares them.
"use strict";
(function () {
    const memoryFlags = {
        0: "VRAM", 1: "GTT", 2: "USERPTR", 3: "DOORBELL", 4: "MMIO_REMAP",
        25: "UNCACHED", 26: "COHERENT", 27: "AQL_QUEUE_MEM", 28: "NO_SUBSTITUTE", 29: "PUBLIC", 30: "EXECUTABLE", 31: "WRITABLE",
    };
    const queueTypes = { 0: "COMPUTE", 1: "SDMA", 2: "COMPUTE_AQL", 3: "SDMA_XGMI" };
    const eventTypes = { 0: "SIGNAL", 3: "HW_EXCEPTION", 8: "MEMORY" };
    window.kfdNumbers = { memoryFlags, queueTypes, eventTypes };

    const bits = (value, names) => Object.keys(names).filter((bit) => BigInt(value) >> BigInt(bit) & 1n).map((bit) => names[bit]).join(", ");

    // By layer, then by field; a function gets the value and the event.
    const meanings = {
        driver: {
            request: "the number of the ioctl: direction, size of the structure, 'K' (0x4b) or 'd' (0x64), index",
            fd: "the open /dev/kfd or render node",
            va_addr: "address, chosen by the thunk, the same for program and GPU",
            gpu_id: "the driver's number of the GPU, from its topology in /sys",
            handle: "the driver's number of the memory",
            mmap_offset: (_, event) => event.n.includes("ALLOC") ? "where to find the memory in the render node, for mmap; before the call, the program's own pages (USERPTR)" : "",
            flags: (value, event) => event.n.includes("ALLOC_MEMORY") ? bits(value, memoryFlags) : "",
            queue_type: (value) => queueTypes[value],
            event_type: (value) => eventTypes[value],
            ring_base_address: "the ring of packets, in memory that program and GPU share",
            ring_size: "bytes; a packet has 64",
            write_pointer_address: "in amd_queue_t: how many packets the program has reserved",
            read_pointer_address: "in amd_queue_t: how many packets the GPU has taken",
            doorbell_offset: "given back: where to map the page of doorbells, and the queue's place in it",
            eop_buffer_address: "end of pipe: where the GPU notes ends of work",
            ctx_save_restore_address: "where the waves of the queue are saved when it is taken from the GPU",
            ctl_stack_size: "part of the save area, as large as the driver computes",
            queue_priority: "0 to 15",
            queue_percentage: "100: the queue may run; 0: it may not",
            n_success: "GPUs that were done",
            event_id: "number of the event",
            event_trigger_data: "what the GPU sends with its interrupt",
            event_slot_index: "place in the page of events",
            events_ptr: "the events waited for",
            wait_for_all: "0: one of them is enough",
            timeout: "milliseconds",
            wait_result: "0: done; 1: timed out",
            nattr: "number of attributes behind the structure",
            op: (value, event) => event.n.includes("SVM") ? (value === "0" ? "set attributes of a range of memory" : "get attributes of a range of memory") : "",
        },
        hip: {
            kernel: "name of the kernel that the address stands for",
            function_address: "the host's function that stands for the kernel",
            numBlocks: "work-groups of the grid",
            dimBlocks: "work-items of a work-group",
            args: "pointers to the arguments",
            sharedMemBytes: "bytes of LDS besides what the kernel declares",
            stream: (value) => value === "0x0" ? "the default stream" : "",
            kind: "direction of the copy",
        },
        hsa: {
            signal: "handle of a signal: the address of its amd_signal_t",
            queue: "the queue (hsa_queue_t)",
            value: (_, event) => event.n.includes("write_index") ? "packets to reserve" : "",
            compare_value: "with which the condition compares the signal",
            timeout_hint: "ticks of the system's clock",
            wait_state_hint: "HSA_WAIT_STATE_ACTIVE: look at it all the time; BLOCKED: sleep in the driver",
            completion_signal: "counted down by 1 when the copy is done",
            dep_signals: "signals that have to be 0 before",
        },
        queue: {
            index: "number of the packet since the queue was made; its slot is this, modulo the size of the ring",
            queue_id: "the driver's number of the queue",
            value: "index of the last packet that is complete",
            signal: "the doorbell's signal, which holds the address of the mapped register",
        },
        gpu: {
            dispatch: "number of the kernel's start on this GPU",
            instructions: "executed by all its waves",
            completion: "handle of the signal to count down",
            depends_on: "signals that have to be 0 before",
            kernarg: "address of the arguments",
            kernel_object: "address of the kernel descriptor",
            lds: "bytes of LDS a work-group",
            private: "bytes of scratch a work-item",
            vgprs: "vector registers a wave",
            source: "what raised the interrupt",
            event_id: "the driver's event that wakes who waits",
            operation: (value) => value === "47" ? "64-bit addition" : "",
        },
    };

    // What a field of an event means, or nothing.
    window.meaningOf = function (event, field, value) {
        const known = (meanings[event.l] || {})[field.replace(" (given back)", "")];
        return (typeof known === "function" ? known(value, event) : known) || "";
    };
})();
