# The formats of xferspy check, read by what reads them: a validator with SARIF's schema, junitparser, a reader of
# workflow commands; hostile text in all of them.
. "$SOURCE/lib.sh"
need xmllint
need_python jsonschema.Draft202012Validator junitparser
F=$SOURCE/fixtures
make_trace run.db "$F/findings.sql" "$F/callsites.sql"
make_trace bare.db "$F/findings.sql"
make_trace joined.db "$F/findings.sql" "$F/callsites.sql" "$F/joined.sql"
make_trace blind.db "$F/without_cupti.sql"
make_trace empty.db "$F/empty.sql"
# Markup, a link, a placeholder, a control, an invalid byte, U+FFFE and 5,000 bytes in the texts that are shown.
cat >evil.sql <<'EOF'
UPDATE python_code SET function = '<b>&"'']]>[l](http://x){0}' || char(27, 10, 65534, 8238) || CAST(x'FF' AS TEXT) || hex(zeroblob(2500));
UPDATE python_code SET file = '/opt/app/a b#c%d?::error file=x,line=1::' || char(10) || CAST(x'FF' AS TEXT) || '.py' WHERE file LIKE '%train%';
EOF
make_trace evil.db "$F/findings.sql" "$F/callsites.sql" "$F/hostile.sql" evil.sql
cat >gate <<'EOF'
[check]
fail-on = noop-upload:0, any:2%, wall-time:1ms, unused-upload:5, transfers:1000
[suppress]
finding = pageable
reason = not <yet> & "soon"
[suppress]
finding = scalar-readback
reason = over
until = 2020-01-01
EOF
cat >read.py <<'EOF'
import json, re, sys, junitparser, jsonschema
schema = json.load(open(sys.argv[1]))
draft = jsonschema.Draft7Validator(schema, format_checker=jsonschema.FormatChecker())
def rows(name):
    log = json.load(open(name + ".sarif"))
    draft.validate(log)
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(rules) == len(set(rules)), rules
    for result in run["results"]:
        assert result["ruleId"] in rules, result
        (place,) = result["locations"]
        uri = place["physicalLocation"]["artifactLocation"]["uri"]
        assert re.fullmatch(r"(file://)?([A-Za-z0-9._~/-]|%[0-9A-F]{2})+", uri), uri
    keys = [json.dumps([r["ruleId"], r.get("partialFingerprints", r["message"]), r["locations"]]) for r in run["results"]]
    assert len(keys) == len(set(keys)), "the same result twice"
    return run, run["results"]
def suites(name):
    found = list(junitparser.JUnitXml.fromfile(name + ".xml"))
    for suite in found:
        cases = list(suite)
        kinds = [type(r).__name__ for c in cases for r in c.result]
        assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (
            len(cases), kinds.count("Failure"), kinds.count("Error"), kinds.count("Skipped")), suite.name
    return found

