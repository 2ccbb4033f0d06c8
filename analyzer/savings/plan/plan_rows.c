/* Finds the calls and copies of rows; see plan_rows.h. */
#include "analyzer/savings/plan/plan_rows.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"

enum { KINDS = XS_MODEL_OTHER + 1 };
_Static_assert(sizeof((struct xs_plan_rows){0}.kinds) / sizeof(struct xs_plan_kind) == KINDS, "one for each kind");

static int by_row(const void *a, const void *b) {
    const struct xs_plan_row *x = a, *y = b;
    return xs_compare(x->row, y->row);
}

/* Counts the rows of each kind. A call of several copies has a row for each of them. */
static void count_rows(struct xs_plan_rows *rows, const struct xs_model *model) {
    uint32_t first = 0;
    for (uint32_t i = 0; i < model->call_count; i++)
        rows->kinds[model->calls[i].kind].count += !model->calls[i].copies;
    rows->kinds[XS_MODEL_TRANSFER].count += model->copy_count;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        rows->kinds[kind].first = first;
        first += rows->kinds[kind].count;
    }
}

/* Makes the starts of the blocks. The width of a block is chosen so that a block has about IN_BLOCK rows on average, so
 * a search in a block takes few steps. */
static void make_blocks(struct xs_plan_kind *kind, const struct xs_plan_row *items) {
    const struct xs_plan_row *at = items + kind->first, *end = at + kind->count;
    enum { IN_BLOCK = 4 };
    kind->last_row = kind->count ? end[-1].row : 0;
    if (kind->last_row <= 0)
        return;
    while ((uint64_t)kind->last_row >> kind->shift > kind->count / IN_BLOCK)
        kind->shift++;
    size_t blocks = (size_t)((uint64_t)kind->last_row >> kind->shift) + 1;
    kind->starts = xs_realloc(NULL, (blocks + 1) * sizeof *kind->starts);
    for (size_t block = 0; block <= blocks; block++) {
        while (at < end && (at->row <= 0 || (uint64_t)at->row >> kind->shift < block))
            at++;
        kind->starts[block] = (uint32_t)(at - items);
    }
}

void xs_plan_rows_begin(struct xs_plan_rows *rows, const struct xs_model *model) {
    uint32_t next[KINDS];
    *rows = (struct xs_plan_rows){
        .items = xs_realloc(NULL, ((size_t)model->call_count + model->copy_count + 1) * sizeof *rows->items)};
    count_rows(rows, model);
    for (unsigned kind = 0; kind < KINDS; kind++)
        next[kind] = rows->kinds[kind].first;
    for (uint32_t i = 0; i < model->call_count; i++)
        if (!model->calls[i].copies)
            rows->items[next[model->calls[i].kind]++] = (struct xs_plan_row){model->calls[i].row, i};
    for (uint32_t i = 0; i < model->copy_count; i++)
        rows->items[next[XS_MODEL_TRANSFER]++] = (struct xs_plan_row){model->copies[i].row, model->call_count + i};
    for (unsigned kind = 0; kind < KINDS; kind++) {
        xs_sort(rows->items + rows->kinds[kind].first, rows->kinds[kind].count, sizeof *rows->items, by_row);
        make_blocks(&rows->kinds[kind], rows->items);
    }
}

static bool is_less(const void *item, const void *row) {
    return ((const struct xs_plan_row *)item)->row < *(const int64_t *)row;
}

const struct xs_plan_row *xs_plan_rows_find(const struct xs_plan_rows *rows, enum xs_model_kind of, int64_t row) {
    const struct xs_plan_kind *kind = &rows->kinds[of];
    if (row <= 0 || row > kind->last_row)
        return NULL;
    const uint32_t *start = &kind->starts[(uint64_t)row >> kind->shift];
    const struct xs_plan_row *first = rows->items + start[0];
    const struct xs_plan_row *found = first + xs_search(first, start[1] - start[0], sizeof *first, is_less, &row);
    return found < rows->items + start[1] && found->row == row ? found : NULL;
}

void xs_plan_rows_end(struct xs_plan_rows *rows) {
    for (unsigned kind = 0; kind < KINDS; kind++)
        free(rows->kinds[kind].starts);
    free(rows->items);
    *rows = (struct xs_plan_rows){0};
}
