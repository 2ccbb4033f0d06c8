# Exports of Nsight Systems as traces: two generations of their schema with known answers, and everything that is no
# such export.
. "$SOURCE/lib.sh"

export_of() { # export_of OUT SQL...
    out=$1; shift
    "$SQL2DB" "$out" --plain "$@" || { echo "FAILED: sql2db $out"; exit 1; }
}
new() { export_of "$1" "$SOURCE/fixtures/nsys_tables.sql" "$SOURCE/fixtures/nsys_new.sql" ${2:+"$2"}; }
findings() { "$XFERSPY" explain --format=tsv "$1" | cut -f"$2" | tr '\t' ' '; }
ask() { "$XFERSPY" query --format=tsv "$1" "$2" | sed 1d | tr '\t' ' '; }
expect_answer() { # expect_answer TRACE SQL ANSWER
    step="query $1 $2"; got=$(ask "$1" "$2")
    [ "$got" = "$3" ] || { echo "$got" >stdout; show "expected $3"; }
}

# --- a recent export: which process has to be said ---
new new.sqlite
run "$XFERSPY" import new.sqlite -o x.db; expect_error_of "new.sqlite: has 2 processes (4242 (trainer), 4343 (loader))"
[ ! -e x.db ] || show "a trace was left behind"
run "$XFERSPY" import new.sqlite --pid=7 -o x.db; expect_error_of "process 7"
run "$XFERSPY" import new.sqlite -o 't.%p.db'; expect_status 0; expect_no_err
expect_out "t.4242.db: 55 transfers, 1 memset, 7 kernels, 13 waits, 7 allocations, 10 page migrations and faults"
expect_out "t.4343.db: 2 transfers"
run "$XFERSPY" import new.sqlite --pid=4343 -o one.db; expect_status 0
expect_answer one.db "SELECT count(*), sum(bytes), min(src_kind), min(dst_kind) FROM transfer" "2 2097152 1 4"
expect_answer one.db "SELECT name FROM device" "Test GPU five"
cp new.sqlite 4343.db
run "$XFERSPY" import 4343.db --pid=4343 -o %p.db --force; expect_error_of "4343.db: is the trace being read"
cmp -s new.sqlite 4343.db || show "an export was replaced by its trace"
[ -z "$(ls ./*.new 2>/dev/null)" ] || show "a temporary file was left behind"

# Known answers: each finding with its instances, and no other.
findings t.4242.db 1,3,4 | sed 1d | sort >stdout
cat >expected <<'END'
fake-async 3 3
host-preparation 12 12
immediate-sync 13 13
low-bandwidth 5 5
managed-thrash 1 0
no-overlap 5 5
pageable 3 3
pageable 4 4
repeated-allocation 5 0
scalar-readback 12 12
small-transfers 1 20
END
diff stdout expected >stderr || show "other findings"
findings one.db 1,3 | sed 1d >stdout; [ "$(cat stdout)" = "pageable 2" ] || show "findings of the other process"
# What was not looked at says so, and nothing counts as absent.
run "$XFERSPY" explain --undecided t.4242.db; expect_status 0
expect_out "imported from another profiler"; expect_out "addresses of copies not recorded"
run "$XFERSPY" report t.4242.db; expect_status 0; expect_no_err
expect_out "Imported from a profile of Nsight Systems 2024.5.1.113"
expect_out "Contents were not checked: the trace was imported"
expect_out "trainer"; expect_out "on gpunode7, pid 4242, 2023-11-14 22:13:21 UTC, CUDA driver 12.4"
expect_out "Test GPU six, 80.0 GiB"
expect_out "in app+0x"; expect_out "at upload(float*)"; expect_not "never freed: "; expect_not unused-allocation
expect_not leak; expect_not hunter2
run "$XFERSPY" report --json t.4242.db; expect_status 0; expect_out '"imported_from"'
expect_out '"none_because": "imported"'
grep -q "hunter2\|SECRET_TOKEN" t.4242.db && show "the environment of the profile is in the trace"

