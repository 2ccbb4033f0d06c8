/* Says where the sockets for control lie. Each process that can be controlled has one, PID-NUMBER.control, with a
 * random number, in the folder of its user for files in memory (/dev/shm/xferspy-UID or $XDG_RUNTIME_DIR/xferspy-UID,
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

/* Writes a new name for the socket of the process `pid` to `path`. False: the path
 * would be too long, with XS_CONTROL_UNFINISHED. */
bool xs_control_name(char path[XS_CONTROL_PATH_BYTES], const char *folder, pid_t pid);

/* Returns the number of the process in the name of a socket; 0: this is no name of a socket. */
pid_t xs_control_pid_of(const char *name);

/* Writes the address for a path, and returns its length. */
socklen_t xs_control_address(const char path[XS_CONTROL_PATH_BYTES], struct sockaddr_un *address);

#endif
