/* More page migrations than may be recorded: windows that are spread over the run are, and the trace says which.
 *
 * link: cuda
 * env: XFERSPY_BUDGET=1
 * stdout: data ok
 *
 * Windows; the first and the last of them, in parts of the run; the time of all of them, which a busy machine makes
 * longer; migrations are of windows, but a busy machine records one late.
 *
 * needs: cupti
 * > SELECT value GLOB '*+*,*+*,*+*' FROM meta WHERE key = 'cupti.migration_windows'
 * 1
 *
 * needs: cupti
 * > SELECT CAST(w.value AS INTEGER) * 1000 < d.value / 4,
 * > CAST(replace(w.value, rtrim(w.value, replace(w.value, ',', '')), '') AS INTEGER) * 1000 > d.value / 2
 * > FROM meta w JOIN meta d ON d.key = 'duration_ns' WHERE w.key = 'cupti.migration_windows'
 * 1|1
 *
 * > SELECT CAST(m.value AS INTEGER) < d.value * 9 / 10 FROM meta m JOIN meta d ON d.key = 'duration_ns'
 * > WHERE m.key = 'cupti.migrations_ns'
 * 1
 *
 * needs: cupti
 * > WITH RECURSIVE rest(t) AS (SELECT value || ',' FROM meta WHERE key = 'cupti.migration_windows'
 * > UNION ALL SELECT substr(t, instr(t, ',') + 1) FROM rest WHERE t <> ''),
 * > w AS (SELECT CAST(t AS INTEGER) * 1000 AS s, CAST(substr(t, instr(t, '+') + 1) AS INTEGER) * 1000 AS n FROM rest
 * > WHERE t <> '')
 * > SELECT count(*) > 1000,
 * > sum(EXISTS (SELECT 1 FROM w WHERE m.start_ns BETWEEN s - 5000000 AND s + n)) * 10 > count(*) * 8
 * > FROM device_migration m WHERE m.start_ns IS NOT NULL
 * 1|1
 */
#include <cuda.h>
#include <time.h>

#include "../check.h"

enum { RANGES = 256, BYTES = 65536, STRIDE = 2 * BYTES };

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void) {
    static CUdeviceptr ranges[RANGES];
    static size_t sizes[RANGES];
    size_t index = 0;
    CUmemLocation gpu = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0},
                  cpu = {.type = CU_MEM_LOCATION_TYPE_HOST, .id = 0};
    CUdeviceptr managed;
    CUstream stream;
    int concurrent = 0;

    e2e_context();
    OK(cuDeviceGetAttribute(&concurrent, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 0));
    if (!concurrent)
        return E2E_SKIP;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemAllocManaged(&managed, RANGES * STRIDE, CU_MEM_ATTACH_GLOBAL));
    e2e_fill((void *)managed, RANGES * STRIDE, 1);
    for (size_t i = 0; i < RANGES; i++) {
        ranges[i] = managed + i * STRIDE;
        sizes[i] = BYTES;
    }
    for (double begin = seconds(); seconds() < begin + 2.5;) {
        OK(cuMemPrefetchBatchAsync(ranges, sizes, RANGES, &gpu, &index, 1, 0, stream));
        OK(cuStreamSynchronize(stream));
        OK(cuMemPrefetchBatchAsync(ranges, sizes, RANGES, &cpu, &index, 1, 0, stream));
        OK(cuStreamSynchronize(stream));
    }
    e2e_expect((void *)managed, RANGES * STRIDE, 1);
    OK(cuStreamDestroy(stream));
    OK(cuMemFree(managed));
    puts("data ok");
    return 0;
}
