/* Reads the rows of a timeline; see timeline.h. */
#include "analyzer/totals/timeline/timeline.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/totals/timeline/sources.h"
#include "analyzer/trace/kind_words.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/windows/device_windows.h"
#include "schema/format/kinds.h"

static bool is_work(enum xs_timeline_kind kind) { return kind >= XS_TIMELINE_COPY; }

static void read_call(struct xs_scan *scan, struct xs_timeline_row *row) {
    bool transfer = row->kind == XS_TIMELINE_TRANSFER || row->kind == XS_TIMELINE_BATCH;
    row->batch_index = -1;
    row->entry_point = xs_scan_int(scan, XS_SOURCE_ENTRY);
    row->stack = xs_scan_int(scan, XS_SOURCE_STACK);
    row->thread = xs_scan_int(scan, XS_SOURCE_THREAD);
    row->stream = xs_scan_int(scan, XS_SOURCE_STREAM);
    if (!transfer)
        return;
    row->direction = xs_scan_kind(scan, XS_SOURCE_DIRECTION, XS_DIRECTION_COUNT);
    row->src_kind = xs_scan_kind(scan, XS_SOURCE_SRC_KIND, XS_MEMORY_KIND_COUNT);
    row->dst_kind = xs_scan_kind(scan, XS_SOURCE_DST_KIND, XS_MEMORY_KIND_COUNT);
    if (!xs_scan_null(scan, XS_SOURCE_BATCH))
        row->batch_index = xs_scan_int(scan, XS_SOURCE_BATCH);
    row->is_async = xs_scan_int(scan, XS_SOURCE_ASYNC) != 0;
    row->left_out = !xs_scan_null(scan, XS_SOURCE_SKIP) && xs_scan_int(scan, XS_SOURCE_SKIP) == XS_SKIP_LEFT_OUT;
}

static void read_work(struct xs_scan *scan, struct xs_timeline_row *row) {
    row->device = xs_scan_null(scan, XS_SOURCE_DEVICE) ? -1 : xs_scan_int(scan, XS_SOURCE_DEVICE);
    row->context = xs_scan_int(scan, XS_SOURCE_CONTEXT);
    row->queue = xs_scan_int(scan, XS_SOURCE_QUEUE);
    row->of_graph = !xs_scan_null(scan, XS_SOURCE_NODE);
    if (row->of_graph)
        row->evidence = XS_TIMELINE_NO_EVIDENCE;
    if (row->kind == XS_TIMELINE_KERNEL)
        row->kernel = xs_scan_int(scan, XS_SOURCE_WHAT);
    if (row->kind != XS_TIMELINE_COPY)
        return;
    row->direction = xs_direction_of_copy(xs_scan_kind(scan, XS_SOURCE_WHAT, XS_COPY_KIND_COUNT));
    row->copies = xs_scan_int(scan, XS_SOURCE_COPIES);
}

/* Finds the next row that belongs on a timeline. */
static bool next_row(struct xs_scan *scan, enum xs_timeline_kind kind, struct xs_timeline_row *row) {
    while (xs_scan_row(scan)) {
        uint64_t ns = 0;
        *row = (struct xs_timeline_row){.kind = kind, .evidence = xs_timeline_sources[kind].evidence, .ran = true};
        row->timed = xs_scan_span(scan, XS_SOURCE_START, XS_SOURCE_END, &ns);
        if (is_work(kind) && !row->timed)
            continue;
        row->start_ns = xs_scan_int(scan, XS_SOURCE_START);
        row->end_ns = xs_scan_int(scan, XS_SOURCE_END);
        row->id = xs_scan_int(scan, XS_SOURCE_ID);
        row->correlation = xs_scan_int(scan, XS_SOURCE_CORRELATION);
        row->bytes = xs_scan_count_or_null(scan, XS_SOURCE_BYTES);
        row->modelled = is_work(kind) && row->correlation > 0 && row->correlation <= UINT32_MAX &&
                        xs_is_modelled(scan->trace, (uint32_t)row->correlation);
        if (is_work(kind))
            read_work(scan, row);
        else
            read_call(scan, row);
        return true;
    }
    return false;
}

int xs_timeline_scan(const struct xs_trace *trace, enum xs_timeline_kind kind, xs_timeline_take take, void *data,
                     char *message) {
    const struct xs_timeline_source *source = &xs_timeline_sources[kind];
    struct xs_timeline_row row;
    struct xs_scan scan;
    xs_scan_format(&scan, trace, message, NULL, "SELECT %s FROM %s t WHERE %s", source->columns, source->table,
                   source->ran ? source->ran : "1");
    while (next_row(&scan, kind, &row) && take(data, &row))
        ;
    return xs_scan_end(&scan);
}

