/* The program closes every descriptor that it does not know, and opens files under their numbers: commands still reach
 * it, and nothing is written into its files. No descriptor of the library can be seen among the program's. A real
 * driver could not go on without its own descriptors. The thread sanitizer does not know that the profiler has
 * descriptors of its own under the same numbers.
 *
 * link: cuda
 * only: sim no-repairs no-tsan
 * env: XFERSPY_START=off XFERSPY_CONTROL=$dir
 * stdout: data ok
 *
 * > SELECT grid_x, count(*) FROM launch GROUP BY grid_x ORDER BY grid_x
 * 2|10
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "control.h"

static int sockets_open(void) {
    struct stat st;
    int count = 0;
    for (int fd = 3; fd < 1024; fd++)
        count += fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode);
    return count;
}

int main(void) {
    char name[512];
    struct stat st;
    asked_begin();
    control_ask("status", "ok\t");
    REQUIRE(sockets_open() == 0);
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
    snprintf(name, sizeof name, "%s/own", getenv("XFERSPY_TEST_DIR"));
    int own = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    REQUIRE(own >= 0);
    for (int fd = own + 1; fd < 64; fd++)
        REQUIRE(dup2(own, fd) == fd);
    asked_work(1);
    control_ask("start", "ok\t");
    asked_work(2);
    control_ask("stop", "ok\t");
    REQUIRE(fstat(own, &st) == 0 && st.st_size == 0);
    return asked_end();
}
