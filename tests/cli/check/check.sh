# xferspy check: what passes, what fails and with which exit status; baselines, suppressions, several traces, wrong
# usage.
. "$SOURCE/lib.sh"
need_python
F=$SOURCE/fixtures
make_trace run.db "$F/findings.sql" "$F/callsites.sql"
make_trace bare.db "$F/findings.sql"
echo "DELETE FROM device_kernel; UPDATE meta SET value = 0 WHERE key = 'cupti.kernels'" >no_kernels.sql
make_trace no_kernels.db "$F/findings.sql" "$F/callsites.sql" no_kernels.sql
make_trace blind.db "$F/without_cupti.sql"
make_trace empty.db "$F/empty.sql"
make_trace hostile.db "$F/findings.sql" "$F/callsites.sql" "$F/hostile.sql"
check() { run "$XFERSPY" check "$@"; }

# Nothing given: the default, which says what it is.
check run.db; expect_status 3; expect_no_err
expect_out "FAIL     saved-time:1%"; expect_out "No rules were given"
expect_out "at train.py:12 in step (cuMemcpyHtoD_v2)"
expect_out "What to do: xferspy explain run.db scalar-readback"; expect_out "The gate fails."
[ "$(wc -l <stdout)" -le 20 ] || show "more than a screen"
check no_kernels.db; expect_status 3; 
expect_out "saves up to 18.1 ms (18 % of the run; 7.15 ms or more), limit 1.00 ms"
check --fail-on=least-saved-time:1ms run.db; expect_status 3; expect_out "scalar-readback: "
check empty.db; expect_status 0; expect_out "PASS     saved-time:1%"; expect_out "No copies were seen at all."
# The least of a finding that is likely only is nothing: an upload that no kernel was given a pointer to, before its
# memory was freed.
cat >likely.sql <<'EOF'
INSERT INTO allocation (id,entry_point,thread,address,bytes,kind,origin,device,context,enter_ns,return_ns,
  free_entry_point,free_thread,free_enter_ns,free_return_ns) VALUES
 (3,3,1,150000000000000,16777216,4,1,0,1,3900000,3910000,4,1,47000000,47010000);
INSERT INTO fingerprint VALUES (4,9,9,NULL,NULL,4096,NULL,NULL,1);
INSERT INTO transfer (id,entry_point,thread,direction,bytes,src_address,dst_address,src_kind,dst_kind,dst_device,
  src_allocation,dst_allocation,context,stream,is_async,is_captured,result,enter_ns,return_ns,correlation,fingerprint) VALUES
 (4,1,1,1,16777216,139000000000000,150000000000000,2,4,0,2,3,1,2,0,0,0,4000000,4400000,104,4);
INSERT INTO device_copy (correlation,kind,src_kind,dst_kind,bytes,start_ns,end_ns,device,cupti_context,cupti_stream,is_async,copies)
 VALUES (104,1,2,3,16777216,4010000,4320000,0,1,13,0,1);
INSERT INTO launch (id,entry_point,thread,kind,function,context,stream,is_captured,result,enter_ns,correlation,arguments)
 VALUES (4,5,1,0,7000,1,2,0,0,4500000,204,1);
EOF
make_trace likely.db "$F/no_findings.sql" likely.sql
check --fail-on=any:1us,sure:1us --allow-unknown likely.db; expect_status 3
expect_out "unused-upload/likely: 1,"; expect_out "FAIL     any:1us"; expect_out "PASS     sure:1us"; expect_out "none"

