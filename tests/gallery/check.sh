#!/bin/bash
# Runs every program and its repaired variant on a GPU, or those given, and prints the seconds that each took. What they
# print has to be the same, without the lines that have a time.
#
#   check.sh [COLLECTION/PROGRAM...]
#
# Exit status: 0 when every output was the same.
set -u
cd "$(dirname "$0")" || exit 1
[ $# -gt 0 ] || set -- rodinia/srad_v2 rodinia/streamcluster hecbench/laplace hecbench/gd \
    npbench/azimint_naive pytorch/word_language_model pytorch/time_sequence_prediction
TIMEFORMAT=%R
out=$(mktemp -d) && trap 'rm -r "$out"' EXIT
failed=0
# run SCRIPT OUTPUT: prints the seconds; OUTPUT.status says how it ended
run() {
    { time "$1" > "$2.all" 2> "$2.errors"; } 2>&1
    echo "$?" > "$2.status"
    grep -viE '(^|[^a-z])time|ms/batch' "$2.all" > "$2"
}
fail() {
    failed=1
    echo "FAIL $*"
}
for program; do
    first=$(run "$program/run.sh" "$out/first") # which makes the input, and fills the disk's cache
    before=$(run "$program/run.sh" "$out/before")
    after=$(run "$program/run-repaired.sh" "$out/after")
    echo "$program: first $first s, again $before s, repaired $after s; $(wc -l < "$out/after") lines"
    if [ "$(cat "$out"/{first,before,after}.status | sort -u)" != 0 ]; then
        fail "$program: exit statuses $(cat "$out"/{first,before,after}.status | paste -s -d ' ')"
        tail -n 3 "$out/after.errors"
    elif [ ! -s "$out/after" ]; then
        fail "$program: it printed nothing to compare"
    elif ! cmp -s "$out/first" "$out/before"; then
        fail "$program: two runs of the original differ"
    elif ! diff "$out/before" "$out/after" > "$out/difference"; then
        fail "$program: the repaired one prints something else"
        cut -c1-200 "$out/difference" | head -n 6
    fi
done
exit $failed
