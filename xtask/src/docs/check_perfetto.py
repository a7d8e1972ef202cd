"""Decodes a file of TrackEvents by Perfetto's own definitions, and compares it with the same recording in lines of JSON.

Arguments: the .pftrace file, the .jsonl file; or what the site's viewer wrote and the recording's .js file. Prints what is wrong, or how much was compared.
"""

import collections
import json
import sys

from google.protobuf import unknown_fields
from google.protobuf.descriptor import FieldDescriptor
from perfetto.protos.perfetto.trace import perfetto_trace_pb2

Event = perfetto_trace_pb2.TrackEvent
wrong = []


def check(condition, *what):
    if not condition:
        wrong.append(" ".join(str(part) for part in what))


def known_fields_only(message, path):
    for field in unknown_fields.UnknownFieldSet(message):
        check(False, path, "has field", field.field_number, "which the definitions do not have")
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            for part in value if not hasattr(value, "ListFields") else [value]:
                known_fields_only(part, f"{path}.{field.name}")


with open(sys.argv[1], "rb") as file:
    data = file.read()
trace = perfetto_trace_pb2.Trace()
trace.ParseFromString(data)
known_fields_only(trace, "Trace")
check(trace.SerializeToString() == data, "the same messages have other bytes")
of_the_site = sys.argv[2].endswith(".js")
with open(sys.argv[2]) as file:
    if of_the_site:
        lines = [line.strip().rstrip(",") for line in file]
        recorded = [{"name": json.loads(line)["n"]} for line in lines if line.startswith("{")]
        expected = [set(flow) for flow in json.loads(next(line for line in lines if line.startswith("flows: "))[7:])]
    else:
        lines = [json.loads(line) for line in file]
        recorded = [line for line in lines if "id" in line]
        expected = [flow for flow in lines if flow["kind"] == "flow"]

first = trace.packet[0]
check(first.sequence_flags & first.SEQ_INCREMENTAL_STATE_CLEARED, "the sequence does not begin")
clock = first.clock_snapshot.primary_trace_clock
tracks = set()
depth = collections.Counter()
latest = collections.Counter()
names = collections.Counter()
flows = collections.defaultdict(list)
for packet in trace.packet:
    check(packet.trusted_packet_sequence_id == first.trusted_packet_sequence_id, "a packet of another sequence")
    if packet.HasField("track_descriptor"):
        descriptor = packet.track_descriptor
        check(not descriptor.HasField("parent_uuid") or descriptor.parent_uuid in tracks, "a track comes before its parent")
        tracks.add(descriptor.uuid)
    if not packet.HasField("track_event"):
        continue
    event, track = packet.track_event, packet.track_event.track_uuid
    check(packet.timestamp_clock_id == clock, "an event by another clock")
    check(track in tracks, "an event of no track:", event)
    check(packet.timestamp >= latest[track], "an event comes before an earlier one:", event)
    latest[track] = packet.timestamp
    if event.type == Event.TYPE_SLICE_END:
        depth[track] -= 1
        check(depth[track] >= 0, "a slice ends that did not begin")
        continue
    depth[track] += event.type == Event.TYPE_SLICE_BEGIN
    # A moment that stands for the end of a slice is in no line.
    if event.categories:
        names[event.name] += 1
    for flow in event.flow_ids:
        flows[flow].append((packet.timestamp, False))
    for flow in event.terminating_flow_ids:
        flows[flow].append((packet.timestamp, True))

unfinished = sum("unfinished" in line for line in recorded)
check(sum(depth.values()) == unfinished, sum(depth.values()), "slices have no end,", unfinished, "calls had none")
check(names == collections.Counter(line["name"] for line in recorded), "the events are others")
STEPS = ["call", "packet", "doorbell", "kernel", "completed_by", "signal", "wait"]
check(len(flows) == len(expected) > 0, len(flows), "flows,", len(expected), "are in the lines")
for number, steps in enumerate(expected if of_the_site else []):
    check(len(flows[number + 1]) == len(steps), "flow", number, "has", len(flows[number + 1]), "of", len(steps), "steps")
for flow in [] if of_the_site else expected:
    # A thread may do two steps at once.
    steps = {flow[step] for step in STEPS if step in flow}
    marks = flows[flow["flow"] + 1]
    check(len(marks) == len(steps), "flow", flow["flow"], "has", len(marks), "of", len(steps), "steps")
    check([last for _, last in marks].count(True) == 1 and marks[-1][1], "flow", flow["flow"], "ends elsewhere:", marks)

for line in wrong[:20]:
    print(line)
if wrong:
    sys.exit(1)
print(f"{len(recorded)} events and {len(expected)} flows")
