# What to do about a line of Python, in the calls of the framework that it calls: the same sentence in every output. A
# line of C in the same program has CUDA's words.
. "$SOURCE/lib.sh"
. "$SOURCE/job_traces.sh"
golden="$GOLDEN/h100_cupy_lines.db"
once='Call `cupy.asarray()` once, before the loop, and keep the array that it returns.'
# says SENTENCE COMMAND...
says() {
    said=$1; shift
    run "$XFERSPY" "$@"; expect_out "$said"; expect_no_err
}

says "$once" report "$golden"
says "remedy    $once" explain "$golden" noop-upload
says "**$once**" report --format=markdown "$golden"
says "\"remedy\": \"$once\"" report --format=json "$golden"
says "\"remedy\": \"$once\"" explain --format=json "$golden" noop-upload
says "$once" export --format=csv --what=findings "$golden"
says "\"remedy\":\"$once\"" export --format=jsonl --what=findings "$golden"
says "$once" check --no-config --fail-on=noop-upload:0 --format=sarif "$golden"
expect_out 'Drop the upload, or do it only when' # the rule's help, which is of no line
run "$XFERSPY" anonymize "$golden" -o hidden.db; expect_status 0
says "$once" report hidden.db

make_trace both.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql"
once='Call `.to('"'cuda'"')` once, before the loop, and keep the tensor that it returns.'
says "$once" report --details both.db
expect_out "Keep the value on the device, or read it less often." # reader.c
make_ranks ranks
says "$once" report --details ranks
says "**$once**" report --format=markdown ranks
says "\"remedy\": \"$once\"" report --format=json --details ranks
says "$once" check --no-config --fail-on=noop-upload:0 --format=sarif ranks/app.0.db

# Where the GPU refuses to page-lock a program's memory, as in confidential computing, no output advises to do it.
need sqlite3
cp "$GOLDEN/h100_pageable_async.db" refused.db; chmod u+w refused.db
for finding in pageable fake-async; do
    run "$XFERSPY" explain refused.db $finding; expect_status 0; expect_out "Pin the host buffer"
done
sqlite3 refused.db "INSERT INTO meta VALUES ('pinning_refused', 1)"
refused="Copy less, or in larger pieces: this GPU refuses to page-lock a program's memory, as in confidential computing"
for finding in pageable fake-async; do
    run "$XFERSPY" explain --format=json refused.db $finding; expect_out "$refused"; expect_not "Pin the host buffer"
done
says "$refused" report --details refused.db; expect_not "Pin the host buffer"
says "$refused" report --format=json refused.db; expect_not "Pin the host buffer"
says "$refused" export --format=csv --what=findings refused.db; expect_not "Pin the host buffer"
