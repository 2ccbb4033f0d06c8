# A guard names the line of Python that made the copy, of a real interpreter on the simulated GPU.
set -u
. "$SOURCE/../needs.sh"
need_python ctypes
unset LD_PRELOAD 2>/dev/null
rm -rf "$WORK"; mkdir -p "$WORK"; cd "$WORK" || exit 99
export LD_LIBRARY_PATH="$SIM" PYTHONDONTWRITEBYTECODE=1
fail() {
    echo "FAILED: $*"
    cat out err 2>/dev/null
    exit 1
}

cat >program.py <<'END'
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
context, memory, count = ctypes.c_void_p(), ctypes.c_uint64(), 4096
buffer = ctypes.create_string_buffer(b"x" * count, count)
def look(bytes):
    assert cuda.cuMemcpyDtoH_v2(buffer, memory, ctypes.c_size_t(bytes)) == 0
def step(i):
    look(64)
    if i == 3:
        look(65)  # breaks the rule
    print("step", i, flush=True)
assert cuda.cuInit(0) == 0 and cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert cuda.cuCtxSetCurrent(context) == 0
assert cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(count)) == 0
for i in range(5):
    step(i)
END
place="$WORK/program.py:6 in look < $WORK/program.py:10 in step < $WORK/program.py:16 in <module>"

"$XFERSPY" run -o warn.db --guard='warn:d2h>64B' -- "$python" "$WORK/program.py" >out 2>err || fail "status $?"
[ "$(grep -c "is broken" err)" = 1 ] || fail "one line"
grep -qF "the guard's rule d2h>64B is broken by a download of 65 bytes (cuMemcpyDtoH_v2) at $place" err || fail "place"
[ "$(grep -c step out)" = 5 ] || fail "the program did not run to its end"

"$XFERSPY" run -o fail.db --guard='fail:d2h>64B' -- "$python" "$WORK/program.py" >out 2>err
[ $? = 3 ] || fail "not status 3"
grep -qF "at $place; the program ends with status 3" err || fail "place of the end"
[ "$(grep -c step out)" = 3 ] || fail "the program did not end at the call"
"$XFERSPY" query --format=tsv fail.db \
    "SELECT (SELECT value FROM meta WHERE key = 'status'), count(*) FROM transfer" >out
grep -qP '^complete\t5$' out || fail "the trace"
"$XFERSPY" report fail.db >out 2>err || fail "report"
grep -qF "the guard's rule d2h>64B is broken" out || fail "the report has no note"
exit 0
