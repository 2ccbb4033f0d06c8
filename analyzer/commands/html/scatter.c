/* Makes the points of bandwidth against size; see scatter.h. */
#include "analyzer/commands/html/scatter.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/trace/scan.h"

static uint64_t cell(uint64_t value) { return (uint64_t)(log2((double)value) * 8); }

void xs_html_scatter_add(struct xs_html_scatter *scatter, const struct xs_html_point *copy) {
    if (!copy->bytes || !copy->ns)
        return;
    uint64_t *index = xs_hash_put(&scatter->by_cell, cell(copy->bytes) << 32 | cell(copy->ns),
                                  (uint64_t)copy->direction << 8 | copy->host_kind);
    if (!*index && scatter->count >= XS_HTML_POINTS) {
        *index = UINT64_MAX; /* there is no room for another point */
    } else if (!*index) {
        xs_grow(&scatter->items, scatter->count, &scatter->capacity, sizeof *scatter->items);
        scatter->items[scatter->count++] = *copy;
        *index = scatter->count;
        return;
    }
    if (*index == UINT64_MAX) {
        scatter->left_out = xs_sum(scatter->left_out, copy->count);
        return;
    }
    struct xs_html_point *point = &scatter->items[*index - 1];
    point->bytes = xs_sum(point->bytes, copy->bytes);
    point->ns = xs_sum(point->ns, copy->ns);
    point->count = xs_sum(point->count, copy->count);
    if (point->site != copy->site)
        point->site = -1;
}

void xs_html_scatter_json(const struct xs_html_scatter *scatter, struct xs_json *json) {
    xs_json_object(json, "bandwidth");
    xs_json_text(json, "measure", scatter->host_times ? "host_ns" : "device_ns");
    xs_json_count(json, "left_out", scatter->left_out);
    xs_json_array(json, "points"); /* direction, host memory, bytes, ns, count, row, site */
    for (size_t i = 0; i < scatter->count; i++) {
        const struct xs_html_point *point = &scatter->items[i];
        xs_json_array(json, NULL);
        xs_json_count(json, NULL, point->direction);
        xs_json_count(json, NULL, point->host_kind);
        xs_json_count(json, NULL, point->bytes);
        xs_json_count(json, NULL, point->ns);
        xs_json_count(json, NULL, point->count);
        xs_json_int(json, NULL, point->row);
        xs_json_int(json, NULL, point->site);
        xs_json_end(json, ']');
    }
    xs_json_end(json, ']');
    xs_json_end(json, '}');
}

void xs_html_scatter_free(struct xs_html_scatter *scatter) {
    free(scatter->items);
    xs_hash_free(&scatter->by_cell);
    *scatter = (struct xs_html_scatter){0};
}
