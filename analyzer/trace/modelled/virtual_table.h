/* Shows the modelled rows, which are in memory, as tables of SQLite. A statement on device_copy, device_memset or
 * device_kernel finds the modelled rows together with the recorded ones, without any change of the statement. */
#ifndef XFERSPY_ANALYZER_TRACE_MODELLED_VIRTUAL_TABLE_H
#define XFERSPY_ANALYZER_TRACE_MODELLED_VIRTUAL_TABLE_H

#include "analyzer/trace/modelled/modelled_rows.h"

struct sqlite3;

/* Makes TEMP tables that hide the trace's tables of the same names. `tables` must exist until the connection is closed.
 * Returns a result code of SQLite. */
int xs_modelled_show(struct sqlite3 *db, const struct xs_modelled_tables *tables);

#endif
