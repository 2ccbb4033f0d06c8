# Repairs, tried on a program that stands for one: a script that reads the plan as the library does, writes the log, and
# prints a time of its loop which the plan decides. So every machine measures the same.
. "$SOURCE/lib.sh"
need script
need_python jsonschema.Draft202012Validator
json() { "$python" -c "import json; d = json.load(open('${2:-stdout}')); assert $1, $1" || show "not in the JSON: $1"; }
valid() {
    "$python" -W ignore "$SOURCE/report/json_schema.py" --strict "$SOURCE/../../docs/schema/try.schema.json" "$1" \
        >invalid 2>&1 && [ ! -s invalid ] || { cat invalid >stderr; show "not valid"; }
}
# The program. Files beside it say what goes wrong: `wrong`, `accessed`, `unsure`, `differs`, `no-log`, `nothing`,
# `crash`, `exits`, `exits-always`, `not-started`, `other-output`, `unchecked`, `unchecked-all`, `off`, `off-all`,
# `second`; of recording, `no-trace`, `slow-recording`.
# `varies`: a line of the output differs in every run; `varies-all`: there is no other line.
mkdir app
cat >app/app.sh <<'END'
cd "$(dirname "$0")"
loop=400
if [ -n "${XFERSPY_OUTPUT:-}" ]; then # it is recorded: as it comes, and with all contents
    case ${XFERSPY_FINGERPRINT:-} in '') from=short ;; *) from=run ;; esac
    [ $from = run ] || [ ! -e none ] || from=none
    [ $from != run ] || [ "$XFERSPY_FINGERPRINT $XFERSPY_BUDGET" = "all off" ] || exit 8
    [ "$XFERSPY_STACK${XFERSPY_WINDOW:-}${XFERSPY_OUTSIDE:-}${XFERSPY_REPAIR:-}" = none ] || exit 7
    output=$(printf %s "${XFERSPY_OUTPUT%'%p.db'}" | sed 's/%%/%/g')
    [ -e no-trace ] || for trace in $$ $(ls 2 2>/dev/null); do cp "../$from.db" "$output$trace.db"; done
    [ ! -e slow-recording ] || exec sleep 1000
fi
[ ! -e slow ] || exec sleep 1000
if [ -n "${XFERSPY_REPAIR_PLAN:-}" ]; then
    [ "$XFERSPY_ENABLE" = off ] || exit 9
    mode=$(sed -n 's/^mode //p' "$XFERSPY_REPAIR_PLAN")
    cp "$XFERSPY_REPAIR_PLAN" "plan.$mode.$(echo "$XFERSPY_REPAIR" | tr , +)"
    case ,$XFERSPY_REPAIR, in *,drop-uploads,*) loop=$((loop - 140)) ;; esac
    case ,$XFERSPY_REPAIR, in *,stay-on-device,*) loop=$((loop - 10)) ;; esac
    case ,$XFERSPY_REPAIR, in *,stage,*) loop=$((loop + 30)) ;; esac
    wrong=0 differs=0 applied=9
    checked=$(sed -n 's/^\(drop-uploads\|stay-on-device\) [0-9]* \([0-9-]*\) .*/\2/p' "$XFERSPY_REPAIR_PLAN" |
        awk -F- '{n += NF > 1 ? $2 - $1 + 1 : 1} END {print n + 0}')
    [ ! -e unchecked ] || checked=$((checked - 2))
    [ ! -e unchecked-all ] || [ "$XFERSPY_REPAIR" = "${XFERSPY_REPAIR#*,}" ] || checked=$((checked - 3))
    also=
    [ ! -e off ] || also=',{"name":"gather","off":"no memory"}'
    [ ! -e off-all ] || [ "$XFERSPY_REPAIR" = "${XFERSPY_REPAIR#*,}" ] || also=',{"name":"gather","off":"no memory"}'
    [ ! -e second ] || [ "$mode" = "$(cat second)" ] || : >"$XFERSPY_REPAIR_LOG.2"
    [ ! -e accessed ] || also=',{"name":"drop-downloads","accessed":2,"unsure":1,"refused":{}}'
    [ ! -e unsure ] || also=',{"name":"drop-downloads","accessed":0,"unsure":1,"refused":{}}'
    [ ! -e wrong ] || [ "$mode" = apply ] || wrong=2
    [ ! -e differs ] || [ "$mode" = verify ] || differs=3
    [ ! -e nothing ] || applied=0
    [ ! -e crash ] || kill -9 $$
    [ ! -e exits ] || [ "$mode" = verify ] || ends=6
    [ ! -e not-started ] || exit 127
    [ -e no-log ] || printf '{"version":1,"plan":"%s","differs_from_plan":%d,"repairs":[{"name":"x","applied":%d,
        "bytes":1048576,"checked":%d,"wrong":%d,"refused":{"capturing":1}}%s]}\n' \
        "$mode" $differs $applied $checked $wrong "$also" \
        >"$XFERSPY_REPAIR_LOG"
    [ ! -e other-output ] || echo more
