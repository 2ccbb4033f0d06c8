# Traces recorded on a real GPU, read as they were; and what holds of them whatever the report looks like.
. "$SOURCE/lib.sh"
for trace in "$GOLDEN"/*.db; do
    name=$(basename "$trace" .db)
    cp "$trace" .
    run "$XFERSPY" report "$name.db"
    expect_status 0; expect_no_err; expect_not "SIMULATED"
    expect_golden "$SOURCE/../golden/$name.txt"
    cmp "$trace" "$name.db" || show "report changed the trace"
    run "$XFERSPY" query --format=tsv "$name.db" \
        "SELECT without_record, without_event, kind_mismatch, matched = host_transfers - host_captured FROM coverage"
    expect_status 0; expect_out "0	0	0	1"
    run "$XFERSPY" query --format=tsv "$name.db" \
        "SELECT count(*) FROM transfers WHERE start_ns < enter_ns OR end_ns < start_ns"
    expect_status 0; [ "$(tail -n 1 stdout)" = 0 ] || show "device times before their calls"
done
run "$XFERSPY" query --format=tsv h100_wasteful.db \
    "SELECT direction, transfers, bytes FROM summary_by_direction ORDER BY 1"
expect_out "d2h	200	800"; expect_out "h2d	400	1730150400"
