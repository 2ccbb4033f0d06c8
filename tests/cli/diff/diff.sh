# Two versions of a program compared: recorded pairs, made-up ones, several runs a side, and files that are hard to
# compare.
. "$SOURCE/lib.sh"
need cmark-gfm
need_python jsonschema.Draft202012Validator
# What is printed as JSON is what docs/schema says, to a validator that is not ours.
valid() {
    "$python" "$SOURCE/report/json_schema.py" "$SOURCE/../../docs/schema/diff.schema.json" stdout >invalid 2>&1 ||
        { cat invalid >stderr; show "not valid"; }
}
# Rendered, no text of a trace is a link, an image, a mention or a reference outside of code, where hosts see none.
rendered() {
    cmark-gfm --unsafe -e table -e autolink -e strikethrough <stdout | sed 's/<code>[^<]*<\/code>//g' >html
    ! grep '<a \|<img\|<b>\|<!--\|@[a-z]\|#[0-9]' html || show "markup"
}
golden() { expect_golden "$SOURCE/golden/$1"; }
cp "$GOLDEN"/h100_wasteful.db "$GOLDEN"/h100_repaired.db .
cp "$GOLDEN"/h100_upload_wasteful.db "$GOLDEN"/h100_upload_repaired.db .

# A pair of a real GPU: an upload in every step, and repaired. 199 uploads of 8 MiB are gone, 400 downloads and uploads
# less.
run "$XFERSPY" diff h100_upload_wasteful.db h100_upload_repaired.db
expect_status 0; expect_no_err; golden diff_h100_upload.txt
case $(head -n 1 stdout) in "It copied 1.55 GiB less, in 395 "*) ;; *) show "the conclusion comes first" ;; esac
expect_out "- gone      noop-upload"; expect_out "199, 1.55 GiB"
run "$XFERSPY" diff --format=markdown h100_upload_wasteful.db h100_upload_repaired.db
expect_status 0; expect_no_err; golden diff_h100_upload.md
run "$XFERSPY" diff --json h100_upload_wasteful.db h100_upload_repaired.db
expect_status 0; expect_no_err; valid
json "d['format'] == 'xferspy-diff' and d['version'] == 1 and d['conclusion']['paid'] == 'did-less'"
json "d['conclusion']['transfers_less'] == 600 - 205"
json "[f['bytes']['before']['median'] for f in d['findings'] if f['kind'] == 'noop-upload' and f['change'] == 'disappeared'] == [199 * 8 << 20]"
json "sum(s['count']['after']['median'] for s in d['call_sites']) == 205"
json "{m['name']: m for m in d['metrics']}['transfers']['delta'] == -395"
# Without contents; and the same pair the other way around.
run "$XFERSPY" diff h100_wasteful.db h100_repaired.db; expect_status 0
# One run a side: what the program did, and no verdict on how long it took.
expect_out "It copied 1.55 GiB less"; expect_out "1 run before, 1 run after. With so few, xferspy cannot know"
expect_not "paid"; expect_not "faster"
run "$XFERSPY" diff h100_repaired.db h100_wasteful.db
expect_status 0; expect_out "It copied 1.55 GiB more"
expect_out "AFTER ran earlier than BEFORE: are they swapped?"
expect_out "+ new"

# Two programs that have nothing to do with each other: that is said first. (Two versions of one are none, above.)
cp "$GOLDEN"/h100_pageable_async.db "$GOLDEN"/guide_cpp_before.db .
run "$XFERSPY" diff h100_pageable_async.db guide_cpp_before.db; expect_status 0
case $(head -n 1 stdout) in "BEFORE and AFTER are of different programs, so a comparison says little. "*) ;;
    *) show "other programs come first" ;; esac
run "$XFERSPY" diff --json h100_pageable_async.db guide_cpp_before.db; expect_status 0
valid; json "d['conclusion']['other_programs']"
run "$XFERSPY" diff --json h100_upload_wasteful.db h100_upload_repaired.db; json "not d['conclusion']['other_programs']"

