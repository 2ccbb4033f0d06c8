# The report as committed in golden/, for a trace whose numbers are worked out in its SQL.
. "$SOURCE/lib.sh"
for name in simple simulated without_cupti empty killed; do
    make_trace $name.db "$SOURCE/fixtures/$name.sql"
    sum=$(cksum <$name.db)
    run "$XFERSPY" report $name.db
    expect_status 0; expect_no_err
    cmp stdout "$SOURCE/golden/report_$name.txt" || { diff "$SOURCE/golden/report_$name.txt" stdout; show "differs from golden/report_$name.txt"; }
    [ "$sum" = "$(cksum <$name.db)" ] || show "report changed the trace"
    [ "$(awk 'length > 200' stdout | wc -l)" -eq 0 ] || show "a line is too long"
    grep -q ' $' stdout && show "blanks at the end of a line"
done
run "$XFERSPY" report simulated.db; expect_out "SIMULATED GPU: times below are a model's, not measurements"
run "$XFERSPY" report simple.db; expect_not "SIMULATED"
[ "$(wc -l <stdout)" -le 52 ] || show "more than a screen"
# Not UTF-8: ASCII only.
LC_ALL=C run "$XFERSPY" report without_cupti.db
expect_status 0; expect_out "H2H pageable -> pinned"
LC_ALL=C grep -q '[^ -~]' stdout && show "other than ASCII"
# A terminal of 80 columns shows every line whole.
if command -v script >/dev/null 2>&1; then
    step="report on a terminal"
    TERM=dumb COLUMNS=80 script -qec "'$XFERSPY' report simple.db" /dev/null </dev/null | tr -d '\r' >stdout
    expect_out "H2D pageable"; expect_out "cuMemcpyBatchAsync_v2"
    [ "$(awk 'length > 80' stdout | wc -l)" -eq 0 ] || show "wider than the terminal"
    grep -q '\.\.\.\|…' stdout && show "something was cut"
fi
# Several: each in turn, and one that fails does not keep the others from being shown.
run "$XFERSPY" report simple.db missing.db empty.db
expect_status 1; expect_out "== simple.db =="; expect_out "== empty.db =="; expect_err "missing.db"
