# A program built again with lines inserted above and between: every call site is found again. The binaries are real,
# the stacks are of their return addresses; the older one's source was edited since, so that the text of its lines is
# gone.
. "$SOURCE/lib.sh"
unset XFERSPY_DEBUG_PATH DEBUGINFOD_URLS 2>/dev/null
need cc readelf objdump
need_python
here=$(pwd -P)
cat >program.c <<'END'
#include <stdio.h>
void copy(int n);
void __attribute__((noinline)) copy(int n) { printf("%d\n", n); }
static void __attribute__((noinline)) load(int n) {
    copy(n + 1);
    copy(n + 2);
    copy(n + 3);
}
static void __attribute__((noinline)) step(int n) {
    copy(n + 4);
    load(n);
    copy(n + 5);
}
int main(void) {
    step(1);
    copy(6);
    return 0;
}
END
cc -g -O0 -o first "$here/program.c" || exit 99
sleep 0.1 # the edit is later than the build, as any edit is
sed -e '1i /* a comment\n\n\n\n   of five lines */' -e 's/^    load(n);/    puts("more");\n    load(n);/' program.c \
    >edited.c && mv edited.c program.c
cc -g -O0 -o second "$here/program.c" || exit 99
build_id() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }
calls() { objdump -d --no-show-raw-insn "$1" | sed -nE '/\s(callq?|bl)\s.*<copy>/{n;s/^ +([0-9a-f]+):.*/\1/p}' | sort; }
# trace_of NAME: stack n is the n-th call, by address; transfer n of n MiB was called there
trace_of() {
    calls "$1" >"$1.calls"
    {
        echo "DELETE FROM transfer; DELETE FROM device_copy; DELETE FROM fingerprint;"
        echo "UPDATE meta SET value = '$here/$1' WHERE key = 'executable';"
        # two decades on: what the binaries were built from has not changed since
        echo "UPDATE meta SET value = 2398377600000000000 WHERE key = 'start_unix_ns';"
        echo "INSERT INTO module VALUES (7,'$here/$1','$(build_id "$1")',93824990838784,93824999999999,93824990838784);"
        awk '{ printf "INSERT INTO stack(id,native_frames,python_frames,is_cut) VALUES (%d,1,0,0);\n", NR
               printf "INSERT INTO stack_frame VALUES (%d,%d,0,93824990838784+0x%s,7,NULL,NULL,NULL);\n", NR*4096, NR, $1
               printf "INSERT INTO transfer (id,entry_point,thread,direction,bytes,src_kind,dst_kind,is_async,is_captured,result,enter_ns,return_ns,stack) VALUES (%d,1,1,1,%d,1,4,0,0,0,%d,%d,%d);\n",
                 NR, NR * 1048576, NR * 1000000, NR * 1000000 + 500, NR }' "$1.calls"
    } >"$1.sql"
    make_own_trace "$1.db" "$SOURCE/fixtures/findings.sql" "$1.sql"
}
trace_of first
trace_of second
[ "$(wc -l <first.calls)" -eq 6 ] || { echo "FAILED: calls of copy: $(cat first.calls)"; exit 1; }
run "$XFERSPY" diff --json first.db second.db
expect_status 0; expect_no_err
"$python" - <<'END' || show "not all of the call sites were matched"
import json
d = json.load(open("stdout"))
sites = d["call_sites"]
assert len(sites) == 6, len(sites)
for site in sites:
    before, after = site["site_before"]["call_site"], site["site_after"]["call_site"]
    assert site["bytes"]["before"] == site["bytes"]["after"], site
    assert before["function"] == after["function"]
    assert after["line"] - before["line"] in (5, 6), (before, after)
    assert site["matched_by"] == "order", site["matched_by"]
    assert site["site_before"]["source"] is None and "copy(" in site["site_after"]["source"]
    assert site["change"] == "unchanged"
END
# Against itself the text of the line is known on both sides.
run "$XFERSPY" diff --json second.db second.db
expect_status 0; [ "$(grep -c '"matched_by": "text"' stdout)" -eq 12 ] || show "matched by text" # findings, too
