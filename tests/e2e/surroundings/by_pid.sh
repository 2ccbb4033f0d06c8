#!/bin/bash
# A running program, named by its number: the library writes the trace in a thread of its own, whose open files are not
# those of the others. Also by the number of what started it.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

running=
stop() { [ -z "$running" ] || kill -KILL "$running" 2>/dev/null; }
trap 'stop; clean_up' EXIT
env LD_LIBRARY_PATH="$simulated" LD_PRELOAD="$preload" XFERSPY_OUTPUT="$work/run.db" \
    "$program" 0 count >stdout 2>stderr &
job=$!
wait_for_copies count 500
running=$(process_of count)

# by_number PROCESS COMMAND...: it is about the trace, and says so far
by_number() {
    local tries=0 process=$1
    shift
    # The trace is written a moment after the copies, so the first looks may come too early.
    until timeout 600 "$xferspy" "$@" "$process" >look 2>look.stderr && grep -qF "counted_copies 0 count" look; do
        tries=$((tries + 1))
        [ $tries -lt 6000 ] || fail "$* $process" look look.stderr
        sleep 0.1
    done
    says look "The process still runs"
}
by_number "$running" top --once
[ ! -s look.stderr ] || fail "top complains" look.stderr
by_number "$running" report
says look.stderr "run.db: still being written"
by_number $$ report
says look.stderr "process $$ writes no trace itself; of those that it started, $running writes $work/run.db"
stop
wait $job 2>/dev/null
timeout 600 "$xferspy" report "$running" >look 2>look.stderr && fail "it runs no more" look
says look.stderr "process $running"
echo "PASS by_pid"