fi
[ ! -e varies ] || echo "took $(date +%s%N) ns"
[ -e varies-all ] || echo "result 42"
echo "loop $loop ms" >&2
[ ! -e exits-always ] || ends=5
exit ${ends:-0}
END
cat >command.sql <<END
INSERT OR REPLACE INTO meta VALUES ('command','sh app/app.sh ''two words'''),('cwd','$PWD');
END
export XFERSPY_LIBRARY="$DUMMY"
try() { run "$XFERSPY" try --yes -n 3 --loop-time='^loop ([0-9.]+)' "$@"; }
make_trace run.db "$SOURCE/fixtures/findings.sql" command.sql
cat >short.sql <<'END'
UPDATE transfer SET return_ns = (enter_ns + return_ns) / 2 WHERE bytes = 8388608;
UPDATE device_copy SET end_ns = (start_ns + end_ns) / 2 WHERE bytes = 8388608;
END
make_trace short.db "$SOURCE/fixtures/findings.sql" command.sql short.sql
echo 'UPDATE transfer SET fingerprint = NULL, skip = 21; DELETE FROM fingerprint;' >none.sql
make_trace none.db "$SOURCE/fixtures/findings.sql" command.sql none.sql

# Every cause alone, and all together: what each gains, what cannot be tried and why.
try run.db; expect_status 0; expect_no_err; cp stdout tried
expect_out "sh app/app.sh 'two words'"; expect_out "3 of each, in turns, after 1 to warm up; not profiled"
expect_out "400 ms of the loop, the median of 3 runs"
expect_out "-140 ms (-140 ms to -140 ms), 3 runs each, output the same"
expect_out "  A minus means that the program takes less time with the repair."
expect_out "cannot be tried: the host uses the value"
some=$(grep -o '^  all  *[0-9]* of the [0-9]* causes' stdout | sed 's/^  all  *//')
tried_rows=$(grep -c '^  [0-9].* output the same$' stdout) rows=$(grep -c '^  [0-9][0-9]*  .* at .*-' stdout)
[ "$some" = "$tried_rows of the $rows causes" ] || show "how many causes are in all: $some"
expect_out "drop-uploads: 9 of 9 copies in the plan, applied 9 times (1.00 MiB); refused: capturing 1"
# The plan: calls that follow each other in one line; both modes; of all together each call once.
expect_plan() { grep -qx -e "$2" "app/$1" || { cat "app/$1" >stderr; show "expected in the plan $1: $2"; }; }
expect_plan plan.verify.drop-uploads "mode verify"; expect_plan plan.apply.drop-uploads "mode apply"
[ "$(head -n 1 app/plan.apply.drop-uploads)" = "xferspy-plan 1" ] || show "the plan's first line"
[ "$(sed 1,2d app/plan.apply.drop-uploads | head -n 2)" = "drop-uploads 0 3 8388608
drop-uploads 0 6 8388608" ] || show "the plan's lines"
# What was measured is beside the trace, and in the report.
[ -s run.db.try.json ] || show "nothing was kept"
valid run.db.try.json
json "[c['finding'] for c in d['causes'] if c['state'] == 'measured'][0] == 'noop-upload'" run.db.try.json
json "d['causes'][1]['measured']['loop']['delta_ns'] == -140 * 10**6 and d['gate']['holds']" run.db.try.json
json "d['causes'][1]['planned'] == 9 == d['causes'][1]['of'] and d['together']['cause'] == 2" run.db.try.json
run "$XFERSPY" report run.db; expect_status 0
expect_out "tried: saves 140 ms (140 ms to 140 ms) of 400 ms, 3 runs each, output the same"
[ "$(grep -c "; $some could be tried" stdout)" = 1 ] || show "all together without those that cannot be tried"
run "$XFERSPY" report --since=50% run.db; expect_status 0; expect_not "tried:" # the whole run was tried
run "$XFERSPY" report --json run.db
json "d['traces'][0]['tried'][0]['delta_ns'] == -140 * 10**6 and d['traces'][0]['tried'][0]['output'] == 'same'"
json "d['traces'][0]['tried'][0]['result'] == 'faster' and d['traces'][0]['tried'][0]['before_ns'] == 400 * 10**6"
json "[(t['causes_tried'] < t['causes'], t['only_causes']) for t in d['traces'][0]['tried'] if t['finding'] is None] == [(True, None)]"
json "d['traces'][0]['try_command'] is None"
run "$XFERSPY" report --format=markdown run.db; expect_status 0
expect_out "  - **tried: saves 140 ms (140 ms to 140 ms) of 400 ms, 3 runs each, output the same**"
expect_out "All repairs tried: saves 140 ms (140 ms to 140 ms) of 400 ms, 3 runs each, output the same"
expect_not "xferspy try"
# Not of another trace of that name, and not where it is damaged.
cp run.db.try.json kept.json
echo '{' >run.db.try.json; run "$XFERSPY" report run.db; expect_status 0; expect_no_err; expect_not "tried:"
sed 's/"identity": "[^"]*"/"identity": "other"/' kept.json >run.db.try.json
run "$XFERSPY" report run.db; expect_status 0; expect_not "tried:"; expect_out "xferspy try run.db"
run "$XFERSPY" report --json run.db; json "d['traces'][0]['try_command'] == ['xferspy', 'try', 'run.db']"
run "$XFERSPY" report --format=markdown run.db
expect_out 'To measure what the repairs gain on the unchanged program: `xferspy try run.db`'
rm run.db.try.json

# How long it takes at least, by the trace's own run, is said before the first run: 1 check and 2 times 4 runs.
echo "UPDATE meta SET value = 10000000000 WHERE key = 'duration_ns';" >long.sql
make_trace long.db "$SOURCE/fixtures/findings.sql" command.sql long.sql
try --only=noop-upload long.db; expect_status 0
expect_err "This takes at least 90.0 s: 1 cause, 9 runs of at least 10.0 s."

# Two causes: each alone, and both together, which has a plan and a check of its own.
try --only=noop-upload --only=duplicate-upload/elsewhere run.db; expect_status 0; cp stdout both
grep -q '^  all .* -150 ms (-150 ms to -150 ms), 3 runs each, output the same$' stdout || show "all together"
expect_out "-10.0 ms (-10.0 ms to -10.0 ms)"; expect_out "stay-on-device: 1 of 1 copies in the plan"
expect_plan plan.verify.drop-uploads+stay-on-device "stay-on-device 0 31 4194304 from 0 30"
[ "$(grep -c '^[ds]' app/plan.apply.drop-uploads+stay-on-device)" -eq 10 ] || show "the plan of both"
run "$XFERSPY" report --json run.db
json "[t['delta_ns'] for t in d['traces'][0]['tried']] == [-140 * 10**6, -10 * 10**6, -150 * 10**6]"
json "d['traces'][0]['tried'][2]['finding'] is None"
json "'could be tried' not in d['traces'][0]['tried'][2]['text']"
cp stdout report.json
# Both are of one cause, and the report has another: it says of which all together are.
cp stdout report.json
json "{c['cause'] for c in d['causes']} == {2} and d['report_causes'] == 2" run.db.try.json
json "d['traces'][0]['tried'][2]['text'].endswith('; only cause 2 was tried')" report.json
json "'only cause' not in d['traces'][0]['tried'][0]['text']" report.json
run "$XFERSPY" report run.db; expect_out "of 400 ms, 3 runs each, output the same; only cause 2 was tried"
run "$XFERSPY" report --format=markdown run.db; expect_not "All repairs tried"
expect_out "Not all repairs tried: saves 150 ms (150 ms to 150 ms) of 400 ms, 3 runs each, output the same; only cause 2"
only_of() { # only_of REPORT-CAUSES NUMBER...: as if that many trials of these causes of so many had been made
    "$python" - "$@" <<'END'
import json, sys
kept = json.load(open("run.db.try.json"))
kept["causes"] = [dict(kept["causes"][0], cause=int(number)) for number in sys.argv[2:]]
json.dump(dict(kept, report_causes=int(sys.argv[1])), open("run.db.try.json", "w"))
END
    run "$XFERSPY" report run.db; expect_status 0
}
only_of 4 2 1; expect_out "the same; only causes 1 and 2 were tried"
only_of 4 4 1 2; expect_out "the same; only causes 1, 2 and 4 were tried"
only_of 2 2 1; expect_not "only cause"
"$python" -W ignore "$SOURCE/report/json_schema.py" --strict "$SOURCE/../../docs/schema/report.schema.json" \
    report.json >invalid 2>&1 && [ ! -s invalid ] || { cat invalid >stderr; show "not valid"; }

# Several verdicts at one place: what is predicted is of those that can be repaired, and the others are named.
make_trace joined.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/joined.sql" command.sql
run "$XFERSPY" explain joined.db duplicate-upload; expect_out "2 overwritten, 1 elsewhere"
run "$XFERSPY" report --json joined.db
json "[f['saves']['most_ns'] for f in d['traces'][0]['findings'] if f['name'] == 'duplicate-upload'] == [276000]"
partly="duplicate-upload (without overwritten) at cuMemcpyHtoD_v2"
not_tried="not tried: 2 overwritten: the device does not hold these bytes any more"
try --only=duplicate-upload joined.db; expect_status 0; expect_no_err
expect_out "$partly  -92.0 us   -10.0 ms"
expect_out "stay-on-device: 1 of 3 copies in the plan"; expect_out "$not_tried"
[ "$(sed 1,2d app/plan.apply.stay-on-device)" = "stay-on-device 0 31 4194304 from 0 30" ] || show "the plan of a part"
valid joined.db.try.json
json "d['causes'][0]['predicted']['most_ns'] == 92000 == d['together']['predicted']['most_ns']" joined.db.try.json
json "[(v['verdict'], v['instances']) for v in d['causes'][0]['left_out']] == [('overwritten', 2)]" joined.db.try.json
try --only=duplicate-upload --format=markdown joined.db; expect_status 0
expect_out "| \`$partly\` | -92.0 us |"
expect_out "A minus means that the program takes less time with the repair."
expect_out "- 2: \`$not_tried\`"
run "$XFERSPY" report joined.db; expect_out "output the same; a part of these copies cannot be tried"
# All together: no more than the parts.
try --only=noop-upload --only=duplicate-upload joined.db; expect_status 0; cp stdout all
expect_out "-7.20 ms to -7.29 ms  -150 ms"
try --only=noop-upload joined.db; expect_not "not tried"; expect_not "(without"
rm joined.db.try.json

# One cause, by number and by name; formats; a gate.
for only in 2 noop-upload; do
    try --only=$only --json run.db; expect_status 0; cp stdout one.json; valid one.json
    json "len(d['causes']) == 1 and d['causes'][0]['finding'] == 'noop-upload' and d['rounds'] == 3"
    json "d['together']['finding'] == 'noop-upload'"
done
try --only=2 --format=markdown run.db; expect_status 0; expect_out '| 2 | `noop-upload at '
try --only=2 --at-least=35% run.db; expect_status 0; expect_out "--at-least=35%: passed"
try --only=2 --at-least=36% run.db; expect_status 3; expect_out "the gain is smaller"
try --only=scalar-readback --at-least=1ms run.db; expect_status 3; expect_out "the host uses the value"
try --only=99 run.db; expect_status 1; expect_no_out; expect_err "--only=99: there is no such cause"
try --only=2 -o tried.txt run.db; expect_status 0; expect_no_out; [ -s tried.txt ] || show "-o"
rm run.db.try.json

# A repair that does not do what the trace says ends its trial with an error, and is not measured or not believed.
fails() { # fails FILE WORDS: with that file beside the program
    : >"app/$1"; try --only=2 run.db; rm "app/$1"; expect_status 3; expect_out "$2"
}
fails wrong "ERROR: 2 times the device would have held other bytes"
fails accessed "ERROR: the program accesses memory of downloads that the plan leaves out (2 times), so its output counts"
fails unsure "ERROR: nobody can say whether the program accesses memory of downloads that the plan leaves out: capturing 1"
[ ! -e run.db.try.json ] || show "kept what was not measured"
fails differs "calls moved another number of bytes than in the trace"
fails no-log "ERROR: the program left no log of its repairs"
fails not-started "ERROR: the program ended with exit status 127, and with no word of its repairs; if a script starts it"
fails crash "ERROR: with the repair the program ended with signal 9"
fails exits "ERROR: 3 of 3 runs with the repair ended with exit status 6"; expect_not "-140 ms"
fails off "ERROR: the repair gather is off: no memory"
fails second "ERROR: several processes of the program use CUDA"
echo verify >app/second; try --only=2 run.db; rm app/second; expect_status 3
expect_out "ERROR: several processes of the program use CUDA"
fails other-output "OUTPUT DIFFERS"; expect_out "output differs from line 1 on; before: result 42; after: more"
: >app/nothing; try --only=2 run.db; rm app/nothing
expect_status 0; expect_out "cannot be tried: the library repaired none of its calls: capturing 1"
# Of a program that fails by itself nothing is measured, unless it is meant to end so.
: >app/exits-always; try --only=2 run.db; expect_status 1; expect_no_out
expect_err "nothing was measured: 3 of 3 runs without a repair ended with exit status 5; if"; expect_err "--status=5"
try --only=2 --status=5 run.db; rm app/exits-always; expect_status 0; expect_out "-140 ms"
# Lines that differ between runs of the program as it is are not compared, and this is said.
: >app/varies; try --only=2 run.db; expect_status 0
expect_out "3 runs each, output the same but for 1 line that varies"
run "$XFERSPY" report run.db; expect_out "3 runs each, output the same but for 1 line that varies"
run "$XFERSPY" report --json run.db; json "d['traces'][0]['tried'][0]['output'] == 'same'"
json "d['traces'][0]['tried'][0]['varying_lines'] == 1"
: >app/varies-all; try --only=2 run.db; rm app/varies*; expect_status 0; expect_out "3 runs each, output not compared"
run "$XFERSPY" report run.db; expect_out "3 runs each, output not compared"
run "$XFERSPY" report --json run.db; json "d['traces'][0]['tried'][0]['output'] == 'not-compared'"
# What is ignored is not compared, and where nothing is left, nothing was.
try --only=2 --ignore=result run.db; expect_status 0; expect_out "3 runs each, output not compared"
run "$XFERSPY" report run.db; expect_out "3 runs each, output not compared"
# What was done, and the warnings, are in every format; there are none where nothing was done.
try --only=2 -n 2 --format=markdown run.db; expect_status 0
expect_out '- 2: `drop-uploads: 9 of 9 copies in the plan, applied 9 times (1.00 MiB); refused: capturing 1`'
expect_out '- 2: `2 runs a side are too few to know the noise'
try --only=scalar-readback run.db; expect_status 0; [ "$(tail -n 1 stdout)" ] || show "an empty line at the end"
# Nothing simulated is shown as measured: it is said before the first time.
echo "UPDATE meta SET value = 1 WHERE key = 'simulated';" >simulated.sql
make_trace simulated.db "$SOURCE/fixtures/findings.sql" command.sql simulated.sql
try --only=2 simulated.db; expect_status 0
[ "$(grep -n -m 1 SIMULATED stdout | cut -d : -f 1)" -lt "$(grep -n -m 1 ' ms' stdout | cut -d : -f 1)" ] ||
    show "a time before the word that it is a model's"
try --only=2 --format=markdown simulated.db; expect_status 0; expect_out "- **SIMULATED GPU: times below are a model's"

# What could not be checked is not measured; the others are.
rm -f run.db.try.json app/plan.apply.*
: >app/unchecked; try --only=2 run.db; rm app/unchecked; expect_status 0
expect_out "cannot be tried: 2 of 9 copies could not be checked: capturing 1"; expect_not "-140 ms"
[ ! -e app/plan.apply.drop-uploads ] || show "applied what was not checked"
both="--only=noop-upload --only=duplicate-upload/elsewhere"
: >app/unchecked-all; try $both run.db; rm app/unchecked-all; expect_status 0; expect_out "-140 ms"
grep -q '^  all .* cannot be tried: 3 of 10 copies could not be checked: capturing 1$' stdout || show "all, unchecked"
: >app/off-all; try $both run.db; rm app/off-all; expect_status 3; expect_out "-140 ms"
grep -q '^  all .* ERROR: the repair gather is off: no memory$' stdout || show "all, off"
: >app/wrong; try --only=2 --fail-on=none run.db; rm app/wrong; expect_status 0; expect_out "ERROR"

# Which calls it is about is not certain: then of copies nothing is tried, and another recording does not change it.
echo 'UPDATE transfer SET fingerprint = NULL, skip = 21 WHERE bytes = 8388608 AND id NOT IN (1, 10, 19);' >sampled.sql
gap() { # gap KEY WORDS [MORE_ROWS]
    echo "INSERT OR REPLACE INTO meta VALUES ('$1',3)${3:-};" >gap.sql
    make_trace gap.db "$SOURCE/fixtures/findings.sql" command.sql gap.sql
    try --only=2 gap.db; expect_status 0; expect_out "which calls it is about is not certain: $2"
    run "$XFERSPY" report gap.db; expect_status 0; expect_not "xferspy try" # which could try none of its causes
    make_trace gap.db "$SOURCE/fixtures/findings.sql" command.sql sampled.sql gap.sql
    try --only=noop-upload gap.db; expect_status 0; expect_no_err; expect_not "in the plan"
    expect_out "which calls it is about is not certain: $2"
}
gap coverage.dropped "the trace lost calls (3)"
gap thinned.rows "the trace reached its largest size"
gap coverage.nested "the trace lacks calls"
gap range.left_out_transfers "copies outside of the recorded parts of the run are not in the trace (3)"
gap range.count "the trace has the calls of parts of the run only" ",('range.windows','0+5'),('status','recording')"
gap world_size "the trace is of one of several processes"

# Threads count in the order of their first calls, and the copies of a batch are one call.
cat >threads.sql <<'END'
INSERT INTO thread VALUES (2,4243,'loader');
UPDATE transfer SET thread = 2 WHERE id = 1;
UPDATE transfer SET batch_index = id - 2, enter_ns = 11000000, return_ns = 12110000 WHERE id IN (2, 3);
END
make_trace threads.db "$SOURCE/fixtures/findings.sql" command.sql threads.sql
try --only=noop-upload threads.db; expect_status 0
[ "$(sed -n 3p app/plan.apply.drop-uploads)" = "drop-uploads 1 1 8388608" ] || show "threads and batches"

# Copies that no repair takes are not planned: of several dimensions, of arrays, of managed memory.
not_plain() { # not_plain ROWS COLUMNS
    echo "UPDATE transfer SET $2 WHERE id IN ($1);" >not_plain.sql
    make_trace not_plain.db "$SOURCE/fixtures/findings.sql" command.sql not_plain.sql
    try --only=noop-upload not_plain.db; expect_status 0
}
box="width_bytes = 8192, height = 1024, depth = 1, src_pitch_bytes = 8192, dst_pitch_bytes = 8192"
not_plain 4 "$box"; expect_out "drop-uploads: 8 of 9 copies in the plan"
[ "$(sed -n 3p app/plan.apply.drop-uploads)" = "drop-uploads 0 6 8388608" ] || show "planned a 2D copy"
rm -f app/plan.*
not_plain "SELECT id FROM transfer WHERE bytes = 8388608" "$box"
expect_out "cannot be tried: no repair takes copies in two or three dimensions, of arrays or of managed memory"
not_plain "SELECT id FROM transfer WHERE bytes = 8388608" "dst_kind = 5"; expect_out "cannot be tried: no repair takes"
ls app/plan.* >/dev/null 2>&1 && show "planned what no repair takes"

# Registrations and managed memory are not kept, so they are not planned either.
cat >registered.sql <<'END'
WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n+1 FROM i WHERE n<9)
INSERT INTO allocation (id,entry_point,thread,address,bytes,kind,origin,device,context,enter_ns,return_ns,
  free_entry_point,free_thread,free_enter_ns,free_return_ns)
 SELECT 100+n,6,1,138000000000000,8388608,3,1,NULL,1,97400000+n*40000,97415000+n*40000,7,1,97420000+n*40000,97430000+n*40000
 FROM i;
