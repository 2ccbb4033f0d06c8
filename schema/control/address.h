/* Says where the sockets for control lie. Each process that can be controlled has one, PID-NUMBER-FILTERS.control, with
 * a random number, in the folder of its user for files in memory (/dev/shm/xferspy-UID or $XDG_RUNTIME_DIR/xferspy-UID,
 * mode 0700), or in a folder that the user names (XFERSPY_CONTROL=DIR), for containers that share a folder. */
#ifndef XFERSPY_SCHEMA_CONTROL_ADDRESS_H
#define XFERSPY_SCHEMA_CONTROL_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#define XS_CONTROL_SUFFIX ".control"
#define XS_CONTROL_UNFINISHED "~" /* added to the name until the socket can be connected to */

/* Bytes of a socket's path, with its NUL. The kernel permits no more. */
enum { XS_CONTROL_PATH_BYTES = sizeof((struct sockaddr_un *)0)->sun_path };

/* A process may put itself into a sandbox (seccomp), which ends the process if a thread of the library then answers a
 * command. FILTERS is the number of filters when the socket was made. A command does not ask a process that has more.
 */
struct xs_control_name {
    pid_t pid; /* 0: this is no name of a socket */
    unsigned filters;
};

/* Writes a new name for a socket to `path`. False: the path would be too long, with XS_CONTROL_UNFINISHED. */
bool xs_control_make_name(char path[XS_CONTROL_PATH_BYTES], const char *folder, struct xs_control_name name);
struct xs_control_name xs_control_read_name(const char *name);

/* Returns the number of seccomp filters of a thread, from the text of its file /proc/PID/task/TID/status. A kernel
 * before 5.9 says only whether there are any: 1 or 0. */
unsigned xs_control_filters(const char *status);

/* Writes the address for a path, and returns its length. */
socklen_t xs_control_address(const char path[XS_CONTROL_PATH_BYTES], struct sockaddr_un *address);

#endif
