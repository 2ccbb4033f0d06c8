/* Makes a copy of a trace that can be given to other people. columns.def in this folder says how every column is
 * changed. */
#ifndef XFERSPY_ANALYZER_COMMANDS_ANONYMIZE_ANONYMIZE_H
#define XFERSPY_ANALYZER_COMMANDS_ANONYMIZE_ANONYMIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/commands/anonymize/pseudonyms.h"
#include "schema/read/trace.h"

struct sqlite3;

struct xs_anonymizing {
    bool keep[XS_ANONYMOUS_KIND_COUNT]; /* set by the caller: kinds that are not changed */
    uint64_t pseudonyms, left_out; /* set by xs_anonymize: number of pseudonyms that were made; number of values that
                                      were left out, because of their column or because of a wrong type */
};

/* Writes the copy into a new trace, in the transaction that is open in `out`. If it fails, prints a message and returns
 * a negative status. */
int xs_anonymize(const struct xs_trace *trace, struct sqlite3 *out, struct xs_anonymizing *how);

/* xs_anonymous_tables names the tables that are copied, in this order. struct xs_anonymous_column says what is done
 * with one column of a table. A test compares both with the schema. */
extern const char *const xs_anonymous_tables[];
extern const size_t xs_anonymous_table_count;
struct xs_anonymous_column {
    char name[64];
    int kind;         /* enum xs_anonymous_kind; -1: the column is left out */
    bool is_required; /* the schema forbids NULL */
};

/* Reads the columns of a table from `db`, which has the schema of a trace, in the order of the schema. Returns their
 * number, at most `room`. */
int xs_anonymous_columns(struct sqlite3 *db, const char *table, struct xs_anonymous_column *columns, int room);

/* A word that --keep accepts; it means a group of kinds. */
struct xs_anonymous_group {
    const char *word;
    enum xs_anonymous_kind kinds[6]; /* XS_ANONYMOUS_NUMBER after the last */
};
extern const struct xs_anonymous_group xs_anonymous_groups[];
extern const size_t xs_anonymous_group_count;

#endif
