# docs/use/guide-cpp.md, step 5: record, repair, build again under the same name, record, compare. The first trace still
# names its lines, because its own run put them into it. So `diff` and `check --baseline` find the same lines again.
. "$SOURCE/lib.sh"
need cc
need strip
need script
need_python
unset LD_PRELOAD XFERSPY_OUTPUT 2>/dev/null
export LD_LIBRARY_PATH="$SIM" XFERSPY_QUIET=on XFERSPY_FINGERPRINT=all
cat >train.c <<'END'
#include <stdint.h>
#include <string.h>
int cuInit(unsigned), cuDevicePrimaryCtxRetain(void **, int), cuCtxSetCurrent(void *);
int cuMemAlloc_v2(uint64_t *, size_t), cuMemcpyHtoD_v2(uint64_t, const void *, size_t);
static char weights[1 << 20], batch[1 << 20];
int main(void) {
    void *context;
    uint64_t device, other;
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context))
        return 1;
    if (cuMemAlloc_v2(&device, sizeof weights) || cuMemAlloc_v2(&other, sizeof batch))
        return 1;
    for (int step = 0; step < 20; step++) {
        memset(batch, step, sizeof batch);
        cuMemcpyHtoD_v2(other, batch, sizeof batch);
        cuMemcpyHtoD_v2(other, batch, sizeof batch); // kept
        cuMemcpyHtoD_v2(device, weights, sizeof weights); // repaired
    }
    return 0;
}
END
touch -d '2025-06-01 UTC' train.c
build() { cc -g -O2 -o train "$PWD/train.c" -L"$SIM" -l:libcuda.so.1 || exit 99; }
record() { # record NAME: with `xferspy run`
    bounded 60 "$XFERSPY" run --output="$1.db" ./train >out 2>&1 || { cat out; echo "FAILED: $1"; exit 1; }
}
preloaded() { LD_PRELOAD=$LIBRARY XFERSPY_OUTPUT=$1.db bounded 60 ./train || exit 1; }
texts() {
    "$XFERSPY" query --format=tsv "$1" "SELECT line || ' ' || trim(text) FROM source_line ORDER BY 1" | tail -n +2
}
repair_it() { # the weights go up once, before the loop
    mv train train.old
    grep -v repaired train.c | sed '/for (int step/i \    cuMemcpyHtoD_v2(device, weights, sizeof weights);' >edited.c
    mv edited.c train.c
    build
}
kept="16 cuMemcpyHtoD_v2(other, batch, sizeof batch); // kept"
repaired="17 cuMemcpyHtoD_v2(device, weights, sizeof weights); // repaired"

build
record before
preloaded plain # what reads it first puts the lines in
[ -z "$(texts plain.db)" ] || show "the preloaded library reads no source of native code"
texts before.db | grep -qxF "$repaired" || show "xferspy run put the lines in"
preloaded late
# A file that was born long after the run that it names: unpacked, downloaded, copied.
cp plain.db stranger.db
"$python" -c "import sqlite3; d = sqlite3.connect('stranger.db'); d.execute(
    \"UPDATE meta SET value = value - 11000000000 WHERE key = 'start_unix_ns'\"); d.commit()"
run "$XFERSPY" report plain.db; expect_status 0
expect_out "17 | cuMemcpyHtoD_v2(device, weights, sizeof weights); // repaired"
texts plain.db | grep -qxF "$kept" || show "the first command put the lines in"
run "$XFERSPY" report stranger.db; expect_status 0; expect_not "// repaired"
[ -z "$(texts stranger.db)" ] || show "a trace that was copied later is as it was"
# What may not be written stays as it is, and its lines have no text.
"$XFERSPY" query late.db "SELECT 1" >/dev/null
chmod a-w late.db; sum=$(cksum <late.db)
run "$XFERSPY" report --details late.db; expect_status 0; expect_out "train.c:17 in main"; expect_not "// repaired"
[ "$sum" = "$(cksum <late.db)" ] || show "a trace that may not be written was written"
run "$XFERSPY" check --no-config --write-baseline=baseline.json before.db; expect_status 0
run "$XFERSPY" report before.db; expect_status 0; expect_out "train.c:17 in main"; cp stdout first

repair_it
run "$XFERSPY" report before.db; expect_status 0
cmp -s stdout first || { diff first stdout; show "the rebuild changed the report"; }
record after
run "$XFERSPY" diff --color=never before.db after.db; expect_status 0
expect_not "train+0x"; expect_not "unchecked noop-upload"
expect_out "train.c:17 in main"
run "$XFERSPY" check --no-config --baseline=baseline.json --fail-on=noop-upload:0 after.db; cp stdout judged
grep -q "train+0x" judged && show "the repaired program's findings are named by lines"
run "$XFERSPY" check --no-config --baseline=baseline.json --fail-on=noop-upload:0 before.db; expect_status 0
expect_out "0 new, 0 gone"

# A source that was edited before the lines are looked up gives no text.
preloaded edited
sed -i 's/kept/other text/' train.c
run "$XFERSPY" report --details edited.db; expect_status 0; expect_out "train.c:"; expect_not "other text"

# Debug information that is named later has the lines, though the trace has the functions already.
build; mkdir debug; cp train debug; strip -g train
record symbols
run "$XFERSPY" report --details symbols.db; expect_status 0; expect_out "main in train+0x"; expect_not "train.c:"
run "$XFERSPY" report --details --debug-path=debug symbols.db; expect_status 0; expect_out "train.c:17 in main"
# Where nothing knows more, the trace's functions stay.
mv train away
run "$XFERSPY" report --details --debug-path=/nonexistent symbols.db; expect_status 0; expect_out "main in train+0x"
expect_out "is not here, so calls in it have functions instead of lines"
mv away train

# Looking the lines up ends after five seconds, and a line on the terminal shows that it goes on. Here the child that
# does it never comes to read the binary.
cat >stuck.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static pid_t first;
__attribute__((constructor)) static void begin(void) { first = getpid(); }
int open(const char *path, int flags, ...) {
    size_t length = strlen(path);
    va_list rest;
    va_start(rest, flags);
    int mode = va_arg(rest, int);
    va_end(rest);
    while (getpid() != first && length > 6 && !strcmp(path + length - 6, "/train"))
        pause();
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) __attribute__((alias("open")));
END
cc -shared -fPIC -o stuck.so stuck.c || exit 99
build
cat >stuck.sh <<END
LD_PRELOAD=$PWD/stuck.so exec "$XFERSPY" run --quiet=off --output=stuck.db ./train
END
step="run, with a lookup that does not end"
timeout 600 script -qec "sh stuck.sh" /dev/null </dev/null >stdout 2>stderr; status=$?; expect_status 0
expect_out "xferspy: looking up the lines that calls came from"
expect_out "took more than five seconds and was ended; before the next build, type \`xferspy symbolize'"
[ ! -e stuck.db-journal ] || show "a journal is left"
[ -z "$(texts stuck.db)" ] || show "nothing was put in"
run "$XFERSPY" symbolize stuck.db; expect_status 0; expect_out ", and the text of 4 lines"