# The verdict rests on runs that were not profiled, where there are such: here AFTER is slower by them.
# (What is measured has the names of the traces' programs.)
printf '#!/bin/sh\necho t $1 ms\n' >upload_every_step_wasteful; chmod +x upload_every_step_wasteful
cp upload_every_step_wasteful upload_every_step_repaired
"$XFERSPY" bench -n 4 --loop-time='^t ([0-9]+)' --json -o bench.json -- \
    ./upload_every_step_wasteful 100 -- ./upload_every_step_repaired 120 || show "bench"
run "$XFERSPY" diff --bench=bench.json h100_upload_wasteful.db h100_upload_repaired.db
expect_status 0; expect_no_err; expect_not "own time, which is not counted"
expect_out "It removed transfers (1.55 GiB less), but the run is slower: 100 ms -> 120 ms (+20 %)"
expect_out "4 unprofiled runs (100 ms to 100 ms) before, 4 unprofiled runs (120 ms to 120 ms) after: beyond their own"
expect_out "achieved: 20.0 ms more"
run "$XFERSPY" diff --bench=bench.json --json h100_upload_wasteful.db h100_upload_repaired.db; expect_status 0; valid
json "d['conclusion']['unprofiled'] and d['conclusion']['achieved_ns'] == -20000000"
# Three runs a side that overlap: the test cannot tell, and the words do not say that the run is not faster.
printf '#!/bin/sh\n[ -e $2 ] || echo 0 >$2; n=$(($(cat $2) + 1)); echo $n >$2; shift 2; shift $((n - 1)); echo t $1 ms\n' \
    >upload_every_step_wasteful
cp upload_every_step_wasteful upload_every_step_repaired
"$XFERSPY" bench -n 3 --json --loop-time='^t ([0-9]+)' -o noisy.json -- ./upload_every_step_wasteful x a 917 920 910 \
    900 930 -- ./upload_every_step_repaired x b 533 540 918 535 533 >bench.out 2>&1 || { cat bench.out; show "bench"; }
run "$XFERSPY" diff --bench=noisy.json h100_upload_wasteful.db h100_upload_repaired.db; expect_status 0
expect_out "Whether it paid cannot be told: 9"; expect_out "is within the runs' own spread. Record more runs of each."
expect_out "less (within spread)"; expect_not "not faster"; expect_not "achieved"
# A bench of other programs says nothing of these; one of versions of a side's program does.
golden_files="$GOLDEN"
cp "$golden_files"/guide_cpp_*.[dj]* "$golden_files"/guide_pytorch_*.[dj]* .
run "$XFERSPY" diff --bench=guide_cpp_bench.json guide_pytorch_before.db guide_pytorch_after.db; expect_status 0
expect_out '! guide_cpp_bench.json is of "./train.old 500" and "./train 500", and the traces are of "python3 train.py": its'
expect_out "1 run before, 1 run after. With so few"; expect_not "paid"; expect_not "unprofiled"; expect_not "achieved"
run "$XFERSPY" diff --json --bench=guide_cpp_bench.json guide_pytorch_before.db guide_pytorch_after.db; expect_status 0
valid; json "not d['conclusion']['unprofiled'] and d['notes'][0].startswith('guide_cpp_bench.json is of')"
run "$XFERSPY" diff --bench=guide_cpp_bench.json guide_cpp_before.db guide_cpp_after.db; expect_status 0
expect_out "It paid: 486 ms -> 87.0 ms (-82 %)"; expect_not "left out"
run "$XFERSPY" diff --bench=guide_pytorch_bench.json guide_pytorch_before.db guide_pytorch_after.db; expect_status 0
expect_out "It paid"; expect_not "left out"
bench_of() { # bench_of BEFORE AFTER: words with blanks
    words() { printf '"%s"' "$1" | sed 's/ /", "/g'; }
    printf '{"format": "xferspy-bench", "version": 1,
        "before": {"command": [%s], "runs": [{"wall_ns": 2}]}, "after": {"command": [%s], "runs": [{"wall_ns": 1}]}}\n' \
        "$(words "$1")" "$(words "$2")" >of.json
}
while IFS=: read -r told before after; do
    bench_of "$before" "$after"
    run "$XFERSPY" diff --bench=of.json guide_pytorch_before.db guide_pytorch_after.db; expect_status 0
    if [ "$told" = other ]; then expect_out "! of.json is of"; else expect_not "of.json is of"; fi
