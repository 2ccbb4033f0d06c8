/* The rows of one trace that pass a filter, table by table: looked up by their ids while findings and totals are made.
 * A bit a row. */
#ifndef XFERSPY_ANALYZER_ENGINE_SELECTION_H
#define XFERSPY_ANALYZER_ENGINE_SELECTION_H

#include "analyzer/base/hash.h"
#include "analyzer/findings/engine/filter.h"
#include "analyzer/findings/engine/findings.h"
#include "analyzer/trace/site.h"
#include "schema/read/trace.h"

enum { XS_SELECTION_TABLES = XS_EVIDENCE_MIGRATION + 1 };

/* The device of the context that a row of `t` names. */
#define XS_DEVICE_OF_CONTEXT "(SELECT c.device FROM context c WHERE c.id = t.context)"

/* For reading a table that findings are about, as `t`. */
struct xs_evidence_columns {
    const char *called_from; /* entry point, stack, NVTX range, thread, stream; NULL where the table has none */
    const char *device;      /* that the row is about, its context's where it does not say */
};
extern const struct xs_evidence_columns xs_evidence_columns[XS_SELECTION_TABLES]; /* by enum xs_evidence_table */

struct xs_selection {
    const struct xs_filter *filter; /* the caller's; to outlive this */
    bool all_rows;                  /* every row passes: the filter is about findings only */
    struct xs_selected {
        uint64_t *words;
        size_t count;
        struct xs_hash far; /* rows whose ids are beyond what bits are kept for */
    } tables[XS_SELECTION_TABLES];
    int64_t since_ns, until_ns;  /* INT64_MIN and INT64_MAX where not given */
    uint64_t transfers, passing; /* that ran, and those of them that pass */
    uint64_t left_out;           /* instances of findings that did not pass; counted by the analysis */
};

/* Reads the tables that findings are about. Of `findings` it takes the steps, which a filter may ask for, and the
 * sites, which get the numbers of those that it meets. Negative status: the message is set, and there is nothing to
 * free. */
int xs_selection_make(const struct xs_trace *trace, const struct xs_filter *filter, const struct xs_findings *findings,
                      struct xs_selection **selection, char *message);
void xs_selection_free(struct xs_selection *selection); /* NULL: nothing */

/* Whether a row passes; with NULL every row. */
bool xs_selection_has(const struct xs_selection *selection, enum xs_evidence_table table, int64_t row);

/* Whether an instance is shown: its finding is asked for, and the row that it is about passes. */
bool xs_selection_wants(const struct xs_selection *selection, unsigned detector, const struct xs_instance *instance);

#endif
