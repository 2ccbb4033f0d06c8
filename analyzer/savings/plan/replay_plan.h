/* A plan describes how the run would be with some repairs. It consists of changes of the replay.
 *
 * A statement of the program does more than its driver call. In Python, the interpreter and the library work before and
 * after the call: they may first copy the data into page-locked memory, and record an event after the copy and wait for
 * it. If a call is dropped, this work is dropped with it: the calls of the same statement directly after the call, and
 * the time that each statement of this line takes before its call. */
#ifndef XFERSPY_ANALYZER_SAVINGS_PLAN_REPLAY_PLAN_H
#define XFERSPY_ANALYZER_SAVINGS_PLAN_REPLAY_PLAN_H

#include "analyzer/base/hash.h"
#include "analyzer/findings/engine/findings.h"
#include "analyzer/savings/idle/pause_samples.h"
#include "analyzer/savings/plan/host_memory.h"
#include "analyzer/savings/plan/pinning.h"
#include "analyzer/savings/plan/plan_rows.h"
#include "analyzer/savings/replay/replay.h"

/* What a repair saves is known as an interval. This enum says which end of the interval is computed: the least or the
 * most. */
enum xs_plan_end { XS_PLAN_LEAST, XS_PLAN_MOST };

/* What a plan does to one copy of a batch call. */
struct xs_plan_copy {
    bool is_left_out; /* the copy is not made, or the device makes its bytes itself */
    bool is_changed;  /* the copy is left out, or takes less time */
    /* The next two fields are used only in the item of the call's first copy, and describe all copies of the call. */
    uint32_t left_out;
    uint64_t instead_ns; /* time of the work that replaces the copies that are left out */
};

/* Tells how much of the program's time before and after uploads is spent in the function that uploads, as shares of the
 * samples taken there. After an upload, the statement may free what it made. A share is 0 if there are few samples, or
 * none. */
struct xs_preparation {
    double before, after;
};

struct xs_in_parts; /* in_parts.h */

struct xs_plan {
    const struct xs_model *model;
    const struct xs_findings *findings; /* for sites and link model */
    struct xs_in_parts *in_parts; /* set if only parts of the run are replayed; NULL: the model has the whole run */
    /* Finds the calls and copies of the model by the rows of the trace. */
    struct xs_plan_rows rows;
    struct xs_hash overheads; /* maps a site to the least time that a statement takes there before its call, plus 1 */
    struct xs_pinning pinning;
    struct xs_host_memory host_memory;
    struct xs_managed *managed; /* managed.h */
    struct xs_pause_samples samples;
    struct xs_preparation preparation; /* shares for the finding whose repair is being added (preparation.h) */
    bool counts_only_awake;            /* for XS_PLAN_LEAST, a sample counts only if its thread did not sleep */
    double peer_ns_per_byte;           /* time per byte of the trace's peer copies; 0: it has none */

    struct xs_model split; /* a copy of the model that has a stream for each thread instead of legacy default streams
                            * that several threads use; it is made when it is needed, for one end of the interval */
    enum xs_plan_end split_end;      /* if `split` has calls: the end of the interval for which it was made */
    const struct xs_model *replayed; /* the model that is replayed: `model` or `split` */

    uint32_t *change_of; /* by call: its index in `changes` plus 1 */
    struct xs_call_change *changes;
    uint32_t *changed;           /* by change: its call */
    bool *without_host;          /* by change: its call no longer uses host memory */
    struct xs_plan_copy *copies; /* by index in the model's copies */
    uint32_t count, capacity;
};
#define XS_PLAN_NONE XS_NO_CALL

/* A call that waits for a copy returns this long after the copy's end; this was measured on the host of an H100
 * (docs/develop/measurements.md). */
#define XS_BEHIND_COPY_NS 10000

/* `findings` and `model` must outlive the plan. Negative status: the message is set. Always call xs_plan_end. */
int xs_plan_begin(struct xs_plan *plan, const struct xs_model *model, const struct xs_trace *trace,
                  const struct xs_findings *findings, char *message);
void xs_plan_end(struct xs_plan *plan);

/* Returns the call of a row; XS_PLAN_NONE: the model does not have it. */
uint32_t xs_plan_find(const struct xs_plan *plan, enum xs_model_kind kind, int64_t row);

/* Returns the number of a row: the index of its call, or the number of a copy of a batch call (xs_model_copy_at).
 * XS_PLAN_NONE: the model does not have it. */
uint32_t xs_plan_number_of(const struct xs_plan *plan, enum xs_model_kind kind, int64_t row);

/* True if the number belongs to a copy of a batch call. */
bool xs_plan_is_of_batch(const struct xs_plan *plan, uint32_t number);

/* Returns the call with this number, or the batch call of the copy with this number. */
uint32_t xs_plan_call_of(const struct xs_plan *plan, uint32_t number);

/* Returns the total time of the call's operations on the device. */
int64_t xs_plan_operations_ns(const struct xs_plan *plan, uint32_t call);

/* These functions change a call. A call that the plan has already changed is changed again only if it is dropped now.
 * xs_plan_change records that a dropped call's copies no longer use host memory; xs_plan_change_use does this only if
 * `without_host` is true. */
void xs_plan_change(struct xs_plan *plan, uint32_t call, const struct xs_call_change *to);
void xs_plan_change_use(struct xs_plan *plan, uint32_t call, const struct xs_call_change *to, bool without_host);

/* Returns the change of a call, and adds an empty change if the call has none. The caller may alter the change until
 * the next change is added. NULL: the call is dropped. */
struct xs_call_change *xs_plan_alter(struct xs_plan *plan, uint32_t call);

/* True if a change changes only the program's work before the call, and not the call itself. Such a call counts as
 * unchanged for the functions above. */
bool xs_plan_changes_only_work(const struct xs_call_change *change);

/* Drops `ns` of the program's work before a call, even if the call is dropped, unless the plan already drops more of
 * this work. */
void xs_plan_shorten_work(struct xs_plan *plan, uint32_t call, int64_t ns);

/* Gives each thread its own stream instead of a legacy default stream that it shares with other threads. */
void xs_plan_split_streams(struct xs_plan *plan, enum xs_plan_end end);

/* Returns what the changes made so far save, after the cost of page-locking. `run_ns` is the duration of a replay of
 * the unchanged run. If only parts of the run are replayed, it is an estimate for the whole run (in_parts.h).
 * xs_plan_saves_at returns the end of this estimate's interval instead. */
uint64_t xs_plan_saves(struct xs_plan *plan, int64_t run_ns);
uint64_t xs_plan_saves_at(struct xs_plan *plan, int64_t run_ns, enum xs_plan_end end);

/* Returns the duration of the run: `run_ns`, or the measured one if only parts of the run are replayed. */
int64_t xs_plan_run_ns(const struct xs_plan *plan, int64_t run_ns);

/* Returns the most that the plan can save: the time in the changed calls, in their work on the device with the pauses
 * before it, and in the program's own work that is dropped. Each moment counts once. For an operation that only becomes
 * shorter, only the time by which it becomes shorter counts. For a repair that splits a stream, the time of all calls
 * that get another stream counts, up to the end of their work. A replay may show a larger saving than this, because it
 * lets kernels of two streams run at once if the copy between them is dropped. If only parts of the run are replayed,
 * it is scaled as the saving is. */
uint64_t xs_plan_room(const struct xs_plan *plan);

void xs_plan_clear(struct xs_plan *plan);

#endif