# Where, when, by whom.
expect_answer t.4242.db "SELECT e.name, t.bytes, d.name, s.name, k.name, t.is_async, t.enter_ns, t.return_ns, t.src_device, t.dst_device, t.skip
 FROM transfer t JOIN entry_point e ON e.id = entry_point JOIN direction d ON d.id = direction JOIN memory_kind s ON s.id = src_kind
 JOIN memory_kind k ON k.id = dst_kind WHERE t.id = 1" "cudaMemcpy 4194304 h2d pageable device 0 0 1000000  0 20"
expect_answer t.4242.db "SELECT tid, name FROM thread" "4250 worker"
expect_answer t.4242.db "SELECT min(start_ns), min(end_ns) FROM device_copy WHERE correlation = 100" "300000 900000"
expect_answer t.4242.db "SELECT handle FROM stream ORDER BY handle" "0
13
14"
expect_answer t.4242.db "SELECT count(*), count(DISTINCT stack) FROM transfer WHERE stack IS NOT NULL" "7 2"
expect_answer t.4242.db "SELECT f.depth, s.function FROM stack_frame f JOIN symbol s ON s.module = f.module AND s.address = f.address WHERE stack = 1 ORDER BY depth" "0 cuMemcpyHtoD_v2
1 upload(float*)
2 main"
expect_answer t.4242.db \
    "SELECT count(*) FROM stack_frame f JOIN symbol s ON s.module = f.module AND s.address = f.address WHERE stack = 2" 2
expect_answer t.4242.db "SELECT coalesce(parent,0), coalesce(domain,'-'), name FROM nvtx_range ORDER BY id" "0 - epoch
1 loading registered name"
expect_answer t.4242.db "SELECT coalesce(nvtx_range,0), count(*) FROM transfer GROUP BY 1" "0 51
1 3
2 1"
expect_answer t.4242.db "SELECT kind, count(*), max(address), sum(bytes) FROM device_migration GROUP BY kind" "1 4 139000000000000 4194304
2 4 139000000000000 4194304
3 1 139000000000000 
4 1 139000000000000 "
expect_answer t.4242.db "SELECT count(*), sum(graph_node IS NOT NULL) FROM device_copy" "56 1"
expect_answer t.4242.db "SELECT name FROM kernel_name" "_Z4stepPfi
step(float*, int)"
expect_answer t.4242.db "SELECT result, bytes FROM transfer WHERE result <> 0" "1 0"
expect_answer t.4242.db "SELECT without_event, without_record FROM coverage" "1 0"
expect_answer t.4242.db "SELECT count(*), sum(free_enter_ns IS NULL), min(return_ns - enter_ns) FROM allocation" \
    "7 1 50000"
run "$XFERSPY" info --all t.4242.db; expect_status 0; expect_out "importer"; expect_out "import.nsys_schema"
expect_out "3.13.2"; expect_out "have no device record"

# --- an export of 2019 ---
export_of old.sqlite "$SOURCE/fixtures/nsys_old.sql"
run "$XFERSPY" import old.sqlite -o old.db; expect_status 0; expect_no_err
expect_out "old.db: 25 transfers, 1 kernel, 1 wait"
findings old.db 1,2,3,4 | sed 1d | sort >stdout
cat >expected <<'END'
pageable cudaMemcpy 4 4
scalar-readback cudaMemcpy 12 12
small-transfers cuMemcpyHtoDAsync_v2 1 9
small-transfers cudaMemcpy 1 12
END
diff stdout expected >stderr || show "other findings of the old export"
expect_answer old.db "SELECT name FROM nvtx_range JOIN transfer ON nvtx_range = nvtx_range.id GROUP BY 1" load
expect_answer old.db \
    "SELECT min(enter_ns), max(id = (SELECT min(id) FROM transfer)) FROM transfer WHERE bytes = 4194304" "0 1"
run "$XFERSPY" report old.db; expect_status 0; expect_out "--cuda-memory-usage=true"; expect_out "--cudabacktrace=all"
expect_out "which stream or event a wait was for is not known"

