# Parquet, read by DuckDB and by hyparquet: all tables, with the numbers of the report; and what a folder of them has to
# stand: hostile texts, traces that are written again, a thousand writers at a time in one folder.
. "$SOURCE/lib.sh"
need_python
modules=$WORK/../modules # outlives the test: installed once for each lock file
need_node_modules "$SOURCE" "$modules"
make_traces
# labels of a run, as the library writes them
sqlite3 h100_lines.db "INSERT INTO meta VALUES ('label.team', 'vision \"a\"'), ('label.slurm_job_id', '17'),
    ('label.slurm_cluster', 'a/b'), ('labels.given', 'team'), ('rank', 3), ('world_size', 4)"
for trace in $traces; do
    run "$XFERSPY" report --json "$trace.db"; expect_status 0
    cp stdout "$trace.json"
    run "$XFERSPY" report --by=site --json "$trace.db"; expect_status 0
    cp stdout "$trace.by.json"
    run "$XFERSPY" export --format=parquet -o "fleet.$trace" "$trace.db"; expect_status 0; expect_no_out
    # a second time, the same files get the same contents
    (cd "fleet.$trace" && find . -type f -exec cksum {} + | sort) >before
    run "$XFERSPY" export --format=parquet -o "fleet.$trace" "$trace.db"; expect_status 0
    (cd "fleet.$trace" && find . -type f -exec cksum {} + | sort) >after
    cmp before after || show "$trace is not replaced by itself"
    [ "$(find "fleet.$trace" -type f ! -name '*.parquet' | wc -l)" -eq 0 ] || show "temporary files are left"
    bytes=$(find "fleet.$trace" -type f -exec cat {} + | wc -c)
    case $trace in huge | hostile) ;; *) [ "$bytes" -le 40000 ] || show "$bytes bytes of $trace" ;; esac
done
[ -f fleet.h100_lines/runs/dt=*/cluster=a%2Fb/job=17/*.parquet ] || show "the labels are not in the path"
cp "$SOURCE/parquet.mjs" "$modules" # modules are looked for beside the script
run node "$modules/parquet.mjs" "$WORK" $traces
expect_status 0
cat stdout

# Many processes write into one folder at a time
writers=${XFERSPY_TEST_WRITERS:-40}
run sh -c 'i=0; while [ $i -lt '$writers' ]; do
        cp simple.db w$i.db; sqlite3 w$i.db "UPDATE meta SET value = $i + 1000 WHERE key = '"'pid'"'"
        "$XFERSPY" export --format=parquet -o many w$i.db & i=$((i + 1)); done; wait'
expect_status 0; expect_no_err
[ "$(find many/runs -name '*.parquet' | wc -l)" -eq "$writers" ] || show "not all runs are there"
run "$XFERSPY" export --format=parquet -o from_folder many_traces; expect_error_of many_traces

# A folder that cannot be written is said, once, and leaves nothing
touch file
run "$XFERSPY" export --format=parquet -o file/fleet simple.db; expect_error_of file
run "$XFERSPY" export --format=parquet simple.db; expect_status 2; expect_err "name it with -o DIR"
run "$XFERSPY" export --format=parquet -o - simple.db; expect_status 2; expect_err "name it with -o DIR"
run sh -c '(ulimit -f 1; trap "" XFSZ; "$XFERSPY" export --format=parquet -o small h100_lines.db)'
expect_status 1
[ "$(find small -type f -size +0 ! -name '*.parquet' | wc -l)" -eq 0 ] || show "a part of a file is left"
