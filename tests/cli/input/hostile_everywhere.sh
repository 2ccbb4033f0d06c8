# Every command and every format on what nobody would expect in a trace: hostile text in every text column at once,
# clocks that jump, missing parts, the wrong files. hostile_everywhere.py makes the traces and looks at each output with
# a reader of its format.
. "$SOURCE/lib.sh"
need_python sqlite3 xml.dom.minidom
"$SQL2DB" nsys.sqlite --plain "$SOURCE/fixtures/nsys_tables.sql" "$SOURCE/fixtures/nsys_new.sql" || exit 1
exec "$python" -B "$SOURCE/input/hostile_everywhere.py" "$XFERSPY" "$GOLDEN" "$SQL2DB" "$SOURCE/fixtures"
