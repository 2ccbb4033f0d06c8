/* Holds the rows of one trace that pass a filter, table by table, a bit per row. Findings and totals look them up by
 * id. */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_SELECTION_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_SELECTION_H

#include "analyzer/base/hash.h"
#include "analyzer/findings/engine/filter.h"
#include "analyzer/findings/engine/findings.h"
#include "analyzer/trace/site.h"
#include "schema/read/trace.h"

enum { XS_SELECTION_TABLES = XS_EVIDENCE_MIGRATION + 1 };

/* The device of the context that a row of `t` names. */
#define XS_DEVICE_OF_CONTEXT "(SELECT c.device FROM context c WHERE c.id = t.context)"

/* SQL expressions for a table that findings are about, read as `t`. */
struct xs_evidence_columns {
    const char *called_from; /* entry point, stack, NVTX range, thread, stream; NULL if the table has none */
    const char *device;      /* device of the row; the context's device if the row has none */
};
extern const struct xs_evidence_columns xs_evidence_columns[XS_SELECTION_TABLES]; /* by enum xs_evidence_table */

struct xs_selection {
    const struct xs_filter *filter; /* the caller's; must outlive this */
    bool all_rows;                  /* every row passes: the filter is about findings only */
    struct xs_selected {
        uint64_t *words;
        size_t count;
        struct xs_hash far; /* rows with ids beyond the range of the bits */
    } tables[XS_SELECTION_TABLES];
    int64_t since_ns, until_ns;  /* INT64_MIN and INT64_MAX if not given */
    uint64_t transfers, passing; /* transfers that ran, and those that pass */
    uint64_t left_out;           /* instances of findings that did not pass; the analysis counts them */
};

/* Reads the tables that findings are about. Uses the steps of `findings`, which a filter may ask for, and its sites,
 * to which it adds new ones. Negative status: the message is set, and there is nothing to free. */
int xs_selection_make(const struct xs_trace *trace, const struct xs_filter *filter, const struct xs_findings *findings,
                      struct xs_selection **selection, char *message);
void xs_selection_free(struct xs_selection *selection); /* NULL: nothing */

/* Says whether a row passes; with NULL every row does. */
bool xs_selection_has(const struct xs_selection *selection, enum xs_evidence_table table, int64_t row);

/* Says whether an instance is shown: its finding is requested, and the row that it is about passes. */
bool xs_selection_wants(const struct xs_selection *selection, unsigned detector, const struct xs_instance *instance);

#endif
