# What a trace is and holds.
. "$SOURCE/lib.sh"
make_trace t.db "$SOURCE/fixtures/simple.sql"
sum=$(cksum <t.db)
run "$XFERSPY" info t.db
expect_status 0; expect_no_err
expect_out "schema version $schema, complete"; expect_out "duration_ns"; expect_out "200 ms"
expect_out "one buffer arrived late"
grep -q '^  transfer  *23$' stdout || show "row count of transfer"
run "$XFERSPY" info --json t.db
expect_status 0; expect_out '"format": "xferspy-info"'; expect_out '"duration_ns": 200000000'
run "$XFERSPY" info t.db missing.db; expect_status 1; expect_out "t.db"; expect_err "missing.db"
[ "$sum" = "$(cksum <t.db)" ] || show "the trace was changed"
