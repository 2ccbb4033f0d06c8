# Escapes, newlines and invalid UTF-8 in every text column never reach the terminal.
. "$SOURCE/lib.sh"
make_trace hostile.db "$SOURCE/fixtures/simple.sql" "$SOURCE/fixtures/hostile.sql"
for command in "report" "report --json" "report --color=always" "info" "info --all" "info --json"; do
    run "$XFERSPY" $command hostile.db
    expect_status 0
    case $command in
    *always*) sed 's/\x1b\[[0-9;]*m//g' stdout >plain ;;
    *) cp stdout plain ;;
    esac
    LC_ALL=C tr -d '\n' <plain | LC_ALL=C grep -q "[$(printf '\001-\037\177')]" && show "control characters ($command)"
    iconv -f UTF-8 -t UTF-8 plain >/dev/null || show "invalid UTF-8 ($command)"
done
for format in table csv tsv json; do
    run "$XFERSPY" query --format=$format hostile.db "SELECT *, name AS 'a
b' FROM device"
    expect_status 0
    LC_ALL=C tr -d '\n\t' <stdout | LC_ALL=C grep -q "[$(printf '\001-\037\177')]" &&
        show "control characters ($format)"
done
run "$XFERSPY" report hostile.db; expect_out 'evil\x1b[31m\n\xff'
# A command that the report suggests can be pasted, whatever the name of the trace is.
name=$(printf "it's\na %%s \\\\\033.db")
cp "$GOLDEN/h100_wasteful.db" "$name"
run "$XFERSPY" report "$name"; expect_status 0
sed -n 's/.*\(xferspy report --sections=idle .*\)/\1/p' stdout >command
[ "$(wc -l <command)" -eq 1 ] || show "no command is suggested"
if command -v bash >/dev/null; then
    run "$XFERSPY" report --sections=idle "$name"; expect_status 0; mv stdout meant
    run env PATH="$(dirname "$XFERSPY"):$PATH" bash ./command; expect_status 0; expect_no_err
    cmp -s meant stdout || show "the pasted command is another one"
fi
