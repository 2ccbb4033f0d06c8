# One rule says which finding of one run is which of another: `diff`, and `check` with a trace or with a file as the
# baseline, name the same findings as new and the same as gone, whatever became of the code between the runs.
. "$SOURCE/lib.sh"
need_python
F=$SOURCE/fixtures
cat >texts.sql <<'END'
INSERT INTO source_file (id, path) VALUES (1, '/opt/app/train.py');
INSERT INTO source_line (file, line, text) VALUES (1, 12, '    weights.copy_(host)'), (1, 14, '    batch.copy_(next(it))');
END
make_trace before.db "$F/findings.sql" "$F/callsites.sql"
make_trace before_texts.db "$F/findings.sql" "$F/callsites.sql" texts.sql

# agree NAME BEFORE NEW GONE: so many findings are new after NAME.sql, and so many of BEFORE are gone.
agree() {
    set -- "$@" "$F/findings.sql" "$F/callsites.sql"
    [ "$2" = before.db ] || set -- "$@" texts.sql
    name=$1 before=$2 new=$3 gone=$4; shift 4
    make_trace "$name.db" "$@" "$name.sql"
    run "$XFERSPY" check --no-config --force --write-baseline=base.json "$before"; expect_status 0
    run "$XFERSPY" diff --json "$before" "$name.db"; expect_status 0; cp stdout diff.json
    for base in "$before" base.json; do
        run "$XFERSPY" check --no-config --json --fail-on=any:0 --baseline="$base" "$name.db"; cp stdout check.json
        "$python" - "$new" "$gone" >stderr 2>&1 <<'END' || show "$name.db against $base"
import json, sys

def of_diff(here, there):
    changes = [c for c in json.load(open("diff.json"))["findings"] if not c["count"][there]["max"]]
    places = [(c["kind"], c[here]["entry_point"], c[here]["call_site"] or {}) for c in changes]
    return sorted((kind, entry, place.get("function"), place.get("line")) for kind, entry, place in places)

def of_check(findings):
    return sorted((f["finding"], f["entry_point"], f["function"], f["line"]) for f in findings)

check = json.load(open("check.json"))["traces"][0]
by_diff = of_diff("site_after", "before"), of_diff("site_before", "after")
by_check = of_check(f for f in check["findings"] if f["baseline"] == "new"), of_check(check["gone"])
assert by_diff == by_check, f"diff: {by_diff}; check: {by_check}"
assert [len(findings) for findings in by_diff] == [int(n) for n in sys.argv[1:]], by_diff
END
    done
}

# The copies of a function became asynchronous: they have another entry point.
echo "UPDATE transfer SET entry_point = 8 WHERE stack IN (1, 2, 3);" >async.sql
agree async before.db 0 0
# The file has another name.
echo "UPDATE python_code SET file = '/opt/app/training.py' WHERE file LIKE '%/train.py';" >file.sql
agree file before.db 0 0
# Both: the function's name alone tells too little.
cat async.sql file.sql >both.sql
agree both before.db 3 3
# The function has another name: the texts of its lines tell which it was, and without texts nothing does.
echo "UPDATE python_code SET function = 'forward' WHERE function = 'step';" >function.sql
agree function before_texts.db 0 0
agree function before.db 3 3
# Lines moved, and another call was written above them, where the first one was.
cat >moved.sql <<'END'
UPDATE stack_frame SET line = line + 100 WHERE code = 1;
INSERT INTO stack VALUES (7,3,2,0);
INSERT INTO stack_frame (id,stack,depth,code,line,is_entry) VALUES (7*4096+2048,7,0,1,12,0),
 (7*4096+2049,7,1,2,33,1);
UPDATE transfer SET stack = 7 WHERE id = 2;
END
agree moved before.db 1 0
# Code without lines: its addresses moved.
echo "UPDATE symbol SET function = NULL, file = NULL, line = NULL WHERE id = 4;" >>texts.sql
make_trace before_texts.db "$F/findings.sql" "$F/callsites.sql" texts.sql
echo "UPDATE stack_frame SET address = address + 64 WHERE id = 4*4096+1;" >addresses.sql
agree addresses before_texts.db 0 0

# One of the runs has no stacks: what they have in common is which entry points were called. Findings at several lines
# have grown if their sum has.
echo "UPDATE transfer SET stack = NULL; DELETE FROM stack_frame; DELETE FROM stack;" >stackless.sql
agree stackless before.db 0 0
run "$XFERSPY" check --no-config --fail-on=any:0 --baseline=before.db stackless.db; expect_status 0
expect_out "5 findings as before, 0 grown, 0 new, 0 gone."
expect_out "This trace has no call sites, so the findings of a kind at one entry point are compared as one."
run "$XFERSPY" check --no-config --force --write-baseline=base.json stackless.db; expect_status 0
sed 's/"instances": 20,/"instances": 15,/' base.json >fewer.json
for base in stackless.db base.json fewer.json; do
    run "$XFERSPY" check --no-config --fail-on=any:0 --baseline=$base before.db
    expect_out "The baseline has no call sites, so the findings of a kind"
    if [ $base = fewer.json ]; then
        expect_status 3; expect_out "4 findings as before, 2 grown, 0 new, 0 gone."
        expect_out "pageable: 10, 2.50 MiB"; expect_out "grown from 15"
    else
        expect_status 0; expect_out "6 findings as before, 0 grown, 0 new, 0 gone."
    fi
done
