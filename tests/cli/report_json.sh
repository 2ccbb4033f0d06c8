# JSON: everything, with stable keys.
. "$SOURCE/lib.sh"
make_trace simple.db "$SOURCE/fixtures/simple.sql"
run "$XFERSPY" report --json simple.db
expect_status 0; expect_no_err
cmp stdout "$SOURCE/golden/report_simple.json" || { diff "$SOURCE/golden/report_simple.json" stdout; show "differs from golden/report_simple.json"; }
run "$XFERSPY" report --json simple.db simple.db
expect_status 0
[ "$(grep -c '"trace":' stdout)" -eq 2 ] || show "expected two traces"
run "$XFERSPY" report --json missing.db; expect_error_of missing.db
