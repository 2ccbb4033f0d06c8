/* Names the sockets for control; see address.h. */
#include "schema/control/address.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

bool xs_control_name(char path[XS_CONTROL_PATH_BYTES], const char *folder, pid_t pid) {
    uint32_t number = 0;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != (ssize_t)sizeof number)
        number = 0; /* the name is then unique only as long as the process lives */
    int n = snprintf(path, XS_CONTROL_PATH_BYTES, "%s/%ld-%08" PRIx32 XS_CONTROL_SUFFIX, folder, (long)pid, number);
    return n > 0 && n + (int)strlen(XS_CONTROL_UNFINISHED) < (int)XS_CONTROL_PATH_BYTES;
}

pid_t xs_control_pid_of(const char *name) {
    char *end;
    long pid = strtol(name, &end, 10);
    if (*name < '1' || *name > '9' || pid > INT_MAX || *end != '-')
        return 0;
    size_t digits = strspn(++end, "0123456789abcdef");
    return digits == 8 && strcmp(end + digits, XS_CONTROL_SUFFIX) == 0 ? (pid_t)pid : 0;
}

socklen_t xs_control_address(const char path[XS_CONTROL_PATH_BYTES], struct sockaddr_un *address) {
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(address->sun_path, path, strnlen(path, XS_CONTROL_PATH_BYTES - 1));
    return (socklen_t)sizeof *address;
}
