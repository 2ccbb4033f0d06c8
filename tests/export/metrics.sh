# OpenMetrics: the parser of Prometheus's own Python client reads it. So does promtool where it is installed; its
# package brings a server that would run on the machine, so no group of scripts/install-packages has it.
. "$SOURCE/lib.sh"
need_python prometheus_client
make_traces
for trace in $traces; do
    run "$XFERSPY" export --format=openmetrics "$trace.db"
    expect_status 0
    cp stdout "$trace.prom"
    run "$python" "$SOURCE/metrics.py" "$trace.prom" "$trace.db" "$XFERSPY"
    expect_status 0
    if command -v promtool >/dev/null; then
        step="promtool $trace"; promtool check metrics <"$trace.prom" >stdout 2>stderr; status=$?
        expect_status 0
    fi
done
# Several traces: each family once, with all their samples; but not one run twice
run "$XFERSPY" export --format=openmetrics h100_upload_wasteful.db h100_upload_repaired.db
expect_status 0
cp stdout two.prom
run "$python" "$SOURCE/metrics.py" two.prom
expect_status 0
[ "$(grep -c '^xferspy_wall_time_seconds' two.prom)" = 2 ] || show "two runs"
cp simple.db again.db
run "$XFERSPY" export --format=openmetrics simple.db again.db; expect_error_of again.db
expect_err "could not be told apart"
# What was not measured is absent
run grep '^xferspy_device_time_seconds' without_cupti.prom; expect_no_out
grep -q 'simulated="true"' simulated.prom || show "simulated numbers without a mark"
