# The man pages: read without complaint by both readers of man pages, and they hold what --help does.
. "$SOURCE/lib.sh"
need man groff mandoc col
commands=$("$XFERSPY" --help | sed -n '/^ Commands:/,/--help/s/^  \([a-z][a-z]*\) .*/\1/p' | grep -vx help)
[ "$(echo "$commands" | wc -l)" -ge 8 ] || show "no commands in --help"
# Words, one a line, as a terminal shows them.
words_of() { mandoc -T ascii -O width=500 "$1" | col -bx | tr -s ' ' '\n'; }
check_page() {
    [ -s "$1" ] || show "no $1"
    LC_ALL=C.UTF-8 MANROFFSEQ='' man --warnings -l "$1" >/dev/null 2>warnings </dev/null || show "man cannot show $1"
    [ ! -s warnings ] || show "$1: $(cat warnings)"
    run mandoc -T lint -W warning "$1"; expect_status 0; expect_no_out
}
for name in $commands; do
    page=$PAGES/xferspy-$name.1
    check_page "$page"
    words_of "$page" >page
    # Every option with its values.
    "$XFERSPY" $name --help | sed -n 's/^ \{2,6\}\(-., \)\{0,1\}\(--[^ ]*\).*/\2/p' >options
    [ -s options ] || show "no options in --help of $name"
    while read -r option; do
        case $option in --format=FORMAT) option=--format= ;; esac
        grep -qF -e "$option" page || show "$page: no $option"
    done <options
    # Its examples, every word of them.
    "$XFERSPY" $name --help | sed -n '/^Examples:/,/^$/s/^  //p' | tr -s ' ' '\n' >examples
    [ -s examples ] || show "no examples in --help of $name"
    while read -r word; do
        grep -qxF -e "$word" page || show "$page: no $word"
    done <examples
    grep -qF "$(echo "xferspy-$name" | tr a-z A-Z)(1)" page || show "$page: not its name"
done
check_page "$PAGES/xferspy.1"
check_page "$PAGES/libxferspy.7"
words_of "$PAGES/xferspy.1" >page
for name in $commands; do grep -qxF "$name" page || show "xferspy.1: no $name"; done
words_of "$PAGES/libxferspy.7" >page
# --label adds to the variable of --labels.
"$XFERSPY" run --help | sed -n '/^ Capture:/,/^ Afterwards:/s/^ *--\([a-z-]*\).*/\1/p' | tr a-z- A-Z_ |
    grep -vx LABEL >options
[ "$(wc -l <options)" -ge 10 ] || show "no capture options"
while read -r option; do grep -q "^XFERSPY_$option=" page || show "libxferspy.7: no XFERSPY_$option"; done <options
[ "$(grep -c '^XFERSPY_[A-Z_]*=' page)" -ge "$(wc -l <options)" ] || show "libxferspy.7: too few"
grep -qxF "XFERSPY_FINGERPRINT=all" page || show "libxferspy.7: another option is no variable"
exit 0