# Copies that nobody looked at may be waste: a limit that they could pass is not kept for certain.
make_trace unchecked.db "$F/no_findings.sql" "$F/unchecked.sql"
check unchecked.db; expect_status 3; expect_out "UNKNOWN  saved-time:1%"; expect_not "PASS"
expect_out "10 downloads (160 MiB, 3.00 ms) could not be checked: xferspy run --fingerprint=all -- PROGRAM checks"
check --fail-on=saved-time:5.9%,any:0,any:9,any:159MiB,any:2.9ms,sure:1%,sure:9 unchecked.db; expect_status 3
[ "$(grep -c UNKNOWN stdout)" -eq 7 ] || show "all are unknown"
check --fail-on=saved-time:6.1%,any:10,any:160MiB,any:3ms,sure:10% unchecked.db; expect_status 0
expect_out "Not decided: 10 instances"
check --allow-unknown=saved-time unchecked.db; expect_status 0; expect_out "ALLOWED  saved-time:1%"
# ... but not where the baseline had as many.
run "$XFERSPY" check --write-baseline=unchecked.json unchecked.db; expect_status 0
check --baseline=unchecked.json --fail-on=any:0,sure:0,saved-time:1% unchecked.db; expect_status 0
check --baseline=unchecked.json --fail-on=any:0 --fail-on=saved-time:+0% unchecked.db; expect_status 0
# What was left out and has a sample is estimated: the limit is kept, as before.
echo "UPDATE transfer SET skip = NULL, fingerprint = 3 WHERE id IN (12);
UPDATE transfer SET skip = 22, fingerprint = 2 WHERE id IN (13);" >sampled.sql
make_trace sampled.db "$F/no_findings.sql" "$F/unchecked.sql" sampled.sql
check sampled.db; expect_status 0; expect_out "PASS     saved-time:1%"

# Metrics: exactly the limit is good, one more is not.
check --fail-on=wall-time:100ms,transfers:37,upload-bytes:97779712B run.db; expect_status 0
expect_out "The gate passes."
check --fail-on=wall-time:99999999ns run.db; expect_status 3
check --fail-on=transfers:36 run.db; expect_status 3; expect_out "37, limit 36"
check --fail-on=saved-time:5% run.db; expect_status 3; expect_out "saves 18.1 ms (18 % of the run), limit 5.00 ms"
expect_out "at train.py:12 in step (cuMemcpyHtoD_v2)"
check --fail-on=saved-time:20% run.db; expect_status 0
check --fail-on=least-saved-time:1% no_kernels.db; expect_status 3; expect_out "saves 7.15 ms (7.2 % of the run)"
check --fail-on=bare-time:1s run.db; expect_status 3; expect_out "UNKNOWN"
# Findings: instances, bytes, time, share; of a verdict; each by itself.
check --fail-on=noop-upload:72MiB --allow-unknown run.db; expect_status 0
check --fail-on=noop-upload:71MiB run.db; expect_status 3
check --fail-on=noop-upload:7ms run.db; expect_status 3; expect_out "saves 7.65 ms, limit 7.00 ms"
check --fail-on=noop-upload:7% run.db; expect_status 3
check --fail-on=duplicate-upload/elsewhere:0 run.db; expect_status 3
check --fail-on=duplicate-upload/elsewhere:5 run.db; expect_status 0
check --fail-on=leak:0 run.db; expect_status 0
check --fail-on=any:11% no_kernels.db; expect_status 0; expect_out "the largest saves up to 9.09 ms"
check --fail-on=any:9% --fail-on=sure:8% no_kernels.db; expect_status 3; expect_out "FAIL     any:9%"
expect_out "PASS     sure:8%"

# What the trace cannot tell is no pass: 9 were found, of 3 it could not be decided.
check --fail-on=noop-upload:9 run.db; expect_status 3; expect_out "UNKNOWN  noop-upload:9"
expect_out "Of 3 it could not be decided"
check --fail-on=noop-upload:12 run.db; expect_status 0
check --fail-on=noop-upload:9 --allow-unknown=noop-upload run.db; expect_status 0; expect_out "ALLOWED  noop-upload:9"
check --fail-on=noop-upload:9 --allow-unknown=pageable run.db; expect_status 3
check --fail-on=noop-upload:8 --allow-unknown run.db; expect_status 3 # what is known to be over stays over
for rule in sure:1% any:0 saved-time:50% noop-upload:1000 mostly-unchanged:1000 no-overlap:5 device-time:1s \
    wall-time:+1%; do
    check --fail-on=$rule --baseline=blind.db blind.db
    case $rule in
    wall-time*) expect_status 0 ;;
    *) expect_status 3; expect_out "UNKNOWN"; expect_not "FAIL " ;;
    esac
