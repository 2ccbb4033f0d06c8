/* What was copied at each site of a trace, counted during the analysis so that nothing is read twice. */
#ifndef XFERSPY_ANALYZER_TRACE_SITE_TOTALS_H
#define XFERSPY_ANALYZER_TRACE_SITE_TOTALS_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/trace/site.h"
#include "analyzer/trace/trace_event.h"

struct xs_site_total {
    uint64_t transfers, bytes; /* that succeeded; copies that were only captured into a graph do not count */
    uint64_t timed;            /* transfers with a device time */
    uint64_t device_ns;        /* sum over `timed` */
    uint64_t exposed;          /* transfers with a known exposed time */
    uint64_t exposed_ns;       /* sum over `exposed` */
    uint64_t host_ns;          /* inside the calls */
    /* What removing the findings would give back of the transfers, memsets and allocations that were called here: each
     * once, with the most that a finding claims of it. What may save nothing and advice are not in it. */
    uint64_t gives_back_ns;
};

struct xs_site_totals {       /* all 0: empty */
    struct xs_site_total *of; /* by site number */
    size_t count;
};

/* The total of a site, added if it is missing; valid until the next one is added. */
struct xs_site_total *xs_site_total(struct xs_site_totals *totals, uint32_t site);
/* Counts a transfer; ignores one that failed. */
void xs_site_totals_add(struct xs_site_totals *totals, const struct xs_trace_event *transfer);
/* Adds the transfers that a trace thinned out when it reached its largest size. Negative status: the message is set. */
int xs_site_totals_add_thinned(struct xs_site_totals *totals, struct xs_sites *sites, const struct xs_trace *trace,
                               char *message);
void xs_site_totals_clear_gains(struct xs_site_totals *totals);
void xs_site_totals_free(struct xs_site_totals *totals);

#endif
