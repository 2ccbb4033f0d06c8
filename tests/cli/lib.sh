# Sourced by every test of these folders. `run` keeps standard output, standard error and exit status of a command; the
# `expect_` functions look at them and end the test with everything that was seen when they differ.
set -u
. "$SOURCE/../needs.sh"
export LC_ALL=C.UTF-8
unset NO_COLOR COLUMNS LD_PRELOAD XFERSPY_OUTPUT XFERSPY_CUPTI XFERSPY_LIBRARY ARGP_HELP_FMT 2>/dev/null
rm -rf "$WORK"
mkdir -p "$WORK"
cd "$WORK" || exit 99
step=start
# The version that is written now.
schema=$(sed -n '1s/.*schema version \([0-9]*\).*/\1/p' "$SOURCE/../../schema/format/schema.sql")

show() {
    echo "FAILED: $* (last command: $step, exit status ${status-})"
    echo "--- stdout"; cat stdout
    echo "--- stderr"; cat stderr
    exit 1
}
run() {
    step="$*"
    "$@" >stdout 2>stderr </dev/null
    status=$?
}
# bounded SECONDS COMMAND...: with so much processor time; what else the machine does is not counted.
bounded() { (ulimit -t "$1"; shift; exec "$@"); }
expect_status() { [ "$status" -eq "$1" ] || show "expected exit status $1"; }
# json EXPRESSION: it is true of `d`, the JSON on stdout. After need_python.
json() { "$python" -c "import json; d = json.load(open('stdout')); assert $1, $1" || show "not in the JSON: $1"; }
expect_out() { grep -qF -e "$1" stdout || show "expected on stdout: $1"; }
expect_err() { grep -qF -e "$1" stderr || show "expected on stderr: $1"; }
expect_not() { ! grep -qF -e "$1" stdout stderr || show "not expected: $1"; }
# No line is wider than this, but a label with one name that has no blanks: how long a path is, the clone decides.
expect_width() {
    [ "$(sed 's/…/./g' stdout | awk -v most="$1" 'length > most && NF > 2' | wc -l)" -eq 0 ] || show "wider than $1"
}
expect_no_out() { [ ! -s stdout ] || show "expected nothing on stdout"; }
expect_no_err() { [ ! -s stderr ] || show "expected nothing on stderr"; }
# expect_golden FILE: standard output is this, byte for byte. Where it is meant to change, XFERSPY_WRITE_GOLDEN=1 in the
# environment writes the file anew, and `git diff` shows what became of it.
expect_golden() {
    [ -z "${XFERSPY_WRITE_GOLDEN:-}" ] || cp stdout "$1"
    cmp -s stdout "$1" || { diff "$1" stdout; show "differs from $1"; }
}
# One line, naming the file: what every error looks like.
expect_error_of() {
    expect_status 1
    expect_no_out
    [ "$(wc -l <stderr)" -eq 1 ] || show "expected one line on stderr"
    expect_err "$1"
}
make_trace() { # make_trace OUT FIXTURE...
    out=$1; shift
    "$SQL2DB" "$out" "$@" || { echo "FAILED: sql2db $out"; exit 1; }
}
make_own_trace() { # make_own_trace OUT FIXTURE...: one whose run began when its file was made
    out=$1; shift
    "$SQL2DB" "$out" --own "$@" || { echo "FAILED: sql2db $out"; exit 1; }
}
