# The timeline, read by a parser that is not ours: it has to say what the trace says.
. "$SOURCE/lib.sh"
need protoc
need_python google.protobuf
mkdir modules
protoc --python_out=modules -I "$SOURCE" "$SOURCE/perfetto.proto" || exit 1
export PYTHONPATH=$WORK/modules
make_traces
for trace in $traces; do
    run "$XFERSPY" export --format=perfetto -o "$trace.pftrace" "$trace.db"
    expect_status 0; expect_no_out
    "$XFERSPY" explain --instances --format=tsv "$trace.db" >"$trace.tsv" 2>/dev/null
    flag=
    [ $trace = damaged ] && flag=--damaged # whose numbers are not those of its rows
    run "$python" "$SOURCE/timeline.py" $flag "$trace.db" "$trace.pftrace" "$trace.tsv"
    expect_status 0
    cat stdout
    # a name of 200 KB is cut, and written once
    [ "$(wc -c <"$trace.pftrace")" -lt 3000000 ] || show "$trace.pftrace is too large"
done
# What a person searches for, by name: a category, which is written once, and the ranges' track
grep -aq noop-upload h100_upload_wasteful.pftrace || show "no noop-upload to search for"
grep -aq 'NVTX ranges of' places.pftrace || show "no NVTX ranges"
# More than 32 MiB of different names: whole while they are kept to be written once, then cut, not within a character
cat >long.sql <<'SQL'
WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
INSERT INTO nvtx_range SELECT i, NULL, '-', printf('%06d', i) || replace(hex(zeroblob(2000)), '00', 'é') FROM n;
INSERT INTO transfer (id, entry_point, thread, direction, bytes, src_kind, dst_kind, is_async, is_captured, result,
    enter_ns, return_ns, nvtx_range) SELECT id, 1, 1, 1, 1, 1, 4, 0, 0, 0, 400000000 + id, 400000000 + id, id
    FROM nvtx_range WHERE id >= 1000;
SQL
make_trace long.db "$CLI/fixtures/simple.sql" long.sql
run "$XFERSPY" export --format=perfetto -o long.pftrace long.db; expect_status 0
"$python" - long.pftrace <<'PY' || show "names are not whole at first and cut in the end"
import sys
import perfetto_pb2
trace = perfetto_pb2.Trace()
with open(sys.argv[1], "rb") as file:
    trace.ParseFromString(file.read())
whole = {entry.name for packet in trace.packet for entry in packet.interned_data.event_names if "é" in entry.name}
cut = [packet.track_event.name for packet in trace.packet if packet.track_event.name]
ids = sorted(name[:6] for name in [*whole, *cut])
assert ids == ["%06d" % i for i in range(1000, 10000)], len(ids)
assert all(len(name) == 6 + 2000 for name in whole)
assert 7000 * 4000 < sum(len(name.encode()) for name in whole) <= 32 << 20, len(whole)
assert cut and all(name[6:] == 125 * "é" + "..." for name in cut), cut[:1]
PY
