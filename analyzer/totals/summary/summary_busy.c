/* Adds up busy times in order of time; see summary_busy.h. */
#include "analyzer/totals/summary/summary_busy.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/heap.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/pool.h"
#include "analyzer/base/text.h"
#include "analyzer/trace/events.h"
#include "schema/format/kinds.h"

const struct xs_busy_table_info xs_busy_tables[XS_BUSY_TABLES] = {
    [XS_BUSY_TRANSFER] = {"transfer", "enter_ns", "return_ns", "thread", "batch_index"},
    [XS_BUSY_MEMSET] = {"memset", "enter_ns", "return_ns", "thread", "NULL"},
    [XS_BUSY_LAUNCH] = {"launch", "enter_ns", "return_ns", "thread", "NULL"},
    [XS_BUSY_SYNC] = {"sync", "enter_ns", "return_ns", "thread", "NULL"},
    [XS_BUSY_API] = {"api_call", "enter_ns", "return_ns", "thread", "NULL"},
    [XS_BUSY_ALLOCATION] = {"allocation", "enter_ns", "return_ns", "thread", "NULL"},
    [XS_BUSY_FREE] = {"allocation", "free_enter_ns", "free_return_ns", "free_thread", "NULL"},
};

/* --- rows --- */

struct item {
    int64_t start_ns, end_ns;
    int64_t what; /* its device, kind or category, by table */
};

enum { ID, START, END, WHAT };

static bool read_item(struct xs_scan *scan, void *item) {
    uint64_t ns;
    if (xs_scan_null(scan, END) || !xs_scan_span(scan, START, END, &ns))
        return false;
    *(struct item *)item = (struct item){xs_scan_int(scan, START), xs_scan_int(scan, END), xs_scan_int(scan, WHAT)};
    return true;
}

/* The device is in the first of three columns that is not NULL. */
static bool read_work(struct xs_scan *scan, void *item) {
    int column = WHAT;
    if (!read_item(scan, item))
        return false;
    while (column < WHAT + 2 && xs_scan_null(scan, column))
        column++;
    ((struct item *)item)->what = xs_scan_null(scan, column) ? -1 : xs_scan_int(scan, column);
    return true;
}

/* Reads only the calls of one thread. The number of this thread is the column LINE of every row. */
static bool read_call(struct xs_scan *scan, void *item) {
    enum { THREAD = WHAT + 1, LINE, BATCH };
    return xs_scan_int(scan, THREAD) == xs_scan_int(scan, LINE) && xs_scan_is_zero_or_null(scan, BATCH) &&
           read_item(scan, item);
}

#define TIMED "start_ns IS NOT NULL AND end_ns IS NOT NULL"
enum { COPIES, KERNELS, MIGRATIONS, WORK_TABLES, SOURCES = WORK_TABLES + XS_BUSY_TABLES };
static const struct xs_source_kind of_devices[WORK_TABLES] = {
    [COPIES] = {"device_copy", "start_ns", TIMED, "end_ns, device, dst_device, src_device", sizeof(struct item),
                read_work, true},
    [KERNELS] = {"device_kernel", "start_ns", TIMED, "end_ns, device, NULL, NULL", sizeof(struct item), read_work,
                 true},
    [MIGRATIONS] = {"device_migration", "start_ns", TIMED, "end_ns, kind", sizeof(struct item), read_item, false},
};
_Static_assert((int)SOURCES <= (int)XS_MERGED_MOST, "they are read as one");

/* --- the times --- */

/* Something that is busy with several pieces of work at a time. */
struct busy {
    int64_t now_ns;
    uint64_t open[XS_BUSY_BOTH]; /* pieces of work that run now */
    struct xs_busy_times times;  /* up to now */
};

/* A call whose end was not reached. */
struct open_call {
    struct xs_busy_call call; /* `busy` is as it was at the start */
};

struct sweep {
    struct xs_summary_work *work;
    struct xs_busy_line *line;
    struct busy all;
    struct busy *devices; /* by index in summary->devices */
    size_t device_count;
    struct xs_heap coming; /* the ends of work, and the starts and ends of calls; `order` says which */
    struct xs_pool calls;
};
enum coming { WORK_ENDS, CALL_STARTS, CALL_ENDS, RUN_STARTS, RUN_ENDS };

