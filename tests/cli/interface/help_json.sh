# help --json: the same commands and options as --help, by its schema.
. "$SOURCE/lib.sh"
need_python jsonschema.Draft202012Validator
schema="$SOURCE/../../docs/schema/help.schema.json"
run "$XFERSPY" help --json; expect_status 0; expect_no_err
cp stdout all.json
"$python" "$SOURCE/report/json_schema.py" --strict "$schema" all.json >wrong ||
    { cat wrong; show "not as the schema says"; }
"$XFERSPY" --help | sed -n '/^ Commands:/,/--help/s/^  \([a-z][a-z]*\) .*/\1/p' | grep -vx help | sort >commands
"$python" -c 'import json; print(*sorted(c["name"] for c in json.load(open("all.json"))["commands"]), sep="\n")' >named
cmp -s commands named || { diff commands named; show "the commands of --help"; }
# Every option of every command's help, and no other.
for command in $(cat commands); do
    "$XFERSPY" $command --help |
        sed -n 's/^ \{2,6\}\(-., \)\{0,1\}--\([a-z][a-z-]*\).*/\2/p' | sort -u >options
    "$python" -c '
import json, sys
command = next(c for c in json.load(open("all.json"))["commands"] if c["name"] == sys.argv[1])
print(*sorted({o["name"] for o in command["options"]}), sep="\n")' $command >named
    cmp -s options named || { diff options named; show "the options of $command"; }
done
# Every command that writes JSON takes --format=json, so that nobody has to know which of them do not.
"$python" -c '
import json
for command in json.load(open("all.json"))["commands"]:
    words = next((o["choices"] for o in command["options"] if o["name"] == "format"), None) or []
    assert command["writes_json"] == ("json" in words) or command["name"] == "export", command["name"]
print("ok")' >stdout 2>stderr || show "a command has one of --json and --format=json"
# One command alone; what stands for what.
run "$XFERSPY" help --json report; expect_status 0
json '[c["name"] for c in d["commands"]] == ["report"]'
json 'd["commands"][0]["writes_json"] and d["commands"][0]["arguments"] == [
    {"name": "TRACE|PID", "kind": "trace", "repeats": True}]'
json '[o["choices"] for o in d["commands"][0]["options"] if o["name"] == "format"] == [["text", "json", "markdown"]]'
json '[o["letter"] for o in d["commands"][0]["options"] if o["name"] == "output"] == [None]'
json 'any(v["name"] == "XFERSPY_OUTPUT" and v["type"] == "TEXT" for v in d["variables"])'
run "$XFERSPY" help --json zzz; expect_status 2; expect_no_out; expect_err "no command"
run "$XFERSPY" help --json reprot; expect_status 2; expect_err "did you mean \`report'?"
