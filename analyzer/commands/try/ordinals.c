/* Numbers calls; see ordinals.h. */
#include "analyzer/commands/try/ordinals.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/text.h"
#include "analyzer/base/units.h"
#include "analyzer/totals/summary/repaired.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/windows/capture_ranges.h"
#include "schema/format/kinds.h"
#include "schema/write/store_ledger.h"

/* --- whether the trace has every call --- */

/* Returns why the trace lacks calls; NULL: it lacks none. A call that was not recorded changes the numbers of all later
 * calls. */
static char *why_gaps(const struct xs_trace *trace) {
    static const struct {
        const char *key, *why;
    } gaps[] = {
        {XS_META_LEDGER_ROLLED_UP_NS, "the trace is a ledger (XFERSPY_MODE) and does not have every copy"},
        {"thinned.rows", "the trace reached its largest size and does not have every copy"},
        {"coverage.dropped", "the trace lost calls"},
        {"coverage.left", "the trace lacks calls that the program jumped out of"},
        {"coverage.nested", "the trace lacks calls that were made inside of other ones"},
        {"range.left_out_transfers", "copies outside of the recorded parts of the run are not in the trace"},
        {"skipped_events", "a part of the trace was damaged"},
    };
    char buffer[XS_UNIT_BYTES];
    struct xs_capture_ranges ranges;
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        uint64_t count = xs_trace_meta_count(trace, gaps[i].key);
        if (count && !strcmp(gaps[i].key, XS_META_LEDGER_ROLLED_UP_NS))
            return xs_strdup(gaps[i].why);
        if (count)
            return xs_text_format("%s (%s)", gaps[i].why, xs_format_count(buffer, count));
    }
    xs_capture_ranges_read(&ranges, trace);
    bool has_gaps = ranges.has_gaps; /* if the program was killed, the counts above may be too small */
    xs_capture_ranges_free(&ranges);
    return has_gaps ? xs_strdup("the trace has the calls of parts of the run only") : NULL;
}

char *xs_ordinals_doubt(const struct xs_trace *trace) {
    char text[64], *gaps = why_gaps(trace);
    struct xs_repaired repaired;
    if (gaps)
        return gaps;
    xs_repaired_read(&repaired, trace);
    if (xs_repaired_any(&repaired))
        return xs_strdup("the run was repaired while it was recorded, so what a repair saves cannot be told from it");
    if (*xs_trace_meta_text(trace, "importer", text, sizeof text, ""))
        return xs_strdup("the trace was imported, and does not say which calls of the driver there were");
    if (xs_trace_meta_int(trace, "world_size", 1) > 1)
        return xs_strdup("the trace is of one of several processes of a job, which a launcher started");
    return NULL;
}

/* --- counting --- */

struct thread {
    uint64_t id;
    int64_t first_ns;         /* start of its first call */
    int64_t batch_ns;         /* start of the batch call of its latest row; -1: no batch call */
    int64_t batch_index;      /* batch_index of this row */
    uint32_t calls, in_order; /* in_order: the number of the thread in the order of first calls */
};

struct counting {
    struct xs_ordinals *o;
    struct thread *threads;
    size_t count, capacity;
};

static struct thread *thread_of(struct counting *c, uint64_t id, int64_t enter_ns) {
    for (size_t i = c->count; i-- > 0;)
        if (c->threads[i].id == id)
            return &c->threads[i];
    xs_grow(&c->threads, c->count, &c->capacity, sizeof *c->threads);
    c->threads[c->count] = (struct thread){.id = id, .first_ns = enter_ns, .batch_ns = -1};
    return &c->threads[c->count++];
}

static bool is_host(int64_t kind) {
    return kind == XS_MEM_PAGEABLE || kind == XS_MEM_PINNED || kind == XS_MEM_REGISTERED;
}

