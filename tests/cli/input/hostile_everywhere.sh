# Every command and every format on what nobody would expect in a trace: hostile text in every text column at once, clocks
# that jump, missing parts, the wrong files. hostile_everywhere.py makes the traces and looks at each output with a reader of
# its format.
. "$SOURCE/lib.sh"
python=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import sqlite3, xml.dom.minidom' 2>/dev/null; then python=$candidate; break; fi
done
[ -n "$python" ] || { echo "no python3 with sqlite3"; exit 77; }
"$SQL2DB" nsys.sqlite --plain "$SOURCE/fixtures/nsys_tables.sql" "$SOURCE/fixtures/nsys_new.sql" || exit 1
exec "$python" -B "$SOURCE/input/hostile_everywhere.py" "$XFERSPY" "$SOURCE/../golden"
