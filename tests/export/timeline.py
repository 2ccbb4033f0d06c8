"""Reads a timeline as its two formats have it, the JSON with Python's parser and the protobuf with Google's, rebuilds the slices as
a viewer does, and demands that both say the same and what the trace says.

timeline.py [--damaged] TRACE CHROME_JSON PERFETTO INSTANCES_TSV"""
import collections
import csv
import json
import re
import sqlite3
import sys
from decimal import Decimal

import perfetto_pb2

Slice = collections.namedtuple("Slice", "track name categories start end args flow")


def demand(condition, *what):
    if not condition:
        sys.exit("timeline.py: " + " ".join(str(w) for w in what))


def refuse_constant(name):
    demand(False, "no JSON:", name)


def nanoseconds(microseconds):
    ns = microseconds * 1000
    demand(ns == int(ns) and ns >= 0, "time", microseconds)
    return int(ns)


class Open:
    """Slices that are open on each track, as both formats' viewers keep them."""

    def __init__(self):
        self.stacks = collections.defaultdict(list)
        self.slices = []

    def begin(self, track, *slice):
        self.stacks[track].append(slice)

    def end(self, track, ns):
        demand(self.stacks[track], "an end without a begin on", track)
        name, categories, start, args, flow = self.stacks[track].pop()
        demand(ns >= start, "ends before it begins:", name)
        self.slices.append(Slice(track, name, categories, start, ns, args, flow))

    def done(self):
        demand(not any(self.stacks.values()), "begins without an end")
        return self.slices


def freeze(args):
    return tuple(sorted(args.items()))


def read_chrome(path):
    with open(path, encoding="utf-8", errors="strict") as file:
        trace = json.load(file, parse_float=Decimal, parse_constant=refuse_constant)
    names, slices, opened, counters = {}, [], Open(), []
    for event in trace["traceEvents"]:
        demand(isinstance(event["pid"], int) and isinstance(event["tid"], int), event)
        if event["ph"] == "M" and event["name"].endswith("_name"):
            kind = event["name"].split("_")[0]
            names[(kind, event["pid"], event["tid"] if kind == "thread" else 0)] = event["args"]["name"]
    for event in trace["traceEvents"]:
        track = (names.get(("process", event["pid"], 0)), names.get(("thread", event["pid"], event["tid"])))
        if event["ph"] in "XBE":
            demand(None not in track, "a slice on a track without a name", event)
        if event["ph"] == "X":
            start = nanoseconds(event["ts"])
            end = start + nanoseconds(event["dur"])
            flow = event.get("bind_id")
            demand(flow is None or event.get("flow_in") or event.get("flow_out"), "a flow that goes nowhere", event)
            slices.append(Slice(track, event["name"], tuple(event["cat"].split(",")), start, end, freeze(event["args"]),
                                int(flow, 16) if flow else 0))
        elif event["ph"] == "B":
            opened.begin(track, event["name"], tuple(event["cat"].split(",")), nanoseconds(event["ts"]), (), 0)
        elif event["ph"] == "E":
            opened.end(track, nanoseconds(event["ts"]))
        elif event["ph"] == "C":
            (value,) = event["args"].values()
            counters.append((track[0], event["name"], nanoseconds(event["ts"]), float(value)))
        else:
            demand(event["ph"] == "M", "an unknown phase", event)
    return slices + opened.done(), counters


def read_perfetto(path):
    trace = perfetto_pb2.Trace()
    with open(path, "rb") as file:
        trace.ParseFromString(file.read())
    demand(not list(trace.UnknownFields()), "fields that the schema has not")
    tracks, texts, timed = {}, {}, []
    for number, packet in enumerate(trace.packet):
        demand(not list(packet.UnknownFields()) and not list(packet.track_event.UnknownFields()), "unknown fields", packet)
        demand(packet.trusted_packet_sequence_id, "a packet of no sequence")
        demand(packet.sequence_flags == (3 if number == 0 else 2), "flags", packet)
        for table in ("event_categories", "event_names", "debug_annotation_names", "debug_annotation_string_values"):
            for entry in getattr(packet.interned_data, table):
                demand((table, entry.iid) not in texts and entry.iid, "a number twice", entry)
                text = entry.str.decode("utf-8") if table.endswith("values") else entry.name
                texts[(table, entry.iid)] = text
        if packet.HasField("track_descriptor"):
            track = packet.track_descriptor
            demand(track.uuid and track.uuid not in tracks, "a track twice", track)
            demand(not track.parent_uuid or track.parent_uuid in tracks, "a track before its parent", track)
            tracks[track.uuid] = track
        if packet.HasField("track_event"):
            demand(packet.track_event.track_uuid in tracks, "an event before its track", packet)
            timed.append((packet.timestamp, packet.track_event))
    timed.sort(key=lambda item: item[0])  # stable, as trace_processor sorts

    def place(uuid):
        track = tracks[uuid]
        return (tracks[track.parent_uuid].name if track.parent_uuid else None, track.name)

    def argument(a):
        name = a.name or texts[("debug_annotation_names", a.name_iid)]
        if a.HasField("int_value"):
            return name, a.int_value
        if a.string_value_iid:
            return name, texts[("debug_annotation_string_values", a.string_value_iid)]
        return name, a.string_value

    opened, counters = Open(), []
    for ns, event in timed:
        track = place(event.track_uuid)
        if event.type == event.TYPE_SLICE_BEGIN:
            demand(not tracks[event.track_uuid].HasField("counter"), "a slice on a counter")
            name = texts[("event_names", event.name_iid)] if event.name_iid else event.name
            categories = tuple(texts[("event_categories", i)] for i in event.category_iids) + tuple(event.categories)
            args = freeze(dict(argument(a) for a in event.debug_annotations))
            opened.begin(track, name, categories, ns, args, event.flow_ids[0] if event.flow_ids else 0)
        elif event.type == event.TYPE_SLICE_END:
            opened.end(track, ns)
        else:
            demand(event.type == event.TYPE_COUNTER and tracks[event.track_uuid].HasField("counter"), event)
            value = event.counter_value if event.HasField("counter_value") else event.double_counter_value
            counters.append((*track, ns, float(value)))
    return opened.done(), counters


