# Copies without names: none of the original texts is in the file, and the findings are the same.
. "$SOURCE/lib.sh"

ask() { "$XFERSPY" query --format=tsv "$1" "$2" | sed 1d; }
findings() { "$XFERSPY" explain --format=tsv "$1" | cut -f1,3-12; }
# Every text of the trace that may not be in a copy: what a person or a program gave a name.
texts_of() {
    for column in "value FROM meta WHERE key IN ('command','cwd','host','executable','os','user_id')" "text FROM note" \
        "name FROM thread" "uuid FROM device" \
        "pci_bus_id FROM device" "path FROM module" "build_id FROM module" "file FROM python_code" \
        "function FROM python_code" "domain FROM nvtx_range" \
        "name FROM nvtx_range" "file FROM symbol" "function FROM symbol" "name FROM kernel_name"; do
        ask "$1" "SELECT DISTINCT $column"
    done | grep '....' | grep -vxE 'node|Linux.*|libc.*|_?Py.*|__libc_.*|_start|cuda.*|python3[0-9.]*' | sort -u
}
check() { # check TRACE: a copy of it
    run "$XFERSPY" anonymize --force "$1" -o copy.db; expect_status 0; expect_no_err; expect_out "names replaced"
    findings "$1" >before 2>/dev/null; findings copy.db >after
    diff before after >stderr || { cp after stdout; show "$1: other findings in the copy"; }
    texts_of "$1" >texts
    texts_of copy.db >copied
    ask copy.db "SELECT key FROM meta" >keys
    while IFS= read -r text; do
        grep -qxF -e "$text" copied && show "$1: a name in the copy: $text"
        grep -qaF -e "$text" empty.db keys && continue # words of the schema itself, as in option.step
        grep -qaF -e "$text" copy.db && show "$1: in the copy: $text"
    done <texts
    # the steps, and the first line of each finding, but for the names in them
    for trace in "$1" copy.db; do
        "$XFERSPY" report "$trace" >whole 2>/dev/null
        sed -n 's/[.] Each step [a-z]* with .*//; /^  a step/p; /^  warm-up/p' whole >"steps.$(basename "$trace")"
        <whole sed -n '/^Causes/,/^Where the GPU waited\|^Transfers/p' | grep -E '^ +[0-9]+ +[a-z0-9]' |
            sed 's/, at .*//; s/: xferspy explain.*//' >"lines.$(basename "$trace")"
    done
    diff "steps.$(basename "$1")" steps.copy.db >stderr || show "$1: other steps"
    diff "lines.$(basename "$1")" lines.copy.db >stderr || show "$1: another first line"
    run "$XFERSPY" info --all copy.db; expect_status 0; expect_out "anonymized"
}
make_trace empty.db
for trace in "$GOLDEN"/*.db; do check "$trace"; done
for fixture in simple findings callsites hostile nonsense without_cupti; do
    make_trace "$fixture.db" "$SOURCE/fixtures/$fixture.sql"
    "$XFERSPY" explain --format=tsv "$fixture.db" >/dev/null 2>&1 || continue
    check "$fixture.db"
done

# A trace with names of every kind, of the user's and of libraries.
cat >names.sql <<'END'
INSERT OR REPLACE INTO meta VALUES ('command','/home/alice/secretproject/train --token=hunter2'),('executable','/home/alice/secretproject/train'),
 ('cwd','/home/alice/secretproject'),('host','alice-laptop'),('user_id',1001),('option.output','/home/alice/out.db'),('something.new','alice'),('cupti.path','/opt/alice/libcupti.so.13');
INSERT INTO note (topic,text) VALUES ('cupti','/home/alice/x: no such file');
INSERT INTO module VALUES (901,'/home/alice/secretproject/train','aabbccddeeff00112233',94000000000000,94000000100000,94000000000000),
 (902,'/home/alice/.venv/lib/python3.11/site-packages/torch/lib/libtorch_cuda.so',NULL,139000000000000,139000001000000,139000000000000),
 (903,'/usr/lib/x86_64-linux-gnu/libcudart.so.12.4.127',NULL,139100000000000,139100001000000,139100000000000),
 (904,'/home/alice/bin/python3.11',NULL,4194304,8388608,0);
INSERT INTO stack(id,native_frames,python_frames,is_cut) VALUES (901,4,1,0);
INSERT INTO stack_frame VALUES (901*4096,901,0,139100000001000,903,NULL,NULL,NULL),(901*4096+1,901,1,139000000002000,902,NULL,NULL,NULL),
 (901*4096+2,901,2,94000000003000,901,NULL,NULL,NULL),(901*4096+3,901,3,4200000,904,NULL,NULL,NULL),(901*4096+2048,901,0,NULL,NULL,901,12,0);
INSERT INTO python_code VALUES (901,'/home/alice/secretproject/model.py','SecretModel.forward',3),(902,'/usr/lib/python3.11/threading.py','Thread.run',1);
INSERT INTO symbol VALUES (901,901,12288,0,'thrust::transform<alice::Secret*>','/usr/local/cuda/include/thrust/x.h',3),(902,901,12288,1,'alice::upload(int)','/home/alice/secretproject/main.cu',44),
 (903,903,4096,0,'cudaMemcpy',NULL,NULL);
UPDATE transfer SET stack = 901;
INSERT INTO nvtx_range VALUES (901,NULL,'alice.domain','alice range'),(902,901,NULL,'alice range');
UPDATE thread SET name = 'alice-worker';
UPDATE device SET uuid = 'GPU-12345678-secret', pci_bus_id = '0000:af:00.0';
INSERT INTO kernel_name VALUES (901,'_Z6alice_kernelv');
INSERT INTO entry_point VALUES (901,'alice_memcpy',0);
UPDATE transfer SET context = 'alice text in a number' WHERE id = 1;
END
make_trace names.db "$SOURCE/fixtures/simple.sql" names.sql
run "$XFERSPY" anonymize names.db -o hidden.db; expect_status 0; expect_no_err; expect_out "left out"
for word in alice secret hunter2 SecretModel aabbccdd 0000:af libtorch_cuda forward main.cu 127; do
    grep -qaiF -e "$word" hidden.db && show "in the copy: $word"
done
# Freed pages of the original are no way in either: the copy is written anew.
cp names.db deleted.db
echo "DELETE FROM kernel_name WHERE id = 901;" >delete.sql
make_trace deleted.db "$SOURCE/fixtures/simple.sql" names.sql delete.sql
run "$XFERSPY" anonymize deleted.db -o hidden2.db; expect_status 0
grep -qaF _Z6alice hidden2.db && show "a deleted name is in the copy"
# The user's frame is still the user's, and libraries are libraries.
run "$XFERSPY" report names.db; before=$(grep -c ' at \| in ' stdout)
run "$XFERSPY" report hidden.db; [ "$before" = "$(grep -c ' at \| in ' stdout)" ] || show "places were lost"
[ "$(ask hidden.db "SELECT path FROM module WHERE id = 903" | sed 's/[0-9]//g')" = "/anonymous//libcudart.so" ] ||
    show "a library is not known again"
ask hidden.db "SELECT path FROM module WHERE id IN (902,904) ORDER BY id" >stdout; expect_out "libtorch_"
expect_out "/python3"
ask hidden.db "SELECT function FROM symbol WHERE id = 901" >stdout; expect_out "thrust::function_"
[ "$(ask hidden.db "SELECT count(DISTINCT name) FROM nvtx_range WHERE id > 900")" = 1 ] ||
    show "equal names became different"
[ "$(ask hidden.db \
    "SELECT address - load_bias FROM stack_frame f JOIN module m ON m.id = module WHERE f.id = 901*4096+2")" = 3000 ] ||
    show "offsets in a file changed"
[ "$(ask hidden.db "SELECT min(start_address) <> 94000000000000 FROM module")" = 1 ] || show "addresses stayed"

# Ranges tell the steps: those of a library do not, and two names are not taken for one.
steps() {
    "$XFERSPY" report --json "$1" | sed -n '/"steps": {/,/^      }/{s|[.] Each step begins with .*||;p}' |
        grep -v nvtx_range
}
for names in "'batch', 'batch'" "'aten::to, seq = 3', 'batch'" "'AddmmBackward0, seq = 3', 'batch'" \
    "'Optimizer.step#SGD.step', 'batch'" "'step 1', 'step 2'" "'load', 'compute'"; do
    for parent in NULL 10; do # the second range is beside the first one, or in it
        echo "INSERT INTO nvtx_range SELECT 10, NULL, NULL, a FROM (SELECT ${names%,*} AS a);
INSERT INTO nvtx_range SELECT 11, $parent, NULL, b FROM (SELECT ${names##*,} AS b);
UPDATE transfer SET nvtx_range = CASE WHEN id % 5 = 0 THEN 11 WHEN id % 3 = 1 THEN 10 END;
UPDATE sync SET nvtx_range = NULL;" >ranges.sql
        make_trace ranges.db "$SOURCE/fixtures/findings.sql" ranges.sql
        run "$XFERSPY" anonymize --force ranges.db -o ranges_copy.db; expect_status 0
        steps ranges.db >a; steps ranges_copy.db >b
        diff a b >stderr || show "ranges $names ($parent): other steps in the copy"
        cat a >>all_steps
    done
done
[ "$(grep -c '"mark": "range"' all_steps)" -eq 10 ] || { cp all_steps stdout; show "the ranges are no steps"; }

# A module that lies where its file says (a load_bias of 0) does not tell the offset of the others.
[ "$(ask hidden.db "SELECT load_bias FROM module WHERE id = 904")" = 0 ] || show "the offset of code can be read off"
[ "$(ask hidden.db "SELECT address FROM stack_frame WHERE id = 901*4096+3")" = 4200000 ] || show "a fixed address moved"
# An import has addresses of a process, and symbols at those: both move, and the places are found again.
"$SQL2DB" export.sqlite --plain "$SOURCE/fixtures/nsys_tables.sql" "$SOURCE/fixtures/nsys_new.sql" || show sql2db
run "$XFERSPY" import export.sqlite --pid=4242 -o imported.db; expect_status 0
check imported.db
for column in "address FROM symbol" "address FROM stack_frame"; do
    ask imported.db "SELECT $column" | sort -u >a; ask copy.db "SELECT $column" | sort -u >b
    [ -s a ] && [ -z "$(comm -12 a b)" ] || show "an import's addresses stayed: $column"
done
[ "$("$XFERSPY" report --by=function imported.db | wc -l)" = "$("$XFERSPY" report --by=function copy.db | wc -l)" ] ||
    show "an import's places were lost"
"$XFERSPY" report --by=function copy.db >stdout; expect_out "function_"
golden_before="$GOLDEN/h100_upload_wasteful.db" golden_after="$GOLDEN/h100_upload_repaired.db"
# A trace in a merged file is named; the file as a whole is none.
run "$XFERSPY" merge -o job.db "$golden_before" "$golden_after"; expect_status 0
run "$XFERSPY" anonymize job.db:h100_upload_wasteful -o one.db; expect_status 0; expect_no_err
run "$XFERSPY" anonymize job.db -o two.db; expect_error_of "job.db: holds 2 traces; name one as job.db:"
run "$XFERSPY" anonymize --force job.db:h100_upload_wasteful -o job.db; expect_status 1
expect_err "is the trace being read"

# Fingerprints: equal stays equal, what they were is gone.
golden="$GOLDEN/h100_wasteful.db"
run "$XFERSPY" anonymize "$golden" -o prints.db; expect_status 0
for what in "count(DISTINCT content_low || ':' || content_high)" "count(*)" "count(constant_value)" \
    "sum(changed_leaves)"; do
    [ "$(ask "$golden" "SELECT $what FROM fingerprint")" = "$(ask prints.db "SELECT $what FROM fingerprint")" ] ||
        show "fingerprints: $what"
done
ask "$golden" "SELECT content_low FROM fingerprint" | sort >a
ask prints.db "SELECT content_low FROM fingerprint" | sort >b
[ -z "$(comm -12 a b)" ] || show "a fingerprint stayed"
# Two copies have no address in common.
run "$XFERSPY" anonymize names.db -o other.db; expect_status 0
[ "$(ask other.db "SELECT load_bias FROM module WHERE id = 901")" != \
    "$(ask hidden.db "SELECT load_bias FROM module WHERE id = 901")" ] || show "the same offset twice"

# --keep, and mistakes.
run "$XFERSPY" anonymize --keep=symbols,kernels names.db -o kept.db; expect_status 0
grep -qaF "alice::upload(int)" kept.db || show "--keep=symbols"
grep -qaF _Z6alice kept.db || show "--keep=kernels"
grep -qaF "/home/alice" kept.db && show "--keep=symbols kept a path"
run "$XFERSPY" anonymize --keep=paths,contents,addresses names.db -o kept2.db; expect_status 0
[ "$(ask kept2.db "SELECT load_bias FROM module WHERE id = 901")" = 94000000000000 ] || show "--keep=addresses"
run "$XFERSPY" anonymize --keep=everything names.db -o x.db; expect_status 2; expect_err "--keep=everything"
run "$XFERSPY" anonymize names.db; expect_status 2; expect_err "-o COPY.db"
run "$XFERSPY" anonymize names.db -o names.db; expect_error_of "names.db: is the trace being read"
run "$XFERSPY" anonymize names.db -o hidden.db; expect_error_of "hidden.db: exists already"
run "$XFERSPY" anonymize missing.db -o x.db; expect_error_of missing.db
echo "no trace" >text; run "$XFERSPY" anonymize text -o x.db; expect_error_of text
run "$XFERSPY" anonymize --help; expect_status 0; expect_out "Examples:"; expect_out "--keep"
[ ! -e x.db ] || show "a copy was left behind"
