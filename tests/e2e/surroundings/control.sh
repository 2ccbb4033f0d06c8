#!/bin/bash
# Commands control running programs: one that sleeps, one that is recorded throughout, many at once, programs in another
# namespace and of another user, and programs that were killed or stopped.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
program=$build/tests/e2e/programs/steady_copies
mkdir sockets traces
chmod 700 sockets

more=
jobs_of() { jobs -p; }
trap 'for job in $(jobs_of); do kill -KILL "$job" 2>/dev/null; done; wait 2>/dev/null; clean_up' EXIT
# begin NAME [VARIABLE=VALUE...]: a program that copies until SIGTERM, with the arguments in `more`; its count is in
# NAME.count
begin() {
    env LD_LIBRARY_PATH="$simulated" LD_PRELOAD="$preload" XFERSPY_OUTPUT="$work/traces/$1.db" \
        XFERSPY_CONTROL="$work/sockets" "${@:2}" "$program" 0 "$1.count" $more >"$1.stdout" 2>"$1.stderr" &
    job=$!
}
# command COMMAND...: of xferspy on the folder of sockets, with success
command() {
    XFERSPY_CONTROL=$work/sockets timeout 600 "$xferspy" "$@" >look 2>look.stderr || fail "$*" look look.stderr
}
refused() { # refused WORDS COMMAND...
    XFERSPY_CONTROL=$work/sockets timeout 600 "$xferspy" "${@:2}" >look 2>look.stderr
    [ $? = 1 ] || fail "${*:2}: not status 1" look look.stderr
    says look.stderr "$1"
}
socket_of() { set +f; echo sockets/"$1"-*.control; }
late="could not be made within two seconds"
# wait_for_socket NAME [VARIABLE=VALUE...]: until it can be reached; begun again where the machine is so busy that the
# library did not get its trace in time
wait_for_socket() {
    local tries=0
    until [ -S "$(socket_of "$(process_of "$1.count")")" ]; do
        tries=$((tries + 1))
        [ $tries -lt 600 ] || fail "$1 has no socket" "$1.stderr"
        sleep 0.1
        grep -qF "$late" "$1.stderr" || continue
        kill -KILL "$(process_of "$1.count")"
        rm -f "$1.count"
        begin "$@"
    done
}

# A sleeping program is recorded between start and stop, and nowhere else.
begin one XFERSPY_START=off
wait_for_socket one XFERSPY_START=off
wait_for_copies one.count 5
one=$(process_of one.count)
command status "$one"
says look "asleep" "traces/one.db"
command status
says look "asleep"
before=$(returned_of one.count)
command start "$one"
says look "recording"
wait_for_copies one.count $((before + 5))
command stop "$one"
after=$(returned_of one.count)
says look "asleep"
# It can be read now, while the program goes on. A copy that was under way at the start or at the stop may be missing.
has traces/one.db "SELECT min(bytes) > $before, max(bytes) <= $after + 1, count(*) BETWEEN 4 AND $((after - before + 1)),
    count(*) = max(bytes) - min(bytes) + 1 FROM transfer" '1|1|1|1'
wait_for_copies one.count $((after + 5))
command start --for=60min $$ # what started it
says look "recording" "stops in"
command stop --all
command stop --job=traces
says look "asleep"
refused "process 999999999 cannot be reached" stop 999999999
kill -TERM "$one"
wait $job || fail "the program fails" one.stdout one.stderr
[ "$(cat one.stdout)" = "data ok" ] || fail "what the program prints" one.stdout
[ ! -e "$(socket_of "$one")" ] || fail "a socket is left"
has traces/one.db "SELECT value FROM meta WHERE key = 'range.count'" 2
timeout 600 "$xferspy" report traces/one.db >look 2>look.stderr || fail "report" look look.stderr
says look "in 2 parts of the run that \`xferspy start' asked for"
refused "can be reached" status

# Nobody starts it: there is no trace.
begin unasked XFERSPY_START=off
wait_for_socket unasked XFERSPY_START=off
wait_for_copies unasked.count 3
kill -TERM "$(process_of unasked.count)"
wait $job || fail "the program fails" unasked.stderr
[ ! -s unasked.stderr ] && [ ! -e traces/unasked.db ] || fail "a trace that nobody asked for" unasked.stderr

# It is killed while it sleeps: what it leaves says that nothing was recorded.
begin killed XFERSPY_START=off
wait_for_socket killed XFERSPY_START=off
wait_for_copies killed.count 3
until [ -n "$(q traces/killed.db "SELECT value FROM meta WHERE key = 'range.windows'")" ]; do
    sleep 0.1
    kill -0 "$(process_of killed.count)" || fail "the trace does not say what is recorded" query.stderr
done
kill -KILL "$(process_of killed.count)"
wait $job 2>/dev/null
timeout 600 "$xferspy" report traces/killed.db >look 2>look.stderr || fail "report" look look.stderr
says look "Nothing was recorded but allocations: it was never started by \`xferspy start'"