done
check --fail-on=device-time:1s blind.db; expect_out "another subscriber holds CUPTI"
check --fail-on=noop-upload:0 blind.db; expect_out "Contents were not checked"
check --fail-on=small-transfers:0,transfers:3 blind.db; expect_status 0 # host events are enough
check --fail-on=sure:1% --allow-unknown blind.db; expect_status 0; expect_out "ALLOWED"

# Baselines: a file, written twice the same, that names no machine; a trace.
check --write-baseline=base.json run.db; expect_status 0; expect_no_out; expect_no_err
check --write-baseline=again.json run.db; cmp base.json again.json || show "two baselines of one trace differ"
cp base.json stdout; expect_not "/opt"; expect_not "node07"; expect_not "/build"; expect_out '"function": "step"'
check --write-baseline=base.json run.db; expect_status 1; expect_err "exists already"
check --write-baseline=base.json --force run.db; expect_status 0
check --write-baseline=run.db --force run.db; expect_status 1; expect_err "is the trace being read"
check --write-baseline=x.json run.db bare.db; expect_status 2
for base in base.json run.db; do
    check --baseline=$base --fail-on=any:0,noop-upload:+0,wall-time:+0%,noop-upload:0 run.db
    expect_status 0; expect_out "none; 6 more as in the baseline"; expect_out "(9 in the baseline)"
    expect_out "6 findings as before, 0 grown, 0 new, 0 gone"
done
# Lines move: the same place still. More instances than the tolerance: grown. Another function: new, and one gone.
make_trace moved.db "$F/findings.sql" "$F/callsites.sql"
cat >edit.sql <<'EOF'
UPDATE stack_frame SET line = line + 5 WHERE line IS NOT NULL;
EOF
make_trace moved.db "$F/findings.sql" "$F/callsites.sql" edit.sql
check --baseline=base.json --fail-on=any:0 moved.db; expect_status 0; expect_out "6 findings as before"
sed 's/"instances": 9,/"instances": 8,/' base.json >fewer.json
check --baseline=fewer.json --fail-on=any:0 run.db; expect_status 3; expect_out "grown from 8"; expect_out "1 grown"
check --baseline=fewer.json --tolerance=13% --fail-on=any:0 run.db; expect_status 0
check --baseline=fewer.json --fail-on=noop-upload:+0 run.db; expect_status 3; expect_out "limit 8 (8 in the baseline)"
check --baseline=fewer.json --fail-on=noop-upload:+1 run.db; expect_status 0
# What has grown by the number that a rule measures has grown in the last line, too.
"$python" - <<'PY'
import json
base = json.load(open("base.json"))
for finding in [finding for site in base["call_sites"] for finding in site["findings"]]:
    if finding["finding"] == "noop-upload":
        finding["saves_ns"] //= 2
json.dump(base, open("less.json", "w"))
PY
check --baseline=less.json --fail-on=noop-upload:1us run.db; expect_status 3; expect_out "grown from"
expect_out "5 findings as before, 1 grown, 0 new"
check --baseline=less.json --fail-on=noop-upload:1us --json run.db
[ "$(grep -c '"baseline": "grown"' stdout)" -eq 1 ] || show "one has grown in JSON"
check --baseline=less.json --fail-on=saved-time:1us run.db; expect_status 3; expect_out "grown from"
expect_out "5 findings as before, 1 grown, 0 new"
check --baseline=less.json --fail-on=saved-time:1us --json run.db
[ "$(grep -c '"baseline": "grown"' stdout)" -eq 1 ] || show "one that a rule of the run names has grown in JSON"
check --baseline=less.json --fail-on=noop-upload:0 run.db; expect_status 0; expect_out "6 findings as before, 0 grown"

