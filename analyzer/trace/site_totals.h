/* Holds the totals of the copies at each site of a trace. The copies are counted during the analysis, so that no row
 * has to be read a second time. */
#ifndef XFERSPY_ANALYZER_TRACE_SITE_TOTALS_H
#define XFERSPY_ANALYZER_TRACE_SITE_TOTALS_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/trace/site.h"
#include "analyzer/trace/trace_event.h"

struct xs_site_total {
    uint64_t transfers, bytes; /* the copies that succeeded; copies that were only captured into a graph do not count */
    uint64_t timed;            /* transfers with a device time */
    uint64_t device_ns;        /* sum over the transfers in `timed` */
    uint64_t exposed;          /* transfers with a known exposed time */
    uint64_t exposed_ns;       /* sum over the transfers in `exposed` */
    uint64_t host_ns;          /* time inside the calls */
    uint64_t saves_ns; /* the most that the repairs of the causes at this site save; 0 until the causes are found */
};

struct xs_site_totals {       /* a struct whose fields are all 0 is an empty list */
    struct xs_site_total *of; /* by site number */
    size_t count;
};

/* Returns the total of a site, and adds the total if it is missing. The result is valid until the next total is
 * added. */
struct xs_site_total *xs_site_total(struct xs_site_totals *totals, uint32_t site);
/* Counts a transfer. A transfer that failed or was only captured into a graph does not count. */
void xs_site_totals_add(struct xs_site_totals *totals, const struct xs_trace_event *transfer);
/* Adds the transfers whose rows were deleted when the trace reached its largest size (table `thinned`). Negative
 * status: the message is set. */
int xs_site_totals_add_thinned(struct xs_site_totals *totals, struct xs_sites *sites, const struct xs_trace *trace,
                               char *message);
void xs_site_totals_free(struct xs_site_totals *totals);

#endif