def check_against_trace(path, slices, counters):
    """Copies, kernels and calls are all there, and last as long as the trace says."""
    db = sqlite3.connect(path)
    for category, table in (("copy", "device_copy"), ("kernel", "device_kernel")):
        rows, ns = db.execute(f"SELECT count(*), coalesce(sum(end_ns - start_ns), 0) FROM {table} WHERE end_ns >= start_ns").fetchone()
        found = [s for s in slices if s.categories[0] == category]
        demand((len(found), sum(s.end - s.start for s in found)) == (rows, ns), category, "slices:", len(found), "rows:", rows)
    (launches,) = db.execute("SELECT count(*) FROM launch").fetchone()
    demand(sum(s.categories[0] == "launch" for s in slices) == launches, "launches")
    begun = {s.flow for s in slices if s.flow and s.categories[0] in ("transfer", "memset", "launch")}
    for s in slices:
        if s.categories[0] in ("copy", "kernel", "memset") and "direction" not in dict(s.args) and dict(s.args).get("transfer"):
            demand(s.flow in begun, "a copy that no call points to", s)
    lanes = collections.defaultdict(list)
    for s in slices:
        if s.categories[0] in ("copy", "kernel"):
            lanes[s.track].append(s)
    for lane in lanes.values():
        lane.sort(key=lambda s: (s.start, s.end))
        for before, after in zip(lane, lane[1:]):
            demand(after.start >= before.end, "overlap on one track", before, after)
    for counter in {c[:2] for c in counters if c[1] in ("uploads", "downloads", "other copies")}:
        values = [c for c in counters if c[:2] == counter]
        demand(values[-1][3] == 0, "a rate that never ends", counter)
        area = sum(a[3] * (b[2] - a[2]) / 1e9 for a, b in zip(values, values[1:]))
        kinds = {"uploads": "(1, 3)", "downloads": "(2, 4)"}.get(counter[1], "(0, 5, 6, 7, 8, 9, 10)")
        (moved,) = db.execute(f"SELECT sum(bytes) FROM device_copy WHERE kind IN {kinds} AND end_ns > start_ns").fetchone()
        demand(abs(area - moved) <= 1e-6 * moved + 1, "bytes under the rate of", counter, area, moved)


def check_findings(path, slices):
    """Every instance that `explain --instances` lists is on the slices of its transfer, to be found by name."""
    by_transfer = collections.defaultdict(list)
    for s in slices:
        if "transfer" in dict(s.args) and s.categories[0] == "transfer":
            by_transfer[dict(s.args)["transfer"]].append(s)
    count = 0
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["kind"] != "transfer":
                continue
            wanted = row["finding"]
            found = [s for s in by_transfer[int(row["row"])] if wanted in s.categories and wanted in re.sub("#[0-9]+", "", dict(s.args)["findings"]).split()]
            demand(found, "not on its call:", row)
            count += 1
    print(f"{len(slices)} slices, {count} instances of findings")


def main():
    trace, chrome, perfetto, instances = sys.argv[-4:]
    slices, counters = read_chrome(chrome)
    other_slices, other_counters = read_perfetto(perfetto)
    known = collections.Counter(slices)
    known.subtract(collections.Counter(other_slices))
    differ = [s for s, n in known.items() if n]
    demand(not differ, "the formats differ:", *differ[:3])
    key = lambda c: (c[1], c[2])
    demand([c[1:3] for c in sorted(counters, key=key)] == [c[1:3] for c in sorted(other_counters, key=key)], "counters differ")
    if sys.argv[1] != "--damaged":
        check_against_trace(trace, slices, other_counters)
    check_findings(instances, slices)


main()