# --- what is no export ---
make_trace ours.db "$SOURCE/fixtures/simple.sql"
run "$XFERSPY" import ours.db -o x.db; expect_error_of "ours.db: is an xferspy trace already"
run "$XFERSPY" import missing.sqlite -o x.db; expect_error_of "missing.sqlite: No such file"
run "$XFERSPY" import . -o x.db; expect_error_of ".: is no regular file"
run "$XFERSPY" import /dev/null -o x.db; expect_error_of "/dev/null: is no regular file"
echo "QDSTRM and more that is no database" >app.nsys-rep
run "$XFERSPY" import app.nsys-rep -o x.db; expect_error_of "app.nsys-rep: not an SQLite database; make one with"
: >empty; run "$XFERSPY" import empty -o x.db; expect_error_of "empty: not an SQLite database"
sql() { echo "$2" >"$1.sql"; export_of "$1" "$1.sql"; }
sql other.sqlite "CREATE TABLE t (a);"
run "$XFERSPY" import other.sqlite -o x.db
expect_error_of "other.sqlite: an SQLite database, but not an Nsight Systems export"
sql cpu.sqlite "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
run "$XFERSPY" import cpu.sqlite -o x.db; expect_error_of "cpu.sqlite: has no events of CUDA"
sql nvprof.sqlite \
    "CREATE TABLE StringTable (_id_ INTEGER, value TEXT); CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (_id_ INTEGER, bytes INT);"
run "$XFERSPY" import nvprof.sqlite -o x.db; expect_error_of "nvprof.sqlite: an export of nvprof"
sql none.sqlite "CREATE TABLE StringIds (id INTEGER, value TEXT); CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER);"
run "$XFERSPY" import none.sqlite -o x.db; expect_error_of "none.sqlite: has no calls of CUDA"
# A view or a virtual table is no table of events: nothing of an export's own is run.
sql view.sqlite "CREATE TABLE StringIds (id INTEGER, value TEXT); CREATE VIEW CUPTI_ACTIVITY_KIND_RUNTIME AS SELECT 1 AS start, 2 AS end, 0 AS globalTid;"
run "$XFERSPY" import view.sqlite -o x.db; expect_error_of "view.sqlite: has no events of CUDA"
[ ! -e x.db ] || show "a trace was left behind"

# --- the output ---
run "$XFERSPY" import old.sqlite; expect_status 2; expect_err "-o TRACE.db"
run "$XFERSPY" import; expect_status 2
run "$XFERSPY" import --pid=x old.sqlite -o x.db; expect_status 2
run "$XFERSPY" import old.sqlite -o old.db; expect_error_of "old.db: exists already; --force replaces it"
run "$XFERSPY" import --force old.sqlite -o old.db; expect_status 0
run "$XFERSPY" import --force old.sqlite -o old.sqlite; expect_error_of "old.sqlite: is the trace being read"
run "$XFERSPY" import old.sqlite -o no/such/folder.db; expect_error_of "no/such/folder.db: "
run "$XFERSPY" import old.sqlite -o -; expect_error_of "needs a name"
run "$XFERSPY" import --help; expect_status 0; expect_out "Examples:"; expect_out "nsys export --type sqlite"

