# speedscope's own schema, and speedscope itself in a browser without a window: it has to open what is written for it.
. "$SOURCE/lib.sh"
need_chromium
modules=$WORK/../modules # outlives the test: installed once for each lock file
need_node_modules "$SOURCE" "$modules"
make_traces
opened="places huge h100_lines" # in a browser, which takes seconds for each; every trace is held against the schema
for trace in $traces; do
    run "$XFERSPY" export --format=speedscope -o "$trace.speedscope.json" "$trace.db"
    expect_status 0; expect_no_out
done
cp "$SOURCE/speedscope.mjs" "$modules" # modules are looked for beside the script
run node "$modules/speedscope.mjs" "$chromium" "$WORK" "$opened" $traces
expect_status 0
cat stdout
# Weights are the trace's numbers
sums=$("$XFERSPY" query --format=tsv h100_lines.db "SELECT sum(device_ns), sum(bytes) FROM transfers" | tail -n 1)
found=$(node -e 'const p = JSON.parse(require("fs").readFileSync("h100_lines.speedscope.json")).profiles;
    console.log(p.slice(0, 2).map(q => q.weights.reduce((a, b) => a + b, 0)).join("\t"))')
[ "$sums" = "$found" ] || show "sums: $sums, weights: $found"
