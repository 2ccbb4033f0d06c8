#!/bin/bash
# `make demo` without a GPU says why the run loses far more than the budget before the report says how much it lost, and
# the report still has the sentence that the words announce. Wanted: SCRIPT, any of scripts/; BUILD, the build folder;
# WORK, a folder to be emptied.
set -euo pipefail
[ -x "$BUILD/examples/demo_example" ] && [ ! -e /dev/nvidia0 ] && [ ! -e /dev/nvidiactl ] || exit 77
rm -rf "$WORK"
mkdir -p "$WORK/scripts" "$WORK/build/release"
cp "$(dirname "$SCRIPT")/demo" "$WORK/scripts/"
printf '#!/bin/sh\n' >"$WORK/scripts/build" # what it would build is there
chmod +x "$WORK/scripts/build"
for part in bin lib sim examples; do
    ln -s "$BUILD/$part" "$WORK/build/release/$part"
done
cd "$WORK"
fail() { echo "FAILED: $*"; cat output; exit 1; }
scripts/demo >output 2>&1 || fail "it ends with status $?"

# line_of TEXT: the number of the first line that has it
line_of() { grep -nF -m 1 -- "$1" output | cut -d : -f 1 || true; }
words=$(line_of 'says that the run lost far more than 2 %')
lost=$(line_of 'the budget is 2 %)')
[ -n "$words" ] || fail "it does not say why the run loses so much"
[ -n "$lost" ] || fail "the report does not have the sentence that the words announce"
[ "$words" -lt "$lost" ] || fail "it says why only after the report said how much"
grep -qx 'Cost of profiling' output || fail "the report has no section of the name that the words give"
[ -s build/release/demo.db ] || fail "there is no trace"