static void advance(struct busy *busy, int64_t ns) {
    if (ns <= busy->now_ns)
        return;
    uint64_t passed = (uint64_t)ns - (uint64_t)busy->now_ns, *times = busy->times.ns;
    for (unsigned i = 0; i < XS_BUSY_BOTH; i++)
        times[i] += busy->open[i] ? passed : 0;
    times[XS_BUSY_BOTH] += busy->open[XS_BUSY_COPIES] && busy->open[XS_BUSY_KERNELS] ? passed : 0;
    busy->now_ns = ns;
}

static void change(struct busy *busy, int64_t ns, enum xs_busy_with with, uint64_t by) {
    advance(busy, ns);
    busy->open[with] += by;
}

static struct xs_busy_times since(const struct busy *busy, const struct xs_busy_times *start) {
    struct xs_busy_times times;
    for (unsigned i = 0; i < XS_BUSY_WITH; i++)
        times.ns[i] = busy->times.ns[i] - start->ns[i];
    return times;
}

static void end_call(struct sweep *sweep, struct open_call *open) {
    struct xs_busy_call call = open->call;
    call.busy = since(&sweep->all, &open->call.busy);
    sweep->line->on_call(sweep->line->context, &call);
    xs_pool_give(&sweep->calls, open);
}

/* Handles the ends and starts in `coming` up to a time. */
static void reach(struct sweep *sweep, int64_t ns) {
    while (sweep->coming.count && xs_heap_next(&sweep->coming) <= ns) {
        int64_t at_ns = xs_heap_next(&sweep->coming);
        enum coming what = (enum coming)sweep->coming.items[0].order;
        uint64_t value = xs_heap_pop(&sweep->coming);
        struct open_call *open = (struct open_call *)(uintptr_t)value;
        advance(&sweep->all, at_ns);
        switch (what) {
        case WORK_ENDS:
            sweep->all.open[value % XS_BUSY_WITH]--;
            if (value % XS_BUSY_WITH <= XS_BUSY_KERNELS)
                change(&sweep->devices[value / XS_BUSY_WITH], at_ns, value % XS_BUSY_WITH, UINT64_MAX);
            break;
        case CALL_STARTS:
            open->call.busy = sweep->all.times;
            break;
        case CALL_ENDS:
            end_call(sweep, open);
            break;
        case RUN_STARTS:
            sweep->line->run = sweep->all.times;
            break;
        case RUN_ENDS:
            sweep->line->run = since(&sweep->all, &sweep->line->run);
            break;
        }
    }
}

static void will_come(struct sweep *sweep, int64_t ns, enum coming what, uint64_t value) {
    xs_heap_push(&sweep->coming, (struct xs_heap_item){ns, what, value});
}

static void begin_work(struct sweep *sweep, const struct item *item, enum xs_busy_with with, size_t device) {
    if (item->end_ns <= item->start_ns)
        return;
    change(&sweep->all, item->start_ns, with, 1);
    if (with <= XS_BUSY_KERNELS) {
        struct busy *busy = xs_reach(&sweep->devices, &sweep->device_count, device, sizeof *busy);
        if (!busy->open[XS_BUSY_COPIES] && !busy->open[XS_BUSY_KERNELS])
            busy->now_ns = item->start_ns;
        change(busy, item->start_ns, with, 1);
    }
    will_come(sweep, item->end_ns, WORK_ENDS, device * XS_BUSY_WITH + with);
}

static void begin_migration(struct sweep *sweep, const struct item *item) {
    enum { DTOH = 2, CPU_FAULT = 3 };
    begin_work(sweep, item, XS_BUSY_FAULTS, 0);
    if (item->what == DTOH || item->what == CPU_FAULT)
        begin_work(sweep, item, XS_BUSY_RETURNS, 0);
}

