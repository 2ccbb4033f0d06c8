# The report as committed in golden/, for a trace whose numbers are worked out in its SQL.
. "$SOURCE/lib.sh"
need script
for name in simple simulated without_cupti empty killed; do
    make_trace $name.db "$SOURCE/fixtures/$name.sql"
    sum=$(cksum <$name.db)
    run "$XFERSPY" report $name.db
    expect_status 0; expect_no_err; expect_out "Causes"
    expect_golden "$SOURCE/golden/report_$name.txt"
    [ "$sum" = "$(cksum <$name.db)" ] || show "report changed the trace"
    [ "$(awk 'length > 200' stdout | wc -l)" -eq 0 ] || show "a line is too long"
    grep -q ' $' stdout && show "blanks at the end of a line"
done
run "$XFERSPY" report --details simple.db
expect_status 0; expect_golden "$SOURCE/golden/report_details.txt"
# The line on CUPTI agrees with the rest: what it gave before it ended counts, and what was lost is said to be.
make_trace aside.db "$SOURCE/fixtures/killed.sql" "$SOURCE/fixtures/stepped_aside.sql"
run "$XFERSPY" report aside.db
expect_out "Device times until CUPTI was given to the application (for cuptiSubscribe): 1 of 2 transfers have one."
expect_out "* Only 1 of 2 transfers have device times"; expect_out "*180 us"; expect_out "*5.83 GB/s"
expect_not "were not recorded"
make_trace early.db "$SOURCE/fixtures/killed.sql" "$SOURCE/fixtures/killed_early.sql"
run "$XFERSPY" report early.db
expect_out "CUPTI 13.0.1 was active, but its records of the last moments were lost with the process: 2 transfers have no device time."
expect_not "were not recorded"; expect_not "* device times"
echo "DELETE FROM meta WHERE key LIKE 'cupti.%'" >unsaid.sql
make_trace unsaid.db "$SOURCE/fixtures/killed.sql" "$SOURCE/fixtures/killed_early.sql" unsaid.sql
run "$XFERSPY" report unsaid.db; expect_out "the process was killed before CUPTI handed over its first records"
# How far a trace goes that has no end, and why, where that is known. A merge of one is such a copy.
echo "UPDATE meta SET value = 'running' WHERE key = 'status'" >running.sql
echo "DELETE FROM transfer_row; DELETE FROM device_copy_row" >nothing.sql
unfinished() { # unfinished TRACE WORDS
    for format in text markdown; do
        run "$XFERSPY" report --format=$format "$1"; expect_status 0; expect_out "$2"; expect_not "not closed"
    done
}
make_trace running.db "$SOURCE/fixtures/killed.sql" running.sql
unfinished running.db "The trace was not finished: it is recorded up to 2.30 ms."
run "$XFERSPY" report running.db; expect_no_err
expect_out " To copy the trace of a program that still runs, use xferspy merge."
expect_out "CUPTI 13.0.1 was active; the trace ends before the device times of 1 transfer."; expect_not killed
late="The device times of 1 of 2 transfers are not there yet"
expect_not "$late" # and will not come
echo "INSERT INTO meta VALUES ('snapshot', 1)" >snapshot.sql
make_trace early.db "$SOURCE/fixtures/killed.sql" running.sql snapshot.sql
unfinished early.db "$late: savings can still change much."
make_trace started.db "$SOURCE/fixtures/killed.sql" running.sql nothing.sql
unfinished started.db "The trace was not finished, and nothing is recorded."
make_trace unsaid_yet.db "$SOURCE/fixtures/killed.sql" "$SOURCE/fixtures/killed_early.sql" unsaid.sql running.sql
run "$XFERSPY" report unsaid_yet.db
expect_out "No device times: the trace ends before CUPTI handed over its first records."; expect_not killed
run "$XFERSPY" merge -o copied.db running.db; expect_status 0
unfinished copied.db "This copy was made before the trace was finished: it is recorded up to 2.30 ms."
echo "no spool" >running.db.spool
unfinished running.db "The process was killed, and its last events are missing: it is recorded up to 2.30 ms."
expect_err "running.db: its process was killed and the spool with its last events is damaged; they are missing"
run "$XFERSPY" report --json running.db; expect_out '"last_events_missing": true'
run "$XFERSPY" report --json copied.db; expect_out '"last_events_missing": false'
# What was left out is said wherever the report is read.
echo "INSERT INTO meta VALUES ('coverage.unknown_called', 'cuNew,cuNew_ptsz'), ('coverage.unknown_looked_up', '');" >newer.sql
make_trace newer.db "$SOURCE/fixtures/simple.sql" newer.sql
run "$XFERSPY" report newer.db; expect_out "the program called 2 (cuNew, cuNew_ptsz)"
run "$XFERSPY" report --json newer.db; tr -d ' \n' <stdout >joined
grep -qF '"called":["cuNew","cuNew_ptsz"],"looked_up":[]' joined || show "the names of the functions as data"
echo "INSERT OR REPLACE INTO meta VALUES ('coverage.nested', 1026), ('coverage.left', 2), ('skipped_events', 3)" >left.sql
make_trace left.db "$SOURCE/fixtures/simple.sql" left.sql
for format in text markdown json; do
    run "$XFERSPY" report --format=$format left.db
    expect_out "1,026 calls were not recorded: made inside other driver calls"
    expect_out "2 calls were not recorded: the program never came back from the driver there"
    expect_out "3 recorded events were lost: the spool was damaged."