# 60 wasted uploads; chance looked at two of them: the rules go by the estimate and its interval, 21 to 60.
make_trace sampled.db "$F/no_findings.sql" "$F/sampled_uploads.sql"
check --fail-on=noop-upload:0,noop-upload:20,noop-upload:83MiB,noop-upload:4ms,noop-upload:8% sampled.db
expect_status 3; expect_out "FAIL     noop-upload:0      about 60 instances (21 to 60), limit 0"
[ "$(grep -c '  FAIL  ' stdout)" -eq 5 ] || show "all five fail for certain"
check --fail-on=noop-upload:21,noop-upload:59,noop-upload:200MiB,noop-upload:5ms,noop-upload:20%,any:30ms sampled.db
expect_status 3; [ "$(grep -c '  UNKNOWN  ' stdout)" -eq 5 ] || show "five limits lie in the interval"
expect_out "it is 21 to 60 with 95 % certainty, and the limit lies between."
expect_out "run --fingerprint=all -- PROGRAM"
expect_out "PASS     any:30ms"
check --fail-on=noop-upload:60,noop-upload:240MiB,noop-upload:12.1ms,noop-upload:25% sampled.db; expect_status 0
expect_out "PASS     noop-upload:60      about 60 instances (21 to 60), limit 60"
# Other samples of the program are no growth, nor a new number of instances: the intervals overlap.
echo "UPDATE transfer SET fingerprint = 50, skip = NULL WHERE id BETWEEN 20 AND 79 AND id % 2 = 0" >half.sql
echo "UPDATE transfer SET fingerprint = CASE WHEN id % 4 = 0 THEN 51 ELSE 50 END, skip = NULL
  WHERE id BETWEEN 20 AND 79 AND id % 2 = 0" >mixed.sql
make_trace half.db "$F/no_findings.sql" "$F/sampled_uploads.sql" half.sql
make_trace mixed.db "$F/no_findings.sql" "$F/sampled_uploads.sql" mixed.sql
for name in sampled half mixed; do check --write-baseline=$name.json $name.db; expect_status 0; done
for pair in sampled.json:half.db half.json:sampled.db mixed.json:sampled.db sampled.json:mixed.db \
    half.db:sampled.db; do
    check --baseline=${pair%:*} --fail-on=any:0,noop-upload:0,noop-upload:+0,noop-upload:+0% ${pair#*:}
    expect_out "PASS     noop-upload:0 "; expect_out "PASS     noop-upload:+0 "; expect_out "PASS     noop-upload:+0%"
    expect_out "0 grown"
done
check --baseline=mixed.json --fail-on=noop-upload:+0 sampled.db
expect_out "about 60 instances (21 to 60), limit 38 (30 in the baseline); not more for certain, because not all"
# ... and what is beyond them is: 56 to 60 after 22 to 38.
check --baseline=mixed.json --fail-on=noop-upload:0,noop-upload:+0 half.db; expect_status 3
expect_out "FAIL     noop-upload:0 "; expect_out "FAIL     noop-upload:+0 "; expect_out "1 grown"
# Of 30 that were checked none was wasted: so many that the sample cannot leave out are none that it can tell.
echo "UPDATE transfer SET fingerprint = 51, skip = NULL WHERE id BETWEEN 20 AND 79 AND id % 2 = 0" >none.sql
make_trace none.db "$F/no_findings.sql" "$F/sampled_uploads.sql" none.sql
check --fail-on=noop-upload:0,noop-upload:1 none.db; expect_status 3; expect_out "UNKNOWN  noop-upload:0"
expect_not "PASS"; expect_not "FAIL"
check --fail-on=noop-upload:10 none.db; expect_status 0

cat >edit.sql <<'EOF'
UPDATE python_code SET function = 'forward' WHERE function = 'step';
EOF
make_trace renamed.db "$F/findings.sql" "$F/callsites.sql" edit.sql
check --baseline=base.json --fail-on=any:5% renamed.db; expect_status 3; expect_out "in forward"; expect_out ", new"
expect_out "3 new, 3 gone. The baseline can be renewed"
check --baseline=base.json --fail-on=any:0 empty.db; expect_out "6 gone"
# Swapped: the better run as baseline of the worse one.
check --write-baseline=good.json empty.db; check --baseline=good.json --fail-on=any:5% run.db; expect_status 3
expect_out "6 new"
check --fail-on=wall-time:+10% run.db; expect_status 2; expect_err "limit against a baseline"
# Baselines that are none.
echo '{"format": "xferspy-baseline", "version": 2, "call_sites": []}' >newer.json
echo '{"format": "xferspy-baseline", "version": 1' >cut.json
one_site() { # one_site CATEGORY FINDINGS
    printf '{"format": "xferspy-baseline", "version": 1, "call_sites": [{"entry_point": "cuMemcpyHtoD_v2",
        "category": "%s", "findings": [%s]}]}' "$1" "$2"
}
one_site transfer '{"finding": 5}' >typed.json
one_site upload "" >category.json
echo '{"format": "xferspy-report", "version": 1}' >other.json
: >nothing.json
printf '{"format": "xferspy-baseline"\0' >binary.json
for bad in "newer.json: is of another version of xferspy" "cut.json: is damaged" "typed.json: is damaged" \
    "category.json: is damaged" \
    "other.json: is no baseline" \
    "nothing.json" "binary.json: is no JSON" "missing.json: No such file"; do
    check --baseline="${bad%%:*}" run.db; expect_error_of "$bad"
