# The totals in a second thread, and rows that a third one reads: every command prints the same with one thread and
# with two, also of a trace that is damaged, and a filter is obeyed.
. "$SOURCE/lib.sh"
both() { # both COMMAND...: standard output, standard error and exit status are the same
    XFERSPY_TEST_THREADS=1 run "$XFERSPY" "$@"
    mv stdout stdout.one; mv stderr stderr.one; one=$status
    XFERSPY_TEST_THREADS=2 run "$XFERSPY" "$@"
    [ "$status" -eq "$one" ] || show "exit status $one with one thread"
    cmp stdout stdout.one || show "not the output of one thread"
    cmp stderr stderr.one || show "not the messages of one thread"
}
make_trace simple.db "$SOURCE/fixtures/simple.sql"
"$MAKE_TRACE" long.db 30000 100 1000 2
for trace in simple.db long.db; do
    both report $trace; expect_status 0
    both report --json $trace; expect_status 0
    both report --details --min-size=1KiB $trace; expect_status 0
    both check --no-config $trace
    both explain $trace; expect_status 0
done
both report --json simple.db long.db; expect_status 0
both diff simple.db long.db

# There are more threads where it is said so, and one where not. LeakSanitizer would start one of its own, and cannot
# work beside strace.
threads_of() {
    ASAN_OPTIONS=detect_leaks=0 XFERSPY_TEST_THREADS=$1 strace -f -e trace=clone,clone3 "$XFERSPY" report long.db \
        2>&1 >/dev/null | grep -c '^clone\|\] clone'
}
if strace -V >/dev/null 2>&1 && strace -o /dev/null true 2>/dev/null; then
    [ "$(threads_of 2)" -eq 2 ] || show "not a thread for the totals and one for the rows"
    [ "$(threads_of 1)" -eq 0 ] || show "a second thread"
fi

# Pages that are overwritten at places all over the file: both threads may meet them.
bytes=$(wc -c <long.db)
for tenth in 2 3 4 5 6 7 8 9; do
    cp long.db damaged.db
    dd if=/dev/zero of=damaged.db bs=4096 seek=$((bytes / 4096 * tenth / 10)) count=8 conv=notrunc 2>/dev/null
    XFERSPY_TEST_THREADS=2 run "$XFERSPY" report damaged.db
    [ "$status" -le 1 ] || show "ended by a signal"
    two=$status
    XFERSPY_TEST_THREADS=1 run "$XFERSPY" report damaged.db
    expect_status "$two"
done
