# Findings as a user sees them. fixtures/findings.sql says what is in the trace; what is expected of it follows from
# docs/rules/analysis.md, and times only where the fixture makes them exact.
. "$SOURCE/lib.sh"
need script
need_python
make_trace findings.db "$SOURCE/fixtures/findings.sql"
make_trace clean.db "$SOURCE/fixtures/no_findings.sql"
sum=$(cksum <findings.db)
tab=$(printf '\t')
field() { awk -F '\t' -v f="$1" -v n="$2" '$1 == f { print $n; exit }' stdout; }
expect_field() { [ "$(field "$1" "$2")" = "$3" ] || show "expected $3 in column $2 of $1, not $(field "$1" "$2")"; }

# The list, for programs: ranked rows, header first.
run "$XFERSPY" explain --format=tsv findings.db
expect_status 0; expect_no_err
[ "$(head -n 1 stdout | cut -f 1-8 | tr '\t' ' ')" = \
    "finding site instances transfers bytes device_ns exposed_ns removable_ns" ] || show "header"
[ "$(awk -F '\t' '{ print NF }' stdout | sort -u)" = 23 ] || show "every row has 23 fields"
expect_field noop-upload 2 cuMemcpyHtoD_v2; expect_field noop-upload 3 9; expect_field noop-upload 5 75497472
expect_field noop-upload 6 7038000
expect_field duplicate-upload/elsewhere 3 1
expect_field unused-upload/certain 3 1
expect_not leak; expect_not bounce; expect_not fake-async
cp stdout list.tsv

