/* Computes the parts of a run; see summary_where.h. */
#include "analyzer/totals/summary/summary_where.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/hash.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"
#include "analyzer/base/text.h"
#include "analyzer/trace/scan.h"
#include "schema/format/kinds.h"

#define XS_WHERE_PART(id, key, label, letter) key,
const char *const xs_where_keys[XS_WHERE_PARTS] = {
#include "analyzer/totals/summary/where_parts.def"
};
#undef XS_WHERE_PART
#define XS_WHERE_PART(id, key, label, letter) label,
const char *const xs_where_labels[XS_WHERE_PARTS] = {
#include "analyzer/totals/summary/where_parts.def"
};
#undef XS_WHERE_PART
#define XS_WHERE_PART(id, key, label, letter) letter,
const char xs_where_letters[XS_WHERE_PARTS + 1] = {
#include "analyzer/totals/summary/where_parts.def"
};
#undef XS_WHERE_PART

/* --- busy times, and how much of them lies in a span --- */

struct measure {
    const struct xs_intervals *set;
    uint64_t *before; /* for each interval, the total length of all intervals before it; the last entry is the length of
                         all */
    size_t begun;     /* the last result of begun_before; the next one is usually near */
};

static struct measure measure_of(const struct xs_intervals *set) {
    struct measure measure = {set, xs_realloc(NULL, (set->count + 1) * sizeof(uint64_t)), 0};
    measure.before[0] = 0;
    for (size_t i = 0; i < set->count; i++)
        measure.before[i + 1] = measure.before[i] + ((uint64_t)set->items[i].end - (uint64_t)set->items[i].start);
    return measure;
}

static bool begins_before(const void *interval, const void *ns) {
    return ((const struct xs_interval *)interval)->start < *(const int64_t *)ns;
}

/* Returns how many intervals begin before `ns`. Calls come nearly in order, so it looks around the last result first.
 */
static size_t begun_before(struct measure *measure, int64_t ns) {
    enum { NEAR = 8 };
    const struct xs_interval *items = measure->set->items;
    size_t count = measure->set->count, begun = measure->begun;
    for (int i = 0; i < NEAR; i++)
        if (begun < count && items[begun].start < ns)
            begun++;
        else if (begun && items[begun - 1].start >= ns)
            begun--;
        else
            return measure->begun = begun;
    return measure->begun = xs_search(items, count, sizeof *items, begins_before, &ns);
}

/* Returns the length of the set before `ns`. */
static uint64_t length_before(struct measure *measure, int64_t ns) {
    const struct xs_interval *items = measure->set->items;
    size_t begun = begun_before(measure, ns);
    if (!begun)
        return 0;
    const struct xs_interval *last = &items[begun - 1];
    return last->end <= ns ? measure->before[begun]
                           : measure->before[begun - 1] + ((uint64_t)ns - (uint64_t)last->start);
}

static uint64_t length_in(struct measure *measure, int64_t start, int64_t end) {
    return length_before(measure, end) - length_before(measure, start);
}

/* --- the line --- */

struct work {
    const struct xs_trace *trace;
    char *message;
    struct xs_where *where;
    int64_t end_ns;                                        /* end of the run */
    int64_t first_ns;                                      /* start of the line's first call */
    uint64_t calls_ns, returning_in_calls_ns;              /* time in all calls, and the part of it in which pages moved
                                                              back to the host */
    struct measure copies, kernels, both, faults, returns; /* faults: times at which kernels waited for pages, or pages
                                                              moved */
};

/* Tables of calls. The launch of a kernel has no return time, so it counts no time here. The copies of a batch call are
 * one call. */
static const struct {
    const char *name, *columns;
} tables[] = {
    {"transfer", "enter_ns, return_ns, thread, batch_index, 0"},
    {"memset", "enter_ns, return_ns, thread, NULL, 0"},
    {"launch", "enter_ns, return_ns, thread, NULL, 0"},
    {"sync", "enter_ns, return_ns, thread, NULL, 0"},
    {"api_call", "enter_ns, return_ns, thread, NULL, (SELECT category FROM entry_point e WHERE e.id = entry_point)"},
    {"allocation", "enter_ns, return_ns, thread, NULL, 0"},
    {"allocation", "free_enter_ns, free_return_ns, free_thread, NULL, 0"},
};
enum table { TRANSFER, MEMSET, LAUNCH, SYNC, API, ALLOCATION, FREE, TABLES };
enum { START, END, THREAD, BATCH, KIND };

static void begin_table(const struct work *work, unsigned table, struct xs_scan *scan) {
    xs_scan_columns(scan, work->trace, tables[table].name, tables[table].columns, work->message, NULL);
}

/* Adds the time of a table's calls to that of their threads. The sums are floating point numbers, so they do not
 * overflow. */
