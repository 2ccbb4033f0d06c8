/* Declares the tables of which thinning deletes rows, and the statements that delete such rows and add them to sums
 * (table `thinned`). The functions of thin_choice.h decide which rows these are. */
#ifndef XFERSPY_SCHEMA_WRITE_THIN_TABLES_H
#define XFERSPY_SCHEMA_WRITE_THIN_TABLES_H

#include "schema/write/store_internal.h"
#include "schema/write/thin_choice.h"

/* The tables are in the order in which a pass thins them: calls come before the device records of their kind. Slices of
 * transfers and of device copies alternate. */
enum { XS_THINNED_SYNC = 1, XS_THINNED_TRANSFER = 4, XS_THINNED_DEVICE_COPY = 5, XS_THINNED_TABLES = 9 };
/* `adds_up` adds the rows that are to be deleted to their sums. `also` changes what else depends on them. */
struct xs_thinned_table {
    const char *table;
    enum xs_calls_of of;
    const char *adds_up, *also; /* statements that are run before the rows are deleted; also NULL: there is none */
};
extern const struct xs_thinned_table xs_thinned_tables[XS_THINNED_TABLES];

/* The statements of a table, in the order in which they must be run for a slice. */
enum xs_thin_step { XS_THIN_ADD_UP, XS_THIN_ALSO, XS_THIN_DELETE, XS_THIN_STEPS };

/* The statements that are prepared so far; each is prepared when it is first needed. A zeroed struct is empty. */
struct xs_thin_statements {
    sqlite3_stmt *steps[XS_THINNED_TABLES][XS_THIN_STEPS], *last[XS_THINNED_TABLES], *next[XS_THINNED_TABLES];
};
void xs_thin_statements_free(struct xs_thin_statements *statements);

/* A slice: successive rows of a table that are thinned together, at most XS_CHOICE_ROWS. */
struct xs_thin_slice {
    int64_t end;    /* id of the last row; 0: there are no more rows */
    int64_t newest; /* largest correlation of these rows */
};

/* `table` is an index in xs_thinned_tables. xs_thin_next returns the slice that begins after the row `from`.
 * xs_thin_run runs one statement for the rows with from < id <= to, and returns 0 or an error of the store.
 * xs_thin_last returns the id of the last row of the table; 0: it has no rows. */
struct xs_thin_slice xs_thin_next(struct xs_store *store, struct xs_thin_statements *statements, unsigned table,
                                  int64_t from);
int xs_thin_run(struct xs_store *store, struct xs_thin_statements *statements, unsigned table, enum xs_thin_step which,
                int64_t from, int64_t to);
int64_t xs_thin_last(struct xs_store *store, struct xs_thin_statements *statements, unsigned table);

/* xs_thin_number runs a pragma (`pragma` is its SQL text), and returns its result, a number. xs_thin_used_bytes returns
 * how many bytes of the file are in use. */
int64_t xs_thin_number(struct xs_store *store, const char *pragma);
uint64_t xs_thin_used_bytes(struct xs_store *store);

#endif
