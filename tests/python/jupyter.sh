# The magic `%%xferspy` in IPython, on the simulated GPU.
set -u
. "$SOURCE/../needs.sh"
need_python ctypes IPython
unset LD_PRELOAD 2>/dev/null
rm -rf "$WORK"; mkdir -p "$WORK"; cd "$WORK" || exit 99
cp "$SOURCE/driver.py" .
export LD_LIBRARY_PATH="$SIM" XFERSPY_QUIET=on PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH="$PACKAGE:$WORK" IPYTHONDIR="$WORK/ipython"
PATH="$(dirname "$XFERSPY"):$PATH"
fail() { echo "FAILED: $*"; cat out; exit 1; }
cat >cells.py <<'END'
import sys
from IPython.testing.globalipapp import start_ipython
from IPython.utils.capture import capture_output
shell = start_ipython()
shell.display_formatter.active_types = ["text/plain", "text/html"]  # as a notebook has

def run(magic, cell):
    with capture_output() as captured:
        shell.run_cell("%s\n%s" % (magic, cell))
    return captured

shell.run_cell("%load_ext xferspy")
if sys.argv[1] == "bare":
    captured = run("%%xferspy", "x = 41 + 1")
    assert "nothing is recorded" in captured.stdout, captured.stdout
    assert shell.user_ns["x"] == 42
else:
    shell.run_cell("import driver\ndriver.begin()\ndriver.upload(3000)")
    captured = run("%%xferspy text --min-size=1", "for i in range(3): driver.upload(200000)\nx = 42")
    assert "in range <cell 1>: 3 of 4 transfers" in captured.stdout, captured.stdout
    assert "unused-upload" in captured.stdout, captured.stdout
    assert shell.user_ns["x"] == 42
    captured = run("%%xferspy", "driver.download(100)")
    pages = [output.data["text/html"] for output in captured.outputs if "text/html" in output.data]
    assert len(pages) == 1, (captured.stdout, captured.stderr, captured.outputs)
    begin, _, end = pages[0].partition('srcdoc="')[2].partition('"')
    assert begin.lower().startswith("&lt;!doctype html&gt;") and "&lt;/html&gt;" in begin, pages[0][:200]
    assert end.endswith("</iframe></div>") and "<" not in begin, "the page ends early"
    captured = run("%%xferspy", "1 / 0")
    assert "ZeroDivisionError" in captured.stdout + captured.stderr and not captured.outputs
print("done")
END
"$python" cells.py bare >out 2>&1 && grep -q "done$" out || fail "without the library"
timeout 600 "$XFERSPY" run --fingerprint=all --output=t.db -- "$python" cells.py recorded >out 2>&1 &&
    grep -q "done$" out ||
    fail "with the library"
echo passed