# The list for people, and one finding by name and by number.
run "$XFERSPY" explain findings.db
expect_status 0; expect_no_err; expect_out noop-upload; expect_out "72.0 MiB"
expect_out "xferspy explain findings.db FINDING"
number=$(awk '$2 == "noop-upload" { print $1 }' stdout)
run "$XFERSPY" explain findings.db noop-upload
expect_status 0; expect_no_err
expect_out "transfer #4 at 18.0 ms, cuMemcpyHtoD_v2, H2D, 8.00 MiB"
expect_out "000000000000000c000000000000000b"; expect_out "the same; 0 of 2,048 pieces of 4 KiB changed"
expect_out "allocation #1"; expect_out "782 us on the device"; expect_out "6 more"
expect_out "; saves 800 us"
cp stdout one
# The page that explains it: of the sources, or of the installation that this program belongs to; else nothing is said.
page=$(cd "$SOURCE/../.." && pwd -P)/docs/rules/findings/noop-upload.md
[ -f "$page" ] || show "no page"
expect_more() { [ "$(sed -n 's/^  more      //p' stdout)" = "$1" ] || show "expected as more: $1"; }
case $XFERSPY in "${page%/docs/*}"/build/*/bin/xferspy) expect_more "$page" ;; esac
mkdir -p "prefix [1]/bin" "prefix [1]/share/doc/xferspy"
cp "$XFERSPY" "prefix [1]/bin/xferspy"
run "prefix [1]/bin/xferspy" explain findings.db noop-upload; expect_status 0; expect_more ""
cp -r "$SOURCE/../../docs" "prefix [1]/share/doc/xferspy/docs"
installed="$(pwd -P)/prefix [1]/share/doc/xferspy/docs/rules/findings/noop-upload.md"
run "prefix [1]/bin/xferspy" explain findings.db noop-upload; expect_status 0; expect_more "$installed"
# SARIF is read on other machines.
"prefix [1]/bin/xferspy" check --fail-on=noop-upload:0 --sarif=page.sarif findings.db >/dev/null
grep -q 'has changed\. See docs/rules/findings/noop-upload\.md of xferspy\."' page.sarif || show "the page in SARIF"
grep -q 'share/doc' page.sarif && show "a path of this machine in SARIF"
rm -r "prefix [1]"
run "$XFERSPY" explain findings.db "$number"; expect_status 0; cmp -s stdout one || show "by number is not by name"
run "$XFERSPY" explain findings.db 'noop-upload#1'; expect_status 0; cmp -s stdout one || show "#1 is the first"
run "$XFERSPY" explain --all findings.db noop-upload
expect_status 0; expect_out "Every instance"; expect_out "transfer #28"; expect_not "--all lists"
run "$XFERSPY" explain findings.db duplicate-upload; expect_status 0; expect_out "duplicate-upload/elsewhere"
expect_out "transfer #32"; expect_out "transfer #31"

# Every instance, and what is undecided.
run "$XFERSPY" explain --instances --format=tsv findings.db
expect_status 0; expect_no_err
[ "$(head -n 1 stdout)" = "finding${tab}kind${tab}row${tab}other_kind${tab}other_row" ] || show "header of --instances"
[ "$(awk -F '\t' '$1 == "noop-upload" && $2 == "transfer"' stdout | wc -l)" -eq 9 ] || show "9 instances"
expect_out "duplicate-upload/elsewhere${tab}transfer${tab}32${tab}transfer${tab}31"
for name in $(tail -n +2 list.tsv | cut -f 1 | sort -u); do
    wanted=$(awk -F '\t' -v f="$name" '$1 == f { n += $3 } END { print n }' list.tsv)
    [ "$(awk -F '\t' -v f="$name" '$1 == f' stdout | wc -l)" -eq "$wanted" ] || show "$name: not $wanted instances"
done
run "$XFERSPY" explain --instances --format=tsv findings.db duplicate-upload/elsewhere
[ "$(wc -l <stdout)" -eq 2 ] || show "only the finding that was asked for"
run "$XFERSPY" explain --instances findings.db; expect_status 0; expect_out "other_kind"
run "$XFERSPY" explain --undecided --format=tsv findings.db
expect_status 0; [ "$(head -n 1 stdout)" = "finding${tab}reason${tab}count" ] || show "header of --undecided"
[ "$(wc -l <stdout)" -gt 1 ] || show "transfers without content are undecided"
run "$XFERSPY" explain --undecided findings.db; expect_status 0; expect_out reason

# JSON.
for options in "" "noop-upload" "noop-upload --all" "--instances" "--undecided"; do
    run "$XFERSPY" explain --json findings.db $options; expect_status 0; expect_no_err
    json "d['format'] == 'xferspy-explain' and d['version'] == 1 and d['trace'] == 'findings.db'"
done
run "$XFERSPY" report --json findings.db; expect_status 0
json "[f['rank'] for f in d['traces'][0]['findings']] == list(range(1, len(d['traces'][0]['findings']) + 1))"
json "[f['instances'] for f in d['traces'][0]['findings'] if f['name'] == 'noop-upload'] == [9]"
json "d['traces'][0]['fingerprints']['none_because'] is None and d['traces'][0]['call_sites']['damaged_rows'] == 0"
json "d['traces'][0]['fingerprints']['taken'] == 34 and d['traces'][0]['fingerprints']['transfers'] == 37"
json "sum(s['count'] for s in d['traces'][0]['fingerprints']['skipped']) == 3"
json "d['traces'][0]['fingerprints']['kernel_launches_unseen'] == 3"
json "d['traces'][0]['together']['most_ns'] <= sum(f['saves']['most_ns'] for f in d['traces'][0]['findings'] if f['in_total'])"
json "[f['in_total'] for f in d['traces'][0]['findings']] == [i < len(d['traces'][0]['causes']) for i in range(len(d['traces'][0]['findings']))]"
json "all(c['findings'][0]['rank'] == c['rank'] for c in d['traces'][0]['causes'])"
json "d['traces'][0]['replay']['believed'] and d['traces'][0]['replay']['calls'] == 66"
run "$XFERSPY" explain --json findings.db noop-upload
json "d['explained']['first_instances'][0]['evidence'][0]['row'] == 4"
"$XFERSPY" explain findings.db noop-upload >text
between=$(sed -n 's/^  between  *\([0-9]*\) launch.*/\1/p' text | head -n 1)
json "d['explained']['first_instances'][0]['between']['launches'] == $between"
json "d['explained']['first_instances'][0]['between']['copies_to'] == 0"
json "d['explained']['largest_instance'] in d['explained']['first_instances']"
grep -qF "$("$python" -c "import json; print(json.load(open('stdout'))['explained']['definition'][:60])")" text ||
    show "the definition of the text is in the JSON"

