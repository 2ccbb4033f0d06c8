/* Finds the sockets of processes that can be controlled, and exchanges messages with them. */
#ifndef XFERSPY_ANALYZER_COMMANDS_CONTROL_SOCKETS_H
#define XFERSPY_ANALYZER_COMMANDS_CONTROL_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/control/address.h"
#include "schema/control/message.h"

/* Says which processes a command means. Exactly one of `all`, `job` and `pids` is set when the command line was
 * parsed. */
struct xs_control_wanted {
    bool all;
    const char *job; /* a folder; the command means all processes whose socket or trace lies in it or below it */
    int64_t *pids;   /* each of these processes or, if it has no socket, its descendants that have one */
    size_t count;
};

/* A process that was found. */
struct xs_controlled {
    char path[XS_CONTROL_PATH_BYTES];
    int64_t pid;      /* the process's number in the PID namespace of this program, or in its own one if it is not
                       * visible from here */
    int fd;           /* -1: not connected */
    bool is_answered; /* `reply` is set; it may be a refusal */
    /* Why the process did not do what was asked: why there is no answer, or the reason that a refusal gives (a pointer
     * to `reply.refused`, so the item must not be moved any more). NULL: it did it, or was not asked yet. */
    const char *problem;
    struct xs_control_reply reply;
};

struct xs_controlled_list {
    struct xs_controlled *items; /* sorted by `pid` */
    size_t count, capacity;
    int64_t missing; /* the first named process that was not found; 0: all were found */
};

/* Fills `list` with the processes that are meant, and connects to them. Always call xs_control_list_free. Deletes
 * sockets that killed processes of this user left. If `job` is set, asks every process for its status, because the
 * traces are not known otherwise; this may take five seconds. */
void xs_control_find(const struct xs_control_wanted *wanted, struct xs_controlled_list *list);

/* Sends the request to all processes before it waits for any answer, so that the times of slow processes do not add up.
 * Waits at most five seconds in total. Sets `reply` or `problem` of each item, and closes its connection. */
void xs_control_exchange(struct xs_controlled_list *list, const struct xs_control_request *request);

void xs_control_list_free(struct xs_controlled_list *list);

#endif
