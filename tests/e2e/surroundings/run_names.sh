#!/bin/bash
# xferspy run with the real library: names that are taken, numbers, folders, a trace that is still written, a program
# that is ended by Ctrl-C, and steps that are not found while the program runs.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
[ -z "$sanitizer_runtime" ] || forbidden "not with a sanitizer"
export LD_LIBRARY_PATH=$simulated
copies() { timeout 600 "$xferspy" run "$@" >stdout 2>stderr; }
exists() { for file; do [ -e "$file" ] || { ls -R >files; fail "there is no $file" files stderr; }; done; }

# ---- numbers and folders, also without xferspy run ------------------------------------------------------------------

for n in 1 2; do
    copies -o 'a/b/n.%n.db' -- "$program" 10 || fail "exit status" stderr
    exists a/b/n.$n.db
done
env LD_PRELOAD="$preload" XFERSPY_OUTPUT='a/b/n.%n.db' "$program" 10 >stdout 2>stderr
exists a/b/n.3.db
# Nobody but the process knows the names of these, so it makes them.
env LD_PRELOAD="$preload" XFERSPY_OUTPUT='a/h-%h/%p/x.db' "$program" 10 >stdout 2>stderr
exists "a/h-$(uname -n)"/*/x.db
[ "$(stat -c %a "a/h-$(uname -n)")" = 700 ] || fail "the folder's mode"
# What is written out may be a mistake: one line, and the program runs.
env LD_PRELOAD="$preload" XFERSPY_OUTPUT=missing/x.db "$program" 10 >stdout 2>stderr || fail "exit status" stderr
one_line stderr
says stderr "not capturing: cannot write $work/missing/x.db: No such file or directory; set XFERSPY_OUTPUT"
# It never replaces a trace.
for n in 1 2; do env LD_PRELOAD="$preload" XFERSPY_OUTPUT=taken.db "$program" 10 >stdout 2>stderr; done
exists taken.db taken.2.db
says stderr "events in $work/taken.2.db"

# ---- several processes, and a second run ----------------------------------------------------------------------------

copies --report -o job.db -- sh -c "'$program' 10; '$program' 20" || fail "exit status" stderr
has job.db "SELECT count(*) FROM transfer" 11
has job.2.db "SELECT count(*) FROM transfer" 21
says stderr "$work/job.db" "$work/job.2.db"
! copies -o job.db -- "$program" 30 || fail "not refused"
says stderr "job.db: exists already; --force replaces it, and -o job.%n.db takes the next free number"
has job.db "SELECT count(*) FROM transfer" 11
copies --force -o job.db -- "$program" 30 || fail "exit status" stderr
has job.db "SELECT count(*) FROM transfer" 31
# Right after it, and with a name that is taken meanwhile: it is found.
copies --report -o later.db -- sh -c "echo taken >later.db; '$program' 10" || fail "exit status" stderr
says stderr "events in $work/later.2.db" "Transfers"
! grep -q 'no trace' stderr || fail "not found" stderr

# ---- a trace that is still written ----------------------------------------------------------------------------------

env --default-signal=INT "$xferspy" run -o "live run.db" -- "$program" 0 count >live.stdout 2>live.stderr &
job=$!
wait_for_copies count 100
! copies --force -o "live run.db" -- "$program" 10 || fail "a live trace was replaced"
says stderr "live run.db: another xferspy run writes this trace now"
exists "live run.db"

# ---- Ctrl-C: the program is ended by the signal, and its trace is named ---------------------------------------------

kill -INT "$(process_of count)"
wait $job
[ $? = 130 ] || fail "exit status" live.stderr
says live.stderr "SIGINT ended the program; $work/live run.db has what was recorded until then: \
\`xferspy report '$work/live run.db'' shows it"
# What a killed process left goes with its trace: the log, and the spool.
rm -f count
"$xferspy" run -o killed.db -- "$program" 0 count >live.stdout 2>live.stderr &
job=$!
wait_for_copies count 100
kill -KILL "$(process_of count)"
wait $job 2>/dev/null
exists killed.db killed.db.spool killed.db-wal
says live.stderr "SIGKILL ended the program; $work/killed.db has what was recorded until then"
copies --force -o killed.db -- "$program" 10 || fail "exit status" stderr
has killed.db "SELECT count(*) FROM transfer" 11
[ -z "$(find . -name 'killed.db?*' -o -name 'killed.2*')" ] || fail "left beside the new trace"

# ---- steps ----------------------------------------------------------------------------------------------------------

rm -f count
env --default-signal=INT "$xferspy" run --skip-steps=5 --step=epoch -o steps.db -- "$program" 0 count \
    >live.stdout 2>live.stderr &
job=$!
tries=0
until grep -q 'no step was found' live.stderr; do
    tries=$((tries + 1))
    [ $tries -lt 30000 ] || fail "nothing is said of steps" live.stderr
    sleep 0.02
done
says live.stderr 'so only allocations are recorded: no NVTX range "epoch" came yet' "start it again with --step"
kill -INT "$(process_of count)"
wait $job
[ "$(grep -c 'no step was found' live.stderr)" = 1 ] || fail "said twice" live.stderr
echo "PASS run_names"
