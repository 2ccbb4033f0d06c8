/* Replays a model with changes, and returns how long the run then takes. */
#ifndef XFERSPY_ANALYZER_SAVINGS_REPLAY_REPLAY_H
#define XFERSPY_ANALYZER_SAVINGS_REPLAY_REPLAY_H

#include "analyzer/savings/replay/model.h"

enum xs_call_return {
    XS_RETURNS_AS_IT_DID, /* after the end of the work for which the call waited in the measured run */
    XS_RETURNS_AT_ONCE,   /* after its enter, when `host_ns` and the call's look_ns have passed */
    XS_RETURNS_BEHIND,    /* after the end of its operations, when `host_ns` and the call's look_ns have passed */
};

/* The host's time for a call that only requests work of the device, measured on the host of an H100. */
#define XS_ASYNC_CALL_NS 4000

/* A change of a call. */
struct xs_call_change {
    bool dropped;  /* the call is not made: no work of the host, no operations, no wait; only the time of looking at its
                    * contents remains (xs_model_call.look_ns) */
    bool lasts;    /* all its operations together take `operation_ns` */
    bool unstaged; /* its operations start as early as if the data were not staged */
    bool beside;   /* its copy is made in a side stream (replay_device.h) */
    enum xs_call_return returns; /* when the call returns */
    bool is_node; /* its operations begin at most `gap_ns` after the work before them in their stream, as in a graph */
    int64_t host_ns, operation_ns, gap_ns;
    int64_t before_ns; /* the host's extra work before the call; negative: less work, but never below 0 */
};

/* Returns the duration of the replayed run. `change_of` has for each call the index of its change plus 1, or 0 for
 * none; NULL: nothing is changed. `returns` gets the return time of each call, or -1 for a call that is never reached;
 * NULL: the caller does not need these times. */
int64_t xs_replay_run(const struct xs_model *model, const uint32_t *change_of, const struct xs_call_change *changes,
                      int64_t *returns);

/* Returns how far a replay without changes differs from the measured run: the largest error of the run's duration or of
 * any call's return time, as a part of the run; at least 1 if the replay never reaches some call. `run_ns` gets the
 * duration of this replay. */
double xs_replay_error(const struct xs_model *model, int64_t *run_ns);

#endif
