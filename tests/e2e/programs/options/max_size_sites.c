/* A trace that reaches its largest size, of a program with one call site of many copies and others of few: the report
 * has the same totals by call site as that of a run whose trace has all of its rows, and each site has rows left from
 * the middle of the run.
 *
 * link: cuda
 * env: XFERSPY_FINGERPRINT=off XFERSPY_BUDGET=off
 * run: sh -c 'for size in 4 4096; do XFERSPY_MAX_SIZE=$size "$program" || exit; done'
 * stdout: data ok
 * stdout: data ok
 * traces: 2
 * notices: 2
 *
 * $ for t in $traces; do q $t "SELECT count(*) FROM meta WHERE key = 'thinned.rows'"; done | sort
 * 0
 * 1
 *
 * $ for t in $traces; do "$xferspy" report --by=site --format=json $t | python3 -c "import json, sys
 * $ rows = json.load(sys.stdin)['traces'][0]['by']['rows']
 * $ for r in rows: print(r['call_site']['function'], r['site'], r['transfers'], r['bytes'])"; done | sort | uniq -c
 *       2 both cuMemcpyDtoHAsync_v2 40 640
 *       2 both cuMemcpyHtoDAsync_v2 40 640
 *       2 often cuMemcpyHtoDAsync_v2 120000 120060000
 *       2 once_a_while cuMemcpyHtoDAsync_v2 100 3200
 *       2 three_times cuMemcpyDtoHAsync_v2 3 192
 *
 * The text has them, too.
 * $ for t in $traces; do "$xferspy" report --by=site $t | grep -oE 'often .* 120,000|once_a_while .* 100 '; done |
 * $   awk '{ print $1, $NF }' | sort | uniq -c
 *       2 often 120,000
 *       2 once_a_while 100
 *
 * All copies have device times, also those that are gone.
 * needs: cupti
 * $ for t in $traces; do "$xferspy" report --by=site --format=json $t | python3 -c "import json, sys
 * $ rows = json.load(sys.stdin)['traces'][0]['by']['rows']
 * $ for r in rows: print(r['transfers'] - r['timed_count'])"; done | sort | uniq -c
 *      10 0
 *
 * All rows of sites that have few, with their device times, and a part of the one that has many.
 * needs: cupti
 * $ for t in $traces; do q $t "SELECT count(*) FROM transfers WHERE bytes IN (16, 32, 64) AND device_ns > 0
 * $   UNION ALL SELECT count(*) < 100000 FROM transfer WHERE bytes > 64"; done | sort | uniq -c
 *       1 0
 *       1 1
 *       2 183
 */
#include <cuda.h>

#include "../check.h"

enum { COPIES = 120000, BYTES = 4096, PER_WAIT = 64 };

static unsigned char *pinned;
static CUdeviceptr device;

static __attribute__((noinline, noclone)) void often(unsigned i) {
    OK(cuMemcpyHtoDAsync(device + i % 5 * 16, pinned, i % 2 ? 1001 : 1000, NULL));
}
static __attribute__((noinline, noclone)) void once_a_while(void) { OK(cuMemcpyHtoDAsync(device, pinned, 32, NULL)); }
static __attribute__((noinline, noclone)) void three_times(void) {
    OK(cuMemcpyDtoHAsync(pinned + BYTES, device, 64, NULL));
}
static __attribute__((noinline, noclone)) void both(void) {
    OK(cuMemcpyHtoDAsync(device, pinned, 16, NULL));
    OK(cuMemcpyDtoHAsync(pinned + BYTES, device, 16, NULL));
}

int main(void) {
    e2e_context();
    OK(cuMemAlloc(&device, BYTES));
    OK(cuMemAllocHost((void **)&pinned, 2 * BYTES));
    e2e_fill(pinned, BYTES, 1);
    for (unsigned i = 0; i < COPIES; i++) {
        often(i);
        if (i % 1200 == 600)
            once_a_while();
        if (i % 3000 == 1500)
            both();
        if (i % 40000 == 20000)
            three_times();
        if (i % PER_WAIT == 0)
            OK(cuStreamSynchronize(NULL));
    }
    OK(cuStreamSynchronize(NULL));
    puts("data ok");
    return 0;
}
