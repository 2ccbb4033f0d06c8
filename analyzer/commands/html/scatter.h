/* Collects the points of the page's chart, which shows the bandwidth of copies by their size. Copies become one point
 * if they have the same direction, kind of host memory, floor(8 * log2(bytes)) and floor(8 * log2(ns)). The sizes of
 * the copies of a point therefore differ by less than 10 %, and so do their times. Joining copies limits the number of
 * points. */
#ifndef XFERSPY_ANALYZER_COMMANDS_HTML_SCATTER_H
#define XFERSPY_ANALYZER_COMMANDS_HTML_SCATTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/hash.h"
#include "analyzer/base/json.h"

enum { XS_HTML_POINTS = 12000 };

struct xs_html_point {
    uint64_t bytes, ns, count; /* sums over the copies of the point */
    int64_t row;               /* transfer.id of the first copy */
    int32_t site; /* index of the copies' site; -1: the copies have several sites, or the site is not shown */
    uint8_t direction, host_kind;
};

struct xs_html_scatter { /* zeroed: empty */
    bool host_times;     /* ns is time inside blocking calls, because the trace has no device times */
    struct xs_html_point *items;
    size_t count, capacity;
    uint64_t left_out; /* number of copies that are in no point, because there were XS_HTML_POINTS points already */
    struct xs_hash by_cell;
};

void xs_html_scatter_add(struct xs_html_scatter *scatter, const struct xs_html_point *copy);
/* Writes "bandwidth": {...} into the open object. */
void xs_html_scatter_json(const struct xs_html_scatter *scatter, struct xs_json *json);
void xs_html_scatter_free(struct xs_html_scatter *scatter);

#endif