END
make_trace registered.db "$SOURCE/fixtures/findings.sql" command.sql registered.sql
try --only=pinned-churn registered.db; expect_status 0
expect_out "cannot be tried: registrations are not kept: nobody can watch safely whether their memory stays mapped"
expect_not "in the plan"
sed 's/ SELECT 100+n,6,1,138000000000000,8388608,3,1,NULL/ SELECT 100+n,10,1,138000000000000,8388608,6,1,0/
    1i INSERT INTO entry_point VALUES (10,'"'cuMemAllocManaged'"',2);' registered.sql >managed.sql
make_trace managed.db "$SOURCE/fixtures/findings.sql" command.sql managed.sql
try --only=repeated-allocation managed.db; expect_status 0
expect_out "cannot be tried: managed memory is not kept"; expect_not "in the plan"

# No command of a trace is run unless the user says so; what was hidden has to be said.
make_trace foreign.db "$SOURCE/fixtures/findings.sql" command.sql
run "$XFERSPY" try -n 3 foreign.db </dev/null; expect_status 1; expect_no_out
expect_err "the command in foreign.db is: sh app/app.sh 'two words'"; expect_err "add --yes to run it in $PWD"
asked() { # asked ANSWER: on a terminal, where this is typed
    step="try, answered by $1"
    printf '%s\n' "$1" | timeout 600 script -qec \
        "'$XFERSPY' try --color=never -n 3 --loop-time='^loop ([0-9.]+)' --only=2 foreign.db" /dev/null >stdout 2>stderr
    status=$?
}
for answer in n '' no; do
    asked "$answer"; expect_status 1; expect_not "-140 ms"
    expect_out "the command in foreign.db is: sh app/app.sh 'two words'"; expect_out "Run it in $PWD? [y/N]"
