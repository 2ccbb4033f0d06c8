# A trace of a run that was repaired while it was recorded (XFERSPY_REPAIR): every command says so, since the trace
# counts the calls that were left out. check decides no rule that these could change, and such a trace is no baseline.
. "$SOURCE/lib.sh"
make_trace plain.db "$SOURCE/fixtures/findings.sql"
make_trace repaired.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/repaired.sql"
with="with repairs (XFERSPY_REPAIR): drop-uploads (uploads left out: 9, 72.0 MiB); nothing was repaired by gather."
means="Counts and findings are of the calls that the program made, also of those that a repair left out or changed"
run "$XFERSPY" report repaired.db; expect_status 0; expect_no_err
expect_out "Recorded $with $means; times are those of the repaired run."
expect_out "by 2 causes; start with number 1, scalar-readback (counting calls that repairs left out or changed)."
expect_not "xferspy try"
run "$XFERSPY" report --format=markdown repaired.db; expect_out "$means"; expect_not "xferspy try"
run "$XFERSPY" report --json repaired.db; expect_out '"repairs": {'; expect_out '"name": "drop-uploads"'
expect_out '"count": 9'; expect_out '"ended": true'; expect_out '"bytes": 75497472'; expect_out '"try_command": null'
run "$XFERSPY" explain repaired.db; expect_out "Recorded $with $means"
run "$XFERSPY" explain repaired.db noop-upload; expect_out "Recorded $with $means"
run "$XFERSPY" explain --json repaired.db noop-upload; expect_out '"name": "drop-uploads"'
run "$XFERSPY" diff plain.db repaired.db; expect_out "! AFTER: repaired.db was recorded $with $means"
run "$XFERSPY" report repaired.db plain.db
expect_out "Recorded with repairs (XFERSPY_REPAIR), so counts and findings are"
run "$XFERSPY" anonymize -o anonymous.db repaired.db; run "$XFERSPY" report anonymous.db; expect_out "Recorded $with"
run "$XFERSPY" report plain.db; expect_not "XFERSPY_REPAIR"; expect_out "xferspy try plain.db"
run "$XFERSPY" report --json plain.db; expect_out '"repairs": null'

# Limits of times that were measured are judged. All others are unknown, whether what was seen is over them or not.
run "$XFERSPY" check --no-config repaired.db; expect_status 3
expect_out "UNKNOWN  saved-time:1%"; expect_out "Record it without XFERSPY_REPAIR."; expect_out "Recorded $with"
expect_not "FAIL"
run "$XFERSPY" check --no-config --fail-on=wall-time:1s,device-time:1s,call-time:1s repaired.db
expect_status 0; expect_out "Recorded $with"
run "$XFERSPY" check --no-config --fail-on=wall-time:1ms repaired.db; expect_status 3
expect_out "FAIL     wall-time:1ms"
for rule in transfers:1000 upload-bytes:1 allocations:0 noop-upload:0 noop-upload:99 any:1s sure:0 saved-time:1s; do
    run "$XFERSPY" check --no-config --fail-on=$rule repaired.db; expect_status 3; expect_out "UNKNOWN  $rule"
done
run "$XFERSPY" check --no-config --fail-on=noop-upload:0 --allow-unknown repaired.db; expect_status 0
expect_out ALLOWED
run "$XFERSPY" check --no-config --fail-on=noop-upload:100 plain.db; expect_status 0
run "$XFERSPY" check --write-baseline=baseline.json repaired.db
expect_error_of "repaired.db: no baseline, because the run was repaired while it was recorded"
[ ! -e baseline.json ] || show "a baseline was written"
run "$XFERSPY" check --no-config --baseline=repaired.db --fail-on=any:0 plain.db; expect_status 1
expect_err "repaired.db: no baseline, because"

# Repairs that were made to nothing leave a trace as it is. What they did is not known where the trace does not say it.
made_by() { # made_by TRACE SQL
    echo "$2" >made.sql
    make_trace "$1" "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/repaired.sql" made.sql
}
made_by nothing.db "UPDATE meta SET value = 0 WHERE key LIKE 'repair.%.made' OR key LIKE 'repair.%.bytes';"
run "$XFERSPY" report nothing.db; expect_not "Counts and findings"; expect_out "xferspy try nothing.db"
expect_out "Recorded with repairs (XFERSPY_REPAIR): nothing was repaired by drop-uploads, gather."
run "$XFERSPY" check --no-config --fail-on=noop-upload:0 nothing.db; expect_status 3
expect_out "FAIL     noop-upload:0"
# Of a process that was killed the counts are of some time before: a repair that was on counts as made.
made_by killed.db "UPDATE meta SET value = 'recovered' WHERE key = 'status';"
run "$XFERSPY" report killed.db
expect_out "drop-uploads (uploads left out: at least 9, 72.0 MiB), gather (small uploads gathered: how many is not known). $means"
run "$XFERSPY" report --json killed.db; expect_out '"ended": false'; expect_out '"known": true'
made_by killed_early.db "UPDATE meta SET value = 'recovered' WHERE key = 'status';
    UPDATE meta SET value = 0 WHERE key LIKE 'repair.%.made' OR key LIKE 'repair.%.bytes';"
run "$XFERSPY" report killed_early.db; expect_out "(uploads left out: how many is not known)"; expect_out "$means"
expect_out "(counting calls that repairs left out or changed)"; expect_not "xferspy try"
run "$XFERSPY" check --no-config --fail-on=noop-upload:100 killed_early.db; expect_status 3
expect_out "UNKNOWN  noop-upload:100"
run "$XFERSPY" check --write-baseline=baseline.json killed_early.db; expect_error_of "no baseline, because"
run "$XFERSPY" report killed_early.db plain.db; expect_out "Recorded with repairs (XFERSPY_REPAIR), so counts"
made_by none.db "DELETE FROM meta WHERE key LIKE 'repair.%'; INSERT INTO meta VALUES ('repair.on', 0);"
run "$XFERSPY" report none.db; expect_not "XFERSPY_REPAIR"
made_by unsaid.db "DELETE FROM meta WHERE key LIKE 'repair.%';"
run "$XFERSPY" report unsaid.db
expect_out "Recorded with repairs (XFERSPY_REPAIR), and what they did is not known."; expect_out "$means"
run "$XFERSPY" report --json unsaid.db; expect_out '"known": false'
run "$XFERSPY" check --no-config --fail-on=noop-upload:100 unsaid.db; expect_status 3
expect_out "UNKNOWN  noop-upload:100"
