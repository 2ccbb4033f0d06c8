/* Replays a model with changes, and says how long the run then takes. */
#ifndef XFERSPY_ANALYZER_SAVINGS_REPLAY_REPLAY_H
#define XFERSPY_ANALYZER_SAVINGS_REPLAY_REPLAY_H

#include "analyzer/savings/replay/model.h"

enum xs_change_return {
    XS_RETURNS_AS_IT_DID, /* after what it waited for */
    XS_RETURNS_AT_ONCE,   /* `host_ns` after it was entered */
    XS_RETURNS_BEHIND,    /* `host_ns` after the end of its operations */
};

/* Says what is different about a call. */
struct xs_change {
    bool dropped;  /* not made: no work in the host, no operations, no wait; the time of looking at it stays
                      (xs_model_call.look_ns) */
    bool lasts;    /* its operations take `operation_ns` together */
    bool unstaged; /* its first operation starts as early as one without staging */
    bool beside;   /* its copy is on a side stream (replay_device.h) */
    enum xs_change_return returns; /* when the call returns */
    int64_t host_ns, operation_ns;
    int64_t before_ns; /* the host's extra work before it (negative: less, to 0 at the lowest) */
};

/* Returns the duration of the run. `change_of`: by call, the index of its change plus 1, 0: none; NULL: nothing is
 * changed. `returns`: gets each call's return, by call; NULL: not wanted. */
int64_t xs_replay_run(const struct xs_model *model, const uint32_t *change_of, const struct xs_change *changes,
                      int64_t *returns);

/* Returns how far a replay without changes is off the measured run: the largest of the run's relative error and of any
 * call's return, in parts of the run; at least 1 if the replay never reaches a call. `run_ns` gets the duration of that
 * replay. */
double xs_replay_error(const struct xs_model *model, int64_t *run_ns);

#endif
