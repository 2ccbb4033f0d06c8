/* Finds what the program waited for at each place that waits: which kernels and copies ran during its waits. */
#ifndef XFERSPY_ANALYZER_SAVINGS_IDLE_WAITED_WORK_H
#define XFERSPY_ANALYZER_SAVINGS_IDLE_WAITED_WORK_H

#include <stdint.h>

#include "analyzer/savings/idle/idle.h"
#include "schema/read/trace.h"

struct xs_waits_paid; /* waits_paid.h */

enum xs_waited_kind {
    XS_WAITED_KERNEL,
    XS_WAITED_GRAPH,
    XS_WAITED_COPY,
    XS_WAITED_MEMSET,
    XS_WAITED_OWN,     /* the copy or memset that the waiting call itself makes */
    XS_WAITED_EARLIER, /* all work before the last 256 operations that a wait waited for, or before the last 4096 other
                        * operations; it includes the pauses in this work */
    XS_WAITED_KINDS
};

/* Work of the device during the waits of a place. All kernels of one name are one piece of work. All copies of one
 * place are one piece of work, too. */
struct xs_waited_work {
    uint8_t kind;             /* enum xs_waited_kind */
    uint32_t kernel;          /* for a kernel: kernel_name.id; 0: not known */
    char *name;               /* name of this kernel as recorded; NULL: not known. The row owns it */
    struct xs_idle_call copy; /* for a copy that another call made: the place of that call */
    uint64_t ns;              /* time in the waits during which this work ran, but no work that ended later */
};

/* At most this many pieces of work are kept for each place: the pieces with most time. */
#define XS_WAITED_WORKS 3

/* The name of a launch that has no single kernel, because it launched a graph. */
#define XS_WAITED_IS_GRAPH UINT32_MAX

/* Sets the work of all rows. A wait for a stream is taken to wait for the work of this stream, and for the work that
 * the legacy default stream orders before the wait. Any other wait is taken to wait for all work of its device.
 * `kernels` has for each call kernel_name.id or XS_WAITED_IS_GRAPH; 0: not known. */
void xs_waited_work_find(struct xs_waits_paid *waits, const struct xs_model *model, const uint32_t *kernels);

/* Reads the kernels from a trace, sets the work of all rows, and the names of their kernels. Negative status: the
 * message is set. */
int xs_waited_work_read(struct xs_waits_paid *waits, const struct xs_model *model, const struct xs_trace *trace,
                        char *message);

#endif
