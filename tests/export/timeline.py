"""Reads a timeline with Google's parser of protobuf, rebuilds the slices as a viewer does, and demands that they say
what the trace says.

timeline.py [--damaged] TRACE PERFETTO INSTANCES_TSV"""
import collections
import csv
import re
import sqlite3
import sys

import perfetto_pb2

Slice = collections.namedtuple("Slice", "track name categories start end args flow")


def demand(condition, *what):
    if not condition:
        sys.exit("timeline.py: " + " ".join(str(w) for w in what))


class Open:
    """Slices that are open on each track, as a viewer keeps them."""

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


def read_perfetto(path):
    trace = perfetto_pb2.Trace()
    with open(path, "rb") as file:
        trace.ParseFromString(file.read())
    demand(not list(trace.UnknownFields()), "fields that the schema has not")
    tracks, texts, timed = {}, {}, []
    for number, packet in enumerate(trace.packet):
        demand(not list(packet.UnknownFields()) and not list(packet.track_event.UnknownFields()),
               "unknown fields", packet)
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
        demand((len(found), sum(s.end - s.start for s in found)) == (rows, ns),
               category, "slices:", len(found), "rows:", rows)
    (launches,) = db.execute("SELECT count(*) FROM launch").fetchone()
    demand(sum(s.categories[0] == "launch" for s in slices) == launches, "launches")
    begun = {s.flow for s in slices if s.flow and s.categories[0] in ("transfer", "memset", "launch")}
    for s in slices:
        if (s.categories[0] in ("copy", "kernel", "memset") and "direction" not in dict(s.args)
                and dict(s.args).get("transfer")):
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
        (moved,) = db.execute(
            f"SELECT sum(bytes) FROM device_copy WHERE kind IN {kinds} AND end_ns > start_ns").fetchone()
        demand(abs(area - moved) <= 1e-6 * moved + 1, "bytes under the rate of", counter, area, moved)


def check_calls(path, slices):
    """Each call of the host is a slice on its thread, as long as it was and with what it says of it."""
    db = sqlite3.connect(path)
    db.text_factory = lambda text: text.decode("utf-8", "replace")
    plain = lambda name: name and name.isprintable() and "\ufffd" not in name and len(name) < 1000
    found = {(s.categories[0], dict(s.args).get(key)): s for s in slices
             for key in ("transfer", "sync", "allocation", "api_call") if key in dict(s.args)}
    for category, key, columns, where in (
            ("transfer", "transfer", "bytes", "t.batch_index IS NULL"), ("sync", "sync", "NULL", "1"),
            ("allocation", "allocation", "bytes", "enter_ns IS NOT NULL"), ("call", "api_call", "bytes", "1")):
        for row, enter, leave, name, size, thread in db.execute(
                f"SELECT t.id, enter_ns, return_ns, e.name, {columns}, th.name FROM {key} t LEFT JOIN entry_point e ON"
                f" e.id = t.entry_point LEFT JOIN thread th ON th.id = t.thread WHERE {where}"):
            s = found.get((category, row))
            demand(s, "no slice of", category, row)
            demand((s.start, s.end) == (enter, leave), "times of", category, row, s)
            demand(dict(s.args).get("bytes") == size, "bytes of", category, row, s)
            if plain(name):
                demand(s.name == name, "name of", category, row, s)
            if plain(thread):
                demand(s.track[1] == thread, "thread of", category, row, s)


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
            found = [s for s in by_transfer[int(row["row"])]
                     if wanted in s.categories and wanted in re.sub("#[0-9]+", "", dict(s.args)["findings"]).split()]
            demand(found, "not on its call:", row)
            count += 1
    print(f"{len(slices)} slices, {count} instances of findings")


def main():
    trace, perfetto, instances = sys.argv[-3:]
    slices, counters = read_perfetto(perfetto)
    if sys.argv[1] != "--damaged":
        check_against_trace(trace, slices, counters)
        check_calls(trace, slices)
    check_findings(instances, slices)


main()
