#!/bin/sh
# What a test needs besides the build: programs, and modules of Python. Sourced by tests, in sh and in bash:
#
#   need PROGRAM...         all of them are there, or the test ends here
#   need_python [MODULE...] the same of Python and its modules; $python is then an interpreter that has them
#   missing WHAT PACKAGE... ends the test: what it needs, and the Debian packages that have it
#   need_chromium, need_node_modules SOURCE FOLDER
#   skip REASON             ends the test for any other reason that lies in the machine
#
# Such an end is one line. ctest counts it as skipped (status 77, SKIP_RETURN_CODE); in CI (CI set), where all of it has
# to be, it is a failure. As a program, for tests that are no shell scripts:
#
#   needs.sh [PROGRAM...] [python:[MODULE]...] -- COMMAND...    runs COMMAND; with python:, by that interpreter
#   needs.sh --missing WHAT PACKAGE...
#   needs.sh --skip REASON
#   needs.sh --packages                                         what stands in the table, for the test of
#   scripts/install-packages

# The Debian packages of programs and modules; scripts/install-packages has each in a group.
need_packages='
addr2line                  binutils
bash-completion            bash-completion
c++                        g++
cc                         gcc
chromium                   chromium
clang                      clang libclang-rt-dev
cmake                      cmake
cmark-gfm                  cmark-gfm
cmocka.h                   libcmocka-dev
col                        bsdextrautils
cpack                      cmake
dpkg                       dpkg
dpkg-deb                   dpkg
dpkg-shlibdeps             dpkg-dev
dwz                        dwz
fish                       fish
git                        git
groff                      groff-base
jq                         jq
man                        man-db
mandoc                     mandoc
mpirun                     openmpi-bin
nm                         binutils
node                       nodejs
npm                        npm
objcopy                    binutils
objdump                    binutils
protoc                     protobuf-compiler
python3                    python3
python3.11                 python3
readelf                    binutils
rpm                        rpm
rpmbuild                   rpm
script                     bsdutils
setpriv                    util-linux
sqlite3                    sqlite3
strings                    binutils
strip                      binutils
unshare                    util-linux
xmllint                    libxml2-utils
zsh                        zsh
python:IPython             python3-ipython
python:ensurepip           python3-venv
python:google.protobuf     python3-protobuf
python:jsonschema          python3-jsonschema
python:junitparser         python3-junitparser
python:prometheus_client   python3-prometheus-client
python:pytest              python3-pytest
python:yaml                python3-yaml
'
package_of() { # of a program, or of python:MODULE; modules that are not in the table are Python's own
    need_package=$(echo "$need_packages" | while read -r need_name need_package; do
        [ "$need_name" != "$1" ] || echo "$need_package"
    done)
    case $need_package,$1 in
    ,python:*) echo python3 ;;
    ,*) echo "needs.sh: no package is known for $1" >&2; return 1 ;;
    *) echo "$need_package" ;;
    esac
}
skip() {
    if [ -n "${CI:-}" ]; then
        echo "FAILED: $*"
        exit 1
    fi
    echo "SKIPPED: $*"
    exit 77
}
missing() {
    need_what=$1
    shift
    # shellcheck disable=SC2046,SC2116 # one line of words
    skip "not found here: $need_what (Debian packages: $(echo $(printf '%s\n' "$@" | sort -u)))"
}
need() {
    need_what='' need_from=''
    for need_name; do
        if [ "$need_name" = bash-completion ]; then
            [ ! -r /usr/share/bash-completion/bash_completion ] || continue
        else
            ! command -v "$need_name" >/dev/null || continue
        fi
        need_from="$need_from $(package_of "$need_name")" || exit 99
        need_what="$need_what${need_what:+, }$need_name"
    done
    # shellcheck disable=SC2086 # packages are words
    [ -z "$need_what" ] || missing "$need_what" $need_from
}
# Debian's interpreter comes before the PATH's, which may hide it: Debian's modules are for that one.
need_python() {
    for python in ${XFERSPY_TEST_PYTHON:-} /usr/bin/python3 python3; do
        ! python_has "$@" || return 0
    done
    need_what='' need_from=''
    for need_name; do
        for python in ${XFERSPY_TEST_PYTHON:-} /usr/bin/python3 python3 none; do
            ! python_has "$need_name" || break
        done
        [ "$python" = none ] || continue
        need_what="$need_what${need_what:+, }$need_name of Python" \
            need_from="$need_from $(package_of "python:${need_name%.[A-Z]*}")"
    done
    # shellcheck disable=SC2086
    missing "${need_what:-one Python that has all of $*}" ${need_from:-python3}
}
python_has() { # modules, or names in them: jsonschema.Draft202012Validator
    command -v "$python" >/dev/null && "$python" -W ignore -c 'import pkgutil, sys
for name in sys.argv[1:]: pkgutil.resolve_name(name)' "$@" >/dev/null 2>&1
}
# A browser, $chromium, which may come from elsewhere.
need_chromium() {
    chromium=${XFERSPY_CHROMIUM:-}
    for need_name in chromium chromium-browser google-chrome; do
        [ -n "$chromium" ] || chromium=$(command -v "$need_name" || true)
    done
    [ -n "$chromium" ] || missing chromium "$(package_of chromium)"
}
# need_node_modules SOURCE FOLDER: what SOURCE/package-lock.json lists is in FOLDER, installed once for each lock file.
need_node_modules() {
    need node npm
    mkdir -p "$2"
    ! cmp -s "$1/package-lock.json" "$2/installed" || return 0
    cp "$1/package.json" "$1/package-lock.json" "$2"
    (cd "$2" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=1 --fetch-timeout=60000) \
        >"$2/npm.log" 2>&1 ||
        skip "npm ci failed: $(head -n 1 "$2/npm.log")"
    cp "$1/package-lock.json" "$2/installed"
}

[ "${0##*/}" = needs.sh ] || return 0
case ${1:-} in
--missing) shift; missing "$@" ;;
--skip) shift; skip "$*" ;;
--packages) echo "$need_packages" | sed 's/^[^ ]* *//' | tr ' ' '\n' | grep . | sort -u; exit ;;
esac
need_programs='' need_modules='' python=''
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    case $1 in
    python:*) python=wanted need_modules="$need_modules ${1#python:}" ;;
    *) need_programs="$need_programs $1" ;;
    esac
    shift
done
[ $# -gt 1 ] || { echo "usage: needs.sh [PROGRAM...] [python:[MODULE]...] -- COMMAND..." >&2; exit 2; }
shift
# shellcheck disable=SC2086
need $need_programs
# shellcheck disable=SC2086
[ -z "$python" ] || need_python $need_modules
exec ${python:+"$python"} "$@"
