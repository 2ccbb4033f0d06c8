/* The tables whose rows a trace may lack because they were deleted, and the statements that add up the sums of such
 * rows (table `thinned`) and delete them. thin_choice.h decides which rows these are. */
#ifndef XFERSPY_SCHEMA_WRITE_THIN_TABLES_H
#define XFERSPY_SCHEMA_WRITE_THIN_TABLES_H

#include "schema/write/store_internal.h"
#include "schema/write/thin_choice.h"

/* The tables are in the order in which a pass thins them: calls come before the device records of their kind. Slices of
 * transfers and of device copies alternate. */
enum { XS_THINNED_SYNC = 1, XS_THINNED_TRANSFER = 4, XS_THINNED_DEVICE_COPY = 5, XS_THINNED_TABLES = 9 };
struct xs_thinned_table {
    const char *table;
    enum xs_calls_of of;
    const char *adds_up, *also; /* statements that are run before the rows are deleted; NULL: none */
};
extern const struct xs_thinned_table xs_thinned_tables[XS_THINNED_TABLES];

/* The statements of a table, in the order of execution. */
enum xs_thin_step { XS_THIN_ADD_UP, XS_THIN_ALSO, XS_THIN_DELETE, XS_THIN_STEPS };

/* Statements that were prepared already. */
struct xs_thin_statements {
    sqlite3_stmt *steps[XS_THINNED_TABLES][XS_THIN_STEPS], *last[XS_THINNED_TABLES], *next[XS_THINNED_TABLES];
};
void xs_thin_statements_free(struct xs_thin_statements *statements);

/* The next rows of a table that are thinned together. */
struct xs_thin_slice {
    int64_t end;    /* id of the last row; 0: there are no rows */
    int64_t newest; /* largest correlation of these rows */
};

/* Returns the slice after the row `from`. Runs a step for the rows with from < id <= to. Returns the id of a table's
 * last row. */
struct xs_thin_slice xs_thin_next(struct xs_store *store, struct xs_thin_statements *statements, unsigned table,
                                  int64_t from);
int xs_thin_run(struct xs_store *store, struct xs_thin_statements *statements, unsigned table, enum xs_thin_step which,
                int64_t from, int64_t to);
int64_t xs_thin_last(struct xs_store *store, struct xs_thin_statements *statements, unsigned table);

/* Returns the value of a pragma that is a number, and the bytes of the file that are in use. */
int64_t xs_thin_number(struct xs_store *store, const char *pragma);
uint64_t xs_thin_used_bytes(struct xs_store *store);

#endif
