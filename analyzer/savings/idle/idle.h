/* Accounts for the time in which a device had nothing to do. A device is busy while a kernel, a copy or a memset runs
 * on it, and idle otherwise. Each idle time is charged to what the program did during it, on the host thread that gave
 * the device its next work: the thread was inside a call of CUDA, or between two calls. All charges together are the
 * idle time. */
#ifndef XFERSPY_ANALYZER_SAVINGS_IDLE_IDLE_H
#define XFERSPY_ANALYZER_SAVINGS_IDLE_IDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/savings/idle/pause_samples.h"
#include "analyzer/savings/replay/model.h"

/* What the thread did while the device was idle. */
enum xs_idle_reason {
    XS_IDLE_START,     /* everything before its first call that gives a device work */
    XS_IDLE_CALL,      /* it was inside the call `before` */
    XS_IDLE_HOST,      /* it was between the calls `before` and `after`, in the program's own code */
    XS_IDLE_LAUNCHING, /* it was about to give the device its next small piece of work; the host is slower than the
                        * device */
    XS_IDLE_QUEUED,    /* it had given the device the work earlier; the device waited for other work, or for its own
                        * queue */
    XS_IDLE_END,       /* it gave the device no more work */
    XS_IDLE_REASONS
};

/* A place that calls CUDA. */
struct xs_idle_call {
    bool known;        /* false: the reason has no such call, and the other fields are 0 */
    uint8_t kind;      /* enum xs_model_kind */
    uint8_t direction; /* for a copy, its number in XS_DIRECTIONS */
    uint32_t site;     /* site number; 0: unknown */
};

/* The idle times of a device that have one reason and one pair of places. */
struct xs_idle_row {
    enum xs_idle_reason reason;
    int64_t device; /* device.id; -1: unknown */
    struct xs_idle_call before, after;
    uint64_t count; /* number of idle times that have a part with this reason and these places */
    uint64_t ns, longest_ns;
    int64_t longest_at_ns; /* when the longest part began */
    /* The next fields say what samples show of the program's own code in these idle times (XS_IDLE_HOST,
     * XS_IDLE_START). */
    uint64_t sampled_ns; /* time that all samples stand for; 0: there are none */
    uint64_t most_ns;    /* time that the samples at `place` stand for */
    uint32_t place;      /* place with most time (xs_callsites_place_frame); 0: not known */
    bool is_main;        /* the samples are of the main thread, because the thread runs no Python code */
};

struct xs_idle_device {
    int64_t device; /* device.id; -1: unknown */
    uint64_t busy_ns, idle_ns;
};

struct xs_idle {
    int64_t start_ns, end_ns; /* the time that is accounted for */
    struct xs_idle_row *rows; /* the largest first */
    size_t count;
    struct xs_idle_device *devices; /* the devices that have operations, by number */
    size_t device_count;
};

/* A pause between two calls counts as XS_IDLE_HOST, not as XS_IDLE_LAUNCHING, if it is at least this long. */
#define XS_IDLE_HOST_NS 50000

/* At most this many devices are accounted for, because all calls must be visited for each device. */
#define XS_IDLE_MOST_DEVICES 256

/* Makes the account for a part of the run, from `start_ns` to `end_ns`, for example for the steps. `samples`: NULL is
 * none. The rows of a device add up to its idle time. Its idle time and busy time add up to the length of this part.
 * Always call xs_idle_free. */
void xs_idle_account(struct xs_idle *idle, const struct xs_model *model, const struct xs_pause_samples *samples,
                     int64_t start_ns, int64_t end_ns);
void xs_idle_free(struct xs_idle *idle);

#endif