done

# Verdicts that join: a rule of one of them counts the finding where it has that one, and so does the baseline, which
# names them. A baseline that does not is damaged.
make_trace joined.db "$F/findings.sql" "$F/callsites.sql" "$F/joined.sql"
check --fail-on=duplicate-upload/elsewhere:2 joined.db; expect_status 3; expect_out "3 instances, limit 2"
expect_out "duplicate-upload: 3, 12.0 MiB, saves"
check --fail-on=duplicate-upload/overwritten:2 joined.db; expect_status 3; expect_out "3 instances, limit 2"
check --fail-on=duplicate-upload/freed:0 --allow-unknown joined.db; expect_status 0; expect_out "ALLOWED"
check --write-baseline=joined.json joined.db; expect_status 0
"$python" -c "import json
findings = lambda name: [f for site in json.load(open(name))['call_sites'] for f in site['findings']]
f = [f for f in findings('joined.json') if 'duplicate' in f['finding']]
assert [(x['finding'], x['verdicts']) for x in f] == [('duplicate-upload', ['overwritten', 'elsewhere'])], f
assert not any('verdicts' in f for f in findings('base.json'))" || show "verdicts in the baseline"
grep -v '"verdicts"\|^            "\|^          \],$' joined.json >unnamed.json
[ "$(grep -c verdicts unnamed.json)" -eq 0 ] || show "a baseline without verdicts"
check --baseline=unnamed.json joined.db; expect_error_of "unnamed.json: is damaged"
sed 's/"verdicts": \[/"verdicts": ["later",/' joined.json >later.json
rules=duplicate-upload/elsewhere:+0,duplicate-upload/overwritten:+0,duplicate-upload/freed:+0
for base in joined.db joined.json later.json; do
    check --baseline=$base --fail-on=$rules,any:0 joined.db; expect_status 0; expect_out "0 grown, 0 new, 0 gone"
    check --baseline=$base --fail-on=$rules run.db; expect_status 0
    [ "$(grep -c 'limit 3 (3 in the baseline)' stdout)" -eq 2 ] || show "two verdicts in the baseline"
    grep -q 'freed:+0  *0 instances, limit 0' stdout || show "a verdict that the baseline does not have"
