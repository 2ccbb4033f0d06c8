# What the command does with its arguments and its files; the page itself is looked at in a browser, by tests/html.
. "$SOURCE/lib.sh"
make_trace one.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql"
make_trace two.db "$SOURCE/fixtures/simulated.sql"

run "$XFERSPY" html; expect_status 2; expect_no_out; expect_err "which trace?"
run "$XFERSPY" html one.db two.db one.db; expect_status 2; expect_no_out; expect_err "two to compare"

run "$XFERSPY" html -o page.html one.db
if [ "$status" -eq 1 ] && grep -q "built without" stderr; then
    expect_error_of "npm"
    [ ! -e page.html ] || show "a page without its parts"
    exit 0
fi
expect_status 0; expect_no_out; expect_no_err
head -c 15 page.html | grep -q '<!doctype html>' || show "no page"
tail -n 1 page.html | grep -q '</html>' || show "no end"
[ "$(grep -c "default-src 'none'" page.html)" -eq 1 ] || show "no policy"

# The same trace gives the same bytes; standard output, too.
run "$XFERSPY" html one.db; expect_status 0; expect_no_err
cmp -s stdout page.html || show "standard output differs from -o"

run "$XFERSPY" html -o page.html one.db; expect_error_of "--force"
run "$XFERSPY" html -o page.html --force one.db two.db; expect_status 0
run "$XFERSPY" html -o both.html one.db two.db; expect_status 0
cmp -s both.html page.html || show "--force kept the old page"
run "$XFERSPY" html -o two.db --force one.db two.db; expect_error_of "is the trace being read"

# A trace that cannot be read leaves nothing, and an old page as it was.
run "$XFERSPY" html -o new.html one.db missing.db; expect_error_of "missing.db"
[ ! -e new.html ] || show "a page of half the traces"
echo "no trace" >text.db
cp page.html before.html
run "$XFERSPY" html -o page.html --force text.db; expect_error_of "text.db"
cmp -s page.html before.html || show "the old page is gone"
run "$XFERSPY" html -o missing/page.html one.db; expect_error_of "missing/page.html"
if [ -e /dev/full ]; then
    "$XFERSPY" html one.db >/dev/full 2>stderr; status=$?; : >stdout
    expect_error_of "No space left"
fi
