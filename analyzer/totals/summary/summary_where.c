/* Divides the time of a run by what it was spent on; see summary_where.h. */
#include "analyzer/totals/summary/summary_where.h"

#include <inttypes.h>

#include "analyzer/base/hash.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/text.h"
#include "analyzer/totals/summary/summary_busy.h"
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

struct work {
    struct xs_summary_work *summary;
    struct xs_where *where;
    int64_t first_ns;                         /* start of the line's first call */
    uint64_t calls_ns, returning_in_calls_ns; /* time in all calls, and the part of it in which pages moved back to the
                                                 host */
};

/* Adds the time of a table's calls to that of their threads. The sums are floating point numbers, so they do not
 * overflow. */
static void add_times(struct work *work, const struct xs_busy_table_info *table, struct xs_hash *times) {
    enum { START, END, THREAD, BATCH };
    XS_SCOPED_STRING columns = {0};
    struct xs_scan scan;
    xs_string_format(&columns, "%s, %s, %s, %s", table->enter, table->leave, table->thread, table->batch);
    xs_work_columns(work->summary, &scan, table->name, columns.data);
    scan.damaged = NULL; /* the damaged rows of calls are counted where their tables are read */
    while (xs_scan_row(&scan)) {
        uint64_t ns;
        int64_t thread = xs_scan_int(&scan, THREAD);
        if (thread <= 0 || !xs_scan_is_zero_or_null(&scan, BATCH) || !xs_scan_span(&scan, START, END, &ns))
            continue;
        double *time = xs_hash_item(times, (uint64_t)thread, 0, sizeof *time);
        *time += (double)ns;
    }
    xs_work_end(work->summary, &scan);
}

/* Finds the thread with most time in calls; the first if there are several. */
static void find_line(struct work *work) {
    XS_SCOPED_HASH times = {0};
    struct xs_scan scan;
    double most = -1;
    for (unsigned i = 0; i < XS_BUSY_TABLES; i++)
        add_times(work, &xs_busy_tables[i], &times);
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&times, entry));) {
        double time = *(const double *)(uintptr_t)entry->value;
        int64_t thread = (int64_t)entry->low;
        if (time < most || (time == most && thread > work->where->thread))
            continue;
        most = time;
        work->where->thread = thread;
    }
    xs_work_begin(work->summary, &scan, "SELECT tid FROM thread WHERE id = %" PRId64, work->where->thread);
    if (xs_scan_row(&scan))
        work->where->tid = xs_scan_int(&scan, 0);
    xs_work_end(work->summary, &scan);
}

static void add(struct work *work, enum xs_where_part part, uint64_t ns) { work->where->parts[part] += ns; }

/* Splits a call that may wait into parts, by what the devices did during it. The remaining time is added to the part
 * `rest`; if `rest` is XS_WHERE_COPY, the call itself is a copy. */
static void split(struct work *work, const struct xs_busy_call *call, enum xs_where_part rest) {
    uint64_t length = (uint64_t)(call->end_ns - call->start_ns), both = call->busy.ns[XS_BUSY_BOTH];
    uint64_t kernels = call->busy.ns[XS_BUSY_KERNELS], copies = call->busy.ns[XS_BUSY_COPIES];
    /* the call of a copy waits for kernels until the copy begins; any other waiting call waits for kernels while they
     * run */
    uint64_t copying = rest == XS_WHERE_COPY ? 0 : copies - both;
    uint64_t waiting = rest == XS_WHERE_COPY ? kernels - both : kernels;
    uint64_t faults = rest == XS_WHERE_COPY ? 0 : call->busy.ns[XS_BUSY_FAULTS];
    uint64_t room = length - copying;
    faults = faults < room ? faults : room;
    waiting = waiting < room - faults ? waiting : room - faults;
    add(work, XS_WHERE_COPY, copying);
    add(work, XS_WHERE_FAULT, faults);
    add(work, XS_WHERE_WAIT, waiting);
    add(work, rest, length - copying - faults - waiting);
}

static enum xs_where_part part_of_category(int64_t category) {
    static const enum xs_where_part parts[] = {
        [XS_CAT_ALLOCATE] = XS_WHERE_ALLOCATE, [XS_CAT_FREE] = XS_WHERE_ALLOCATE, [XS_CAT_CONTEXT] = XS_WHERE_START,
        [XS_CAT_LOOKUP] = XS_WHERE_START,      [XS_CAT_LOAD] = XS_WHERE_LOAD,     [XS_CAT_TRANSFER] = XS_WHERE_COPY};
    bool is_listed = category >= 0 && category < (int64_t)(sizeof parts / sizeof *parts) && parts[category];
    return is_listed ? parts[category] : XS_WHERE_LAUNCH;
}

static void take_call(void *context, const struct xs_busy_call *call) {
    struct work *work = context;
    uint64_t length = (uint64_t)(call->end_ns - call->start_ns);
    work->calls_ns += length;
    work->returning_in_calls_ns += call->busy.ns[XS_BUSY_RETURNS];
    work->first_ns = xs_earlier(call->start_ns, work->first_ns);
    switch (call->table) {
    case XS_BUSY_TRANSFER:
        split(work, call, XS_WHERE_COPY);
        break;
    case XS_BUSY_SYNC:
        split(work, call, XS_WHERE_WAIT);
        break;
    case XS_BUSY_FREE: /* a free waits for the device, unless the memory is host memory or belongs to a pool */
        split(work, call, XS_WHERE_ALLOCATE);
        break;
    case XS_BUSY_ALLOCATION:
        add(work, XS_WHERE_ALLOCATE, length);
        break;
    case XS_BUSY_API:
        add(work, part_of_category(call->category), length);
        break;
    default:
        add(work, XS_WHERE_LAUNCH, length);
        break;
    }
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
static void finish(struct work *work, uint64_t returns_ns, const struct xs_where_own *own) {
    struct xs_where *where = work->where;
    uint64_t gaps = where->run_ns - xs_least(where->run_ns, work->calls_ns);
    uint64_t returning = returns_ns - work->returning_in_calls_ns;
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

void xs_summary_where(struct xs_summary_work *work, bool is_known, const struct xs_where_own *own) {
    struct xs_where *where = &work->summary->where;
    uint64_t run_ns = work->summary->run.duration_ns;
    struct work sums = {.summary = work, .where = where, .first_ns = (int64_t)xs_least(run_ns, INT64_MAX)};
    if (is_known)
        where->run_ns = run_ns;
    is_known = is_known && run_ns && run_ns <= INT64_MAX;
    if (is_known)
        find_line(&sums);
    struct xs_busy_line line = {.thread = is_known ? where->thread : 0,
                                .end_ns = is_known ? (int64_t)run_ns : 0,
                                .on_call = take_call,
                                .context = &sums};
    xs_busy_read(work, &line);
    if (work->status >= 0 && line.thread)
        finish(&sums, line.run.ns[XS_BUSY_RETURNS], own);
}
