/* Says how long the program works on data that it has downloaded, before it gives the device more work. */
#ifndef XFERSPY_ANALYZER_SAVINGS_PLAN_WORK_ON_DATA_H
#define XFERSPY_ANALYZER_SAVINGS_PLAN_WORK_ON_DATA_H

#include "analyzer/savings/plan/replay_plan.h"

/* Returns how long the program works before a call because of data that it has downloaded. The result does not count
 * the time that the repaired program still needs to request work of the device. This time is estimated by the least gap
 * before calls of the same line. If all these gaps contain work on data, the least gap is too long, so the estimate is
 * limited. */
int64_t xs_plan_work_before(const struct xs_plan *plan, uint32_t call);

/* Returns the call after which a thread of the program works on a download's data: the main thread's wait for the
 * download, or the download itself. */
static inline uint32_t xs_plan_reader(const struct xs_plan *plan, uint32_t download) {
    uint32_t wait = plan->model->calls[download].main_wait;
    return wait ? wait - 1 : download;
}

/* Returns how long the program works on the data of a download: the program's own time until the thread that has the
 * data gives the device more work. `next` gets the call that gives this work; XS_PLAN_NONE: there is none. */
int64_t xs_plan_work_on_data(const struct xs_plan *plan, uint32_t download, uint32_t *next);

#endif
