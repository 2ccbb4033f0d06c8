# Why a device was idle, and whether waits pay.
. "$SOURCE/lib.sh"
# The account of each golden trace adds up.
for trace in "$GOLDEN"/*.db; do
    cp "$trace" t.db
    run "$XFERSPY" report --json t.db; expect_status 0; cp stdout report.json
    run python3 "$SOURCE/report/idle.py" report.json; expect_status 0; expect_no_err
    [ "$(cat stdout)" -ge 1 ] || show "$trace has a device"
    rm -f t.db*
done
# The sections: five rows, all rows, and none with a filter that was not asked for it.
cp "$GOLDEN/guide_cpp_before.db" t.db
run "$XFERSPY" report t.db
expect_out "  Device 0 was idle for 282 us of a step's 904 us (31 %), on average over 497 steps."
expect_out "ran its own code after the download at train.cu:69 in main, before the upload at train.cu:63 in main"
expect_out "4 more rows: xferspy report --sections=idle t.db"; expect_not "Would it save time"
run "$XFERSPY" report --sections=idle t.db; expect_not "more rows"
expect_out "was giving the GPU its next small piece of work"
run "$XFERSPY" report --direction=h2d t.db; expect_not "Where the GPU waited"
run "$XFERSPY" report --sections=waits t.db; expect_out "Would it save time not to wait?"
expect_out "the download at train.cu:69 in main"; expect_not "Where the GPU waited"
run "$XFERSPY" report --by=site t.db; expect_not "Where the GPU waited"
# Without recorded kernels, a device would seem to be idle while it works.
make_trace none.db "$SOURCE/fixtures/without_cupti.sql"
run "$XFERSPY" report none.db; expect_status 0; expect_not "Where the GPU waited"
run "$XFERSPY" report --sections=idle,waits none.db; expect_status 0; expect_not "Where the GPU waited"
run "$XFERSPY" report --json none.db; expect_out '"idle": null'

# Samples of the thread's own code name the line with most time; those of the main thread stand in for a thread without.
sampled() { # THREAD TID: samples of a thread, of two lines, all over the run; values that no reader may trust
    cp "$GOLDEN/guide_cpp_before.db" t.db; chmod u+w t.db
    python3 - "$1" "$2" <<'END'
import sqlite3, sys
thread, tid = map(int, sys.argv[1:])
db = sqlite3.connect("t.db")
end, = db.execute("SELECT value FROM meta WHERE key = 'duration_ns'").fetchone()
if tid:
    db.execute("INSERT INTO thread (id, tid) VALUES (?, (SELECT value FROM meta WHERE key = 'pid'))", (thread,))
    db.execute("UPDATE thread SET tid = 1 WHERE id <> ?", (thread,))
db.execute("INSERT INTO python_code (id, file, function, first_line) VALUES (900, 'ema.py', 'update', 1)")
for stack, line in (900, 23), (901, 24):
    db.execute("INSERT INTO stack (id, native_frames, python_frames, is_cut) VALUES (?, 0, 1, 0)", (stack,))
    db.execute("INSERT INTO stack_frame (id, stack, depth, code, line, is_entry) VALUES (?, ?, 0, 900, ?, 1)", (stack * 4096 + 2048, stack, line))
samples = [(thread, at, 3000 if i % 2 else 1000, 900 + (i % 2 == 0)) for i, at in enumerate(range(0, int(end), 20000))]
samples += [(thread, -5, 1 << 62, 901), (thread, 1 << 62, -1, 77), (77, 5, 5, 5), (thread, 1000, -1, 901)]
db.executemany("INSERT INTO host_sample (thread, at_ns, ns, stack) VALUES (?, ?, ?, ?)", samples)
db.commit()
END
}
sampled 1 0
run "$XFERSPY" report t.db; expect_status 0
expect_out "ran its own code, mostly at ema.py:23 in update, after the download at train.cu:69 in main, before the upload at"
run "$XFERSPY" report --json t.db; expect_status 0; expect_out '"main_thread": false'; cp stdout report.json
run python3 "$SOURCE/report/idle.py" report.json; expect_status 0
sampled 900 1
run "$XFERSPY" report t.db; expect_status 0
expect_out "before the upload at train.cu:63 in main, while its main thread was mostly at ema.py:23 in update"
run "$XFERSPY" report --json t.db; expect_status 0; expect_out '"main_thread": true'
rm -f t.db*
