#!/bin/bash
# `make test` and `make demo` in a project that is made up: they first say how long the parts take, then install
# packages, then build; with INSTALL=no, where packages are missing, nothing is done after that. Wanted: SCRIPT, any of
# scripts/, and WORK, a folder to be emptied.
set -euo pipefail
scripts=$(dirname "$SCRIPT")
rm -rf "$WORK"
mkdir -p "$WORK/scripts"
cd "$WORK"
unset MAKEFLAGS MAKELEVEL INSTALL
cp "$scripts/../Makefile" .
cp "$scripts/announce" scripts/
for name in install-packages build run-tests demo; do
    cat >scripts/$name <<'END'
#!/bin/bash
echo "${0##*/}${1:+ $1}" | tee -a did
[ "${0##*/} ${INSTALL:-}" != "install-packages no" ]
END
    chmod +x scripts/$name
done
fail() { echo "FAILED: $*"; cat output did; exit 1; }

# does STATUS WHAT MAKE-ARGUMENT...: of a run
does() {
    local wanted=$1 what=$2 status=0
    shift 2
    : >did
    make -s "$@" >output 2>&1 || status=1
    [ $status = "$wanted" ] || fail "make $*: exit status $status"
    [ "$(paste -s -d , did)" = "$what" ] || fail "make $* did something else than $what"
}
says_first() { head -n 1 output | grep -qE "$1" || fail "it first says something else than $1"; }

does 0 "install-packages build,build debug,run-tests debug" test
says_first 'the build [1-9][0-9]* min, the tests [1-9][0-9]* min'
does 0 "install-packages build,demo" demo
says_first 'the build [1-9][0-9]* min, the example 1 min'
for target in test demo coverage bench package install; do
    does 1 "install-packages build" $target INSTALL=no
    INSTALL=no does 1 "install-packages build" $target
done
