/* Counting SQLite's steps; see budget.h. */
#include "schema/budget.h"

#include <stdlib.h>

struct xs_budget {
    uint64_t left;
    bool spent;
};

/* Every command needs less than a tenth of this for traces of any size (docs/measurements.md). The first part, which is for files that
 * hold next to nothing, takes SQLite about a second. */
uint64_t xs_budget_steps(int64_t file_bytes) {
    return UINT64_C(64000000) + UINT64_C(100) * (file_bytes > 0 ? (uint64_t)file_bytes : 0);
}

bool xs_budget_count(struct xs_budget *budget) {
    if (budget->left < XS_BUDGET_STRIDE) {
        budget->spent = true;
        return true;
    }
    budget->left -= XS_BUDGET_STRIDE;
    return false;
}

bool xs_budget_is_spent(const struct xs_budget *budget) { return budget && budget->spent; }

static int on_progress(void *budget) { return xs_budget_count(budget); }

static void say_nothing(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    (void)values;
    sqlite3_result_null(context);
}

/* A function is what a connection frees when it is closed. Nothing calls it. */
int xs_budget_begin(sqlite3 *db, int64_t file_bytes, struct xs_budget **budget) {
    *budget = malloc(sizeof **budget);
    if (!*budget) {
        return SQLITE_NOMEM;
    }
    **budget = (struct xs_budget){.left = xs_budget_steps(file_bytes)};
    int rc = sqlite3_create_function_v2(db, "xferspy_budget", 0, SQLITE_UTF8 | SQLITE_DIRECTONLY, *budget, say_nothing,
                                        NULL, NULL, free);
    if (rc != SQLITE_OK) {
        *budget = NULL; /* it was freed */
        return rc;
    }
    sqlite3_progress_handler(db, XS_BUDGET_STRIDE, on_progress, *budget);
    return SQLITE_OK;
}
