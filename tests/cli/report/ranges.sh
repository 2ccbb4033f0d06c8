# A trace that has the calls of parts of the run alone (XFERSPY_OUTSIDE=allocations): every command says how much of the
# run was looked at, and how many calls were left out. What is found then is in unit.analyzer.analysis.
. "$SOURCE/lib.sh"
make_trace part.db "$SOURCE/fixtures/simple.sql" "$SOURCE/fixtures/ranges.sql"
make_trace whole.db "$SOURCE/fixtures/simple.sql"
looked_at="Looked at 65.0 ms of 200 ms, in 2 parts of the run that XFERSPY_WINDOW asks for"
left_out="1,234 calls that copy, 5,678 launches, 1 wait or other call were counted and not recorded"
run "$XFERSPY" report part.db; expect_status 0; expect_no_err; expect_out "$looked_at"; expect_not "where   "
run "$XFERSPY" report --sections=coverage part.db; expect_out "$left_out"
run "$XFERSPY" report --format=markdown part.db; expect_out "$looked_at"
run "$XFERSPY" report --json part.db; expect_out '"looked_at"'; expect_out '"recorded_ns": 65000000'
expect_out '"left_out_launches": 5678'; expect_out '"kind": "outside"'; expect_out "$left_out"
expect_out '"window": "nvtx:step"'; expect_not '"wanted"'
make_trace steps.db "$SOURCE/fixtures/simple.sql" "$SOURCE/fixtures/recorded_steps.sql"
run "$XFERSPY" report --json steps.db; expect_out '"skipped": 2,'; expect_out '"wanted": 3'; expect_not '"window"'
run "$XFERSPY" info part.db; expect_out "with the calls of 2 parts of the run, 65.0 ms together"
run "$XFERSPY" info --json part.db; expect_out '"ranges"'
run "$XFERSPY" check --no-config --fail-on=transfers:1000 part.db; expect_status 0; expect_out "$looked_at"
run "$XFERSPY" diff whole.db part.db; expect_out "AFTER: in part.db, 65.0 ms of 200 ms were looked at"
expect_out "Whether it paid cannot be told: not all calls were recorded in AFTER."
cp part.db as_much.db; run "$XFERSPY" diff part.db as_much.db; expect_status 0; expect_not "cannot be told"
run "$XFERSPY" report part.db whole.db
expect_out "Calls were recorded in parts of the run only (XFERSPY_OUTSIDE, XFERSPY_STEPS): rank 0"
for format in text json; do
    run "$XFERSPY" report --format=$format whole.db; expect_not "looked at"; expect_not "looked_at"
done
# Shares are of what was recorded: of a run twice as long, whose second half was not, they are the same.
make_trace every.db "$SOURCE/fixtures/findings.sql"
make_trace half.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/recorded_half.sql"
run "$XFERSPY" report every.db; expect_out "wasted    16.3 ms of the run's 100 ms (16 %), by 2 causes"
run "$XFERSPY" report half.db
expect_out "wasted    16.3 ms of the 100 ms recorded (16 %), of a run of 200 ms, by 2 causes"
expect_out "saves 9.09 ms, 9.1 % of the time recorded"; expect_not "% of the run"; expect_not "of run "
expect_out "All repaired: saves 16.3 ms, the 100 ms recorded would become 83.7 ms (-16 %)."
expect_out "Device 0 copied for 8.17 ms (8.2 % of the time recorded)"; expect_out "of recorded  host time"
run "$XFERSPY" report --format=markdown half.db
expect_out "saves 16.3 ms of the 100 ms recorded (16 %), of a run of 200 ms"
expect_out "| saves | of the time recorded |"
run "$XFERSPY" report --json half.db; expect_out '"duration_ns": 200000000'; expect_out '"recorded_ns": 100000000'
run "$XFERSPY" explain half.db; expect_out "of recorded"; expect_out "9.1 %"
run "$XFERSPY" explain half.db scalar-readback; expect_out "9.1 % of the time recorded"
run "$XFERSPY" check --no-config --fail-on=saved-time:9% half.db; expect_status 3
expect_out "saves 16.3 ms (16 % of the time recorded), limit 9.00 ms (9.0 % of the time recorded)"
run "$XFERSPY" check --no-config half.db; expect_out "may not save more than 1 % of the time recorded."
run "$XFERSPY" check --no-config half.db every.db; expect_out "may not save more than 1 % of the run."
run "$XFERSPY" check --no-config --format=json half.db
expect_out '"run_ns": 200000000'; expect_out '"recorded_ns": 100000000'
run "$XFERSPY" check --no-config --format=sarif half.db; expect_out "9.1 % of the time recorded"
run "$XFERSPY" report half.db every.db; expect_out "saves 16.3 ms of the 100 ms recorded in"
expect_out "of recorded"; expect_out "% of the time recorded"
run "$XFERSPY" report --format=markdown half.db half.db; expect_out "of the 100 ms recorded (16 %)"
# Without the list nobody would know of the parts, so a copy without names keeps it.
run "$XFERSPY" anonymize -o anonymous.db part.db; expect_status 0
run "$XFERSPY" report anonymous.db; expect_out "$looked_at"
run "$XFERSPY" query --format=tsv anonymous.db "SELECT value FROM meta WHERE key = 'range.windows'"
expect_out "25000+20000,75000+45000"
# What only the whole run would tell is not known, and the reason is that only a part of it is there.
run "$XFERSPY" check --no-config --fail-on=unused-allocation:0 part.db; expect_status 3
expect_out "(calls not recorded); the trace has those of a part of the run, by XFERSPY_OUTSIDE or XFERSPY_STEPS."
expect_not "XFERSPY_FINGERPRINT=all"
run "$XFERSPY" check --no-config --fail-on=unused-allocation:0 whole.db; expect_not "those of a part"

# Steps are said by their numbers and by what they were told from; no name is in a copy without names.
make_trace steps.db "$SOURCE/fixtures/simple.sql" "$SOURCE/fixtures/recorded_steps.sql"
looked_at="Looked at 20.0 ms of 200 ms, in steps 3 to 5, by the NVTX range"
run "$XFERSPY" report steps.db; expect_status 0; expect_out "$looked_at \"epoch\": findings and totals are of them"
run "$XFERSPY" report --sections=coverage steps.db; expect_out "outside of the steps that were asked for."
run "$XFERSPY" report --json steps.db; expect_out '"by": "range"'; expect_out '"name": "epoch"'
expect_out '"passed": 9'
run "$XFERSPY" anonymize -o anonymous_steps.db steps.db; expect_status 0
run "$XFERSPY" report anonymous_steps.db; expect_out "$looked_at that was named: findings"; expect_not "epoch"
run "$XFERSPY" report --json part.db; expect_not '"by": '

# No rule holds where nothing was recorded that it is about, even if a finding of that kind needs neither contents nor
# device times.
make_trace none.db "$SOURCE/fixtures/simple.sql" "$SOURCE/fixtures/no_step.sql"
run "$XFERSPY" check --no-config --fail-on=pageable:0 none.db; expect_status 3
expect_out "UNKNOWN  pageable:0"; expect_out "The part of the run that was to be recorded never came."
expect_out "Nothing was recorded but allocations: no wait came regularly, so nothing told the steps apart."
run "$XFERSPY" report none.db; expect_out "wasted    not known: nothing was recorded."; expect_not "looked at"