done
run "$XFERSPY" html -o left.html left.db; expect_status 0
grep -q "1,026 calls were not recorded: made inside" left.html || show "the page does not have it"
# Where copies were left out and none stands for them, the report says how many, and how to have them checked.
make_trace unchecked.db "$SOURCE/fixtures/no_findings.sql" "$SOURCE/fixtures/unchecked.sql"
for format in text markdown; do
    run "$XFERSPY" report --format=$format unchecked.db; expect_status 0
    expect_out "10 downloads (160 MiB, 3.00 ms, 6.0 % of the run) could not be checked: xferspy run --fingerprint=all -- "
done
run "$XFERSPY" html -o unchecked.html unchecked.db; expect_status 0
grep -q "10 downloads (160 MiB, 3.00 ms, 6.0 % of the run) could not be" unchecked.html || show "not in the page"
# "nothing" is said only where nothing can have cost time: every output has the same words.
cat >given.sql <<'EOF'
INSERT INTO entry_point VALUES (9,'cuLaunchKernel',4); INSERT INTO thread VALUES (1,7,'main');
INSERT INTO allocation (id,thread,address,bytes,kind,origin,enter_ns,return_ns) VALUES (1,1,4096,4096,2,6,1,2),
 (2,1,8192,4096,6,6,1,2);
INSERT INTO argument_set VALUES (1),(2),(3); INSERT INTO argument VALUES (2,1),(3,2);
INSERT INTO launch (id,entry_point,thread,kind,is_captured,result,enter_ns,arguments) VALUES
EOF
wasted() { # wasted WORDS SQL: what the report of an empty trace with these statements says
    echo "${2-}" >more.sql
    make_trace unseen.db "$SOURCE/fixtures/empty.sql" more.sql
    for format in text markdown json; do
        run "$XFERSPY" report --format=$format unseen.db; expect_status 0; expect_out "$1"
    done
}
given=$(cat given.sql)
wasted "nothing: no transfer ran"
wasted "nothing: no transfer ran" "$given (1,9,1,0,0,0,10,1)"
wasted "not known in full: kernels read host memory directly, which xferspy does not see" \
    "$given (1,9,1,0,0,0,10,2)"
wasted "not known in full: kernels were given managed memory, whose page moves xferspy does not see" \
    "$given (1,9,1,0,0,0,10,3)"
wasted "nothing: no transfer ran" "$given (1,9,1,0,1,0,10,2)" # captured
wasted "not known in full: CUDA calls fail" "$given (1,9,1,0,0,700,10,1)"
run "$XFERSPY" report unseen.db
[ "$(head -n 1 stdout)" = "CUDA calls fail: CUDA_ERROR_ILLEGAL_ADDRESS since 10 ns, 1 call, first cuLaunchKernel." ] ||
    show "not the first line"
wasted "not known in full: pages of managed memory moved for 2.00 ms of 5.00 ms (40 %), with 1 fault" \
    "INSERT INTO device_migration (kind,address,bytes,start_ns,end_ns) VALUES (1,4096,4096,1000000,2000000),
     (2,4096,4096,2000000,3000000),(4,4096,4096,1000000,1500000)"
wasted "not known in full: managed memory had 2 faults" \
    "INSERT INTO device_migration (kind,address,bytes,start_ns,end_ns) VALUES (3,4096,4096,1,1),(3,4096,4096,2,2)"
run "$XFERSPY" report simulated.db; expect_out "SIMULATED GPU: times below are a model's, not measurements"
run "$XFERSPY" report simple.db; expect_not "SIMULATED"
[ "$(wc -l <stdout)" -le 64 ] || show "more than a screen"
# Not UTF-8: ASCII only.
LC_ALL=C run "$XFERSPY" report without_cupti.db
expect_status 0; expect_out "H2H pageable -> pinned"
LC_ALL=C grep -q '[^ -~]' stdout && show "other than ASCII"
# A terminal of 80 columns shows every line whole.
step="report on a terminal"
TERM=dumb COLUMNS=80 script -qec "'$XFERSPY' report --details simple.db" /dev/null </dev/null | tr -d '\r' >stdout
expect_out "H2D pageable"; expect_out "cuMemcpyBatchAsync_v2"
expect_width 80
grep -q '\.\.\.\|…' stdout && show "something was cut"
# Several: each in turn, and one that fails does not keep the others from being shown.
run "$XFERSPY" report --each simple.db missing.db empty.db
expect_status 1; expect_out "== simple.db =="; expect_out "== empty.db =="; expect_err "missing.db"
expect_not "== missing.db =="
run "$XFERSPY" report --each missing.db simple.db
expect_status 1; [ "$(head -n 1 stdout)" = "== simple.db ==" ] || show "the first heading is the first line"
