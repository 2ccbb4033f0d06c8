/* A program that closes every descriptor above 2, again and again while it copies, as daemons do, and then opens files
 * of its own: they hold its own data and nothing else, and the trace is whole.
 *
 * The thread sanitizer does not know that the profiler has descriptors of its own under the same numbers.
 *
 * only: no-tsan
 * link: cuda
 * stdout: files intact, data ok
 *
 * > SELECT direction, count(*), sum(bytes) FROM transfers GROUP BY 1 ORDER BY 1
 * d2h|20|81920
 * h2d|20000|81920000
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>

#include "../check.h"

enum { ROUNDS = 20, FILES = 16, COPIES = 1000 };

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

static void close_above(int from) {
    if (syscall(SYS_close_range, (unsigned)from, ~0u, 0u) != 0)
        for (int fd = from; fd < 1024; fd++)
            close(fd);
}

int main(void) {
    const char *folder = getenv("XFERSPY_TEST_DIR");
    unsigned char host[4096], back[4096];
    int fds[FILES], from = 3; /* the lowest that is closed */
    char path[4096], text[64];
    CUdeviceptr device;

    REQUIRE(folder != NULL);
    close_above(3);
    e2e_context();
    if (getenv("XFERSPY_TEST_GPU") != NULL) { /* a real driver has descriptors of its own, which must stay */
        from = 900;
        REQUIRE(dup2(0, from) == from);
    }
    OK(cuMemAlloc(&device, sizeof host));
    e2e_fill(host, sizeof host, 1);
    for (int round = 0; round < ROUNDS; round++) {
        close_above(from);
        for (int i = 0; i < FILES; i++) {
            snprintf(path, sizeof path, "%s/own-%d", folder, i);
            fds[i] = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
            REQUIRE(fds[i] >= 0);
            snprintf(text, sizeof text, "file %d of round %d\n", i, round);
            REQUIRE(write(fds[i], text, strlen(text)) == (ssize_t)strlen(text));
        }
        for (int i = 0; i < COPIES; i++)
            OK(cuMemcpyHtoD(device, host, sizeof host));
        OK(cuMemcpyDtoH(back, device, sizeof back));
        e2e_expect(back, sizeof back, 1);
        for (int i = 0; i < FILES; i++) {
            char got[128] = "";
            snprintf(text, sizeof text, "file %d of round %d\n", i, round);
            REQUIRE(lseek(fds[i], 0, SEEK_END) == (off_t)strlen(text));
            REQUIRE(pread(fds[i], got, sizeof got - 1, 0) == (ssize_t)strlen(text) && strcmp(got, text) == 0);
        }
    }
    OK(cuMemFree(device));
    puts("files intact, data ok");
    return 0;
}
