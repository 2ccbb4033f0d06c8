# Ranks that are killed, with their last events in a spool, and ranks that still run: in the report of a job, and in a
# merge.
. "$SOURCE/lib.sh"
mkdir run; mkfifo killed_in killed_out live_in live_out
start() { # start NAME RANK: until it is ready
    "$SPOOLED" run/app.$2.db "$2" <$1_in >$1_out 2>/dev/null &
}
start killed 1; killed=$!
exec 3>killed_in 4<killed_out
start live 2; live=$!
exec 5>live_in 6<live_out
read -r ready <&4 && [ "$ready" = ready ] || show "no trace of rank 1"
read -r ready <&6 && [ "$ready" = ready ] || show "no trace of rank 2"
echo >&3; wait $killed 2>/dev/null
[ -e run/app.1.db.spool ] && [ -e run/app.2.db.spool ] || show "no spool"
cp -r run before

# What was drained of the one that runs; of the one that was killed all of it, and its spool is gone.
counted() { "$XFERSPY" query --format=tsv "$1" "SELECT count(*) FROM transfer" | sed 1d; }
run "$XFERSPY" report run; expect_status 0
expect_out "A job of 2 processes"; expect_out "Still running: rank 2 only. These are the numbers so far."
expect_out "Killed, or not closed: rank 1 only."; expect_out "Not the whole job: no trace of rank 0 (of 3)."
[ "$(grep -c '^  1 .* 3.91 MiB' stdout)" = 1 ] && [ "$(grep -c '^  2 .* 2.34 MiB' stdout)" = 1 ] ||
    show "1000 and 600 uploads of 4 KiB"
[ ! -e run/app.1.db.spool ] && [ -e run/app.2.db.spool ] || show "spools: of the live one only"
run "$XFERSPY" report --json run; expect_status 0
grep -q '"still_running": true' stdout || show "JSON does not say that it runs"
run "$XFERSPY" report --format=markdown run; expect_status 0; expect_out "Still running: rank 2 only"

# A merge takes both as they are, and leaves the live one alone.
rm run/app.1.db*; mv before/app.1.db* run
run "$XFERSPY" merge -o job.db run; expect_status 0; expect_out "job.db: 2 traces"
[ "$(counted job.db:1)" = 1000 ] && [ "$(counted job.db:2)" = 600 ] || show "rows in the merged file"
run "$XFERSPY" report job.db; expect_status 0; expect_out "A job of 2 processes"
expect_out "Killed, or not closed: rank 1 only."; expect_out "Snapshots of running processes: rank 2 only."
kill -0 $live || show "the live one is gone"
echo >&5; wait $live 2>/dev/null

# It ended: all of it is there, and a merge again has it.
run "$XFERSPY" merge --force -o job.db run; expect_status 0
[ "$(counted job.db:1)" = 1000 ] && [ "$(counted job.db:2)" = 1000 ] || show "rows after the end"
[ -z "$(find . -name '*.spool' -path './run/*')" ] || show "a spool was left"
