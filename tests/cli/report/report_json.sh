# JSON: everything, with stable keys.
. "$SOURCE/lib.sh"
make_trace simple.db "$SOURCE/fixtures/simple.sql"
run "$XFERSPY" report --json simple.db
expect_status 0; expect_no_err
expect_golden "$SOURCE/golden/report_simple.json"
make_trace empty.db "$SOURCE/fixtures/empty.sql"
run "$XFERSPY" report --json simple.db empty.db
expect_status 0
[ "$(grep -c '^      "trace":' stdout)" -eq 2 ] || show "expected two traces"
run "$XFERSPY" report --json missing.db; expect_error_of missing.db
# One that is bad leaves the others whole.
"$XFERSPY" report --json simple.db empty.db >expected
run "$XFERSPY" report --json simple.db missing.db empty.db
expect_status 1; expect_err missing.db; cmp stdout expected || show "not the JSON of the other two"
# A link that is not known is null, not 0.
make_trace unknown.db "$SOURCE/fixtures/killed.sql" "$SOURCE/fixtures/killed_early.sql"
run "$XFERSPY" report --json unknown.db
for key in link_generation link_width link_peak_bytes_per_s; do expect_out "\"$key\": null"; done
