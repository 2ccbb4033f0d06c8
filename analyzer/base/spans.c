/* Keeps ranges in order that do not overlap; see spans.h. */
#include "analyzer/base/spans.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/memory.h"

enum { BLOCK_ITEMS = 64 };

struct xs_span_block {
    size_t count;
    struct xs_span items[BLOCK_ITEMS];
};

static const struct xs_span *at(const struct xs_spans *spans, const struct xs_span_cursor *cursor) {
    return cursor->block < spans->count ? &spans->blocks[cursor->block]->items[cursor->item] : NULL;
}

const struct xs_span *xs_spans_seek(const struct xs_spans *spans, uint64_t address, struct xs_span_cursor *cursor) {
    size_t low = 0, high = spans->count;
    while (low < high) { /* finds the first block whose last span ends after the address */
        size_t middle = low + (high - low) / 2;
        const struct xs_span_block *block = spans->blocks[middle];
        if (block->items[block->count - 1].end > address)
            high = middle;
        else
            low = middle + 1;
    }
    *cursor = (struct xs_span_cursor){.block = low};
    if (low == spans->count)
        return NULL;
    const struct xs_span_block *block = spans->blocks[low];
    size_t first = 0, last = block->count - 1;
    while (first < last) {
        size_t middle = first + (last - first) / 2;
        if (block->items[middle].end > address)
            last = middle;
        else
            first = middle + 1;
    }
    cursor->item = first;
    return &block->items[first];
}

const struct xs_span *xs_spans_next(const struct xs_spans *spans, struct xs_span_cursor *cursor) {
    if (++cursor->item >= spans->blocks[cursor->block]->count)
        *cursor = (struct xs_span_cursor){.block = cursor->block + 1};
    return at(spans, cursor);
}

static void add_block(struct xs_spans *spans, size_t index) {
    xs_grow_from(4, &spans->blocks, spans->count, &spans->capacity, sizeof(struct xs_span_block *));
    memmove(&spans->blocks[index + 1], &spans->blocks[index], (spans->count - index) * sizeof(struct xs_span_block *));
    spans->blocks[index] = xs_realloc(NULL, sizeof(struct xs_span_block));
    spans->blocks[index]->count = 0;
    spans->count++;
}

static void remove_at(struct xs_spans *spans, const struct xs_span_cursor *cursor) {
    struct xs_span_block *block = spans->blocks[cursor->block];
    block->count--;
    memmove(&block->items[cursor->item], &block->items[cursor->item + 1],
            (block->count - cursor->item) * sizeof *block->items);
    if (block->count)
        return;
    free(block);
    spans->count--;
    memmove(&spans->blocks[cursor->block], &spans->blocks[cursor->block + 1],
            (spans->count - cursor->block) * sizeof(struct xs_span_block *));
}

void xs_spans_insert(struct xs_spans *spans, uint64_t start, uint64_t end, void *owner) {
    struct xs_span_cursor cursor;
    if (end <= start)
        return;
    if (!xs_spans_seek(spans, start,
                       &cursor)) { /* the new span comes after all others, so it is added to the last block */
        if (!spans->count)
            add_block(spans, 0);
        cursor.block = spans->count - 1;
        cursor.item = spans->blocks[cursor.block]->count;
    }
    struct xs_span_block *block = spans->blocks[cursor.block];
    if (block->count == BLOCK_ITEMS) {
        size_t kept = cursor.item == BLOCK_ITEMS ? BLOCK_ITEMS : BLOCK_ITEMS / 2; /* appending must leave full blocks */
        add_block(spans, cursor.block + 1);
        struct xs_span_block *more = spans->blocks[cursor.block + 1];
        more->count = BLOCK_ITEMS - kept;
        memcpy(more->items, &block->items[kept], more->count * sizeof *block->items);
        block->count = kept;
        if (cursor.item > kept || kept == BLOCK_ITEMS) {
            cursor.item -= kept;
            block = more;
        }
    }
    memmove(&block->items[cursor.item + 1], &block->items[cursor.item],
            (block->count - cursor.item) * sizeof *block->items);
    block->items[cursor.item] = (struct xs_span){start, end, owner};
    block->count++;
}

void xs_spans_clear(struct xs_spans *spans, uint64_t start, uint64_t end, xs_span_taken *taken, void *context) {
    struct xs_span_cursor cursor;
    for (const struct xs_span *found = xs_spans_seek(spans, start, &cursor); found && found->start < end;) {
        struct xs_span *span = &spans->blocks[cursor.block]->items[cursor.item];
        struct xs_span old = *span;
        uint64_t from = old.start > start ? old.start : start, to = old.end < end ? old.end : end;
        if (taken)
            taken(context, old.owner, to - from);
        if (old.start < start && old.end > end) {
            span->end = start;
            xs_spans_insert(spans, end, old.end, old.owner);
            return;
        }
        if (old.start < start) {
            span->end = start;
            found = xs_spans_next(spans, &cursor);
        } else if (old.end > end) {
            span->start = end;
            return;
        } else {
            remove_at(spans, &cursor);
            if (cursor.block < spans->count && cursor.item >= spans->blocks[cursor.block]->count)
                cursor = (struct xs_span_cursor){.block = cursor.block + 1};
            found = at(spans, &cursor);
        }
    }
}

void xs_spans_cover(struct xs_spans *spans, uint64_t start, uint64_t end) {
    struct xs_span_cursor cursor;
    if (end <= start || xs_spans_covered(spans, start, end))
        return;
    /* the new span begins with a span that touches the range on the left, and ends with one that touches it on the
     * right */
    const struct xs_span *span = xs_spans_seek(spans, start ? start - 1 : 0, &cursor);
    uint64_t first = span && span->start < start ? span->start : start, last = end;
    span = xs_spans_seek(spans, end - 1, &cursor);
    if (span && span->start <= end && span->end > last)
        last = span->end;
    else if (span && span->end == end) {
        span = xs_spans_next(spans, &cursor);
        if (span && span->start == end)
            last = span->end;
    }
    xs_spans_clear(spans, first, last, NULL, NULL);
    xs_spans_insert(spans, first, last, NULL);
}

bool xs_spans_covered(const struct xs_spans *spans, uint64_t start, uint64_t end) {
    struct xs_span_cursor cursor;
    const struct xs_span *span = xs_spans_seek(spans, start, &cursor);
    return span && span->start <= start && span->end >= end;
}

void xs_spans_free(struct xs_spans *spans) {
    for (size_t i = 0; i < spans->count; i++)
        free(spans->blocks[i]);
    free(spans->blocks);
    *spans = (struct xs_spans){0};
}
