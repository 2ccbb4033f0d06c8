# top: a trace while it is written, by its name and by its process; it ends when the process does.
. "$SOURCE/lib.sh"
mkfifo in out
"$SPOOLED" live.db 0 <in >out 2>/dev/null &
live=$!
exec 5>in 6<out
read -r ready <&6 && [ "$ready" = ready ] || show "no trace"
for what in live.db $live; do
    run "$XFERSPY" top --once $what; expect_status 0; expect_no_err
    expect_out "./train --steps 10"; expect_out "so far    "; expect_out "Causes"
done
run "$XFERSPY" top --once $$; expect_status 1; expect_no_out; expect_err "process $$ writes no trace now"
run "$XFERSPY" top --once 999999999; expect_status 1; expect_no_out; expect_err "process 999999999: "

# Again and again, until the process ends.
"$XFERSPY" top --interval=1 live.db >looks 2>messages &
top=$!
until [ "$(grep -c '^Causes' looks)" -ge 2 ]; do kill -0 $top || show "ended early"; sleep 0.05; done
grep -q '^  now  *no copies' looks || show "rates since the last look"
echo >&5; wait $live 2>/dev/null
wait $top; status=$?
expect_status 0
grep -q "its process was killed; .* were recovered" messages || show "the end of the process is said"

# What has ended is shown once, and nothing on a file that is no terminal moves the cursor.
run "$XFERSPY" top live.db; expect_status 0; [ "$(grep -c '^Causes' stdout)" = 1 ] || show "once"
LC_ALL=C grep -q "$(printf '\033')" stdout && show "an escape"
make_trace findings.db "$SOURCE/fixtures/findings.sql"
run "$XFERSPY" top findings.db; expect_status 0; expect_out "H2D 9"; expect_out "devices copy 8.2 % of the time"

# A folder, a file that is none, wrong command lines.
echo text >text; run "$XFERSPY" top text; expect_error_of text
run "$XFERSPY" top missing.db; expect_error_of missing.db
run "$XFERSPY" top; expect_status 2; expect_err "which trace, or which process?"
run "$XFERSPY" top a b; expect_status 2; expect_err "one trace or process only"
run "$XFERSPY" top --interval=0 findings.db; expect_status 2; expect_err "use 1 to 3600 seconds"
