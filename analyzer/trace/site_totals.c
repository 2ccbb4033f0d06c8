/* Totals by site; see site_totals.h. */
#include "analyzer/trace/site_totals.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/trace/ran.h"
#include "analyzer/trace/scan.h"

struct xs_site_total *xs_site_total(struct xs_site_totals *totals, uint32_t site) {
    if (site >= totals->count) {
        size_t count = totals->count * 2 > (size_t)site + 64 ? totals->count * 2 : (size_t)site + 64;
        totals->of = xs_realloc(totals->of, count * sizeof *totals->of);
        memset(totals->of + totals->count, 0, (count - totals->count) * sizeof *totals->of);
        totals->count = count;
    }
    return &totals->of[site];
}

void xs_site_totals_add(struct xs_site_totals *totals, const struct xs_trace_event *e) {
    if (!xs_ran(e->result, e->is_captured))
        return;
    struct xs_site_total *total = xs_site_total(totals, e->site);
    total->transfers++;
    total->bytes = xs_sum(total->bytes, e->u.transfer.bytes);
    total->host_ns = xs_sum(total->host_ns, xs_event_host_ns(e));
    total->timed += e->timed;
    total->device_ns = xs_sum(total->device_ns, e->device_ns);
    total->exposed += e->exposed_known;
    total->exposed_ns = xs_sum(total->exposed_ns, e->exposed_ns);
}

void xs_site_totals_clear_gains(struct xs_site_totals *totals) {
    for (size_t i = 0; i < totals->count; i++)
        totals->of[i].gives_back_ns = 0;
}

void xs_site_totals_free(struct xs_site_totals *totals) {
    free(totals->of);
    *totals = (struct xs_site_totals){0};
}
