/* Defines the messages by which a command controls the library in a running process. The command sends one message over
 * a Unix socket (address.h), and the library answers with one. A message is a line of text without a newline; tabs
 * separate its words:
 *
 *   start   for_ns=10000000000
 *   ok      pid=4242   state=recording   events=120   ...   trace=/home/me/run.db
 *   no      this process does not record any more
 *
 * In values, control characters and % are written as %XX, so a value, such as the path of a trace, can contain any
 * byte. */
#ifndef XFERSPY_SCHEMA_CONTROL_MESSAGE_H
#define XFERSPY_SCHEMA_CONTROL_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* LINE is the space for a line and a NUL: a longer line is cut when it is written, and refused when it is read. PROGRAM
 * and TRACE are the space for the two texts of a reply. */
enum { XS_CONTROL_LINE_BYTES = 16384, XS_CONTROL_PROGRAM_BYTES = 64, XS_CONTROL_TRACE_BYTES = 4096 };

enum xs_control_verb { XS_CONTROL_STATUS, XS_CONTROL_START, XS_CONTROL_STOP, XS_CONTROL_SNAPSHOT };
extern const char *const xs_control_verbs[]; /* "status" and so on; NULL after the last */

struct xs_control_request {
    enum xs_control_verb verb;
    uint64_t for_ns; /* for START: recording stops by itself after this time; 0: it does not */
};

/* Says whether device times are recorded. NONE: CUPTI is not in use, so there will be none. OFF: not at present.
 * COMING: CUPTI will be attached as soon as the device has no work. */
enum xs_control_times { XS_CONTROL_TIMES_NONE, XS_CONTROL_TIMES_OFF, XS_CONTROL_TIMES_COMING, XS_CONTROL_TIMES_ON };

struct xs_control_reply {
    char refused[256]; /* why the library did not do what was asked (the other fields are then not set); "": it did */
    int64_t pid;       /* in the PID namespace of the process itself */
    bool is_recording;
    bool is_changeable; /* commands can start and stop the recording */
    enum xs_control_times device_times;
    uint64_t events;      /* events in the trace */
    uint64_t windows;     /* if is_changeable: how often the recording was started */
    uint64_t recorded_ns; /* if is_changeable: for how long the process was recorded */
    uint64_t left_ns;     /* time until recording stops by itself; 0: it does not */
    char program[XS_CONTROL_PROGRAM_BYTES];
    char trace[XS_CONTROL_TRACE_BYTES];
};

/* Write a message to `line`, which has XS_CONTROL_LINE_BYTES bytes. Return its length, without the NUL. */
size_t xs_control_write_request(const struct xs_control_request *request, char *line);
size_t xs_control_write_reply(const struct xs_control_reply *reply, char *line);

/* Read a message of `bytes` bytes, which may be damaged or hostile. xs_control_read_request returns NULL, or the reason
 * why the request is refused, a static text. xs_control_read_reply returns false if the message is no reply. Unknown
 * keys of a reply are ignored, because the other side may have a newer version; a request with an unknown key is
 * refused. */
const char *xs_control_read_request(const char *line, size_t bytes, struct xs_control_request *request);
bool xs_control_read_reply(const char *line, size_t bytes, struct xs_control_reply *reply);

/* True if a process of the user `peer` may control a process of the user `own`: the same user, or root. */
bool xs_control_is_permitted(uint32_t peer, uint32_t own);

#endif
