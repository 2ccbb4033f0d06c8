/* The file system of the trace does not answer when the program ends: xferspy waits five seconds for it, and one line says what becomes of
 * the rest. (The kernel keeps the process until the file system answers again; the parent, which uses no CUDA, takes care of that.)
 *
 * link: cuda
 * only: unsanitized
 * run: PATH=$PATH:/usr/sbin:/sbin && cd "$XFERSPY_TEST_DIR" && truncate -s 128M disk && mkfs.ext4 -q disk && mkdir mnt || exit 77; exec unshare -m sh -c 'mount -o loop disk mnt 2> /dev/null || exit 77; "$program" mnt; r=$?; "${program%/tests/e2e/programs*}/bin/xferspy" info mnt/t.db > /dev/null 2>&1; find mnt -name "*.db" -exec cp {} "$dir" \; 2> /dev/null; exit $r'
 * env: XFERSPY_OUTPUT=$XFERSPY_TEST_DIR/mnt/t.db XFERSPY_CUPTI=off
 * status: recovered
 * notices: 1
 * stdout: ended in time
 *
 * > SELECT count(*) FROM transfer
 * 1000
 *
 * $ grep -c 't[.]db was not closed in time; any xferspy command on it takes over the rest' $stderr
 * 1
 */
#include <cuda.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>

#include "../check.h"

/* Five seconds are promised; the rest is for a busy machine. After THAW_MS the file system is thawed in any case. */
enum { LONGEST_MS = 20000, THAW_MS = 60000, COPIES = 1000 };

static long now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Returns from main: the library's destructor finds the file system frozen. */
static int profiled(int folder, int frozen) {
    static unsigned char host[64];
    CUdeviceptr device;
    e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    for (int i = 0; i < COPIES; i++)
        OK(cuMemcpyHtoD(device, host, sizeof host));
    if (ioctl(folder, FIFREEZE, 0) != 0)
        return E2E_SKIP;
    REQUIRE(write(frozen, "", 1) == 1);
    return 0;
}

/* What the child prints, until a line is complete, its end, or `until`. */
static size_t read_line(int from, char *text, size_t room, long until) {
    struct pollfd waiting = {.fd = from, .events = POLLIN};
    size_t bytes = 0;
    while (bytes < room && now_ms() < until && !memchr(text, '\n', bytes)) {
        if (poll(&waiting, 1, 100) > 0) {
            ssize_t n = read(from, text + bytes, room - bytes);
            if (n <= 0)
                break;
            bytes += (size_t)n;
        }
    }
    return bytes;
}

int main(int argc, char **argv) {
    int frozen[2], messages[2], status;
    char byte, text[4096];
    REQUIRE(argc == 2 && pipe(frozen) == 0 && pipe(messages) == 0);
    int folder = open(argv[1], O_RDONLY | O_DIRECTORY);
    REQUIRE(folder >= 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(messages[1], STDERR_FILENO);
        close(messages[1]);
        return profiled(folder, frozen[1]);
    }
    close(frozen[1]);
    close(messages[1]);
    bool is_frozen = read(frozen[0], &byte, 1) == 1;
    long start = now_ms();
    size_t bytes = read_line(messages[0], text, sizeof text, start + THAW_MS);
    long took = now_ms() - start;
    REQUIRE(!is_frozen || ioctl(folder, FITHAW, 0) == 0);
    do {
        REQUIRE(write(STDERR_FILENO, text, bytes) == (ssize_t)bytes);
        bytes = read_line(messages[0], text, sizeof text, start + 2 * THAW_MS);
    } while (bytes > 0);
    REQUIRE(waitpid(child, &status, 0) == child && WIFEXITED(status));
    if (WEXITSTATUS(status) != 0)
        return WEXITSTATUS(status);
    if (took > LONGEST_MS)
        printf("the end took %ld ms\n", took);
    else
        puts("ended in time");
    return 0;
}
