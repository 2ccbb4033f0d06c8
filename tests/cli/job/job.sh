# Several traces are one job: findings over ranks, how the ranks differ, and all that can be wrong with a folder of
# traces.
. "$SOURCE/lib.sh"
need script jq
. "$SOURCE/job_traces.sh"
need_python
make_ranks run
same() { expect_golden "$SOURCE/golden/$1"; }
cat run/*.db | cksum >before
run "$XFERSPY" report run; expect_status 0; expect_no_err; same report_job.txt
cat run/*.db | cksum | cmp -s - before || show "report changed a trace"
grep -q ' $' stdout && show "blanks at the end of a line"
run "$XFERSPY" report --details run; expect_status 0; same report_job_details.txt
run "$XFERSPY" report run/app.3.db run/app.1.db run/app.0.db run/app.2.db
expect_status 0; same report_job.txt # the order does not matter
run "$XFERSPY" report run/; expect_status 0; same report_job.txt
# A terminal shows every line whole, a narrow one fewer columns of the table.
for columns in 80 60 40; do
    step="report on a terminal of $columns columns"
    TERM=dumb COLUMNS=$columns script -qec "'$XFERSPY' report run" /dev/null </dev/null | tr -d '\r' >stdout
    expect_out "scalar-readback"; expect_out "saves 9.09 ms"; expect_out "of run"
    [ "$(awk -v columns=$columns 'length > columns' stdout | wc -l)" -eq 0 ] || show "wider than the terminal"
done
LC_ALL=C run "$XFERSPY" report run
LC_ALL=C grep -q '[^ -~]' stdout && show "other than ASCII"

# Each by itself, as one trace is shown, and that is what --by gives, too.
run "$XFERSPY" report --each run; expect_status 0
for rank in 0 1 2 3; do
    expect_out "== run/app.$rank.db =="
    "$XFERSPY" report run/app.$rank.db
done >alone
grep -v '^== ' stdout | grep -v '^$' >each
grep -v '^$' alone | cmp -s - each || show "--each is not the reports of each"
expect_not "A job of"
run "$XFERSPY" report --by=function run; expect_status 0; expect_out "== run/app.2.db =="; expect_not "A job of"

# JSON: each trace as it is alone, and the job. What jq says is worked out from the traces themselves.
run "$XFERSPY" report --json run; expect_status 0; expect_no_err; cp stdout job.json
for rank in 0 1 2 3; do
    "$XFERSPY" report --json run/app.$rank.db | jq '.traces[0]' >alone
    jq ".traces[$rank]" job.json | cmp -s - alone || show "trace $rank is not as it is alone"
done
check() { [ "$(jq -c "$1" job.json)" = "$2" ] || show "$1: expected $2, got $(jq -c "$1" job.json)"; }
check '.version' 1
check '[.job.processes[].rank]' '[0,1,2,3]'
check '.job.world_size' 4; check '.job.host_count' 2; check '.job.devices | length' 4
check '.job.saves.largest_ns == ([.traces[].together.most_ns] | max)' true
check '.job.saves.mean_ns == ([.traces[].together.most_ns] | add / 4 | floor)' true
check '.job.saves.process_sum_ns == ([.traces[].together.most_ns] | add)' true
check '.job.saves.slowest_process' 3
check '.job.saves.slowest_ns == .traces[3].together.most_ns' true
check '([.job.findings[].instances] | add) == ([.traces[].findings[].instances] | add)' true
check '([.job.findings[].by_process[].saves.most_ns] | add) == ([.traces[].findings[].saves.most_ns] | add)' true
check '[.job.findings[] | select(.finding == "noop-upload") | .by_process[].process]' '[0,1,2]'
check '[.job.findings[] | select(.finding == "noop-upload") | .call_site.line]' '[12]'
check '[.job.processes[] | select(.outlier_in | length > 0) | .rank]' '[1,3]'
check '.job.wall_ns' 153000000
"$XFERSPY" report --json run/app.0.db | jq -e 'has("job") | not' >/dev/null || show "one trace is no job"

# Verdicts that join are one finding of the job, whichever each rank has: its remedy is the one for all of them.
mkdir verdicts
for rank in 0 1; do
    cat >rank.sql <<END
INSERT OR REPLACE INTO meta VALUES ('rank',$rank),('world_size',2);
UPDATE meta SET value = $((5000 + rank)) WHERE key = 'pid';
UPDATE meta SET value = value + ${rank}000000 WHERE key = 'start_unix_ns';
END
    [ $rank = 0 ] || cat "$SOURCE/fixtures/joined.sql" >>rank.sql
    make_trace verdicts/app.$rank.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql" rank.sql
done
run "$XFERSPY" report --details verdicts; expect_status 0; expect_no_err
expect_out "duplicate-upload  saves"; expect_out "before: 4, 16.0 MiB, in all 2 ranks, at train.py:22 in load_tables"
expect_out "Move it to the GPU once"; expect_not "Use the tensor that has these bytes"
run "$XFERSPY" report --json verdicts; cp stdout job.json
check '[.job.findings[] | select(.id == "duplicate-upload") | .finding, .verdict, .instances]' \
    '["duplicate-upload",null,4]'
check '[.job.findings[] | select(.id == "duplicate-upload") | .by_process[].instances]' '[1,3]'
run "$XFERSPY" merge -o verdicts.db verdicts; expect_status 0
run "$XFERSPY" report --details verdicts.db; expect_out "before: 4, 16.0 MiB, in all 2 ranks"

# A filter: said in a line, and every number that is shown beside it is of what passes; that is not known of exposed
# time.
run "$XFERSPY" report --direction=h2d run; expect_status 0; expect_no_err
expect_out "  filter    direction h2d: 108 of 148 transfers pass, 40 instances of findings left out."
expect_not "scalar-readback"
run "$XFERSPY" report --json --direction=h2d run; expect_status 0; cp stdout job.json
check '.job.filter.text' '"direction h2d"'
check '.job.filter.transfers == ([.traces[].filter.transfers] | add)' true
check '.job.filter.transfers_passing == ([.traces[].transfers.total.count] | add)' true
check '.job.filter.instances_left_out == ([.traces[].filter.instances_left_out] | add)' true
check '[.job.processes[].transfer_bytes] == [.traces[].transfers.total.bytes]' true
check '[.job.processes[].device_ns] == [.traces[].transfers.total.device_ns]' true
check '[.job.processes[].saves_ns] == [.traces[].together.most_ns]' true
check '([.job.processes[].exposed_ns, .job.spread.exposed_ns] | unique)' '[null]'
check '[.job.findings[].site | select(startswith("cuMemcpyDtoH"))]' '[]'
run "$XFERSPY" report --finding=pageable run; expect_status 0
expect_out "  filter    finding pageable: 75 instances of other findings left out."; expect_out "8.17 ms   8.17 ms"

# The same twice: by name, by a link, and a copy; a note each, and the numbers as before.
ln -s app.0.db run/linked.db
cp run/app.1.db copy.db
run "$XFERSPY" report run run/app.2.db copy.db
expect_status 0; same report_job.txt
[ "$(wc -l <stderr)" -eq 3 ] || show "expected three notes"
expect_err "run/linked.db: is run/app.0.db, which was named before; counted once"
expect_err "run/app.2.db: named twice; counted once"
expect_err "copy.db: the same run as run/app.1.db; counted once"
rm run/linked.db

# What lies beside traces: left out with a note. What is broken: named, and the rest is reported.
echo hello >run/notes.db; : >run/empty.db; mkdir run/folder.db; touch run/app.0.db.txt
run "$XFERSPY" report run; expect_status 0; same report_job.txt
expect_err "run/notes.db: not an xferspy trace; left out"; expect_err "run/empty.db: not an xferspy trace; left out"
[ "$(wc -l <stderr)" -eq 3 ] || show "expected three notes"
for i in 1 2 3 4 5; do echo hello >run/more$i.db; done
run "$XFERSPY" report run; [ "$(wc -l <stderr)" -eq 4 ] || show "expected four notes"
expect_err "run: 5 more that are no traces left out"
rm -r run/more?.db run/notes.db run/empty.db run/folder.db
head -c 20000 run/app.2.db >cut.db
run "$XFERSPY" report run/app.0.db run/app.1.db cut.db missing.db run/app.3.db
expect_status 1; expect_err "cut.db: damaged"; expect_err "missing.db: No such file"
[ "$(wc -l <stderr)" -eq 2 ] || show "two lines"
expect_out "A job of 3 processes"; expect_out "Not the whole job: no trace of rank 2 (of 4)."
run "$XFERSPY" report --json run/app.0.db run/app.1.db run/app.3.db; expect_status 0
json "d['job']['missing_ranks'] == [{'first': 2, 'last': 2}] and d['job']['ran_at_the_same_time']"
run "$XFERSPY" report --json run/app.1.db run/app.2.db; json "[m['first'] for m in d['job']['missing_ranks']] == [0, 3]"
run "$XFERSPY" report run/app.0.db run/app.3.db; expect_out "no trace of ranks 1-2 (of 4)."
mkdir none; run "$XFERSPY" report none; expect_error_of "none: has no traces (*.db) in it"
run "$XFERSPY" report none run/app.0.db; expect_status 1; expect_out "./train --steps 10"

# Traces of several programs, without ranks, and of different days.
make_trace other.db "$SOURCE/fixtures/no_findings.sql"
make_trace third.db "$SOURCE/fixtures/without_cupti.sql"
run "$XFERSPY" report run other.db third.db
expect_status 0; expect_out "These are traces of 3 programs"; expect_out "other.db"; expect_out "A job of 6 processes"
expect_out "Processes"; expect_out "third.db only: Contents were not checked"
echo "UPDATE meta SET value = value + 86400000000000 WHERE key = 'start_unix_ns'" >later.sql
make_trace later.db "$SOURCE/fixtures/no_findings.sql" later.sql
run "$XFERSPY" report other.db later.db; expect_status 0; expect_out "They did not run at the same time"
run "$XFERSPY" report --json other.db later.db
json "not d['job']['ran_at_the_same_time'] and d['job']['missing_ranks'] == []"
json "[(p['status'], p['snapshot'], p['repaired'], p['recorded_in_part']) for p in d['job']['processes']] == 2 * [('complete', False, False, False)]"
# What saves nothing in any process is no cause, as in the report of one: pageable copies as fast as pinned ones.
cat >fast.sql <<'END'
UPDATE device_copy SET start_ns = start_ns - 9000, end_ns = start_ns - 9000 + bytes / 64
    WHERE bytes IN (8388608, 262144);
UPDATE transfer SET return_ns = enter_ns + 1000 + bytes / 64 WHERE bytes IN (8388608, 262144);
END
echo "UPDATE meta SET value = 999 WHERE key = 'pid';" >pid.sql
make_trace fast.db "$SOURCE/fixtures/findings.sql" fast.sql
make_trace fast_too.db "$SOURCE/fixtures/findings.sql" fast.sql pid.sql
for format in text markdown; do
    run "$XFERSPY" report --details --format=$format fast.db fast_too.db; expect_status 0
    expect_out unused-upload; expect_not pageable
done

# Hostile text: one line each, and no control character.
echo "UPDATE device SET name = hex(zeroblob(100000)); UPDATE meta SET value = hex(zeroblob(50000)) WHERE key = 'host'" \
    >long.sql
make_trace hostile.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/hostile.sql"
make_trace long.db "$SOURCE/fixtures/findings.sql" long.sql
run "$XFERSPY" report run long.db; expect_status 0
[ "$(awk 'length > 400' stdout | wc -l)" -eq 0 ] || show "a line is too long"
run "$XFERSPY" report run hostile.db; expect_status 0
LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" stdout && show "control characters"
[ "$(awk 'length > 400' stdout | wc -l)" -eq 0 ] || show "a line is too long"
run "$XFERSPY" report --json run hostile.db; expect_status 0
jq . stdout >/dev/null || show "not JSON"
# -o does not replace a trace that is read, by whatever name.
run "$XFERSPY" report --force -o run/app.0.db run; expect_error_of "run/app.0.db: is the trace being read"
