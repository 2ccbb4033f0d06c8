/* Records which rows of one trace pass a filter, in one bit per row for each table. Findings and totals look rows up by
 * id. */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_SELECTION_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_SELECTION_H

#include "analyzer/base/hash.h"
#include "analyzer/findings/engine/filter.h"
#include "analyzer/findings/engine/findings.h"
#include "analyzer/trace/site.h"
#include "schema/read/trace.h"

enum { XS_SELECTION_TABLES = XS_EVIDENCE_MIGRATION + 1 };

/* SQL for the device of the context that a row of `t` names. */
#define XS_DEVICE_OF_CONTEXT "(SELECT c.device FROM context c WHERE c.id = t.context)"

/* SQL expressions for a table that findings are about, read as `t`. */
struct xs_evidence_columns {
    const char *called_from; /* columns of entry point, stack, NVTX range, thread and stream; SQL's NULL for each that
                              * the table does not have */
    const char *device;      /* device of the row; the context's device if the row has none */
};
extern const struct xs_evidence_columns xs_evidence_columns[XS_SELECTION_TABLES]; /* by enum xs_evidence_table */

struct xs_selection {
    const struct xs_filter *filter; /* the caller's filter, which must outlive the selection */
    bool all_rows;                  /* every row passes, because the filter chooses findings only */
    struct xs_selected {
        uint64_t *words;
        size_t count;
        struct xs_hash far; /* rows with ids that are too large for a bit */
    } tables[XS_SELECTION_TABLES];
    int64_t since_ns, until_ns;  /* INT64_MIN and INT64_MAX if not given */
    uint64_t transfers, passing; /* number of transfers that ran; number of those that pass */
    uint64_t left_out;           /* instances of findings that did not pass; the analysis counts them */
};

/* Reads the tables that findings are about. Uses the steps of `findings`, because a filter may choose steps. Also uses
 * the sites of `findings`, and adds new sites to them. Negative status: the message is set, and there is nothing to
 * free. */
int xs_selection_make(const struct xs_trace *trace, const struct xs_filter *filter, const struct xs_findings *findings,
                      struct xs_selection **selection, char *message);
void xs_selection_free(struct xs_selection *selection); /* NULL is allowed */

/* True if a row passes. If `selection` is NULL, every row passes. */
bool xs_selection_has(const struct xs_selection *selection, enum xs_evidence_table table, int64_t row);

/* True if an instance is shown, which means that its finding is requested and the row that it is about passes. */
bool xs_selection_wants(const struct xs_selection *selection, unsigned detector, const struct xs_instance *instance);

#endif
