/* Divides a long run into parts, and chooses the parts that are replayed, so that the memory for the replay is limited.
 * All parts have about the same number of calls and device records. Where possible, a part begins with a step of the
 * run, or else after a wait of the host, because the device then has little work left from the part before.
 *
 * The first part and the last part are always chosen, because a program prepares and cleans up there. The stretch
 * between them is divided into equal strata, and one part of each stratum is chosen at random. The choice is the same
 * for each reading of a trace.
 *
 * The model of a run in parts has the chosen parts one after the other, without the time between them. Its times are
 * called times of the model. */
#ifndef XFERSPY_ANALYZER_SAVINGS_REPLAY_PARTS_H
#define XFERSPY_ANALYZER_SAVINGS_REPLAY_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/intervals.h"
#include "analyzer/findings/steps/steps.h"
#include "schema/read/trace.h"

struct xs_model; /* model.h */

/* This many parts of a long run are replayed. More parts give more estimates of the spread, but shorter parts have more
 * calls near their ends, where the calls before and after them are missing. */
#define XS_PARTS_REPLAYED 26

/* A run with at most this number of calls and device records is replayed as a whole. They take some 120 MiB. */
#define XS_PARTS_WHOLE_ROWS (1u << 19)

struct xs_run_part {
    int64_t begin_ns, end_ns; /* the part has the calls that begin in this time of the trace */
    int64_t left_out_ns;      /* time that the model does not have before this part; time of the trace less this time is
                               * time of the model. xs_parts_close_up sets it */
    int64_t model_end_ns;     /* end of the part in the model; xs_parts_close_up sets it */
    uint32_t first_call;      /* index in the model of its first call; xs_parts_close_up sets it */
    size_t number;            /* number of the part among all parts of the run, counted from 0 */
};

struct xs_parts {              /* zeroed: the run is replayed as a whole */
    struct xs_run_part *items; /* the chosen parts, in order of time */
    size_t count;              /* 0: the run is replayed as a whole */
    size_t of;                 /* number of parts of the run */
    struct xs_part_cut *cuts;  /* where all parts of the run but the first may begin; NULL after xs_parts_place */
    int64_t run_ns;            /* measured duration of the run; xs_parts_close_up sets it */
    int64_t replayed_ns;       /* duration of the model; xs_parts_close_up sets it */
};

/* Chooses which parts are replayed; this does not need the steps of the run. If `whole_rows` is not 0, it replaces
 * XS_PARTS_WHOLE_ROWS. Negative status: the message is set. Always call xs_parts_free. */
int xs_parts_choose(struct xs_parts *parts, const struct xs_trace *trace, unsigned whole_rows, char *message);

/* Sets `times` to all times that a chosen part can contain, because xs_parts_place has not yet decided where exactly it
 * begins and ends. `times` are disjoint and in ascending order; the caller frees them (xs_intervals_free). The run must
 * be in parts (`count` is not 0), and xs_parts_place must not have been called. */
void xs_parts_possible_times(const struct xs_parts *parts, struct xs_intervals *times);

/* Decides where the chosen parts begin and end. Must be called after xs_parts_choose, and before the functions below.
 * Negative status: the message is set. */
int xs_parts_place(struct xs_parts *parts, const struct xs_trace *trace, const struct xs_steps *steps, char *message);
void xs_parts_free(struct xs_parts *parts);

/* True if a call that begins at this time of the trace belongs to a chosen part, or if there are no parts. For this
 * function and the next ones, `parts` NULL also means that there are no parts. */
bool xs_parts_have(const struct xs_parts *parts, int64_t ns);

/* Takes the time between the parts out of a model, which has times of the trace. */
void xs_parts_close_up(struct xs_parts *parts, struct xs_model *model);

/* Converts a time of the trace to a time of the model. For a time between two parts, it is the time at which they meet.
 * `is_in_part` gets whether the time is in the model; NULL: the caller does not need this. */
int64_t xs_parts_model_ns(const struct xs_parts *parts, int64_t ns, bool *is_in_part);

/* Converts a time of the model to a time of the trace. */
int64_t xs_parts_trace_ns(const struct xs_parts *parts, int64_t model_ns);

/* Returns the duration of the run divided by the duration of the model; 1 if the run is replayed as a whole. */
double xs_parts_scale(const struct xs_parts *parts);

#endif