done <<'END'
same:python3 old/train.py:python3 new/train.py
same:/opt/bin/python3.12 -u train_old.py 5:python3 -u train_new.py 5
same:taskset -c 0 python3 -X dev train.py:taskset -c 0 python3 other.py
same:sh run_both.sh:./run.sh
other:python3 evaluate.py:python3 evaluate_new.py
other:./trainer:./trainer.old
END
for side in before after; do "$XFERSPY" anonymize -o no_names_$side.db guide_cpp_$side.db; done
run "$XFERSPY" diff --bench=guide_cpp_bench.json no_names_before.db no_names_after.db; expect_status 0
expect_not "left out"
# Where a program failed there is no verdict.
"$XFERSPY" bench -n 3 --json -o failed.json -- true -- false
run "$XFERSPY" diff --bench=failed.json h100_upload_wasteful.db h100_upload_repaired.db
expect_error_of "failed.json: nothing was measured: 3 of 3 runs of AFTER failed"
"$XFERSPY" bench -n 3 --status=1 --json -o ends_so.json -- false -- false
run "$XFERSPY" diff --bench=ends_so.json h100_upload_wasteful.db h100_upload_repaired.db; expect_status 0
echo '{"format": "xferspy-bench", "version": 1, "before": {"runs": []}, "after": 1}' >no_runs.json
echo '{"format": "xferspy-bench", "version": 1, "before": {"runs": [{"wall_ns": -1}]}, "after": {"runs": 3}}' >wrong.json
echo '{"format": "xferspy-diff", "version": 1}' >other.json
echo '{"format": "xferspy-bench", "version": 2}' >newer.json
echo '{"format"' >half.json
for case in "no_runs.json: is damaged" "wrong.json: is damaged" "other.json: is no bench" \
    "newer.json: is of another version of xferspy" "half.json: is damaged" "missing.json: No such file" \
    ".: is no regular file" "h100_wasteful.db: is no JSON"; do
    run "$XFERSPY" diff --bench="${case%%: *}" h100_wasteful.db h100_repaired.db
    expect_error_of "$case"
done

run "$XFERSPY" diff --bench= h100_wasteful.db h100_repaired.db; expect_status 2; expect_err "--bench: which file?"

# Call sites, and what became of one finding.
make_trace before.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql"
cat >less.sql <<'END'
UPDATE meta SET value = 1767225700000000000 WHERE key = 'start_unix_ns';
UPDATE meta SET value = 80000000 WHERE key = 'duration_ns';
UPDATE stack_frame SET line = line + 100 WHERE code = 1;
DELETE FROM transfer WHERE id <= 30 AND id % 3 = 1 AND id > 1;
DELETE FROM device_copy WHERE correlation BETWEEN 101 AND 109;
END
make_trace after.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql" less.sql
run "$XFERSPY" diff before.db after.db
expect_status 0; expect_no_err; golden diff_callsites.txt
expect_out "noop-upload"; expect_out "train.py:112 in step"; expect_out "was line 12"; expect_not "! "
run "$XFERSPY" diff --all before.db after.db; expect_status 0; expect_out "= same"
run "$XFERSPY" diff --top=1 before.db after.db; expect_status 0
[ "$(grep -c ' gone \| new \| grew \| shrank ' stdout)" -eq 2 ] || show "one finding and one call site"

# Only times differ: one run a side shows the numbers without a verdict, three have one.
for n in 1 2 3; do
    echo "UPDATE meta SET value = value + $n WHERE key IN ('start_unix_ns', 'pid');" >run.sql
    echo "UPDATE meta SET value = value + 10 WHERE key IN ('start_unix_ns', 'pid');
        UPDATE device_copy SET end_ns = end_ns - (end_ns - start_ns) / 2;" >half.sql
    make_trace whole$n.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql" run.sql
    make_trace half$n.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql" run.sql half.sql
