# make-wheel: the wheel says truly what it needs, the same build gives the same file, and what a virtual environment has
# of it works without anything else of the project: the command, the package, the plugin of pytest.
set -u
. "$SOURCE/../needs.sh"
need readelf objdump cmake git
need_python venv ensurepip pytest ctypes
unset LD_PRELOAD PYTHONPATH 2>/dev/null
for variable in $(env | sed -n 's/^\(XFERSPY_[A-Z_]*\)=.*/\1/p'); do unset "$variable"; done
rm -rf "$WORK"; mkdir -p "$WORK"; cd "$WORK" || exit 99
export LC_ALL=C.UTF-8 HOME="$WORK" PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
fail() { echo "FAILED: $*"; cat out 2>/dev/null; exit 1; }
holds() { grep -qF -e "$1" out || fail "not in the output: $1"; }

wheel=$("$SOURCE/../../scripts/make-wheel" "$BUILD" first) || fail "make-wheel"
[ -f "$wheel" ] || fail "no wheel: $wheel"
"$SOURCE/../../scripts/make-wheel" "$BUILD" second >/dev/null || fail "make-wheel, again"
cmp "$wheel" "second/${wheel#first/}" || fail "two wheels of one build differ"

# The tag, by another reader of the binaries: the newest version of the C library that they take a symbol from.
"$python" -m zipfile -e "$wheel" unpacked
for file in unpacked/xferspy/bin/xferspy unpacked/xferspy/lib*/libxferspy.so unpacked/xferspy/lib/*/libxferspy.so; do
    [ ! -e "$file" ] || objdump -T "$file" | sed -n 's/.*\*UND\*.*GLIBC_\([0-9]*\.[0-9]*\).*/\1/p'
done | sort -uV | tail -n 1 >newest
[ -s newest ] || fail "nothing is needed of the C library"
case $wheel in
*-py3-none-manylinux_"$(tr . _ <newest)"_"$(uname -m)".whl) ;;
*) fail "the tag of $wheel; the C library that is needed: $(cat newest)" ;;
esac

# Debian's packages are seen, for pytest; the wheel comes without an index.
"$python" -m venv --system-site-packages env >out 2>&1 || fail "venv"
env/bin/python -m pip install --no-index --no-deps "$wheel" >out 2>&1 || fail "pip install"
env/bin/python -m pip check >out 2>&1
env/bin/xferspy --version >out 2>&1 || fail "xferspy --version"
holds "xferspy $VERSION "
env/bin/xferspy report nowhere.db >out 2>&1
[ $? = 1 ] || fail "its exit status"
export LD_LIBRARY_PATH="$BUILD/sim" PYTHONDONTWRITEBYTECODE=1 PATH="$WORK/env/bin:/usr/bin:/bin"
xferspy doctor >out 2>&1 || fail "doctor"
holds "$WORK/env/lib"; holds "Capture works here"
mkdir use; cd use || exit 99
cp "$SOURCE/../python/driver.py" "$SOURCE/../python/package_program.py" .
python package_program.py bare >out 2>&1 || fail "the package, without the library"
xferspy run --quiet --fingerprint=all --output=t.db -- python package_program.py >out 2>&1 || fail "the package"
[ "$(cat out)" = done ] || fail "what the program prints"
xferspy explain t.db noop-upload >out 2>&1 || fail "explain"
page=$(sed -n 's/^  more  *//p' out)
[ -s "$page" ] || fail "explain names no page that is there"
cat >test_one.py <<'END'
import driver, pytest
@pytest.mark.max_transfers(h2d=1)
def test_one():
    driver.begin()
    driver.upload(100)
    driver.upload(100)
END
python -m pytest --xferspy -p no:cacheprovider test_one.py >out 2>&1
[ $? = 1 ] || fail "the plugin of pytest"
holds "the test made 2 copies from host to device with 200 B; the limit is 1"
cd .. || exit 99
env/bin/python -m pip uninstall -y xferspy >out 2>&1 || fail "pip uninstall"
[ -z "$(find env -iname '*xferspy*')" ] || fail "left behind: $(find env -iname '*xferspy*')"
echo passed
