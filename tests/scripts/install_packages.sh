#!/bin/bash
# scripts/install-packages on machines that are made up: stand-ins for dpkg, apt-get, sudo and id say what there is and
# note what is asked of them. Wanted: SCRIPT, the script, and WORK, a folder to be emptied.
set -euo pipefail
rm -rf "$WORK"
mkdir -p "$WORK/bin"
cd "$WORK"
unset CI
for tool in bash cat env grep true; do # what the script may use besides; no node and no chromium
    ln -s "$(type -P $tool)" bin/
done
stand_in() { # stand_in NAME: standard input is what it does
    { echo '#!/bin/bash'; cat; } >"bin/$1"
    chmod +x "bin/$1"
}
# What dpkg knows stands in `known`, a line each: PACKAGE ARCHITECTURE STATUS.
stand_in dpkg-query <<'END'
while [ $# -gt 0 ]; do
    case $1 in
    -W | --show) ;;
    -f) format=$2; shift ;;
    -*) echo "dpkg-query: unknown option $1" >&2; exit 2 ;;
    *) break ;;
    esac
    shift
done
failed=0
for wanted; do
    found=
    while read -r package architecture status; do
        if [ "$package" = "${wanted%:*}" ] && { [ "$wanted" = "$package" ] || [ "$architecture" = "${wanted#*:}" ]; }; then
            found=yes
            line=${format//'${Package}'/$package} line=${line//'${Architecture}'/$architecture}
            printf '%b' "${line//'${db:Status-Status}'/$status}"
        fi
    done <known
    [ -n "$found" ] || { echo "dpkg-query: no packages found matching $wanted" >&2; failed=1; }
done
exit $failed
END
stand_in dpkg <<'END'
case $1 in
--print-architecture) echo amd64 ;;
--print-foreign-architectures) cat foreign ;;
*) echo "dpkg $*" >>asked ;;
esac
END
stand_in apt-get <<'END'
echo "apt-get $*" >>asked
[ -z "${APT_FAILS:-}" ] || [[ " $* " != *' install '* ]]
END
stand_in id <<'END'
echo "${AS_USER:-0}"
END
stand_in sudo <<'END'
[ -n "${SUDO_WORKS:-}" ] || exit 1
echo "sudo $*" >>asked
[ "$1" = -n ] && shift
exec "$@"
END

fail() {
    echo "FAILED: $* (of: $step, exit status $status)"
    head -n 50 known asked output
    exit 1
}
# run WORD...: the script, with what it asked for in `asked`, what it installed in `installed`, and $status
run() {
    step="install-packages $*"
    : >asked
    status=0
    PATH=$WORK/bin "$BASH" "$SCRIPT" "$@" >output 2>&1 </dev/null || status=$?
    sed -n 's/^apt-get .* install -y --no-install-recommends //p' asked | tr ' ' '\n' >installed
}
installs() { [ $status = 0 ] && grep -qxF -e "$1" installed || fail "$1 is not installed"; }
leaves() { [ $status = 0 ] && ! grep -qxF -e "$1" installed || fail "$1 is installed again"; }
expect_status() { [ $status = "$1" ] || fail "expected exit status $1"; }
expect() { grep -qF -e "$1" output || fail "expected: $1"; }
# everything PACKAGE: dpkg knows all packages as installed, but nothing yet of this one
everything() {
    local package
    while read -r package; do
        case $package in
        "$1") ;;
        *:*) echo "${package%:*} ${package#*:} installed" ;;
        python3-*) echo "$package all installed" ;;
        *) echo "$package amd64 installed" ;;
        esac
    done <all >known
}
: >foreign
groups="build test lint fuzz package cross coverage"
# shellcheck disable=SC2086 # words
PATH=$WORK/bin "$BASH" "$SCRIPT" --list $groups >all
grep -qx zsh all && grep -qx libsqlite3-dev:arm64 all || { echo "FAILED: --list"; exit 1; }

