/* Stores which findings and call sites concern a buffer, and at which times; see buffers.h. */
#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/search.h"
#include "analyzer/commands/html/buffers.h"

void xs_html_use_add(struct xs_html_uses *uses, uint32_t index, int64_t at_ns, int64_t step_ns) {
    struct xs_html_use *use = NULL;
    for (size_t i = 0; i < uses->count && !use; i++)
        if (uses->items[i].index == index)
            use = &uses->items[i];
    if (!use) {
        xs_grow(&uses->items, uses->count, &uses->capacity, sizeof *uses->items);
        use = &uses->items[uses->count++];
        *use = (struct xs_html_use){.index = index};
    }
    use->calls++;
    if (step_ns < 0 || use->count >= XS_HTML_USE_TIMES * 2)
        return;
    if (use->count >= XS_HTML_USE_TIMES && /* rows come nearly in the order of time */
        (uint64_t)at_ns - (uint64_t)use->times[use->count - 1] < (uint64_t)step_ns)
        return;
    xs_grow(&use->times, use->count, &use->capacity, sizeof *use->times);
    use->times[use->count++] = at_ns;
}

static int by_calls(const void *a, const void *b) {
    const struct xs_html_use *x = a, *y = b;
    return xs_compare_uint64(y->calls, x->calls) ?: xs_compare_uint64(x->index, y->index);
}

void xs_html_uses_json(struct xs_html_uses *uses, const char *key, size_t with_moments, struct xs_json *json) {
    xs_sort(uses->items, uses->count, sizeof *uses->items, by_calls);
    xs_json_array(json, key);
    for (size_t i = 0; i < uses->count; i++) {
        struct xs_html_use *use = &uses->items[i];
        int64_t before = 0;
        xs_sort(use->times, use->count, sizeof *use->times, xs_ascending_int64);
        xs_json_array(json, NULL);
        xs_json_count(json, NULL, use->index);
        xs_json_count(json, NULL, use->calls);
        xs_json_array(json, NULL);
        for (size_t k = 0; k < use->count && i < with_moments; k++) {
            xs_json_int(json, NULL, (int64_t)((uint64_t)use->times[k] - (uint64_t)before));
            before = use->times[k];
        }
        xs_json_end(json, ']');
        xs_json_end(json, ']');
    }
    xs_json_end(json, ']');
}

void xs_html_uses_free(struct xs_html_uses *uses) {
    for (size_t i = 0; i < uses->count; i++)
        free(uses->items[i].times);
    free(uses->items);
    *uses = (struct xs_html_uses){0};
}
