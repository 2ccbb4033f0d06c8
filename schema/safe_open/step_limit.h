/* Limits the work of SQLite for a file. How long a statement takes depends on the content of the trace: a join over a
 * small file can take hours if all its rows match each other. Therefore statements of a connection end when they take
 * more steps than a normal file of this size needs. */
#ifndef XFERSPY_SCHEMA_SAFE_OPEN_STEP_LIMIT_H
#define XFERSPY_SCHEMA_SAFE_OPEN_STEP_LIMIT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct xs_step_limit;

/* Limits the steps of `db`; beyond the limit, statements end with SQLITE_INTERRUPT. `*steps` belongs to `db` and is
 * freed with it. This function sets the connection's progress handler; if the caller sets another handler, that handler
 * must call xs_step_limit_spend. Returns an SQLite result code. */
int xs_step_limit_begin(sqlite3 *db, int64_t file_bytes, struct xs_step_limit **steps);

/* Counts XS_STEPS_STRIDE more steps; the progress handler must call this function each time that so many steps were
 * made. True: the statement must end. */
enum { XS_STEPS_STRIDE = 10000 };
bool xs_step_limit_spend(struct xs_step_limit *steps);

/* True if the limit was reached, so that the statement was interrupted. False if `steps` is NULL. */
bool xs_step_limit_is_reached(const struct xs_step_limit *steps);

#endif