static void begin_call(struct sweep *sweep, const struct item *item, enum xs_busy_table table) {
    int64_t start_ns = xs_later(0, item->start_ns), end_ns = xs_earlier(item->end_ns, sweep->line->end_ns);
    if (start_ns >= end_ns)
        return;
    struct open_call *open = xs_pool_take(&sweep->calls);
    *open = (struct open_call){{.table = table, .category = item->what, .start_ns = start_ns, .end_ns = end_ns}};
    will_come(sweep, start_ns, CALL_STARTS, (uint64_t)(uintptr_t)open);
    will_come(sweep, end_ns, CALL_ENDS, (uint64_t)(uintptr_t)open);
}

static void take(struct sweep *sweep, unsigned source, const struct item *item) {
    switch (source) {
    case COPIES:
    case KERNELS:
        begin_work(sweep, item, source == COPIES ? XS_BUSY_COPIES : XS_BUSY_KERNELS,
                   xs_work_device(sweep->work, item->what));
        break;
    case MIGRATIONS:
        begin_migration(sweep, item);
        break;
    default:
        begin_call(sweep, item, source - WORK_TABLES);
        break;
    }
}

/* --- reading --- */

static int read_merged(struct sweep *sweep, struct xs_merge *merge) {
    int64_t ns;
    unsigned source;
    int status;
    while ((status = xs_merge_peek(merge, &ns, &source)) > 0) {
        reach(sweep, ns);
        take(sweep, source, xs_merge_take(merge, source));
    }
    if (status >= 0)
        reach(sweep, INT64_MAX);
    return status;
}

static int read_all(struct sweep *sweep) {
    struct xs_source_kind kinds[SOURCES];
    struct xs_string columns[XS_BUSY_TABLES] = {0}, where[XS_BUSY_TABLES] = {0};
    struct xs_merge merge;
    bool reads_calls = sweep->line->thread > 0;
    for (unsigned i = 0; i < WORK_TABLES; i++)
        kinds[i] = of_devices[i];
    for (unsigned i = 0; i < XS_BUSY_TABLES && reads_calls; i++) {
        const struct xs_busy_table_info *table = &xs_busy_tables[i];
        xs_string_format(&where[i], "%s = %" PRId64 " AND %s IS NOT NULL AND coalesce(%s, 0) = 0", table->thread,
                         sweep->line->thread, table->leave, table->batch);
        xs_string_format(&columns[i], "%s, %s, %s, %" PRId64 ", %s", table->leave,
                         i == XS_BUSY_API ? "(SELECT category FROM entry_point e WHERE e.id = entry_point)" : "0",
                         table->thread, sweep->line->thread, table->batch);
        kinds[WORK_TABLES + i] = (struct xs_source_kind){
            table->name, table->enter, where[i].data, columns[i].data, sizeof(struct item), read_call, true};
    }
    int status = xs_merge_begin(&merge, kinds, reads_calls ? SOURCES : MIGRATIONS, sweep->work->trace, NULL, 0,
                                sweep->work->message, NULL);
    if (status >= 0)
        status = read_merged(sweep, &merge);
    xs_merge_end(&merge);
    for (unsigned i = 0; i < XS_BUSY_TABLES; i++) {
        xs_string_free(&columns[i]);
        xs_string_free(&where[i]);
    }
    return status;
}

void xs_busy_read(struct xs_summary_work *work, struct xs_busy_line *line) {
    struct sweep sweep = {
        .work = work, .line = line, .all.now_ns = INT64_MIN, .calls.item_bytes = sizeof(struct open_call)};
    if (work->status < 0)
        return;
    will_come(&sweep, 0, RUN_STARTS, 0);
    will_come(&sweep, line->end_ns, RUN_ENDS, 0);
    work->status = read_all(&sweep);
    for (size_t i = 0; i < sweep.device_count && i < work->summary->device_count; i++) {
        struct xs_device_summary *d = &work->summary->devices[i];
        d->copy_busy_ns = sweep.devices[i].times.ns[XS_BUSY_COPIES];
        d->kernel_busy_ns = sweep.devices[i].times.ns[XS_BUSY_KERNELS];
        d->both_busy_ns = sweep.devices[i].times.ns[XS_BUSY_BOTH];
    }
    free(sweep.devices);
    xs_heap_free(&sweep.coming);
    xs_pool_free(&sweep.calls);
}
