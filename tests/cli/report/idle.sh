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
expect_out "  Device 0 was idle for 282 us of a step's 904 us (31 %), on average over 497 steps: the program's own code"
expect_out "ran its own code after the download at train.cu:69 in main, before the upload at train.cu:63 in main"
expect_out "4 more rows: xferspy report --sections=idle t.db"; expect_not "Would it save time"
run "$XFERSPY" report --sections=idle t.db; expect_not "more rows"
# Kernels are launched without a line, so the lines around them are named.
expect_out "was giving the GPU its next small piece of work, between the upload at train.cu:64 in main and the download at train.cu:69 in main (2 launches a step, 11.2 us apart)"
run "$XFERSPY" report --direction=h2d t.db; expect_not "Where the GPU waited"
run "$XFERSPY" report --sections=waits t.db; expect_out "Would it save time not to wait?"
expect_out "the download at train.cu:69 in main, for the kernel xs_sum (94 %)"; expect_not "Where the GPU waited"
expect_out "the upload at train.cu:64 in main, for the upload at train.cu:63 in main"
expect_out "the wait at train.cu:59 in main: the waits take <0.1 % of the run"; expect_out "a step"
run "$XFERSPY" report --by=site t.db; expect_not "Where the GPU waited"
# The first wait stands in the report if a wait is among the causes.
cp "$GOLDEN/h200_host_precond.db" t.db
run "$XFERSPY" report t.db
expect_out "Without waiting in the download at cases/host_precond.cu:40 in iterate, the run saves up to"
expect_out "801 times, 1.00 a step"; expect_out "All waits: xferspy report --sections=waits t.db"
run "$XFERSPY" report --sections=idle,waits t.db; expect_not "All waits"
# Each kind of call has its name.
cp "$GOLDEN/guide_pytorch_after.db" t.db
run "$XFERSPY" report --sections=idle t.db
expect_out "was inside CUDA's start (cuDevicePrimaryCtxRetain), before the page-locking at train.py:9 in <module>"
expect_out "was inside the page-locking at train.py:9 in <module>"
expect_out "had no more work for the GPU, after the download at train.py:26 in <module>"
# Without recorded kernels, a device would seem to be idle while it works.
make_trace none.db "$SOURCE/fixtures/without_cupti.sql"
run "$XFERSPY" report none.db; expect_status 0; expect_not "Where the GPU waited"
run "$XFERSPY" report --sections=idle,waits none.db; expect_status 0; expect_not "Where the GPU waited"
run "$XFERSPY" report --json none.db; expect_out '"idle": null'

# The load of a module, and the function that made both calls through others.
cp "$GOLDEN/guide_cpp_before.db" t.db; chmod u+w t.db
python3 - <<'END'
import sqlite3
db = sqlite3.connect("t.db")
db.execute("INSERT INTO entry_point (id, name, category) VALUES (900, 'cuModuleLoadData', 13)")
step = db.execute("""SELECT d.thread, d.return_ns, u.enter_ns FROM transfer d JOIN transfer u ON u.id = d.id + 1
    WHERE d.direction = 2 AND u.direction = 1 LIMIT 1 OFFSET 100""").fetchone()
db.execute("INSERT INTO api_call (entry_point, thread, is_captured, result, enter_ns, return_ns) VALUES (900, ?, 0, 0, ?, ?)",
           (step[0], step[1] + 10, step[2] - 10))
# The downloads are made in residual(), the uploads in correct(), which solve() calls.
db.execute("INSERT INTO python_code (id, file, function, first_line) VALUES (900, 'solver.py', 'solve', 80), (901, 'solver.py', 'residual', 10), (902, 'solver.py', 'correct', 20)")
for stack, (inner, line, outer) in {900: (901, 12, 88), 901: (902, 22, 92)}.items():
    db.execute("INSERT INTO stack (id, native_frames, python_frames, is_cut) VALUES (?, 0, 2, 0)", (stack,))
    db.executemany("INSERT INTO stack_frame (id, stack, depth, code, line, is_entry) VALUES (?, ?, ?, ?, ?, ?)",
                   [(stack * 4096 + 2048, stack, 0, inner, line, 0), (stack * 4096 + 2049, stack, 1, 900, outer, 1)])
db.execute("UPDATE transfer_shape SET stack = 900 WHERE direction = 2")
db.execute("UPDATE transfer_shape SET stack = 901 WHERE direction = 1")
db.commit()
END
run "$XFERSPY" report --sections=idle t.db; expect_status 0
expect_out "was inside the load of a module (cuModuleLoadData), between the download at solver.py:12 in residual and the upload at solver.py:22 in correct"
expect_out "ran its own code, called at solver.py:88 in solve, after the download at solver.py:12 in residual, before the upload at solver.py:22 in correct"
run "$XFERSPY" report --json t.db; expect_status 0; expect_out '"kind": "module_load"'; cp stdout report.json
run python3 "$SOURCE/report/idle.py" report.json; expect_status 0

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
# A line of a library counts only without lines of the program, also if most samples are there.
python3 - <<'END'
import sqlite3
db = sqlite3.connect("t.db")
db.execute("INSERT INTO python_code (id, file, function, first_line) VALUES (902, '/v/lib/python3.11/site-packages/numpy/a.py', 'dot', 1)")
db.execute("INSERT INTO stack (id, native_frames, python_frames, is_cut) VALUES (902, 0, 1, 1)")
db.execute("INSERT INTO stack_frame (id, stack, depth, code, line, is_entry) VALUES (902 * 4096 + 2048, 902, 0, 902, 7, 1)")
db.execute("UPDATE host_sample SET stack = 902 WHERE stack IN (900, 901) AND id % 4 IN (0, 3)")
db.commit()
END
run "$XFERSPY" report t.db; expect_status 0
expect_out "ran its own code, partly at ema.py:23 in update, after the download at train.cu:69 in main"; expect_not "a.py:7"
sampled 900 1
run "$XFERSPY" report t.db; expect_status 0
expect_out "before the upload at train.cu:63 in main, while its main thread was mostly at ema.py:23 in update"
run "$XFERSPY" report --json t.db; expect_status 0; expect_out '"main_thread": true'
rm -f t.db*
