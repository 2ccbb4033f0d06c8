/* Finds the sockets of processes that can be controlled, and exchanges messages with them. */
#ifndef XFERSPY_ANALYZER_COMMANDS_CONTROL_SOCKETS_H
#define XFERSPY_ANALYZER_COMMANDS_CONTROL_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/control/address.h"
#include "schema/control/message.h"

/* The processes that a command means. Exactly one of the three is set. */
struct xs_control_wanted {
    bool all;
    const char *job; /* a folder: processes whose sockets or traces lie in it */
    int64_t *pids;   /* each process, or, if it has no socket, those that it started */
    size_t count;
};

/* A process that was found. */
struct xs_controlled {
    char path[XS_CONTROL_PATH_BYTES];
    int64_t pid;         /* in the namespace of this program; if it is not visible here, its number in its own */
    int fd;              /* -1: not connected */
    bool is_answered;    /* `reply` is set */
    const char *problem; /* why there is no answer; NULL: there is one */
    struct xs_control_reply reply;
};

struct xs_controlled_list {
    struct xs_controlled *items; /* in the order of their numbers */
    size_t count, capacity;
    int64_t missing; /* a process that was asked for, but not found; 0: none */
};

/* Connects to all processes that are meant. Deletes sockets that killed processes of this user left. */
void xs_control_find(const struct xs_control_wanted *wanted, struct xs_controlled_list *list);

/* Sends the request to all processes, and then waits for all answers, so that slow processes do not add up. */
void xs_control_exchange(struct xs_controlled_list *list, const struct xs_control_request *request);

void xs_control_list_free(struct xs_controlled_list *list);

#endif
