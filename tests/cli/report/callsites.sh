# Where transfers were called from, as a user sees it. fixtures/callsites.sql says what was called from where; the
# stacks' symbols are in the trace, so nothing is looked up in binaries.
. "$SOURCE/lib.sh"
need script
need_python
golden() { expect_golden "$SOURCE/golden/$1"; }
make_trace t.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql"
make_trace none.db "$SOURCE/fixtures/findings.sql"
sum=$(cksum <t.db)

# Findings are of lines: two callers of one line are one finding, two lines are two.
run "$XFERSPY" report t.db
expect_status 0; expect_no_err; golden report_callsites.txt
run "$XFERSPY" explain --format=tsv t.db
expect_status 0
[ "$(awk -F '\t' '{ print NF }' stdout | sort -u)" = 23 ] || show "every row has 23 fields"
[ "$(head -n 1 stdout | cut -f 12- | tr '\t' ' ')" = \
    "folded function file line saves_least_ns saves_most_ns checked checked_of is_estimate instances_found \
instances_low instances_high" ] || show "header"
[ "$(awk -F '\t' '$1 == "noop-upload" { print $2, $3, $13, $14, $15 }' stdout)" = \
    "cuMemcpyHtoD_v2 9 step /opt/app/train.py 12" ] || show "noop-upload"
[ "$(awk -F '\t' '$1 == "pageable" { print $3, $15 }' stdout | tr '\n' ' ')" = "10 14 10 12 " ] ||
    show "pageable of two lines"
run "$XFERSPY" explain t.db; expect_status 0; expect_out "train.py:14 in step"; expect_out "pageable#2"
run "$XFERSPY" explain --format=tsv none.db
[ "$(awk -F '\t' '$1 == "pageable" { print $3 "," $13 $14 $15 }' stdout)" = "20," ] ||
    show "without stacks: one, of the entry point"
run "$XFERSPY" report none.db; expect_out ", at cuMemcpyHtoD_v2"; expect_not " in step"

run "$XFERSPY" explain t.db
# What saves nothing is not listed, and the numbers of what is have no gap.
awk '$1 ~ /^[0-9]+$/ && $2 ~ /[a-z]/ { if ($1 != ++n) exit 1; if ($0 ~ / 0 ns/) exit 1 }' stdout || show "numbers"

# The evidence has the stacks: the first instance's, then the others by how many instances have them.
run "$XFERSPY" explain t.db noop-upload
expect_status 0; expect_no_err
expect_out "train.py:12 in step (cuMemcpyHtoD_v2)"; expect_out "epoch / batch"
sed -n '/^Called from/,/^$/p' stdout >stacks
cat >expected <<'END'
Called from, stack 1 of 2 (1 of 9 instances)
            ... 3 frames of libcuda.so.1 and libtorch_cuda.so
  #3        step  train.py:12
  #4        first_epoch  data/loader.py:8

Called from, stack 2 of 2 (8 of 9 instances)
            ... 3 frames of libcuda.so.1 and libtorch_cuda.so
  #3        step  train.py:12
  #4        main  train.py:33

END
cmp -s stacks expected || show "the stacks"
run "$XFERSPY" explain --full-stack t.db noop-upload
expect_out "#1        at::native::copy_kernel_cuda(at::TensorIterator&, bool)  libtorch_cuda.so"; expect_not "frames of"
run "$XFERSPY" explain t.db scalar-readback; expect_out "... 1 frame of libcuda.so.1"
expect_out "#1        read_back  reader/reader.c:77"
run "$XFERSPY" explain none.db noop-upload; expect_status 0; expect_not "Called from"

# Several more than are shown: one with another caller, one that is cut. Those that differ in folded frames only, in how
# many they are (301) or in an address (401), print the same as stack 1 and are counted with it.
cat >more.sql <<'END'
INSERT INTO stack(id,native_frames,python_frames,is_cut) SELECT n + id, native_frames, python_frames, is_cut OR n = 200 FROM stack,
  (SELECT 100 AS n UNION SELECT 200 UNION SELECT 300 UNION SELECT 400) WHERE id = 1;
