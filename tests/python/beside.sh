# Calls of a thread that runs no Python code, of a real interpreter on the simulated GPU: the main thread's line.
set -u
. "$SOURCE/../needs.sh"
need_python ctypes
unset LD_PRELOAD 2>/dev/null
rm -rf "$WORK"; mkdir -p "$WORK/site-packages/jaxlib"; cd "$WORK" || exit 99
export LD_LIBRARY_PATH="$SIM" XFERSPY_QUIET=on PYTHONDONTWRITEBYTECODE=1
cp "$HELPER" site-packages/jaxlib/helper.so # a framework's library
cp "$HELPER" own.so                         # a library of the program itself
fail() {
    echo "FAILED: $*"
    [ -e t.db ] && "$XFERSPY" query t.db "SELECT * FROM stack"
    cat out report 2>/dev/null
    exit 1
}

cat >program.py <<'END2'
import ctypes, os, sys, threading, time
cuda = ctypes.CDLL("libcuda.so.1")
helper = ctypes.CDLL(os.path.abspath(sys.argv[2]))
context, memory, count = ctypes.c_void_p(), ctypes.c_uint64(), 1 << 16
buffer = ctypes.create_string_buffer(b"x" * count, count)
def begin():
    assert cuda.cuInit(0) == 0 and cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
    assert cuda.cuCtxSetCurrent(context) == 0
    assert cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(count)) == 0
    assert helper.helper_start(buffer, memory, ctypes.c_uint64(count)) == 0
def load():
    helper.helper_copy(1, 0)
def train():
    for i in range(50):
        load()
    helper.helper_copy(50, 0)
    if sys.argv[1] == "copied":
        assert cuda.cuMemcpyHtoD_v2(memory, buffer, ctypes.c_size_t(count)) == 0
def busy():
    for i in range(10):
        helper.helper_ask(500, 1)
        for j in range(200000): pass  # the work
        helper.helper_copy(0, 1)
def rare():
    for i in range(20):
        helper.helper_copy(2000, 0)
        helper.helper_copy(1, 1)  # the rare call
def many():  # as many lines that wait for a copy
    for i in range(400):
        exec(compile("copy(1, 0)\n" * 25, "many%d.py" % i, "exec"), {"copy": helper.helper_copy})
begin()
if sys.argv[1] == "thread":
    # The program's work is in another thread, and the main thread waits for it.
    worker = threading.Thread(target=train)
    worker.start()
    worker.join()
elif sys.argv[1] == "fork":
    child = os.fork()
    if child == 0:
        os._exit(7)
    assert os.waitpid(child, 0)[1] == 7 << 8
    train()
elif sys.argv[1] == "rare":
    rare()
elif sys.argv[1] == "busy":
    busy()
elif sys.argv[1] == "many":
    many()
elif sys.argv[1] == "steps":
    helper.helper_wait_after_copies()
    for i in range(300):  # on a busy machine it takes long until some of them are regular
        time.sleep(0.01)
        load()
else:
    train()
END2
capture() {
    rm -f t.db*
    (ulimit -t 60; exec "$XFERSPY" run --output=t.db "$@") >out 2>&1 # not of real time, which a busy machine takes
    status=$?
    [ "$status" -eq 0 ] && [ ! -s out ] && [ -e t.db ] || fail "$*: status $status"
}
rows() { "$XFERSPY" query --format=tsv t.db "$1" | tail -n +2; }
# The innermost Python line of each transfer, whether it is another thread's, and how many have it.
lines() {
    rows "SELECT line || ' ' || of_other || ' ' || count(*) FROM (SELECT coalesce((SELECT line FROM stack_frame f
        WHERE f.stack = t.stack AND f.code IS NOT NULL ORDER BY f.depth LIMIT 1), 'none') AS line,
        s.python_thread IS NOT NULL AS of_other FROM transfer t JOIN stack s ON s.id = t.stack) GROUP BY line, of_other"
}