# --- hostile contents: counted, escaped, never a crash ---
cat >odd.sql <<'END'
UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET bytes = -1 WHERE correlationId = 100;
UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET bytes = 'many' WHERE correlationId = 101;
UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET end = start - 1 WHERE correlationId = 102;
UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET copyKind = 9999 WHERE correlationId = 103;
UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET bytes = 9223372036854775807, srcKind = -5, dstKind = 'x', deviceId = 9223372036854775807, contextId = -1, streamId = 1.5 WHERE correlationId = 200;
UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = 9223372036854775807, end = 9223372036854775807 WHERE correlationId = 201;
UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = -5 WHERE correlationId = 202;
UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET nameId = x'00ff', callchainId = 'chain', returnValue = 1e300 WHERE correlationId = 300;
UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET correlationId = -1 WHERE correlationId = 301;
UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET correlationId = 302 WHERE correlationId = 303;
UPDATE StringIds SET value = x'fffe00' WHERE id = 46;
UPDATE StringIds SET value = '<b>' || char(27) || '[31m' || char(10) || hex(zeroblob(100000)) WHERE id = 42;
UPDATE PROCESSES SET name = char(27) || ']0;x' || char(10) || '<script>';
UPDATE CUDA_GPU_MEMORY_USAGE_EVENTS SET memoryOperationType = 7 WHERE correlationId = 700;
UPDATE CUDA_GPU_MEMORY_USAGE_EVENTS SET bytes = 'x', address = NULL WHERE 0;
UPDATE NVTX_EVENTS SET end = -1 WHERE text = 'epoch';
UPDATE TARGET_INFO_GPU SET name = x'00', totalMemory = -1, computeMajor = 'x', cuDevice = -7;
INSERT INTO CUDA_CALLCHAINS SELECT 9, 42, 41, NULL, i, i FROM n;
UPDATE META_DATA_EXPORT SET value = 5;
UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = 9223372036854775807;
END
new odd.sqlite odd.sql
run "$XFERSPY" import odd.sqlite --pid=4242 -o odd.db; expect_status 0; expect_no_err; expect_out "rows were left out"
run "$XFERSPY" report odd.db; expect_status 0; expect_no_err
grep -q "$(printf '\033')" stdout && show "an escape sequence on the terminal"
run "$XFERSPY" info --all odd.db; expect_status 0; expect_out "of the export hold values that cannot be true"
# Every table missing in turn, and every column of copies and calls.
for table in $(sed -n 's/^CREATE TABLE \([A-Za-z_]*\) .*/\1/p' "$SOURCE/fixtures/nsys_tables.sql"); do
    echo "DROP TABLE $table;" >drop.sql
    new drop.sqlite drop.sql
    run "$XFERSPY" import --force drop.sqlite --pid=4242 -o drop.db
    case $table in
    StringIds) expect_status 1 ;;
    CUPTI_ACTIVITY_KIND_RUNTIME) expect_status 0; expect_out "7 kernels" ;;
    *) expect_status 0 ;;
    esac
    [ "$status" -ne 0 ] || { run "$XFERSPY" report drop.db; expect_status 0; expect_no_err; }
done
tables=$(awk '{ printf "%s%s", /^ / || NR == 1 ? "" : "\n", $0 } END { print "" }' "$SOURCE/fixtures/nsys_tables.sql")
for table in CUPTI_ACTIVITY_KIND_MEMCPY CUPTI_ACTIVITY_KIND_RUNTIME CUPTI_ACTIVITY_KIND_KERNEL NVTX_EVENTS; do
    columns=$(echo "$tables" | sed -n "s/^CREATE TABLE $table (\(.*\));/\1/p" | tr ',' '\n' | awk '{print $1}')
    for column in $columns; do
        echo "ALTER TABLE $table DROP COLUMN $column;" >drop.sql
        new drop.sqlite drop.sql
        run "$XFERSPY" import --force drop.sqlite --pid=4242 -o drop.db
        [ "$status" -le 1 ] || show "without $table.$column"
        [ "$status" -ne 0 ] || { run "$XFERSPY" report drop.db; expect_status 0; expect_no_err; }
    done
done
# Damage at many places: a result or one line, and never a half trace.
size=$(wc -c <new.sqlite)
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23; do
    cp new.sqlite torn.sqlite
    head -c 600 /dev/urandom | dd of=torn.sqlite bs=1 seek=$((size * i / 24)) conv=notrunc 2>/dev/null
    rm -f torn.db
    run bounded 20 "$XFERSPY" import torn.sqlite --pid=4242 -o torn.db
    [ "$status" -le 1 ] || show "damage at $i"
    if [ "$status" -eq 1 ]; then expect_error_of torn.sqlite; [ ! -e torn.db ] || show "a half trace"; fi
done
head -c 20000 new.sqlite >cut.sqlite
run "$XFERSPY" import cut.sqlite --pid=4242 -o cut.db; expect_error_of "cut.sqlite: "
