# Sourced by every test of this folder, after cli/lib.sh: what a consumer needs, and traces of every kind to consume.
. "$CLI/lib.sh"
need sqlite3
export PYTHONDONTWRITEBYTECODE=1
fixture() { # fixture NAME FILE...
    name=$1; shift
    set -- $(printf "$CLI/fixtures/%s.sql " "$@")
    make_trace "$name.db" "$@"
}
# Every kind of trace that a consumer has to be able to take, in $traces.
make_traces() {
    fixture empty empty
    fixture simple simple
    fixture without_cupti without_cupti
    fixture simulated simulated
    fixture found findings
    fixture places findings callsites
    fixture hostile simple hostile
    fixture damaged simple nonsense
    sqlite3 damaged.db "UPDATE transfer SET bytes = 9e999 WHERE id = (SELECT max(id) FROM transfer)"
    fixture huge simple
    # names of 200 KB with everything in them that a format could trip over
    sqlite3 huge.db "UPDATE thread SET name = replace(hex(zeroblob(20000)), '00', char(10, 0x1b, 0x202e) || '\",<b>');
        UPDATE kernel_name SET name = '=cmd|' || replace(hex(zeroblob(20000)), '00', '\\u0000,\"' || char(13, 10));
        UPDATE device SET name = CAST(x'ff27c0aefe' AS TEXT) || replace(hex(zeroblob(40000)), '00', 'name}');
        UPDATE entry_point SET name = CAST(x'40e282' AS TEXT) || name || char(9) || replace(hex(zeroblob(40000)), '00', '#\"{}=');
        UPDATE meta SET value = '+1;' || CAST(x'eda080' AS TEXT) || replace(hex(zeroblob(40000)), '00', char(10) || '# EOF')
            WHERE key IN ('command', 'host', 'executable', 'cwd');
        INSERT OR REPLACE INTO meta VALUES ('executable', '\"/x\\y\"' || char(10));
        INSERT INTO nvtx_range VALUES (900, 901, '-', replace(hex(zeroblob(40000)), '00', '@\"},{')), (901, 900, NULL, '');
        UPDATE transfer SET nvtx_range = 900 WHERE id % 2;" 2>huge.log || { cat huge.log; exit 1; }
    traces="empty simple without_cupti simulated found places hostile damaged huge"
    for trace in h100_lines h100_cupy_lines h100_pageable_async h100_upload_wasteful h100_upload_repaired; do
        cp "$GOLDEN/$trace.db" .
        traces="$traces $trace"
    done
}
