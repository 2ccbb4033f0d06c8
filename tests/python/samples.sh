# Samples of what a thread does between its calls, of a real interpreter on the simulated GPU.
set -u
. "$SOURCE/../needs.sh"
need_python ctypes
unset LD_PRELOAD 2>/dev/null
rm -rf "$WORK"; mkdir -p "$WORK"; cd "$WORK" || exit 99
export LD_LIBRARY_PATH="$SIM" XFERSPY_QUIET=on PYTHONDONTWRITEBYTECODE=1
fail() {
    echo "FAILED: $*"
    [ -e t.db ] && "$XFERSPY" query t.db "SELECT * FROM host_sample LIMIT 20"
    cat out report 2>/dev/null
    exit 1
}

cat >program.py <<'END2'
import ctypes, os, sys, threading, time
cuda = ctypes.CDLL("libcuda.so.1")
context, memory, count = ctypes.c_void_p(), ctypes.c_uint64(), 1 << 16
buffer = ctypes.create_string_buffer(b"x" * count, count)
def begin():
    assert cuda.cuInit(0) == 0 and cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
    assert cuda.cuCtxSetCurrent(context) == 0
    assert cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(count)) == 0
def work(seconds=0.1):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        sum(range(1000))  # the work
def step(work=work):
    assert cuda.cuMemcpyDtoH_v2(buffer, memory, ctypes.c_size_t(count)) == 0
    work()
    assert cuda.cuMemcpyHtoD_v2(memory, buffer, ctypes.c_size_t(count)) == 0
def storm():  # threads that begin, copy, run code that comes and goes, and end
    assert cuda.cuCtxSetCurrent(context) == 0
    for i in range(4):
        assert cuda.cuMemcpyHtoD_v2(memory, buffer, ctypes.c_size_t(count)) == 0
        scope = {}
        source = "\n" * i + "def f(n):\n  return f(n - 1) if n else sum(range(50000))\nf(20)"
        exec(compile(source, "made%d.py" % i, "exec"), scope)
begin()
if sys.argv[1] == "steps":
    for i in range(10):
        step()
if sys.argv[1] == "sleeps":
    for i in range(5):
        step(lambda: time.sleep(0.2))
if sys.argv[1] == "fork":
    step()
    child = os.fork()
    work()
    if child == 0:
        os._exit(7)
    assert os.waitpid(child, 0)[1] == 7 << 8
    step()
if sys.argv[1] == "storm":
    until = time.monotonic() + 2
    while time.monotonic() < until:
        threads = [threading.Thread(target=storm) for _ in range(6)]
        for t in threads: t.start()
        for t in threads: t.join()
if sys.argv[1] == "end":  # the interpreter ends while its objects still run code
    class Late:
        def __del__(self, monotonic=time.monotonic, sum=sum, range=range):
            until = monotonic() + 0.02
            while monotonic() < until:
                sum(range(1000))
    late = [Late() for _ in range(10)]
    for one in late:
        one.itself = one
    step()
END2
capture() {
    rm -f t.db*
    timeout 300 "$XFERSPY" run --output=t.db "$@" >out 2>&1
    status=$?
    [ "$status" -eq 0 ] && [ ! -s out ] && [ -e t.db ] || fail "$*: status $status"
    [ "$(rows "SELECT count(*) FROM host_sample WHERE ns <= 0 OR thread NOT IN (SELECT id FROM thread)
        OR stack NOT IN (SELECT id FROM stack WHERE native_frames = 0 AND python_frames > 0)")" = 0 ] ||
        fail "$*: samples that cannot be"
    [ "$(rows "SELECT count(*) FROM stack_frame WHERE code <> 0 AND code NOT IN (SELECT id FROM python_code)")" = 0 ] ||
        fail "$*: frames without code"
}
rows() { "$XFERSPY" query --format=tsv t.db "$1" | tail -n +2; }

capture "$python" program.py steps
"$XFERSPY" report --sections=idle t.db >report || fail "report"
calls='after the download at program.py:14 in step, before the upload at program.py:16 in step'
grep -q "ran its own code, mostly at program.py:1[12] in work (\`.*\`), $calls" report ||
    fail "the line that the program runs between its copies"
[ "$(rows "SELECT count(*) > 0 AND sum(ns) <= (SELECT value FROM meta WHERE key = 'duration_ns')
    FROM host_sample")" = 1 ] ||
    fail "samples stand for more time than there is"
# A sample is of a moment at which its thread is in no call.
[ "$(rows "SELECT count(*) FROM host_sample h JOIN transfer t ON t.thread = h.thread
    AND h.at_ns > t.enter_ns AND h.at_ns < t.return_ns")" = 0 ] ||
    fail "a sample inside a call"
[ "$(rows "SELECT sum(is_asleep = 0) > 5 * sum(is_asleep = 1) FROM host_sample")" = 1 ] || fail "the thread works"
capture "$python" program.py sleeps
[ "$(rows "SELECT sum(is_asleep = 1) > 2 * sum(is_asleep = 0) FROM host_sample")" = 1 ] || fail "the thread sleeps"
capture --host-samples=off "$python" program.py steps
[ "$(rows "SELECT count(*) FROM host_sample")" = 0 ] || fail "--host-samples=off"
capture --stack=none "$python" program.py steps
[ "$(rows "SELECT count(*) FROM host_sample")" = 0 ] || fail "--stack=none"
capture "$python" program.py fork
for i in 1 2 3; do capture "$python" program.py end; done
capture --budget=100 "$python" program.py storm
[ "$(rows "SELECT count(*) FROM python_code c JOIN stack_frame f ON f.code = c.id WHERE c.file GLOB 'made*.py'
    AND c.function = 'f' AND c.first_line <> substr(c.file, 5, 1) + 1")" = 0 ] ||
    fail "a code object that was never there"
echo passed
