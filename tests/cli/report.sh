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
LC_ALL=C run "$XFERSPY" report simple.db
expect_status 0; expect_out "pageable -> device"
LC_ALL=C grep -q '[^ -~]' stdout && show "other than ASCII"
# Several: each in turn, and one that fails does not keep the others from being shown.
run "$XFERSPY" report simple.db missing.db empty.db
expect_status 1; expect_out "== simple.db =="; expect_out "== empty.db =="; expect_err "missing.db"
