/* Counts the failed CUDA calls of a trace. For each error there are the number of calls that failed, and the time and
 * the function of the first one. */
#ifndef XFERSPY_ANALYZER_TOTALS_SUMMARY_SUMMARY_FAILURES_H
#define XFERSPY_ANALYZER_TOTALS_SUMMARY_SUMMARY_FAILURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/read/trace.h"

/* The calls that failed with one error. */
struct xs_failure {
    int32_t result; /* CUresult */
    bool is_fatal;  /* the context is lost: every later call fails, too */
    uint64_t calls;
    int64_t first_ns;    /* when the first of these calls began */
    int64_t entry_point; /* entry_point.id of the first call */
    int64_t stack;       /* stack.id of the first call; 0: not recorded */
    char *name;          /* name of the entry point; "" if not known */
};

enum { XS_FAILURE_KINDS = 64 }; /* the largest number of errors that are counted separately */

/* The first call that returned an error of the device, as capture recorded it (meta `failure.*`). This call may be in
 * no table of the trace. */
struct xs_first_failure {
    int32_t result;       /* 0: no such call */
    int64_t at_ns;        /* trace time */
    bool cupti_attached;  /* CUPTI was attached at this time; CUPTI may be the cause, because it is known to make
                             correct programs fail */
    char entry_point[64]; /* "" if not known */
};

struct xs_failures {
    struct xs_failure *items; /* fatal errors first, then the errors with most calls first */
    size_t count;
    uint64_t calls;    /* sum over all errors */
    uint64_t harmless; /* number of failed calls that harmless.def lists; they are not in any other count */
    struct xs_first_failure device;
};

/* Reads the failures of a trace. Negative status: the message is set, and nothing is left to be freed. */
int xs_failures_read(const struct xs_trace *trace, struct xs_failures *failures, char *message);
void xs_failures_free(struct xs_failures *failures);

#endif