static int add_times(const struct work *work, unsigned table, struct xs_hash *times) {
    struct xs_scan scan;
    begin_table(work, table, &scan);
    while (xs_scan_row(&scan)) {
        uint64_t ns;
        int64_t thread = xs_scan_int(&scan, THREAD);
        if (thread <= 0 || !xs_scan_is_zero_or_null(&scan, BATCH) || !xs_scan_span(&scan, START, END, &ns))
            continue;
        double *time = xs_hash_item(times, (uint64_t)thread, 0, sizeof *time);
        *time += (double)ns;
    }
    return xs_scan_end(&scan);
}

static int read_tid(const struct work *work) {
    char sql[80];
    snprintf(sql, sizeof sql, "SELECT tid FROM thread WHERE id = %" PRId64, work->where->thread);
    return xs_scan_one(work->trace, sql, &work->where->tid, work->message);
}

/* Finds the thread with most time in calls; the first if there are several. */
static int find_line(struct work *work) {
    XS_SCOPED_HASH times = {0};
    double most = -1;
    int status = XS_OK;
    for (unsigned i = 0; i < TABLES && status >= 0; i++)
        status = add_times(work, i, &times);
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&times, entry));) {
        double time = *(const double *)(uintptr_t)entry->value;
        int64_t thread = (int64_t)entry->low;
        if (time < most || (time == most && thread > work->where->thread))
            continue;
        most = time;
        work->where->thread = thread;
    }
    return status < 0 || !times.count ? status : read_tid(work);
}

static void add(struct work *work, enum xs_where_part part, uint64_t ns) { work->where->parts[part] += ns; }

/* Splits a time in which a call may wait into parts, by what the devices did during this time. The remaining time is
 * added to the part `rest`; if `rest` is XS_WHERE_COPY, the call itself is a copy. */
static void split(struct work *work, int64_t start, int64_t end, enum xs_where_part rest) {
    uint64_t length = (uint64_t)end - (uint64_t)start, both = length_in(&work->both, start, end);
    uint64_t kernels = length_in(&work->kernels, start, end), copies = length_in(&work->copies, start, end);
    /* the call of a copy waits for kernels until the copy begins; any other waiting call waits for kernels while they
     * run */
    uint64_t copying = rest == XS_WHERE_COPY ? 0 : copies - both;
    uint64_t waiting = rest == XS_WHERE_COPY ? kernels - both : kernels;
    uint64_t faults = rest == XS_WHERE_COPY ? 0 : length_in(&work->faults, start, end);
    uint64_t room = length - copying;
    faults = faults < room ? faults : room;
    waiting = waiting < room - faults ? waiting : room - faults;
    add(work, XS_WHERE_COPY, copying);
    add(work, XS_WHERE_FAULT, faults);
    add(work, XS_WHERE_WAIT, waiting);
    add(work, rest, length - copying - faults - waiting);
}

static void take_call(struct work *work, enum table table, unsigned kind, int64_t start, int64_t end) {
    static const enum xs_where_part other[] = {
        [XS_CAT_ALLOCATE] = XS_WHERE_ALLOCATE, [XS_CAT_FREE] = XS_WHERE_ALLOCATE, [XS_CAT_CONTEXT] = XS_WHERE_START,
        [XS_CAT_LOOKUP] = XS_WHERE_START,      [XS_CAT_LOAD] = XS_WHERE_LOAD,     [XS_CAT_TRANSFER] = XS_WHERE_COPY};
    start = start < 0 ? 0 : start;
    end = end < work->end_ns ? end : work->end_ns;
    if (start >= end)
        return;
    uint64_t length = (uint64_t)end - (uint64_t)start;
    work->calls_ns += length;
    work->returning_in_calls_ns += length_in(&work->returns, start, end);
    work->first_ns = start < work->first_ns ? start : work->first_ns;
    enum xs_where_part part = XS_WHERE_LAUNCH;
    if (table == API && kind < sizeof other / sizeof *other && other[kind])
        part = other[kind];
    switch (table) {
    case TRANSFER:
        split(work, start, end, XS_WHERE_COPY);
        break;
    case SYNC:
        split(work, start, end, XS_WHERE_WAIT);
        break;
    case FREE: /* a free waits for the device, unless the memory is host memory or belongs to a pool */
        split(work, start, end, XS_WHERE_ALLOCATE);
        break;
    case ALLOCATION:
        add(work, XS_WHERE_ALLOCATE, length);
        break;
    default:
        add(work, part, length);
        break;
    }
}

static int read_calls(struct work *work) {
    int status = XS_OK;
    for (unsigned i = 0; i < TABLES && status >= 0; i++) {
        struct xs_scan scan;
        begin_table(work, i, &scan);
        while (xs_scan_row(&scan)) {
            uint64_t ns;
            if (xs_scan_int(&scan, THREAD) != work->where->thread || !xs_scan_is_zero_or_null(&scan, BATCH))
                continue;
            int64_t kind = xs_scan_int(&scan, KIND);
            if (xs_scan_span(&scan, START, END, &ns))
                take_call(work, (enum table)i, kind < 0 ? UINT32_MAX : (unsigned)kind, xs_scan_int(&scan, START),
                          xs_scan_int(&scan, END));
        }
        status = xs_scan_end(&scan);
    }
    return status;
}

