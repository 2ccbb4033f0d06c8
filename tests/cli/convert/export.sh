# The command `export` itself: its formats, its options, what it refuses. What it writes is read by others, in
# tests/export.
. "$SOURCE/lib.sh"
need_python
need script
make_trace t.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql"
sum=$(cksum <t.db)
formats="perfetto jsonl csv speedscope openmetrics"
for format in $formats; do
    run "$XFERSPY" export --format=$format t.db; expect_status 0; expect_no_err
    [ -s stdout ] || show "nothing of $format"
    cp stdout expected
    run "$XFERSPY" export t.db --format $format -o out.$format; expect_status 0; expect_no_err; expect_no_out
    cmp out.$format expected || show "-o FILE has something else than standard output"
    run "$XFERSPY" export --format=$format -o out.$format t.db
    expect_error_of "out.$format: exists already; --force replaces it"
    run "$XFERSPY" export --format=$format --force -o out.$format t.db; expect_status 0
    cmp out.$format expected || show "--force has something else"
    run "$XFERSPY" export --format=$format --force -o t.db t.db; expect_error_of "is the trace being read"
    run "$XFERSPY" export --format=$format -o missing.out nowhere.db; expect_error_of nowhere.db
    [ ! -e missing.out ] || show "left a file of nothing"
    run "$XFERSPY" export --help; expect_out "  $format: "
    # a full disk is said, once
    run sh -c '"$XFERSPY" export --format=$0 t.db >/dev/full' $format; expect_error_of "No space left"
done
[ "$sum" = "$(cksum <t.db)" ] || show "the trace was changed"

usage() { # usage WORD...: a usage error that says all of these
    expect_status 2; expect_no_out
    for word in "$@"; do expect_err "$word"; done
}
words="$formats parquet" # parquet makes files in a folder: tests/export/parquet.sh
run "$XFERSPY" export --help; expect_out "  parquet: "
run "$XFERSPY" export t.db; usage "which format?" $words
run "$XFERSPY" export --format=orc t.db
usage "--format=orc: use $(echo $words | sed 's/ /, /g; s/\(.*\), /\1 or /')"
run "$XFERSPY" export --format=prometheus t.db; usage "did you mean \`openmetrics'?"
run "$XFERSPY" export --format=prfetto t.db; usage "did you mean \`perfetto'?"
run "$XFERSPY" export --format=csv; usage "which trace?"
run "$XFERSPY" export --format=csv --what=transfer t.db; usage "--what=transfer: use transfers, findings"
run "$XFERSPY" export --format=perfetto --what=kernels t.db; usage "--what is about the rows of jsonl and csv"
run "$XFERSPY" export --format=jsonl --formulas t.db; usage "--formulas is about csv"
run "$XFERSPY" export --format=csv t.db t.db; usage "one trace at a time"

# A place in the program, an NVTX range and a finding, where a row has them
run "$XFERSPY" export --format=jsonl t.db
grep -q '"function":"[^"]*","file":"[^"]*","line":[0-9]*,"nvtx_range":"' stdout || show "no call site"
grep -q '"findings":\["' stdout || show "no findings"
run "$XFERSPY" export --format=csv --what=findings t.db; expect_out "saves_ns"; expect_out "noop-upload"

# Of a sample (58 of 499 were checked) the numbers are those of all copies, as in the text, and it is said
cp "$GOLDEN/guide_cpp_before.db" sampled.db
run "$XFERSPY" export --format=jsonl --what=findings sampled.db; expect_status 0
grep '"finding":"noop-upload"' stdout >noop
for number in '"instances":499' '"is_estimate":1' '"instances_found":58' '"instances_low":4[0-9][0-9],' \
    '"instances_high":499' '"checked":58'; do
    grep -q "$number" noop || show "expected $number of noop-upload"
done
grep -q '"finding":"pageable".*"is_estimate":0' stdout || show "pageable is no estimate"
# The CSV's columns have their names over them: as many in each row
run "$XFERSPY" export --format=csv --what=findings sampled.db
expect_out "checked_of,is_estimate,instances_found,instances_low,instances_high"
# `explain` in rows has the same numbers under the same names
cp stdout findings.csv; run "$XFERSPY" explain --format=tsv sampled.db; expect_status 0
"$python" - <<'END' >stderr || show "explain --format=tsv and CSV differ"
import csv
names = ("instances transfers bytes device_ns exposed_ns host_ns saves_least_ns saves_most_ns checked checked_of "
         "is_estimate instances_found instances_low instances_high").split()
