# A long command says on a terminal how far it is, and removes that line; without a terminal it says nothing. A signal
# in the middle of any command that writes a file leaves neither that file nor a temporary one, and no line.
. "$SOURCE/lib.sh"
need_python
"$MAKE_TRACE" long.db 150000 || show "no trace"
run "$XFERSPY" report -o plain.txt long.db; expect_status 0; expect_no_out; expect_no_err
run "$python" -S "$SOURCE/interface/progress.py" shown plain.txt "$XFERSPY" report long.db; expect_status 0
run "$python" -S "$SOURCE/interface/progress.py" dumb "$XFERSPY" report long.db; expect_status 0
# An export of Nsight Systems that takes a while to read.
"$python" - "$SOURCE/fixtures" <<'END' || show "no export"
import sqlite3
import sys

export = sqlite3.connect("nsys.sqlite")
for name in ("nsys_tables.sql", "nsys_new.sql"):
    export.executescript(open(f"{sys.argv[1]}/{name}", encoding="utf-8").read())
table = "CUPTI_ACTIVITY_KIND_RUNTIME"
columns = [row[1] for row in export.execute(f"PRAGMA table_info({table})")]
row = export.execute(f"SELECT * FROM {table} LIMIT 1").fetchone()
row = dict(zip(columns, row))
marks = ", ".join("?" for _ in columns)
export.executemany(f"INSERT INTO {table} VALUES ({marks})",
                   ([{**row, "start": row["start"] + n, "end": row["end"] + n, "correlationId": 1000 + n}[c]
                     for c in columns] for n in range(100000)))
export.commit()
END
while read -r signal file command; do
    # shellcheck disable=SC2086 # a command is words
    run "$python" -S "$SOURCE/interface/progress.py" ended $signal "$file" "$XFERSPY" $command; expect_status 0
done <<'END'
TERM out.txt report -o out.txt long.db
INT out.json report --json --force -o out.json long.db
INT - diff -o out.md long.db long.db
INT - explain -o out.txt long.db
TERM out.csv export --format=csv -o out.csv long.db
INT out.pftrace export --format=perfetto --force -o out.pftrace long.db
INT out.sql query -o out.sql long.db SELECT*FROM(transfers)
TERM out.sql query -o out.sql long.db SELECT*FROM(transfers)
INT out.db merge -o out.db long.db
TERM out.db merge --force -o out.db long.db
INT out.db anonymize -o out.db long.db
TERM out.db anonymize --force -o out.db long.db
INT out.txt fleet -o out.txt long.db
INT out.db import --pid=4242 -o out.db nsys.sqlite
END
run "$XFERSPY" html -o none.html plain.txt
grep -q "built without" stderr && exit 0
run "$python" -S "$SOURCE/interface/progress.py" ended INT out.html "$XFERSPY" html -o out.html long.db; expect_status 0
