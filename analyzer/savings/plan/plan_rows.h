/* Finds the call, or the copy of a batch call, of the model that a row of the trace became. Every instance of a finding
 * asks for its rows, and most rows of a long run are in no part that is replayed. So that even a vain search is fast,
 * the rows are divided into blocks of a few rows, and a search looks at one block only. */
#ifndef XFERSPY_ANALYZER_SAVINGS_PLAN_PLAN_ROWS_H
#define XFERSPY_ANALYZER_SAVINGS_PLAN_PLAN_ROWS_H

#include <stdint.h>

#include "analyzer/savings/replay/model.h"

struct xs_plan_row {
    int64_t row;
    uint32_t number; /* index of the call, or number of the copy of a batch call (xs_model_copy_at) */
};

struct xs_plan_rows {
    struct xs_plan_row *items; /* all calls, and all copies of batch calls, sorted by kind and row */
    struct xs_plan_kind {
        uint32_t first, count; /* the rows of this kind are items[first] to items[first + count - 1] */
        /* The largest row; 0: there are no rows. */
        int64_t last_row;
        unsigned shift;   /* a row is in block number row >> shift */
        uint32_t *starts; /* for each block, index of its first item; then the index after the last item; NULL: there
                           * are no rows above 0 */
    } kinds[XS_MODEL_OTHER + 1];
};

/* Makes the table of a model. Always call xs_plan_rows_end. */
void xs_plan_rows_begin(struct xs_plan_rows *rows, const struct xs_model *model);

/* Finds a row of the table that has the calls of this kind. NULL: the model has no call or copy from this row. */
const struct xs_plan_row *xs_plan_rows_find(const struct xs_plan_rows *rows, enum xs_model_kind kind, int64_t row);

void xs_plan_rows_end(struct xs_plan_rows *rows);

#endif
