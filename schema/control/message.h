/* The messages by which a command controls the library in a running process. The command sends one line of text over a
 * Unix socket (address.h), and the library answers with one line. The words of a line are separated by tabs:
 *
 *   start   for_ns=10000000000
 *   ok      pid=4242   state=recording   events=120   ...   trace=/home/me/run.db
 *   no      this process records since its start
 *
 * In values, control characters and % are written as %XX, so a name can contain anything. */
#ifndef XFERSPY_SCHEMA_CONTROL_MESSAGE_H
#define XFERSPY_SCHEMA_CONTROL_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest line. A longer one is refused. */
enum { XS_CONTROL_LINE_BYTES = 16384, XS_CONTROL_PROGRAM_BYTES = 64, XS_CONTROL_TRACE_BYTES = 4096 };

enum xs_control_verb { XS_CONTROL_STATUS, XS_CONTROL_START, XS_CONTROL_STOP, XS_CONTROL_SNAPSHOT };
extern const char *const xs_control_verbs[]; /* "status" and so on; NULL after the last */

struct xs_control_request {
    enum xs_control_verb verb;
    uint64_t for_ns; /* START: recording stops by itself after this time; 0: it does not */
};

/* Says whether device times are recorded. COMING: CUPTI will be attached as soon as the device has no work. NONE:
 * there will be none. */
enum xs_control_times { XS_CONTROL_TIMES_NONE, XS_CONTROL_TIMES_OFF, XS_CONTROL_TIMES_COMING, XS_CONTROL_TIMES_ON };

struct xs_control_reply {
    char refused[256]; /* why the library did not do it; "": it did */
    int64_t pid;       /* in the namespace of the process itself */
    bool is_recording;
    bool is_changeable; /* can be started and stopped */
    enum xs_control_times device_times;
    uint64_t events;      /* events in the trace */
    uint64_t windows;     /* how often recording was started */
    uint64_t recorded_ns; /* how long the process was recorded */
    uint64_t left_ns;     /* time until recording stops by itself; 0: it does not */
    char program[XS_CONTROL_PROGRAM_BYTES];
    char trace[XS_CONTROL_TRACE_BYTES];
};

/* Write a message to `line`, which has XS_CONTROL_LINE_BYTES bytes. Return its length, without the NUL. */
size_t xs_control_write_request(const struct xs_control_request *request, char *line);
size_t xs_control_write_reply(const struct xs_control_reply *reply, char *line);

/* Read a message of `bytes` bytes, which may be anything. xs_control_read_request returns NULL, or why the request is
 * refused. xs_control_read_reply returns false if the message is no reply. Unknown keys of a reply are ignored, because
 * the other side may have a newer version; unknown keys of a request are refused by name. */
const char *xs_control_read_request(const char *line, size_t bytes, struct xs_control_request *request);
bool xs_control_read_reply(const char *line, size_t bytes, struct xs_control_reply *reply);

/* True if a process of the user `peer` may control a process of the user `own`: the same user, or root. */
bool xs_control_is_permitted(uint32_t peer, uint32_t own);

#endif
