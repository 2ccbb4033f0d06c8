/* Counts how many contents and launch arguments are known. Findings about contents depend on these numbers. The report
 * shows them under Coverage. */
#ifndef XFERSPY_ANALYZER_TOTALS_SUMMARY_CONTENT_COVERAGE_H
#define XFERSPY_ANALYZER_TOTALS_SUMMARY_CONTENT_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/text.h"
#include "schema/format/kinds.h"
#include "schema/read/trace.h"

#define XS_COUNT_SKIP(n, id, name) +1
enum { XS_SKIP_COUNT = 0 XS_FINGERPRINT_SKIPS(XS_COUNT_SKIP) };
#undef XS_COUNT_SKIP

struct xs_content_coverage {
    char mode[16];                    /* option.fingerprint; "" if the trace does not say */
    uint64_t eligible;                /* uploads and downloads that ran */
    uint64_t taken, lost;             /* eligible transfers whose fingerprint was taken; lost: taken, but not in the
                                         trace because the process was killed */
    uint64_t skipped[XS_SKIP_COUNT];  /* eligible transfers without a fingerprint, by reason; index 0: no reason was
                                         given */
    uint64_t kernels, kernels_unseen; /* launches that ran, and launches whose arguments were not seen */
    uint64_t migration_rests;         /* how often the recording of page migrations paused */
    uint64_t migrations_ns, run_ns;   /* how long page migrations were recorded, and how long the run took */
    uint64_t graphs;                  /* launches of graphs; their arguments are never seen */
};
extern const char *const xs_skip_names[];

/* Reads the counts of a trace. Negative status: the message is set. */
int xs_content_coverage_read(const struct xs_trace *trace, struct xs_content_coverage *contents, char *message);

/* The reasons for which no content at all is known. */
enum xs_no_contents {
    XS_CONTENTS_KNOWN,    /* some content is known, or there was no content to know */
    XS_CONTENTS_IMPORTED, /* the trace was imported; profiles of other tools have no contents */
    XS_CONTENTS_OFF,      /* XFERSPY_FINGERPRINT=off */
    XS_CONTENTS_LOST,     /* the trace ends before any content was written */
    XS_CONTENTS_SKIPPED,  /* every transfer was skipped; xs_content_coverage.skipped counts the reasons */
};
extern const char *const xs_no_contents_names[]; /* NULL for XS_CONTENTS_KNOWN */
enum xs_no_contents xs_content_coverage_none(const struct xs_content_coverage *contents);

/* Adds a sentence that says why no content at all is known, and what to do. Adds nothing if some content is known, or
 * if there was no content to know. */
void xs_content_coverage_why_none(struct xs_string *text, const struct xs_content_coverage *contents);

/* If page migrations were recorded during only a part of the run, adds a sentence that says so, and what to do. */
void xs_content_coverage_migrations(struct xs_string *text, const struct xs_content_coverage *contents);

#endif
