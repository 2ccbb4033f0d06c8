# What is in a trace.
. "$SOURCE/lib.sh"
make_trace t.db "$SOURCE/fixtures/simple.sql"
sum=$(cksum <t.db)
run "$XFERSPY" info t.db # short: what most people look for
expect_status 0; expect_no_err; [ "$(wc -l <stdout)" -le 20 ] || show "not short"
expect_out "schema version $schema, complete"; expect_out "./train --epochs 3"; expect_out "NVIDIA H100"
expect_out "200 ms"; expect_not "duration_ns"; grep -q '^  transfers  *23$' stdout || show "how many transfers"
cp t.db "a t.db"; run "$XFERSPY" info "a t.db"; expect_out "Everything: xferspy info --all 'a t.db'"; rm "a t.db"
run "$XFERSPY" info --all t.db
expect_status 0; expect_no_err; expect_not "Everything:"
expect_out "schema version $schema, complete"; expect_out "duration_ns"; expect_out "200 ms"
expect_out "one buffer arrived late"
grep -q '^  transfer_row  *23$' stdout || show "row count of transfer"
expect_out "without text of sources"
echo "INSERT INTO source_file (id, path) VALUES (1, 'a.py'); INSERT INTO source_line VALUES (1, 1, 2, 'x'), (2, 1, 3, 'y')" >lines.sql
make_trace lines.db "$SOURCE/fixtures/simple.sql" lines.sql
run "$XFERSPY" info lines.db; expect_status 0; expect_out "with the text of 2 lines of source"
echo "WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 27) INSERT INTO device (id, name) SELECT i, 'GPU ' || i FROM n" >devices.sql
make_trace devices.db "$SOURCE/fixtures/simple.sql" devices.sql
run "$XFERSPY" info devices.db; expect_status 0; expect_out "and 3 more"; expect_not "GPU 27"
run "$XFERSPY" info --json lines.db; expect_out '"source_lines": 2'
run "$XFERSPY" info --format=json t.db; expect_status 0; cp stdout formatted.json
run "$XFERSPY" info --format=xml t.db; expect_status 2; expect_err "use text or json"
run "$XFERSPY" info --json t.db; cmp stdout formatted.json || show "--format=json is --json"
expect_status 0; expect_out '"format": "xferspy-info"'; expect_out '"duration_ns": 200000000'
run "$XFERSPY" info t.db missing.db; expect_status 1; expect_out "t.db"; expect_err "missing.db"
[ "$sum" = "$(cksum <t.db)" ] || show "the trace was changed"
