/* Step limits bound SQLite's work for a file. A trace's content decides how long its statements take: rows that all
 * match each other make a join of a small file run for hours. A connection's work therefore ends once it exceeds what
 * the file's size can justify. */
#ifndef XFERSPY_SCHEMA_SAFE_OPEN_STEP_LIMIT_H
#define XFERSPY_SCHEMA_SAFE_OPEN_STEP_LIMIT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct xs_steps;

/* Returns the steps of SQLite's virtual machine that all statements of a connection to a file of this size may take
 * together. */
uint64_t xs_steps_of(int64_t file_bytes);

/* Limits the steps of `db`: beyond the limit, statements end with SQLITE_INTERRUPT. `*steps` belongs to `db` and lives
 * as long. This takes the connection's progress handler; a caller that sets another one calls xs_steps_spend in it.
 * Returns an SQLite result code. */
int xs_steps_begin(sqlite3 *db, int64_t file_bytes, struct xs_steps **steps);

/* Counts XS_STEPS_STRIDE steps; the progress handler calls it that often. True: the statement has to end. */
enum { XS_STEPS_STRIDE = 10000 };
bool xs_steps_spend(struct xs_steps *steps);

/* True when the steps were spent, which is why the statement was interrupted. NULL: not spent. */
bool xs_steps_are_spent(const struct xs_steps *steps);

#endif
