# What the run lost to profiling: the sentence, its parts and the metric that comparisons use are one sum.
. "$SOURCE/lib.sh"
cost() { # cost NAME SQL: the small training loop, which took 200 ms, with that in meta
    make_trace "$1" "$SOURCE/fixtures/simple.sql"
    "$python" - "$1" "$2" <<'END' || exit 1
import sqlite3, sys
trace = sqlite3.connect(sys.argv[1])
trace.executescript("INSERT OR REPLACE INTO meta VALUES " + sys.argv[2])
END
}
need_python
cost all.db "('option.budget','2'),('cost.begin_ns',8000000),('cost.wrappers_ns',2000000),('cost.cupti_ns',3000000),
    ('cost.fingerprint_call_ns',1500000),('cost.fingerprint_start_ns',500000),('cost.migrations_ns',4000000),
    ('cost.spool_stall_ns',250000),('cost.spool_stalls',1),('cost.exit_ns',650000),('cost.contention_ns',100000),('cost.close_ns',10000000)"
run "$XFERSPY" report --sections=cost all.db; expect_status 0
# 20 ms of the run's 200, and 10 ms behind its end
expect_out "The program lost about 20.0 ms of the run's 200 ms, and 10.0 ms more as it ended (14 % together; the budget is 2 %). The run would take 180 ms without xferspy."
expect_out "That is more than the budget, mostly because of the start and the end (18.6 ms, 8.9 %, however long a process runs) and page migrations (4.00 ms, 1.9 %)."
expect_out "It lost 8.00 ms to the start, 2.00 ms to its calls, 3.00 ms to device times, 2.00 ms to fingerprints, "
expect_out "4.00 ms to page migrations, 250 us to waits for a full spool, 100 us to the library's own thread, because no processor was free, 10.7 ms to the end."
# CUPTI starts while the trace is made: what the start took is the time in which both were done.
run "$XFERSPY" report --json all.db; expect_status 0
expect_out '"spent_ns": 30000000'; expect_out '"bare_ns": 180000000'; expect_out '"begin_ns": 8000000'
expect_out '"migrations_ns": 4000000'; expect_out '"exit_ns": 650000'; expect_out '"contention_ns": 100000'
json "d['traces'][0]['cost']['is_over_budget'] and not d['traces'][0]['cost']['is_short_run']"
json "d['traces'][0]['cost']['mostly_because_of'] == ['process', 'migrations']"
json "{p['part']: p['ns'] for p in d['traces'][0]['cost']['parts']} == dict(process=18650000, calls=2000000,
    device_times=3000000, fingerprints=2000000, migrations=4000000, full_spool=250000, contention=100000)"
run "$XFERSPY" check --no-config --fail-on=bare-time:179ms all.db; expect_status 3
run "$XFERSPY" check --no-config --fail-on=bare-time:180ms all.db; expect_status 0
run "$XFERSPY" diff --json all.db all.db; expect_out '"own_before_ns": 20000000'
# A run that is too short for what every process pays once: 5.50 ms of start and end are 2.7 % of it, the rest is 1.0 %.
cost short.db "('option.budget','2'),('cost.begin_ns',4000000),('cost.wrappers_ns',2000000),('cost.exit_ns',500000),
    ('cost.close_ns',1000000)"
run "$XFERSPY" report --sections=cost short.db; expect_status 0
expect_out "(3.7 % together; the budget is 2 %)"
expect_out "That is more than the budget because the run is short: the start and the end take 5.50 ms however long a process runs, which is 2.7 % of this run. All else is 1.0 %."
expect_out "5.50 ms"; expect_out "1.50 ms to the end"
expect_out "xferspy took 4.00 ms at the start, 1.50 ms at the end"
run "$XFERSPY" report --json short.db; expect_status 0
json "d['traces'][0]['cost']['is_over_budget'] and d['traces'][0]['cost']['is_short_run']"
json "d['traces'][0]['cost']['mostly_because_of'] == []"
cost within.db "('option.budget','4'),('cost.begin_ns',4000000),('cost.wrappers_ns',2000000),('cost.close_ns',1000000)"
run "$XFERSPY" report --sections=cost within.db; expect_status 0; expect_not "more than the budget"
run "$XFERSPY" report --json within.db; json "not d['traces'][0]['cost']['is_over_budget']"
# A share that is printed as the budget is not said to be more, nor is what is left without the start and the end.
once() { # once CALLS_NS BUDGET: the start and the end took 5 ms of the 200, the calls so much
    cost alike.db "('option.budget','$2'),('cost.begin_ns',5000000),('cost.wrappers_ns',$1),('cost.exit_ns',0),
        ('cost.cupti_ns',0),('cost.fingerprint_call_ns',0),('cost.fingerprint_start_ns',0),('cost.close_ns',0)"
    run "$XFERSPY" report --sections=cost alike.db; expect_status 0
}
once 1080000 3; expect_out "(3.0 %; the budget is 3 %)"; expect_not "more than the budget" # 3.04 %
once 1120000 3; expect_out "(3.1 %; the budget is 3 %)"; expect_out "All else is 0.6 %." # 3.06 %
once 4080000 2; expect_out "That is more than the budget because the run is short"
expect_out "All else is 2.0 %." # 2.04 %
once 4120000 2; expect_out "That is more than the budget, mostly because of" # 2.06 %
once 15080000 10; expect_out "(10 %; the budget is 10 %)"; expect_not "more than the budget" # 10.04 %
# Parts that most programs have none of are not named, and no budget is one, too.
cost few.db "('option.budget','off'),('cost.begin_ns',8000000),('cost.wrappers_ns',2000000),('cost.cupti_ns',0),
    ('cost.exit_ns',0),('cost.close_ns',0)"
