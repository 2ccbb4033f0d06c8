# top: a trace while it is written, by its name, by its process and by what started this one; on a terminal it draws
# each look anew; it ends when the process does. The other commands take the number of a process, too.
. "$SOURCE/lib.sh"
need_python
start() { # start NAME: a process that writes NAME.db, until it is ready
    mkfifo $1_in $1_out
    "$SPOOLED" $1.db 0 <$1_in >$1_out 2>/dev/null &
}
start live; live=$!
exec 5>live_in 6<live_out
read -r ready <&6 && [ "$ready" = ready ] || show "no trace"
for what in live.db $live; do
    run "$XFERSPY" top --once $what; expect_status 0; expect_no_err
    expect_out "./train --steps 10"; expect_out "so far    "; expect_out "Causes"
    expect_out "The process still runs: it is recorded up to 600 us so far."
    expect_out "events    the newest is of 10"; expect_out "a call is recorded when it ends"
done
run "$XFERSPY" top --once 999999999; expect_status 1; expect_no_out; expect_err "process 999999999: "
sleep 60 & other=$!
run "$XFERSPY" top --once $other; expect_status 1; expect_no_out; expect_err "process $other writes no trace now"
kill $other

# A snapshot, by the number of the process or by the trace: it stays what it is.
run "$XFERSPY" report $live; expect_status 0; expect_out "recorded up to 600 us so far"
run "$XFERSPY" explain $live small-transfers; expect_status 0; expect_out "small-transfers"
run "$XFERSPY" report $live --json; expect_status 0; expect_out '"still_running": true'
run "$XFERSPY" merge -o by_number.db $live; expect_status 0
run "$XFERSPY" merge -o snapshot.db live.db; expect_status 0
run "$XFERSPY" html -o page.html $live
grep -q "built without" stderr || { expect_status 0; [ -s page.html ] || show "no page"; }
for what in report explain "merge -o none.db"; do
    run "$XFERSPY" $what 999999999; expect_status 1; expect_no_out; expect_err "process 999999999: "
done
[ ! -e none.db ] || show "a merged file of nothing"
echo text >4711; run "$XFERSPY" report 4711; expect_error_of "4711: " # a file of that name is the file

# A launcher, such as this shell, writes no trace, so top takes the trace of the process that it started. If there are
# several, top wants one.
run "$XFERSPY" top --once $$; expect_status 0; expect_out "./train --steps 10"
expect_err "process $$ writes no trace itself; of those that it started, $live writes $PWD/live.db"
start second; second=$!
exec 7>second_in 8<second_out
read -r ready <&8 && [ "$ready" = ready ] || show "no second trace"
run "$XFERSPY" top --once $$; expect_status 1; expect_no_out; expect_err "$second writes $PWD/second.db"
expect_err "process $$: several traces; name one of them"
run "$XFERSPY" report $$; expect_status 0; expect_out "A job of 2 processes"
echo >&7; wait $second 2>/dev/null

# Again and again, until the process ends; what it copies meanwhile is what it copies now.
"$XFERSPY" top --interval=1 live.db >looks 2>messages &
top=$!
wait_for() { until grep -q "$1" looks; do kill -0 $top || show "ended early"; sleep 0.05; done; }
wait_for '^Causes'
wait_for '^  now  *no copies'
echo more >&5; read -r ready <&6
wait_for '^  now  *H2D 4.10 GB/s'
wait_for "it is recorded up to 1.40 ms so far" # the causes are read again, too, but not at every look
run "$XFERSPY" report live.db; expect_out "5.47 MiB"
run "$XFERSPY" report snapshot.db; expect_not "5.47 MiB"; expect_out "2.34 MiB"
expect_out "This is a snapshot of a running process: it is recorded up to 600 us."; expect_not killed
run "$XFERSPY" report --json snapshot.db; expect_out '"snapshot": true'; expect_out '"still_running": false'
run "$XFERSPY" check --no-config --fail-on=transfers:1000 snapshot.db; expect_status 3
expect_out "UNKNOWN  transfers:1000"; expect_out "The process ran on after the trace was copied."
expect_out "This is a snapshot of a running process: only what it had done until then was judged."
run "$XFERSPY" check --no-config --fail-on=transfers:1 snapshot.db; expect_status 3; expect_out "FAIL     transfers:1"
run "$XFERSPY" report snapshot.db by_number.db # one process, found once
expect_out "Snapshots of running processes: rank 0. These are the numbers until then."; expect_not Killed
"$XFERSPY" merge -o again.db snapshot.db || show "a snapshot can be merged"
run "$XFERSPY" report again.db; expect_out "This is a snapshot of a running process"
run "$XFERSPY" report by_number.db; expect_out "2.34 MiB"

# On a terminal each look begins at the top of a cleared screen, and has no more lines than it.
step="top on a terminal"
"$python" -S "$SOURCE/trace/top_on_terminal.py" "$XFERSPY" live.db live_in >stdout 2>stderr || show "on a terminal"

wait $live 2>/dev/null
wait $top; status=$?
expect_status 0
grep -q 'The process was killed' looks || show "the end of the process is said"
run "$XFERSPY" top live.db; expect_status 0 # what is read in parts is what is read at once
tail -n "$(wc -l <stdout)" looks | cmp -s - stdout || show "the last look is that at the finished trace"

# What has ended is shown once, and nothing on a file that is no terminal moves the cursor.
run "$XFERSPY" top live.db; expect_status 0; [ "$(grep -c '^Causes' stdout)" = 1 ] || show "once"
LC_ALL=C grep -q "$(printf '\033')" stdout && show "an escape"
make_trace findings.db "$SOURCE/fixtures/findings.sql"
run "$XFERSPY" top findings.db; expect_status 0; expect_out "H2D 9"; expect_out "devices copy 8.2 % of the time"
expect_not "device times are"; expect_not "the newest is" # all of it is known

# A folder, a file that is none, wrong command lines.
echo text >text; run "$XFERSPY" top text; expect_error_of text
run "$XFERSPY" top missing.db; expect_error_of missing.db
run "$XFERSPY" top; expect_status 2; expect_err "which trace, or which process?"
run "$XFERSPY" top a b; expect_status 2; expect_err "one trace or process only"
run "$XFERSPY" top --interval=0 findings.db; expect_status 2; expect_err "use 1 to 3600 seconds"
