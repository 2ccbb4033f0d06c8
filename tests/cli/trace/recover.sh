# What a killed process left: several commands at once take it over into the file itself, and what a process left that
# was killed while it started is cleared when its folder is read.
. "$SOURCE/lib.sh"
kill_one() { echo | "$SPOOLED" "$1" 0 >/dev/null 2>&1; }

# Rows that only the log has are lost when the file is copied without it. The last command that reads puts them into
# the file.
for round in 1 2 3 4 5 6 7 8 9 10; do
    mkdir together
    kill_one together/t.db
    [ -s together/t.db-wal ] || show "the process left no log"
    readers=
    for reader in 1 2 3 4 5 6; do
        "$XFERSPY" query --format=csv together/t.db "SELECT count(*) FROM transfer" >out.$reader 2>err.$reader &
        readers="$readers $!"
    done
    for reader in $readers; do
        wait "$reader" || show "a reader failed: $(cat err.*)"
    done
    [ "$(cat out.* | grep -c '^1000$')" -eq 6 ] || show "not all saw every row: $(cat out.*)"
    [ "$(ls together)" = t.db ] || show "left behind: $(ls together)"
    cp together/t.db alone.db
    run "$XFERSPY" query --format=csv alone.db "SELECT count(*) FROM transfer"; expect_status 0; expect_out 1000
    rm -r together alone.db
done

# A reader that has the trace open all the while: whoever comes after it ends the log.
mkdir together
kill_one together/t.db
run "$XFERSPY" info together/t.db; expect_status 0
[ "$(ls together)" = t.db ] || show "left behind: $(ls together)"

# Empty and lone files in a folder: cleared where they are certain to be of a start that was not finished, kept where
# not.
mkdir started
make_trace started/good.db "$SOURCE/fixtures/simple.sql"
: >started/mine.db
: >started/old.db.spool
: >started/new.db.spool
chmod 600 started/*
touch -d '2 hours ago' started/old.db.spool started/mine.db
run "$XFERSPY" report started; expect_status 0
expect_err "mine.db: not an xferspy trace"
[ "$(cd started && echo *)" = "good.db mine.db new.db.spool" ] || show "in the folder is: $(ls started)"
kill_one started/killed.db
run "$XFERSPY" report started; expect_status 0
[ "$(cd started && echo *)" = "good.db killed.db mine.db new.db.spool" ] || show "in the folder is: $(ls started)"
run "$XFERSPY" query --format=csv started/killed.db "SELECT count(*) FROM transfer"; expect_out 1000
