/* Says where the sockets are through which commands control processes. Each process that can be controlled has one
 * socket, with the name PID-NUMBER-FILTERS.control, where NUMBER is random. The socket is in the folder in which this
 * user has files in memory (/dev/shm/xferspy-UID or $XDG_RUNTIME_DIR/xferspy-UID, mode 0700), or in a folder that the
 * user names (XFERSPY_CONTROL=DIR), for example because several containers share it. */
#ifndef XFERSPY_SCHEMA_CONTROL_ADDRESS_H
#define XFERSPY_SCHEMA_CONTROL_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#define XS_CONTROL_SUFFIX ".control"
#define XS_CONTROL_UNFINISHED "~" /* the name ends in this until commands can connect to the socket */

/* The kernel permits a socket's path of at most this many bytes, with its NUL. */
enum { XS_CONTROL_PATH_BYTES = sizeof((struct sockaddr_un *)0)->sun_path };

/* The parts of a socket's name. A process may put itself into a sandbox (seccomp) that ends the process if a thread of
 * the library answers a command. Therefore FILTERS is the number of seccomp filters that the process had when the
 * socket was made, and a command does not ask a process that has more filters now. */
struct xs_control_name {
    pid_t pid; /* 0: the text is not the name of a socket */
    unsigned filters;
};

/* Writes the path of a new socket in `folder` to `path`. False: the path with XS_CONTROL_UNFINISHED would be too
 * long. */
bool xs_control_make_name(char path[XS_CONTROL_PATH_BYTES], const char *folder, struct xs_control_name name);
/* Reads the name of a socket, without its folder. */
struct xs_control_name xs_control_read_name(const char *name);

/* Returns the number of seccomp filters of a thread, from the text of its file /proc/PID/task/TID/status. Kernels
 * before 5.9 say only whether there are any; the result is then 1 or 0. */
unsigned xs_control_filters(const char *status);

/* Writes the address of the socket at `path`, and returns the length of the address, for bind and connect. */
socklen_t xs_control_address(const char path[XS_CONTROL_PATH_BYTES], struct sockaddr_un *address);

#endif
