/* Says for each place at which the host waits for the device whether it would pay not to wait there. The run is
 * replayed without the calls that only wait, and with the other calls returning at once. If the device is busy anyway,
 * nothing is saved: the host then waits at its next wait. */
#ifndef XFERSPY_ANALYZER_SAVINGS_IDLE_WAITS_PAID_H
#define XFERSPY_ANALYZER_SAVINGS_IDLE_WAITS_PAID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/findings/engine/downloads_read.h"
#include "analyzer/savings/idle/waited_work.h"
#include "analyzer/savings/replay/model.h"

/* The calls of one place that wait: calls that wait for a stream, an event or a device, blocking copies, and frees that
 * wait. */
struct xs_wait_row {
    struct xs_idle_call call;
    uint64_t count;       /* number of these calls (xs_model_waits) */
    uint64_t waited_ns;   /* time inside these calls */
    uint64_t busy_ns;     /* the part of this time in which their device was busy */
    uint64_t idle_ns;     /* idle times of their device in which they returned; each is measured from the end of the
                           * device's work to the start of its next work */
    uint64_t saves_ns;    /* the most that the run saves if none of these calls waits */
    uint64_t together_ns; /* the most that the run saves if no call of this row and of the rows before it waits; never
                           * less than together_ns of the row before */
    struct xs_unread unread; /* of blocking downloads: how many of them nobody read; `least` is not set */
    struct xs_waited_work work[XS_WAITED_WORKS]; /* what these calls waited for, the largest first */
    size_t work_count;
    uint64_t work_ns; /* time of all work that these calls waited for, with the pieces that `work` does not have */
};

struct xs_waits_paid {
    struct xs_wait_row *rows; /* sorted by what they save, the largest first */
    size_t count;
    size_t left_out;      /* number of places with shorter waits, which were not replayed */
    uint64_t left_out_ns; /* time inside their calls */
};

/* Each row takes two replays, so only the places with most time in waits become rows. */
#define XS_WAITS_MOST_ROWS 12

/* True if the call returned later because it waited for the device. A copy's call also counts if it waited only for the
 * copy's own operations. A call whose only purpose is to wait always counts, because it takes time even if the work has
 * ended. */
bool xs_model_waits(const struct xs_model_call *call);

/* True if the run saves enough without these waits to be worth a change. A smaller saving is reported as no saving.
 * `run_ns` is the measured duration of the run. */
bool xs_wait_pays(const struct xs_wait_row *row, uint64_t run_ns);

/* Finds the rows, and sets all their fields except for the work that the calls waited for and the unread downloads.
 * `run_ns` is the duration of the replay without changes. There are at most `most_rows` rows. Always call
 * xs_waits_paid_free. */
void xs_waits_paid_find(struct xs_waits_paid *waits, const struct xs_model *model, int64_t run_ns, size_t most_rows);

/* Counts for the rows of downloads how many of them nobody read. */
void xs_waits_paid_count_unread(struct xs_waits_paid *waits, const struct xs_model *model,
                                const struct xs_downloads_read *reads);
void xs_waits_paid_free(struct xs_waits_paid *waits);

#endif
