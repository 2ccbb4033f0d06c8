# fleet: what many runs say together, from fleet files, joined ones and traces; with other numbers than a database:
# tests/export/fleet.sh.
. "$SOURCE/lib.sh"
need_python sqlite3
run "$python" "$SOURCE/fleet/make_fleet.py" "$GOLDEN" traces 45; expect_status 0
run "$XFERSPY" export --format=parquet -o fleet traces; expect_status 0; expect_no_out; expect_no_err

# The text, and what docs/use/fleet.md quotes.
run "$XFERSPY" fleet --changed-since=2026-01-03 fleet; expect_status 0; expect_no_err
expect_golden "$SOURCE/golden/fleet.txt"
run "$XFERSPY" fleet --group-by=label:team fleet; expect_status 0; expect_golden "$SOURCE/golden/fleet_teams.txt"

# Traces give the same answer as their files, and joined files do, too.
for by in place program day label:team; do
    run "$XFERSPY" fleet --json --group-by=$by --changed-since=2026-01-03 fleet; expect_status 0
    cp stdout "files_${by#*:}.json"
done
run "$XFERSPY" fleet --json --changed-since=2026-01-03 traces; expect_status 0
cmp stdout files_place.json || show "traces and files differ"
cp -r fleet joined
run "$XFERSPY" fleet --compact joined; expect_status 0; expect_out "became"
[ "$(find joined/runs -name '*.parquet' | wc -l)" -eq 10 ] || show "not one file for each day and cluster"
[ -z "$(find joined -type d -empty)" ] || show "empty folders are left"
for by in place program day label:team; do
    run "$XFERSPY" fleet --json --group-by=$by --changed-since=2026-01-03 joined; expect_status 0
    cmp stdout "files_${by#*:}.json" || show "joined files differ by $by"
done
run "$XFERSPY" fleet --compact joined; expect_status 0; expect_out "0 files became 0"

# What is new and what is gone, with the commit that changed it; what stays is neither.
run "$XFERSPY" fleet --json --changed-since=2026-01-03 fleet
"$python" - <<'END' >stderr 2>&1 || show "new and gone"
import json
d = json.load(open("stdout"))
assert d["runs"] == 45 and d["programs"] == 3 and d["hosts"] == 7, d["runs"]
change = {}
for r in d["rows"]:
    change.setdefault((r["program"], r["change"]), []).append(r)
gone = {(r["finding"], r["changed_commit"]) for r in change["train", "gone"]}
assert ("noop-upload", "aaaa000000000002") in gone, gone
new = {(r["finding"], r["changed_commit"]) for r in change["train.py", "new"]}
assert ("noop-upload", "bbbb000000000002") in new, new
assert {key[1] for key in change if key[0] == "host_round_trip_wasteful"} == {None}, change.keys()
for r in d["rows"]:
    assert r["wasted_ns"] == sum(day["wasted_ns"] for day in r["days"])
    assert r["runs"] == sum(day["runs"] for day in r["days"])
    assert r["change"] != "new" or (r["runs_before"], r["wasted_before_ns"]) == (0, 0)
    assert r["change"] != "gone" or r["runs_before"] == r["runs"]
END

# Which runs: since a day, of a program, with a label.
runs() { # runs COUNT OPTION...
    wanted=$1; shift
    run "$XFERSPY" fleet --json "$@" fleet; expect_status 0; expect_out "\"runs\": $wanted,"
}
runs 27 --since=2026-01-03
runs 15 --program='host_*'
runs 30 --label=team=vision
runs 18 --label=team=vision --since=2026-01-03
runs 0 --label=team=none
runs 0 --since=2200-01-01
run "$XFERSPY" fleet --since=0d fleet; expect_status 0; expect_out "0 runs"

# Order, and how many rows
run "$XFERSPY" fleet --format=csv --group-by=host --sort=name fleet
[ "$(sed 1d stdout | cut -d, -f1 | paste -sd ' ')" = "node00 node01 node02 node03 node04 node05 node06" ] ||
    show "order"
