/* Remembers which rows of a trace have findings. The analysis adds the marks; afterwards the marks of each row can be
 * queried. Memory use grows with the number of instances. */
#ifndef XFERSPY_ANALYZER_TOTALS_TIMELINE_MARKS_H
#define XFERSPY_ANALYZER_TOTALS_TIMELINE_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/hash.h"
#include "analyzer/savings/causes/diagnosis.h"

struct xs_mark {
    int64_t row;
    uint64_t ns;   /* the time that the instance claims for this row; after xs_marks_seal: the instance's saving, or
                      0 if its finding is not the first finding of a cause */
    uint32_t site; /* the site; after xs_marks_seal, the finding's index */
    uint8_t table, detector, verdict;
};

struct xs_mark_run { /* a mark on several transfers of one site, from the first row to the last */
    int64_t first, last;
    uint64_t transfers;
    uint64_t ns; /* the time that the instance claims for all transfers, in equal shares; after xs_marks_seal: the
                    saving per transfer */
    uint32_t site, finding;
    uint8_t detector, verdict;
};

struct xs_marks {
    struct xs_mark *items;
    size_t count, capacity;
    struct xs_mark_run *runs;
    size_t run_count, run_capacity;
};

/* Marks the rows that an instance is about. Callers pass this function to the analysis as on_instance, with a zeroed
 * struct xs_marks as the data. */
void xs_marks_take(void *marks, unsigned detector, const struct xs_instance *instance);
/* Prepares the marks for queries. The caller must call this function after the analysis and before the first query. The
 * function keeps only the marks of the first `limit` findings. */
void xs_marks_seal(struct xs_marks *marks, const struct xs_diagnosis *diagnosis, size_t limit);
void xs_marks_free(struct xs_marks *marks);

/* Compares runs for qsort: by site, then by first row. Runs of one site overlap only if they belong to different
 * threads or streams. */
int xs_mark_runs_by_site(const void *a, const void *b);

/* xs_findings_index adds the first `count` findings to `index`. xs_findings_find finds a finding by the detector, the
 * verdict and the site of its instances, and returns a pointer to a number, which is the finding's index plus 1. It
 * returns NULL if there is no such finding. */
void xs_findings_index(struct xs_hash *index, const struct xs_diagnosis *diagnosis, size_t count);
const uint64_t *xs_findings_find(const struct xs_hash *index, unsigned detector, unsigned verdict, uint32_t site);

enum { XS_MARKED_MOST = 16 };
struct xs_marked {
    uint32_t findings[XS_MARKED_MOST]; /* indexes in xs_findings.items, each only once */
    unsigned count;
    uint64_t saves_ns; /* the largest saving for the row among the findings that are the first of a cause */
};
/* Writes the findings about a row, and the largest saving for the row, to `marked`, which must be zeroed. `site` is the
 * site of the transfer; 0: not known. */
void xs_marks_of(const struct xs_marks *marks, enum xs_evidence_table table, int64_t row, uint32_t site,
                 struct xs_marked *marked);

#endif
