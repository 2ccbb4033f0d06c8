# Fleet files of many ranks, asked by xferspy and by DuckDB: the numbers are the same, before and after the files are
# joined. The statements of docs/use/fleet.md are run as they stand there.
. "$SOURCE/lib.sh"
need_python sqlite3
modules=$WORK/../modules # outlives the test: installed once for each lock file
need_node_modules "$SOURCE" "$modules"
ranks=${XFERSPY_TEST_RANKS:-120}
run "$python" "$CLI/fleet/make_fleet.py" "$GOLDEN" traces "$ranks"; expect_status 0
run "$XFERSPY" export --format=parquet -o fleet traces; expect_status 0; expect_no_err
cp "$SOURCE/fleet.mjs" "$modules" # modules are looked for beside the script
page=$SOURCE/../../docs/use/fleet.md
run node "$modules/fleet.mjs" "$WORK" "$XFERSPY" "$page" "$ranks"; expect_status 0; cat stdout
run "$XFERSPY" fleet --compact fleet; expect_status 0; cat stdout
run node "$modules/fleet.mjs" "$WORK" "$XFERSPY" "$page" "$ranks"; expect_status 0; cat stdout