done
run "$XFERSPY" diff --color=always whole1.db half1.db; expect_status 0
expect_out "  ~ time only"; expect_not "shrank"; expect_not "grew"
run "$XFERSPY" diff whole1.db half1.db; expect_status 0
expect_out "  ~ time only pageable  saves"; expect_out "  ~ time only  train.py:12 in step"; expect_not "gain  "
run "$XFERSPY" diff --json whole1.db half1.db; expect_status 0; valid
both="d['findings'] + d['call_sites']"
json "{c['change'] for c in $both} == {'cannot-tell', 'unchanged'} and d['conclusion']['paid'] == 'did-as-much'"
json "all(c[c['decided_by']]['certainty'] == 'too-few-runs' for c in $both if c['change'] == 'cannot-tell')"
run "$XFERSPY" diff --format=markdown whole1.db half1.db; expect_status 0; expect_out "| time only | pageable | "
expect_not "shrank"
run "$XFERSPY" diff --before whole[123].db --after half[123].db; expect_status 0
expect_out "  > grew      pageable  saves"; expect_out "  < shrank in time  train.py:12"; expect_not "time only"

# Where a sample was checked, times are of all copies, as their number is; where some have no device time, that is said.
echo "UPDATE transfer SET fingerprint = NULL, skip = 21 WHERE id IN (7, 16, 25);
    UPDATE meta SET value = value + 1 WHERE key = 'pid';" >sampled.sql
echo "DELETE FROM device_copy WHERE correlation BETWEEN 300 AND 309;" >untimed.sql
make_trace sampled.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql" sampled.sql
make_trace untimed.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql" sampled.sql untimed.sql
run "$XFERSPY" diff sampled.db after.db; expect_status 0; expect_not "have device times"
expect_out "about 9, 72.0 MiB, about 7.04 ms on the device, about 7.04 ms exposed"
run "$XFERSPY" diff --all before.db sampled.db; expect_status 0; expect_out ": about 9, 72.0 MiB, about 7.04 ms on the"
run "$XFERSPY" diff --format=markdown sampled.db after.db; expect_status 0
expect_out "| about 9 -> 0 | 72.0 MiB -> 0 B | about 7.04 ms -> 0 ns | about 7.04 ms -> 0 ns |"
run "$XFERSPY" diff --json sampled.db after.db; expect_status 0; valid
json "[(f['is_estimate'], f['device_ns']['before']['median']) for f in d['findings'] if f['kind'] == 'noop-upload'] == [(True, 7038000)]"
run "$XFERSPY" diff before.db untimed.db; expect_status 0
expect_out "! AFTER: in untimed.db, 27 of 37 copies have device times: times on the device are of these alone."

# Several runs a side: medians, and the test; a folder is all its traces.
mkdir old new
for n in 1 2 3; do
    echo "UPDATE meta SET value = $((100000000 + n * 100000)) WHERE key = 'duration_ns'; UPDATE meta SET value = value + $n WHERE key IN ('pid');" >run.sql
    make_trace old/$n.db "$SOURCE/fixtures/findings.sql" run.sql
    echo "UPDATE meta SET value = $((98000000 + n * 100000)) WHERE key = 'duration_ns'; UPDATE meta SET value = value + 10 + $n WHERE key IN ('pid');
          DELETE FROM transfer WHERE id = 1;" >run.sql
    make_trace new/$n.db "$SOURCE/fixtures/findings.sql" run.sql
