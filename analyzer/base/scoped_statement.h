/* XS_SCOPED_STATEMENT declares a statement of SQLite that is finalized at the end of its block, on every way out of it.
 */
#ifndef XFERSPY_ANALYZER_BASE_SCOPED_STATEMENT_H
#define XFERSPY_ANALYZER_BASE_SCOPED_STATEMENT_H

#include <sqlite3.h>

static inline void xs_finalize_scoped(sqlite3_stmt **statement) { sqlite3_finalize(*statement); }

#define XS_SCOPED_STATEMENT __attribute__((cleanup(xs_finalize_scoped))) sqlite3_stmt

#endif
