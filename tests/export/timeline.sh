# The timeline, read by a parser that is not ours: it has to say what the trace says.
. "$SOURCE/lib.sh"
need protoc
need_python google.protobuf
mkdir modules
protoc --python_out=modules -I "$SOURCE" "$SOURCE/perfetto.proto" || exit 1
export PYTHONPATH=$WORK/modules
make_traces
for trace in $traces; do
    run "$XFERSPY" export --format=perfetto -o "$trace.pftrace" "$trace.db"
    expect_status 0; expect_no_out
    "$XFERSPY" explain --instances --format=tsv "$trace.db" >"$trace.tsv" 2>/dev/null
    flag=
    [ $trace = damaged ] && flag=--damaged # whose numbers are not those of its rows
    run "$python" "$SOURCE/timeline.py" $flag "$trace.db" "$trace.pftrace" "$trace.tsv"
    expect_status 0
    cat stdout
    # a name of 200 KB is cut, and written once
    [ "$(wc -c <"$trace.pftrace")" -lt 3000000 ] || show "$trace.pftrace is too large"
done
# What a person searches for, by name: a category, which is written once, and the ranges' track
grep -aq noop-upload h100_upload_wasteful.pftrace || show "no noop-upload to search for"
grep -aq 'NVTX ranges of' places.pftrace || show "no NVTX ranges"
