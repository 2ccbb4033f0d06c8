/* Knows which rows of a trace have findings. The analysis fills it, and it is queried row by row afterwards. Memory use
 * grows with the number of instances. */
#ifndef XFERSPY_ANALYZER_TOTALS_TIMELINE_MARKS_H
#define XFERSPY_ANALYZER_TOTALS_TIMELINE_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/hash.h"
#include "analyzer/savings/causes/diagnosis.h"

struct xs_mark {
    int64_t row;
    uint64_t ns;   /* the instance's claim, its share if it is about several rows; once sealed: its saving, 0 if its
                      finding leads no cause */
    uint32_t site; /* the site; once sealed, the finding's index */
    uint8_t table, detector, verdict;
};

struct xs_mark_run { /* a mark on several transfers of one site, from the first row to the last */
    int64_t first, last;
    uint64_t ns; /* per transfer */
    uint64_t transfers;
    uint32_t site, finding;
    uint8_t detector, verdict;
};

struct xs_marks {
    struct xs_mark *items;
    size_t count, capacity;
    struct xs_mark_run *runs;
    size_t run_count, run_capacity;
};

/* Marks the row that an instance is about, as on_instance of the analysis; the data is a zeroed struct xs_marks. */
void xs_marks_take(void *marks, unsigned detector, const struct xs_instance *instance);
/* Must be called after the analysis, before the first query. Keeps only marks of the first `limit` findings. */
void xs_marks_seal(struct xs_marks *marks, const struct xs_diagnosis *diagnosis, size_t limit);
void xs_marks_free(struct xs_marks *marks);

enum { XS_MARKED_MOST = 16 };
struct xs_marked {
    uint32_t findings[XS_MARKED_MOST]; /* indices in xs_findings.items, each once */
    unsigned count;
    uint64_t saves_ns; /* largest saving for the row by one of the findings that lead a cause */
};
/* Adds what is known of a row to `marked`, which is zeroed. `site` is the transfer's; 0: not known. */
void xs_marks_of(const struct xs_marks *marks, enum xs_evidence_table table, int64_t row, uint32_t site,
                 struct xs_marked *marked);

#endif
