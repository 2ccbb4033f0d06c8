/* The rows in memory as tables of SQLite. A statement on device_copy, device_memset or device_kernel finds the
 * modelled rows beside the recorded ones and needs no change. */
#ifndef XFERSPY_ANALYZER_TRACE_MODELLED_VIRTUAL_TABLE_H
#define XFERSPY_ANALYZER_TRACE_MODELLED_VIRTUAL_TABLE_H

#include "analyzer/trace/modelled/modelled_rows.h"

struct sqlite3;

/* Hides the trace's tables behind TEMP tables. `tables` must live as long as the connection. Returns a code of
 * SQLite. */
int xs_modelled_show(struct sqlite3 *db, const struct xs_modelled_tables *tables);

#endif
