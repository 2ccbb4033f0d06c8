/* Which rows of a trace the findings are about, kept of every instance in few bytes: what the page marks where a finding is
 * chosen. */
#ifndef XFERSPY_ANALYZER_HTML_MARKS_H
#define XFERSPY_ANALYZER_HTML_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/hash.h"
#include "analyzer/engine/findings.h"

struct xs_html_mark {
    uint64_t key; /* table and row */
    uint32_t finding;
};

/* Several transfers of one site, from the first row to the last. */
struct xs_html_run {
    int64_t first, last;
    uint32_t site, finding;
};

struct xs_html_marks {    /* zeroed: empty */
    struct xs_hash kinds; /* detector, verdict and site to a number from 1, in the order in which they are met */
    struct xs_html_mark *items;
    size_t count, capacity;
    struct xs_html_run *runs; /* by site, then by first row */
    size_t run_count, run_capacity;
};

/* Takes an instance; what on_instance of struct xs_analysis_options calls. NULL: the analysis starts again. */
void xs_html_mark(struct xs_html_marks *marks, unsigned detector, const struct xs_instance *instance);

/* After the analysis: numbers become indices in findings->items, those of the first `limit` findings stay, and everything
 * is sorted. */
void xs_html_marks_finish(struct xs_html_marks *marks, const struct xs_findings *findings, size_t limit);

/* The findings of a row: writes at most `limit` of them, returns how many. `site` is its call site's number, 0: none. */
size_t xs_html_marks_of(const struct xs_html_marks *marks, enum xs_evidence_table table, int64_t row, uint32_t site,
                        uint32_t *findings, size_t limit);

void xs_html_marks_free(struct xs_html_marks *marks);

#endif
