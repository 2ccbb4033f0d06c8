/* Collects the page's timeline: lanes of segments for host threads, for streams, and for each kind of work of each
 * device. A segment is one call, or one piece of work on a device. If a trace has more segments than a page can hold,
 * segments of one kind within one step of time are joined in one segment, which has their number and total time. */
#ifndef XFERSPY_ANALYZER_COMMANDS_HTML_TIMELINE_LANES_H
#define XFERSPY_ANALYZER_COMMANDS_HTML_TIMELINE_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/json.h"
#include "analyzer/commands/html/flame.h"
#include "analyzer/commands/html/scatter.h"
#include "analyzer/commands/html/sites.h"
#include "analyzer/totals/summary/summary.h"
#include "analyzer/totals/timeline/marks.h"

/* Kinds of segments; the page has the same list. The first kinds are the directions of schema/format/kinds.h. */
enum xs_html_kind {
    XS_HTML_KERNEL = XS_DIRECTION_COUNT,
    XS_HTML_WAIT,
    XS_HTML_MEMSET,
    XS_HTML_ALLOCATE,
    XS_HTML_KINDS,
};
enum { XS_HTML_EXACT_SEGMENTS = 60000, XS_HTML_SEGMENTS = 90000, XS_HTML_LANES_A_GROUP = 32 };

enum xs_html_group { XS_HTML_THREADS, XS_HTML_STREAMS, XS_HTML_ENGINES, XS_HTML_GROUPS };

struct xs_html_segment {
    int64_t start_ns, end_ns;
    uint64_t busy_ns, bytes;
    int64_t row; /* row of the first call, in transfer, sync, memset or allocation; 0: not known */
    uint32_t count;
    int32_t what;      /* index of the site, or of the kernel's name; -1: the segment has several, or it is not known */
    uint32_t modelled; /* number of calls or pieces of work with modelled times */
    uint32_t number;   /* number of the segment, in the order of creation */
    uint8_t kind;
};

struct xs_html_lane {
    enum xs_html_group group;
    bool others;    /* the lane is for all work of the group that has no separate lane */
    int64_t key[3]; /* thread.id; or device, CUPTI's context and CUPTI's stream; or device and kind */
    int64_t stream; /* stream.id of a call whose work is in the lane; 0: not known */
    struct xs_html_segment *items;
    size_t count, capacity;
    size_t latest[XS_HTML_KINDS]; /* index + 1 of the latest segment of each kind */
};

struct xs_html_lanes {
    struct xs_html_lane *lanes;
    size_t count, capacity, of_group[XS_HTML_GROUPS];
    struct xs_hash by_key;
    struct xs_hash marked;    /* maps a segment's number and a finding to the number of calls in this segment that the
                                 finding is about */
    struct xs_hash unchecked; /* maps them to the number of calls that the sample left out, so that the finding may be
                                 about them */
    uint32_t segments;
    int64_t first_ns, last_ns, step_ns; /* step_ns: the length of a step; 0: every segment is one call */
    char **kernels;                     /* names */
    size_t kernel_count;
    struct xs_hash kernel_index; /* maps kernel_name.id to index + 1 */
};

/* Reads the trace into `lanes`. Also adds each timed copy to `scatter`, and each call to `flame`. Negative status: the
 * message is set; xs_html_lanes_free must be called even then. */
int xs_html_lanes_read(struct xs_html_lanes *lanes, const struct xs_summary *summary, struct xs_html_sites *sites,
                       const struct xs_marks *marks, struct xs_html_scatter *scatter, struct xs_html_flame *flame,
                       char *message);

/* Writes "timeline": {...} into the open object. Negative status: the message is set. */
int xs_html_lanes_json(struct xs_html_lanes *lanes, const struct xs_trace *trace, size_t findings, struct xs_json *json,
                       char *message);
void xs_html_lanes_free(struct xs_html_lanes *lanes);

#endif
