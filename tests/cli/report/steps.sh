# Steps of a run in reports, and the options that choose some. What is a step is in tests/unit/analyzer/findings/steps.
. "$SOURCE/lib.sh"
golden=$GOLDEN
cp "$golden/h100_pytorch_upload.db" p.db
cp "$golden/h100_no_overlap.db" none.db
make_trace t.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql"
json() { # KEY of the object "steps"
    sed -n '/"steps": {/,/^      }/s/.*"'"$1"'": \([^,]*\),*$/\1/p' stdout | head -n 1
}
run "$XFERSPY" report p.db
expect_status 0; expect_no_err
expect_out "  a step    1.45 ms, with 1 transfer, 64.0 MiB (medians of 49 steps; standard deviation of their times: 2.1 %). Each step ends with the wait at "
expect_not "  warm-up "
run "$XFERSPY" report "$golden/h100_cupy_lines.db"
expect_out "  a step    9.98 ms, with 1 transfer, 64.0 MiB (medians of 47 steps"
expect_out "  warm-up   the first 2 steps took 327 ms, with 2 transfers, 128 MiB"
run "$XFERSPY" report --format=markdown "$golden/h100_cupy_lines.db"
expect_out 'A step: `9.98 ms, with 1 transfer, '; expect_out '; warm-up: the first 2 steps took 327 ms'
run "$XFERSPY" report --json p.db
[ "$(json mark)" = '"wait"' ] && [ "$(json count)" = 49 ] && [ "$(json transfers)" = 1 ] &&
    [ "$(json bytes)" = 67108864 ] && [ "$(json nvtx_range)" = null ] || show "steps in the JSON"
# Without a loop there is nothing to say, and nothing to choose.
run "$XFERSPY" report none.db; expect_status 0; expect_not "  a step"
run "$XFERSPY" report --format=markdown none.db; expect_not "A step"
run "$XFERSPY" report --json none.db; expect_out '"steps": null'
for command in report explain; do
    run "$XFERSPY" $command --steps=3 none.db; expect_status 1; expect_no_out
    expect_err "none.db: no steps were found in it"
    run "$XFERSPY" $command --skip-steps=49 p.db; expect_status 1; expect_no_out
    expect_err "p.db: it has 49 steps, and --skip-steps=49 leaves none"
done
# A step has one upload; what is before the first and behind the last is in none.
passing() { run "$XFERSPY" report --json "$@" p.db; sed -n 's/.*"transfers_passing": \([0-9]*\).*/\1/p' stdout; }
[ "$(passing --steps=10)" = 10 ] || show "ten steps"
[ "$(passing --skip-steps=45 --steps=10)" = 4 ] || show "the last four steps"
[ "$(passing --skip-steps=1 --direction=d2h)" = 0 ] || show "downloads in steps"
[ $(($(passing --steps=7) + $(passing --skip-steps=7))) -eq 49 ] || show "the parts are the whole"
run "$XFERSPY" report --skip-steps=2 --steps=3 p.db
expect_status 0; expect_no_err; expect_out "  filter    steps 3 to 5: 3 of 51 transfers pass, "; expect_not "  a step"
run "$XFERSPY" report --json --skip-steps=2 p.db; expect_out '"skip_steps": 2'; expect_out '"text": "steps 3 and later"'
run "$XFERSPY" explain --steps=3 p.db noop-upload; expect_status 0; expect_out "filter    steps 1 to 3"
# Numbers that are none.
for option in --steps=0 --steps= --steps=-1 --skip-steps=x; do
    run "$XFERSPY" report "$option" p.db; expect_status 2; expect_no_out; expect_err "$option: use a number of steps"
done
# The name of a range is anybody's text.
{
    echo "INSERT INTO nvtx_range SELECT 100 + id, NULL, NULL, char(27) || '[31m' || id || char(10) FROM transfer;"
    echo "UPDATE transfer SET nvtx_range = 100 + id;"
    echo "UPDATE transfer_row SET enter_ns = 2500000 * id, return_ns = 2500000 * id + 1000;"
} >ranges.sql
make_trace h.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql" ranges.sql
run "$XFERSPY" report h.db
expect_status 0; expect_out '. Each step begins with the NVTX range "\x1b[#m#\n"'
run "$XFERSPY" report --format=markdown h.db; expect_out 'NVTX range "\x1b[#m#\n"`'