run "$XFERSPY" report --sections=cost few.db; expect_status 0
expect_out "The program lost about 10.0 ms of the run's 200 ms (5.0 %; no budget). The run would take 190 ms without xferspy."
expect_not "more than the budget"
expect_out "0 ns to device times, 0 ns to fingerprints, 0 ns to the end."
expect_not "page migrations"; expect_not "full spool"
# Threads lose their parts side by side: the run loses what the thread with most calls loses, here 22 of 33. All of them
# are held at once for 3 of the 12 ms of device times.
cat >threads.sql <<'END'
INSERT INTO thread VALUES (2,4243,'loader');
UPDATE transfer SET thread = 2 WHERE id <= 7;
UPDATE launch SET thread = 2;
INSERT OR REPLACE INTO meta VALUES ('option.budget','2'),('cost.begin_ns',8000000),('cost.wrappers_ns',30000000),
    ('cost.cupti_ns',12000000),('cost.cupti_switches_ns',3000000),('cost.fingerprint_call_ns',3000000),('cost.close_ns',0);
END
make_trace threads.db "$SOURCE/fixtures/simple.sql" threads.sql
run "$XFERSPY" report --sections=cost threads.db; expect_status 0
expect_out "The program lost about 39.0 ms of the run's 200 ms (20 %; the budget is 2 %). The run would take 161 ms without xferspy."
# 22 of 33 are its part: 20 of the calls' 30 ms, 3 + 6 of device times
expect_out "mostly because of its calls (20.0 ms, 10 %) and device times (9.00 ms, 4.5 %)."
expect_out "All its threads together lost 8.00 ms to the start, 30.0 ms to its calls, 12.0 ms to device times, 3.00 ms to "
run "$XFERSPY" report --json threads.db; expect_out '"is_of_several_threads": true'
run "$XFERSPY" check --no-config --fail-on=bare-time:160ms threads.db; expect_status 3; expect_out "FAIL"
run "$XFERSPY" check --no-config --fail-on=bare-time:161ms threads.db; expect_status 0
# More than half of the run: this did not lie in one thread, and what is left is no measure.
for wrappers_ns in 101000000 900000000; do
    cost much.db "('option.budget','2'),('cost.begin_ns',8000000),('cost.wrappers_ns',$wrappers_ns),('cost.close_ns',0)"
    run "$XFERSPY" report --sections=cost much.db; expect_status 0
    expect_out "lost a large part of the run's 200 ms (the budget is 2 %): what it would take without xferspy is not known."
    run "$XFERSPY" check --no-config --fail-on=bare-time:1s much.db; expect_status 3; expect_out "UNKNOWN"
    run "$XFERSPY" report --json much.db; expect_out '"bare_ns": null'
    run "$XFERSPY" diff --json much.db much.db; expect_status 0; expect_out '"run_time_metric": "wall-time"'
done
# Of a trace without such sums, what started one after the other is what the start took.
make_trace old.db "$SOURCE/fixtures/simple.sql"
run "$XFERSPY" report --sections=cost old.db; expect_status 0; expect_not "The program lost"
run "$XFERSPY" check --no-config --fail-on=bare-time:164ms old.db; expect_status 3
run "$XFERSPY" check --no-config --fail-on=bare-time:165ms old.db; expect_status 0
