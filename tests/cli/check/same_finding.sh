# One rule says which finding of one run is which of another: `diff`, and `check` with a trace or with a file as the
# baseline, name the same findings as new and the same as gone, whatever became of the code between the runs.
. "$SOURCE/lib.sh"
need_python
F=$SOURCE/fixtures

# agree CHANGE BOTH NEW GONE: so many findings are new after CHANGE.sql, and so many are gone; BOTH.sql is of both runs.
agree() {
    [ -s "$2.sql" ] || : >"$2.sql"
    make_trace before.db "$F/findings.sql" "$F/callsites.sql" "$2.sql"
    make_trace after.db "$F/findings.sql" "$F/callsites.sql" "$2.sql" "$1.sql"
    run "$XFERSPY" check --no-config --force --write-baseline=base.json before.db; expect_status 0
    run "$XFERSPY" diff --json before.db after.db; expect_status 0; cp stdout diff.json
    for base in before.db base.json; do
        run "$XFERSPY" check --no-config --json --fail-on=any:0 --baseline=$base after.db; cp stdout check.json
        "$python" - "$3" "$4" >stderr 2>&1 <<'END' || show "$1: against $base"
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
agree async nothing 0 0
# The file has another name.
echo "UPDATE python_code SET file = '/opt/app/training.py' WHERE file LIKE '%/train.py';" >file.sql
agree file nothing 0 0
# Both: the function's name alone tells too little.
cat async.sql file.sql >both.sql
agree both nothing 3 3
# The function has another name: the texts of its lines tell which it was, and without texts nothing does.
cat >texts.sql <<'END'
INSERT INTO source_file (id, path) VALUES (1, '/opt/app/train.py');
INSERT INTO source_line (file, line, text) VALUES (1, 12, '    weights.copy_(host)'), (1, 14, '    batch.copy_(next(it))');
END
echo "UPDATE python_code SET function = 'forward' WHERE function = 'step';" >function.sql
agree function texts 0 0
agree function nothing 3 3
# Lines moved, and another call was written above them, where the first one was.
cat >moved.sql <<'END'
UPDATE stack_frame SET line = line + 100 WHERE code = 1;
INSERT INTO stack(id,native_frames,python_frames,is_cut) VALUES (7,3,2,0);
INSERT INTO stack_frame (id,stack,depth,code,line,is_entry) VALUES (7*4096+2048,7,0,1,12,0),
 (7*4096+2049,7,1,2,33,1);
UPDATE transfer SET stack = 7 WHERE id = 2;
END
agree moved nothing 1 0
# Code without lines: its addresses moved.
echo "UPDATE symbol SET function = NULL, file = NULL, line = NULL WHERE id = 4;" >without_lines.sql
echo "UPDATE stack_frame SET address = address + 64 WHERE id = 4*4096+1;" >addresses.sql
agree addresses without_lines 0 0
# All went into a file that was there before, with a call that no finding is about: no file was renamed.
cat >loader.sql <<'END'
INSERT INTO stack(id,native_frames,python_frames,is_cut) VALUES (8,3,1,0);
INSERT INTO stack_frame (id,stack,depth,code,line,is_entry) VALUES (8*4096+2048,8,0,3,9,0);
UPDATE transfer SET stack = 8 WHERE entry_point = 8;
END
echo "UPDATE python_code SET file = '/opt/app/data/loader.py';" >one_file.sql
agree one_file loader 5 5
# One of the runs has no stacks: what they have in common is which entry points were called. Findings at several lines
# have grown if their sum has.
echo "UPDATE transfer SET stack = NULL; DELETE FROM stack_frame; DELETE FROM stack;" >stackless.sql
agree stackless nothing 0 0
run "$XFERSPY" check --no-config --fail-on=any:0 --baseline=before.db after.db; expect_status 0
expect_out "5 findings as before, 0 grown, 0 new, 0 gone."
expect_out "This trace has no call sites, so the findings of a kind at one entry point are compared as one."
run "$XFERSPY" check --no-config --force --write-baseline=base.json after.db; expect_status 0
sed 's/"instances": 20,/"instances": 15,/' base.json >fewer.json
for base in after.db base.json fewer.json; do
    run "$XFERSPY" check --no-config --fail-on=any:0 --baseline=$base before.db
    expect_out "The baseline has no call sites, so the findings of a kind"
    if [ $base = fewer.json ]; then
        expect_status 3; expect_out "4 findings as before, 2 grown, 0 new, 0 gone."
        expect_out "pageable: 10, 2.50 MiB"; expect_out "grown from 15"
    else
        expect_status 0; expect_out "6 findings as before, 0 grown, 0 new, 0 gone."
    fi
done
