# Sourced by the tests of this folder, in bash: what they have in common. Each is called as
#
#   NAME.sh [--build DIR] [--keep]
#
# and runs counted_copies (../programs/process) on the simulated GPU, bare and under the library, in surroundings that
# run-test does not make. Exit status: 0 passed, 1 failed, 77 skipped.
set -u
name=$(basename "$0" .sh)
tests=$(cd "$(dirname "$0")/../.." && pwd)
. "$tests/needs.sh"
build=$tests/../build/debug keep=
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift ;;
    --keep) keep=1 ;;
    *) echo "$name: no such option: $1" >&2; exit 2 ;;
    esac
    shift
done
build=$(cd "$build" && pwd) || exit 2
program=$build/tests/e2e/programs/counted_copies xferspy=$build/bin/xferspy library=$build/lib/libxferspy.so
simulated=$build/sim
sanitizer_runtime=
[ -f "$build/tests/e2e/config" ] && . "$build/tests/e2e/config"
preload=${sanitizer_runtime:+$sanitizer_runtime:}$library
case $sanitizer_runtime in
*tsan*) echo "SKIPPED: a shell with the thread sanitizer preloaded crashes"; exit 77 ;;
?*) export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0:handle_segv=0:handle_abort=0" ;;
esac
launchers='SLURM_|OMPI_|PMI_|PMIX_|MV2_COMM_|RANK$|WORLD_SIZE$|LOCAL_RANK$'
for variable in $(compgen -e | grep -E "^(XFERSPY_|LD_PRELOAD\$|$launchers)"); do
    unset "$variable"
done
ulimit -c 0
work=$(mktemp -d "${TMPDIR:-/tmp}/xferspy-$name.XXXXXX") || exit 1
clean_up() { if [ -n "$keep" ]; then echo "kept: $work"; else rm -rf "$work"; fi; }
trap clean_up EXIT
export LC_ALL=C.UTF-8
cd "$work" || exit 1

fail() { # fail WHAT [FILE...]: with what is in the files
    echo "FAIL $name: $1"
    shift
    for file; do
        echo "--- $file"
        tail -n 30 "$file"
    done
    exit 1
}
# What a machine may forbid is skipped in CI, too: its kernel is not for this project to choose.
forbidden() {
    echo "SKIPPED: $*"
    exit 77
}

# q TRACE SQL: the rows, columns separated by |
q() { "$xferspy" query --format tsv "$1" "$2" 2>>query.stderr | tail -n +2 | tr '\t' '|'; }
# has TRACE SQL ROWS
has() {
    local rows
    rows=$(q "$1" "$2")
    [ "$rows" = "$3" ] || { echo "$rows" >rows; fail "$1: $2: not $3" rows query.stderr; }
}
# says FILE TEXT...: each of the texts is in the file
says() {
    local file=$1 text
    shift
    for text; do
        grep -qF -e "$text" "$file" || fail "not there: $text" "$file"
    done
}
one_line() { [ "$(wc -l <"$1")" = 1 ] || fail "not one line" "$1"; }

# What counted_copies wrote into its file; 0 where it has not yet.
counted() { od -An -tu8 "$1" 2>/dev/null | awk -v field="$2" '{ n = $field } END { print n + 0 }'; }
process_of() { counted "$1" 1; }
returned_of() { counted "$1" 2; }
# wait_for_copies FILE COPIES: until so many have returned; fails after ten minutes, when nothing comes
wait_for_copies() {
    local tries=0
    until [ "$(returned_of "$1")" -ge "$2" ]; do
        tries=$((tries + 1))
        [ $tries -lt 30000 ] || fail "$1: no $2 copies in ten minutes"
        sleep 0.02
    done
}
# has_all TRACE FILE: what had returned, and one more at most, which was under way; each once
has_all() {
    local n
    n=$(returned_of "$2")
    has "$1" "SELECT count(*) BETWEEN $n AND $n + 1, count(DISTINCT bytes) = count(*), max(bytes) = count(*),
        sum(result) FROM transfer WHERE direction = 1" '1|1|1|0'
}
# same_errors BARE TRACED: but for the library's lines
same_errors() { diff "$1" <(grep -v '^xferspy: ' "$2") >difference || fail "standard error differs" difference; }
