/* How much work SQLite may do for a file. What a trace holds decides how long its statements take: rows that all match
 * each other make a join of a small file run for hours. So the work on a connection ends where it is more than the
 * file's size can justify. */
#ifndef XFERSPY_SCHEMA_FILE_STEPS_H
#define XFERSPY_SCHEMA_FILE_STEPS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct xs_steps;

/* The words for it, of which the subject comes before. */
#define XS_THAN_JUSTIFIED "than a file of its size can justify"
#define XS_TOO_MANY_STEPS "takes more steps " XS_THAN_JUSTIFIED

/* Steps of SQLite's virtual machine for all statements of a connection to a file of that size together. */
uint64_t xs_steps_of(int64_t file_bytes);

/* From here on, a statement of `db` ends with SQLITE_INTERRUPT where that many steps were done. `*steps` is `db`'s and
 * lives as long as it does. Takes the connection's progress handler: whoever sets another one calls xs_steps_spend in
 * it. An SQLite result code. */
int xs_steps_begin(sqlite3 *db, int64_t file_bytes, struct xs_steps **steps);

/* What the progress handler does, every XS_STEPS_STRIDE steps: true says that the statement has to end. */
enum { XS_STEPS_STRIDE = 10000 };
bool xs_steps_spend(struct xs_steps *steps);

/* Whether it was spent, which is why the statement was interrupted. NULL: it was not. */
bool xs_steps_are_spent(const struct xs_steps *steps);

#endif
