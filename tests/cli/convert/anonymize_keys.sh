# Facts about the capture stay in a copy, unless they name something: without them a report reads the copy differently.
. "$SOURCE/lib.sh"

ask() { "$XFERSPY" query --format=tsv "$1" "$2" | sed 1d; }
# What a copy may leave out: where and by whom the program ran, its labels, and who made the trace of what.
left_out="cwd import.source labels.given ppid spool.id spool.path user_id"

# The keys that the page of the format has, one a line. Options are looked at elsewhere, and each repair has a row.
sed -n '/^## meta/,/^## Merged/s/^| \(`[^|]*\) |.*/\1/p' "$SOURCE/../../docs/rules/trace-format.md" | tr -d '` ' |
    tr , '\n' | grep -v '<' | sort -u >page
[ "$(wc -l <page)" -gt 80 ] || { cp page stdout; show "the page's table of keys was not found"; }

# The page has every key that is written.
grep -rhoE 'xs_store_meta_(int|text)\([^,]*,[[:space:]]*"[a-z_.]+"' "$SOURCE/../../preload" "$SOURCE/../../schema" \
    --include='*.c' | sed 's/.*"\(.*\)"/\1/' | grep -vF '%' | sort -u >written
[ "$(wc -l <written)" -gt 50 ] || { cp written stdout; show "the keys that capture writes were not found"; }
comm -23 written page >stdout
[ ! -s stdout ] || show "trace-format.md has no row for these keys"

# A trace with each of these keys.
sed "s/.*/INSERT OR IGNORE INTO meta VALUES ('&', 7);/" page >keys.sql
make_trace keys.db "$SOURCE/fixtures/simple.sql" keys.sql
run "$XFERSPY" anonymize keys.db -o copy.db; expect_status 0; expect_no_err
for trace in keys copy; do ask "$trace.db" "SELECT key FROM meta" | sort >"$trace"; done
comm -23 keys copy | xargs echo >stdout
[ "$(cat stdout)" = "$left_out" ] || show "keys that the copy has not: columns.def, or left_out here"

# The windows keep their times: a report says by them for how much of the run it knows device times and migrations.
cat >windows.sql <<'END'
INSERT OR REPLACE INTO meta VALUES ('cupti.windows', '0+5,10+5'), ('cupti.migration_windows', '3+4'),
 ('cost.migration_switches_ns', 20000000), ('pinning_refused', 1);
END
make_trace windows.db "$SOURCE/fixtures/simple.sql" windows.sql
run "$XFERSPY" anonymize windows.db -o windows_copy.db; expect_status 0
same="SELECT key, value FROM meta WHERE key LIKE '%windows' OR key LIKE '%switches_ns' OR key = 'pinning_refused'"
ask windows.db "$same ORDER BY key" >a; ask windows_copy.db "$same ORDER BY key" >b
diff a b >stdout || show "windows, their cost, or what the device refuses are others in the copy"
[ "$(wc -l <a)" -ge 4 ] || { cp a stdout; show "the trace has not got them"; }
