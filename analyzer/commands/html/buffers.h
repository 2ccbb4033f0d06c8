/* Makes the history of device allocations for the page: which contents they had after each copy, and which findings and
 * call sites concern them. The history of an allocation consists of pieces; in each piece, a part of the allocation has
 * one content for some time. Only the allocations with the most copied bytes are kept. */
#ifndef XFERSPY_ANALYZER_COMMANDS_HTML_BUFFERS_H
#define XFERSPY_ANALYZER_COMMANDS_HTML_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/hash.h"
#include "analyzer/base/json.h"
#include "analyzer/commands/html/sites.h"
#include "analyzer/totals/timeline/marks.h"
#include "schema/read/trace.h"

enum { XS_HTML_BUFFERS = 32, XS_HTML_PIECES = 240, XS_HTML_CONTENTS = 4096, XS_HTML_BUFFER_EVENTS = 1000000 };
enum { XS_HTML_USES_WITH_TIMES = 16, XS_HTML_USE_TIMES = 256 };

/* How a piece got its content. The page has the same list. */
enum xs_html_how {
    XS_HTML_BY_UPLOAD,
    XS_HTML_BY_MEMSET,
    XS_HTML_BY_COPY,     /* a copy from memory of a device */
    XS_HTML_BY_DOWNLOAD, /* a download had this content, but no copy wrote it, so a kernel did */
    XS_HTML_BY_SEVERAL,  /* the content changed several times, too fast for a separate piece for each content */
};
enum { XS_HTML_CONTENT_UNKNOWN = -1, XS_HTML_CONTENT_SEVERAL = -2 };

struct xs_html_piece {
    int64_t start_ns, end_ns, changed_ns; /* changed_ns: time of the first launch that got a pointer to the buffer and
                                             may have changed the content; 0: none */
    uint64_t offset, bytes, writes, reads;
    int64_t row; /* row of the transfer or memset that first wrote the content */
    int32_t content;
    int32_t site; /* index of the call's row in "sites"; -1: several calls, or a site that is not shown */
    uint8_t how;
};

struct xs_html_buffer_event {
    int64_t at_ns, row;
    uint64_t address, bytes, content[2];
    int32_t site; /* index of the call's row in "sites"; -1: a memset, a launch, or a site that is not shown */
    uint16_t buffer;
    uint8_t what; /* enum xs_html_how of a write, XS_HTML_READ or XS_HTML_LAUNCH */
    bool known;
};

/* A finding that concerns a buffer, or a call site whose calls use the buffer. */
struct xs_html_use {
    uint32_t index;
    uint64_t calls;
    int64_t *times; /* times of the calls; some are left out if there are many */
    size_t count, capacity;
};

struct xs_html_uses { /* zeroed: empty */
    struct xs_html_use *items;
    size_t count, capacity;
};

struct xs_html_buffer {
    int64_t id, device, begin_ns, end_ns; /* end_ns: when the buffer was freed; INT64_MAX if it was not */
    uint64_t address, bytes, moved;
    uint32_t site; /* number of the allocating call's site */
    uint64_t transfers;
    bool events_left_out;
    struct xs_html_piece *items;
    size_t count, capacity;
    struct xs_html_uses findings, sites;
};

struct xs_html_buffers { /* zeroed: empty */
    struct xs_html_buffer *buffers;
    size_t count, capacity;
    uint64_t all; /* number of device allocations with copies */
    struct xs_html_buffer_event *events;
    size_t event_count, event_capacity;
    struct xs_hash content_index; /* maps a content to its index in `contents` + 1 */
    struct xs_html_content {
        uint64_t digits[2];
    } * contents;
    size_t content_count, content_capacity;
};

/* Reads the buffers of a trace. `end_ns` is the end of the run. Negative status: the message is set;
 * xs_html_buffers_free must be called even then. */
int xs_html_buffers_read(struct xs_html_buffers *buffers, const struct xs_trace *trace, struct xs_html_sites *sites,
                         const struct xs_marks *marks, int64_t end_ns, char *message);
/* Writes "residency": {...} into the open object. */
void xs_html_buffers_json(const struct xs_html_buffers *buffers, const struct xs_sites *sites, struct xs_json *json);
void xs_html_buffers_free(struct xs_html_buffers *buffers);

/* Goes through the events of the buffers in order of time, and makes the pieces from them (buffers_play.c). */
void xs_html_buffers_play(struct xs_html_buffers *buffers, int64_t end_ns);

/* Adds a call at this time to the finding or site with this index (buffers_use.c). If there are many times, times
 * closer than `step_ns` are kept as one. If `step_ns` is negative, no time is kept. */
void xs_html_use_add(struct xs_html_uses *uses, uint32_t index, int64_t at_ns, int64_t step_ns);
/* Writes KEY: [[index, calls, [times, each as the difference to the previous time]], ...] into the open object, most
 * calls first. Only the first `with_moments` items have times, to keep the page small. */
void xs_html_uses_json(struct xs_html_uses *uses, const char *key, size_t with_moments, struct xs_json *json);
void xs_html_uses_free(struct xs_html_uses *uses);

/* Kinds of events that are no writes. Their numbers are larger than those of enum xs_html_how. */
enum { XS_HTML_READ = 16, XS_HTML_LAUNCH };

#endif