# One that is recorded throughout cannot be stopped, but its trace is complete when a command asks for that.
begin usual
wait_for_socket usual
wait_for_copies usual.count 5
usual=$(process_of usual.count)
command status "$usual"
says look "recording"
refused "process $usual: this process records from its start to its end" stop "$usual"
copies=$(returned_of usual.count)
command snapshot "$usual"
has traces/usual.db "SELECT count(*) >= $copies FROM transfer" 1

# Stopped by a signal, it does not answer. Killed, it leaves a socket, which the next command deletes.
kill -STOP "$usual"
refused "process $usual: it does not answer" status "$usual"
kill -KILL "$usual"
wait $job 2>/dev/null
[ -S "$(socket_of "$usual")" ] || fail "no socket to delete"
refused "process $usual cannot be reached" status "$usual"
[ ! -e "$(socket_of "$usual")" ] || fail "the socket of a killed program is left"

# One that has gone into a sandbox is not asked, because it would end if it answered.
more=sandbox
begin boxed XFERSPY_START=off
wait_for_socket boxed XFERSPY_START=off
more=
wait_for_copies boxed.count 1
boxed=$(process_of boxed.count)
refused "process $boxed: it has gone into a sandbox (seccomp)" start "$boxed"
wait_for_copies boxed.count $(($(returned_of boxed.count) + 2))
kill -TERM "$boxed"
wait $job || fail "the program ends in its sandbox" boxed.stdout boxed.stderr

# Another user: the socket's file is closed to him, and if it were open he would get no answer.
other=65534
if [ "$(id -u)" = 0 ] && setpriv --reuid=$other --regid=$other --clear-groups true 2>/dev/null; then
    begin asked XFERSPY_START=off
    wait_for_socket asked XFERSPY_START=off
    asked=$(process_of asked.count)
    mkdir bin
    cp "$xferspy" bin/
    chmod -R a+rX bin
    chmod 711 .
    chmod 755 sockets
    he() {
        setpriv --reuid=$other --regid=$other --clear-groups env XFERSPY_CONTROL="$work/sockets" \
            "$work/bin/xferspy" "$@"
    }
    he stop "$asked" >look 2>look.stderr && fail "another user controls a program" look
    says look.stderr "process $asked cannot be reached"
    chmod 666 "$(socket_of "$asked")"
    he start "$asked" >look 2>look.stderr && fail "another user controls a program" look
    says look.stderr "process $asked: it ended, or does not answer this user"
    chmod 700 sockets
    command status "$asked"
    says look "asleep"
    kill -KILL "$asked"
else
    echo "left out: another user"
fi

# A container that shares the folder: its process has other numbers inside.
if unshare --user --map-root-user --pid --fork --mount-proc true 2>/dev/null; then
    env LD_LIBRARY_PATH="$simulated" XFERSPY_OUTPUT="$work/traces/inside.db" XFERSPY_CONTROL="$work/sockets" \
        XFERSPY_START=off unshare --user --map-root-user --pid --fork --mount-proc \
        env LD_PRELOAD="$preload" "$program" 0 inside.count >inside.stdout 2>inside.stderr &
    container=$!
    wait_for_copies inside.count 3
    inside=$(process_of inside.count)
    until [ -S "$(socket_of "$inside")" ] || grep -qF "$late" inside.stderr || ! kill -0 $container 2>/dev/null; do
        sleep 0.1
    done
    if [ -S "$(socket_of "$inside")" ]; then
        timeout 600 "$xferspy" start --job=sockets >look 2>look.stderr || fail "a container" look look.stderr
        says look "recording" "traces/inside.db"
        outside=$(awk 'NR == 2 { print $1 }' look)
        [ "$outside" != "$inside" ] || fail "the number of a process in another namespace" look
        command stop "$outside"
        says look "asleep"
        kill -TERM "$outside"
    else
        says inside.stderr "$late"
        echo "left out: a container, because this machine is too busy"
        kill -KILL $container
    fi
else
    echo "left out: a container"
fi
wait 2>/dev/null

# Many at once. A second is enough on an idle machine; the best of some turns is taken, because this one may be busy.
many=64 best=999999999
[ -z "$sanitizer_runtime" ] || many=8
for i in $(seq $many); do
    begin "many$i" XFERSPY_START=off
    [ $((i % 8)) = 0 ] || continue
    for k in $(seq $((i - 7)) $i); do wait_for_socket "many$k" XFERSPY_START=off; done
done
for turn in 1 2 3 4 5; do
    for verb in start stop; do
        from=$(date +%s%N)
        command $verb --all
        took=$(($(date +%s%N) - from))
        [ "$(grep -cE ' (recording|asleep) ' look)" = $many ] || fail "$verb does not reach all" look
        [ $took -ge $best ] || best=$took
    done
done
echo "$many processes in $((best / 1000000)) ms"
[ $best -lt 1000000000 ] || [ -n "$sanitizer_runtime" ] || fail "$many processes take longer than a second"
for i in $(seq $many); do kill -TERM "$(process_of "many$i.count")"; done
wait
for i in $(seq $many); do has "traces/many$i.db" "SELECT value FROM meta WHERE key = 'range.count'" 5; done
echo "PASS control"
