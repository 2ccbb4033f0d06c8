/* With XFERSPY_HOST_READS=all, the trace says of each download of at least 256 KiB how much of it the host read before
 * the memory was written again, freed, or the program ended.
 *
 * link: cuda
 * env: XFERSPY_HOST_READS=all
 * stdout: data ok
 *
 * The pageable memory begins and ends within a page, so that one page more is watched, and both ends are edges. The first download into it was
 * not read; of the second one all was read, of the third one the first value, of the fourth one something in the
 * middle. The fifth one was uploaded again, which is a read by the driver, and the sixth one was overwritten by the
 * program. The last one was never read. The small download was not watched.
 * > SELECT t.bytes, r.watched_bytes, r.read_bytes, r.edge_read_bytes, r.pieces, r.read_pieces, r.doubt FROM transfer t
 * > LEFT JOIN host_read r ON r.id = t.host_read WHERE t.direction = 2 AND t.dst_kind = 1 ORDER BY t.id
 * 1048576|1052672|0|0|14|0|
 * 1048576|1052672|1052672|8192|14|16383|
 * 1048576|1052672|4096|4096|14|1|
 * 1048576|1052672|4096|0|14|128|
 * 1048576|1052672|1052672|8192|14|16383|
 * 1048576|1052672|1052672|8192|14|16383|
 * 200000||||||
 * 1048576|1052672|0|0|14|0|
 *
 * The same with page-locked memory: not read, read at its end, and freed without a read.
 * > SELECT t.bytes, r.watched_bytes, r.read_bytes, r.edge_read_bytes, r.pieces, r.read_pieces, r.doubt FROM transfer t
 * > LEFT JOIN host_read r ON r.id = t.host_read WHERE t.direction = 2 AND t.dst_kind = 2 ORDER BY t.id
 * 1048576|1048576|0|0|16|0|
 * 1048576|1048576|4096|0|16|32768|
 * 1048576|1048576|0|0|16|0|
 *
 * > SELECT count(*), (SELECT count(*) FROM transfer WHERE host_read IS NOT NULL) FROM host_read
 * 10|10
 * > SELECT value > 0 FROM meta WHERE key = 'cost.host_reads_ns'
 * 1
 */
#include <cuda.h>

#include <string.h>
#include <sys/mman.h>

#include "../check.h"

enum { BYTES = 1 << 20, PAGE = 4096 };

static CUdeviceptr device;
static volatile unsigned char sum;

static void down(unsigned char *to, unsigned seed) {
    OK(cuMemsetD8(device, (unsigned char)seed, BYTES));
    OK(cuMemcpyDtoH(to, device, BYTES));
}

static void read_from(const unsigned char *memory, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        sum = (unsigned char)(sum + memory[i]);
}

static void pageable(void) {
    unsigned char *pages = mmap(NULL, BYTES + 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(pages != MAP_FAILED);
    (void)madvise(pages, BYTES + 3 * PAGE, MADV_NOHUGEPAGE);
    memset(pages, 1, BYTES + 3 * PAGE);
    unsigned char *memory = pages + PAGE + 16;
    down(memory, 1);
    down(memory, 2);
    read_from(memory, BYTES);
    down(memory, 3);
    read_from(memory, 1);
    down(memory, 4);
    read_from(memory + BYTES / 2 + PAGE, 100);
    down(memory, 5);
    OK(cuMemcpyHtoD(device, memory, BYTES));
    down(memory, 6);
    memset(memory, 7, BYTES);
    OK(cuMemcpyDtoH(memory, device, 200000));
    down(memory, 8);
}

static void page_locked(void) {
    void *memory;
    OK(cuMemHostAlloc(&memory, BYTES, 0));
    memset(memory, 1, BYTES);
    down(memory, 1);
    down(memory, 2);
    read_from((unsigned char *)memory + BYTES - 1, 1);
    down(memory, 3);
    OK(cuMemFreeHost(memory));
}

int main(void) {
    e2e_context();
    if (sysconf(_SC_PAGESIZE) != PAGE)
        return E2E_SKIP;
    OK(cuMemAlloc(&device, BYTES));
    pageable();
    page_locked();
    puts("data ok");
    return 0;
}
