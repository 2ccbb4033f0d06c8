# -o, --force, colour.
. "$SOURCE/lib.sh"
need script
make_trace t.db "$SOURCE/fixtures/simple.sql"
run "$XFERSPY" report t.db; cp stdout expected
run "$XFERSPY" report -o r.txt t.db; expect_status 0; expect_no_out; expect_no_err
cmp -s r.txt expected || show "-o differs from stdout"
echo old >r.txt
run "$XFERSPY" report -o r.txt t.db; expect_error_of r.txt; expect_err "--force"
[ "$(cat r.txt)" = old ] || show "replaced without --force"
run "$XFERSPY" report --force -o r.txt t.db; expect_status 0; cmp -s r.txt expected || show "--force did not replace"
# A new file is its owner's alone, whatever the umask; one that is replaced keeps its mode.
(umask 0 && "$XFERSPY" report -o private.txt t.db) || show "no output"
[ "$(stat -c %a private.txt)" = 600 ] || show "private.txt has the mode $(stat -c %a private.txt)"
chmod 640 private.txt
run "$XFERSPY" report --force -o private.txt t.db; expect_status 0
[ "$(stat -c %a private.txt)" = 640 ] || show "--force changed the mode to $(stat -c %a private.txt)"
rm private.txt
# A symbolic link is replaced, and what it leads to stays as it was; without --force it is in the way. The commands that
# write traces have their own way to write.
make_trace first.db "$SOURCE/fixtures/simple.sql"
for command in "report t.db" "export --format=csv t.db" "html t.db" "anonymize t.db" "merge t.db first.db" \
    "fleet t.db"; do
    for target in precious nowhere; do
        rm -f link nowhere; echo precious >precious; ln -s $target link
        case $command in
        html*) run "$XFERSPY" html --help; [ $status -eq 0 ] || continue ;; # a build without the page
        esac
        run "$XFERSPY" $command -o link
        expect_status 1; expect_err "link: exists already"; [ -L link ] || show "$command: without --force"
        run "$XFERSPY" $command -o link --force; expect_status 0
        [ ! -L link ] && [ -s link ] || show "$command: the link is no file now"
        [ "$(cat precious)" = precious ] && [ ! -e nowhere ] || show "$command: followed the link"
        [ "$(stat -c %a link)" = 600 ] || show "$command: link has the mode $(stat -c %a link)"
    done
done
# /dev/stdout is a link, too, and leads to what the shell opened: it is written to, and stays.
for force in "" --force; do
    echo before >appended
    "$XFERSPY" report $force -o /dev/stdout t.db >>appended || show "/dev/stdout $force"
    { echo before; cat expected; } | cmp -s - appended || show "/dev/stdout $force: what is in the file"
    [ -L /dev/stdout ] || show "/dev/stdout was replaced"
done
for command in anonymize merge; do
    run "$XFERSPY" $command --force -o /dev/stdout t.db; expect_error_of "/dev/stdout: is no regular file"
done
# An error leaves an old file as it was, and a new one unmade.
echo old >r.txt
run "$XFERSPY" report --force -o r.txt missing.db; expect_error_of missing.db
[ "$(cat r.txt)" = old ] || show "lost the old file"
run "$XFERSPY" report -o new.txt missing.db; expect_error_of missing.db; [ ! -e new.txt ] || show "left a file"
run "$XFERSPY" query --force -o r.txt t.db "SELEC"; expect_error_of SELEC
[ "$(cat r.txt)" = old ] || show "lost the old file"
[ "$(ls | grep -c 'r.txt')" -eq 1 ] || show "left a temporary file"
# The trace itself is no output.
sum=$(cksum <t.db)
for command in "report" "info" "query"; do
    run "$XFERSPY" $command --force -o ./t.db t.db $([ $command = query ] && echo "SELECT")
    [ $status -ne 0 ] || show "wrote to the trace"
done
[ "$sum" = "$(cksum <t.db)" ] || show "the trace was changed"
run "$XFERSPY" report -o no/such/folder t.db; expect_error_of no/such/folder
run "$XFERSPY" report -o - t.db; expect_status 0; cmp -s stdout expected || show "-o - is stdout"
run "$XFERSPY" report -o /dev/null t.db; expect_status 0; expect_no_out
if [ -w /dev/full ]; then
    "$XFERSPY" report t.db >/dev/full 2>stderr; status=$?; step="report >/dev/full"
    expect_status 1; expect_err "No space left"
fi
# Colour: never by itself where there is no terminal, and NO_COLOR gives way to --color=always alone.
esc=$(printf '\033')
run "$XFERSPY" report t.db; expect_not "$esc"
run "$XFERSPY" report --color=always t.db; expect_out "$esc"
NO_COLOR=1 run "$XFERSPY" report --color=always t.db; expect_out "$esc"
NO_COLOR=1 run "$XFERSPY" report --color=auto t.db; expect_not "$esc"
TERM=xterm script -qec "'$XFERSPY' report t.db" /dev/null >stdout 2>stderr </dev/null; expect_out "$esc[1m"
TERM=xterm NO_COLOR=1 script -qec "'$XFERSPY' report t.db" /dev/null >stdout 2>stderr </dev/null; expect_not "$esc"
TERM=xterm COLUMNS=60 script -qec "'$XFERSPY' report t.db" /dev/null >stdout 2>stderr </dev/null
expect_out "Transfers"
