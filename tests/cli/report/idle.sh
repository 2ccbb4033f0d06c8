# Why a device was idle, and whether waits pay.
. "$SOURCE/lib.sh"
# The account of each golden trace adds up.
for trace in "$GOLDEN"/*.db; do
    cp "$trace" t.db
    run "$XFERSPY" report --json t.db; expect_status 0; cp stdout report.json
    run python3 "$SOURCE/report/idle.py" report.json; expect_status 0; expect_no_err
    [ "$(cat stdout)" -ge 1 ] || show "$trace has a device"
    rm -f t.db*
done
# The sections: five rows, all rows, and none with a filter that was not asked for it.
cp "$GOLDEN/guide_cpp_before.db" t.db
run "$XFERSPY" report t.db
expect_out "  Device 0 was idle for 282 us of a step's 904 us (31 %), on average over 497 steps."
expect_out "ran its own code after the download at train.cu:69 in main, before the upload at train.cu:63 in main"
expect_out "3 more rows: xferspy report --sections=idle t.db"; expect_not "Would it save time"
run "$XFERSPY" report --sections=idle t.db; expect_not "more rows"
expect_out "was giving the GPU its next small piece of work"
run "$XFERSPY" report --direction=h2d t.db; expect_not "Where the GPU waited"
run "$XFERSPY" report --sections=waits t.db; expect_out "Would it save time not to wait?"
expect_out "the download at train.cu:69 in main"; expect_not "Where the GPU waited"
run "$XFERSPY" report --by=site t.db; expect_not "Where the GPU waited"
# Without recorded kernels, a device would seem to be idle while it works.
make_trace none.db "$SOURCE/fixtures/without_cupti.sql"
run "$XFERSPY" report none.db; expect_status 0; expect_not "Where the GPU waited"
run "$XFERSPY" report --sections=idle,waits none.db; expect_status 0; expect_not "Where the GPU waited"
run "$XFERSPY" report --json none.db; expect_out '"idle": null'
