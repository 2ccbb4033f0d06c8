/* Counts how many contents and launch arguments are known. Findings about contents depend on them; the report shows the
 * counts under Coverage. */
#ifndef XFERSPY_ANALYZER_FINDINGS_CONTENT_COVERAGE_H
#define XFERSPY_ANALYZER_FINDINGS_CONTENT_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/format/kinds.h"
#include "schema/read/trace.h"

#define XS_COUNT_SKIP(n, id, name) +1
enum { XS_SKIP_COUNT = 0 XS_FINGERPRINT_SKIPS(XS_COUNT_SKIP) };
#undef XS_COUNT_SKIP

struct xs_content_coverage {
    char mode[16];                    /* option.fingerprint, "" where the trace does not say */
    uint64_t eligible;                /* uploads and downloads that ran */
    uint64_t taken, lost;             /* of those; lost: taken, but gone with the killed process */
    uint64_t skipped[XS_SKIP_COUNT];  /* of those, by reason; 0: no reason was given */
    uint64_t kernels, kernels_unseen; /* launches that ran, and those of unseen arguments */
    uint64_t migration_rests;         /* how often recording page migrations rested */
    uint64_t migrations_ns, run_ns;   /* for how long it did not, and the run */
    uint64_t graphs;                  /* launches of graphs, whose arguments are never seen */
};
extern const char *const xs_skip_names[];

/* Negative status: the message is set. */
int xs_content_coverage_read(const struct xs_trace *trace, struct xs_content_coverage *contents, char *message);

/* Why no content at all is known, as a sentence that says what to do; "" where some is, or there was none to know. */
void xs_content_coverage_why_none(const struct xs_content_coverage *contents, char *buffer, size_t bytes);

/* Where page migrations were recorded for a part of the run only, a sentence that says so and what to do; else "". */
void xs_content_coverage_migrations(const struct xs_content_coverage *contents, char *buffer, size_t bytes);

#endif
