/* Counts SQLite's steps; see step_limit.h. */
#include "schema/safe_open/step_limit.h"

#include <stdlib.h>

struct xs_step_limit {
    uint64_t left;
    bool spent;
};

/* Returns how many steps of SQLite's virtual machine all statements of a connection may take. In measurements no
 * command needed more than 22 steps per byte (`export --format=perfetto` of 400,000 launches recorded in windows, 21
 * bytes each), so the limit is about 5 times as much. The constant part is for nearly empty files; SQLite needs about a
 * second for so many steps. */
static uint64_t steps_of(int64_t file_bytes) {
    return UINT64_C(64000000) + UINT64_C(100) * (file_bytes > 0 ? (uint64_t)file_bytes : 0);
}

bool xs_step_limit_spend(struct xs_step_limit *steps) {
    if (steps->left < XS_STEPS_STRIDE) {
        steps->spent = true;
        return true;
    }
    steps->left -= XS_STEPS_STRIDE;
    return false;
}

bool xs_step_limit_is_reached(const struct xs_step_limit *steps) { return steps && steps->spent; }

static int on_progress(void *steps) { return xs_step_limit_spend(steps); }

static void say_nothing(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    (void)values;
    sqlite3_result_null(context);
}

/* Registers an SQL function that nothing calls, so that the connection frees the steps when it is closed. */
int xs_step_limit_begin(sqlite3 *db, int64_t file_bytes, struct xs_step_limit **steps) {
    *steps = malloc(sizeof **steps);
    if (!*steps)
        return SQLITE_NOMEM;
    **steps = (struct xs_step_limit){.left = steps_of(file_bytes)};
    int rc = sqlite3_create_function_v2(db, "xferspy_steps", 0, SQLITE_UTF8 | SQLITE_DIRECTONLY, *steps, say_nothing,
                                        NULL, NULL, free);
    if (rc != SQLITE_OK) {
        *steps = NULL; /* SQLite has freed it */
        return rc;
    }
    sqlite3_progress_handler(db, XS_STEPS_STRIDE, on_progress, *steps);
    return SQLITE_OK;
}
