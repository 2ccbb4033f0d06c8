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

# A reader that has the trace open all the while: the next command after it ends the log.
mkdir together
kill_one together/t.db
run "$XFERSPY" info together/t.db; expect_status 0
[ "$(ls together)" = t.db ] || show "left behind: $(ls together)"

# A process that is killed when its trace already has everything: it is said all the same.
mkdir drained
printf 'more\n\n' | "$SPOOLED" drained/t.db 0 >/dev/null 2>&1
run "$XFERSPY" report drained/t.db; expect_status 0
expect_err "its process was killed; 0 events that it left were recovered"
run "$XFERSPY" report drained/t.db; expect_status 0; expect_no_err

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

# Another command takes over what a killed process left while this one looks: it sees the new size in the file's header,
# before the pages are in the file, and no log any more when it looks beside the file. That is not damage.
mkdir race
make_trace race/whole.db "$SOURCE/fixtures/simple.sql"
cut() { dd if=race/whole.db of=race/t.db bs=4096 count=3 2>/dev/null; } # the header claims more
looks_between() { # looks_between SHELL: with this done before the command looks for the log
    run env ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0" LD_PRELOAD="$BETWEEN" \
        BETWEEN_SUFFIX=t.db-wal BETWEEN_DO="$1" "$XFERSPY" query --format=csv race/t.db "SELECT count(*) FROM transfer"
}
cut; echo log >race/t.db-wal
looks_between "cat race/whole.db >race/t.db; rm race/t.db-wal"
expect_status 0; expect_no_err
cut; looks_between "true"; expect_status 1; expect_err "t.db: damaged (cut off: 12288 of"
[ ! -e race/t.db-wal ] || show "a log was made"

# A process that was killed before it recorded anything: the trace is empty, ends anywhere in its first pages, or is
# whole; nothing was lost, and nothing is damaged.
mkdir unstarted
echo | "$SPOOLED" unstarted/t.db 0 unstarted >/dev/null 2>&1
cp unstarted/t.db whole.db; cp unstarted/t.db.spool spool
pages=$(($(wc -c <whole.db) / 4096))
[ $pages -gt 10 ] || show "only $pages pages"
page=0
while [ $page -lt $pages ]; do
    rm -f unstarted/*; cp spool unstarted/t.db.spool
    dd if=whole.db of=unstarted/t.db bs=4096 count=$page 2>/dev/null
    run "$XFERSPY" report unstarted/t.db
    expect_error_of "t.db: its process was killed before it recorded anything"
    page=$((page + 1))
done
rm -f unstarted/*; cp spool unstarted/t.db.spool; cp whole.db unstarted/t.db
run "$XFERSPY" report unstarted/t.db; expect_status 0
expect_err "t.db: its process was killed before it recorded anything"; [ "$(wc -l <stderr)" -eq 1 ] || show "one line"
# It was not there yet. A file that is somebody else's is not told so.
rm -f unstarted/*; cp spool unstarted/t.db.spool
run "$XFERSPY" report unstarted/t.db; expect_error_of "t.db: its process was killed before it recorded anything"
echo other >unstarted/t.db; run "$XFERSPY" report unstarted/t.db; expect_error_of "t.db: not an xferspy trace"
