/* Groups NVTX ranges by kind; see step_ranges.h. */
#include "analyzer/findings/steps/step_ranges.h"

#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/trace/scan.h"
#include "schema/source/library.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

void xs_step_range_kind_name(const char *name, char kind[XS_STEP_RANGE_NAME]) {
    size_t used = 0;
    for (; *name && used < XS_STEP_RANGE_NAME - 1; name++)
        if (!is_digit(*name))
            kind[used++] = *name;
        else if (!is_digit(name[1]))
            kind[used++] = '#';
    kind[used] = '\0';
}

/* Returns the number of a kind. Ranges with the same name in two domains are of two kinds. */
static uint32_t kind_of(struct xs_step_ranges *ranges, const char *domain, const char *name, uint32_t parent) {
    char text[XS_STEP_RANGE_NAME], in_domain[2 * XS_STEP_RANGE_NAME + 1];
    xs_step_range_kind_name(name, text);
    const char *kept = xs_texts_keep(&ranges->names, text), *key = kept;
    if (domain) {
        snprintf(in_domain, sizeof in_domain, "%s\n%.*s", text, XS_STEP_RANGE_NAME, domain);
        key = xs_texts_keep(&ranges->names, in_domain);
    }
    uint64_t around = parent ? ranges->items[parent].kind + UINT64_C(1) : 0;
    uint64_t *known = xs_hash_put(&ranges->by_kind, (uint64_t)(uintptr_t)key, around);
    if (!*known) {
        xs_grow(&ranges->kinds, ranges->kind_count, &ranges->kind_capacity, sizeof *ranges->kinds);
        ranges->kinds[ranges->kind_count++] =
            (struct xs_step_range_kind){.name = kept,
                                        .depth = parent ? ranges->items[parent].depth + 1 : 1,
                                        .in_domain = domain,
                                        .of_library = xs_library_range(domain, name)};
        *known = ranges->kind_count;
    }
    return (uint32_t)(*known - 1);
}

static void add(struct xs_step_ranges *ranges, struct xs_step_range range) {
    xs_grow(&ranges->items, ranges->count, &ranges->capacity, sizeof *ranges->items);
    ranges->items[ranges->count++] = range;
}

/* Reads the ranges. A parent is found only if its id is smaller, so a damaged trace cannot contain a cycle. A range
 * that is nested deeper than XS_STEP_RANGES_DEEP counts as its parent, so that no call costs more than that many
 * look-ups. */
int xs_step_ranges_read(struct xs_step_ranges *ranges, const struct xs_trace *trace, char *message) {
    enum { ID, PARENT, DOMAIN, NAME, MOST = 1 << 20 };
    struct xs_scan scan;
    *ranges = (struct xs_step_ranges){0};
    xs_scan_begin(&scan, trace, "SELECT id, parent, domain, name FROM nvtx_range ORDER BY id", message, NULL);
    while (xs_scan_row(&scan) && ranges->count < MOST) {
        if (!ranges->count)
            add(ranges, (struct xs_step_range){0});
        uint32_t parent = xs_step_range_of(ranges, xs_scan_int(&scan, PARENT));
        uint32_t depth = parent ? ranges->items[parent].depth + 1 : 1;
        uint64_t *index = xs_hash_put(&ranges->by_id, (uint64_t)xs_scan_int(&scan, ID), 0);
        *index = depth > XS_STEP_RANGES_DEEP ? parent : ranges->count;
        if (depth > XS_STEP_RANGES_DEEP)
            continue;
        const char *domain = xs_scan_null(&scan, DOMAIN) ? NULL : xs_scan_text(&scan, DOMAIN);
        add(ranges, (struct xs_step_range){parent, kind_of(ranges, domain, xs_scan_text(&scan, NAME), parent), depth});
    }
    return xs_scan_end(&scan);
}

uint32_t xs_step_range_of(const struct xs_step_ranges *ranges, int64_t id) {
    const uint64_t *index = id > 0 ? xs_hash_find(&ranges->by_id, (uint64_t)id, 0) : NULL;
    return index ? (uint32_t)*index : 0;
}

uint32_t xs_step_ranges_common(const struct xs_step_ranges *ranges, uint32_t a, uint32_t b) {
    while (a && b && a != b)
        if (ranges->items[a].depth >= ranges->items[b].depth)
            a = ranges->items[a].parent;
        else
            b = ranges->items[b].parent;
    return a == b ? a : 0;
}

void xs_step_ranges_free(struct xs_step_ranges *ranges) {
    free(ranges->items);
    free(ranges->kinds);
    xs_texts_free(&ranges->names);
    xs_hash_free(&ranges->by_id);
    xs_hash_free(&ranges->by_kind);
    *ranges = (struct xs_step_ranges){0};
}
