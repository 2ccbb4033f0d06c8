# What a framework did around a finding, in every output that has it. fixtures/frameworks.sql says what was called from
# where.
. "$SOURCE/lib.sh"
need_python
json() { "$python" -c "import json; d = json.load(open('stdout')); $1; assert $2, $2" || show "not in the JSON: $2"; }
make_trace t.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/frameworks.sql"
make_trace none.db "$SOURCE/fixtures/findings.sql"

run "$XFERSPY" report --details t.db
expect_status 0; expect_no_err
expect_out "in aten::to, sizes [[1024, 2048], [], []], in a module's forward pass"
expect_out "in aten::item of NormBackward0, sizes [[1]] and others, called by autograd's backward pass"
expect_out "      in a DataLoader's worker"
run "$XFERSPY" explain t.db noop-upload
expect_status 0; expect_out "work      in aten::to, sizes [[1024, 2048], [], []], in a module's forward pass"
expect_not "staging"
run "$XFERSPY" report --details none.db; expect_status 0; expect_not "aten::"; expect_not "autograd"

run "$XFERSPY" report --json t.db; expect_status 0
found="f = {f['id']: f['framework'] for f in d['traces'][0]['findings']}"
json "$found" "f['noop-upload'] == {'name': 'pytorch', 'operator': 'aten::to', 'autograd': None, 'call': None, 'phase': 'forward', 'sizes': '[[1024, 2048], [], []]', 'sizes_vary': False, 'host_copy': None}"
json "$found" "[f['scalar-readback'][k] for k in ('operator', 'autograd', 'phase', 'sizes_vary')] == ['aten::item', 'NormBackward0', 'backward', True]"
run "$XFERSPY" explain --json t.db noop-upload; expect_status 0
json pass "d['explained']['framework']['operator'] == 'aten::to'"
run "$XFERSPY" report --json none.db
json "$found" "set(f.values()) == {None}"

# The host's copy before an upload, of a real run of CuPy.
run "$XFERSPY" report --json "$GOLDEN/h100_cupy_lines.db"; expect_status 0
json "$found" "f['noop-upload']['host_copy'] == {'by': 'cupy', 'inferred': True, 'before_ns': 9593859, 'uploads': 50}"
json "$found" "f['noop-upload']['call'] == 'cupy.asarray' and f['unused-allocation']['call'] == 'cupy.ndarray.__matmul__'"

# A name is text of a stranger's.
cat >hostile.sql <<'END'
UPDATE symbol SET function = 'at::_ops::' || char(27) || '[31m' || x'ff' || '::call' WHERE function LIKE 'at::%';
UPDATE nvtx_range SET name = 'aten::a' || char(27) || '[31m, sizes = [' || char(7) || ']';
END
make_trace hostile.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/frameworks.sql" hostile.sql
run "$XFERSPY" report --details hostile.db; expect_status 0; expect_no_err
expect_not "$(printf '\033')"; expect_not "$(printf '\007')"; expect_out "in aten::"
run "$XFERSPY" report --json hostile.db; expect_status 0; json pass "d['traces']"