INSERT INTO stack_frame SELECT (s.n + 1) * 4096 + f.id % 4096, s.n + 1, f.depth,
    f.address + (s.n = 400 AND f.address = 3000200), f.module, f.code, f.line + 50 * (s.n = 100 AND f.is_entry), f.is_entry
  FROM stack_frame f, (SELECT 100 AS n UNION SELECT 200 UNION SELECT 300 UNION SELECT 400) s
  WHERE f.stack = 1 AND NOT (s.n = 300 AND f.depth = 2 AND f.code IS NULL);
UPDATE transfer SET stack = 101 WHERE id IN (10, 13); UPDATE transfer SET stack = 201 WHERE id = 19;
UPDATE transfer SET stack = 301 WHERE id = 22; UPDATE transfer SET stack = 401 WHERE id = 25;
END
make_trace more.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql" more.sql
run "$XFERSPY" explain more.db noop-upload
expect_out "stack 1 of 4 (1 of 9 inst"; expect_out "stack 2 of 4 (5 of 9 inst"; expect_out "stack 3 of 4 (2 of 9 inst"
expect_out "1 more stack, of 1 instance."
[ "$(grep -c "main  train.py:33" stdout)" -eq 1 ] || show "stacks that print the same"
run "$XFERSPY" explain --full-stack more.db noop-upload
expect_out "stack 3 of 6 (2 of 9 inst"; expect_out "3 more stacks, of 3 instances."
run "$XFERSPY" explain --json more.db noop-upload; json "d['explained']['distinct_stacks'] == 6"

# JSON.
run "$XFERSPY" report --json t.db; expect_status 0
json "[f['call_site'] for f in d['traces'][0]['findings'] if f['name'] == 'noop-upload'] == [{'function': 'step', 'file': '/opt/app/train.py', 'line': 12, 'module': None, 'python': True, 'address': None}]"
json "[f['call_site']['python'] for f in d['traces'][0]['findings'] if f['name'] == 'scalar-readback'] == [False]"
json "d['traces'][0]['call_sites'] == {'recorded': True, 'places': 5,
 'native_places': 1, 'native_places_without_line': 0, 'unread_modules': [], 'damaged_rows': 0, 'notes': []} and 'by' not in d['traces'][0]"
run "$XFERSPY" explain --json t.db noop-upload; expect_status 0
json "d['explained']['distinct_stacks'] == 2 and [s['instances'] for s in d['explained']['stacks']] == [1, 8]"
json "[f['function'] for f in d['explained']['first_instances'][0]['evidence'][0]['stack']][3:] == ['step', 'first_epoch']"
json "d['explained']['first_instances'][0]['evidence'][0]['nvtx_range'] == 'epoch / batch'"
run "$XFERSPY" explain --json --instances t.db; expect_status 0
json "{i['call_site']['line'] for i in d['instances'] if i['finding'] == 'pageable'} == {12, 14}"
run "$XFERSPY" report --json none.db
json "all(f['call_site'] is None for f in d['traces'][0]['findings']) and not d['traces'][0]['call_sites']['recorded']"

# A file that the trace names is never read, whatever it is and whosever the trace is.
mkdir app
printf '\n\n\n\n\n\n\n\n\n\n\n\t    weights.copy_(source)  \t\n\n    batch.copy_(new)\n' >app/train.py
touch -d '2025-06-01 UTC' app/train.py
echo "UPDATE meta SET value = '$WORK/app' WHERE key = 'cwd'; UPDATE python_code SET file = '$WORK/app/train.py'
  WHERE file LIKE '%train.py'" >here.sql
make_own_trace here.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql" here.sql
run "$XFERSPY" report --details here.db
expect_status 0; expect_out ", at train.py:12 in step (cuMemcpyHtoD_v2)"; expect_not "weights.copy_"
run "$XFERSPY" symbolize --force here.db; expect_status 0; expect_not "the text of"
rm -f app/train.py; mkfifo app/train.py # and nothing waits
run "$XFERSPY" report here.db; expect_status 0; expect_no_err; expect_out "train.py:12 in step"; rm app/train.py
# In the trace it is there for everybody, without any file; and it is escaped as any text.
cat >kept.sql <<'END'
INSERT INTO source_file VALUES (1, '/opt/app/train.py', NULL, NULL), (2, '/build/reader/reader.c', 5, 6);
INSERT INTO source_line VALUES (1, 1, 12, '  kept.copy_(source) '), (2, 1, 14, 'x = "' || char(27) || '[31m<b>"'), (3, 2, 77, 'cudaMemcpy(kept)'),
 (4, 1, 21, 'y'), (5, 1, 22, 'z'), (6, 9, 12, 'code_of_no file'), (7, 1, -1, 'code_of_no line'), (8, 1, 12345, 'code_of_no place');
