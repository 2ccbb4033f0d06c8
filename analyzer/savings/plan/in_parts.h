/* Estimates what a repair saves in the whole run, if only parts of the run are replayed (parts.h).
 *
 * A replay says how much each part saves. The first and the last part count as they are, because a program prepares and
 * cleans up there. The parts between them are a sample: their saving for each instance of the finding is taken for the
 * instances of the parts that were not replayed (a ratio estimate). How much the parts differ from this mean gives an
 * interval with 95 % certainty, by Student's distribution. */
#ifndef XFERSPY_ANALYZER_SAVINGS_PLAN_IN_PARTS_H
#define XFERSPY_ANALYZER_SAVINGS_PLAN_IN_PARTS_H

#include "analyzer/findings/engine/findings.h"
#include "analyzer/savings/plan/replay_plan.h"
#include "analyzer/savings/replay/parts.h"

struct xs_in_parts {
    const struct xs_parts *parts;
    struct xs_repairables all;           /* the instances of the whole run */
    int64_t *unchanged_ns;               /* by part: when it ends in a replay without changes */
    double saved_ns[XS_PARTS_REPLAYED];  /* by part: what the latest replay saved in it */
    double instances[XS_PARTS_REPLAYED]; /* by part: how many instances of the repair are in it; for several findings,
                                          * each instance counts as much as it saves (xs_in_parts_add) */
    double instances_of_run;             /* how many instances the whole run has, counted like `instances` */
    double claimed_ns;                   /* what these instances claim in the whole run */
    double below_ns, above_ns;           /* how much the true saving may be below, or above, the latest estimate */
};

/* Begins to estimate. Until xs_in_parts_end, `findings->repairables` has only three kinds of instances: those that the
 * model has, those whose repair changes the whole run, and the last instance of each finding. Does nothing if the model
 * has the whole run. */
void xs_in_parts_begin(struct xs_in_parts *in, struct xs_plan *plan, struct xs_findings *findings);
void xs_in_parts_end(struct xs_in_parts *in, struct xs_plan *plan, struct xs_findings *findings);

/* These functions must be called before a replay, to say which instances it repairs. The saving of the whole run is
 * estimated from their number. The functions do nothing if the model has the whole run. xs_in_parts_of_all is for a
 * change that is no repair of instances: every part counts as one instance. */
void xs_in_parts_of_all(struct xs_plan *plan);
void xs_in_parts_of(struct xs_plan *plan, const struct xs_finding *finding, const struct xs_repairable *items,
                    size_t count);
/* These two functions are for a replay that repairs several findings. Call xs_in_parts_of_none first, then
 * xs_in_parts_add for each finding. `saves_ns` is what the finding saves alone; the finding's instances together count
 * as much as it saves. */
void xs_in_parts_of_none(struct xs_plan *plan);
void xs_in_parts_add(struct xs_plan *plan, const struct xs_finding *finding, const struct xs_repairable *items,
                     size_t count, uint64_t saves_ns);

/* Returns how many instances the run has for each instance in the replayed parts; 1 if the run is replayed as a whole.
 * The first and the last part are not counted. */
double xs_in_parts_scale(const struct xs_plan *plan);

/* Estimates the saving of the run from the return times of the calls in a replay. `run_ns` is the replay's duration. */
double xs_in_parts_saved(struct xs_in_parts *in, const struct xs_model *model, const int64_t *returns, int64_t run_ns);

/* Returns by how much the true saving may be below the latest estimate (XS_PLAN_LEAST) or above it (XS_PLAN_MOST); 0 if
 * the run is replayed as a whole. */
double xs_in_parts_error(const struct xs_plan *plan, enum xs_plan_end end);

#endif
