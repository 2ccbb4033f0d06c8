/* Limits the work that SQLite does for one file. The time that a statement takes depends on the content of the file: a
 * join over a small file can take hours if all rows match each other. Therefore a connection has a limit for the number
 * of steps of SQLite's virtual machine that all its statements take together. The limit depends on the size of the
 * file, and is several times as large as what a command needs for a normal trace of this size. */
#ifndef XFERSPY_SCHEMA_SAFE_OPEN_STEP_LIMIT_H
#define XFERSPY_SCHEMA_SAFE_OPEN_STEP_LIMIT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct xs_step_limit;

/* Limits the steps that all statements of `db` may take together. When the limit is reached, the running statement ends
 * with SQLITE_INTERRUPT, and so does every later statement that takes XS_STEPS_STRIDE steps or more. `*steps` belongs
 * to `db`, and is freed when `db` is closed. This function sets the connection's progress handler; if the caller sets
 * another handler, that handler must call xs_step_limit_spend. Returns an SQLite result code. */
int xs_step_limit_begin(sqlite3 *db, int64_t file_bytes, struct xs_step_limit **steps);

/* Counts XS_STEPS_STRIDE more steps. The progress handler must call this function each time SQLite has made
 * XS_STEPS_STRIDE steps. True: the limit is reached, and the statement must end. */
enum { XS_STEPS_STRIDE = 10000 };
bool xs_step_limit_spend(struct xs_step_limit *steps);

/* Returns true if the limit was reached, so that a statement was interrupted. Returns false if `steps` is NULL. */
bool xs_step_limit_is_reached(const struct xs_step_limit *steps);

#endif
