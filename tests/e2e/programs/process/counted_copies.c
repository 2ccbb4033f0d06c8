/* Copies that somebody else counts: ranks, containers and other users (../surroundings) run this program, and some of
 * them kill it. Here it runs alone.
 *
 *   counted_copies COPIES [FILE]
 *
 * Copy number n moves n bytes, so the trace tells which copies it has. FILE gets two numbers of 64 bits: the process,
 * and how many copies have returned. With COPIES 0 it copies until it is killed, and kills itself after a minute.
 *
 * link: cuda
 * run: exec "$program" 100 "$dir/count"
 * stdout: data ok
 *
 * > SELECT direction, count(*), count(DISTINCT bytes), max(bytes), sum(result) FROM transfer GROUP BY 1 ORDER BY 1
 * 1|100|100|100|0
 * 2|1|1|100|0
 *
 * $ [ "$(od -An -tu8 $dir/count | awk '{ print $2 }')" = 100 ] || echo "the file says otherwise"
 */
#include <cuda.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "../check.h"

enum { MOST = 60000 };

struct count {
    _Atomic uint64_t pid, returned;
};

/* In a file, because it is read after the process was killed. */
static struct count *count_in(const char *path) {
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    REQUIRE(fd >= 0 && ftruncate(fd, sizeof(struct count)) == 0);
    struct count *count = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    REQUIRE(count != MAP_FAILED);
    close(fd);
    return count;
}

int main(int argc, char **argv) {
    static unsigned char host[MOST], back[MOST];
    static struct count own;
    CUdeviceptr device;

    REQUIRE(argc == 2 || argc == 3);
    unsigned copies = (unsigned)atoi(argv[1]);
    struct count *count = argc == 3 ? count_in(argv[2]) : &own;
    REQUIRE(copies < MOST);
    if (copies == 0)
        alarm(60);
    atomic_store(&count->pid, (uint64_t)getpid());
    e2e_context();
    OK(cuMemAlloc(&device, MOST));
    e2e_fill(host, MOST, 1);
    for (unsigned n = 1; n <= (copies ? copies : MOST - 1); n++) {
        OK(cuMemcpyHtoD(device, host, n));
        atomic_store_explicit(&count->returned, n, memory_order_release);
    }
    while (copies == 0)
        pause();
    OK(cuMemcpyDtoH(back, device, copies));
    e2e_expect(back, copies, 1);
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