END
make_trace kept.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql" kept.sql
run "$XFERSPY" report --details kept.db
expect_status 0; expect_no_err; expect_out "12 | kept.copy_(source)"
expect_out '14 | x = "\x1b[31m<b>"'; expect_out "77 | cudaMemcpy(kept)"
expect_not "code_of_no"
run "$XFERSPY" report --json kept.db
json "'kept.copy_(source)' in [f['source_line'] for f in d['traces'][0]['findings']]"
make_trace t.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql"
# Why lines are not known: in two lines at most, however many binaries are gone.
cat >gone.sql <<'END'
DELETE FROM symbol; UPDATE module SET path = '/nonexistent/' || id || '.so';
END
make_trace gone.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql" gone.sql
run "$XFERSPY" report gone.db; expect_status 0; expect_no_err; expect_out "Call sites: /nonexistent/1.so"
expect_out "Call sites: 2 more"
[ "$(grep -c 'Call sites: ' stdout)" -eq 2 ] || show "in two lines"
run "$XFERSPY" report --json gone.db; expect_status 0; json "len(d['traces'][0]['call_sites']['notes']) == 3"
run "$XFERSPY" report t.db; expect_not "Call sites: "

# Totals by each key; they add up to the same, and what the trace does not know has a row.
for key in site function file module nvtx thread stream device; do
    run "$XFERSPY" report --by=$key t.db
    expect_status 0; expect_no_err; expect_out "Transfers by"; expect_not "Causes"
    sed -n '/^Transfers by/,$p' stdout
    [ "$(sed -n '/^Transfers by/,$p' stdout | awk '/ 37 +93.3 MiB +8.17 ms +18.7 ms +18.1 ms/' | wc -l)" -eq 1 ] ||
        show "the total by $key"
done >by.txt
cp by.txt stdout; golden report_by.txt
run "$XFERSPY" report --by=site --top=2 t.db
expect_out "  4 more "; [ "$(sed -n '/^Transfers by/,$p' stdout | grep -c ' in ')" -le 3 ] || show "more than --top"
run "$XFERSPY" report --json --by=function t.db; expect_status 0
json "d['traces'][0]['by']['key'] == 'function' and d['traces'][0]['by']['count'] == 4 and d['traces'][0]['by']['rows'][0]['call_site']['function'] == 'step'"
json "sum(r['bytes'] for r in d['traces'][0]['by']['rows']) == d['traces'][0]['transfers']['total']['bytes']"
json "sum(r['device_ns'] for r in d['traces'][0]['by']['rows']) == d['traces'][0]['transfers']['total']['device_ns']"
json "sum(r['saves_ns'] for r in d['traces'][0]['by']['rows']) <= sum(f['saves']['most_ns'] for f in d['traces'][0]['findings'] if f['saves'])"
for key in site file module nvtx thread stream device; do
    run "$XFERSPY" report --json --by=$key --top=1 t.db; expect_status 0
    json "len(d['traces'][0]['by']['rows']) == 1"
done
run "$XFERSPY" report --by=site none.db; expect_status 0; expect_out "cuMemcpyHtoD_v2"
expect_out "the trace has no stacks"
run "$XFERSPY" report --by=function none.db; expect_status 0; expect_out "(no stack)"
make_trace empty.db "$SOURCE/fixtures/empty.sql"
run "$XFERSPY" report --by=site empty.db; expect_status 0; expect_out "None."
for wrong in --by=line --by= --top=3 "--by=site --top=0" "--by=site --top=-1" "--by=site --top=x" \
    "--by=site --details"; do
    run "$XFERSPY" report $wrong t.db; expect_status 2; expect_no_out
