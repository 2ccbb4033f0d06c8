#!/bin/bash
# The step of the build that installs the modules of the page (cmake/install_modules.cmake): with an npm that works,
# with one that has no network, with modules from elsewhere, and with a bundler that does not run.
set -euo pipefail
script=$(dirname "$SCRIPT")/../cmake/install_modules.cmake
rm -rf "$WORK"
mkdir -p "$WORK/bin" "$WORK/web" "$WORK/elsewhere/node_modules/esbuild" "$WORK/page"
cd "$WORK"
fail() { echo "FAILED: $*" >&2; cat output >&2; exit 1; }
echo '{}' | tee web/package.json >web/package-lock.json
echo works >elsewhere/node_modules/esbuild/index.js

printf '#!/bin/sh\nmkdir -p node_modules/esbuild && echo works >node_modules/esbuild/index.js\n' >bin/npm
printf '#!/bin/sh\necho npm: no network >&2\nexit 1\n' >bin/npm-offline
printf '#!/bin/sh\ngrep -q works node_modules/esbuild/index.js\n' >bin/node
printf '#!/bin/sh\necho wrong machine >&2\nexit 1\n' >bin/node-broken
chmod +x bin/*

# install NODE NPM [MODULES]: runs the step; its words are in `output`.
install() {
    rm -f page/installed
    cmake -DNODE="$WORK/bin/$1" -DNPM="$WORK/bin/$2" -DMODULES="${3:-}" -DWEB="$WORK/web" -DTO="$WORK/page" \
        -P "$script" >output 2>&1
}
says() { tr -s ' \n' ' ' <output | grep -qF -e "$1" || fail "it does not say: $1"; }
gives_up() { # gives_up WHY ARGUMENT-OF-INSTALL...
    local why=$1
    shift
    ! install "$@" || fail "it went on, and should not: $why"
    [ ! -e page/installed ] || fail "it left a stamp behind: $why"
    says "$why"
    says "configure with -DXFERSPY_HTML=OFF"
    says "configure with -DXFERSPY_HTML_MODULES=PATH-OF-NODE_MODULES"
}

install node npm || fail "npm ci worked, and the step failed"
[ -e page/installed ] || fail "no stamp"
gives_up "npm: no network" node npm-offline
gives_up "wrong machine" node-broken npm
rm -rf page/node_modules
install node npm-offline "$WORK/elsewhere/node_modules" || fail "modules from elsewhere"
[ "$(readlink page/node_modules)" = "$WORK/elsewhere/node_modules" ] || fail "they were not taken"
# After that, npm installs here and not there.
install node npm || fail "npm ci after modules from elsewhere"
[ ! -L page/node_modules ] || fail "npm ci worked on the modules from elsewhere"
gives_up "wrong machine" node-broken npm-offline "$WORK/elsewhere/node_modules"
[ -s elsewhere/node_modules/esbuild/index.js ] || fail "the modules from elsewhere are gone"
