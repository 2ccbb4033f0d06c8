/* Fingerprints in several contexts: each context has its own kernel and memory. Memory that belongs to another context
 * than the current one is left to the host. A context is destroyed while results are under way, and the next context,
 * perhaps with the same handle, begins anew.
 *
 * link: cuda
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * Contents by the first transfer that had the same. The last upload of the first context finds what the second one's
 * left there.
 * > SELECT transfer, direction, taken_on, (SELECT min(g.transfer) FROM fingerprints g WHERE g.content = f.content),
 * >   before IS NOT NULL, (SELECT min(g.transfer) FROM fingerprints g WHERE g.content = f.before), missing
 * > FROM fingerprints f WHERE bytes = 10000 ORDER BY transfer
 * 1|h2d|device|1|1||
 * 2|h2d|device|1|1||
 * 3|h2d|||0||another context than the current one
 * 4|h2d|host|4|0||
 * 5|d2h|||0||another context than the current one
 * 6|d2h|host|4|0||
 * 7|h2d|device|1|1|4|
 *
 * > SELECT direction, count(*), count(content), sum(before IS NOT NULL), group_concat(DISTINCT taken_on)
 * > FROM fingerprints
 * > WHERE bytes = 20000 GROUP BY 1
 * h2d|32|32|32|device
 *
 * > SELECT direction, taken_on, content = (SELECT content FROM fingerprints
 * > WHERE transfer = 40), before IS NOT NULL, before = content
 * > FROM fingerprints WHERE bytes = 30000 ORDER BY transfer
 * h2d|device|1|1|0
 * d2h|device|1|0|
 * h2d|device|1|1|1
 *
 * needs: cupti
 * > SELECT host_transfers, host_failed, without_record, without_event FROM coverage
 * 42|0|0|0
 *
 * > SELECT (SELECT count(*) FROM device_kernel), (SELECT count(*) FROM device_memset), (SELECT count(*)
 * > FROM fingerprint)
 * 0|0|40
 */
#include <cuda.h>

#include "../check.h"

enum { FIRST = 10000, UNDER_WAY = 20000, LAST = 30000, COPIES = 32 };

static CUcontext create(CUdeviceptr *memory, CUstream *stream) {
    CUcontext context;
    OK(cuCtxCreate(&context, NULL, 0, 0));
    OK(cuMemAlloc(memory, COPIES * 32768));
    OK(cuStreamCreate(stream, CU_STREAM_NON_BLOCKING));
    return context;
}

int main(void) {
    unsigned char *host = malloc(LAST), *pinned;
    CUcontext one, two, three;
    CUdeviceptr a, b, c;
    CUstream stream_one, stream_two, stream_three;

    OK(cuInit(0));
    one = create(&a, &stream_one);
    OK(cuMemHostAlloc((void **)&pinned, 65536, CU_MEMHOSTALLOC_PORTABLE));
    e2e_fill(pinned, 65536, 1);
    e2e_fill(host, LAST, 2);
    OK(cuMemcpyHtoDAsync(a, pinned, FIRST, stream_one)); /* 1 */
    OK(cuStreamSynchronize(stream_one));

    two = create(&b, &stream_two);
    OK(cuMemcpyHtoDAsync(b, pinned, FIRST, stream_two));
    OK(cuMemcpyHtoDAsync(a, pinned, FIRST, stream_two));
    OK(cuStreamSynchronize(stream_two));
    OK(cuMemcpyHtoD(a, host, FIRST)); /* 4: which only waits for its staging */
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoHAsync(pinned + 32768, a, FIRST, stream_two));
    OK(cuStreamSynchronize(stream_two));
    e2e_expect(pinned + 32768, FIRST, 2);
    OK(cuMemcpyDtoH(host, a, FIRST));
    OK(cuCtxSetCurrent(one));
    OK(cuMemcpyHtoDAsync(a, pinned, FIRST, stream_one)); /* 7 */
    OK(cuStreamSynchronize(stream_one));

    OK(cuCtxSetCurrent(two));
    for (unsigned i = 0; i < COPIES; i++)
        OK(cuMemcpyHtoDAsync(b + i * 32768, pinned + i * 64, UNDER_WAY, stream_two));
    OK(cuCtxDestroy(two));

    three = create(&c, &stream_three);
    e2e_fill(pinned, LAST, 3);
    OK(cuMemcpyHtoDAsync(c, pinned, LAST, stream_three)); /* 40 */
    OK(cuMemcpyDtoHAsync(pinned, c, LAST, stream_three));
    OK(cuMemcpyHtoDAsync(c, pinned, LAST, stream_three));
    OK(cuStreamSynchronize(stream_three));
    e2e_expect(pinned, LAST, 3);
    OK(cuCtxDestroy(three));

    OK(cuCtxSetCurrent(one));
    OK(cuMemFree(a));
    OK(cuMemFreeHost(pinned));
    OK(cuCtxDestroy(one));
    free(host);
    puts("data ok");
    return 0;
}