done
run "$XFERSPY" report --by=line t.db; expect_err "--by=line: use site, function, file"
# The words of the README can be typed.
words=$(sed -n 's/^xferspy report --by=function .* totals by //p' "$SOURCE/../../README.md" |
    sed 's/ ([^)]*)//; s/, /\n/g')
[ "$(echo "$words" | wc -l)" -eq 8 ] || show "words of the README: $words"
echo "$words" | while IFS= read -r key; do
    run "$XFERSPY" report "--by=$key" t.db; expect_status 0
done || exit 1

# On narrow terminals nothing is wider than the terminal but names that have no blanks.
cat >wide.sql <<END
INSERT INTO source_file (id, path) VALUES (1, '$WORK/app/train.py');
INSERT INTO source_line VALUES (1, 1, 12, 'weights.copy_($(printf '%0300d' 0))');
END
make_trace here.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql" here.sql wide.sql
for command in "report here.db" "explain here.db noop-upload" "report --by=site here.db" \
    "report --by=stream here.db"; do
    step="$command on 60 columns"
    TERM=dumb COLUMNS=60 script -qec "'$XFERSPY' $command" /dev/null </dev/null 2>stderr | tr -d '\r' >whole
    sed '/^Transfers$/,$d' whole | grep -v 'content \|  saves ' >stdout
    expect_width 60
done
run "$XFERSPY" report --details here.db; expect_out "12 | weights.copy_(0000"; expect_out "..."
[ "$(grep '12 |' stdout | awk 'length > 170' | wc -l)" -eq 0 ] || show "the line is cut"

# Hostile names, in every text that is shown.
cat >hostile.sql <<'END'
UPDATE python_code SET file = CAST(x'2F61FF0A1B5B33316D2F' AS TEXT) || '/' || id || '/b' || char(8238) || hex(zeroblob(5000)), function = CAST(x'66FF0A1B5B33316D' AS TEXT) || hex(zeroblob(5000));
UPDATE module SET path = '/' || char(27, 10, 155) || CAST(x'FF' AS TEXT) || '/' || hex(zeroblob(3000)) || id;
UPDATE symbol SET function = char(27) || '[31m' || CAST(x'FF' AS TEXT) || char(10) || hex(zeroblob(3000)), file = NULL;
UPDATE nvtx_range SET name = char(27) || ']0;title' || char(7) || CAST(x'FF' AS TEXT) || hex(zeroblob(3000));
UPDATE thread SET name = char(27) || '[2J' || hex(zeroblob(3000));
UPDATE stream SET handle = -1 WHERE id = 2;
END
make_trace hostile.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql" hostile.sql
check_plain() {
    LC_ALL=C tr -d '\n\t' <stdout | LC_ALL=C grep -q "[$(printf '\001-\037\177')]" && show "control characters"
    iconv -f UTF-8 -t UTF-8 stdout >/dev/null || show "invalid UTF-8"
}
for command in "report" "report --json" "explain" "explain --format=tsv" "explain --full-stack"; do
    finding=$([ "$command" = "explain --full-stack" ] && echo noop-upload)
    run "$XFERSPY" $command hostile.db $finding
    expect_status 0; check_plain
done
[ "$(awk 'length > 500' stdout | wc -l)" -eq 0 ] || show "a line is too long"
for key in site function file module nvtx thread stream device; do
    run "$XFERSPY" report --by=$key hostile.db; expect_status 0; check_plain
    [ "$(awk 'length > 500' stdout | wc -l)" -eq 0 ] || show "a line is too long"
    run "$XFERSPY" report --json --by=$key hostile.db; expect_status 0; check_plain; json "d['traces']"
done
# Numbers that mean nothing: stacks that are not there, or too large for any table.
cat >nonsense.sql <<'END'
UPDATE transfer SET stack = 9000000000000000000 WHERE id = 1; UPDATE transfer SET stack = -5, nvtx_range = -7 WHERE id = 4;
UPDATE transfer SET stack = 77, nvtx_range = 99 WHERE id = 7; UPDATE transfer SET stack = 'text' WHERE id = 10;
INSERT INTO stack(id,native_frames,python_frames,is_cut) VALUES (9000000000000000001, 1, 1, 0), (-3, 1, 1, 0);
UPDATE nvtx_range SET parent = id;
END
make_trace nonsense.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql" nonsense.sql
for command in "report" "report --json --by=site" "report --by=nvtx" "explain"; do
    run "$XFERSPY" $command nonsense.db; expect_status 0; expect_no_err
