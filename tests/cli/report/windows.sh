# A trace whose device times were recorded in windows only: every command says of a device time that it is modelled, and
# none that records are missing. That the findings are those of the whole trace is in tests/modelled.
. "$SOURCE/lib.sh"
need_python
cut="$SOURCE/../modelled/cut"
"$python" "$cut" --percent 10 "$GOLDEN/h100_upload_wasteful.db" w.db || exit 1
cp "$GOLDEN/h100_upload_wasteful.db" whole.db
sum=$(cksum <w.db)
run "$XFERSPY" report w.db; expect_status 0; expect_no_err
expect_out "Device times were recorded in 10 windows, "; expect_out " of the run; the rest is modelled (~)."
grep -q '^  H2D pageable  *400 .* ~[0-9.]* ms  *~' stdout || show "a mark in the table"
expect_out "kernels for ~"; expect_out " with modelled device times."; expect_out "in 10 windows, "
expect_out "With what is modelled, uploads took "; expect_not "without"
# With the calls of parts of the run alone, windows of two kinds and shares of two times would stand side by side.
cp w.db part.db
"$python" - <<'END'
import sqlite3
with sqlite3.connect("part.db") as db:
    db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)",
                   [("option.window", "0..1s"), ("option.outside", "allocations"), ("range.windows", "0+100000"),
                    ("range.count", 1), ("range.recorded_ns", 100000000)])
END
run "$XFERSPY" report part.db; expect_status 0; expect_not "were recorded in 10 windows"
grep -q '^  Device times are of [0-9]* of the 600 transfers recorded; the rest is modelled (~)[.]$' stdout ||
    show "device times of parts of the run"
run "$XFERSPY" report --details w.db; grep -q '^  *~[0-9.]* us  *8.00 MiB' stdout || show "a mark among the slowest"
run "$XFERSPY" report --by=thread w.db; grep -q ' ~[0-9.]* ms ' stdout || show "a mark of --by"
run "$XFERSPY" report --format=markdown w.db; expect_out "the rest is modelled"
run "$XFERSPY" report whole.db; expect_not "modelled"; expect_not "~"
# Where the calls of the windows alone are there, and each has its device times, nothing is modelled.
cp whole.db inside.db
"$python" -c "import sqlite3; db = sqlite3.connect('inside.db'); db.executemany('INSERT INTO meta VALUES (?, ?)',
    [('cupti.windows', '0+278000'), ('range.windows', '0+278000'), ('range.count', 1)]); db.commit()" || exit 1
run "$XFERSPY" report inside.db; expect_status 0; expect_not "modelled"; expect_out "in 1 window, 278 ms together."
run "$XFERSPY" report --json w.db; expect_status 0
expect_out '"device_windows"'; expect_out '"modelled_count"'; expect_out '"without_record": 0'; expect_out '"least_ns"'
expect_out '"modelled_instances"'
run "$XFERSPY" report --json whole.db; expect_not "modelled"; expect_not '"device_windows"'
run "$XFERSPY" explain w.db noop-upload; expect_out " on the device (modelled), "; expect_out "~"
run "$XFERSPY" explain --json --all w.db noop-upload; expect_out '"modelled": true'; expect_out '"modelled": 1'
run "$XFERSPY" info w.db; expect_out "with device times of 10 windows, "
run "$XFERSPY" info --json w.db; expect_out '"device_windows"'
run "$XFERSPY" diff whole.db w.db; expect_out "AFTER: in w.db, device times were recorded in 10 windows"
run "$XFERSPY" report w.db whole.db; expect_out "the rest of them modelled: w.db"
# A limit within the interval of what is modelled is neither kept nor passed; one beyond it is.
run "$XFERSPY" check --no-config --fail-on=device-time:94ms w.db; expect_status 3; expect_out "UNKNOWN"
expect_out "A part of it is modelled: it lies between "; expect_out "Device times were recorded in 10 windows"
run "$XFERSPY" check --no-config --fail-on=device-time:200ms w.db; expect_status 0; expect_not "UNKNOWN"
run "$XFERSPY" check --no-config --fail-on=device-time:20ms w.db; expect_status 3; expect_out "FAIL"
run "$XFERSPY" check --no-config --fail-on=device-time:93ms whole.db; expect_status 3; expect_not "UNKNOWN"
# Exports, too.
run "$XFERSPY" export --format=csv --what=kernels w.db; expect_status 0
[ "$(head -n 1 stdout | cut -d, -f9)" = modelled ] || show "a column modelled"
[ "$(cut -d, -f9 stdout | grep -c '^1$')" -gt 500 ] || show "modelled kernels"
run "$XFERSPY" export --format=jsonl --what=transfers w.db; expect_out '"modelled":1'; expect_out '"modelled":0'
run "$XFERSPY" export --format=csv --what=transfers whole.db; [ "$(wc -l <stdout)" -eq 601 ] || show "rows"
run "$XFERSPY" export --format=openmetrics w.db; expect_out "xferspy_kind_modelled_seconds"
run "$XFERSPY" export --format=speedscope w.db; expect_out "(partly modelled)"
run "$XFERSPY" export --format=perfetto -o w.pftrace w.db; expect_status 0
grep -q modelled w.pftrace || show "an argument modelled"
# SQL sees the trace as it is.
run "$XFERSPY" query --format=csv w.db "SELECT count(*) > 0, count(*) < 100 FROM device_copy"; expect_out "1,1"
[ "$sum" = "$(cksum <w.db)" ] || show "the trace was changed"
# As part of a merged file.
run "$XFERSPY" merge -o job.db w.db whole.db; expect_status 0
run "$XFERSPY" report job.db:w; expect_status 0; expect_out "the rest is modelled"