done
ls app/plan.* >/dev/null 2>&1 && show "a command was run"
asked y; expect_status 0; expect_out "Run it in $PWD? [y/N]"; expect_out "-140 ms"
rm -f app/plan.*
echo "INSERT OR REPLACE INTO meta VALUES ('command','sh app/app.sh --key [hidden]');" >hidden.sql
make_trace hidden.db "$SOURCE/fixtures/findings.sql" command.sql hidden.sql
try hidden.db; expect_status 1; expect_err "XFERSPY_REDACT hid a part"
echo "INSERT OR REPLACE INTO meta VALUES ('cwd','/nowhere');" >nowhere.sql
make_trace nowhere.db "$SOURCE/fixtures/findings.sql" command.sql nowhere.sql
try nowhere.db; expect_status 1; expect_err "/nowhere, where the trace was recorded, cannot be entered"
ls app/plan.* >/dev/null 2>&1 && show "a command was run"
try --only=2 hidden.db -- sh app/app.sh; expect_status 0; expect_out "-140 ms"
try --only=2 foreign.db -- sh app/app.sh; expect_status 0; expect_out "-140 ms"

# A round trip to where the bytes came from needs no copy at all.
cat >inplace.sql <<'END'
INSERT INTO fingerprint VALUES (5001,41,42,NULL,NULL,1024,NULL,NULL,1),(5002,41,42,NULL,NULL,1024,NULL,NULL,1);
INSERT INTO transfer (id,entry_point,thread,direction,bytes,src_address,dst_address,src_kind,dst_kind,src_device,src_allocation,
  context,stream,is_async,is_captured,result,enter_ns,return_ns,correlation,fingerprint)
 VALUES (38,2,1,2,4194304,140000030000000,139000000000000,4,2,0,4,1,1,0,0,0,97400000,97500000,508,5001);
