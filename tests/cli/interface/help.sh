# Help teaches, mistakes are answered with status 2.
. "$SOURCE/lib.sh"
commands="run report explain diff check html export merge import anonymize symbolize query info completion top
start stop snapshot fleet"
for form in --help "-?" help; do
    run "$XFERSPY" $form
    expect_status 0; expect_no_err
    for command in $commands doctor bench try status; do expect_out "  $command "; done
done
for command in $commands bench try; do
    run "$XFERSPY" $command --help; expect_status 0; expect_out "Examples:"; expect_out "Usage: xferspy $command"
    cp stdout long
    run "$XFERSPY" help $command; expect_status 0; cmp -s stdout long || show "help CMD differs from CMD --help"
    run "$XFERSPY" $command; expect_status 2; expect_no_out
    run "$XFERSPY" $command --nonsense; expect_status 2; expect_no_out; expect_err "xferspy $command"
done
run "$XFERSPY"; expect_status 2; expect_no_out; expect_err "Usage: xferspy"
# An example is one line, and the text of an option stands in its column: 80 columns hold both.
for command in $("$XFERSPY" --help | sed -n '/^ Commands:/,/--help/s/^  \([a-z][a-z]*\) .*/\1/p' | grep -vx help); do
    run "$XFERSPY" $command --help
    # not in awk: mawk takes {30,} for characters
    ! grep -E '^ {30,}[^ ]' stdout || show "the text of an option in help of $command is not in its column"
    awk 'before ~ /^  / && /^[^ ]/ { print; bad = 1 } { before = $0 } END { exit bad }' stdout ||
        show "an example of help of $command is not one line"
done

# The page that says more stands where it lies, as in explain; never as a name that an installed user does not have.
for command in anonymize import check; do
    run "$XFERSPY" $command --help; expect_not " docs/"
    page=$(sed -n 's/^More: //p' stdout)
    case $page in /*/$command.md) [ -f "$page" ] || show "$page is not there" ;; *) show "no page" ;; esac
done

# Options that the help of another one names can be typed as they stand there.
run "$XFERSPY" run --help; tr -s ' \n' ' ' <stdout >words; mv words stdout
expect_out "--fingerprint=all and --migrations=all"; expect_out "for --skip-steps and --steps:"; expect_not "@"
version=$(sed -n 's/^project(xferspy VERSION \([0-9.]*\) .*/\1/p' "$SOURCE/../../CMakeLists.txt")
run "$XFERSPY" --version; expect_status 0; echo "xferspy $version (trace schema $schema)" | cmp - stdout || show version
run "$XFERSPY" -V; expect_status 0
run "$XFERSPY" reprot x.db; expect_status 2; expect_no_out; expect_err "did you mean \`report'?"
run "$XFERSPY" doc; expect_status 2; expect_err "did you mean \`doctor'?"
# An option that a command does not have, and one that it has is meant; of others argp complains.
run "$XFERSPY" report --dteails x.db; expect_status 2; expect_no_out
expect_err "no option \`--dteails'; did you mean \`--details'?"
run "$XFERSPY" report -o --dteails --jsn=1 x.db; expect_status 2; expect_err "did you mean \`--json'?" # its argument
run "$XFERSPY" run --fingerprnt=all -- true; expect_status 2; expect_err "did you mean \`--fingerprint'?"
run "$XFERSPY" run true --fingerprnt; expect_status 0; expect_not "did you mean" # the program's
run "$XFERSPY" --hlep; expect_status 2; expect_err "did you mean \`--help'?"
run "$XFERSPY" report --no-such-thing x.db; expect_status 2; expect_err "unrecognized option"; expect_not "did you mean"
run "$XFERSPY" zzz; expect_status 2; expect_err "xferspy --help"; expect_not "did you mean"
run "$XFERSPY" help zzz; expect_status 2
run "$XFERSPY" --nonsense; expect_status 2
run "$XFERSPY" doctor extra; expect_status 2
run "$XFERSPY" report --color=blue x.db; expect_status 2; expect_err "--color=blue"
run "$XFERSPY" query --format=xml x.db "SELECT 1"; expect_status 2
run "$XFERSPY" query a b c; expect_status 2
run "$XFERSPY" query --help; expect_out "(job.db is made by" # an example that needs a merged file
run "$XFERSPY" explain a b c; expect_status 2
run "$XFERSPY" query a; expect_status 2; expect_err "--tables"
