# SQL, its formats, and that it cannot write.
. "$SOURCE/lib.sh"
make_trace t.db "$SOURCE/fixtures/simple.sql"
sum=$(cksum <t.db)
written=$(stat -c %Y.%y t.db)
run "$XFERSPY" query t.db "SELECT direction, count(*) AS n FROM transfers GROUP BY direction ORDER BY n"
expect_status 0; expect_no_err
printf 'direction   n\nd2d         1\nd2h        10\nh2d        12\n' | cmp - stdout || show "table"
run "$XFERSPY" query t.db "SELECT NULL AS a, 1 AS b, '' AS long UNION ALL SELECT NULL, 2, NULL"
expect_status 0; printf 'a  b  long\n   1\n   2\n' | cmp - stdout || show "columns without a value"
run "$XFERSPY" query t.db "SELECT stack_id FROM stacks"; expect_error_of t.db
expect_err 'no such column: stack_id; stacks has stack, '
run "$XFERSPY" query t.db "SELECT x.idd FROM sync_scope AS x"; expect_error_of t.db
expect_err 'did you mean `id'"'"'? sync_scope has id, name'
run "$XFERSPY" query t.db "SELECT qqqqqq FROM sync_scope"; expect_error_of t.db
expect_err 'no such column: qqqqqq; sync_scope has id, name'
run "$XFERSPY" query t.db "SELECT * FROM stakcs"; expect_error_of t.db; expect_err 'did you mean `stacks'"'"'?'
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
run "$XFERSPY" query --tables --format=csv t.db; expect_status 0; expect_out 'table,meta,"key, value"'
run "$XFERSPY" query t.db "SELECT name FROM sqlite_master WHERE name = 'meta'"; expect_status 0; expect_out meta
run "$XFERSPY" query t.db "WITH one(n) AS (SELECT 1) SELECT count(*) FROM one, (SELECT 2 UNION SELECT 3), transfers"; expect_status 0; expect_out 46
run "$XFERSPY" query t.db "SELECT upper(substr('abc', 2)) || json_extract('{\"a\":7}', '$.a'), round(sqrt(2), 3)"; expect_status 0; expect_out BC7; expect_out 1.414
run "$XFERSPY" query t.db "EXPLAIN QUERY PLAN SELECT * FROM transfers"; expect_status 0; expect_out SCAN
# Texts that a spreadsheet would take for formulas; numbers stay numbers.
run "$XFERSPY" query --format=csv t.db "SELECT '=1+1' AS a, '+x' AS b, '-5' AS c, '@y,\"z' AS d, char(9) || '=1' AS e, char(13) || '=1' AS f, -5 AS g, -0.5 AS h"
printf "a,b,c,d,e,f,g,h\n'=1+1,'+x,'-5,\"'@y,\"\"z\",\\\\t=1,\\\\x0d=1,-5,-0.5\n" | cmp - stdout || show "formulas"
# What has no end is stopped where a file of this size cannot need it, and goes on where that is wanted.
run bounded 60 "$XFERSPY" query t.db "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i) SELECT count(*) FROM i"
expect_error_of t.db; expect_err "more steps than a file of its size can justify; --no-limit"
many="WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 10000000) SELECT count(*) AS c FROM i"
run "$XFERSPY" query t.db "$many"; expect_error_of t.db
run "$XFERSPY" query --no-limit t.db "$many"; expect_status 0; expect_out 10000000
# Steps are not alike: values of a megabyte take memory and time.
many="WITH RECURSIVE r(x) AS (SELECT printf('%.100000c', 'x') UNION ALL SELECT x FROM r)"
run bounded 60 "$XFERSPY" query t.db "SELECT length(json_group_array(x)) FROM ($many SELECT x FROM r)"
expect_error_of t.db; expect_err "takes more than 256 MiB of memory; --no-limit"
many="WITH RECURSIVE r(x) AS (SELECT printf('%.1000000c', 'x') UNION ALL SELECT x || 'a' FROM r)"
run bounded 60 "$XFERSPY" query t.db "$many SELECT x FROM r ORDER BY x"; expect_error_of t.db; expect_err "--no-limit"
many="WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE length(printf('%.1000000c', i)) > 0)"
run bounded 60 "$XFERSPY" query t.db "$many SELECT count(*) FROM r"
expect_error_of t.db; expect_err "takes more time than a file of its size can justify; --no-limit"
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
CREATE INDEX x ON transfer_row(bytes)
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
SELECT * FROM pragma_table_info('meta')
SELECT count(*) FROM pragma_table_info('meta')
PRAGMA table_info(meta)
PRAGMA user_version
SELECT * FROM json_each('[1]')
SELECT count(*) FROM json_each('[1]')
SELECT count(*) FROM transfers, json_tree('[1]')
SELECT * FROM dbstat
SELECT * FROM fts3tokenize('simple', 'a b')
SELECT fts3_tokenizer('simple')
SELECT fts3_tokenizer('simple', x'4141414141414141')
SELECT hex(fts3_tokenizer('simple')) FROM transfers
SELECT sqlite_compileoption_get(1)
SELECT zeroblob(10)
SELECT randomblob(10)
SELECT sqlite_source_id()
SELECT * FROM meta WHERE key MATCH 'x'
SQL
# A name in double quotes is a column, never a text: a slip of the pen does not become an answer.
run "$XFERSPY" query t.db 'SELECT "no such column" FROM meta'; expect_error_of t.db
# One line says what was refused.
run "$XFERSPY" query t.db "SELECT fts3_tokenizer('simple')"; expect_err "cannot call the function fts3_tokenizer"
run "$XFERSPY" query t.db "SELECT * FROM json_each('[1]')"; expect_err "tables and views of a trace, not json_each"
run "$XFERSPY" query t.db "PRAGMA table_info(meta)"; expect_err "cannot use PRAGMA table_info"
run "$XFERSPY" query t.db "ATTACH 'x' AS y"; expect_err "cannot open other files"
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
    env --default-signal=INT "$XFERSPY" query --no-limit -o half.txt t.db "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i) SELECT count(*) FROM i" >stdout 2>stderr &
    pid=$!
    while [ ! -e half.txt ] && kill -0 $pid 2>/dev/null; do :; done
    kill -INT $pid
    wait $pid; status=$?
    expect_status 130
    [ ! -e half.txt ] || show "left the half-written file"
fi
