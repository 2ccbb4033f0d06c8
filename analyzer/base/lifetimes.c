/* Finds the address range that exists at an address and time; see lifetimes.h. */
#include "analyzer/base/lifetimes.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"

struct xs_life_change {
    int64_t ns;
    size_t item;
    bool begins;
};

/* Orders changes by time. If times are equal, ends come first, because a range that begins then may have the address of
 * a range that ends. */
static int by_time(const void *a, const void *b) {
    const struct xs_life_change *x = a, *y = b;
    return xs_compare(x->ns, y->ns) ?: xs_compare(x->begins, y->begins) ?: xs_compare_uint64(x->item, y->item);
}

void xs_lives_begin(struct xs_lives *lives, const struct xs_life *items, size_t count) {
    *lives = (struct xs_lives){.items = items};
    lives->changes = xs_realloc(NULL, (2 * count + 1) * sizeof *lives->changes);
    for (size_t i = 0; i < count; i++) {
        if (items[i].end <= items[i].begin || items[i].until_ns <= items[i].from_ns)
            continue;
        lives->changes[lives->change_count++] = (struct xs_life_change){items[i].from_ns, i, true};
        lives->changes[lives->change_count++] = (struct xs_life_change){items[i].until_ns, i, false};
    }
    xs_sort(lives->changes, lives->change_count, sizeof *lives->changes, by_time);
}

void xs_lives_end(struct xs_lives *lives) {
    free(lives->changes);
    xs_spans_free(&lives->living);
    *lives = (struct xs_lives){0};
}

/* Removes the parts of the item's range that still belong to the item and not to a later one. */
static void take_out(struct xs_lives *lives, const struct xs_life *item) {
    struct xs_span_cursor place;
    const struct xs_span *span = xs_spans_seek(&lives->living, item->begin, &place);
    while (span && span->start < item->end) {
        uint64_t start = span->start, end = span->end;
        if (span->owner != item) {
            span = xs_spans_next(&lives->living, &place);
            continue;
        }
        xs_spans_clear(&lives->living, start, end, NULL, NULL);
        span = xs_spans_seek(&lives->living, end, &place);
    }
}

size_t xs_lives_at(struct xs_lives *lives, uint64_t address, int64_t ns) {
    for (; lives->next < lives->change_count && lives->changes[lives->next].ns <= ns; lives->next++) {
        const struct xs_life_change *change = &lives->changes[lives->next];
        const struct xs_life *item = &lives->items[change->item];
        if (!change->begins) {
            take_out(lives, item);
            continue;
        }
        xs_spans_clear(&lives->living, item->begin, item->end, NULL, NULL);
        xs_spans_insert(&lives->living, item->begin, item->end, (void *)(uintptr_t)item);
    }
    struct xs_span_cursor place;
    const struct xs_span *span = xs_spans_seek(&lives->living, address, &place);
    return span && span->start <= address ? (size_t)((const struct xs_life *)span->owner - lives->items) + 1 : 0;
}