# How well the replay fits, and that all savings are bounds where it does not.
run "$XFERSPY" explain --model findings.db; expect_status 0; expect_no_err
expect_out "believed  yes, the error is under 5 %"; expect_out "model     66 calls, 51 operations of devices"
expect_out "run       100 ms measured, 100 ms replayed"; expect_out "an H2D copy from pageable memory runs at "
run "$XFERSPY" explain --model --json findings.db; json "d['replay']['believed'] and d['together']['most_ns'] > 0"
json "set(d) == {'format', 'version', 'trace', 'filter', 'replay', 'together', 'link_model'}"
run "$XFERSPY" explain --model findings.db noop-upload; expect_status 2; expect_err "--model is about the whole trace"
run "$XFERSPY" explain --model --format=tsv findings.db; expect_status 2

# What is not there.
run "$XFERSPY" explain findings.db nonsense
expect_error_of findings.db; expect_err "no finding \`nonsense'"; expect_err noop-upload
run "$XFERSPY" explain findings.db 99; expect_error_of findings.db
last=$("$XFERSPY" explain --format=tsv findings.db | tail -n +2 | wc -l)
expect_err "no finding 99; the trace has numbers 1 to $last"
run "$XFERSPY" explain findings.db noop-uplaod; expect_error_of findings.db
expect_err "no finding \`noop-uplaod'; did you mean \`noop-upload'?"
run "$XFERSPY" explain findings.db 0; expect_error_of findings.db
run "$XFERSPY" explain findings.db 'noop-upload#2'; expect_error_of findings.db
run "$XFERSPY" explain -o new.txt findings.db nonsense; expect_error_of findings.db
[ ! -e new.txt ] || show "left a file"
run "$XFERSPY" explain clean.db; expect_status 0; expect_no_err; expect_out "No findings."
run "$XFERSPY" explain clean.db noop-upload; expect_error_of clean.db; expect_err "none at all"
make_trace unchecked.db "$SOURCE/fixtures/no_findings.sql" "$SOURCE/fixtures/unchecked.sql"
run "$XFERSPY" explain unchecked.db repeat-download; expect_error_of unchecked.db
expect_err "of 10 copies it could not be decided (left out of the sample): xferspy run --fingerprint=all -- PROGRAM"
run "$XFERSPY" explain unchecked.db noop-upload; expect_error_of unchecked.db; expect_err "none at all"
run "$XFERSPY" explain unchecked.db; expect_status 0
expect_out "10 downloads (160 MiB, 3.00 ms, 6.0 % of the run) could"
run "$XFERSPY" explain --format=tsv clean.db; expect_status 0; [ "$(wc -l <stdout)" -eq 1 ] || show "the header alone"
run "$XFERSPY" explain --instances --format=tsv clean.db; expect_status 0
[ "$(wc -l <stdout)" -eq 1 ] || show "the header alone"
run "$XFERSPY" explain missing.db; expect_error_of missing.db

# Wrong usage, several traces among it.
run "$XFERSPY" explain findings.db clean.db; expect_status 2; expect_no_out; expect_err "one trace at a time"
run "$XFERSPY" explain findings.db clean.db noop-upload; expect_status 2; expect_no_out
run "$XFERSPY" explain --format=xml findings.db; expect_status 2; expect_no_out
run "$XFERSPY" explain --undecided findings.db noop-upload; expect_status 2; expect_no_out
run "$XFERSPY" explain -o findings.db --force findings.db; expect_status 1
[ "$sum" = "$(cksum <findings.db)" ] || show "explain changed the trace"

# The report leads with them; what was not checked is said there, and how to have it.
run "$XFERSPY" report findings.db
expect_status 0; expect_no_err
[ "$(grep -n '^Causes$' stdout | cut -d: -f1)" -lt "$(grep -n '^Transfers$' stdout | cut -d: -f1)" ] ||
    show "findings come first"
