# The package xferspy of Python, on the simulated GPU: with the library, without it, and while it is asleep.
set -u
. "$SOURCE/../needs.sh"
need_python ctypes asyncio
unset LD_PRELOAD 2>/dev/null
rm -rf "$WORK"; mkdir -p "$WORK"; cd "$WORK" || exit 99
cp "$SOURCE/driver.py" "$SOURCE/package_program.py" .
export LD_LIBRARY_PATH="$SIM" XFERSPY_QUIET=on PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$PACKAGE"
PATH="$(dirname "$XFERSPY"):$PATH"
fail() { echo "FAILED: $*"; cat out 2>/dev/null; exit 1; }
rows() { "$XFERSPY" query --format=tsv t.db "$1" | tail -n +2; }

"$python" package_program.py bare >out 2>&1 || fail "without the library"
[ "$(cat out)" = done ] && [ -z "$(ls ./*.db 2>/dev/null)" ] || fail "without the library it does nothing"

timeout 600 "$XFERSPY" run --fingerprint=all --output=t.db -- "$python" package_program.py >out 2>&1 ||
    fail "with the library"
[ "$(cat out)" = done ] || fail "what it prints"
cat >expected <<'END'
1000	outer
2000	outer/inner   zählen
3000	function/function
3001	function
4000	
6000	batch
6001	batch
6002	step
END
rows "WITH RECURSIVE around(id, outer, path) AS (
    SELECT id, parent, name FROM nvtx_range UNION ALL
    SELECT a.id, r.parent, r.name || '/' || a.path FROM around a JOIN nvtx_range r ON r.id = a.outer)
    SELECT t.bytes, replace(a.path, 'step/', '')
    FROM transfer t LEFT JOIN around a ON a.id = t.nvtx_range AND a.outer IS NULL
    WHERE t.bytes >= 1000 AND t.bytes NOT IN (5000, 9000) ORDER BY t.bytes" >seen
cmp -s expected seen || { diff expected seen; fail "the regions of the copies"; }
[ "$(rows "SELECT count(*) FROM transfer t JOIN nvtx_range r ON r.id = t.nvtx_range
    WHERE r.name = 'step' AND bytes = 5000")" = 20 ] ||
    fail "the steps"
# The reader is a program of its own, which the library must not record.
[ "$(ls ./*.db)" = ./t.db ] || fail "other traces: $(ls)"

# Ten steps of them, as the program names them.
rm -f t.db*
timeout 600 "$XFERSPY" run --step=step --skip-steps=5 --steps=10 --output=t.db -- "$python" - >out 2>&1 \
    <<'END' || fail "steps that are asked for"
import driver, warnings, xferspy
driver.begin()
with warnings.catch_warnings(record=True) as caught:  # the guard cannot tell about calls that nobody looked at
    warnings.simplefilter("always")
    with xferspy.guard(h2d=0):
        driver.upload(7)
assert [w.category for w in caught] == [xferspy.GuardWarning], caught
assert "cannot tell" in str(caught[0].message)
for i in range(20):
    xferspy.step()
    driver.upload(5000 + i)
    driver.wait()
END
[ "$(rows "SELECT group_concat(bytes - 5000, ' ') FROM transfer")" = "5 6 7 8 9 10 11 12 13 14" ] ||
    fail "the steps that were recorded: $(rows "SELECT group_concat(bytes, ' ') FROM transfer")"

# A process that sleeps has no numbers to judge by; a child that was forked has neither trace nor numbers.
rm -f t.db*
timeout 600 "$XFERSPY" run --output=t.db -- "$python" - >out 2>&1 <<'END' || fail "a forked child"
import driver, os, xferspy
driver.begin()
driver.upload(8)
child = os.fork()
if child == 0:
    with xferspy.region("in the child"), xferspy.guard(h2d=0):
        xferspy.step()
    os._exit(0 if xferspy.counts() is None and xferspy.trace() is None and xferspy.report() is None else 1)
assert os.waitpid(child, 0)[1] == 0
assert xferspy.counts().h2d == 1
END
echo passed