/* Reads pages that move while a kernel needs them, and pages that come back because the host needs them. */
static int read_migrations(const struct xs_trace *trace, struct xs_intervals *faults, struct xs_intervals *returns,
                           char *message) {
    enum { DTOH = 2, CPU_FAULT = 3 };
    struct xs_scan scan;
    xs_scan_begin(&scan, trace, "SELECT start_ns, end_ns, kind FROM device_migration", message, NULL);
    while (xs_scan_row(&scan)) {
        uint64_t ns;
        int64_t kind = xs_scan_int(&scan, 2);
        if (!xs_scan_span(&scan, 0, 1, &ns))
            continue;
        xs_intervals_add(faults, xs_scan_int(&scan, 0), xs_scan_int(&scan, 1));
        if (kind == DTOH || kind == CPU_FAULT)
            xs_intervals_add(returns, xs_scan_int(&scan, 0), xs_scan_int(&scan, 1));
    }
    int ended = xs_scan_end(&scan);
    xs_intervals_unite(faults);
    xs_intervals_unite(returns);
    return ended;
}

/* --- together --- */

static void take_from(struct xs_where *where, enum xs_where_part from, uint64_t *ns) {
    uint64_t taken = xs_least(*ns, where->parts[from]);
    where->parts[from] -= taken;
    where->parts[XS_WHERE_XFERSPY] += taken;
    *ns -= taken;
}

/* Sets the time outside of calls, and xferspy's own time. xferspy starts before the first call. It records calls, makes
 * fingerprints and waits for room in the spool before and after the real call, so this time is between the recorded
 * calls. CUPTI's cost lies mostly within launches, which are not timed. */
static void finish(struct work *work, const struct xs_where_own *own) {
    struct xs_where *where = work->where;
    uint64_t gaps = where->run_ns - xs_least(where->run_ns, work->calls_ns);
    uint64_t returning = length_in(&work->returns, 0, work->end_ns) - work->returning_in_calls_ns;
    uint64_t before = work->first_ns > 0 ? xs_least((uint64_t)work->first_ns, where->run_ns) : 0;
    uint64_t start_ns = xs_least(own->start_ns, before), later_ns = own->later_ns;
    returning = xs_least(returning, gaps);
    add(work, XS_WHERE_FAULT, returning);
    where->parts[XS_WHERE_PROGRAM] = gaps - returning;
    take_from(where, XS_WHERE_PROGRAM, &start_ns);
    take_from(where, XS_WHERE_PROGRAM, &later_ns);
    where->known = work->calls_ns > 0;
    where->run_ns = 0; /* the sum is equal to the run, unless calls overlap in a damaged trace */
    for (unsigned i = 0; i < XS_WHERE_PARTS; i++)
        where->run_ns = xs_sum(where->run_ns, where->parts[i]);
    xs_where_round(where);
}

/* Rounds to whole percents that add up to 100. */
void xs_where_round(struct xs_where *where) {
    double rests[XS_WHERE_PARTS];
    unsigned left = 100;
    uint64_t sum = where->run_ns;
    for (unsigned i = 0; i < XS_WHERE_PARTS; i++) {
        double share = sum ? (double)where->parts[i] / (double)sum * 100 : 0;
        where->percent[i] = (unsigned)share;
        rests[i] = share - (double)where->percent[i];
        left -= where->percent[i] < left ? where->percent[i] : left;
    }
    for (; sum && left; left--) {
        unsigned most = 0;
        for (unsigned i = 1; i < XS_WHERE_PARTS; i++)
            most = rests[i] > rests[most] ? i : most;
        where->percent[most]++;
        rests[most] = -1;
    }
}

int xs_where_read(const struct xs_trace *trace, uint64_t run_ns, const struct xs_where_busy *busy,
                  const struct xs_where_own *own, struct xs_where *where, char *message) {
    struct xs_intervals both = {0}, faults = {0}, returns = {0};
    *where = (struct xs_where){.run_ns = run_ns};
    if (!run_ns || run_ns > INT64_MAX)
        return XS_OK;
    int status = read_migrations(trace, &faults, &returns, message);
    if (status >= 0)
        xs_intervals_common(&busy->copies, &busy->kernels, &both);
    struct work work = {.trace = trace,
                        .message = message,
                        .where = where,
                        .end_ns = (int64_t)run_ns,
                        .first_ns = (int64_t)run_ns,
                        .copies = measure_of(&busy->copies),
                        .kernels = measure_of(&busy->kernels),
                        .both = measure_of(&both),
                        .faults = measure_of(&faults),
                        .returns = measure_of(&returns)};
    if (status >= 0)
        status = find_line(&work);
    if (status >= 0 && where->thread)
        status = read_calls(&work);
    if (status >= 0 && where->thread)
        finish(&work, own);
    struct measure *measures[] = {&work.copies, &work.kernels, &work.both, &work.faults, &work.returns};
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
        free(measures[i]->before);
    xs_intervals_free(&both);
    xs_intervals_free(&faults);
    xs_intervals_free(&returns);
    return status;
}
