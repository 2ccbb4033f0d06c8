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
run "$XFERSPY" info part.db; expect_out "with the calls of 2 parts of the run, 65.0 ms together"
run "$XFERSPY" info --json part.db; expect_out '"ranges"'
run "$XFERSPY" check --no-config --fail-on=transfers:1000 part.db; expect_status 0; expect_out "$looked_at"
run "$XFERSPY" diff whole.db part.db; expect_out "AFTER: in part.db, 65.0 ms of 200 ms were looked at"
run "$XFERSPY" report part.db whole.db
expect_out "Calls were recorded in parts of the run only (XFERSPY_OUTSIDE): rank 0"
for format in text json; do
    run "$XFERSPY" report --format=$format whole.db; expect_not "looked at"; expect_not "looked_at"
done
# Without the list nobody would know of the parts, so a copy without names keeps it.
run "$XFERSPY" anonymize -o anonymous.db part.db; expect_status 0
run "$XFERSPY" report anonymous.db; expect_out "$looked_at"
run "$XFERSPY" query --format=tsv anonymous.db "SELECT value FROM meta WHERE key = 'range.windows'"
expect_out "25000+20000,75000+45000"
