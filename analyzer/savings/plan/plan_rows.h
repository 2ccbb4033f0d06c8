/* Finds the call or copy of the model that a row of the trace became. Each instance of a finding asks for its rows,
 * most of which are in no part of the run that is replayed, so the rows are in blocks of a few, and a search looks at
 * one block only. */
#ifndef XFERSPY_ANALYZER_SAVINGS_PLAN_PLAN_ROWS_H
#define XFERSPY_ANALYZER_SAVINGS_PLAN_PLAN_ROWS_H

#include <stdint.h>

#include "analyzer/savings/replay/model.h"

struct xs_plan_row {
    int64_t row;
    uint32_t number; /* as of xs_model_copy_at */
};

struct xs_plan_rows {
    struct xs_plan_row *items; /* all calls, and all copies of batch calls, sorted by kind and row */
    struct xs_plan_kind {
        uint32_t first, count; /* its items */
        int64_t last_row;
        unsigned shift;   /* a row is in the block that has its number without this many bits */
        uint32_t *starts; /* of each block and of the end: index of the first item; NULL: there are no rows above 0 */
    } kinds[XS_MODEL_OTHER + 1];
};

void xs_plan_rows_begin(struct xs_plan_rows *rows, const struct xs_model *model);

/* Returns the row of a call of this kind; NULL: the model does not have it. */
const struct xs_plan_row *xs_plan_rows_find(const struct xs_plan_rows *rows, enum xs_model_kind kind, int64_t row);

void xs_plan_rows_end(struct xs_plan_rows *rows);

#endif
