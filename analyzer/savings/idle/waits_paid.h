/* Says for each place at which the host waits for the device whether it would pay not to wait there. The run is
 * replayed without the calls that only wait, and with the other calls returning at once. If the device is busy anyway,
 * nothing is saved: the host then waits at its next wait. */
#ifndef XFERSPY_ANALYZER_SAVINGS_IDLE_WAITS_PAID_H
#define XFERSPY_ANALYZER_SAVINGS_IDLE_WAITS_PAID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/savings/replay/model.h"

/* One place at which the host waits: for a stream, an event or a device, or inside a blocking copy or a free. */
struct xs_wait_row {
    uint8_t kind, direction; /* enum xs_model_kind; for a copy, its number in XS_DIRECTIONS */
    uint32_t site;           /* site number; 0: unknown */
    uint64_t count;          /* number of calls; a call that has another purpose counts only if it waited */
    uint64_t waited_ns;      /* time inside these calls */
    uint64_t busy_ns;        /* the part of this time in which their device was busy */
    uint64_t idle_ns;        /* time for which their device was idle when they returned, from the end of its work to the
                              * begin of its next work */
    uint64_t saves_ns;       /* the most that the run saves if none of these calls waits */
    uint64_t together_ns;    /* the most that it saves if no call of this row and of the rows before it waits; never
                              * less than in the row before */
};

struct xs_waits_paid {
    struct xs_wait_row *rows; /* those that save most first */
    size_t count;
    size_t left_out;      /* number of places with shorter waits, which were not replayed */
    uint64_t left_out_ns; /* time inside their calls */
};

/* Each row takes two replays, so only the places with most time in waits become rows. */
#define XS_WAITS_MOST_ROWS 12

/* True if the run saves enough without these waits to be worth a change. `run_ns` is the measured duration of the run.
 */
bool xs_wait_pays(const struct xs_wait_row *row, uint64_t run_ns);

/* `run_ns` is the duration of the replay without changes. Call xs_waits_paid_free. */
void xs_waits_paid_find(struct xs_waits_paid *waits, const struct xs_model *model, int64_t run_ns);
void xs_waits_paid_free(struct xs_waits_paid *waits);

#endif
