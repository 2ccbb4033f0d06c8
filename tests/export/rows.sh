# JSON lines and CSV: Python's parsers, jq, and SQLite's import read them back.
. "$SOURCE/lib.sh"
need jq
need_python csv
make_traces
whats=$("$XFERSPY" export --help | sed -n '/^Rows for/,/^$/s/^  \([a-z]*\): .*/\1/p')
[ "$(echo $whats | wc -w)" -ge 10 ] || show "--help lists $whats"
for trace in $traces; do
    for what in $whats; do
        run "$XFERSPY" export --format=jsonl --what=$what -o "$trace.$what.jsonl" "$trace.db"; expect_status 0
        run "$XFERSPY" export --format=csv --what=$what -o "$trace.$what.csv" "$trace.db"; expect_status 0
    done
    run "$python" "$SOURCE/rows.py" $(printf "$trace.%s.jsonl " $whats)
    expect_status 0
done
# As many rows as the tables have, of damaged rows too
for pair in transfers:transfer allocations:allocation kernels:device_kernel copies:device_copy syncs:sync \
    launches:launch; do
    for trace in h100_lines damaged; do
        "$XFERSPY" export --format=jsonl --what=${pair%:*} $trace.db 2>stderr >rows.jsonl
        [ "$(wc -l <rows.jsonl)" -eq "$(sqlite3 $trace.db "SELECT count(*) FROM ${pair#*:}")" ] ||
            show "rows of $pair in $trace"
    done
done
# What is resolved of a transfer
"$XFERSPY" export --format=jsonl h100_upload_wasteful.db >t.jsonl 2>stderr
"$XFERSPY" explain --instances --format=tsv h100_upload_wasteful.db |
    awk -F'\t' '$1 == "noop-upload" && $2 == "transfer" { print $3 }' | sort -n >wanted
"$python" - t.jsonl >found <<'PY'
import json, sys
for line in open(sys.argv[1], encoding="utf-8"):
    row = json.loads(line)
    if any(name.split("#")[0] == "noop-upload" for name in row["findings"]):
        assert row["direction"] == "h2d" and len(row["content"]) == 32 and row["saves_ns"] > 0, row
        print(row["id"])
PY
cmp wanted found || show "noop uploads"
[ -s found ] || show "no noop uploads"
"$XFERSPY" export --format=jsonl --what=findings h100_lines.db >f.jsonl 2>stderr
"$XFERSPY" explain --json h100_lines.db >e.json 2>stderr
"$python" - f.jsonl e.json <<'PY' || show "findings differ from explain's"
import json, sys
mine = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
theirs = json.load(open(sys.argv[2], encoding="utf-8"))["findings"]
assert mine and len(mine) == len(theirs)
for a, b in zip(mine, theirs):
    assert a["instances"] == b["instances"] and a["bytes"] == b["bytes"], (a, b)
PY
# SQLite's shell imports the CSV as it is
"$XFERSPY" export --format=csv -o t.csv h100_upload_wasteful.db 2>stderr
sqlite3 imported.db ".import --csv t.csv t" 2>import.log || show "sqlite3 .import"
[ ! -s import.log ] || { cat import.log; show "sqlite3 .import complains"; }
[ "$(sqlite3 imported.db "SELECT count(*), sum(bytes) FROM t")" = \
    "$(sqlite3 h100_upload_wasteful.db "SELECT count(*), sum(bytes) FROM transfer")" ] ||
    show "sqlite3 .import: other rows"
[ "$(jq -s 'map(.bytes) | add' t.jsonl)" = "$(sqlite3 h100_upload_wasteful.db "SELECT sum(bytes) FROM transfer")" ] ||
    show "jq"
# Spreadsheets: text that they would run is guarded, unless somebody wants it as it is
"$XFERSPY" export --format=csv --what=kernels huge.db 2>stderr | grep -q "'=cmd|" || show "no guard"
"$XFERSPY" export --format=csv --what=kernels --formulas huge.db 2>stderr | grep -q "'=cmd|" &&
    show "a guard where none was wanted"
# Names of 4 KB that 4,000 rows have: whole, until the file is 100 times as long as the trace, then short; said once
cat >long.sql <<'SQL'
UPDATE entry_point SET name = printf('%.*c', 4000, 'e');
UPDATE thread SET name = printf('%.*c', 4000, 't');
INSERT INTO nvtx_range VALUES (900, NULL, '-', printf('%.*c', 4000, 'n'));
INSERT INTO module VALUES (900, '/x', NULL, 1, 9, 0);
INSERT INTO stack(id,native_frames,python_frames,is_cut) VALUES (900, 1, 0, 0);
INSERT INTO stack_frame VALUES (900 * 4096, 900, 0, 5, 900, NULL, NULL, 0);
INSERT INTO symbol VALUES (900, 900, 5, 0, printf('%.*c', 4000, 'f'), printf('%.*c', 4000, 's'), 3);
WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 4999)
INSERT INTO transfer (id, entry_point, thread, direction, bytes, src_kind, dst_kind, is_async, is_captured, result,
    enter_ns, return_ns, stack, nvtx_range) SELECT i, 1, 1, 1, 1, 1, 4, 0, 0, 0, i, i, 900, 900 FROM n;
SQL
make_trace long.db "$CLI/fixtures/simple.sql" long.sql
most=$(($(stat -c %s long.db) * 120))
for format in jsonl csv; do
    run "$XFERSPY" export --format=$format -o long.rows long.db; expect_status 0
    mv long.rows long.$format
    [ "$(wc -c <long.$format)" -le $most ] || show "$format: $(wc -c <long.$format) bytes, at most $most"
    [ "$(grep -c 'from here on they are cut at 255 bytes' stderr)" = 1 ] || show "$format: not said once"
done
run "$python" "$SOURCE/rows.py" long.jsonl; expect_status 0
"$python" - long.jsonl <<'PY' || show "names are not whole at first and short in the end"
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    rows = [row for row in map(json.loads, file) if row["id"] >= 1000]
assert len(rows) == 4000, len(rows)
for name in "entry_point", "thread_name", "nvtx_range", "function", "file":
    assert len(rows[0][name]) == 4000, (name, len(rows[0][name]))
    assert len(rows[-1][name]) == 258 and rows[-1][name].endswith("..."), (name, len(rows[-1][name]))
PY
