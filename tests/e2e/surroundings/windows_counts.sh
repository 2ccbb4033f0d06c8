#!/bin/bash
# Does programs/windows/counts.sh notice a record that is lost, and one that is invented? A trace of windows is
# damaged in one place after another.
#
#   windows_counts.sh [--build DIR]
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
build=$here/../../build/debug
[ "${1:-}" = --build ] && build=$2
command -v python3 > /dev/null || { echo 'SKIP windows_counts: no python3'; exit 77; }
base=$(mktemp -d "${TMPDIR:-/tmp}/xferspy-counts.XXXXXX") || exit 1
trap 'rm -rf "$base"' EXIT
xferspy=$build/bin/xferspy failed=0
[ -f "$build/tests/e2e/config" ] && . "$build/tests/e2e/config"
export XFERSPY_TEST_DIR=$base
. "$here/trace.sh"
. "$here/programs/windows/counts.sh"

env LD_LIBRARY_PATH="$build/sim" LD_PRELOAD="${sanitizer_runtime:+$sanitizer_runtime }$build/lib/libxferspy.so" \
    XFERSPY_WINDOW=20ms/40ms XFERSPY_OUTPUT="$base/whole.db" "$build/tests/e2e/programs/windows_storm" 400 \
    > "$base/stdout" 2> /dev/null

# notices WORDS SQL: a trace in which that was done gets such a line
notices() {
    traces=$base/damaged.db
    cp "$base/whole.db" "$traces"
    python3 - "$traces" "$2" << 'END' || { echo "FAIL windows_counts: $2"; failed=1; return; }
import sqlite3, sys
trace = sqlite3.connect(sys.argv[1])
changed = trace.execute(sys.argv[2]).rowcount
trace.commit()
sys.exit(changed != 1)
END
    compare_counts > "$base/found"
    grep -qF -- "$1" "$base/found" || { echo "FAIL windows_counts: not noticed: $1: $(cat "$base/found")"; failed=1; }
}

traces=$base/whole.db
found=$(compare_counts)
[ "$found" = '17 counts are the same' ] || { echo "FAIL windows_counts: $found"; failed=1; }
one_of() { echo "DELETE FROM $1_row WHERE id = (SELECT id FROM $1 WHERE $2 LIMIT 1)"; }
notices 'kernel lost|1' "$(one_of device_kernel 'graph_node IS NULL')"
notices 'kernel of a graph lost|1' "$(one_of device_kernel 'graph_node IS NOT NULL')"
notices 'copy lost|1' "$(one_of device_copy 'graph_node IS NULL')"
notices 'copies of a graph lost|1' "$(one_of device_copy 'graph_node IS NOT NULL')"
notices 'memset lost|1' 'DELETE FROM device_memset WHERE id = (SELECT max(id) FROM device_memset)'
kernel="(SELECT id FROM launch_kind WHERE name = 'kernel')"
notices 'kernel without a launch|1' "$(one_of launch "correlation IS NOT NULL AND kind = $kernel")"
notices 'copy without a call|1' "$(one_of transfer 'correlation IS NOT NULL')"
notices 'launch without a correlation id within a window: 1' \
    'UPDATE launch_row SET correlation = NULL WHERE id = (SELECT min(id) FROM launch WHERE correlation IS NOT NULL)'
[ $failed = 0 ] && echo 'PASS windows_counts'
exit $failed
