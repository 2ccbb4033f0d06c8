/* The link model: how long a copy takes, fitted from the trace. For each direction and kind of host memory, time = a
 * + b * bytes, by least squares over the medians of size classes (a factor of two each). The model is fitted before
 * the first event, from at most a few hundred thousand records spread over the trace, so that detectors can use it
 * from the start. */
#ifndef XFERSPY_ANALYZER_TRACE_LINK_H
#define XFERSPY_ANALYZER_TRACE_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/read/trace.h"

enum xs_link_class {
    XS_LINK_H2D_PAGEABLE,
    XS_LINK_H2D_PINNED, /* or registered memory */
    XS_LINK_D2H_PAGEABLE,
    XS_LINK_D2H_PINNED,
    XS_LINK_D2D, /* on one device */
    XS_LINK_MEMSET,
    XS_LINK_CLASSES,
};
extern const char *const xs_link_class_names[];

struct xs_link_line {
    bool known;        /* fitted or assumed; false: all other fields are 0 */
    bool assumed;      /* not fitted: from the link's peak, or typical of today's devices (D2D, MEMSET) */
    bool rate_assumed; /* also if a_ns is fitted but all copies have one small size, which says nothing about the
                        * rate */
    uint64_t samples;
    double a_ns, b_ns_per_byte;
    double best_bytes_per_s; /* median rate of the best size class, of those of 1 MiB and more if there are any */
};

struct xs_link_model {
    struct xs_link_line lines[XS_LINK_CLASSES];
    bool from_host_times;      /* there are no device times: fitted to the host times of blocking calls */
    uint64_t peak_bytes_per_s; /* peak of the fastest link of the trace's devices; 0: unknown */
};

/* How long the host takes for each byte of pageable memory at the first touch; measured on the host of an H100
 * (plan/pinning.c has least and most). Page-locked memory is touched while it is allocated. */
#define XS_FIRST_TOUCH_NS_PER_BYTE 0.40

/* Nanoseconds that a copy of this class and size should take; 0: the class is not known. */
uint64_t xs_link_ns(const struct xs_link_model *model, enum xs_link_class class, uint64_t bytes);

/* The class of an upload or download; XS_LINK_CLASSES for other memory (managed, an array's host side). */
enum xs_link_class xs_link_class_of(unsigned direction, unsigned host_kind);

/* The best rate of a direction (XS_DIR_H2D, XS_DIR_D2H) in bytes per second, for any host memory; 0: unknown. */
double xs_link_best_rate(const struct xs_link_model *model, unsigned direction);

/* Reads the trace's device records (or blocking transfers). Negative status: the message is set. */
int xs_link_fit(struct xs_link_model *model, const struct xs_trace *trace, char *message);

#endif