INSERT INTO transfer (id,entry_point,thread,direction,bytes,src_address,dst_address,src_kind,dst_kind,dst_device,dst_allocation,
  context,stream,is_async,is_captured,result,enter_ns,return_ns,correlation,fingerprint)
 VALUES (39,1,1,1,4194304,139000000000000,140000030000000,2,4,0,4,1,1,0,0,0,97600000,97700000,509,5002);
INSERT INTO device_copy (correlation,kind,src_kind,dst_kind,bytes,start_ns,end_ns,device,cupti_context,cupti_stream,is_async,copies)
 VALUES (508,2,3,2,4194304,97410000,97490000,0,1,1,0,1),(509,1,2,3,4194304,97610000,97690000,0,1,1,0,1);
END
make_trace inplace.db "$SOURCE/fixtures/findings.sql" command.sql inplace.sql
try --only=round-trip/same-device inplace.db; expect_status 0; expect_out "drop-uploads: 1 of 1 copies in the plan"
[ "$(sed 1,2d app/plan.apply.drop-uploads)" = "drop-uploads 0 38 4194304" ] || show "the plan of a round trip in place"

# Recording first, in a new folder, with what is set of capture already. What a run that was recorded as it comes says
# is what is predicted, and the plan is of a run with all contents, whose copies took longer.
export XFERSPY_STACK=none XFERSPY_WINDOW=1ms XFERSPY_OUTSIDE=allocations XFERSPY_REPAIR=stage
try --only=noop-upload -- sh app/app.sh; expect_status 0; expect_out "-140 ms"; expect_err "the trace is xferspy-try-"
[ "$(ls xferspy-try-*/*.db | wc -l)" -eq 2 ] || show "the traces"
expect_plan plan.apply.drop-uploads "drop-uploads 0 3 8388608"
tried=$(ls xferspy-try-*/[0-9]*.db).try.json
[ -s "$tried" ] || show "nothing was kept beside the recorded trace"
run "$XFERSPY" report --json short.db; cp stdout short.json
run "$XFERSPY" report --json run.db
saves="[f['saves']['most_ns'] for f in json.load(open('%s'))['traces'][0]['findings'] if f['name'] == 'noop-upload'][0]"
# shellcheck disable=SC2059 # the format is a constant
json "d['causes'][0]['predicted']['most_ns'] == $(printf "$saves" short.json) < $(printf "$saves" stdout)" "$tried"
rm -r xferspy-try-*
: >app/none; try --only=noop-upload -- sh app/app.sh; expect_status 0; rm app/none # its sample did not show it
expect_out "unknown    -140 ms"; json "d['causes'][0]['predicted'] is None" "$(ls xferspy-try-*/[0-9]*.db).try.json"
rm -r xferspy-try-*
: >app/2; try -- sh app/app.sh; rm app/2; expect_status 1; expect_no_out
expect_err "2 processes of the program use CUDA"; rm -r xferspy-try-*
unset XFERSPY_STACK XFERSPY_WINDOW XFERSPY_OUTSIDE XFERSPY_REPAIR

