/* Collects the points of the page's chart of bandwidth over size. Copies of the same direction and kind of host memory
 * are one point if their sizes and times are in the same eighth of a factor of two. This limits the number of points.
 */
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
    int32_t site;              /* index of its site; -1: none */
    uint8_t direction, host_kind;
};

struct xs_html_scatter { /* zeroed: empty */
    bool host_times;     /* ns is time inside blocking calls, because the trace has no device times */
    struct xs_html_point *items;
    size_t count, capacity;
    uint64_t left_out; /* number of copies that got no point, because there were XS_HTML_POINTS already */
    struct xs_hash by_cell;
};

void xs_html_scatter_add(struct xs_html_scatter *scatter, const struct xs_html_point *copy);
/* Writes "bandwidth": {...} into the open object. */
void xs_html_scatter_json(const struct xs_html_scatter *scatter, struct xs_json *json);
void xs_html_scatter_free(struct xs_html_scatter *scatter);

#endif