expect_out noop-upload; expect_out "All repaired: saves "
expect_out "The contents of 34 of 37 uploads and downloads are known. Not known: 2 (over the fingerprint budget)"
expect_out "xferspy did not see the arguments of 3 of 14 kernel launches, so"
expect_out "of unused-upload. The reason: launch arguments not seen."
expect_out "pinned memory takes 244 ns, then runs at "
expect_not "Contents were not checked"
echo "DELETE FROM fingerprint WHERE id IN (SELECT fingerprint FROM transfer WHERE id IN (7, 16));" >late.sql
make_trace late.db "$SOURCE/fixtures/findings.sql" late.sql
run "$XFERSPY" report late.db; expect_out "was not seen), 2 (just before the end of the trace)."
run "$XFERSPY" report clean.db; expect_status 0; expect_out "No findings."; expect_not "All repaired"
echo "UPDATE transfer SET fingerprint = NULL, skip = 1; DELETE FROM fingerprint; UPDATE meta SET value = 'off'
  WHERE key = 'option.fingerprint'" >off.sql
make_trace off.db "$SOURCE/fixtures/no_findings.sql" off.sql
run "$XFERSPY" report off.db; expect_status 0; expect_out "No findings among what was checked."
expect_out "fingerprints were off, so needless copies are not found. Record without --fingerprint=off"
# What is claimed is what the trace shows. Time inside calls may be waiting that has to be done anyway; the same moment
# may be given back twice, so more than the whole run is not promised; small copies say nothing of a kind of memory.
run "$XFERSPY" report --details findings.db; expect_not "some of it at the same time"
# The host was in each of ten calls for 1,010 us, with nothing to wait for but the copy; where kernels are not known, it
# may have waited for them, and that only moves.
expect_out "saves 9.09 ms, 9.1 % of the run"
echo "DELETE FROM device_kernel; UPDATE meta SET value = 0 WHERE key = 'cupti.kernels'" >no_kernels.sql
make_trace no_kernels.db "$SOURCE/fixtures/findings.sql" no_kernels.sql
run "$XFERSPY" report --details no_kernels.db; expect_out "saves up to 9.09 ms, 9.1 % of the run"
run "$XFERSPY" explain no_kernels.db; expect_out "up to 9.09 ms"
run "$XFERSPY" explain no_kernels.db scalar-readback; expect_out "interval  0 ns to 9.09 ms. Kernels were not recorded"
# Outputs for programs have both ends of an interval.
run "$XFERSPY" explain --json no_kernels.db
saves="f['saves']['least_ns'], f['saves']['most_ns']"
json "[($saves, f['in_total']) for f in d['findings'] if f['id'] == 'scalar-readback'] == [(0, 9090000, True)]"
json "[f['saves']['up_to'] for f in d['findings'] if f['id'] in ('noop-upload', 'scalar-readback')] == [False, True]"
echo "UPDATE meta SET value = 5000000 WHERE key = 'duration_ns'" >short.sql
make_trace short.db "$SOURCE/fixtures/findings.sql" short.sql
run "$XFERSPY" report short.db; expect_out ", some of it at the same time: the run took 5.00 ms"
expect_out "saves 7.20 ms, some of it at the same time"
echo "UPDATE transfer SET src_kind = 2 WHERE src_kind = 1" >pinned.sql
make_trace pinned.db "$SOURCE/fixtures/findings.sql" pinned.sql
run "$XFERSPY" report pinned.db; expect_out "Host memory: <0.1 % of the bytes were in pageable memory, the rest in pinned memory."
expect_not "times as fast"
# A killed process did not say how long it ran: findings and the lines above them go by the same time.
echo "DELETE FROM meta WHERE key = 'duration_ns'; UPDATE meta SET value = 'recovered' WHERE key = 'status';
  UPDATE device_kernel SET end_ns = 5000000000 WHERE correlation = 604" >long.sql
