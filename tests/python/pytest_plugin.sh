# `pytest --xferspy` on the simulated GPU, as a user of the package has it.
set -u
. "$SOURCE/../needs.sh"
need_python ctypes pytest
unset LD_PRELOAD 2>/dev/null
rm -rf "$WORK"; mkdir -p "$WORK"; cd "$WORK" || exit 99
cp "$SOURCE/driver.py" .
export LD_LIBRARY_PATH="$SIM" PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$PACKAGE:$WORK" PYTEST_DISABLE_PLUGIN_AUTOLOAD=1
export PYTEST_ADDOPTS="-p xferspy.pytest_plugin -p no:cacheprovider" # an installed package is found by itself
PATH="$(dirname "$XFERSPY"):$PATH"
fail() { echo "FAILED: $*"; cat out; exit 1; }
holds() { grep -qF -e "$1" out || fail "not in the output: $1"; }
lacks() { ! grep -qF -e "$1" out || fail "in the output: $1"; }
pytest() { timeout 600 "$python" -m pytest "$@" >out 2>&1; status=$?; }

cat >test_copies.py <<'END'
import driver
import pytest

def setup_module():
    driver.begin()

def setup_function(function):  # what one test uploads, the test before has not left there
    setup_function.calls += 1
    driver.fill(setup_function.calls)
setup_function.calls = 0

@pytest.mark.max_transfers(h2d="1KiB", d2h=0)
def test_within():
    driver.upload(1024)

@pytest.mark.max_transfers(h2d="1KiB")
def test_too_much():
    driver.upload(1024)
    driver.upload(8, at=4096)  # the eight

@pytest.mark.max_transfers(waits=1, d2h=1)
@pytest.mark.parametrize("times", [1, 2])
def test_waits(times):
    for i in range(times):
        driver.wait()

def test_wasteful():
    for i in range(3):
        driver.upload(100000)  # the same bytes

def test_wasteful_too():
    assert driver.upload(100000) == "what it does not give"

@pytest.mark.xfail
@pytest.mark.max_transfers(h2d=0)
def test_expected_to_fail():
    driver.upload(8)
    assert False

def test_without_copies():
    pass
END
pytest test_copies.py
[ "$status" = 1 ] || fail "without --xferspy only what is wrong by itself fails"
holds "1 failed, 6 passed, 1 xfailed"; lacks "= xferspy ="
[ -z "$(ls ./*.db 2>/dev/null)" ] || fail "a trace that nobody asked for"

pytest --xferspy --junitxml=out.xml test_copies.py -rA
[ "$status" = 1 ] || fail "status $status"
holds "3 failed, 4 passed, 1 xfailed"
holds "the test made 2 copies from host to device with 1.01 KiB; the limit is 1KiB"
holds "1 of 1 KiB at test_copies.py:18 in test_too_much (cuMemcpyHtoD_v2)"
holds "the test made 2 waits for the device; the limit is 1"
grep -q "^5 tests copied between CPU and GPU, [1-9] of them wastefully[.]$" out || fail "the summary"
grep "^  test_copies.py::test_wasteful: " out | grep -q noop-upload || fail "what a test wastes"
lacks "test_copies.py::test_within: "
holds "2 of 195 KiB at test_copies.py:29 in test_wasteful (cuMemcpyHtoD_v2)"
holds "driver.upload(100000)  # the same bytes"
[ "$(ls ./*.db | wc -l)" = 1 ] || fail "one trace: $(ls)"
[ -e ./xferspy-pytest.*.db ] || fail "its name: $(ls)"
"$python" - <<'END' || fail "the JUnit XML"
from xml.etree import ElementTree
cases = {case.get("name"): {one.get("name"): one.get("value") for one in case.iter("property")}
         for case in ElementTree.parse("out.xml").iter("testcase")}
assert cases["test_within"]["xferspy_h2d_bytes"] == "1024" and cases["test_within"]["xferspy_h2d"] == "1", cases
assert cases["test_waits[2]"]["xferspy_waits"] == "2", cases
assert "noop-upload" in cases["test_wasteful"]["xferspy_findings"].split(), cases
assert "xferspy_findings" not in cases["test_within"], cases
END

# The options of pytest and its standard input are those that were given; findings only of what fails; the trace's name.
pytest --xferspy --xferspy-findings=failed --xferspy-output=named.db -k "wasteful or within" test_copies.py
[ "$status" = 1 ] || fail "status $status"
holds "1 failed, 2 passed, 5 deselected"
grep -q "^3 tests copied between CPU and GPU, [01] of them wastefully[.]$" out || fail "findings of what fails"
lacks "test_copies.py::test_wasteful: "
holds "\`xferspy report named.db\` says more."
[ -e named.db ] || fail "no named.db"

# Mistakes in a mark are told whether or not anything is recorded.
for mark in '"1MiB"' 'h2d="much"' 'h2h=1' 'waits="1B"' ''; do
    printf 'import pytest\n@pytest.mark.max_transfers(%s)\ndef test_a(): pass\n' "$mark" >test_wrong.py
    pytest test_wrong.py
    [ "$status" = 4 ] || fail "status $status with the mark $mark"
    holds "test_wrong.py::test_a: max_transfers: "
done

# Tests that never use CUDA; a program that calls pytest itself; no command xferspy.
printf 'def test_a(): pass\n' >test_none.py
pytest --xferspy test_none.py
[ "$status" = 0 ] || fail "status $status"
holds "1 passed"; holds "0 tests copied between CPU and GPU, 0 of them wastefully."
timeout 600 "$python" -c 'import pytest, sys; sys.exit(pytest.main(["--xferspy", "test_none.py"]))' >out 2>&1
[ "$?" = 4 ] || fail "a program that calls pytest"
holds "start the program by \`xferspy run\`"
PATH=/usr/bin:/bin pytest --xferspy test_none.py
[ "$status" = 4 ] || fail "status $status without the command"
holds "the command xferspy is neither in this package nor in PATH"
echo passed
