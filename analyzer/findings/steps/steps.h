/* Finds the steps of a run, and what each step transfers. Steps are iterations of a training loop or of a solver. They
 * are found by an NVTX range, a wait or a copy that recurs at equal intervals (docs/rules/analysis.md, "Steps"). */
#ifndef XFERSPY_ANALYZER_FINDINGS_STEPS_STEPS_H
#define XFERSPY_ANALYZER_FINDINGS_STEPS_STEPS_H

#include "analyzer/trace/site.h"
#include "schema/read/trace.h"

enum xs_step_mark {
    XS_STEP_RANGE, /* a step begins with the first call in an NVTX range */
    XS_STEP_WAIT,  /* a step ends with the return of a wait */
    XS_STEP_COPY,  /* a step begins with the call of a transfer */
};
extern const char *const xs_step_mark_names[];

struct xs_step {
    int64_t begin_ns;
    uint64_t transfers, bytes; /* sums over the calls of all threads that began within the step */
};

struct xs_step_sums {
    uint64_t ns, transfers, bytes;
    uint64_t recorded_ns; /* the part of `ns` with recorded calls (capture_ranges.h) */
};

struct xs_steps { /* zeroed: none */
    enum xs_step_mark mark;
    char *range;                /* name of the range, with # instead of each number; NULL unless `mark` is RANGE */
    int64_t entry_point, stack; /* entry point and stack of the wait or the copy; 0: not known */
    uint32_t site;              /* site of the wait or the copy, set by xs_steps_finish; 0 for a range */
    struct xs_step *items;      /* the steps, and one more item: items[count] begins at the end of the last step */
    size_t count;               /* 0: no steps were found */
    uint64_t of; /* number of steps in the run, if only the times of the first `count` steps were recorded; 0: all were
                  * recorded */
    size_t warm_up; /* number of steps in the warm-up, which are the first steps of the run */
    double spread;  /* standard deviation of the steps' times divided by their mean, without the exceptional steps */
    size_t current; /* used while transfers are counted */
    struct xs_step_sums median; /* medians over the steps after the warm-up, computed for each field by itself; set by
                                 * xs_steps_finish */
    struct xs_step_sums warm;   /* the sums of the warm-up; set by xs_steps_finish */
};

/* Searches for steps. If there are none, `steps` is zeroed, which is no error. Negative status: the message is set.
 * Always call xs_steps_free. `sites` is only read, so the numbers of sites do not change. */
int xs_steps_find(struct xs_steps *steps, const struct xs_trace *trace, const struct xs_sites *sites, char *message);

/* Counts a transfer that ran, by the time of its call. Calls must come in order of time. */
void xs_steps_count(struct xs_steps *steps, int64_t enter_ns, uint64_t bytes);

/* Sets `site`, `median` and `warm`. Must be called after the last transfer was counted. */
struct xs_capture_ranges;
void xs_steps_finish(struct xs_steps *steps, const struct xs_capture_ranges *ranges, struct xs_sites *sites);

/* Returns the index of the step after the warm-up whose time and number of transfers are closest to the medians. There
 * must be steps, and xs_steps_finish must have been called. */
size_t xs_steps_typical(const struct xs_steps *steps);

void xs_steps_free(struct xs_steps *steps);

#endif