make_trace long.db "$SOURCE/fixtures/findings.sql" long.sql
run "$XFERSPY" report long.db
expect_out "at least 5.00 s since its first CUDA call, on"; expect_out "of the run's 5.00 s ("
# The evidence shows where the time comes from, and the one that costs most where it is not among the first.
echo "INSERT INTO allocation (id,entry_point,thread,address,bytes,kind,origin,device,context,enter_ns,return_ns,
  free_entry_point,free_thread,free_enter_ns,free_return_ns) VALUES
  (8,3,1,140000060000000,4096,4,1,0,1,2200000,2201000,4,1,9000000,9010000);
  UPDATE device_copy SET end_ns = end_ns + 200000 WHERE correlation = 107" >unused.sql
make_trace unused.db "$SOURCE/fixtures/findings.sql" unused.sql
run "$XFERSPY" explain unused.db unused-allocation; expect_status 0
expect_out "freed     at 9.00 ms by cuMemFree_v2, 10.0 us in the call"
run "$XFERSPY" explain unused.db noop-upload
expect_out "The one that costs most at 66.0 ms"; expect_out "5 more: --all"
run "$XFERSPY" explain findings.db noop-upload; expect_not "costs most"
# One that costs hardly more is no evidence of its own.
echo "UPDATE device_copy SET end_ns = end_ns + 1000 WHERE correlation = 107" >hardly.sql
make_trace hardly.db "$SOURCE/fixtures/findings.sql" hardly.sql
run "$XFERSPY" explain hardly.db noop-upload; expect_status 0; expect_not "costs most"
# A round trip's download is saved only if the host does not need it: the most of an interval.
echo "UPDATE transfer SET bytes = 4194304 WHERE id = 30; UPDATE fingerprint SET content_low = 41, content_high = 42
  WHERE id = 3009" >trip.sql
make_trace trip.db "$SOURCE/fixtures/findings.sql" trip.sql
# What saves nothing is not in the list, which says how to see it; words that occur are explained, and no others.
run "$XFERSPY" explain trip.db; expect_out "1 more whose repair saves nothing: --all lists it, too."
listed=$(grep -c '^ *[0-9][0-9]*  [a-z]' stdout)
run "$XFERSPY" explain --all trip.db; expect_status 0; expect_no_err; expect_not "saves nothing:"
[ "$(grep -c '^ *[0-9][0-9]*  [a-z]' stdout)" -eq $((listed + 1)) ] || show "one more row"
[ "$(grep -c '^ *[0-9][0-9]*  .*  nothing ' stdout)" -eq 1 ] || show "the one that saves nothing"
run "$XFERSPY" explain findings.db
expect_out "\`instead of N': saves this if number N cannot be repaired; \`part of N': counted in what number N saves."
expect_not "\`advice':"
run "$XFERSPY" explain findings.db pageable; expect_out "Exposed: the part of a copy's time in which no kernel ran"
run "$XFERSPY" explain --help; expect_out "instead of N"
run "$XFERSPY" explain trip.db round-trip; expect_status 0; expect_out "round-trip/same-device"
expect_out "beside    the downloads take 2.00 us on the device; that time is also saved if nobody"
expect_out "saves up to 1.11 ms"
expect_out "interval  96.0 us to 1.11 ms. The downloads are saved, too, only if"
run "$XFERSPY" explain --json trip.db round-trip; json "d['explained']['apart']['device_ns'] == 2000"
# Advice alone saves nothing, and is no reason to say that nothing was found.
# Here it is a copy that is waited for at once.
echo "DELETE FROM transfer WHERE id <> 37; UPDATE transfer SET fingerprint = 4002; DELETE FROM allocation;
    DELETE FROM launch WHERE id = 14" >advice.sql
