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
#include "analyzer/trace/windows/capture_ranges.h"

/* What the thread did while the device was idle. */
enum xs_idle_reason {
    XS_IDLE_START,     /* it had not yet made its first call that gives a device work */
    XS_IDLE_CALL,      /* it was inside the call `before` */
    XS_IDLE_HOST,      /* it was between the calls `before` and `after`, in the program's own code */
    XS_IDLE_LAUNCHING, /* it was about to give the device its next small piece of work, by the call `before` if that
                        * call has a line; the host is slower than the device */
    XS_IDLE_QUEUED,    /* it had given the device its next work earlier, by the call `before` if that call has a line;
                        * the device waited for other work, or for its own queue */
    XS_IDLE_END,       /* it gave the device no more work, or no more in this recorded part of the run */
    XS_IDLE_REASONS
};

/* What an account says of a call of CUDA. Calls with the same site, direction and kind of memory count as the same
 * call. */
struct xs_idle_call {
    bool known;          /* false: there is no such call, and the other fields are 0 */
    uint8_t kind;        /* enum xs_model_kind */
    uint8_t direction;   /* of a copy: number of XS_DIRECTIONS */
    uint8_t memory_kind; /* of an allocation or a free: number of XS_MEMORY_KINDS */
    uint32_t site;       /* site number; 0: unknown */
};

/* The idle times of a device that have one reason and the same two calls, `before` and `after`. */
struct xs_idle_row {
    enum xs_idle_reason reason;
    int64_t device; /* device.id; -1: unknown */
    struct xs_idle_call before, after;
    /* If neither `before` nor `after` has a line of the program, these are the thread's nearest calls before and after
     * the idle time that have a line. For example, launches of kernels have no line. */
    struct xs_idle_call line_before, line_after;
    uint64_t count; /* number of idle times of which at least a part has this reason and these calls */
    uint64_t ns;
    uint64_t longest_ns;   /* the largest part of one idle time that has this reason and these calls */
    int64_t longest_at_ns; /* when this largest part began */
    /* For XS_IDLE_HOST: stacks of the two calls (xs_sites.looked). More than half of the time of the row has the shared
     * frame of these stacks (xs_shared_frame). 0: there are no such stacks. */
    int64_t stack_before, stack_after;
    /* For XS_IDLE_LAUNCHING: all launches between these lines that closely followed another launch of their thread,
     * also launches while the device was busy. */
    uint64_t launches, apart_ns; /* number of these launches; sum of the times from the start of the launch before to
                                  * the start of each launch */
    /* The next fields say which code of the program the samples in these idle times show. */
    uint64_t sampled_ns; /* time that all samples stand for; 0: there are none */
    uint64_t most_ns;    /* time that the samples at `place` stand for */
    uint32_t place;      /* place whose samples stand for most time (xs_callsites_place_frame); 0: not known */
    bool is_main;        /* the samples are of the main thread, because the thread runs no Python code */
};

struct xs_idle_device {
    int64_t device; /* device.id; -1: unknown */
    uint64_t busy_ns, idle_ns;
};

struct xs_idle {
    int64_t start_ns, end_ns; /* the time that is accounted for */
    uint64_t ns;              /* length of the part of this time that was recorded */
    struct xs_idle_row *rows; /* the largest first */
    size_t count;
    struct xs_idle_device *devices; /* the devices that have operations, by number */
    size_t device_count;
};

/* A pause between two calls counts as XS_IDLE_HOST, not as XS_IDLE_LAUNCHING, if it is at least this long. */
#define XS_IDLE_HOST_NS 50000

/* At most this many devices are accounted for, because all calls must be visited for each device. */
#define XS_IDLE_MOST_DEVICES 256

/* Makes the account for a part of the run, from `start_ns` to `end_ns`, for example for the steps. `samples` may be
 * NULL if there are no samples. `sites` are the sites of the model; if `sites` is NULL, each known site counts as a
 * line of the program. The rows of a device add up to the device's idle time. The idle time and the busy time of a
 * device add up to the length of this part of the run. Always call xs_idle_free. */
void xs_idle_account(struct xs_idle *idle, const struct xs_model *model, const struct xs_sites *sites,
                     const struct xs_pause_samples *samples, int64_t start_ns, int64_t end_ns);

/* Does the same as xs_idle_account, but only for the recorded parts of the run (`ranges`) between `start_ns` and
 * `end_ns`. If a device has no work at the end of a recorded part, its last idle time there has the reason XS_IDLE_END,
 * because it is not known what came next. `ranges` NULL: the whole time counts as recorded. */
void xs_idle_account_in(struct xs_idle *idle, const struct xs_model *model, const struct xs_sites *sites,
                        const struct xs_pause_samples *samples, int64_t start_ns, int64_t end_ns,
                        const struct xs_capture_ranges *ranges);

/* Returns what an account says of a call of the model. If `call` is XS_NO_CALL, `known` is false. */
struct xs_idle_call xs_idle_call_of(const struct xs_model *model, uint32_t call);
void xs_idle_free(struct xs_idle *idle);

#endif
