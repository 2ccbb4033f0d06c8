/* Makes a file that only its owner can access; see private_file.h. */
#include "schema/safe_open/private_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

int xs_create_private(const char *path) {
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) {
        int saved = errno;
        (void)fchmod(
            fd, 0600); /* a umask can take rights from the owner, too; if this fails, the file is still nobody else's */
        errno = saved;
    }
    return fd;
}