make_trace advice.db "$SOURCE/fixtures/findings.sql" advice.sql
run "$XFERSPY" explain advice.db; expect_out "\`advice': saves nothing by itself."
run "$XFERSPY" report advice.db; expect_out "1 piece of advice is not shown: xferspy explain advice.db"
expect_out "None that would save time."
expect_not "No findings"
LC_ALL=C run "$XFERSPY" explain findings.db noop-upload; LC_ALL=C grep -q '[^ -~]' stdout && show "other than ASCII"
for columns in 40 60 80; do
    for command in "report findings.db" "explain findings.db" "explain findings.db noop-upload"; do
        step="$command on $columns columns"
        TERM=dumb COLUMNS=$columns script -qec "'$XFERSPY' $command" /dev/null </dev/null 2>stderr | tr -d '\r' >stdout
        expect_out noop-upload
        [ $columns -lt 80 ] || expect_width 80
    done
done

# Damaged and hostile: a message or an answer, never a crash, never a control character.
make_trace hostile.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/hostile.sql"
for command in "explain hostile.db" "explain hostile.db 1" "explain --format=tsv hostile.db" \
    "explain --json hostile.db 1"; do
    run "$XFERSPY" $command
    expect_status 0
    LC_ALL=C tr -d '\n\t' <stdout | LC_ALL=C grep -q "[$(printf '\001-\037\177')]" &&
        show "control characters ($command)"
done
# A long name is cut in each row of evidence that has it.
cat >long.sql <<'SQL'
UPDATE entry_point SET name = replace(hex(zeroblob(100000)), '0', 'x');
UPDATE kernel_name SET name = replace(hex(zeroblob(100000)), '0', 'k');
SQL
make_trace long.db "$SOURCE/fixtures/findings.sql" long.sql
run "$XFERSPY" explain --json long.db 1; expect_status 0
grep -q '"entry_point": "xxxx' stdout || show "no evidence with the long name"
grep -qE 'x{4096}|k{4096}' stdout && show "a long name is written whole"
make_trace nonsense.db "$SOURCE/fixtures/simple.sql" "$SOURCE/fixtures/nonsense.sql"
run "$XFERSPY" explain nonsense.db; expect_status 0
pages=$(($(wc -c <findings.db) / 4096))
page=1
while [ $page -lt $pages ]; do
    cp findings.db bad.db
    dd if=/dev/zero of=bad.db bs=4096 seek=$page count=1 conv=notrunc 2>/dev/null
    run "$XFERSPY" explain bad.db noop-upload
    [ $status -le 1 ] || show "page $page: crashed"
    [ $status -eq 0 ] || expect_err bad.db
    page=$((page + 1))
done

# A folder: what to give in its place. Commands to type are quoted for a shell.
mkdir -p "a folder/none"
for name in a b c d; do make_trace "a folder/$name.db" "$SOURCE/fixtures/findings.sql"; done
for command in explain html query top anonymize; do
    case $command in
    query) run "$XFERSPY" query "a folder" "SELECT 1" ;;
    anonymize) run "$XFERSPY" anonymize -o out.db "a folder/" ;;
    *) run "$XFERSPY" $command "a folder" ;;
    esac
    expect_error_of "is a folder; name one of its traces: a folder/a.db, a folder/b.db, a folder/c.db or one of 1 more"
    expect_err "\`xferspy report 'a folder"
done
run "$XFERSPY" explain "a folder/none"; expect_error_of "a folder/none: is a folder without traces (*.db)"
run "$XFERSPY" explain "a folder/a.db"; expect_status 0; expect_out "xferspy explain 'a folder/a.db' FINDING"

# Kernels that use host memory: how long they ran, what the link moves in that time, and what one copy takes. The
# kernels of the ten steps get the page-locked memory of allocation 7, and each of them runs for 200 us.
cat >mapped.sql <<'SQL'
INSERT INTO argument VALUES (1,7);
UPDATE device_kernel_row SET end_ns = start_ns + 200000 WHERE correlation BETWEEN 400 AND 409;
SQL
make_trace mapped.db "$SOURCE/fixtures/findings.sql" mapped.sql
run "$XFERSPY" explain mapped.db mapped-reads
expect_status 0; expect_out "the kernels ran for 1.80 ms, in which the link moves"
expect_out "one copy of each allocation, 4.00 MiB, takes"
expect_out "It saves nothing if it changes before each launch."
