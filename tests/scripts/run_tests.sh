#!/bin/bash
# scripts/run-tests in a made-up project: a test that always fails must fail, one that fails the first time must pass
# and be named, and the count is right for each. Wanted: SCRIPT, any of scripts/, and WORK, a folder to be emptied.
set -euo pipefail
rm -rf "$WORK"
mkdir -p "$WORK/scripts" "$WORK/build/debug"
cp "$(dirname "$SCRIPT")/run-tests" "$WORK/scripts/"
cd "$WORK"
unset CTEST_PARALLEL_LEVEL CTEST_OUTPUT_ON_FAILURE XFERSPY_TEST_REPEAT
cat >CMakePresets.json <<'END'
{
    "version": 6,
    "configurePresets": [{ "name": "debug", "generator": "Ninja", "binaryDir": "${sourceDir}/build/${presetName}" }],
    "testPresets": [{ "name": "debug", "configurePreset": "debug" }]
}
END
cat >once.sh <<'END'
[ -e "$1" ] || { touch "$1"; exit 1; }
END
fail() { echo "FAILED: $*"; cat out; exit 1; }

# project TEST...: its tests, by what they do: good, skipped, always or once, each with anything behind it
project() {
    local name
    rm -f failed.*
    for name; do
        case $name in
        good*) echo "add_test($name true)" ;;
        skipped*) echo "add_test($name sh -c \"exit 77\")" ;;
        always*) echo "add_test($name false)" ;;
        once*) echo "add_test($name sh \"$WORK/once.sh\" \"$WORK/failed.$name\")" ;;
        esac
        echo "set_tests_properties($name PROPERTIES SKIP_RETURN_CODE 77)"
    done >build/debug/CTestTestfile.cmake
}
# expect STATUS COUNT ONCE TWICE: of a run with the arguments behind them
expect() {
    local status=0 wanted=$1 count=$2 once=$3 twice=$4 lists
    shift 4
    scripts/run-tests debug "$@" >out 2>&1 || status=$?
    [ "$status" -eq 0 ] && status=passes || status=fails
    [ "$status" = "$wanted" ] || fail "it $status"
    [ "$(scripts/run-tests --count debug | paste -s -d ' ')" = "$count" ] ||
        fail "the count is '$(scripts/run-tests --count debug)', not '$count'"
    lists=${once:+"failed once, passed when repeated alone (debug): $once"}
    lists=$lists${once:+${twice:+$'\n'}}${twice:+"failed (debug): $twice"}
    [ "$(scripts/run-tests --lists debug)" = "$lists" ] || fail "the lists are '$(scripts/run-tests --lists debug)'"
    [ -z "$lists" ] || [ "$(tail -n "$(printf '%s' "$lists" | grep -c '')" out)" = "$lists" ] ||
        fail "what it ends with"
}

project good1 good2 skipped
expect passes "Skipped: 1 2 passed, 0 failed" "" "" -j 2
! grep -q "repeated" out || fail "nothing is to be repeated"
project good once_1 skipped once_2
expect passes "Skipped: 1 3 passed, 0 failed" "once_1 once_2" "" -j 2
project good always skipped
expect fails "Skipped: 1 1 passed, 1 failed" "" "always" -j 2
project good once always_1 always_2 skipped
expect fails "Skipped: 1 2 passed, 2 failed" "once" "always_1 always_2" -j 2
# Only those that were asked for.
project good once always
expect passes "Skipped: 0 2 passed, 0 failed" "once" "" -R 'good|once'
# A test whose program is not there has not run, and counts as failed.
project good
echo "add_test(nowhere \"$WORK/nowhere\")" >>build/debug/CTestTestfile.cmake
expect fails "Skipped: 0 1 passed, 1 failed" "" "nowhere"
# So many are no busy machine.
project good once_1 once_2 once_3
export XFERSPY_TEST_REPEAT=2
expect fails "Skipped: 0 1 passed, 3 failed" "" "once_1 once_2 once_3"
unset XFERSPY_TEST_REPEAT
# What an earlier run left counts no more.
project good
expect passes "Skipped: 0 1 passed, 0 failed" "" ""
scripts/run-tests --forget
[ -z "$(scripts/run-tests --count debug)" ] || fail "forgotten"
echo passed
