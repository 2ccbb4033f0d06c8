# The text of Python lines in the trace, as capture keeps it: of a real interpreter on the simulated GPU. The program
# says by which names its code goes, so that it can name files that must not be read.
set -u
. "$SOURCE/../needs.sh"
need_python ctypes
unset LD_PRELOAD 2>/dev/null
rm -rf "$WORK"; mkdir -p "$WORK/app"; cd "$WORK" || exit 99
export LD_LIBRARY_PATH="$SIM" XFERSPY_QUIET=on PYTHONDONTWRITEBYTECODE=1
fail() { echo "FAILED: $*"; [ -e t.db ] && "$XFERSPY" query t.db "SELECT f.path, l.line, l.text FROM source_file f LEFT JOIN source_line l ON l.file = f.id"; exit 1; }

cat >app/program.py <<'END'
import ctypes, os, signal, sys
cuda = ctypes.CDLL("libcuda.so.1")
context, memory, count = ctypes.c_void_p(), ctypes.c_uint64(), 1 << 20
buffer = ctypes.create_string_buffer(b"x" * count, count)
assert cuda.cuInit(0) == 0 and cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0 and cuda.cuCtxSetCurrent(context) == 0
assert cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(count)) == 0
def upload():
    assert cuda.cuMemcpyHtoD_v2(memory, buffer, ctypes.c_size_t(count)) == 0  # the upload
for i in range(20):
    upload()
for name in sys.argv[2:]:  # an upload in the second line of a file of that name
    exec(compile("\nfor i in range(20): cuda.cuMemcpyHtoD_v2(memory, buffer, ctypes.c_size_t(count))", name, "exec"))
if sys.argv[1] == "touch":
    os.utime(__file__)
if sys.argv[1] == "fifo":
    os.remove(__file__)
    os.mkfifo(__file__)
if sys.argv[1] == "remove":
    os.remove(__file__)
if sys.argv[1] == "kill":
    os.kill(os.getpid(), signal.SIGKILL)
END
touch -d '2025-06-01 UTC' app/program.py
cp -p app/program.py program.py.kept

# capture [--option ...] WHAT NAME...: into t.db
capture() {
    rm -f t.db*; rm -rf app/program.py; cp -p program.py.kept app/program.py
    options=
    while case $1 in --*) true ;; *) false ;; esac do options="$options $1"; shift; done
    timeout 600 "$XFERSPY" run $options --output=t.db "$python" app/program.py "$@" >out 2>&1
    status=$?
    [ -e t.db ] || { cat out; fail "no trace"; }
}
rows() { "$XFERSPY" query --format=tsv t.db "$1" | tail -n +2; }
lines() { rows "SELECT path || ':' || line || ' ' || text FROM source_line l JOIN source_file f ON f.id = l.file ORDER BY 1"; }
notes() { rows "SELECT text FROM note WHERE topic = 'source'"; }
shows() { "$XFERSPY" report --details "$@" | grep -q '# the upload'; }

capture none
[ "$status" -eq 0 ] || fail "exit status $status"
lines | grep -q "app/program.py:8     assert cuda.cuMemcpyHtoD_v2(memory, buffer, ctypes.c_size_t(count)) == 0  # the upload$" || fail "the line is kept"
lines | grep -qv "assert cuda" && fail "and lines that no call came from: $(lines)"
[ -z "$(notes)" ] || fail "notes: $(notes)"
identity=$(rows "SELECT bytes = $(wc -c <app/program.py) AND mtime_ns = 1748736000000000000
    FROM source_file")
[ "$identity" = 1 ] || fail "the identity"
# Without the file, and for somebody else, the line is still there.
rm app/program.py; mkdir elsewhere; cp t.db elsewhere/copy.db
shows t.db || fail "shown without the file"
shows elsewhere/copy.db || fail "shown of a copy"
"$XFERSPY" anonymize --force t.db -o anonymous.db >/dev/null && shows anonymous.db && fail "in an anonymized trace"
grep -q "the upload" anonymous.db && fail "left in an anonymized trace"
rm -f merged.db; "$XFERSPY" merge t.db -o merged.db >/dev/null && shows merged.db || fail "in a merged file"

capture --source-lines=off none
[ -z "$(lines)" ] || fail "--source-lines=off"
shows t.db && fail "shown, with --source-lines=off"
"$XFERSPY" symbolize t.db | grep -q "the text of" && fail "symbolize reads a file that only the trace names"

capture touch; [ -z "$(lines)" ] || fail "of a file that changed"
notes | grep -q "has changed since capture began" || fail "the note: $(notes)"
shows t.db && fail "shown of a file that changed"
capture fifo; [ -z "$(lines)" ] || fail "of a FIFO"; [ "$status" -eq 0 ] || fail "a FIFO: status $status"
capture remove; [ -z "$(lines)" ] || fail "of no file"; [ -z "$(notes)" ] || fail "a note: $(notes)"
capture kill; [ -z "$(lines)" ] || fail "of a killed process"
shows t.db && fail "of a killed process a file is read that only the trace names"

# Names that are no source files of the program.
mkdir names
printf 'first\nSECRET of a link\n' >names/secret; ln -s /proc/self/environ names/link; mkfifo names/fifo
{ printf 'first\nSECRET of a binary\n\0'; } >names/binary
{ printf 'first\nSECRET of a large file\n'; head -c 9000000 /dev/zero | tr '\0' x; } >names/large
touch -d '2025-06-01 UTC' names/binary names/large
capture none /proc/self/environ /proc/self/status /dev/zero "$WORK/names/link" "$WORK/names/fifo" \
    "$WORK/names/binary" "$WORK/names/large" "<string>" "" "$WORK/names"
[ "$status" -eq 0 ] || fail "status $status"
lines | grep -v "app/program.py:" && fail "these were read"
grep -q "SECRET" t.db && fail "a secret is in the trace"
notes | grep -q "is larger than 8 MiB\|is no plain text file" || fail "the note: $(notes)"
# Whatever it would have to read, it takes no time that anybody notices, and tells what is missing.
"$python" - <<'END'
import os
os.mkdir("many")
for i in range(3000):
    with open(f"many/{i}.py", "w") as file:
        file.write("first\nsecond\n")
    os.utime(f"many/{i}.py", (1_700_000_000, 1_700_000_000))
END
sed -i 's/^for name in sys.argv\[2:\].*/for name in [f"{os.getcwd()}\/many\/{i}.py" for i in range(3000)]:/; s/range(20): cuda/range(1): cuda/' program.py.kept
touch -d '2025-06-01 UTC' program.py.kept
capture none
[ "$(lines | wc -l)" -le 2000 ] || fail "more than 2000 lines"
notes | grep -q "is not in the trace" || fail "the note about what is missing: $(notes)"
[ "$(rows "SELECT value < 2000000000 FROM meta WHERE key = 'cost.close_ns'")" = 1 ] || fail "the end took long"
echo passed
