# Files that are no trace: one line naming the file, status 1, and the file as it was, with nothing beside it.
. "$SOURCE/lib.sh"
make_trace good.db "$SOURCE/fixtures/simple.sql"
mkdir in in/directory
: >in/empty
echo "just some text" >in/text
printf 'SQLite format 3\0and then nothing' >in/header
head -c 5000 good.db >in/truncated
head -c 20000 good.db >in/truncated_more
{ printf 'SQLite format 3\0'; head -c 100000 /dev/zero; } >in/zeros
cp good.db in/newer
printf '\0\0\0\143' | dd of=in/newer bs=1 seek=60 conv=notrunc 2>/dev/null
cp good.db in/foreign
printf '\0\0\0\0' | dd of=in/foreign bs=1 seek=68 conv=notrunc 2>/dev/null
printf 'escape \033[31m' >"in/$(printf 'na\033[31mme')"
ls in >before
for file in in/missing in/*; do
    [ -f "$file" ] && sum=$(cksum <"$file")
    name=$(printf '%s' "$file" | sed 's/\x1b.*//') # what follows is escaped, one way or another
    for command in report info; do
        run "$XFERSPY" $command "$file"
        expect_error_of "$name"
    done
    run "$XFERSPY" query "$file" "SELECT 1"; expect_error_of "$name"
    [ ! -f "$file" ] || [ "$sum" = "$(cksum <"$file")" ] || show "$file was changed"
done
ls in >after
run "$XFERSPY" report "in/$(printf 'na\033[31mme')"; expect_not "$(printf '\033')"
cmp -s before after || show "files were made or removed: $(diff before after)"
run "$XFERSPY" report in/newer; expect_err "newer"