# Nothing to do: nothing is asked for, and nothing is said.
everything none
# shellcheck disable=SC2086
run $groups
expect_status 0
[ ! -s asked ] && [ ! -s output ] || fail "something was done"
run
expect_status 0
[ ! -s output ] || fail "the default group"

# A package in each state: dpkg never heard of it, knows its name, has left-overs of it, has it half, has it.
everything zsh
run test
installs zsh
[ "$(wc -l <installed)" = 1 ] || fail "more than what is missing was installed"
grep -q '^apt-get .* update$' asked || fail "the lists were not renewed"
for status_of_zsh in not-installed config-files half-installed half-configured unpacked triggers-pending; do
    everything zsh
    echo "zsh amd64 $status_of_zsh" >>known
    run test
    installs zsh
done
everything zsh
echo "zsh amd64 installed" >>known
run test
leaves zsh

# Several architectures: the one that is wanted counts, in whatever order they are listed.
for others in "installed not-installed" "installed config-files" "installed installed"; do
    everything sqlite3
    echo "sqlite3 amd64 ${others% *}
sqlite3 arm64 ${others#* }" >>known
    run test
    leaves sqlite3
    everything sqlite3
    echo "sqlite3 arm64 ${others#* }
sqlite3 amd64 ${others% *}" >>known
    run test
    leaves sqlite3
done
everything libsqlite3-dev
echo "libsqlite3-dev amd64 not-installed" >>known
run build cross
installs libsqlite3-dev
leaves libsqlite3-dev:arm64
everything libsqlite3-dev:arm64
run build cross
leaves libsqlite3-dev
installs libsqlite3-dev:arm64
grep -qx 'dpkg --add-architecture arm64' asked || fail "the architecture was not added"
echo arm64 >foreign
run cross
installs libsqlite3-dev:arm64
! grep -q add-architecture asked || fail "the architecture was added again"

# Node.js and Chromium of elsewhere do.
everything chromium
sed -i '/^nodejs /d; /^npm /d' known
run build test
installs nodejs
installs npm
installs chromium
for tool in node npm google-chrome; do
    stand_in $tool </dev/null
done
run build test
leaves nodejs
leaves npm
leaves chromium
[ ! -s asked ] || fail "something was done"
rm bin/npm # one without the other is none
run build
installs nodejs

# Who may not install is told what to install; in CI that is a failure.
everything zsh
AS_USER=1000 run test
expect_status 0
expect "missing, and installing is not permitted here: zsh"
expect "apt-get update && apt-get install --no-install-recommends zsh"
[ ! -s asked ] || fail "something was done without permission"
AS_USER=1000 CI=true run test
expect_status 1
AS_USER=1000 SUDO_WORKS=yes run test
installs zsh
grep -q '^sudo -n env .*apt-get .*install' asked || fail "not by sudo"
APT_FAILS=yes run test
expect_status 0
expect "apt-get could not install: zsh"
APT_FAILS=yes CI=true run test
expect_status 1
# What is done is said before it is done, and what INSTALL=no leaves alone is named.
run test
[ "$(head -n 2 output | paste -s -d ' ' | tr -s ' ')" = \
    "Installing these Debian packages as root (some 2 minutes if it is all of them): zsh" ] || fail "what it says first"
AS_USER=1000 SUDO_WORKS=yes run test
expect "as root, through sudo"
INSTALL=no run test
expect_status 1
expect "missing, and not installed because of INSTALL=no: zsh"
expect "apt-get update && apt-get install --no-install-recommends zsh"
[ ! -s asked ] || fail "something was done in spite of INSTALL=no"
everything none
INSTALL=no run test
expect_status 0
[ ! -s output ] || fail "nothing is missing, and something is said"
everything zsh
run nonsense
expect_status 2
expect "unknown group 'nonsense'"
rm bin/dpkg-query
run test
expect_status 0
expect "not a Debian system"
