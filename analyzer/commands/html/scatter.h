/* Bandwidth against size: copies of one direction and kind of host memory whose size and time agree within an eighth of
 * a factor of two are one point, so that any number of copies makes a bounded number of points. */
#ifndef XFERSPY_ANALYZER_HTML_SCATTER_H
#define XFERSPY_ANALYZER_HTML_SCATTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/hash.h"
#include "analyzer/base/json.h"

enum { XS_HTML_POINTS = 12000 };

struct xs_html_point {
    uint64_t bytes, ns, count; /* sums */
    int64_t row;               /* transfer.id of the first */
    int32_t site;              /* its site's index, -1: none */
    uint8_t direction, host_kind;
};

struct xs_html_scatter { /* zeroed: empty */
    bool host_times;     /* ns is time inside blocking calls: the trace has no device times */
    struct xs_html_point *items;
    size_t count, capacity;
    uint64_t left_out; /* copies that found no place */
    struct xs_hash by_cell;
};

void xs_html_scatter_add(struct xs_html_scatter *scatter, const struct xs_html_point *copy);
/* "bandwidth": {...} of the object that is open. */
void xs_html_scatter_json(const struct xs_html_scatter *scatter, struct xs_json *json);
void xs_html_scatter_free(struct xs_html_scatter *scatter);

#endif
