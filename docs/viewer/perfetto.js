// A recording as a file for ui.perfetto.dev: TrackEvents, with the numbers of Perfetto's perfetto_trace.proto. `cargo xtask docs --check` reads one by
// Perfetto's own definitions.
"use strict";
(function () {
    const PROCESS = 1;

    function varint(value) {
        const bytes = [];
        let rest = BigInt(value);
        do {
            bytes.push(Number(rest & 127n) | (rest > 127n ? 128 : 0));
            rest >>= 7n;
        } while (rest);
        return bytes;
    }
    const number = (field, value) => [...varint(field << 3), ...varint(value)];
    const fixed64 = (field, value) => [...varint(field << 3 | 1), ...Array.from({ length: 8 }, (_, i) => Number(BigInt(value) >> BigInt(8 * i) & 255n))];
    const message = (field, bytes) => [...varint(field << 3 | 2), ...varint(bytes.length), ...bytes];
    const text = (field, value) => message(field, [...new TextEncoder().encode(value)]);

    // TracePacket: timestamp 8, trusted_packet_sequence_id 10, then the rest. Fields are in the order of their numbers, as Perfetto's own tools write them.
    const packet = (bytes, time) => message(1, [...(time === undefined ? [] : number(8, time)), ...number(10, 1), ...bytes]);
    // The first of a sequence: sequence_flags 13, SEQ_INCREMENTAL_STATE_CLEARED.
    const first = packet(number(13, 1));
    // TrackDescriptor 60: uuid 1, name 2, process 3 (pid 1, process_name 6), parent_uuid 5.
    const track = (uuid, bytes) => packet(message(60, [...number(1, uuid), ...bytes]));

    // TrackEvent 11: debug_annotations 4 (name 10, string_value 6), type 9, track_uuid 11, categories 22, name 23, flow_ids 47.
    function moment(time, type, uuid, annotations, more) {
        const event = [...annotations, ...number(9, type), ...number(11, uuid), ...more];
        return { time, order: type === 2 ? 0 : 1, bytes: packet(message(11, event), time) };
    }

    // The bytes of the file.
    window.perfettoFile = function (data) {
        const start = data.events.length ? data.events[0].t : 0;
        const parts = [first, track(PROCESS, [...text(2, data.command), ...message(3, [...number(1, 1), ...text(6, data.command)])])];
        const tracks = new Map();
        const moments = [];
        for (const event of data.events) {
            const key = `${event.l} ${event.th}`;
            if (!tracks.has(key)) {
                const uuid = tracks.size + PROCESS + 1;
                tracks.set(key, { uuid, ends: [] });
                parts.push(track(uuid, [...text(2, `${event.l}, ${data.threads[event.th]}`), ...number(5, PROCESS)]));
            }
            const { uuid, ends } = tracks.get(key);
            const fields = [...event.a, ...(event.r ? [["result", event.r]] : []), ...(event.s ? [["source", event.s]] : []), ...(event.m ? [["log", event.m]] : [])];
            const annotations = fields.flatMap(([name, value]) => message(4, [...text(6, value), ...text(10, name)]));
            const flows = data.flows.flatMap((flow, index) => flow.includes(event.id - 1) ? fixed64(47, index + 1) : []);
            const more = [...text(22, event.l), ...text(23, event.n), ...flows];
            const begin = event.t - start;
            // A slice ends within the one around it; one that would not is shown as a moment.
            while (ends.length && ends[ends.length - 1] <= begin) {
                ends.pop();
            }
            const end = begin + (event.d || 0);
            if (event.d && (!ends.length || end <= ends[ends.length - 1])) {
                ends.push(end);
                moments.push(moment(begin, 1, uuid, annotations, more), moment(end, 2, uuid, [], []));
            } else {
                moments.push(moment(begin, 3, uuid, annotations, more));
            }
        }
        moments.sort((a, b) => a.time - b.time || a.order - b.order);
        return new Uint8Array([...parts, ...moments.map((one) => one.bytes)].flat());
    };
})();