done
run "$XFERSPY" diff --before old/*.db --after new/*.db
expect_status 0; expect_no_err; expect_out "It paid: 100 ms -> 98.2 ms (-2.0 %)"
expect_out "beyond their own spread (rank test, p = 0.05)"
mv stdout files
run "$XFERSPY" diff --json --before old/*.db --after new/*.db; valid
json "d['metrics'][0]['before'] == {'median': 100200000, 'min': 100100000, 'max': 100300000}"
json "d['metrics'][0]['certainty'] == 'beyond-spread' and abs(d['metrics'][0]['p'] - 0.05) < 1e-9"
run "$XFERSPY" diff --before old --after new; expect_status 0; cmp -s stdout files || show "a folder is its traces"
run "$XFERSPY" diff old/1.db new/1.db
expect_status 0; expect_out "1 run before, 1 run after. With so few, xferspy cannot know"
cp old/2.db old/3.db new
run "$XFERSPY" diff --before old --after new; expect_out "within their own spread"; expect_out "are the same run"

# Verdicts that join are one finding, whichever a side or one of its runs has: it has a verdict where all have that one.
for n in 1 2 3 4; do
    echo "UPDATE meta SET value = value + $n WHERE key IN ('start_unix_ns', 'pid');" >run.sql
    make_trace elsewhere$n.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql" run.sql
    make_trace joined$n.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql" \
        "$SOURCE/fixtures/joined.sql" run.sql
done
run "$XFERSPY" diff joined1.db elsewhere2.db; expect_status 0; expect_no_err
expect_out "< shrank    duplicate-upload  12.0 MiB -> 4.00 MiB"
run "$XFERSPY" diff --json joined1.db elsewhere2.db; expect_status 0; valid
finding="[f for f in d['findings'] if f['kind'].startswith('duplicate-upload')]"
json "[(f['kind'], f['name_before'], f['name_after'], f['change']) for f in $finding] == \
    [('duplicate-upload', 'duplicate-upload', 'duplicate-upload/elsewhere', 'shrank')]"
run "$XFERSPY" diff elsewhere1.db joined2.db; expect_status 0
expect_out "> grew      duplicate-upload  4.00 MiB -> 12.0 MiB"
run "$XFERSPY" diff --all elsewhere1.db elsewhere2.db; expect_out "= same      duplicate-upload/elsewhere"
run "$XFERSPY" diff --all --before elsewhere1.db joined2.db --after joined3.db elsewhere4.db; expect_status 0
expect_out "= same      duplicate-upload  saves"; expect_not "duplicate-upload/"; expect_not "new  "
run "$XFERSPY" diff --format=markdown joined1.db elsewhere2.db; expect_status 0; expect_out "duplicate-upload"
expect_not "duplicate-upload/"

# A merged file is its traces, or one of them; traces of several ranks are no runs.
run "$XFERSPY" merge -o old.db old/1.db old/2.db old/3.db; expect_status 0
run "$XFERSPY" diff --json --before old.db --after old; expect_status 0
json "len(d['before']) == 3 and d['conclusion']['paid'] == 'no-change'"
run "$XFERSPY" diff old.db:1 old.db:3; expect_status 0; expect_out "1 run before, 1 run after. With so few"
expect_not "the same run"
run "$XFERSPY" diff -o old.db --force old.db:1 old.db:3; expect_status 1; expect_err "is the trace being read"
for n in 1 2 3; do
    echo "INSERT OR REPLACE INTO meta VALUES ('rank', $n), ('world_size', 4); UPDATE meta SET value = value + $n WHERE key = 'pid';" >run.sql
    make_trace rank$n.db "$SOURCE/fixtures/findings.sql" run.sql
done
run "$XFERSPY" diff --before rank1.db rank2.db rank3.db --after old; expect_status 0
expect_out "BEFORE: its traces are of several ranks"; expect_out "Ranks differ: 1 before, none after"

# What makes two traces hard to compare is said in a line each, and nothing of it is refused.
for fixture in simple killed simulated without_cupti empty no_findings stepped_aside; do
    make_trace $fixture.db "$SOURCE/fixtures/$fixture.sql"
    for format in text json markdown; do
        run "$XFERSPY" diff --format=$format before.db $fixture.db; expect_status 0; expect_no_err
        [ $format != json ] || valid
        run "$XFERSPY" diff --format=$format $fixture.db before.db; expect_status 0; expect_no_err
        run "$XFERSPY" diff --format=$format --all $fixture.db $fixture.db; expect_status 0; expect_no_err
        expect_out "the same run"
    done
done
run "$XFERSPY" diff before.db simulated.db
expect_out "Whether it paid cannot be told: one side alone ran on the simulated GPU"
expect_out "AFTER ran on the simulated GPU"
run "$XFERSPY" diff simulated.db simulated.db
case $(head -n 1 stdout) in "(Simulated) It copied as much as before"*) ;; *) show "simulated" ;; esac
run "$XFERSPY" diff before.db without_cupti.db; expect_out "AFTER has no device times"
expect_out "One side has no call sites"
run "$XFERSPY" diff before.db empty.db; expect_out "AFTER: empty.db has no transfers"
run "$XFERSPY" diff before.db killed.db; expect_out "killed"; expect_out "Whether it paid cannot be told"

# Hostile text in every column stays text: on a terminal, in JSON and in Markdown.
make_trace hostile.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql" "$SOURCE/fixtures/hostile.sql"
{
    echo "UPDATE python_code SET function = '<img src=x onerror=alert(1)>|[a](http://b) @me #1 \`x\`' || char(10, 27) || '**', file = '/x/</td>|'||hex(zeroblob(100000));"
    echo "UPDATE symbol SET function = CAST(x'C3281B5B6D' AS TEXT) || hex(zeroblob(100000));"
} >names.sql
make_trace names.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql" names.sql
for pair in "before.db hostile.db" "hostile.db before.db" "before.db names.db" "names.db before.db" \
    "names.db names.db"; do
    for format in text json markdown; do
        run "$XFERSPY" diff --all --format=$format $pair
        expect_status 0; expect_no_err
        LC_ALL=C tr -d '\n' <stdout | LC_ALL=C grep -q "[$(printf '\001-\037\177')]" &&
            show "control characters ($format)"
        iconv -f UTF-8 -t UTF-8 stdout >/dev/null || show "invalid UTF-8 ($format)"
        [ "$(wc -c <stdout)" -lt 400000 ] || show "names are cut"
        [ $format != markdown ] || rendered
        [ $format != json ] || valid
    done
done

echo "UPDATE meta SET value = '/x/p @octocat #12 https://evil.example/x www.evil.example <b>x</b> me@evil.example ![i](x)' WHERE key = 'command';
UPDATE meta SET value = '@octocat' WHERE key = 'host';" >notes.sql
make_trace notes.db "$SOURCE/fixtures/findings.sql" notes.sql
run "$XFERSPY" diff --format=markdown before.db notes.db; expect_status 0; expect_out "Arguments differ"; rendered

# Files that are none, and wrong command lines.
echo text >text
run "$XFERSPY" diff before.db missing.db; expect_error_of missing.db
run "$XFERSPY" diff text before.db; expect_error_of text
head -c 5000 before.db >cut.db
run "$XFERSPY" diff before.db cut.db; expect_error_of cut.db
mkdir nothing
run "$XFERSPY" diff --before nothing --after before.db; expect_error_of "nothing: has no traces"
run "$XFERSPY" diff -o before.db --force before.db after.db; expect_status 1; expect_err "is the trace being read"
echo kept >existing
run "$XFERSPY" diff -o existing before.db after.db; expect_status 1; expect_err existing
[ "$(cat existing)" = kept ] || show "replaced"
run "$XFERSPY" diff -o existing --force before.db after.db; expect_status 0; expect_no_out
grep -q "^It copied" existing || show "-o"
mkdir many; for n in $(seq 33); do cp before.db many/$n.db; done
run "$XFERSPY" diff --before many --after after.db; expect_error_of "at most 32"
usage() { run "$XFERSPY" diff "$@"; expect_status 2; expect_no_out; expect_err "$message"; }
message="which traces?"; usage
message="compared with what?"; usage before.db
message="several runs a side: --before"; usage before.db after.db after.db
message="no traces for --after"; usage --before before.db
message="before or after?"; usage before.db --after after.db
message="use text, json or markdown"; usage --format=xml before.db after.db
message="--top=0: use a number from 1"; usage --top=0 before.db after.db
