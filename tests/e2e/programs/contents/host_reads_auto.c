/* With XFERSPY_HOST_READS=auto, some downloads are watched. A budget that is large lets a short program have some, too.
 * In a loop, one array is downloaded and never read, one is read at one place, and one is read as a whole.
 * No page belongs to two of them, as pages of the heap may.
 *
 * link: cuda
 * only: no-tsan
 * env: XFERSPY_HOST_READS=auto XFERSPY_BUDGET=100
 * stdout: data ok
 *
 * Each of the arrays was watched at least once, and nothing that was read counts as unread. What nobody read was found
 * at least once. A few downloads may be undecided, because another thread was too late.
 * > SELECT a.memory, count(*) > 0, sum(r.read_bytes = 0) > 0, max(r.read_bytes) >= CASE a.memory WHEN 1 THEN 0
 * > WHEN 2 THEN 4096 ELSE 1048576 END, min(r.read_bytes) >= CASE a.memory WHEN 1 THEN 0 WHEN 2 THEN 4096
 * > ELSE 1048576 END FROM (SELECT dst_address, row_number() OVER (ORDER BY min(id)) AS memory FROM transfer
 * > WHERE direction = 2 GROUP BY dst_address) a JOIN transfer t ON t.dst_address = a.dst_address
 * > JOIN host_read r ON r.id = t.host_read WHERE r.doubt IS NULL GROUP BY a.memory
 * 1|1|1|1|1
 * 2|1|0|1|1
 * 3|1|0|1|1
 *
 * Most downloads were not watched:
 * > SELECT count(host_read) < count(*) / 2 FROM transfer WHERE direction = 2
 * 1
 */
#include <cuda.h>

#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "../check.h"

enum { BYTES = 1 << 20, ARRAYS = 3, RUN_MS = 1500 };

static volatile unsigned char sum;

static void read_all(const unsigned char *memory) {
    for (size_t i = 0; i < BYTES; i += 64)
        sum = (unsigned char)(sum + memory[i]);
}

static long now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int main(void) {
    CUdeviceptr device;
    unsigned char *arrays[ARRAYS];
    e2e_context();
    OK(cuMemAlloc(&device, BYTES));
    OK(cuMemsetD8(device, 1, BYTES));
    for (int i = 0; i < ARRAYS; i++) {
        arrays[i] = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        REQUIRE(arrays[i] != MAP_FAILED);
        memset(arrays[i], i, BYTES);
    }
    for (long end = now_ms() + RUN_MS; now_ms() < end;) {
        OK(cuMemcpyDtoH(arrays[0], device, BYTES));
        OK(cuMemcpyDtoH(arrays[1], device, BYTES));
        sum = (unsigned char)(sum + arrays[1][BYTES / 2]);
        OK(cuMemcpyDtoH(arrays[2], device, BYTES));
        read_all(arrays[2]);
    }
    puts("data ok");
    return 0;
}
