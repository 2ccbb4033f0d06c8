# status, start, stop, snapshot: what they refuse, and what they say where there is nobody. e2e.control has processes.
. "$SOURCE/lib.sh"
export XDG_RUNTIME_DIR="$WORK/run"
unset XFERSPY_CONTROL
mkdir sockets
for command in start stop snapshot; do
    run "$XFERSPY" $command; expect_status 2; expect_no_out; expect_err "which processes?"
    run "$XFERSPY" $command --all 1; expect_status 2; expect_no_out; expect_err "which processes?"
    run "$XFERSPY" $command --all --job=sockets; expect_status 2; expect_no_out; expect_err "which processes?"
done
export XFERSPY_CONTROL="$WORK/sockets"
for command in status start stop snapshot; do
    for wrong in 0 -- -1 1x x run.db 99999999999999999999999x; do
        run "$XFERSPY" $command -- $wrong; [ "$status" -ne 0 ] || show "$wrong is accepted"
    done
    run "$XFERSPY" $command abc; expect_status 2; expect_err "\`abc' is no number of a process"
    run "$XFERSPY" $command 999999999; expect_status 1; expect_no_out; expect_err "process 999999999 cannot be reached"
    run "$XFERSPY" $command --job=sockets; expect_status 1; expect_no_out; expect_err "no process of sockets"
    run "$XFERSPY" $command --job=no_such_folder; expect_status 1; expect_no_out
    run "$XFERSPY" $command --job=sockets --json; expect_status 1; expect_out '"processes": []'
    run "$XFERSPY" $command --job=sockets --format=json; expect_status 1; expect_out '"processes": []'
done
for time in 0 0s 10 -1s s 1s,2s 1s..2s ..2s 1h "" 99999999999999999999s; do
    run "$XFERSPY" start --for="$time" 999999999; expect_status 2; expect_no_out; expect_err "use a time such as 10s"
done
for time in 10s 500ms 2min 0.5s; do
    run "$XFERSPY" start --for=$time 999999999; expect_status 1; expect_err "cannot be reached"
done

# What can only be said when the program starts is refused by its name: each option of the library.
"$XFERSPY" run --help | sed -n '/^ Capture:/,/^ Afterwards:/s/^ \{2,6\}\(-., \)\{0,1\}--\([a-z][a-z-]*\).*/\2/p' >options
[ "$(wc -l <options)" -ge 25 ] || show "no options"
while read -r option; do
    run "$XFERSPY" start --$option=x 999999999; expect_status 2; expect_no_out
    [ $option != label ] || option=labels # which it abbreviates here
    expect_err "--$option can only be given when the program starts: XFERSPY_"
done <options
run "$XFERSPY" stop --for=1s 999999999; expect_status 2

# A socket that nobody listens at is deleted, and nothing else is.
: >sockets/4242-0123abcd-0.control
: >sockets/run.db
run "$XFERSPY" status --job=sockets; expect_status 1
[ -e sockets/4242-0123abcd-0.control ] && [ -e sockets/run.db ] || show "a file was deleted"
need_python jsonschema.Draft202012Validator
"$python" -c 'import socket; socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET).bind("sockets/4243-0123abcd-0.control")'
run "$XFERSPY" status --job=sockets; expect_status 1
[ ! -e sockets/4243-0123abcd-0.control ] || show "the socket of a process that is gone is left"

# Whoever answers at a socket may answer anything.
cat >answer.py <<'END'
import socket, sys
server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
server.bind("sockets/4244-0123abcd-0.control")
server.listen()
print("ready", flush=True)
for answer in 2 * [b"ok\tpid=1\tstate=recording\tchangeable=1\tleft_ns=7\tprogram=a%1B[31m%0Ab\ttrace=/x"] + [b"garbage", b"", b"no\tnot%09now", b"ok\0"]:
    connection, _ = server.accept()
    connection.recv(100)
    connection.send(answer) if answer else None
    connection.close()
END
mkfifo ready
"$python" answer.py >ready & server=$!
trap 'kill $server 2>/dev/null' EXIT
read -r line <ready
run "$XFERSPY" status $server; expect_status 0; expect_out "recording"; expect_out 'a\x1b[31m\nb'
run "$XFERSPY" status $server --json; expect_status 0; expect_no_err; expect_out '"stops_in_ns": 7'
cp stdout answered.json
run "$XFERSPY" status $server; expect_status 1; expect_no_out; expect_err "its answer is damaged"
run "$XFERSPY" status $server; expect_status 1; expect_no_out; expect_err "it ended, or does not answer this user"
run "$XFERSPY" stop $server --json; expect_status 1; expect_err "not\\tnow"; expect_out '"state": null'
cp stdout refused.json
run "$XFERSPY" stop $server; expect_status 1; expect_no_out; expect_err "its answer is damaged"
wait $server

# What is written as JSON is what the schema says, and the schema has all of it.
cat >validate.py <<'END'
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
item = schema["properties"]["processes"]["items"]
item["additionalProperties"] = False
for name in sys.argv[2:]:
    document = json.load(open(name))
    jsonschema.Draft202012Validator(schema).validate(document)
    assert document["processes"], name
END
run "$python" validate.py "$SOURCE/../../docs/schema/control.schema.json" answered.json refused.json; expect_status 0
