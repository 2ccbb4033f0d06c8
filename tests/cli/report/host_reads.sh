# What follows from it that nobody read downloads, in each output. fixtures/host_reads.sql says what was downloaded: a
# round trip whose downloads nobody but the upload read, and downloads for which the host waits, and which nobody read.
. "$SOURCE/lib.sh"
need_python
trace() { # trace NAME SQL: the fixture, changed
    make_trace "$1" "$SOURCE/fixtures/host_reads.sql"
    "$python" -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2])' "$1" "$2" || exit 1
}
make_trace unread.db "$SOURCE/fixtures/host_reads.sql"
trace read.db "UPDATE host_read SET read_bytes = 4096, read_pieces = 1"
trace some.db "UPDATE host_read SET read_bytes = 4096, read_pieces = 1 WHERE id IN (1, 11)"
trace off.db "UPDATE transfer_row SET host_read = NULL; DELETE FROM host_read;
    DELETE FROM meta WHERE key = 'cost.host_reads_ns'"

both="Nobody read the 10 downloads of these that were watched. Both ways go."
run "$XFERSPY" report --color=never unread.db; expect_status 0; expect_no_err; expect_out "$both"
run "$XFERSPY" report --format=markdown unread.db; expect_status 0; expect_out "$both"
run "$XFERSPY" explain unread.db round-trip; expect_status 0; expect_out "read      $both"
run "$XFERSPY" explain unread.db blocking-readback
expect_out "Nobody read the 10 downloads of these that were watched. Drop them; then the host does not have to wait."
run "$XFERSPY" report --color=never --sections=waits unread.db
expect_out "; nobody read what 10 of them brought, so such waits are not needed"
run "$XFERSPY" report --color=never --sections=cost unread.db
expect_out "That thread looked for 250 us (0.2 %) at what the host read of downloads."
run "$XFERSPY" html -o page.html unread.db; expect_status 0
grep -qF "$both" page.html || show "the page says it"

# Both copies take 1.01 ms in each of 10 steps. What is known of the downloads decides which of them surely go.
finding="next(f for f in d['traces'][0]['findings'] if f['id'] == 'round-trip')"
wait="next(w for w in d['traces'][0]['waits'] if w['call']['entry_point'] == 'cuMemcpyDtoH_v2_ptds')"
run "$XFERSPY" report --json unread.db; expect_status 0
json "$finding['downloads_read'] == dict(known=10, unread=10)"
json "$finding['saves']['least_ns'] >= 20000000"
json "'downloads_may_be_needed' not in $finding['saves_interval_reasons']"
json "$wait['downloads_read'] == dict(known=10, unread=10)"
json "d['traces'][0]['cost']['host_reads_ns'] == 250000"
run "$XFERSPY" report --json read.db
json "$finding['downloads_read'] == dict(known=10, unread=0)"
json "10000000 <= $finding['saves']['least_ns'] < 11000000 and $finding['saves']['most_ns'] >= 20000000"
json "'downloads_may_be_needed' in $finding['saves_interval_reasons']"
run "$XFERSPY" report --color=never read.db; expect_not "Nobody read"
run "$XFERSPY" report --json some.db
json "$finding['downloads_read'] == dict(known=10, unread=9)"
json "19000000 <= $finding['saves']['least_ns'] < 20000000"
run "$XFERSPY" report --color=never --sections=waits some.db
expect_out "; nobody read what 9 of the 10 watched ones brought"

# Without watched downloads there is no word of it.
run "$XFERSPY" report --json off.db
json "'downloads_read' not in $finding and 'host_reads_ns' not in d['traces'][0]['cost']"
json "10000000 <= $finding['saves']['least_ns'] < 11000000"
run "$XFERSPY" report --color=never --sections=all off.db; expect_not "obody read"; expect_not "host read of"
