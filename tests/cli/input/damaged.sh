# Traces that open and are wrong inside: never a crash. Values that cannot be true are counted, broken pages are an
# error.
. "$SOURCE/lib.sh"
make_trace nonsense.db "$SOURCE/fixtures/simple.sql" "$SOURCE/fixtures/nonsense.sql"
run "$XFERSPY" report nonsense.db
expect_status 0; expect_out "rows hold values that cannot be true"
run "$XFERSPY" report --json nonsense.db; expect_status 0
run "$XFERSPY" info nonsense.db; expect_status 0
# Every page overwritten in turn, with zeros and with noise.
make_trace good.db "$SOURCE/fixtures/simple.sql"
pages=$(($(wc -c <good.db) / 4096))
page=1
while [ $page -lt $pages ]; do
    for filler in /dev/zero good.db; do
        cp good.db bad.db
        dd if=$filler of=bad.db bs=4096 seek=$page count=1 conv=notrunc 2>/dev/null
        for command in report info; do
            run "$XFERSPY" $command bad.db
            [ $status -le 1 ] || show "page $page: crashed"
            [ $status -eq 0 ] || { expect_err bad.db; [ "$(wc -l <stderr)" -eq 1 ] ||
                show "page $page: one line expected"; }
        done
        [ "$(wc -c <good.db)" -eq "$(wc -c <bad.db)" ] || show "changed"
    done
    page=$((page + 1))
done
