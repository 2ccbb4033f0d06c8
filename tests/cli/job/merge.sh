# One file for a job. Nothing is lost: what a command says of a trace in it is, byte for byte, what it says of the trace
# by itself, which has the same name in another folder.
. "$SOURCE/lib.sh"
. "$SOURCE/job_traces.sh"
make_ranks run
cat run/*.db | cksum >before
run "$XFERSPY" merge -o job.db run
expect_status 0; expect_no_err; expect_out "job.db: 4 traces, "
cat run/*.db | cksum | cmp -s - before || show "merge changed a trace"

lossless() { # lossless SOURCE NAME: of the trace in job.db
    mkdir -p alone; rm -f alone/*; cp "$1" "alone/job.db:$2"
    for command in "report --json" "report --details" "report --by=site" "report --by=nvtx --json" \
        "explain --format=tsv --instances" "explain --undecided --format=tsv" "explain --json --all" \
        "query --tables"; do
        # shellcheck disable=SC2086
        run "$XFERSPY" $command "job.db:$2"; expect_status 0; expect_no_err
        # shellcheck disable=SC2086
        (cd alone && "$XFERSPY" $command "job.db:$2") >expected
        cmp -s stdout expected || { diff expected stdout | head -5 >stderr; show "$2: not as by itself"; }
    done
    "$XFERSPY" info --all "job.db:$2" | sed 's/in a merged file of .*, schema/SIZE, schema/' >stdout
    (cd alone && "$XFERSPY" info --all "job.db:$2") | sed '2s/ .*, schema/ SIZE, schema/' >expected
    sed -i '2s/^ */ /' stdout expected
    cmp -s stdout expected || { diff expected stdout >stderr; show "$2: info"; }
    [ "$2" = 3 ] || return 0
    for table in meta note transfer memset allocation launch argument sync api_call device_copy device_kernel stack \
        stack_frame module fingerprint nvtx_range python_code entry_point thread device context stream transfers \
        stacks coverage fingerprints; do
        run "$XFERSPY" query --format=tsv "job.db:$2" "SELECT * FROM $table"; expect_status 0
        (cd alone && "$XFERSPY" query --format=tsv "job.db:$2" "SELECT * FROM $table") | cmp -s - stdout ||
            show "$2: $table"
    done
}
for rank in 1 3; do lossless run/app.$rank.db $rank; done

# The job of the merged file is the job of its traces, but for their names.
"$XFERSPY" report run | sed 's/run.app\.\(.\)\.db/job.db:\1/' >expected
run "$XFERSPY" report job.db; expect_status 0; expect_no_err; cmp -s expected stdout || show "another job"
# With traces that are in it: each once.
run "$XFERSPY" report job.db run; expect_status 0
cmp -s expected stdout || show "another job with the traces beside it"
expect_err "run/app.0.db: the same run as job.db:0; counted once"
run "$XFERSPY" report job.db job.db:2; expect_status 0; cmp -s expected stdout; expect_err "job.db:2: named twice"
run "$XFERSPY" info job.db; expect_status 0; expect_out "job.db:3"

# Which trace? The error says what there is.
for command in "explain job.db" "explain job.db noop-upload"; do
    # shellcheck disable=SC2086
    run "$XFERSPY" $command; expect_error_of "job.db: holds 4 traces; name one as job.db:0; it has 0, 1, 2, 3"
done
run "$XFERSPY" report job.db:7; expect_error_of "job.db: has no trace 7; it has 0, 1, 2, 3"
run "$XFERSPY" report missing.db:7; expect_error_of "missing.db:7: No such file"

# SQL over all of them; the file is plain SQLite.
run "$XFERSPY" query --format=tsv job.db \
    "SELECT rank, count(*), sum(bytes), sum(device_ns) FROM transfers GROUP BY rank"