done
check --baseline=base.json --fail-on=any:0 joined.db; expect_status 3; expect_out "duplicate-upload: 3,"
expect_out "grown from 1"; expect_out "0 gone" # a finding of one verdict is the same place with several
sed 's/"verdicts": \[/"verdicts": 5, "x": [/' joined.json >typed.json
check --baseline=typed.json run.db; expect_error_of "typed.json: is damaged"
for finding in duplicate-upload/elsewhere duplicate-upload; do
    printf '[suppress]\nfinding = %s\nreason = known\n' $finding >suppress
    check --config=suppress --fail-on=duplicate-upload:0 --allow-unknown joined.db; expect_status 0
done
printf '[suppress]\nfinding = duplicate-upload/freed\nreason = known\n' >suppress
check --config=suppress --fail-on=duplicate-upload:0 joined.db; expect_status 3; expect_out "Unused suppression"
# In SARIF it is one rule and one fingerprint, whichever verdicts there are; of two traces one result.
"$XFERSPY" check --fail-on=duplicate-upload:0 --format=sarif joined.db run.db >both.sarif
"$python" -c "import json
(run,) = json.load(open('both.sarif'))['runs']
(result,) = [r for r in run['results'] if r['ruleId'].startswith('duplicate-upload')]
assert (result['ruleId'], result['occurrenceCount'], result['level']) == ('duplicate-upload', 2, 'error'), result
assert [r['id'] for r in run['tool']['driver']['rules'] if 'duplicate' in r['id']] == ['duplicate-upload']" ||
    show "duplicate-upload in SARIF"

# Suppressions: with a reason, until a day; used, unused, expired.
cat >xferspy.check <<'EOF'
# what this program may do
[check]
fail-on = any:1%
[suppress]
finding = noop-upload
function = st*
reason = weights change soon
until = 9999-12-31
[suppress]
finding = pageable
file = train.py
reason = cannot be pinned
[suppress]
finding = scalar-readback
reason = the loss is logged
[suppress]
function = nowhere
reason = forgotten
EOF
check run.db; expect_status 0; expect_out "Suppressed: 4 findings."; expect_out "Rules of xferspy.check."
expect_out "Unused suppression, can be removed: xferspy.check:16 (any finding in nowhere): forgotten"
check --no-config run.db; expect_status 3
check --fail-on=saved-time:1% run.db; expect_status 3 # metrics are measured, whatever is suppressed
mkdir -p ci; cp base.json ci/; { echo "baseline = base.json"; echo "fail-on = any:0"; } >ci/gate
check --config=ci/gate run.db; expect_status 0; expect_out "Against ci/base.json"
sed 's/9999-12-31/2020-06-30/' xferspy.check >old.check
check --config=old.check run.db; expect_status 3
expect_out "expired on 2020-06-30, and is needed still: old.check:4 (noop-upload in st*)"
check --config=old.check empty.db; expect_status 0; expect_out "Unused suppression"
sed '/reason = cannot/d' xferspy.check >noreason.check
check --config=noreason.check run.db; expect_status 2; expect_no_out
expect_err "noreason.check:9: a suppression has to say why"
: >none.check; check --config=none.check run.db; expect_status 3; expect_out "No rules were given"
# A baseline and suppressions are about findings, and so is then the rule that nobody gave.
check --no-config --baseline=base.json --allow-unknown run.db; expect_status 0
expect_out "No rules were given. This one was checked: any:1%"
sed "/^fail-on/d" xferspy.check >suppressions.check
check --config=suppressions.check --allow-unknown run.db; expect_status 0
expect_out "No rules were given. This one was checked: any:1%"
check --config=missing.check run.db; expect_status 2; expect_err "missing.check: No such file"
check --config=run.db run.db; expect_status 2
rm xferspy.check

