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
    XS_WAITED_EARLIER, /* all work before the latest 256 operations of a wait, with the pauses in it */
    XS_WAITED_KINDS
};

/* Work of the device during the waits of a place. All kernels of one name are one piece of work, and all copies of one
 * place. */
struct xs_waited_work {
    uint8_t kind;             /* enum xs_waited_kind */
    uint32_t kernel;          /* of a kernel: kernel_name.id; 0: not known */
    char *name;               /* name of this kernel as recorded; NULL: not known. The row owns it */
    struct xs_idle_call copy; /* of a copy of another call: the place of that call */
    uint64_t ns;              /* time of the waits in which this work ran, and no work that ended later */
};

/* At most this many pieces of work are kept for each place, those with most time. */
#define XS_WAITED_WORKS 3

/* The name of a launch that has no single kernel, because it launched a graph. */
#define XS_WAITED_IS_GRAPH UINT32_MAX

/* Sets the work of all rows. A wait for a stream waits for the work of this stream, any other wait for all work of its
 * device. `kernels`: by call, kernel_name.id or XS_WAITED_IS_GRAPH; 0: not known. */
void xs_waited_work_find(struct xs_waits_paid *waits, const struct xs_model *model, const uint32_t *kernels);

/* Reads the kernels from a trace, sets the work of all rows, and the names of their kernels. Negative status: the
 * message is set. */
int xs_waited_work_read(struct xs_waits_paid *waits, const struct xs_model *model, const struct xs_trace *trace,
                        char *message);

#endif
