/* What was copied at each site of a trace, counted during the analysis, so that nothing has to be read a second
 * time. */
#ifndef XFERSPY_ANALYZER_TRACE_SITE_TOTALS_H
#define XFERSPY_ANALYZER_TRACE_SITE_TOTALS_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/trace/site.h"
#include "analyzer/trace/trace_event.h"

struct xs_site_total {
    uint64_t transfers, bytes; /* that succeeded; what was only captured into a graph is not in it */
    uint64_t timed;            /* of the transfers: those with a device time */
    uint64_t device_ns;        /* of those */
    uint64_t exposed;          /* of the transfers: those whose exposed time is known */
    uint64_t exposed_ns;       /* of those */
    uint64_t host_ns;          /* inside the calls */
    uint64_t saves_ns;         /* most that the repairs of the causes here save; 0 until the causes are found */
};

struct xs_site_totals {       /* zeroed: empty */
    struct xs_site_total *of; /* by site number */
    size_t count;
};

/* The total of a site, made where there is none; valid until the next one is made. */
struct xs_site_total *xs_site_total(struct xs_site_totals *totals, uint32_t site);
/* Counts a transfer; of one that did not succeed nothing. */
void xs_site_totals_add(struct xs_site_totals *totals, const struct xs_trace_event *transfer);
/* What a trace that reached its largest size has no rows of any more. Negative status: the message is set. */
int xs_site_totals_add_thinned(struct xs_site_totals *totals, struct xs_sites *sites, const struct xs_trace *trace,
                               char *message);
void xs_site_totals_free(struct xs_site_totals *totals);

#endif
