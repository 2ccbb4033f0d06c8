# What is written as JSON is what docs/schema says, judged by a validator of JSON Schema; and the schemas have only
# grown.
. "$SOURCE/lib.sh"
. "$SOURCE/job_traces.sh"
need_python jsonschema.Draft202012Validator
schemas="$SOURCE/../../docs/schema"
mkdir report explain
count=0
keep() { count=$((count + 1)); cp stdout "$1/$count.json"; } # keep SCHEMA: what is on stdout, to be looked at by it
fixture() {
    out=$1; shift; set -- "$@"; list=; for part in "$@"; do list="$list $SOURCE/fixtures/$part.sql"; done
    make_trace "$out" $list
}
for name in simple simulated without_cupti empty; do fixture $name.db $name; done
fixture killed.db killed killed_early
fixture aside.db killed stepped_aside
fixture ranges.db simple ranges
fixture half.db findings recorded_half
fixture repaired.db findings repaired
fixture steps.db simple recorded_steps
fixture findings.db findings callsites
fixture helper.db findings callsites helper
fixture beside.db findings callsites beside
cp "$GOLDEN"/*.db .
for trace in *.db; do
    run "$XFERSPY" report --json "$trace"; expect_status 0; keep report
    run "$XFERSPY" explain --json "$trace"; expect_status 0; keep explain
    run "$XFERSPY" explain --json --instances "$trace"; expect_status 0; keep explain
    run "$XFERSPY" explain --json --undecided "$trace"; expect_status 0; keep explain
    run "$XFERSPY" explain --json --all "$trace" 1
    [ "$status" -ne 0 ] || keep explain
    run "$XFERSPY" report --json --since=30% --direction=h2d,d2h --site='*' --thread='*' "$trace"; expect_status 0
    keep report
done
for finding in 1 2 3 4 5 6; do
    run "$XFERSPY" explain --json --all findings.db $finding; [ "$status" -ne 0 ] || keep explain
done
for key in site function file module nvtx thread stream device; do
    run "$XFERSPY" report --json --by=$key findings.db; expect_status 0; keep report
done
run "$XFERSPY" report --json simple.db killed.db; expect_status 0; keep report
run "$XFERSPY" report --json beside.db; expect_out '"python_thread": "main"'; expect_out '"python_thread": "other"'
make_ranks ranks
run "$XFERSPY" report --json ranks simple.db without_cupti.db; expect_status 0; keep report
run "$XFERSPY" report --json ranks; expect_status 0; keep report; cp stdout job.json
run "$XFERSPY" report --json --direction=h2d --since=30% ranks; expect_status 0; keep report
run "$XFERSPY" report --json empty.db without_cupti.db; expect_status 0; keep report
run "$XFERSPY" explain --json --finding=leak simple.db; expect_status 0; keep explain

for schema in report explain; do
    step="the JSON of $schema by its schema"
    "$python" "$SOURCE/report/json_schema.py" --strict "$schemas/$schema.schema.json" $schema/*.json >stdout 2>stderr ||
        show "not as the schema says"
done
[ "$count" -ge 60 ] || show "only $count documents"

# What two schemas have in common stands in common.schema.json, once.
step="definitions of the schemas"
"$python" "$SOURCE/report/json_schema.py" --apart "$schemas"/*.schema.json >stdout || show "twice, or not there"

# The schema lets keys come, and not go or change.
run "$XFERSPY" report --json simple.db
document=stdout
wrong() { # wrong WHAT EDIT: the document with the edit is refused
    "$python" -c \
        "import json, sys; d = json.load(open('$document')); t = d['traces'][0]; $2; json.dump(d, sys.stdout)" \
        >edited || exit 1
    if "$python" "$SOURCE/report/json_schema.py" "$schemas/report.schema.json" edited >/dev/null 2>&1; then
        show "the schema takes $1"
    fi
}
wrong "a key that is gone" "del t['findings'][0]['saves']"
wrong "a misspelt key" "t['findings_total']['ran_ns'] = t['findings_total'].pop('run_ns')"
wrong "a text for a number" "t['transfers']['total']['bytes'] = '1'"
wrong "a negative count" "t['transfers']['total']['count'] = -1"
wrong "another format" "d['format'] = 'x'"
wrong "null for what is always known" "t['run']['duration_ns'] = None"
document=job.json
wrong "a job without its processes" "del d['job']['processes']"
wrong "a finding's spread without its most" "del d['job']['findings'][0]['saves_ns']['max']"
wrong "a column that is none" "d['job']['processes'][0]['outlier_in'] = ['x']"
wrong "a process by its name" "d['job']['findings'][0]['by_process'][0]['process'] = 'rank 0'"
"$python" -c "import json, sys; d = json.load(open('stdout')); d['traces'][0]['findings'][0]['new'] = 1; json.dump(d, sys.stdout)" >edited
"$python" "$SOURCE/report/json_schema.py" "$schemas/report.schema.json" edited >/dev/null ||
    show "the schema takes no new key"

# golden/json_keys.txt has every key that was ever promised: lines are added, none is changed or taken away.
# XFERSPY_WRITE_GOLDEN=1 adds those of new keys.
step="keys of the schemas"
"$python" "$SOURCE/report/json_schema.py" --keys "$schemas/common.schema.json" "$schemas/report.schema.json" \
    "$schemas/explain.schema.json" | sort >stdout
sort "$SOURCE/golden/json_keys.txt" | comm -23 - stdout >gone
[ ! -s gone ] || { cat gone; show "keys are gone, or of another type"; }
sort "$SOURCE/golden/json_keys.txt" | comm -13 - stdout >new
[ -z "${XFERSPY_WRITE_GOLDEN:-}" ] || { cat new >>"$SOURCE/golden/json_keys.txt"; : >new; }
[ ! -s new ] || { cat new; show "keys that golden/json_keys.txt does not have yet"; }
[ "$(wc -l <stdout)" -ge 100 ] || show "hardly any keys"
