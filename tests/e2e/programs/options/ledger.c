/* A ledger has the same totals by call site as a trace of the same program, although it has few of its calls, and the
 * same findings by content are named in it. The program does little, so that a ledger may record all of its calls.
 *
 * link: cuda
 * run: sh -c 'for mode in trace ledger; do XFERSPY_MODE=$mode XFERSPY_FINGERPRINT=all "$program" || exit; done'
 * stdout: data ok
 * stdout: data ok
 * traces: 2
 * notices: 2
 *
 * $ for t in $traces; do q $t "SELECT count(*) FROM meta WHERE key = 'ledger.rolled_up_ns'"; done | sort
 * 0
 * 1
 *
 * If a real driver takes long to begin and end each part, some calls of so short a ledger are only counted. They are in
 * no row and no sum, so they are added here.
 * $ for t in $traces; do "$xferspy" report --by=site --format=json $t | python3 -c "import json, sys
 * $ t = json.load(sys.stdin)['traces'][0]
 * $ counted = (t['coverage'].get('looked_at') or {}).get('left_out_transfers', 0)
 * $ rows = t['by']['rows']
 * $ for r in rows: print(r['call_site']['function'], r['site'], r['bytes'] / r['transfers'],
 * $     400 if 0 <= 400 - r['transfers'] <= counted else r['transfers'])
 * $ print(sum(r['transfers'] for r in rows) + counted)"; done | sort | uniq -c
 *       2 1200
 *       2 back cuMemcpyDtoH_v2 64.0 400
 *       2 changed cuMemcpyHtoD_v2 8192.0 400
 *       2 never_changed cuMemcpyHtoD_v2 4096.0 400
 *
 * $ for t in $traces; do "$xferspy" report --format=json $t | python3 -c "import json, sys
 * $ t = json.load(sys.stdin)['traces'][0]
 * $ counted = t['coverage'].get('looked_at') or {}
 * $ waits = sum(s['count'] for s in t['syncs'])
 * $ print(sum(l['count'] for l in t['launches']) + counted.get('left_out_launches', 0),
 * $     400 if 0 <= 400 - waits <= counted.get('left_out_others', 0) else waits,
 * $     t['memsets']['count'] + counted.get('left_out_memsets', 0))
 * $ print(*sorted({f['call_site']['function'] for f in t['findings'] if f['finding'] == 'noop-upload'}))"
 * $ done | sort | uniq -c
 *       2 400 400 400
 *       2 never_changed
 *
 * How often a finding by content occurs in the whole run is estimated, with an interval. The number of copies is known,
 * unless some of them were only counted.
 * $ for t in $traces; do "$xferspy" report --format=json $t | python3 -c "import json, sys
 * $ t = json.load(sys.stdin)['traces'][0]
 * $ counted = (t['coverage'].get('looked_at') or {}).get('left_out_transfers', 0)
 * $ for f in t['findings']:
 * $     if f['finding'] == 'noop-upload': run = f.get('in_run')
 * $ print(run and (abs(run['transfers'] - 400) <= (40 if counted else 0),
 * $     run['instances_low'] <= run['transfers'] <= run['instances_high']))"; done | LC_ALL=C sort
 * (True, True)
 * None
 *
 * A ledger has a part of the calls as rows.
 * $ for t in $traces; do q $t "SELECT count(*) < 1200 AND count(*) > 0 FROM transfer"; done | sort
 * 0
 * 1
 *
 * $ for t in $traces; do "$xferspy" report $t | grep -c '^  This is a ledger (XFERSPY_MODE): '; done | sort
 * 0
 * 1
 *
 * So do the other commands.
 * $ "$xferspy" diff $traces | grep -c 'in a ledger; findings and device times are of that part'
 * 1
 * $ for t in $traces; do "$xferspy" check --fail-on=device-time:1s $t | grep -c 'A ledger (XFERSPY_MODE) has no device times'
 * $ done | sort
 * 0
 * 1
 */
#include <cuda.h>
#include <time.h>

#include "../arguments/add_one_ptx.h"
#include "../check.h"

enum { STEPS = 400, BYTES = 8192 };
#define STEP_NS 12000000

static unsigned char constant[BYTES / 2], input[BYTES], output[64];
static CUdeviceptr weights, data;

static __attribute__((noinline, noclone)) void never_changed(void) {
    OK(cuMemcpyHtoD(weights, constant, sizeof constant));
}
static __attribute__((noinline, noclone)) void changed(unsigned step) {
    e2e_fill(input, sizeof input, step);
    OK(cuMemcpyHtoD(data, input, sizeof input));
}
static __attribute__((noinline, noclone)) void back(void) { OK(cuMemcpyDtoH(output, data, sizeof output)); }

int main(void) {
    CUmodule module;
    CUfunction add_one;
    size_t count = 16;
    const struct timespec pause = {0, STEP_NS};
    e2e_context();
    OK(cuModuleLoadData(&module, add_one_ptx));
    OK(cuModuleGetFunction(&add_one, module, "xs_add_one_u8"));
    OK(cuMemAlloc(&weights, sizeof constant));
    OK(cuMemAlloc(&data, BYTES));
    e2e_fill(constant, sizeof constant, STEPS);
    void *arguments[] = {&data, &count};
    for (unsigned step = 0; step < STEPS; step++) {
        never_changed();
        changed(step);
        OK(cuMemsetD8(data + BYTES / 2, (unsigned char)step, BYTES / 2));
        OK(cuLaunchKernel(add_one, 1, 1, 1, 16, 1, 1, 0, NULL, arguments, NULL));
        OK(cuStreamSynchronize(NULL));
        back();
        for (size_t i = 0; i < sizeof output; i++)
            REQUIRE(output[i] == (unsigned char)(e2e_byte(step, i) + (i < count)));
        nanosleep(&pause, NULL);
    }
    puts("data ok");
    return 0;
}
