/* xferspy run: reserves the name of -o for one run, from before its program starts until the run ends. The trace exists
 * only after the first CUDA call of the program. Without a reservation, two runs that start at the same time would both
 * find the name free. */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "analyzer/base/hash.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/run/run.h"

bool xs_output_reserve(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    XS_SCOPED char *folder =
        xs_text_format("%.*s", slash && slash > path ? (int)(slash - path) : 1, slash ? path : ".");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat st;
    bool is_known = stat(folder, &st) == 0;
    if (!is_known)
        return true;
    /* The name of a trace may be too long for a socket, so its hash is used. An abstract socket leaves no file, and the
     * kernel removes it whenever this process ends. */
    int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1,
                          "xferspy-run.%" PRIuMAX ".%" PRIuMAX ".%" PRIuMAX ".%016" PRIx64, (uintmax_t)getuid(),
                          (uintmax_t)st.st_dev, (uintmax_t)st.st_ino, xs_hash_of_text(name, strlen(name)));
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return true; /* that is not dangerous, because a trace never replaces another one */
    socklen_t bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    if (bind(fd, (const struct sockaddr *)&address, bytes) == 0 || errno != EADDRINUSE) {
        // cppcheck-suppress resourceLeak ; stays open until this process ends
        return true;
    }
    close(fd);
    return false;
}
