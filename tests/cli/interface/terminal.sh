# What a report looks like on terminals of several sizes, with and without colour and UTF-8, and where there is none.
. "$SOURCE/lib.sh"
need_python
on() {
    columns=$1 rows=$2; shift 2
    run env TERM=xterm "$python" -S "$SOURCE/interface/on_terminal.py" "$columns" "$rows" "$@"
}
make_trace simple.db "$SOURCE/fixtures/simple.sql"
make_trace findings.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql"
escape=$(printf '\033')
for trace in simple.db findings.db; do
    for columns in 60 80 200; do
        for options in --details --by=site --by=function --site=cu* --sections=idle,waits; do
            # shellcheck disable=SC2086 # no option is one of none
            on $columns 24 "$XFERSPY" report --color=never $options "$trace"
            expect_status 0
            expect_no_err # lines that are wider
        done
    done
done
# Lines are whole where that is what tells them apart, at 60 columns as well.
on 60 24 "$XFERSPY" report --color=never --by=site findings.db; expect_out ".py:12"; expect_out ".c:77"
on 60 24 "$XFERSPY" report --color=never simple.db; expect_out "H2D pageable"
# The beginning has the headline, and where the end is all that a terminal shows, the end is, too.
on 80 24 "$XFERSPY" report --color=never simple.db
[ "$(head -n 10 stdout | grep -c '^  wasted    up to 29.3 ms')" -eq 1 ] || show "the headline within the first lines"
tail -n 5 stdout | grep -q '^  Wasted: up to 29.3 ms' || show "the headline at the end"
expect_out "--sections=findings shows the findings alone"
echo "DELETE FROM transfer WHERE result = 1" >worked.sql
make_trace worked.db "$SOURCE/fixtures/simple.sql" worked.sql
on 80 24 "$XFERSPY" report --color=never --sections=findings worked.db; expect_not "Wasted:"
[ "$(wc -l <stdout)" -le 24 ] || show "the findings alone fill more than 24 rows"
on 80 100 "$XFERSPY" report --color=never simple.db; expect_not "Wasted:"
run "$XFERSPY" report simple.db; expect_not "Wasted:"
# Colour: on a terminal only, and not against anybody's will.
on 80 24 "$XFERSPY" report simple.db; grep -q "$escape\[1m" stdout || show "no colour on a terminal"
run "$XFERSPY" report simple.db; grep -q "$escape" stdout && show "colour in a pipe"
NO_COLOR=1 on 80 24 "$XFERSPY" report simple.db; grep -q "$escape" stdout && show "colour with NO_COLOR"
NO_COLOR='' on 80 24 "$XFERSPY" report simple.db; grep -q "$escape" stdout || show "an empty NO_COLOR is none"
on 80 24 env TERM=dumb "$XFERSPY" report simple.db; grep -q "$escape" stdout && show "colour on a dumb terminal"
run "$XFERSPY" report --color=always simple.db; grep -q "$escape\[1m" stdout || show "no colour though asked for"
run "$XFERSPY" report --color=always --format=markdown simple.db; grep -q "$escape" stdout && show "colour in Markdown"
# Decorations are ASCII without UTF-8.
LC_ALL=C on 60 24 "$XFERSPY" report --color=never --details findings.db
LC_ALL=C grep -q '[^ -~]' stdout && show "other than ASCII"
COLUMNS=72 on 100 24 "$XFERSPY" report --color=never simple.db
[ "$(awk 'length > 72' stdout | wc -l)" -eq 0 ] || show "COLUMNS is what a user says"
# A stack of a function that calls itself is folded.
cat >deep.sql <<'END'
INSERT INTO stack(id,native_frames,python_frames,is_cut) VALUES (50, 300, 0, 0);
WITH RECURSIVE d(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM d WHERE n < 299)
  INSERT INTO stack_frame (id, stack, depth, address, module) SELECT 50 * 4096 + n, 50, n, CASE n WHEN 0 THEN 1000100 ELSE 5000400 END,
    CASE n WHEN 0 THEN 1 ELSE 3 END FROM d;
UPDATE transfer SET stack = 50 WHERE stack = 4;
END
make_trace deep.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql" deep.sql
run "$XFERSPY" explain deep.db scalar-readback; expect_status 0
expect_out "#1        read_back  reader/reader.c:77  (x 299)"
[ "$(sed -n '/^Called from/,/^$/p' stdout | wc -l)" -le 5 ] || show "folded"
# No lines: a word on what to do, and after what is known of the binaries.
echo "DELETE FROM symbol" >nolines.sql
make_trace nolines.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql" nolines.sql
run "$XFERSPY" report nolines.db; expect_status 0; expect_out "places in native code have no line: build with -g"
expect_out "--debug-path"
said=$(sed -n 's/^ *\([0-9]*\) of \([0-9]*\) places in native code.*/\1 \2/p' stdout)
run "$XFERSPY" report --json nolines.db; expect_out "\"native_places_without_line\": ${said% *},"
expect_out "\"native_places\": ${said#* },"
run "$XFERSPY" report --json --by=site nolines.db; expect_out '"address": 400'
run "$XFERSPY" report findings.db; expect_not "build with -g"