# A trace as it comes has the contents of a sample. The plan is of another run, with all contents, which goes when
# it was read; names, numbers and what is predicted are those of the trace that was given.
make_trace sampled.db "$SOURCE/fixtures/findings.sql" command.sql sampled.sql
mkdir temporary; rm -f app/plan.*
export XFERSPY_STACK=none TMPDIR="$PWD/temporary"
try --only=noop-upload sampled.db; expect_status 0
expect_err "recording it once more, with the contents of all copies"
expect_out "-140 ms"; expect_out "drop-uploads: 9 of 9 copies in the plan"
expect_plan plan.apply.drop-uploads "drop-uploads 0 3 8388608"
nothing_left() { rmdir "$TMPDIR" || { ls "$TMPDIR"/* >stderr; show "something was left in TMPDIR"; }; mkdir "$TMPDIR"; }
nothing_left
valid sampled.db.try.json
run "$XFERSPY" report sampled.db; expect_out "(checked 12 of 19)"; expect_out "tried: saves 140 ms"
run "$XFERSPY" report --json sampled.db; cp stdout sampled.json
# shellcheck disable=SC2059
json "d['causes'][0]['predicted']['most_ns'] == $(printf "$saves" sampled.json)" sampled.db.try.json
# What is set does not make this run a sample, too; a folder may have any name.
TMPDIR="$PWD/100%p" && mkdir "$TMPDIR"
XFERSPY_FINGERPRINT=sample XFERSPY_BUDGET=1 try --only=noop-upload sampled.db; expect_status 0
expect_out "drop-uploads: 9 of 9 copies in the plan"; nothing_left; TMPDIR=$PWD/temporary
# Where there is no such run, the plan is of the sample; nothing stays but the result.
no_second() { # no_second FILE WORDS [OPTION]
    : >"app/$1"; rm -f app/plan.*
    try --only=noop-upload ${3:+"$3"} sampled.db; rm "app/$1"; nothing_left
    expect_err "$2"; expect_err "so the plan has only the copies whose contents are in sampled.db"
}
sampled_plan="drop-uploads: 2 of 9 copies in the plan"
no_second no-trace "no trace"; expect_status 0; expect_out "$sampled_plan"
no_second 2 "2 processes of the program use CUDA"; expect_status 0; expect_out "$sampled_plan"
no_second slow-recording "the time limit came before the end of the recording" --time-limit=0.5
expect_status 1; expect_out "not measured: the time limit came first"
# A signal ends all of it.
: >app/slow-recording
"$XFERSPY" try --yes --only=noop-upload sampled.db >stdout 2>stderr & tried=$!
until ls temporary/xferspy-try-*/*.db >/dev/null 2>&1; do kill -0 $tried || show "ended early"; sleep 0.05; done
kill -TERM $tried; wait $tried; status=$?; rm app/slow-recording; expect_status 1; expect_no_out; nothing_left
: >app/slow-recording; try --time-limit=0.5 -- sh app/app.sh; rm app/slow-recording; expect_status 1; expect_no_out
expect_err "the time limit came before"; ! ls -d xferspy-try-* >/dev/null 2>&1 || show "a trace of half a run was left"
unset XFERSPY_STACK TMPDIR

# The time limit ends a run that goes on for longer, and what was not measured is said.
: >app/slow; try --only=2 --time-limit=0.5 run.db; rm app/slow
expect_status 1; expect_out "not measured: the time limit came first"

# Mistakes.
run "$XFERSPY" try; expect_status 2; expect_err "A trace, or -- and a program"
run "$XFERSPY" try run.db run.db; expect_status 2; expect_err "TRACE is given once"
run "$XFERSPY" try nowhere; expect_status 1; expect_no_out
for wrong in -n0 --warm-up=-1 --loop-time=x --at-least=x --fail-on=gain --time-limit=0 --format=tsv; do
    run "$XFERSPY" try "$wrong" run.db; expect_status 2; expect_no_out
done
XFERSPY_LIBRARY=/no/lib run "$XFERSPY" try run.db; expect_status 1; expect_err "libxferspy.so not found"
try -- no-such-command; expect_status 1; expect_no_out; expect_err "no-such-command: command not found"
try -- true; expect_status 1; expect_no_out; expect_err "no trace"
! ls -d xferspy-try-* >/dev/null 2>&1 || show "an empty folder was left"
