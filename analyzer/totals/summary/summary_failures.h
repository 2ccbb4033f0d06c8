/* The CUDA calls of a trace that failed: by error, how many, since when, and which was the first. */
#ifndef XFERSPY_ANALYZER_SUMMARY_SUMMARY_FAILURES_H
#define XFERSPY_ANALYZER_SUMMARY_SUMMARY_FAILURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/read/trace.h"

/* The calls that failed with one error. */
struct xs_failure {
    int32_t result; /* CUresult */
    bool is_fatal;  /* the context is lost with it: every later call fails, too */
    uint64_t calls;
    int64_t first_ns;    /* when the first was entered */
    int64_t entry_point; /* entry_point.id of the first */
    int64_t stack;       /* stack.id of the first, 0: not recorded */
    char *name;          /* of the entry point, "" where not known */
};

enum { XS_FAILURE_KINDS = 64 }; /* errors that are told apart */

/* The first call that returned an error of the device, as capture noted it (meta `failure.*`). It may be one that is in
 * no table. */
struct xs_device_failure {
    int32_t result;       /* 0: there was none */
    int64_t at_ns;        /* trace time */
    bool cupti_attached;  /* then CUPTI may be the cause: it has made good programs fail */
    char entry_point[64]; /* "" where not known */
};

struct xs_failures {
    struct xs_failure *items; /* fatal ones first, then by calls, most first */
    size_t count;
    uint64_t calls;    /* of all errors */
    uint64_t harmless; /* calls that failed as programs that work do (harmless.def), in none of the above */
    struct xs_device_failure device;
};

/* Negative status: the message is set, and nothing is left to be freed. */
int xs_failures_read(const struct xs_trace *trace, struct xs_failures *failures, char *message);
void xs_failures_free(struct xs_failures *failures);

/* Whether such a failure is one of harmless.def. */
bool xs_failure_is_harmless(int32_t result, unsigned category);

#endif
