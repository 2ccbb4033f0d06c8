#!/bin/bash
# Runs every program and its repaired variant once (or those given), with the seconds that each took, and
# compares what they print without the lines that have a time. Needs a GPU.
cd "$(dirname "$0")" || exit 1
[ $# -gt 0 ] || set -- rodinia/srad_v2 rodinia/streamcluster hecbench/laplace hecbench/gd \
    npbench/azimint_naive pytorch/word_language_model pytorch/time_sequence_prediction
TIMEFORMAT=%R
out=$(mktemp -d)
run() { { time "$1" 2>"$out/errors" | grep -viE 'time|ms/batch' >"$2"; } 2>&1; }
for program; do
    # The first run makes the input and fills the disk's cache.
    first=$(run "$program/run.sh" "$out/first")
    before=$(run "$program/run.sh" "$out/before")
    after=$(run "$program/run-repaired.sh" "$out/after")
    again=differs; cmp -s "$out/first" "$out/before" && again=same
    same=differs; cmp -s "$out/before" "$out/after" && same=same
    printf '%-36s first %6s s, again %6s s (output %s), repaired %6s s (output %s, %d lines, last: %.60s)\n' \
        "$program" "$first" "$before" "$again" "$after" "$same" "$(wc -l <"$out/after")" "$(tail -1 "$out/after")"
    [ "$same" = same ] || diff "$out/before" "$out/after" | cut -c1-200 | head -6
done
rm -r "$out"
