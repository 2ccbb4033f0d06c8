# run --report: the program as a child, its traces reported on standard error, its end passed on.
. "$SOURCE/lib.sh"
export XFERSPY_LIBRARY="$DUMMY"
now=$(date +%s)
# Capture must have begun after each of the commands; on a busy machine the last one is late.
echo "INSERT OR REPLACE INTO meta VALUES ('start_unix_ns', ($now + 3600) * 1000000000)" >now.sql
make_trace new.db "$SOURCE/fixtures/simple.sql" now.sql
make_trace xferspy-old.1.db "$SOURCE/fixtures/simple.sql" # capture began long ago
cat >leave.sh <<'E2'
cp "$1" "$2"
echo "the program's own"
exit "$3"
E2
run "$XFERSPY" run --report -- sh leave.sh new.db xferspy-sh.77.db 5
expect_status 5; [ "$(cat stdout)" = "the program's own" ] || show "stdout is the program's"
expect_err "Transfers"; expect_err "xferspy-sh.77.db"; expect_not "xferspy-old.1.db"
run "$XFERSPY" run --report-output=r.txt --output='traces/%h-100%%-%q{NAME}.db' -- sh -c \
    'mkdir -p traces; cp new.db traces/host-100%-x.db'
expect_status 0; expect_no_out; expect_no_err
grep -q "traces/host-100%-x.db" r.txt || show "report in r.txt"
# An existing report is refused before the program starts.
echo old >r.txt
run "$XFERSPY" run --report-output=r.txt -- sh -c 'echo ran >ran'
expect_error_of r.txt; expect_err "r.txt: exists already; --force replaces it"
[ ! -e ran ] || show "the program was started"
[ "$(cat r.txt)" = old ] || show "replaced without --force"
run "$XFERSPY" run --force --report-output=r.txt --output=forced.db -- sh -c 'cp new.db forced.db'
expect_status 0; grep -q "forced.db" r.txt || show "--force did not replace"
run "$XFERSPY" run --report-output=/dev/null --output=forced2.db -- sh -c 'cp new.db forced2.db'; expect_status 0
expect_no_err
rm xferspy-sh.77.db
run "$XFERSPY" run --report --enable=off -- "$PROGRAM" exit 3; expect_status 3
expect_err "no trace: capture was switched off"
XFERSPY_ENABLE=No run "$XFERSPY" run --report -- "$PROGRAM" exit 0; expect_err "capture was switched off"
run "$XFERSPY" run --report -- "$PROGRAM" exit 3; expect_status 3; expect_no_out; expect_err "no trace"
run "$XFERSPY" run --report -- "$PROGRAM" signal 15; expect_status 143
run "$XFERSPY" run --report -- "$PROGRAM" signal 9; expect_status 137
run "$XFERSPY" run --report -- ./missing; expect_status 127; expect_err "./missing"; expect_not "no trace"
# A signal to xferspy alone reaches the program.
cat >waits.sh <<'E2'
trap 'echo got it; exit 9' TERM
echo ready
while :; do sleep 0.05; done
E2
step="run --report, SIGTERM"
: >stdout # "ready" is this program's
"$XFERSPY" run --report -- sh waits.sh >stdout 2>stderr &
pid=$!
until grep -q ready stdout; do kill -0 $pid || show "ended early"; done
kill -TERM $pid; wait $pid; status=$?
expect_status 9; expect_out "got it"
# Killed, it takes the program with it, as if they were one.
step="run, SIGKILL"
: >stdout
"$XFERSPY" run --quiet -- sh -c 'echo "ready $$"; while :; do sleep 0.05; done' >stdout 2>stderr &
pid=$!
until grep -q ready stdout; do kill -0 $pid || show "ended early"; done
program=$(sed 's/ready //' stdout)
kill -KILL $pid; wait $pid; status=$?
expect_status 137
while [ -e "/proc/$program" ] && ! grep -q '^State:.*Z' "/proc/$program/status"; do sleep 0.05; done
