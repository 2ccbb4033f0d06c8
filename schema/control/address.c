/* Names the sockets for control; see address.h. */
#include "schema/control/address.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

bool xs_control_make_name(char path[XS_CONTROL_PATH_BYTES], const char *folder, struct xs_control_name name) {
    uint32_t number = 0;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != (ssize_t)sizeof number)
        number = 0; /* the name is then unique only as long as the process lives */
    int n = snprintf(path, XS_CONTROL_PATH_BYTES, "%s/%ld-%08" PRIx32 "-%u" XS_CONTROL_SUFFIX, folder, (long)name.pid,
                     number, name.filters);
    return n > 0 && n + (int)strlen(XS_CONTROL_UNFINISHED) < (int)XS_CONTROL_PATH_BYTES;
}

/* Reads a number of at most seven digits that does not begin with 0, unless it is 0. Returns the text after it; NULL:
 * there is none. */
static const char *read_number(const char *text, unsigned *number) {
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 7 || (*text == '0' && digits > 1))
        return NULL;
    *number = (unsigned)strtoul(text, NULL, 10);
    return text + digits;
}

struct xs_control_name xs_control_read_name(const char *name) {
    unsigned pid, filters;
    const char *at = read_number(name, &pid);
    if (!at || *at++ != '-' || strspn(at, "0123456789abcdef") != 8 || at[8] != '-')
        return (struct xs_control_name){0, 0};
    at = read_number(at + 9, &filters);
    if (!at || strcmp(at, XS_CONTROL_SUFFIX) != 0)
        return (struct xs_control_name){0, 0};
    return (struct xs_control_name){(pid_t)pid, filters};
}

unsigned xs_control_filters(const char *status) {
    static const char *const keys[] = {"\nSeccomp_filters:", "\nSeccomp:"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *line = strstr(status, keys[i]);
        unsigned long number = line ? strtoul(line + strlen(keys[i]), NULL, 10) : 0;
        if (line)
            return i == 0 ? (unsigned)number : number > 0;
    }
    return 0;
}

socklen_t xs_control_address(const char path[XS_CONTROL_PATH_BYTES], struct sockaddr_un *address) {
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(address->sun_path, path, strnlen(path, XS_CONTROL_PATH_BYTES - 1));
    return (socklen_t)sizeof *address;
}
