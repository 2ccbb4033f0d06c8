/* Ranges that the program opens by calls of the library, without NVTX. While the library is not preloaded there is none
 * of these functions, and the program does the same.
 *
 * link: cuda
 * stdout: data ok
 *
 * Each copy by its bytes, with the ranges around it. The first range ended before the one that was inside it, and
 * another thread ended that one:
 * > WITH RECURSIVE around(id, outer, path) AS (
 * > SELECT id, parent, name FROM nvtx_range UNION ALL
 * > SELECT a.id, r.parent, r.name || '/' || a.path FROM around a JOIN nvtx_range r ON r.id = a.outer)
 * > SELECT t.bytes, a.path FROM transfer t LEFT JOIN around a ON a.id = t.nvtx_range AND a.outer IS NULL
 * > ORDER BY t.bytes
 * 16|before CUDA
 * 32|before CUDA/load
 * 48|load
 * 64|
 * 80|
 *
 * The snapshot before the program's end had what was copied until then:
 * $ cd "$dir" && seen=$(echo *.seen) && mv $seen.log $seen-wal && q $seen "SELECT count(*) FROM transfer"; rm $seen*
 * 5
 */
#include <cuda.h>
#include <pthread.h>
#include <string.h>

#include "../../../../preload/application/xferspy.h"
#include "../check.h"

static unsigned char host[128];
static CUdeviceptr device;
static CUcontext context;

static uint64_t begin(const char *name) { return xferspy_range_start ? xferspy_range_start(name) : 0; }
static void end(uint64_t range) {
    if (xferspy_range_end)
        xferspy_range_end(range);
}

static void *on_another_thread(void *range) {
    OK(cuCtxSetCurrent(context));
    end(*(uint64_t *)range);
    OK(cuMemcpyHtoD(device, host, 64));
    return NULL;
}

static void before_there_is_a_trace(void) {
    REQUIRE(!xferspy_trace || !xferspy_trace());
    REQUIRE(!xferspy_snapshot || xferspy_snapshot() == 0);
    end(0);
    end(12345); /* no range has this number */
}

/* Copies a file of the trace, under a name of its own. */
static void copy(const char *ending, const char *name) {
    char from[4200], to[4200], part[65536];
    size_t bytes;
    snprintf(from, sizeof from, "%s%s", xferspy_trace(), ending);
    snprintf(to, sizeof to, "%s.seen%s", xferspy_trace(), name);
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    REQUIRE(out && (in || *ending));
    while (in && (bytes = fread(part, 1, sizeof part, in)) > 0)
        REQUIRE(fwrite(part, 1, bytes, out) == bytes);
    if (in)
        fclose(in);
    OK(fclose(out));
}

/* The next events come only after this. */
static void keep_what_is_there(void) {
    REQUIRE(xferspy_trace() != NULL);
    copy("", "");
    copy("-wal", ".log");
}

int main(void) {
    pthread_t thread;
    before_there_is_a_trace();
    e2e_fill(host, sizeof host, 1);
    uint64_t before = begin("before CUDA");
    context = e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    OK(cuMemcpyHtoD(device, host, 16));
    uint64_t load = begin("load");
    OK(cuMemcpyHtoD(device, host, 32));
    end(before);
    OK(cuMemcpyHtoD(device, host, 48));
    OK(pthread_create(&thread, NULL, on_another_thread, &load));
    OK(pthread_join(thread, NULL));
    OK(cuMemcpyHtoD(device, host, 80));
    if (xferspy_snapshot) {
        REQUIRE(xferspy_snapshot() == 1);
        keep_what_is_there();
    }
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