# Several traces: all are judged, the worst counts and is named.
check --fail-on=transfers:10 empty.db run.db blind.db; expect_status 3
expect_out "The gate fails: 1 of 3 traces, the first of them run.db."
check --fail-on=transfers:100 empty.db run.db; expect_status 0
check missing.db run.db; expect_status 1; expect_err "missing.db"; expect_out "FAIL     saved-time:1%"
expect_out "Not judged, as it cannot be read: missing.db"; expect_out "The gate fails."
check missing.db empty.db; expect_status 1; expect_out "The gate does not pass: not every trace was judged."
expect_not "The gate passes"
check missing.db; expect_status 1; expect_no_out
# A folder and a merged file are all their traces; one of these by its name.
mkdir runs nothing_in; cp run.db empty.db runs
check --fail-on=transfers:10 runs; expect_status 3
expect_out "The gate fails: 1 of 2 traces, the first of them runs/run.db."
echo text >runs/text.db
check --fail-on=transfers:100 runs; expect_status 0; expect_err "runs/text.db: not an xferspy trace; left out"
check nothing_in; expect_error_of "nothing_in: has no traces"
check nothing_in empty.db; expect_status 1; expect_out "The gate does not pass"
run "$XFERSPY" merge -o job.db run.db empty.db; expect_status 0
check --fail-on=transfers:10 job.db; expect_status 3; expect_out "the first of them job.db:run."
check --fail-on=transfers:10 job.db:empty; expect_status 0
check --baseline=job.db:run --fail-on=any:0 run.db; expect_status 0
check --write-baseline=x.json job.db; expect_error_of "job.db: stands for 2 traces, and a baseline is of one"
check --write-baseline=job.db --force job.db:run; expect_status 1; expect_err "is the trace being read"
check --write-baseline=x.json --baseline=base.json run.db; expect_status 2
# A clock that jumped: the run's length is a guess by one wrong time, and no share of it is a limit.
cat >jump.sql <<'EOF'
UPDATE meta SET value = -5 WHERE key = 'duration_ns';
UPDATE transfer SET enter_ns = 9223372036854775807 WHERE id = 7;
EOF
make_trace jump.db "$F/findings.sql" "$F/callsites.sql" jump.sql
check jump.db; expect_status 3; expect_out "UNKNOWN  saved-time:1%"; expect_out "How long the run took is not known"
check --fail-on=saved-time:1s,sure:20ms jump.db; expect_status 0
# Without stacks the entry point is the place.
check bare.db; expect_status 3; expect_out "at cuMemcpyHtoD_v2"

# Wrong usage: one helpful line.
check; expect_status 2
check --fail-on=noop-uplod:0 run.db; expect_status 2; expect_no_out; expect_err "did you mean \`noop-upload'?"
check --fail-on=zzz:0 run.db; expect_status 2; expect_err "xferspy check --rules"
check --fail-on=wall-time:5% run.db; expect_status 2; expect_err "wall-time:+5%"
check --tolerance=10 run.db; expect_status 2; expect_err "10%"
check --format=xml run.db; expect_status 2; expect_err "junit"
check --junit=base.json run.db; expect_status 1; expect_err "exists already"
check --sarif=run.db --force run.db; expect_status 1; expect_err "is the trace being read"
check -o base.json --force --baseline=base.json run.db; expect_status 1
check --rules; expect_status 0; expect_out "saved-time"; expect_out "duplicate-upload/freed"

# Everything --rules lists is a rule.
check --rules; sed -n 's/^  \([a-z-]*\(\/[a-z-]*\)\{0,1\}\).*/\1/p' stdout >names
[ "$(wc -l <names)" -ge 50 ] || show "hardly any names"
while read -r name; do
    check --fail-on="$name:0" --allow-unknown run.db
    [ "$status" = 0 ] || [ "$status" = 3 ] || show "$name is no rule"
done <names