done
run "$XFERSPY" explain nonsense.db noop-upload; expect_status 0
# Damage in any page, those of the stacks among them: a message or an answer.
pages=$(($(wc -c <t.db) / 4096))
page=1
while [ $page -lt $pages ]; do
    cp t.db bad.db
    dd if=/dev/zero of=bad.db bs=4096 seek=$page count=1 conv=notrunc 2>/dev/null
    for command in "report --by=site bad.db" "explain bad.db noop-upload"; do
        run "$XFERSPY" $command
        [ $status -le 1 ] || show "page $page: crashed"
        [ $status -eq 0 ] || expect_err bad.db
    done
    page=$((page + 1))
done
[ "$sum" = "$(cksum <t.db)" ] || show "something changed the trace"

# Copies through a helper: the line is its caller's, and the helper is named with it.
make_trace helper.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql" "$SOURCE/fixtures/helper.sql"
run "$XFERSPY" report helper.db; expect_status 0; expect_no_err
expect_out ", at step.cc:12 in weights, through buffer.h:27 (cuMemcpyHtoD_v2)"
expect_out "at reader/reader.c:77 in read_back (cu"
run "$XFERSPY" report --by=site helper.db; expect_out "step.cc:14 in batch, through buffer.h:27"
run "$XFERSPY" report --by=file --json helper.db
json "'/opt/app/buffer.h' not in [r['call_site']['file'] for r in d['traces'][0]['by']['rows'] if r['call_site']]"
run "$XFERSPY" explain helper.db noop-upload; expect_out "step.cc:12 in weights, through buffer.h:27 (cu"
expect_out "#1        Buffer::upload  buffer.h:27"; expect_out "#2        weights  step.cc:12"
run "$XFERSPY" report --format=markdown helper.db
expect_out '`step.cc:12` in `weights`, through `buffer.h:27` (`cuMemcpyHtoD_v2`)'
run "$XFERSPY" report --json helper.db
json "[f['call_site'] for f in d['traces'][0]['findings'] if f['name'] == 'noop-upload'] == [{'function': 'weights', 'file': '/opt/app/step.cc', 'line': 12, 'module': '/opt/app/libreader.so', 'python': False, 'address': None, 'through': {'function': 'Buffer::upload', 'file': '/opt/app/buffer.h', 'line': 27, 'module': '/opt/app/libreader.so', 'python': False}}]"
for site in step.cc:12 weights buffer.h:27 'Buffer::*'; do
    run "$XFERSPY" report --site="$site" helper.db; expect_out "step.cc:12 in weights, through buffer.h:27"
done
run "$XFERSPY" report --site=step.cc:14 helper.db; expect_not "step.cc:12"
run "$XFERSPY" html -o helper.html helper.db
grep -q "built without" stderr || expect_status 0
# Another run's places are the same ones, and a baseline knows them.
echo "UPDATE symbol SET line = 29 WHERE line = 27; UPDATE symbol SET line = line + 3 WHERE file LIKE '%step.cc'" >moved.sql
make_trace moved.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql" "$SOURCE/fixtures/helper.sql" \
    moved.sql
run "$XFERSPY" diff --all helper.db moved.db; expect_status 0
expect_out "step.cc:15 in weights, through buffer.h:29 (cuMemcpyHtoD_v2)"; expect_out "was line 12"; expect_not "gone"
run "$XFERSPY" diff --json helper.db moved.db
json "all(c['site_before'] and c['site_after'] for c in d['call_sites'])"
json "{c['site_after']['call_site'].get('through', {}).get('line') for c in d['call_sites'] if c['site_after']['call_site']} == {29, None}"
run "$XFERSPY" check --write-baseline=base.json helper.db
run "$XFERSPY" check --baseline=base.json --fail-on=any:0 moved.db; expect_status 0; expect_out "0 grown, 0 new, 0 gone"
run "$XFERSPY" report helper.db moved.db; expect_out "step.cc:12 in weights, through buffer.h:27"
