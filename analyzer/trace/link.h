/* The link model says how long a copy should take. For each direction and kind of host memory, time = a + b * bytes,
 * fitted to the trace by least squares over the medians of size classes (one per power of two). The model is fitted
 * before the first event, from at most a few hundred thousand records spread over the trace, so that detectors can use
 * it from the start. */
#ifndef XFERSPY_ANALYZER_TRACE_LINK_H
#define XFERSPY_ANALYZER_TRACE_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/read/trace.h"

enum xs_link_class {
    XS_LINK_H2D_PAGEABLE,
    XS_LINK_H2D_PINNED, /* pinned or registered memory */
    XS_LINK_D2H_PAGEABLE,
    XS_LINK_D2H_PINNED,
    XS_LINK_D2D, /* on one device */
    XS_LINK_MEMSET,
    XS_LINK_CLASSES,
};
extern const char *const xs_link_class_names[];

struct xs_link_line {
    bool known;   /* fitted or assumed; false: all other fields are 0 */
    bool assumed; /* not fitted, but taken from the link's peak rate, or typical of today's devices (D2D, MEMSET) */
    bool rate_assumed; /* the rate is assumed; also true if a_ns is fitted but all copies have one small size, which
                        * does not determine the rate */
    uint64_t samples;
    double a_ns, b_ns_per_byte;
    double best_bytes_per_s; /* median rate of the fastest size class; if there are classes of 1 MiB and more, only
                              * these count; 0 if the rate is assumed */
};

struct xs_link_model {
    struct xs_link_line lines[XS_LINK_CLASSES];
    bool from_host_times;      /* the trace has no device times, so the model is fitted to the host times of blocking
                                * calls */
    uint64_t peak_bytes_per_s; /* peak of the fastest link of the trace's devices; 0: unknown */
};

/* The host needs this time per byte for the first touch of pageable memory. The value was measured on the host of an
 * H100; savings/plan/pinning.c names the smallest and the largest measured value. Page-locked memory is touched while
 * it is allocated. */
#define XS_FIRST_TOUCH_NS_PER_BYTE 0.40

/* A library takes at most this time per byte to copy into page-locked memory. The measured rate is 5.5 GB/s; the
 * measured time includes the first touch of the source's pages. */
#define XS_STAGING_NS_PER_BYTE 0.25

/* Returns how many nanoseconds a copy of this class and size should take; 0: the class is not known. */
uint64_t xs_link_ns(const struct xs_link_model *model, enum xs_link_class class, uint64_t bytes);

/* Returns the class of an upload or download; XS_LINK_CLASSES for host memory that has no class (managed memory, an
 * array's host side). */
enum xs_link_class xs_link_class_of(unsigned direction, unsigned host_kind);

/* Returns the best rate of a direction (XS_DIR_H2D, XS_DIR_D2H) over both kinds of host memory, in bytes per second; 0:
 * unknown. */
double xs_link_best_rate(const struct xs_link_model *model, unsigned direction);

/* Fits the model to the trace's device records or, if there are none, to its blocking transfers. Negative status: the
 * message is set. */
int xs_link_fit(struct xs_link_model *model, const struct xs_trace *trace, char *message);

#endif
