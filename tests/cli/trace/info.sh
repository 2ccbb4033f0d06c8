# What a trace is and holds.
. "$SOURCE/lib.sh"
make_trace t.db "$SOURCE/fixtures/simple.sql"
sum=$(cksum <t.db)
run "$XFERSPY" info t.db
expect_status 0; expect_no_err
expect_out "schema version $schema, complete"; expect_out "duration_ns"; expect_out "200 ms"
expect_out "one buffer arrived late"
grep -q '^  transfer_row  *23$' stdout || show "row count of transfer"
expect_out "without text of sources"
echo "INSERT INTO source_file (id, path) VALUES (1, 'a.py'); INSERT INTO source_line VALUES (1, 1, 2, 'x'), (2, 1, 3, 'y')" >lines.sql
make_trace lines.db "$SOURCE/fixtures/simple.sql" lines.sql
run "$XFERSPY" info lines.db; expect_status 0; expect_out "with the text of 2 lines of source"
run "$XFERSPY" info --short t.db; expect_status 0; expect_no_err; expect_out "schema version $schema, complete"
expect_out "200 ms of process"; expect_not "duration_ns"; expect_not "transfer_row"
[ "$(wc -l <stdout)" -le 6 ] || show "not short"
run "$XFERSPY" info --short --json t.db; expect_status 2; expect_no_out; expect_err "leave out --short or --json"
run "$XFERSPY" info --json lines.db; expect_out '"source_lines": 2'
run "$XFERSPY" info --json t.db
expect_status 0; expect_out '"format": "xferspy-info"'; expect_out '"duration_ns": 200000000'
run "$XFERSPY" info t.db missing.db; expect_status 1; expect_out "t.db"; expect_err "missing.db"
[ "$sum" = "$(cksum <t.db)" ] || show "the trace was changed"