run, results = rows("run")
assert run["invocations"][0]["exitCode"] == 3
by = {r["ruleId"]: r for r in results}
noop = by["noop-upload"]
assert noop["level"] == "error" and "Fails noop-upload:0." in noop["message"]["text"], noop
where = noop["locations"][0]["physicalLocation"]
assert where["artifactLocation"] == {"uri": "train.py", "uriBaseId": "%SRCROOT%"} and where["region"]["startLine"] == 12
assert by["scalar-readback"]["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "file:///build/reader/reader.c"}
assert by["pageable"]["suppressions"][0]["justification"] == 'not <yet> & "soon"'
assert by["pageable"]["suppressions"][0]["status"] == "accepted" and by["pageable"]["level"] == "note"
assert by["scalar-readback"]["suppressions"][0]["status"] == "rejected" and by["scalar-readback"]["level"] == "error"
assert by["metric/wall-time"]["level"] == "error"
assert by["unknown/unused-upload"]["kind"] == "open" and by["unknown/unused-upload"]["level"] == "none"
(suite,) = suites("run")
state = {c.name: [type(r).__name__ for r in c.result] for c in suite}
assert state == {"noop-upload:0": ["Failure"], "any:2%": ["Failure"], "wall-time:1ms": ["Failure"], "unused-upload:5": ["Error"],
                 "transfers:1000": [], "suppression gate:6": ["Failure"]}, state
text = next(c for c in suite if c.name == "noop-upload:0").result[0].text
assert "at train.py:12 in step (cuMemcpyHtoD_v2)" in text, text

# The same finding of three ranks is one result, of three occurrences; without a baseline no word of one.
_, results = rows("ranks")
noop = [r for r in results if r["ruleId"] == "noop-upload"]
assert len(noop) == 1 and noop[0]["occurrenceCount"] == 3 and "baselineState" not in noop[0], noop
assert len(suites("ranks")) == 3
before, after = (rows(n)[1] for n in ("run", "moved"))
hashes = [r["partialFingerprints"]["primaryLocationLineHash"] for r in before if "partialFingerprints" in r]
assert len(hashes) == len(set(hashes)), hashes
def prints(results):
    return sorted(r["partialFingerprints"]["primaryLocationLineHash"] for r in results if "partialFingerprints" in r)
assert prints(before) == prints(after), "a line that moved is another result"
assert {r["baselineState"] for r in after} == {"unchanged"}, after
for results in before, after: # where one has suppressions all have the array
    assert all("suppressions" in r for r in results), results
assert not any("suppressions" in r for r in rows("blind")[1])
# A trace that cannot be read is no pass in any format.
run, results = rows("unread")
assert not run["invocations"][0]["executionSuccessful"] and run["invocations"][0]["exitCode"] == 1
(note,) = run["invocations"][0]["toolExecutionNotifications"]
assert note["level"] == "error" and note["message"]["text"].startswith("missing.db"), note
assert [(s.name, s.errors) for s in suites("unread")] == [("empty.db", 0), ("missing.db", 1)]
log = json.load(open("unread.check.json"))
assert log["status"] == "fail" and log["incomplete"] and log["unread_traces"] == ["missing.db"], log
assert rows("bare")[1][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "train"
assert [r["ruleId"] for r in rows("blind")[1] if r.get("kind") == "open"] == ["unknown/sure"]
assert rows("empty")[1] == []

# Hostile text: nothing breaks out of its place.
_, results = rows("evil")
assert any("%20b%23c%25d%3F" in r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results)
for r in results:
    assert "[l](" not in r["message"]["text"] and "{0}" not in r["message"]["text"].replace("{{0}}", ""), r["message"]
(suite,) = suites("evil")
assert len(list(suite)) == 6
for line in open("evil.github", encoding="utf-8"):
    assert re.fullmatch(r"::(error|warning) ([a-z]+=[^,:]*,?)+::[^\x00-\x1f]*\n", line), line
lines = open("run.github").read().splitlines()
assert "::error file=train.py,line=12,title=noop-upload::9, 72.0 MiB, saves 7.65 ms at train.py:12 in step (cuMemcpyHtoD_v2) (noop-upload:0)" in lines, lines
print("read")
EOF

echo "UPDATE stack_frame SET line = line + 5 WHERE line IS NOT NULL;" >later.sql
make_trace moved.db "$F/findings.sql" "$F/callsites.sql" later.sql
for name in run evil bare; do
    run "$XFERSPY" check --config=gate --junit=$name.xml --sarif=$name.sarif --format=github $name.db
    expect_status 3; expect_no_err; cp stdout $name.github
done
run "$XFERSPY" check --config=gate --baseline=run.db --junit=moved.xml --sarif=moved.sarif moved.db; expect_status 3
run "$XFERSPY" check --fail-on=sure:1% --junit=blind.xml --sarif=blind.sarif blind.db; expect_status 3
run "$XFERSPY" check --junit=empty.xml --sarif=empty.sarif empty.db; expect_status 0
run "$XFERSPY" check --junit=unread.xml --sarif=unread.sarif --json empty.db missing.db; expect_status 1
cp stdout unread.check.json
run "$XFERSPY" check --format=github empty.db missing.db; expect_status 1
expect_out "::error title=xferspy check::missing.db: cannot be read"
cp run.db rank1.db; cp run.db rank2.db
run "$XFERSPY" check --junit=ranks.xml --sarif=ranks.sarif run.db rank1.db rank2.db; expect_status 3
# JSON by docs/schema, which has to name every key, too.
by_schema() { # by_schema SCHEMA DOCUMENT...
    schema="$SOURCE/../../docs/schema/$1.schema.json"; shift
    "$python" "$SOURCE/report/json_schema.py" --strict "$schema" "$@" >stdout 2>stderr
}
for name in run joined evil bare blind empty; do
    run "$XFERSPY" check --config=gate --json $name.db; cp stdout $name.check.json
    run "$XFERSPY" check --config=gate --json --baseline=run.db $name.db; cp stdout $name.against.check.json
    run "$XFERSPY" check --write-baseline=$name.base.json $name.db; expect_status 0
done
step="the JSON of check by its schema"
by_schema check ./*.check.json || show "not as the schema says"
by_schema baseline ./*.base.json || show "not as the schema says"
if by_schema baseline run.check.json; then
    show "the schema takes anything"
fi
step="reading what was written"
"$python" read.py "$SOURCE/schemas/sarif-schema-2.1.0.json" >stdout 2>stderr || show "not as the format says"
xmllint --noout ./*.xml || show "XML that is none"

# As the output, they are what the files are.
run "$XFERSPY" check --config=gate --format=sarif run.db; expect_status 3; cmp stdout run.sarif || show "another SARIF"
run "$XFERSPY" check --config=gate --format=junit -o again.xml run.db; expect_status 3; expect_no_out
cmp again.xml run.xml || show "another XML"
# Names begin at the root that is given.
run "$XFERSPY" check --source-root=/build/ --format=github --fail-on=scalar-readback:0 run.db
expect_out "file=reader/reader.c,line=77"
# Relative names count from the folder of the run, which lies below the root here; the root may be relative, too.
mkdir -p repo/sub
sed "s#/build/reader/reader.c#reader.c#" "$SOURCE/fixtures/callsites.sql" >relative.sql
echo "INSERT OR REPLACE INTO meta VALUES ('cwd', '$(pwd -P)/repo/sub')" >cwd.sql
make_trace relative.db "$SOURCE/fixtures/findings.sql" relative.sql cwd.sql
for root in repo "$PWD/repo/"; do
    run "$XFERSPY" check --source-root="$root" --format=github --fail-on=scalar-readback:0 relative.db
    expect_out "file=sub/reader.c,line=77"
done
# Text keeps a hostile trace off the terminal.
run "$XFERSPY" check --config=gate evil.db; expect_status 3
LC_ALL=C tr -d '\n' <stdout | LC_ALL=C grep -q "[$(printf '\001-\037\177')]" && show "control characters"
iconv -f UTF-8 -t UTF-8 stdout >/dev/null || show "invalid UTF-8"
# A baseline of a hostile trace is the same trace's baseline.
run "$XFERSPY" check --write-baseline=evil.json evil.db; expect_status 0
run "$XFERSPY" check --baseline=evil.json --fail-on=any:0 evil.db; expect_status 0; expect_out "0 grown, 0 new, 0 gone"
