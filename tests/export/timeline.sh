# The timeline's two formats, each read by a parser that is not ours; they have to say the same, and what the trace says.
. "$SOURCE/lib.sh"
need protoc
need_python google.protobuf
mkdir modules
protoc --python_out=modules -I "$SOURCE" "$SOURCE/perfetto.proto" || exit 1
export PYTHONPATH=$WORK/modules
make_traces
for trace in $traces; do
    run "$XFERSPY" export --format=chrome -o "$trace.json" "$trace.db"
    expect_status 0; expect_no_out
    run "$XFERSPY" export --format=perfetto -o "$trace.pftrace" "$trace.db"
    expect_status 0; expect_no_out
    "$XFERSPY" explain --instances --format=tsv "$trace.db" >"$trace.tsv" 2>/dev/null
    flag=
    [ $trace = damaged ] && flag=--damaged # whose numbers are not those of its rows
    run "$python" "$SOURCE/timeline.py" $flag "$trace.db" "$trace.json" "$trace.pftrace" "$trace.tsv"
    expect_status 0
    cat stdout
    # a name of 200 KB is cut, and written once
    [ "$(wc -c <"$trace.json")" -lt 3000000 ] || show "$trace.json is too large"
done
# What a person searches for, by name
run grep -c '"cat":"transfer,noop-upload' h100_upload_wasteful.json
expect_status 0
[ "$(cat stdout)" -gt 100 ] || show "no noop-upload to search for"
grep -q '"name":"NVTX ranges of' places.json || show "no NVTX ranges"
