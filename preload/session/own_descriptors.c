/* Manages the drain thread's file descriptors; see own_descriptors.h. */
#define _GNU_SOURCE
#include "preload/session/own_descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/core/notes.h"

void xs_own_descriptors(void) {
#ifdef __SANITIZE_THREAD__
    return;
#endif
#ifdef SYS_close_range
    const unsigned unshare_flag = 2; /* CLOSE_RANGE_UNSHARE */
    bool own = syscall(SYS_close_range, 0u, ~0u, unshare_flag) == 0;
#else
    bool own = false;
#endif
    if (!own && unshare(CLONE_FILES) == 0) {
        own = true;
        for (int fd = 0; fd < 65536; fd++) /* needed before Linux 5.9 */
            close(fd);
    }
    if (!own) {
        xs_note("descriptors", "a thread of the library shares the application's descriptors: %s", strerror(errno));
        return;
    }
    /* A chroot or chdir of the application must not affect the paths of SQLite's files either. */
    (void)unshare(CLONE_FS);
    for (int fd = open("/dev/null", O_RDWR); fd >= 0 && fd < 2;) /* SQLite needs 0 to 2 to be open */
        fd = open("/dev/null", O_RDWR);
}
