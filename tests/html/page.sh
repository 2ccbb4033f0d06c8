# Makes the pages that page.mjs looks at, and runs it. Wanted: XFERSPY, SQL2DB, SOURCE, WORK; HAVE_HTML, if the build
# has no page.
set -euo pipefail
. "$SOURCE/../needs.sh"
need node npm
[ "${HAVE_HTML:-ON}" = ON ] || skip "this build is without the page; the output of cmake says why"
need_chromium
mkdir -p "$WORK/pages"
cd "$WORK"
need_node_modules "$SOURCE" modules # the driver's, once for each lock file

golden=$GOLDEN
fixtures=$SOURCE/../cli/fixtures
page() { # page NAME TRACE...
    local name=$1
    shift
    "$XFERSPY" html --force -o "pages/$name.html" "$@"
}
made() { # made NAME FIXTURE...: a page of a trace made of fixtures
    local name=$1
    shift
    "$SQL2DB" "pages/$name.db" "${@/#/$fixtures/}"
    page "$name" "pages/$name.db"
}
rm -f pages/*
page lines "$golden/h100_cupy_lines.db"
"$XFERSPY" report --json -o pages/lines.json "$golden/h100_cupy_lines.db"
"$SQL2DB" pages/causes.db "$fixtures/empty.sql" "$SOURCE/causes.sql"
page causes pages/causes.db
"$XFERSPY" report --json -o pages/causes.json pages/causes.db
"$SQL2DB" pages/more.db "$fixtures/empty.sql" "$SOURCE/causes.sql" "$SOURCE/more_causes.sql"
page more pages/more.db
"$XFERSPY" report --json -o pages/more.json pages/more.db
page guide "$golden/guide_cpp_before.db"
"$XFERSPY" report --json -o pages/guide.json "$golden/guide_cpp_before.db"
page contents "$golden/h100_upload_wasteful.db"
page both "$golden/h100_upload_wasteful.db" "$golden/h100_upload_repaired.db"
"$SQL2DB" pages/steps.db "$fixtures/findings.sql" "$fixtures/callsites.sql"
page both_lines pages/causes.db pages/steps.db
"$XFERSPY" report --json -o pages/both.json "$golden/h100_upload_wasteful.db" "$golden/h100_upload_repaired.db"
"$XFERSPY" diff --json -o pages/diff.json "$golden/h100_upload_wasteful.db" "$golden/h100_upload_repaired.db"
page old "$golden/h100_wasteful.db"
made busy empty.sql ../../html/busy.sql
made two_devices empty.sql ../../html/busy.sql ../../html/second_device.sql
made empty empty.sql
cp pages/empty.db pages/empty_too.db
page buffers "$golden/h100_pageable_async.db"
page both_empty pages/empty.db pages/empty_too.db
made findings findings.sql
made nothing no_findings.sql
made half findings.sql recorded_half.sql
made repaired findings.sql repaired.sql
made unchecked no_findings.sql unchecked.sql
made callsites findings.sql callsites.sql
made sampled findings.sql callsites.sql ../../html/samples.sql
made simulated simulated.sql
made without_cupti without_cupti.sql
made killed killed.sql
"$SQL2DB" pages/hostile.db "$fixtures/findings.sql" "$fixtures/callsites.sql" "$SOURCE/hostile.sql"
page hostile pages/hostile.db
"$SQL2DB" pages/batch.db "$fixtures/empty.sql" "$SOURCE/batch.sql"
page batch pages/batch.db
cp pages/callsites.db pages/callsites_too.db
page both_same pages/callsites.db pages/callsites_too.db
page hostile_both pages/hostile.db pages/hostile.db
page both_more pages/causes.db pages/more.db
"$XFERSPY" diff --json --all -o pages/diff_more.json pages/causes.db pages/more.db
# the same work in other times, all within what counts as a change
echo "UPDATE device_copy SET end_ns = end_ns + (end_ns - start_ns) / 50; UPDATE meta SET value = value + 1 WHERE key = 'pid';
UPDATE meta SET value = value + 300000 WHERE key = 'duration_ns';" >times.sql
"$SQL2DB" pages/before.db "$fixtures/findings.sql" "$fixtures/callsites.sql"
"$SQL2DB" pages/times.db "$fixtures/findings.sql" "$fixtures/callsites.sql" times.sql
page both_times pages/before.db pages/times.db
echo "UPDATE device_copy SET end_ns = end_ns - (end_ns - start_ns) / 2;" >faster.sql
"$SQL2DB" pages/faster.db "$fixtures/findings.sql" "$fixtures/callsites.sql" times.sql faster.sql
page both_faster pages/before.db pages/faster.db
"$XFERSPY" diff --json --all -o pages/diff_times.json pages/before.db pages/times.db
# as if `xferspy try' had been there
cp "$golden/h100_upload_wasteful.db" pages/tried.db
"$XFERSPY" report --json -o pages/tried.json pages/tried.db
node "$SOURCE/try_result.mjs" pages/tried.json >pages/tried.db.try.json
"$XFERSPY" report --json --force -o pages/tried.json pages/tried.db
page tried pages/tried.db
cp "$golden/h100_upload_wasteful.db" pages/tried_some.db
node "$SOURCE/try_result.mjs" pages/tried.json 3 >pages/tried_some.db.try.json
page tried_some pages/tried_some.db
"$XFERSPY" report --json -o pages/tried_some.json pages/tried_some.db
cp "$golden/h100_upload_wasteful.db" pages/tried_all.db
node "$SOURCE/try_result.mjs" pages/tried.json 9 all >pages/tried_all.db.try.json
"$XFERSPY" report --json -o pages/tried_all.json pages/tried_all.db
cp "$SOURCE"/*.mjs modules/ # modules are looked for beside the script
node modules/page.mjs "$chromium" "$WORK/pages"