expect_status 0; cp stdout all
{ sed -n 1p all; for rank in 0 1 2 3; do
    "$XFERSPY" query --format=tsv run/app.$rank.db \
        "SELECT $rank, count(*), sum(bytes), sum(device_ns) FROM transfers" | sed 1d
done; } | cmp -s - all || show "the view over all traces does not agree with theirs"
for view in transfers allocations memsets kernels syncs stacks fingerprints graph_copies device_copy_by_call \
    summary_by_direction summary_by_entry_point summary_by_kernel; do
    run "$XFERSPY" query --format=tsv job.db \
        "SELECT trace, count(*) FROM $view WHERE trace IN (0, 3) GROUP BY trace ORDER BY trace"
    expect_status 0; sed 1d stdout >all
    for rank in 0 3; do
        "$XFERSPY" query --format=tsv run/app.$rank.db "SELECT $rank, count(*) FROM $view HAVING count(*) > 0" | sed 1d
    done | cmp -s - all || show "$view"
done
run "$XFERSPY" query job.db "DELETE FROM transfer"; expect_status 1

# The same input, the same file, in whatever order.
run "$XFERSPY" merge -o again.db run/app.2.db run/app.0.db run/app.3.db run/app.1.db; expect_status 0
cmp -s job.db again.db || show "another file from the same traces"
# A merged file in a merge, with traces that it has: the same again.
run "$XFERSPY" merge -o flat.db job.db run/app.1.db
expect_status 0; expect_err "run/app.1.db: the same run as job.db:1; taken once"; expect_out "flat.db: 4 traces"
for rank in 0 3; do
    [ "$("$XFERSPY" explain --format=tsv flat.db:$rank | cksum)" = \
        "$("$XFERSPY" explain --format=tsv run/app.$rank.db | cksum)" ] ||
        show "rank $rank, merged twice"
done

