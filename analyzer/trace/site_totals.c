/* Computes totals by site; see site_totals.h. */
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

int xs_site_totals_add_thinned(struct xs_site_totals *totals, struct xs_sites *sites, const struct xs_trace *trace,
                               char *message) {
    enum { ENTRY, STACK, ROWS, BYTES, HOST, TIMED, DEVICE };
    struct xs_scan scan;
    xs_scan_begin(&scan, trace,
                  "SELECT s.entry_point, s.stack, t.rows, t.bytes, t.host_ns, t.timed, t.device_ns FROM thinned t"
                  " JOIN transfer_shape s ON s.id = t.shape WHERE t.source = 'transfer' AND " XS_RAN,
                  message, NULL);
    while (xs_scan_row(&scan)) {
        struct xs_site_total *total =
            xs_site_total(totals, xs_site_of(sites, xs_scan_int(&scan, ENTRY), xs_scan_int(&scan, STACK)));
        uint64_t rows = xs_scan_count(&scan, ROWS), timed = xs_scan_count(&scan, TIMED);
        total->transfers = xs_sum(total->transfers, rows);
        total->bytes = xs_sum(total->bytes, xs_scan_count(&scan, BYTES));
        total->host_ns = xs_sum(total->host_ns, xs_scan_count(&scan, HOST));
        total->timed = xs_sum(total->timed, timed < rows ? timed : rows);
        total->device_ns = xs_sum(total->device_ns, xs_scan_count(&scan, DEVICE));
    }
    return xs_scan_end(&scan);
}

void xs_site_totals_free(struct xs_site_totals *totals) {
    free(totals->of);
    *totals = (struct xs_site_totals){0};
}
