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
        assert row["direction"] == "h2d" and len(row["content"]) == 32 and row["removable_ns"] > 0, row
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
true