/* True if the library offers the copy to its repairs (preload/repair/around.c). */
static bool is_plain(struct xs_scan *scan) {
    enum { WIDTH = 8, SRC_KIND, DST_KIND };
    int64_t src = xs_scan_int(scan, SRC_KIND), dst = xs_scan_int(scan, DST_KIND);
    return xs_scan_count(scan, WIDTH) == 0 &&
           ((is_host(src) && dst == XS_MEM_DEVICE) || (src == XS_MEM_DEVICE && is_host(dst)));
}

static void count_row(struct counting *c, struct xs_scan *scan, struct xs_sites *sites) {
    int64_t enter_ns = xs_scan_int(scan, 2);
    struct thread *thread = thread_of(c, xs_scan_count(scan, 1), enter_ns);
    bool of_batch = !xs_scan_null(scan, 3);
    int64_t index = xs_scan_int(scan, 3);
    bool same_call = of_batch && thread->batch_ns == enter_ns && index > thread->batch_index;
    thread->calls += !same_call;
    thread->batch_ns = of_batch ? enter_ns : -1;
    thread->batch_index = index;
    xs_grow(&c->o->items, c->o->count, &c->o->capacity, sizeof *c->o->items);
    c->o->items[c->o->count++] =
        (struct xs_ordinal){.row = xs_scan_int(scan, 0),
                            .bytes = xs_scan_count(scan, 4),
                            .device = (uint64_t)xs_scan_int(scan, 7),
                            .thread = (uint32_t)(thread - c->threads),
                            .ordinal = thread->calls - 1,
                            .site = xs_site_of(sites, xs_scan_int(scan, 5), xs_scan_int(scan, 6)),
                            .is_of_batch = of_batch,
                            .is_plain = is_plain(scan)};
}

static bool begins_before(const struct counting *c, size_t a, size_t b) {
    int64_t x = c->threads[a].first_ns, y = c->threads[b].first_ns;
    return x != y ? x < y : a < b;
}

/* Numbers the threads in the order of their first calls, because they were found in the order in which their events
 * were written. */
static void number_threads(struct counting *c) {
    for (size_t i = 0; i < c->count; i++)
        for (size_t other = 0; other < c->count; other++)
            c->threads[i].in_order += begins_before(c, other, i);
    for (size_t i = 0; i < c->o->count; i++)
        c->o->items[i].thread = c->threads[c->o->items[i].thread].in_order;
}

int xs_ordinals_read(struct xs_ordinals *ordinals, const struct xs_trace *trace, struct xs_sites *sites,
                     char *message) {
    enum { MOST_THREADS = 4096 }; /* with more threads this would take too long */
    struct counting c = {.o = ordinals};
    struct xs_scan scan;
    *ordinals = (struct xs_ordinals){.uncertain = xs_ordinals_doubt(trace)};
    xs_scan_begin(&scan, trace,
                  "SELECT id, thread, enter_ns, batch_index, bytes, entry_point, stack, "
                  "CASE direction WHEN 1 THEN dst_address WHEN 2 THEN src_address ELSE 0 END, width_bytes, src_kind, "
                  "dst_kind FROM transfer ORDER BY id",
                  message, NULL);
    while (xs_scan_row(&scan) && c.count < MOST_THREADS)
        count_row(&c, &scan, sites);
    int status = xs_scan_end(&scan);
    if (c.count == MOST_THREADS && !ordinals->uncertain)
        ordinals->uncertain = xs_strdup("the program copied in too many threads");
    number_threads(&c);
    free(c.threads);
    return status;
}

void xs_ordinals_free(struct xs_ordinals *ordinals) {
    free(ordinals->items);
    free(ordinals->uncertain);
    *ordinals = (struct xs_ordinals){0};
}

static int by_row(const void *row, const void *ordinal) {
    return xs_compare(*(const int64_t *)row, ((const struct xs_ordinal *)ordinal)->row);
}

const struct xs_ordinal *xs_ordinals_find(const struct xs_ordinals *o, int64_t row) {
    return o->count ? bsearch(&row, o->items, o->count, sizeof *o->items, by_row) : NULL;
}