# Has every transfer one of these lines, and each of the lines some transfer?
expect() {
    lines >said
    for line; do
        grep -q "^$line [1-9]" said || fail "no transfer has the line $line: $(cat said)"
    done
    for line; do
        sed -i "/^$line [1-9]/d" said
    done
    grep -v '^none 0 ' said && fail "transfers with other lines"
}

framework=site-packages/jaxlib/helper.so
capture --budget=100 --fingerprint=all "$python" program.py copied $framework
expect '12 1' '16 1' '18 0'
"$XFERSPY" explain --all t.db >report || fail explain
grep -q 'noop-upload.* while main was at program.py:12 in load' report || fail "the main thread's line of a finding"
"$XFERSPY" report --sections=idle t.db >report || fail report
# Idle time is that of the steps if any are found, and of the whole run otherwise.
grep -q 'the upload while main was at program.py:\(12 in load\|16 in train\)' report ||
    fail "the main thread's line in the idle time"
[ "$(rows "SELECT count(*) > 20 FROM transfer t JOIN stack s ON s.id = t.stack WHERE s.is_asleep = 1")" = 1 ] ||
    fail "the main thread sleeps while it waits"
capture --budget=100 "$python" program.py busy $framework
[ "$(rows "SELECT count(*) > 0 FROM transfer t JOIN stack s ON s.id = t.stack JOIN stack_frame f ON f.stack = s.id
    WHERE s.is_asleep = 0 AND f.line = $(grep -n 'the work' program.py | cut -d: -f1)")" = 1 ] ||
    fail "the main thread works while the other one copies"
capture "$python" program.py fork $framework
expect '12 1' '16 1'
# The main thread runs no code of its own: the thread that does is the only other one.
capture "$python" program.py thread $framework
rows "SELECT count(*) FROM stack s JOIN thread t ON t.id = s.python_thread" | grep -q '^0$' && fail "no other thread"
# Code of the program itself made the call, so the report names its line.
capture "$python" program.py copied own.so
"$XFERSPY" report --sections=idle t.db >report || fail report
grep -q 'while main was' report && fail "the main thread's line beside one of the program's own code"
grep -q 'upload at .*\(serve in own.so\|helper_thread.c\)' report || fail "the line of the program's own code"

# Each call site has its turn, beside one that makes many more calls: by chance it would be one of 20 at most.
capture "$python" program.py rare $framework
rows "SELECT count(*) FROM transfer t JOIN stack s ON s.id = t.stack JOIN stack_frame f ON f.stack = s.id
    WHERE t.direction = (SELECT id FROM direction WHERE name = 'd2h') AND f.depth = 0 AND s.python_thread IS NOT NULL
    AND f.line = $(grep -n 'the rare call' program.py | cut -d: -f1)" >said
[ "$(cat said)" -ge 3 ] || fail "only $(cat said) of 20 rare calls have their line"
[ "$(rows "SELECT count(*) > 4000 FROM transfer t JOIN stack s ON s.id = t.stack
    WHERE s.python_thread IS NULL")" = 1 ] || fail "every call was read"
# The trace keeps all stacks, so there is an end to new ones.
capture --budget=100 "$python" program.py many $framework
[ "$(rows "SELECT count(*) FROM stack WHERE python_thread IS NOT NULL")" = 1000 ] || fail "more stacks, or fewer"
[ "$(rows "SELECT count(*) FROM transfer")" = 10000 ] || fail "not every call is in the trace"
# The steps are counted by a wait of the framework's thread, which is read with different lines.
capture --steps=10 --skip-steps=10 "$python" program.py steps $framework
[ "$(rows "SELECT value FROM meta WHERE key = 'range.steps'")" = 10 ] || fail "ten steps were asked for"
[ "$(rows "SELECT count(*) FROM sync")" -le 12 ] || fail "the steps do not end"
capture --host-samples=off "$python" program.py copied $framework
expect '18 0'
echo passed
