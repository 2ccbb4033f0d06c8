/* What lay in an allocation and when: the contents that copies brought into the allocations of a device that most was
 * copied to and from, piece by piece over time; and which findings and call sites that concerns. */
#ifndef XFERSPY_ANALYZER_HTML_BUFFERS_H
#define XFERSPY_ANALYZER_HTML_BUFFERS_H

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

/* What a piece of an allocation held; the page has the same list. */
enum xs_html_how {
    XS_HTML_BY_UPLOAD,
    XS_HTML_BY_MEMSET,
    XS_HTML_BY_COPY,     /* from memory of a device */
    XS_HTML_BY_DOWNLOAD, /* nobody copied it there: a download showed it, so kernels wrote it */
    XS_HTML_BY_SEVERAL,  /* more than one after the other, each too short for a piece of its own */
};
enum { XS_HTML_CONTENT_UNKNOWN = -1, XS_HTML_CONTENT_SEVERAL = -2 };

struct xs_html_piece {
    int64_t start_ns, end_ns, changed_ns; /* changed: the first launch that was given a pointer and may have; 0: none */
    uint64_t offset, bytes, writes, reads;
    int64_t row; /* transfer or memset that brought it first */
    int32_t content;
    int32_t site; /* index of the row of the call that brought it; -1: several, or none of those that are shown */
    uint8_t how;
};

struct xs_html_buffer_event {
    int64_t at_ns, row;
    uint64_t address, bytes, content[2];
    int32_t site; /* as of a piece */
    uint16_t buffer;
    uint8_t what; /* enum xs_html_how of a write, or one of the other two */
    bool known;
};

/* What concerns a buffer of a finding, or of the calls of one site. */
struct xs_html_use {
    uint32_t index;
    uint64_t calls;
    int64_t *times; /* when; not all of them if they are many */
    size_t count, capacity;
};

struct xs_html_uses { /* zeroed: empty */
    struct xs_html_use *items;
    size_t count, capacity;
};

struct xs_html_buffer {
    int64_t id, device, begin_ns, end_ns; /* end: freed, or INT64_MAX */
    uint64_t address, bytes, moved;
    uint32_t site; /* number of the allocating call */
    uint64_t transfers;
    bool events_left_out;
    struct xs_html_piece *items;
    size_t count, capacity;
    struct xs_html_uses findings, sites;
};

struct xs_html_buffers { /* zeroed: empty */
    struct xs_html_buffer *buffers;
    size_t count, capacity;
    uint64_t all; /* device allocations that were copied to or from */
    struct xs_html_buffer_event *events;
    size_t event_count, event_capacity;
    struct xs_hash content_index; /* to index + 1 */
    struct xs_html_content {
        uint64_t digits[2], bytes;
    } * contents;
    size_t content_count, content_capacity;
};

/* Negative status: the message is set. To be freed either way. `end_ns` is the end of the run. */
int xs_html_buffers_read(struct xs_html_buffers *buffers, const struct xs_trace *trace, struct xs_html_sites *sites,
                         const struct xs_marks *marks, int64_t end_ns, char *message);
/* "residency": {...} of the object that is open. */
void xs_html_buffers_json(const struct xs_html_buffers *buffers, const struct xs_sites *sites, struct xs_json *json);
void xs_html_buffers_free(struct xs_html_buffers *buffers);

/* From the events of the buffers to their pieces (buffers_play.c). */
void xs_html_buffers_play(struct xs_html_buffers *buffers, int64_t end_ns);

/* One call more of a finding or site at this moment; moments closer than `step_ns` are one, where there are many. A
 * negative step: none is kept (buffers_use.c). */
void xs_html_use_add(struct xs_html_uses *uses, uint32_t index, int64_t at_ns, int64_t step_ns);
/* KEY: [[index, calls, [moments, each as what it is later than the one before]], ...], those with most calls first, of
 * the object that is open. Only the first `with_moments` have any, because a page has to stay small. */
void xs_html_uses_json(struct xs_html_uses *uses, const char *key, size_t with_moments, struct xs_json *json);
void xs_html_uses_free(struct xs_html_uses *uses);

/* What else happens to a buffer. */
enum { XS_HTML_READ = 16, XS_HTML_LAUNCH };

#endif
