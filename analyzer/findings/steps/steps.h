/* The steps of a run: iterations of a training loop or of a solver, found by an NVTX range, a wait or a copy that comes
 * again and again in equal distances (docs/rules/analysis.md, "Steps"), and what each of them transfers. */
#ifndef XFERSPY_ANALYZER_STEPS_STEPS_H
#define XFERSPY_ANALYZER_STEPS_STEPS_H

#include "analyzer/trace/site.h"
#include "schema/read/trace.h"

enum xs_step_mark {
    XS_STEP_RANGE, /* a step begins with an NVTX range: with the first call in it */
    XS_STEP_WAIT,  /* a step ends with the return of a wait */
    XS_STEP_COPY,  /* a step begins with the call of a transfer */
};
extern const char *const xs_step_mark_names[];

struct xs_step {
    int64_t begin_ns;
    uint64_t transfers, bytes; /* of all threads, whose calls began within the step */
};

struct xs_step_sums {
    uint64_t ns, transfers, bytes;
    uint64_t recorded_ns; /* of `ns`: where the calls were recorded (capture_ranges.h) */
};

struct xs_steps { /* zeroed: none */
    enum xs_step_mark mark;
    char *range;                /* its name, digits as #; NULL unless `mark` is RANGE */
    int64_t entry_point, stack; /* of the wait or the copy; 0: not known */
    uint32_t site;              /* the same as a site, set by xs_steps_finish; of a range 0 */
    struct xs_step *items;      /* one more than there are: items[count] says where the last step ends */
    size_t count;               /* 0: no steps were found */
    uint64_t of;                /* capture counted so many, and has the times of the first `count`; 0: of all */
    size_t warm_up;             /* so many of the first */
    double spread;              /* standard deviation of their times in parts of the mean, without exceptions */
    size_t current;             /* while transfers are counted */
    struct xs_step_sums median; /* of the steps behind the warm-up, each by itself; set by xs_steps_finish */
    struct xs_step_sums warm;   /* the sums of the warm-up; set by xs_steps_finish */
};

/* Looks for steps. Where there are none, `steps` is zeroed, which is no error. A negative status leaves a message.
 * Afterwards `steps` has to be freed. `sites` is read alone, so that sites are numbered as without this. */
int xs_steps_find(struct xs_steps *steps, const struct xs_trace *trace, const struct xs_sites *sites, char *message);

/* Counts a transfer that ran, by the time of its call. In order of time. */
void xs_steps_count(struct xs_steps *steps, int64_t enter_ns, uint64_t bytes);

/* After the last transfer. */
struct xs_capture_ranges;
void xs_steps_finish(struct xs_steps *steps, const struct xs_capture_ranges *ranges, struct xs_sites *sites);

void xs_steps_free(struct xs_steps *steps);

#endif
