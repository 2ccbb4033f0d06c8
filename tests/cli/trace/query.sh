# SQL, its formats, and that it cannot write.
. "$SOURCE/lib.sh"
make_trace t.db "$SOURCE/fixtures/simple.sql"
sum=$(cksum <t.db)
written=$(stat -c %Y.%y t.db)
run "$XFERSPY" query t.db "SELECT direction, count(*) AS n FROM transfers GROUP BY direction ORDER BY n"
expect_status 0; expect_no_err
printf 'direction   n\nd2d         1\nd2h        10\nh2d        12\n' | cmp - stdout || show "table"
run "$XFERSPY" query --format=csv t.db "SELECT 1 AS a, 'x,\"y\"' AS b, NULL AS c, x'0aff' AS d, 0.1 AS e"
printf 'a,b,c,d,e\n1,"x,""y""",,x'"'0aff'"',0.1\n' | cmp - stdout || show "csv"
run "$XFERSPY" query --format=tsv t.db "SELECT 1 AS a, 'x' || char(9) AS b"
printf 'a\tb\n1\tx\\t\n' | cmp - stdout || show "tsv"
run "$XFERSPY" query --json t.db "SELECT 9223372036854775807 AS a, 0.1 AS b, 'q\"' AS c, NULL AS d, 1e999 AS e"
printf '[\n  {\n    "a": 9223372036854775807,\n    "b": 0.1,\n    "c": "q\\"",\n    "d": null,\n    "e": null\n  }\n]\n' | cmp - stdout || show "json"
run "$XFERSPY" query --json t.db "SELECT 1 WHERE 0"; expect_status 0; [ "$(cat stdout)" = "[]" ] || show "no rows"
echo "SELECT 42 AS answer" >q.sql
step="query -"; "$XFERSPY" query t.db - <q.sql >stdout 2>stderr; status=$?; expect_status 0; expect_out 42
run "$XFERSPY" query --tables t.db; expect_status 0; expect_out "summary_by_direction (view)"; expect_out "correlation"
"$XFERSPY" query --help >help
for view in $(sed -n 's/^\([a-z_]*\) (view).*/\1/p' stdout); do
    grep -qw "$view" help || show "query --help does not name the view $view"
done
rm help
run "$XFERSPY" query --tables --json t.db; expect_status 0; expect_out '"name": "transfer"'
run "$XFERSPY" query t.db "PRAGMA table_info(meta)"; expect_status 0; expect_out key
run "$XFERSPY" query t.db "SELECT 1; -- a remark"; expect_status 0
run "$XFERSPY" query t.db \
    "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 2500) SELECT n FROM i"
expect_status 0; [ "$(wc -l <stdout)" -eq 2501 ] || show "2500 rows and a heading"
rm q.sql
while read -r sql; do
    run "$XFERSPY" query t.db "$sql"
    expect_error_of t.db; expect_err "can only read"
done <<'SQL'
DELETE FROM meta
INSERT INTO meta VALUES ('a', 1)
UPDATE meta SET value = 1
DROP TABLE meta
CREATE TABLE x (y)
CREATE TEMP TABLE x (y)
CREATE TEMP VIEW x AS SELECT 1
CREATE TEMP TRIGGER x AFTER INSERT ON meta BEGIN SELECT 1; END
CREATE VIRTUAL TABLE temp.x USING fts5(y)
CREATE INDEX x ON transfer(bytes)
REPLACE INTO meta VALUES ('a', 1)
WITH x AS (SELECT 1) DELETE FROM meta
EXPLAIN DELETE FROM meta
ATTACH 'file:other.db?mode=rwc' AS other
ATTACH ':memory:' AS other
ALTER TABLE meta RENAME TO x
ATTACH 'other.db' AS other
DETACH main
VACUUM
VACUUM INTO 'other.db'
REINDEX
ANALYZE
PRAGMA user_version = 7
PRAGMA user_version(7)
PRAGMA main.wal_checkpoint(TRUNCATE)
PRAGMA incremental_vacuum
PRAGMA optimize
PRAGMA data_store_directory = '/tmp'
PRAGMA trusted_schema = ON
PRAGMA cell_size_check = ON
PRAGMA application_id = 1
PRAGMA schema_version = 1
PRAGMA locking_mode = EXCLUSIVE
PRAGMA journal_mode = WAL
PRAGMA query_only = OFF
PRAGMA writable_schema = ON
PRAGMA temp_store_directory = '/tmp'
BEGIN IMMEDIATE
SAVEPOINT s
SELECT load_extension('x')
SELECT load_extension('x', 'y') FROM meta
SELECT * FROM pragma_user_version(7)
SQL
# What the shell of SQLite has beside it is not there.
for sql in "SELECT writefile('other.txt', 'x')" "SELECT readfile('/etc/passwd')" "SELECT edit('x')" \
    "SELECT fts3_tokenizer('x')" \
    "SELECT * FROM fsdir('/')" ".shell touch other"; do
    run "$XFERSPY" query t.db "$sql"; expect_error_of t.db
done
run "$XFERSPY" query t.db "SELECT * FROM nowhere"; expect_error_of "no such table: nowhere"
run "$XFERSPY" query t.db "SELECT 1; SELECT 2"; expect_error_of "one statement"
run "$XFERSPY" query t.db ""; expect_error_of "empty"
run "$XFERSPY" query t.db "SELECT abs(-9223372036854775807 - 1)"; expect_status 1; expect_err "t.db"
[ "$sum" = "$(cksum <t.db)" ] || show "the trace was changed"
[ "$written" = "$(stat -c %Y.%y t.db)" ] || show "the trace was written to"
made=$(ls | grep -v -x -e stdout -e stderr -e t.db)
[ -z "$made" ] || show "files were made: $made"
# Ctrl-C ends a query that would run for ever, and a half-written -o file with it.
step="query interrupted"
# SIGINT is ignored in background jobs of a shell; env restores it where it can, else there is nothing to test.
if env --default-signal=INT true 2>/dev/null; then
    env --default-signal=INT "$XFERSPY" query -o half.txt t.db \
        "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i) SELECT count(*) FROM i" >stdout 2>stderr &
    pid=$!
    while [ ! -e half.txt ] && kill -0 $pid 2>/dev/null; do :; done
    kill -INT $pid
    wait $pid; status=$?
    expect_status 130
    [ ! -e half.txt ] || show "left the half-written file"
fi
