/* The run with some repairs made: changes of the replay.
 *
 * A statement of the program is more than its call of the driver. Where the program is Python, the interpreter and the
 * library work around the call, record an event behind the copy, wait for it, and copy the data into page-locked memory
 * first. A call that is not made takes that with it: the calls directly behind it that are of the same statement, and
 * the part of the time before it that statements of this line always take. */
#ifndef XFERSPY_ANALYZER_CAUSES_PLAN_H
#define XFERSPY_ANALYZER_CAUSES_PLAN_H

#include "analyzer/base/hash.h"
#include "analyzer/findings/engine/findings.h"
#include "analyzer/savings/causes/host_memory.h"
#include "analyzer/savings/causes/pinning.h"
#include "analyzer/savings/replay/replay.h"

/* Which end of its range a repair is taken at. */
enum xs_plan_end { XS_PLAN_LEAST, XS_PLAN_MOST };

/* What a plan does to one copy of a batch call. */
struct xs_plan_copy {
    bool is_left_out; /* not made, or made by the device itself */
    bool is_changed;  /* that, or it takes less time */
    /* of the call's first copy, about all of them: */
    uint32_t left_out;
    uint64_t instead_ns; /* what takes the place of those that are left out */
};

struct xs_plan {
    const struct xs_model *model;
    const struct xs_findings *findings; /* sites and link model */
    struct xs_plan_row {
        int64_t row;
        uint32_t kind, number;
    } * rows; /* of all calls, and of all copies of batch calls, by kind and row */
    size_t row_count;
    uint32_t *previous, *next; /* by call: of the same thread; XS_PLAN_NONE: there is none */
    struct xs_hash overheads;  /* site to what a statement there takes at least, plus 1 */
    struct xs_pinning pinning;
    struct xs_host_memory host_memory;
    struct xs_managed *managed; /* managed.h */
    double peer_ns_per_byte;    /* of the trace's copies from device to device; 0: it has none */

    uint32_t *change_of; /* by call: index in changes plus 1 */
    struct xs_change *changes;
    uint32_t *changed;           /* the call of each change */
    bool *without_host;          /* of each change: it does not use the host's memory any more */
    struct xs_plan_copy *copies; /* by the model's copies */
    uint32_t count, capacity;
};
#define XS_PLAN_NONE UINT32_MAX

/* What the host takes behind the end of a copy that it waits for; measured on the host of an H100
 * (docs/develop/measurements.md). */
#define XS_BEHIND_COPY_NS 10000

/* `findings` and `model` are kept. Negative status: the message is set. Always to be ended. */
int xs_plan_begin(struct xs_plan *plan, const struct xs_model *model, const struct xs_trace *trace,
                  const struct xs_findings *findings, char *message);
void xs_plan_end(struct xs_plan *plan);

/* The call of a row; XS_PLAN_NONE: not in the model. */
uint32_t xs_plan_find(const struct xs_plan *plan, enum xs_model_kind kind, int64_t row);

/* The number of a row: its call's, or of one of the copies of a batch call as in host_memory.h. XS_PLAN_NONE: not in
 * the model. */
uint32_t xs_plan_number_of(const struct xs_plan *plan, enum xs_model_kind kind, int64_t row);

/* Whether that is the number of a copy of a batch call. */
bool xs_plan_is_of_batch(const struct xs_plan *plan, uint32_t number);

/* The call that has this number, or whose batch has the copy. */
uint32_t xs_plan_call_of(const struct xs_plan *plan, uint32_t number);

/* What the call's work took on the device, all together. */
int64_t xs_plan_operations_ns(const struct xs_plan *plan, uint32_t call);

/* Changes a call. One that is changed already changes only where it is dropped now. The first takes the host's memory
 * from the copies of a call that is dropped; the second where `without_host`. */
void xs_plan_change(struct xs_plan *plan, uint32_t call, const struct xs_change *to);
void xs_plan_change_use(struct xs_plan *plan, uint32_t call, const struct xs_change *to, bool without_host);

/* A call's change so far, to be altered, until the next change is made; NULL: it is not made any more. */
struct xs_change *xs_plan_alter(struct xs_plan *plan, uint32_t call);

/* The duration of the run with the changes made so far, page-locking included. */
int64_t xs_plan_run(struct xs_plan *plan);

/* No change of these calls can save more: what they and their work on the device took, and of the program's time before
 * them what goes with them. A repair that moves work beside other work may save more, as it saves pauses. */
uint64_t xs_plan_room(const struct xs_plan *plan);

void xs_plan_clear(struct xs_plan *plan);

#endif
