/* The rows in memory as tables of SQLite: what reads device_copy, device_memset or device_kernel of a trace finds the
 * modelled rows there with those that were recorded, and needs to know nothing of it. */
#ifndef XFERSPY_ANALYZER_MODELLED_VIRTUAL_TABLE_H
#define XFERSPY_ANALYZER_MODELLED_VIRTUAL_TABLE_H

#include "analyzer/trace/modelled/rows.h"

struct sqlite3;

/* Puts TEMP tables before the trace's. The tables have to live as long as the connection. Returns a code of SQLite. */
int xs_modelled_show(struct sqlite3 *db, const struct xs_modelled_tables *tables);

#endif
