#!/bin/bash
# tests/needs.sh: what a test says and how it ends where something is missing, and that it names packages which
# scripts/install-packages brings. Wanted: NEEDS, the file; SCRIPT, that script; WORK, a folder to be emptied.
set -euo pipefail
rm -rf "$WORK"
mkdir -p "$WORK/bin"
cd "$WORK"
unset CI XFERSPY_TEST_PYTHON XFERSPY_CHROMIUM
for tool in bash cmp cp env grep head mkdir sed sh sort tr; do # PATH has no more than that
    ln -s "$(type -P $tool)" bin/
done

step='' status=0
fail() { echo "FAILED: $* (of: $step, exit status $status): $(cat output)"; exit 1; }
# run CODE: with needs.sh sourced, as a test does it, in $shell and with $options
run() {
    step="$shell $options: $1"
    status=0
    printf '%s\n. "%s"\n%s\necho more\n' "$options" "$NEEDS" "$1" >test.sh
    PATH=$WORK/bin "$shell" test.sh >output 2>&1 </dev/null || status=$?
}
# says STATUS LINE: the test ended so, with this line and no other
says() { [ "$status" = "$1" ] && [ "$(cat output)" = "$2" ] || fail "expected status $1 and: $2"; }
put() { printf '#!/bin/sh\n' >"bin/$1" && chmod +x "bin/$1"; }

for shell in sh bash; do
    for options in "set -u" "set -euf"; do
        put jq && put zsh
        run 'need jq zsh; need'
        says 0 more
        rm bin/jq
        run 'need jq zsh'
        says 77 "SKIPPED: not found here: jq (Debian packages: jq)"
        rm bin/zsh
        run 'need zsh sh strip objdump clang'
        says 77 "SKIPPED: not found here: zsh, strip, objdump, clang (Debian packages: binutils clang libclang-rt-dev zsh)"
        CI=true run 'need zsh sh'
        says 1 "FAILED: not found here: zsh (Debian packages: zsh)"
        run 'missing "cmocka.h" libcmocka-dev'
        says 77 "SKIPPED: not found here: cmocka.h (Debian packages: libcmocka-dev)"
        run 'skip "the weather is bad"'
        says 77 "SKIPPED: the weather is bad"
        CI=true run 'skip "the weather is bad"'
        says 1 "FAILED: the weather is bad"
        run need_chromium
        says 77 "SKIPPED: not found here: chromium (Debian packages: chromium)"
        XFERSPY_CHROMIUM=/opt/chromium run 'need_chromium; [ "$chromium" = /opt/chromium ] || exit 5'
        says 0 more
        run 'need_node_modules . modules'
        says 77 "SKIPPED: not found here: node, npm (Debian packages: nodejs npm)"
        run 'need_python; need_python json sqlite3.Connection; [ "$("$python" -c "print(1)")" = 1 ] || exit 5'
        says 0 more
        run 'need_python json.Nothing google.protobuf.no_such_part json junitparser.NoSuchClass'
        says 77 "SKIPPED: not found here: json.Nothing of Python, google.protobuf.no_such_part of Python, junitparser.NoSuchClass of Python (Debian packages: python3 python3-junitparser)"
    done
done

# As a program.
ends() { # ends STATUS LINE WORD...: needs.sh with these words
    step="needs.sh ${*:3}"
    status=0
    PATH=$WORK/bin sh "$NEEDS" "${@:3}" >output 2>&1 </dev/null || status=$?
    says "$1" "$2"
}
ends 0 "a b" sh grep -- sh -c 'echo "$@"' - a b
ends 5 "" sh -- sh -c 'exit 5'
ends 0 "['-c', 'a b']" python: python:json -- -c 'import sys; print(sys.argv)' "a b"
ends 77 "SKIPPED: not found here: zsh (Debian packages: zsh)" zsh python: -- -c 'print(1)'
ends 77 "SKIPPED: not found here: json.Nothing of Python (Debian packages: python3)" python:json.Nothing -- -c \
    'print(1)'
ends 77 "SKIPPED: not found here: two words (Debian packages: a b)" --missing "two words" b a
ends 77 "SKIPPED: for a reason" --skip "for a reason"
ends 2 "usage: needs.sh [PROGRAM...] [python:[MODULE]...] -- COMMAND..." zsh

# What the tests of this tree need is in the table, and what is named is in a group.
tests=$(dirname "$NEEDS")
sh "$NEEDS" --packages >packages
grep -rhE '^ *need [a-z]' "$tests" --include='*.sh' --include=run --exclude-dir=scripts |
    sed 's/ *#.*//; s/^ *need //' | tr ' ' '\n' | sort -u >programs
grep -rhoE '^ *need_python [a-zA-Z_.0-9 ]+' "$tests" --include='*.sh' --include=run --exclude-dir=scripts |
    sed 's/^ *need_python /python:/; s/ / python:/g; s/\.[A-Z][A-Za-z0-9]*//g' | tr ' ' '\n' | sort -u >modules
[ "$(wc -l <programs)" -ge 15 ] && [ "$(wc -l <modules)" -ge 4 ] || fail "hardly any needs"
while read -r name; do
    step="package of $name"
    sh -c '. "$1"; package_of "$2"' - "$NEEDS" "$name" >output 2>&1 || fail "$name is not in the table"
    cat output >>packages
done < <(cat programs modules)
grep -rhoE --include=CMakeLists.txt -e '--missing [^$]*\)' "$tests" |
    sed -E 's/^--missing ("[^"]*"|[^ ]*) //; s/\)$//' | tr ' ' '\n' >left_out
grep -qx libcmocka-dev left_out || fail "no --missing in CMakeLists.txt"
bash "$SCRIPT" --list build test lint fuzz package cross coverage | tr ' ' '\n' >all
while read -r package; do
    grep -qxF -e "$package" all || fail "$package is in no group of scripts/install-packages"
done < <(tr ' ' '\n' <packages; cat left_out)
