# run --fleet-dir: the traces of the program are added to fleet files, and nothing about the program changes.
. "$SOURCE/lib.sh"
export XFERSPY_LIBRARY="$DUMMY"
now=$(date +%s)
echo "INSERT OR REPLACE INTO meta VALUES ('start_unix_ns', ($now + 3600) * 1000000000)" >now.sql
make_trace new.db "$SOURCE/fixtures/simple.sql" now.sql
make_trace old.db "$SOURCE/fixtures/simple.sql" # capture began long ago: a copy of another run's trace
cat >leave.sh <<'E2'
cp new.db xferspy-sh.77.db; cp old.db xferspy-sh.78.db; echo torn >xferspy-sh.79.db
echo "the program's own"
exit "$1"
E2
run "$XFERSPY" run --fleet-dir=one -- sh leave.sh 5
expect_status 5; [ "$(cat stdout)" = "the program's own" ] || show "stdout is the program's"; expect_no_err
run "$XFERSPY" export --format=parquet -o other xferspy-sh.77.db; expect_status 0
[ "$(find one -name '*.parquet' | wc -l)" -ge 2 ] || show "no files"
diff -r one other || show "what run adds differs from what export adds"
rm xferspy-sh.*
# The variable does the same, and a folder that cannot be made is said in a line; the status stays the program's.
XFERSPY_FLEET_DIR=two run "$XFERSPY" run -- sh leave.sh 0; expect_status 0; expect_no_err
[ "$(find two/runs -name '*.parquet' | wc -l)" -eq 1 ] || show "one run is added, not those of others"
rm xferspy-sh.*
touch file
XFERSPY_FLEET_DIR=file/a run "$XFERSPY" run -- sh leave.sh 3; expect_status 3
[ "$(grep -c file/a stderr)" -eq 1 ] || show "a folder that cannot be made is said once"
rm xferspy-sh.*
# Without a trace, or with an empty variable, there is nothing to add.
XFERSPY_FLEET_DIR=three run "$XFERSPY" run -- true; expect_status 0
XFERSPY_FLEET_DIR= run "$XFERSPY" run -- sh leave.sh 0; expect_status 0
[ ! -e three ] || show "a folder for nothing"
run "$XFERSPY" run --fleet-dir= -- true; expect_status 2