/* --- several kinds as one sequence --- */

struct head {
    struct xs_scan scan;
    struct xs_timeline_row row;
    bool alive;
};

static void begin(struct head *head, const struct xs_trace *trace, enum xs_timeline_kind kind, char *message) {
    const struct xs_timeline_source *source = &xs_timeline_sources[kind];
    xs_scan_format(&head->scan, trace, message, NULL, "SELECT %s, %s%s%s FROM %s t %s WHERE %s%s%s ORDER BY 1, 2 DESC",
                   source->columns, source->ran ? source->ran : "", source->ran ? ", " : "", source->named,
                   source->table, source->joins, source->where ? source->where : "1", source->group ? " GROUP BY " : "",
                   source->group ? source->group : "");
}

static void read_named(struct head *head) {
    struct xs_scan *scan = &head->scan;
    struct xs_timeline_row *row = &head->row;
    bool work = is_work(row->kind);
    row->category = xs_timeline_sources[row->kind].category;
    row->name = (const char *)sqlite3_column_text(scan->statement, work ? XS_NAMED_WORK : XS_NAMED_CALL);
    row->statement = scan->statement;
    row->first_argument = work ? XS_NAMED_WORK_ARGUMENTS : XS_NAMED_CALL_ARGUMENTS;
    if (!work) {
        row->ran = xs_scan_int(scan, XS_NAMED_RAN) != 0;
        row->evidence_row = row->id;
        row->evidence_rows = xs_scan_int(scan, XS_NAMED_EVIDENCE_ROWS);
        row->range = xs_scan_int(scan, XS_NAMED_RANGE);
        return;
    }
    row->evidence_row = xs_scan_int(scan, XS_NAMED_OF_ROW);
    row->evidence_rows = xs_scan_int(scan, XS_NAMED_OF_ROWS);
    row->entry_point = xs_scan_int(scan, XS_NAMED_OF_ENTRY);
    row->stack = xs_scan_int(scan, XS_NAMED_OF_STACK);
    row->stream_known = sqlite3_column_type(scan->statement, XS_NAMED_HANDLE) == SQLITE_INTEGER;
    row->stream_handle = xs_scan_int(scan, XS_NAMED_HANDLE);
}

static void advance(struct head *head, enum xs_timeline_kind kind) {
    head->alive = next_row(&head->scan, kind, &head->row);
    if (head->alive)
        read_named(head);
}

static bool is_before(const struct xs_timeline_row *a, const struct xs_timeline_row *b) {
    return a->start_ns != b->start_ns ? a->start_ns < b->start_ns : a->end_ns > b->end_ns;
}

static struct head *first_of(struct head *heads, size_t count) {
    struct head *first = NULL;
    for (size_t i = 0; i < count; i++)
        if (heads[i].alive && (!first || is_before(&heads[i].row, &first->row)))
            first = &heads[i];
    return first;
}

int xs_timeline_merge(const struct xs_trace *trace, bool work, xs_timeline_take take, void *data, char *message) {
    struct head heads[XS_TIMELINE_KINDS], *first;
    enum xs_timeline_kind from = work ? XS_TIMELINE_COPY : XS_TIMELINE_TRANSFER;
    size_t count = work ? XS_TIMELINE_KINDS - XS_TIMELINE_COPY : XS_TIMELINE_COPY, begun = 0;
    int status = XS_OK;
    while (begun < count && status >= 0) {
        struct head *head = &heads[begun];
        enum xs_timeline_kind kind = from + (enum xs_timeline_kind)begun++;
        begin(head, trace, kind, message);
        advance(head, kind);
        status = head->scan.status;
    }
    while (status >= 0 && (first = first_of(heads, count)) && take(data, &first->row)) {
        advance(first, first->row.kind);
        status = first->scan.status;
    }
    for (size_t i = 0; i < begun; i++)
        xs_scan_end(&heads[i].scan);
    return status;
}

int xs_timeline_thread(const struct xs_trace *trace, int64_t id, struct xs_timeline_thread *thread, char *message) {
    struct xs_scan scan;
    *thread = (struct xs_timeline_thread){0};
    xs_scan_format(&scan, trace, message, NULL, "SELECT tid, name FROM thread WHERE id = %" PRId64, id);
    thread->known = xs_scan_row(&scan);
    if (thread->known) {
        thread->tid = xs_scan_int(&scan, 0);
        thread->name = xs_scan_null(&scan, 1) ? NULL : xs_scan_name(&scan, 1);
    }
    return xs_scan_end(&scan);
}
