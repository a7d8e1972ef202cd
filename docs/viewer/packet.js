// The 64 bytes of an AQL packet, taken apart: names, offsets and meanings as in hsa.h and amd_hsa_queue.h.
"use strict";
(function () {
    const types = ["vendor specific", "invalid", "kernel dispatch", "barrier-AND", "agent dispatch", "barrier-OR"];
    const scopes = ["none", "agent", "system", "reserved"];

    function header(value) {
        const barrier = value >> 8 & 1;
        return `type ${value & 0xff}: ${types[value & 0xff] || "unknown"}; barrier bit ${barrier}` +
            (barrier ? " (starts when all earlier packets of the queue have ended)" : " (may overlap earlier packets)") +
            `; acquire scope ${scopes[value >> 9 & 3]}, release scope ${scopes[value >> 11 & 3]}`;
    }
    const address = (what) => (value) => value === 0n ? "none" : what;
    const completion = (value) => value === 0n ?
        "no signal: the end of this packet is not told by itself" :
        "handle of the signal whose value the GPU decrements by 1 at the end";

    // name, offset, bytes, meaning
    const fields = {
        2: [
            ["header", 0, 2, header],
            ["setup", 2, 2, (value) => `bits 1:0, the number of dimensions: ${value & 3}; the rest is reserved and 0`],
            ["workgroup_size_x", 4, 2, () => "work-items of a work-group"],
            ["workgroup_size_y", 6, 2, () => ""],
            ["workgroup_size_z", 8, 2, () => ""],
            ["reserved0", 10, 2, () => "0"],
            ["grid_size_x", 12, 4, () => "work-items of the whole grid, not work-groups"],
            ["grid_size_y", 16, 4, () => ""],
            ["grid_size_z", 20, 4, () => ""],
            ["private_segment_size", 24, 4, () => "bytes of scratch memory a work-item"],
            ["group_segment_size", 28, 4, () => "bytes of LDS a work-group"],
            ["kernel_object", 32, 8, () => "address of the kernel descriptor in the GPU's memory"],
            ["kernarg_address", 40, 8, address("address of the block of arguments")],
            ["reserved2", 48, 8, () => "0"],
            ["completion_signal", 56, 8, completion],
        ],
        3: [
            ["header", 0, 2, header],
            ["reserved0", 2, 2, () => "0"],
            ["reserved1", 4, 4, () => "0"],
            ...[0, 1, 2, 3, 4].map((i) => [`dep_signal[${i}]`, 8 + 8 * i, 8, address("handle of a signal that has to be 0 first")]),
            ["reserved2", 48, 8, () => "0"],
            ["completion_signal", 56, 8, completion],
        ],
        0: [
            ["header", 0, 2, header],
            ["format", 2, 1, (value) => value === 1 ? "1: commands of the packet processor (PM4) in an indirect buffer" :
                value === 2 ? "2: barrier-value" : "AMD's number of a vendor packet"],
            ["body", 3, 53, () => "what the format says"],
            ["completion_signal", 56, 8, completion],
        ],
    };
    fields[5] = fields[3];

    // A packet as hexadecimal digits, as rows of { name, offset, bytes, value, text, meaning }.
    window.decodePacket = function (hex) {
        const bytes = hex.match(/../g).map((two) => parseInt(two, 16));
        const known = fields[bytes[0]] || [["header", 0, 2, header], ["body", 2, 62, () => ""]];
        return known.map(([name, offset, size, meaning]) => {
            const part = bytes.slice(offset, offset + size);
            if (size > 8) {
                return { name, offset, size, text: "", meaning: meaning() };
            }
            const value = part.reduceRight((sum, byte) => sum << 8n | BigInt(byte), 0n);
            const text = size < 8 && name !== "header" && name !== "setup" ? value.toString() : "0x" + value.toString(16);
            return { name, offset, size, text, meaning: meaning(size < 8 ? Number(value) : value) };
        });
    };
})();
