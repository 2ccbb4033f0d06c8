/* How much work SQLite may do for a file. What a trace holds decides how long its statements take: rows that all match each other make a
 * join of a small file run for hours. So the work on a connection ends where it is more than the file's size can justify. */
#ifndef XFERSPY_SCHEMA_BUDGET_H
#define XFERSPY_SCHEMA_BUDGET_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct xs_budget;

/* Steps of SQLite's virtual machine for all statements of a connection to a file of that size together. */
uint64_t xs_budget_steps(int64_t file_bytes);

/* From here on, a statement of `db` ends with SQLITE_INTERRUPT where that many steps were done. `*budget` is `db`'s and lives as long as
 * it does. Takes the connection's progress handler: whoever sets another one calls xs_budget_count in it. An SQLite result code. */
int xs_budget_begin(sqlite3 *db, int64_t file_bytes, struct xs_budget **budget);

/* What the progress handler does, every XS_BUDGET_STRIDE steps: true says that the statement has to end. */
enum { XS_BUDGET_STRIDE = 10000 };
bool xs_budget_count(struct xs_budget *budget);

/* Whether it was spent, which is why the statement was interrupted. NULL: it was not. */
bool xs_budget_is_spent(const struct xs_budget *budget);

#endif