run "$XFERSPY" fleet --format=csv --sort=share fleet; cp stdout share.csv
"$python" - <<'END' >stderr 2>&1 || show "not in the order of the share"
import csv
shares = [int(r["wasted_ns"]) / int(r["gpu_ns"]) for r in csv.DictReader(open("share.csv", newline=""))]
assert shares == sorted(shares, reverse=True) and len(shares) > 3, shares
END
run "$XFERSPY" fleet --top=1 fleet; expect_out "more rows: --top="
run "$XFERSPY" fleet --format=markdown --top=2 fleet; expect_status 0; expect_out "|---:|"
[ "$(grep -c '^| `' stdout)" -eq 3 ] || show "rows of Markdown" # the header has the key in such a form, too

# A run that is exported again, or that stayed beside its joined file because joining was killed, counts once.
run "$XFERSPY" export --format=parquet -o joined traces/0000.db traces/0001.db; expect_status 0
run "$XFERSPY" fleet --json --changed-since=2026-01-03 joined; expect_status 0; expect_out '"repeated_runs": 2'
sed 's/"repeated_runs": 2/"repeated_runs": 0/' stdout | cmp - files_place.json || show "a run counts twice"
run "$XFERSPY" fleet --compact joined; expect_status 0; expect_out "2 runs were there twice"
run "$XFERSPY" fleet --json --changed-since=2026-01-03 joined; cmp stdout files_place.json || show "after joining"

# Files that are none are named, and the others are counted.
hurt=fleet/runs/dt=2026-01-01/cluster=unknown/job=4000
echo torn >$hurt/torn.parquet
head -c 900 "$(find fleet/runs -name '*.parquet' | sort | tail -n 1)" >$hurt/cut.parquet
echo hidden >$hurt/.hidden.parquet
run "$XFERSPY" fleet --json fleet; expect_status 1; expect_out '"runs": 45'; expect_out '"unreadable_files": 2'
expect_err "torn.parquet: left out: it is no Parquet file"; [ "$(wc -l <stderr)" -eq 2 ] || show "two lines"
run "$XFERSPY" fleet --compact fleet; expect_status 1; expect_err "left as it is"
[ -e $hurt/torn.parquet ] && [ -e $hurt/cut.parquet ] || show "a file that could not be read was deleted"
rm $hurt/torn.parquet $hurt/cut.parquet
run "$XFERSPY" fleet --json --changed-since=2026-01-03 fleet
cmp stdout files_place.json || show "after joining the rest"
# Only one process joins at a time.
step="a folder that is locked"
"$python" -c 'import fcntl, subprocess, sys
lock = open("fleet/.compact.lock", "w")
fcntl.flock(lock, fcntl.LOCK_EX)
sys.exit(subprocess.run([sys.argv[1], "fleet", "--compact", "fleet"]).returncode)' "$XFERSPY" >stdout 2>stderr
status=$?
expect_status 1; expect_err "being joined by another process"

usage() { expect_status 2; expect_no_out; expect_err "$1"; }
run "$XFERSPY" fleet --group-by=label: fleet; usage "needs the key of a label"
run "$XFERSPY" fleet --group-by=colour fleet; usage "--group-by=colour: use place, finding"
run "$XFERSPY" fleet --since=yesterday fleet; usage "--since=yesterday: use a day like 2026-01-31"
run "$XFERSPY" fleet --label=team fleet; usage "--label=team: use KEY=VALUE"
run "$XFERSPY" fleet --compact --group-by=day fleet; usage "--compact answers no question"
run "$XFERSPY" fleet --compact traces; expect_error_of "traces: has no fleet files"
run "$XFERSPY" fleet nowhere; expect_error_of nowhere

# The JSON is what docs/schema says.
if python_has jsonschema.Draft202012Validator; then
    step="the JSON by its schema"
    "$python" "$SOURCE/report/json_schema.py" --strict "$SOURCE/../../docs/schema/fleet.schema.json" files_*.json \
        >stdout 2>stderr || show "not as the schema says"
fi
