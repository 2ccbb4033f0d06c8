# A trace that somebody else wrote names files of the user who reads it, in every place where a trace can name a source
# file: nothing of these files is in any output of any command. forged_source.py makes the traces; it also makes traces
# that may show such a line, so that it would be seen if nothing were ever shown.
. "$SOURCE/lib.sh"
need_python sqlite3
exec "$python" -B "$SOURCE/input/forged_source.py" "$XFERSPY" "$SQL2DB" "$SOURCE/fixtures" "$GOLDEN"