rows = list(csv.DictReader(open("findings.csv"))), list(csv.DictReader(open("stdout"), delimiter="\t"))
of_csv, of_tsv = ([[row[name] for name in names] for row in table] for table in rows)
assert of_csv == of_tsv, (of_csv, of_tsv)
for row in rows[0]: # looking at a copy takes time in its call: once this was multiplied, to more than all calls took
    assert (row["host_ns"] == "") == (row["is_estimate"] == "1"), row
assert ["499", "1", "58"] in [[row[0], row[10], row[11]] for row in of_tsv]
END
# The JSON has both: what was found, and in `in_all` what CSV has.
run "$XFERSPY" report --json sampled.db; expect_status 0
"$python" - <<'PY' >stderr || show "the JSON has other times than CSV"
import csv, json
rows = {row["finding"]: row for row in csv.DictReader(open("findings.csv", newline=""))}
found = {f["name"]: f for f in json.load(open("stdout"))["traces"][0]["findings"]}
assert rows.keys() == found.keys()
for name, f in found.items():
    for key in ("device_ns", "exposed_ns", "host_ns"):
        time = f["in_all"]["cost"][key]
        assert rows[name][key] == ("" if time is None else str(time)), (name, key)
    assert f["in_all"]["is_estimate"] == (f["in_all"]["cost"]["host_ns"] is None), name
noop = found["noop-upload"]
assert noop["in_all"]["cost"]["device_ns"] > 8 * noop["cost"]["device_ns"], noop
assert noop["in_all"]["removable"]["device_ns"] > 8 * noop["removable"]["device_ns"], noop
PY
run "$XFERSPY" export --format=openmetrics sampled.db; expect_status 0
for metric in instances instances_high; do
    grep -q "^xferspy_finding_$metric{.*finding=\"noop-upload\"} 499\$" stdout || show "expected 499 of $metric"
done
grep -q '^xferspy_finding_instances_found{.*finding="noop-upload"} 58$' stdout || show "expected 58 found"
[ "$(grep -c '^xferspy_finding_bytes{.*finding="noop-upload"} 4[0-9]*$' stdout)" -eq 1 ] || show "bytes of a sample"

# Bytes for programs do not go to a terminal
step="perfetto to a terminal"
script -qec '"$XFERSPY" export --format=perfetto t.db' /dev/null >stdout 2>stderr </dev/null; status=$?
expect_status 1; expect_out "is binary, and standard output is a terminal"
script -qec '"$XFERSPY" export --force --format=perfetto t.db' /dev/null >stdout 2>stderr </dev/null; status=$?
expect_status 0

# What docs/use/export.md quotes, written by the commands that it shows; scripts/check-quotes compares the page with
# these.
if command -v jq >/dev/null; then
    quoted() (
        cd "$GOLDEN" || exit 1
        "$XFERSPY" export --format=jsonl h100_cupy_lines.db |
            jq -c 'select(.findings != []) | {id, direction, bytes, file, line, findings}' | head -n 2
        "$XFERSPY" export --format=jsonl --what=findings h100_lines.db |
            jq -c '{finding, transfers, saves_ns, function, line}'
        "$XFERSPY" export --format=csv --what=kernels h100_cupy_lines.db | cut -d, -f1,2,6-8,10 | tr -d '\r' | head -n 2
    )
    run quoted; expect_status 0; expect_golden "$SOURCE/golden/export_rows.txt"
fi
# A name of a megabyte at 600 copies is cut before the rows are sorted: neither memory nor temporary files grow with it.
echo "UPDATE entry_point SET name = printf('%.*c', 1 << 20, 'e') WHERE id IN (SELECT entry_point FROM transfer);
    UPDATE kernel_name SET name = printf('%.*c', 1 << 20, 'k');" >long_names.sql
cp "$GOLDEN/h100_wasteful.db" long_names.db; chmod u+w long_names.db
"$python" -c 'import sqlite3; sqlite3.connect("long_names.db").executescript(open("long_names.sql").read())'
small() { (ulimit -f 65536; exec "$@"); }
for format in $formats; do
    run small "$XFERSPY" export --format=$format -o long_names.out --force long_names.db; expect_status 0; expect_no_err
done

quoted_metrics() (
    cd "$GOLDEN" || exit 1
    "$XFERSPY" export --format=openmetrics h100_upload_wasteful.db h100_upload_repaired.db |
        grep -E '^xferspy_(saved|transfer_bytes)'
)
run quoted_metrics; expect_status 0; expect_golden "$SOURCE/golden/export_openmetrics.txt"
