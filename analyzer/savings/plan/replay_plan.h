/* A plan is the run with some repairs made, as changes of the replay.
 *
 * A statement of the program is more than its driver call. In Python, the interpreter and the library work around the
 * call, record an event behind the copy, wait for it, and first copy the data into page-locked memory. A dropped call
 * takes that with it: the calls of the same statement directly behind it, and the part of the time before it that
 * statements of this line always take. */
#ifndef XFERSPY_ANALYZER_SAVINGS_PLAN_REPLAY_PLAN_H
#define XFERSPY_ANALYZER_SAVINGS_PLAN_REPLAY_PLAN_H

#include "analyzer/base/hash.h"
#include "analyzer/findings/engine/findings.h"
#include "analyzer/savings/plan/host_memory.h"
#include "analyzer/savings/plan/pinning.h"
#include "analyzer/savings/replay/replay.h"

/* Says which end of its range a repair is taken at. */
enum xs_plan_end { XS_PLAN_LEAST, XS_PLAN_MOST };

/* Says what a plan does to one copy of a batch call. */
struct xs_plan_copy {
    bool is_left_out; /* not made, or the device makes its bytes itself */
    bool is_changed;  /* left out, or shorter */
    /* The call's first copy holds the next two, about all copies of the call: */
    uint32_t left_out;
    uint64_t instead_ns; /* time of what replaces the copies that are left out */
};

struct xs_plan {
    const struct xs_model *model;
    const struct xs_findings *findings; /* sites and link model */
    struct xs_plan_row {
        int64_t row;
        uint32_t kind, number;
    } * rows; /* all calls, and all copies of batch calls, by kind and row */
    size_t row_count;
    uint32_t *previous, *next; /* by call: neighbour in the same thread; XS_PLAN_NONE: none */
    struct xs_hash overheads;  /* site to the least time of a statement there, plus 1 */
    struct xs_pinning pinning;
    struct xs_host_memory host_memory;
    struct xs_managed *managed; /* managed.h */
    double peer_ns_per_byte;    /* of the trace's device-to-device copies; 0: it has none */

    uint32_t *change_of; /* by call: its index in `changes` plus 1 */
    struct xs_change *changes;
    uint32_t *changed;           /* the call of each change */
    bool *without_host;          /* of each change: its call no longer uses host memory */
    struct xs_plan_copy *copies; /* by index of the model's copies */
    uint32_t count, capacity;
};
#define XS_PLAN_NONE UINT32_MAX

/* The host takes this long behind the end of a copy that it waits for; measured on the host of an H100
 * (docs/develop/measurements.md). */
#define XS_BEHIND_COPY_NS 10000

/* `findings` and `model` must outlive the plan. Negative status: the message is set. Always end it. */
int xs_plan_begin(struct xs_plan *plan, const struct xs_model *model, const struct xs_trace *trace,
                  const struct xs_findings *findings, char *message);
void xs_plan_end(struct xs_plan *plan);

/* Returns the call of a row; XS_PLAN_NONE: not in the model. */
uint32_t xs_plan_find(const struct xs_plan *plan, enum xs_model_kind kind, int64_t row);

/* Returns the number of a row: its call's, or a batch copy's number as in host_memory.h. XS_PLAN_NONE: not in the
 * model. */
uint32_t xs_plan_number_of(const struct xs_plan *plan, enum xs_model_kind kind, int64_t row);

/* Says whether the number belongs to a copy of a batch call. */
bool xs_plan_is_of_batch(const struct xs_plan *plan, uint32_t number);

/* Returns the call that has this number, or has the copy in its batch. */
uint32_t xs_plan_call_of(const struct xs_plan *plan, uint32_t number);

/* Returns how long all of the call's operations took on the device. */
int64_t xs_plan_operations_ns(const struct xs_plan *plan, uint32_t call);

/* Changes a call. A call that is changed already changes only if it is dropped now. xs_plan_change frees the copies of
 * a dropped call from host memory; xs_plan_change_use does so if `without_host`. */
void xs_plan_change(struct xs_plan *plan, uint32_t call, const struct xs_change *to);
void xs_plan_change_use(struct xs_plan *plan, uint32_t call, const struct xs_change *to, bool without_host);

/* Returns a call's change so far, to be altered before the next change is made; NULL: the call is dropped. */
struct xs_change *xs_plan_alter(struct xs_plan *plan, uint32_t call);

/* Returns the duration of the run with the changes made so far, page-locking included. */
int64_t xs_plan_run(struct xs_plan *plan);

/* Returns the most that changes of these calls can save: their own time, their work on the device, and the program's
 * time before them that goes with them. A repair that moves work beside other work may save more, as it saves pauses.
 */
uint64_t xs_plan_room(const struct xs_plan *plan);

void xs_plan_clear(struct xs_plan *plan);

#endif