# Traces without ranks: by the names of their files.
for golden in "$GOLDEN"/*.db; do name=$(basename "$golden" .db); cp "$golden" "$name.db"; done
rm job.db
run "$XFERSPY" merge -o job.db h100_*.db; expect_status 0; expect_no_err
for golden in h100_*.db; do
    name=${golden%.db}
    mkdir -p alone; rm -f alone/*; cp $golden "alone/job.db:$name"
    for command in "report --json" "report --details" "explain --format=tsv --instances"; do
        # shellcheck disable=SC2086
        run "$XFERSPY" $command "job.db:$name"; expect_status 0
        # shellcheck disable=SC2086
        (cd alone && "$XFERSPY" $command "job.db:$name" 2>/dev/null) | cmp -s - stdout || show "$name: not as by itself"
    done
done
# Two of the same rank, or of the same name.
mkdir -p a b; cp run/app.0.db a/x.db
echo "UPDATE meta SET value = 77 WHERE key = 'pid'" >pid.sql
make_trace b/x.db "$SOURCE/fixtures/findings.sql" pid.sql
run "$XFERSPY" merge -o names.db a/x.db b/x.db run/app.1.db; expect_status 0
run "$XFERSPY" query --format=tsv names.db "SELECT name FROM merged_trace ORDER BY id"
[ "$(tr '\n' ' ' <stdout)" = "name 0 1 x " ] || show "names"
echo "INSERT INTO meta VALUES ('rank', 0)" >rank.sql
make_trace b/x.db "$SOURCE/fixtures/findings.sql" pid.sql rank.sql
run "$XFERSPY" merge --force -o names.db a/x.db b/x.db; expect_status 0
run "$XFERSPY" query --format=tsv names.db "SELECT name FROM merged_trace ORDER BY id"
[ "$(tr '\n' ' ' <stdout)" = "name x x~2 " ] || show "names of the same rank"
run "$XFERSPY" report "names.db:x~2"; expect_status 0
# A file of the name of a trace in a file is that file.
cp run/app.3.db names.db:x; run "$XFERSPY" report names.db:x; expect_out "rank 3 of 4"

# Hostile text and values go in and come out as they are.
rm job.db; make_trace hostile.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/hostile.sql"
make_trace nonsense.db "$SOURCE/fixtures/simple.sql" "$SOURCE/fixtures/nonsense.sql"
run "$XFERSPY" merge -o job.db hostile.db nonsense.db; expect_status 0
for name in hostile nonsense; do
    rm -f alone/*; cp $name.db "alone/job.db:$name"
    run "$XFERSPY" report --json job.db:$name; expect_status 0
    (cd alone && "$XFERSPY" report --json job.db:$name) | cmp -s - stdout || show "$name: not as by itself"
done

# Refused: an output that is there, that is read, that is no file; nothing to merge. What cannot be read is left out.
run "$XFERSPY" merge -o job.db run; expect_error_of "job.db: exists already; --force replaces it"
run "$XFERSPY" merge --force -o run/app.0.db run; expect_error_of "run/app.0.db: is the trace being read"
run "$XFERSPY" merge --force -o job.db job.db run; expect_error_of "job.db: is the trace being read"
run "$XFERSPY" merge -o - run; expect_error_of "merge writes into one"
run "$XFERSPY" merge -o /dev/null run; expect_error_of "/dev/null: is no regular file"
run "$XFERSPY" merge -o nowhere/job.db run; expect_error_of "nowhere/job.db: No such file"
run "$XFERSPY" merge run; expect_status 2; expect_err "into which file? -o JOB.db"
run "$XFERSPY" merge -o new.db; expect_status 2; expect_err "which trace?"
run "$XFERSPY" merge -o new.db missing.db; expect_error_of "missing.db: No such file"
[ ! -e new.db ] || show "a file of nothing"
head -c 40000 run/app.2.db >run/app.2.cut && mv run/app.2.cut run/app.2.db
run "$XFERSPY" merge -o part.db run
expect_status 1; expect_err "run/app.2.db: damaged"
expect_err "part.db: is not the whole job: 1 of 4 traces could not be read"
expect_out "part.db: 3 traces"
run "$XFERSPY" report part.db; expect_status 0; expect_out "no trace of rank 2 (of 4)"
# Damage in the middle of a table shows while it is copied: nothing of that trace is left behind.
size=$(wc -c <run/app.1.db)
"$XFERSPY" query --format=tsv run/app.1.db "PRAGMA page_size" >/dev/null
cp run/app.1.db broken.db
page=$("$XFERSPY" query --format=tsv broken.db "SELECT rootpage FROM sqlite_master
    WHERE name = 'device_copy_row'" | sed 1d)
printf '\377\377\377\377' | dd of=broken.db bs=1 seek=$(((page - 1) * 4096 + 8)) conv=notrunc 2>/dev/null
[ "$size" -eq "$(wc -c <broken.db)" ] || show "the size changed"
run "$XFERSPY" merge -o some.db run/app.0.db broken.db run/app.3.db
expect_status 1; expect_err "broken.db: damaged"; expect_out "some.db: 2 traces"
run "$XFERSPY" query --format=tsv some.db "SELECT DISTINCT trace FROM transfer"
[ "$(tr '\n' ' ' <stdout)" = "trace 0 1 " ] || show "rows of a trace that was left out"
# The command judges each of them, as of a folder.
run "$XFERSPY" check --no-config --fail-on=any:0 job.db; expect_status 3; expect_no_err; cp stdout of_job
[ "$(grep -c '^job.db:' of_job)" -eq \
    "$("$XFERSPY" query --format=tsv job.db "SELECT count(*) FROM merged_trace" | tail -n 1)" ] ||
    show "not each trace of the job"
run "$XFERSPY" check --no-config --fail-on=any:0 run; expect_status 1; expect_err run/app.2.db # which is damaged
grep -q '^run/app.0.db' stdout || show "no trace of the folder"
# A newer file, and one that is cut off.
cp job.db newer.db; printf '\000\000\000\143' | dd of=newer.db bs=1 seek=60 conv=notrunc 2>/dev/null
run "$XFERSPY" report newer.db; expect_error_of "newer.db: written by another version of xferspy (its schema is 99"
run "$XFERSPY" explain newer.db:hostile; expect_error_of "newer.db: written by another version of xferspy"
head -c 30000 job.db >cut.db; run "$XFERSPY" report cut.db; expect_status 1; expect_err "cut.db"; expect_no_out
head -c 30000 job.db >cut.db; run "$XFERSPY" explain cut.db:hostile; expect_status 1; expect_err "cut.db"; expect_no_out
# No room: a message that names the output, and no file.
step="merge without room"
(trap '' XFSZ; ulimit -f 100; "$XFERSPY" merge -o full.db run/app.0.db run/app.1.db) >stdout 2>stderr
status=$?; expect_error_of "full.db: "
[ ! -e full.db ] || show "a file that is not whole"
# No temporary file is left, whatever happened.
[ -z "$(find . -name '*.db.??????')" ] || show "a temporary file was left"
