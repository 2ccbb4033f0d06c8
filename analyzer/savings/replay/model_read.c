/* Reads a trace into the model: the calls of all tables in one order, and their device records. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/hash.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/savings/replay/handoffs.h"
#include "analyzer/savings/replay/looks.h"
#include "analyzer/savings/replay/model.h"
#include "analyzer/savings/replay/parts.h"
#include "analyzer/trace/kind_words.h"
#include "analyzer/trace/main_waits.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/site.h"
#include "analyzer/trace/streams.h"
#include "analyzer/trace/trait_sql.h"
#include "schema/format/kinds.h"

/* A device record. */
struct record {
    int64_t start_ns, end_ns;
    uint32_t call; /* the correlation number until the index of the call is known, then the index */
    int32_t device;
    uint8_t engine;
    bool is_of_graph;
};

struct numbers {
    struct xs_hash of; /* maps to the number plus 1 */
    int32_t count;
};

struct reading {
    struct xs_model *model;
    const struct xs_trace *trace;
    const struct xs_parts *parts;
    struct xs_sites *sites;
    char *message;
    uint64_t *damaged;
    struct xs_streams streams;
    struct xs_main_waits main_waits;
    struct numbers threads, stream_numbers, devices;
    struct xs_hash context_devices; /* maps context.id to the device's ordinal plus 1 */
    struct correlated {
        uint32_t correlation, call;
    } * correlations; /* correlation numbers of the calls, sorted */
    size_t correlation_count;
    size_t count, call_capacity, copy_capacity; /* count: number of calls, including nested ones, which are dropped
                                                 * later */
    struct record *records;
    size_t record_count, record_capacity;
};

static int32_t number_of(struct numbers *numbers, int64_t low, int64_t high) {
    uint64_t *number = xs_hash_put(&numbers->of, (uint64_t)low, (uint64_t)high);
    if (!*number)
        *number = (uint64_t)++numbers->count;
    return (int32_t)*number - 1;
}

/* --- calls --- */

/* Columns of every query: id, entry_point, thread, context, stream, enter_ns, return_ns, correlation, object, is_async,
 * a column that depends on the kind of call (for a copy: its place in a batch, or NULL), bytes, stack. Copies also have
 * direction, address and kind of both sides and a fingerprint; allocations have address and kind. */
enum { ENTER_NS = 5, DETAIL = 10, ADDRESS = 14, MEMORY_KIND, FINGERPRINT, CAPTURED, DST_ADDRESS, DST_KIND };
struct table {
    const char *name, *columns; /* the columns of a table of rows and shapes; name NULL: there is a statement */
    const char *sql;
    enum xs_model_kind kind;
};
static const struct table tables[] = {
    {"transfer",
     "id, entry_point, thread, context, stream, enter_ns, return_ns, correlation, NULL, is_async, batch_index, bytes,"
     " stack, direction, src_address, src_kind, fingerprint, is_captured, dst_address, dst_kind",
     NULL, XS_MODEL_TRANSFER},
    {NULL, NULL,
     "SELECT id, entry_point, thread, context, stream, enter_ns, return_ns, correlation, NULL, is_async, 0, bytes,"
     " stack, 0, NULL, NULL FROM memset WHERE is_captured = 0",
     XS_MODEL_MEMSET},
    {NULL, NULL,
     "SELECT id, entry_point, thread, context, stream, enter_ns, return_ns, NULL, NULL, 0, 0, bytes, stack, 0,"
     " address, kind FROM allocation WHERE thread IS NOT NULL AND enter_ns IS NOT NULL",
     XS_MODEL_ALLOCATION},
    {NULL, NULL,
     "SELECT id, free_entry_point, free_thread, context, free_stream, free_enter_ns, free_return_ns, NULL, NULL, 0, 0,"
     " bytes, free_stack, 0, address, kind FROM allocation WHERE free_thread IS NOT NULL AND free_enter_ns IS NOT NULL",
     XS_MODEL_FREE},
    {"launch",
     "id, entry_point, thread, context, stream, enter_ns, return_ns, correlation, NULL, 1, 0, 0, NULL, 0, NULL, NULL,"
     " NULL, is_captured",
     NULL, XS_MODEL_LAUNCH},
    {NULL, NULL,
     "SELECT id, entry_point, thread, context, stream, enter_ns, return_ns, NULL, object, 0, scope, 0, stack,"
     " 0, NULL, NULL FROM sync",
     XS_MODEL_SYNC},
    {NULL, NULL,
     "SELECT id, entry_point, thread, context, stream, enter_ns, return_ns, correlation, object, 0,"
     " CASE WHEN entry_point" XS_RECORDS_EVENT " THEN 1 WHEN entry_point" XS_WAITS_FOR_EVENT " THEN 2 ELSE 0 END, 0,"
     " NULL, 0, NULL, NULL FROM api_call WHERE is_captured = 0",
     XS_MODEL_OTHER},
};

static int32_t device_of(struct reading *r, int64_t context) {
    const uint64_t *device = xs_hash_find(&r->context_devices, (uint64_t)context, 0);
    return device ? number_of(&r->devices, (int64_t)*device, 0) : 0;
}

static void read_kind(struct xs_model_call *call, enum xs_model_kind kind, int64_t detail) {
    static const enum xs_model_wait of_scope[] = {
        [XS_SYNC_CONTEXT] = XS_WAITS_DEVICE, [XS_SYNC_STREAM] = XS_WAITS_STREAM, [XS_SYNC_EVENT] = XS_WAITS_EVENT};
    call->kind = (uint8_t)kind;
    if (kind == XS_MODEL_SYNC && detail >= 0 && detail < (int64_t)(sizeof of_scope / sizeof *of_scope))
        call->wait = (uint8_t)of_scope[detail];
    if (kind == XS_MODEL_OTHER && detail)
        call->kind = detail == 1 ? XS_MODEL_RECORD : XS_MODEL_WAIT_EVENT;
}

/* Reads what only copies have. The host's side of an upload is its source, that of a download its destination. */
static void read_copy(struct xs_scan *scan, struct xs_model_call *call) {
    bool is_upload = call->direction == XS_DIR_H2D, is_download = call->direction == XS_DIR_D2H;
    call->address = (uint64_t)(is_upload     ? xs_scan_int(scan, ADDRESS)
                               : is_download ? xs_scan_int(scan, DST_ADDRESS)
                                             : 0);
    call->memory_kind = (uint8_t)(is_upload     ? xs_scan_kind(scan, MEMORY_KIND, XS_MEMORY_KIND_COUNT)
                                  : is_download ? xs_scan_kind(scan, DST_KIND, XS_MEMORY_KIND_COUNT)
                                                : 0);
    call->is_of_batch = !xs_scan_null(scan, DETAIL);
    call->is_looked_at = !xs_scan_null(scan, FINGERPRINT);
}

/* Reads a call. False: its times are damaged. */
static bool read_call(struct reading *r, struct xs_scan *scan, enum xs_model_kind kind, struct xs_model_call *call) {
    int64_t enter_ns, return_ns;
    if (!xs_scan_times(scan, ENTER_NS, 6, &enter_ns, &return_ns))
        return false;
    int64_t context = xs_scan_int(scan, 3), stream = xs_stream_identity(&r->streams, xs_scan_int(scan, 4));
    int64_t entry_point = xs_scan_int(scan, 1);
    *call = (struct xs_model_call){.correlation = xs_scan_correlation(scan, 7)};
    call->row = xs_scan_int(scan, 0);
    call->entry_point = xs_scan_entry_point(scan, 1);
    call->thread = number_of(&r->threads, xs_scan_int(scan, 2), 0);
    call->device = device_of(r, context);
    call->is_legacy = stream < 0;
    call->stream = stream ? number_of(&r->stream_numbers, stream, 0) : 0;
    call->enter_ns = enter_ns;
    call->return_ns = return_ns;
    call->is_async = xs_scan_int(scan, 9) != 0;
    call->bytes = xs_scan_count_or_null(scan, 11);
    call->direction = (uint8_t)xs_scan_kind(scan, 13, XS_DIRECTION_COUNT);
    if (kind == XS_MODEL_TRANSFER) {
        read_copy(scan, call);
    } else {
        call->address = (uint64_t)xs_scan_int(scan, xs_scan_null(scan, 8) ? ADDRESS : 8);
        call->memory_kind = (uint8_t)xs_scan_kind(scan, MEMORY_KIND, XS_MEMORY_KIND_COUNT);
    }
    int64_t stack = xs_scan_int(scan, 12);
    call->site = r->sites ? xs_site_of(r->sites, xs_scan_null(scan, 1) ? -1 : entry_point, stack) : 0;
    call->stack = stack > 0 && stack <= UINT32_MAX ? (uint32_t)stack : 0;
    const struct xs_frame *frame = call->site ? xs_site_place_frame(r->sites, call->site) : NULL;
    call->is_of_main = frame && frame->of == XS_FRAME_MAIN;
    call->is_of_library = frame && (frame->library || call->is_of_main);
    call->operation = XS_NO_OPERATION;
    read_kind(call, kind, kind == XS_MODEL_TRANSFER ? 0 : xs_scan_int(scan, DETAIL));
    return true;
}

/* Adds the main thread's wait for a download. The device's work ends with it, so all of that work is waited for. */
static void add_main_wait(struct reading *r, const struct xs_model_call *download, const struct xs_main_wait *wait) {
    xs_grow(&r->model->calls, r->count, &r->call_capacity, sizeof *r->model->calls);
    r->model->calls[r->count++] = (struct xs_model_call){.row = -download->row,
                                                         .kind = XS_MODEL_SYNC,
                                                         .wait = XS_WAITS_DEVICE,
                                                         .thread = number_of(&r->threads, wait->thread, 0),
                                                         .device = download->device,
                                                         .site = download->site,
                                                         .enter_ns = wait->begin_ns,
                                                         .return_ns = wait->end_ns,
                                                         .operation = XS_NO_OPERATION};
}

static int read_table(struct reading *r, const struct table *table) {
    struct xs_model *model = r->model;
    struct xs_scan scan;
    if (table->name)
        xs_scan_columns(&scan, r->trace, table->name, table->columns, r->message, r->damaged);
    else
        xs_scan_begin(&scan, r->trace, table->sql, r->message, r->damaged);
    while (xs_scan_row(&scan)) {
        if (!xs_parts_have(r->parts, xs_scan_int(&scan, ENTER_NS)))
            continue;
        if (table->name && !xs_scan_is_zero(&scan, CAPTURED))
            continue;
        xs_grow(&model->calls, r->count, &r->call_capacity, sizeof *model->calls);
        if (!read_call(r, &scan, table->kind, &model->calls[r->count]))
            continue;
        struct xs_model_call call = model->calls[r->count++];
        const struct xs_main_wait *wait =
            table->kind == XS_MODEL_TRANSFER ? xs_main_wait_of(&r->main_waits, call.row) : NULL;
        if (wait && wait->begin_ns < wait->end_ns)
            add_main_wait(r, &call, wait);
    }
    return xs_scan_end(&scan);
}

static int by_enter(const void *a, const void *b) {
    const struct xs_model_call *x = a, *y = b;
    /* If two calls begin at the same time, the outer one comes first. A wait of the main thread outside of CUDA begins
     * as the call before it, which may take no time, returns. */
    return xs_compare(x->enter_ns, y->enter_ns) ?: xs_compare(x->row < 0, y->row < 0)
                                                ?: xs_compare(y->return_ns, x->return_ns) ?: xs_compare(x->row, y->row);
}

static void add_copy(struct reading *r, uint32_t index, const struct xs_model_call *of) {
    struct xs_model *model = r->model;
    size_t count = model->copy_count;
    xs_grow(&model->copies, count, &r->copy_capacity, sizeof *model->copies);
    model->copies[model->copy_count++] =
        (struct xs_model_copy){of->row, of->bytes, of->address, index, of->direction, of->memory_kind};
    model->calls[index].copies++;
}

/* Adds another copy to a batch call. */
static void add_to_batch(struct reading *r, uint32_t index, const struct xs_model_call *copy) {
    struct xs_model_call *call = &r->model->calls[index];
    if (!call->copies)
        add_copy(r, index, call);
    add_copy(r, index, copy);
    call->bytes = xs_sum(call->bytes, copy->bytes);
}

static int by_batch(const void *a, const void *b) {
    const struct xs_model_copy *x = a, *y = b;
    return xs_compare(x->call, y->call) ?: xs_compare(x->row, y->row);
}

static void sort_copies(struct xs_model *model) {
    if (model->copy_count)
        qsort(model->copies, model->copy_count, sizeof *model->copies, by_batch);
    for (uint32_t i = model->copy_count; i-- > 0;)
        model->calls[model->copies[i].call].copy = i;
}

static int by_correlation(const void *a, const void *b) {
    const struct correlated *x = a, *y = b;
    return xs_compare(x->correlation, y->correlation) ?: xs_compare(x->call, y->call);
}

/* Returns the last call with that correlation number; XS_NO_OPERATION: none. */
static uint32_t find_correlated(const struct reading *r, uint32_t correlation) {
    size_t low = 0, high = r->correlation_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->correlations[middle].correlation <= correlation)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low && correlation && r->correlations[low - 1].correlation == correlation;
    return found ? r->correlations[low - 1].call : XS_NO_OPERATION;
}

/* Drops calls inside another call of their thread (retries of the runtime, an allocator's own calls), because they are
 * part of the outer call. The remaining calls are moved within the array, so that there are never two arrays of
 * calls. */
static void keep_outer_calls(struct reading *r) {
    struct xs_model *model = r->model;
    uint32_t *latest = xs_realloc(NULL, (size_t)(r->threads.count + 1) * sizeof *latest);
    for (int32_t t = 0; t <= r->threads.count; t++)
        latest[t] = UINT32_MAX;
    r->correlations = xs_realloc(NULL, (r->count + 1) * sizeof *r->correlations);
    for (size_t i = 0; i < r->count; i++) {
        const struct xs_model_call *call = &model->calls[i];
        uint32_t correlation = call->correlation;
        uint32_t outer = latest[call->thread];
        bool is_next = call->is_of_batch && outer != UINT32_MAX && model->calls[outer].is_of_batch &&
                       call->enter_ns == model->calls[outer].enter_ns &&
                       call->entry_point == model->calls[outer].entry_point;
        bool is_inside = is_next || (outer != UINT32_MAX && call->enter_ns < model->calls[outer].return_ns);
        uint32_t index = is_inside ? outer : model->call_count++;
        if (!is_inside) {
            latest[call->thread] = index;
            model->calls[index] = *call;
        } else if (is_next) {
            add_to_batch(r, index, call);
        }
        if (correlation)
            r->correlations[r->correlation_count++] = (struct correlated){correlation, index};
    }
    sort_copies(model);
    free(latest);
    if (r->correlation_count)
        qsort(r->correlations, r->correlation_count, sizeof *r->correlations, by_correlation);
    model->calls = xs_realloc(model->calls, (model->call_count + (size_t)1) * sizeof *model->calls);
}

static int read_calls(struct reading *r) {
    int status = XS_OK;
    for (size_t i = 0; i < sizeof tables / sizeof *tables && status >= 0; i++)
        status = read_table(r, &tables[i]);
    if (status >= 0) {
        if (r->count)
            qsort(r->model->calls, r->count, sizeof *r->model->calls, by_enter);
        keep_outer_calls(r);
    }
    return status;
}

/* --- the device --- */

static const struct {
    const char *table, *columns;
    bool is_copy;
} record_tables[] = {
    {"device_copy", "correlation, start_ns, end_ns, device, graph_node, kind", true},
    {"device_memset", "correlation, start_ns, end_ns, device, graph_node, 0", false},
    {"device_kernel", "correlation, start_ns, end_ns, device, graph_node, 0", false},
};

static uint8_t engine_of(bool is_copy, int64_t kind) {
    unsigned direction = is_copy && kind >= 0 ? xs_direction_of_copy((unsigned)kind) : XS_DIR_UNKNOWN;
    return direction == XS_DIR_H2D ? XS_ENGINE_H2D : direction == XS_DIR_D2H ? XS_ENGINE_D2H : XS_ENGINE_OTHER;
}

static void read_record(struct reading *r, struct xs_scan *scan, bool is_copy) {
    enum { DEVICES = 1 << 16 };
    int64_t start_ns, end_ns;
    bool may_be_elsewhere = r->parts && r->parts->count > 0; /* its call may be in a part that is not replayed */
    if (may_be_elsewhere && find_correlated(r, xs_scan_correlation(scan, 0)) == XS_NO_OPERATION)
        return;
    if (xs_scan_null(scan, 2) || !xs_scan_times(scan, 1, 2, &start_ns, &end_ns))
        return;
    xs_grow(&r->records, r->record_count, &r->record_capacity, sizeof *r->records);
    int64_t device = xs_scan_null(scan, 3) ? -1 : xs_scan_int(scan, 3);
    if (device < 0 || device >= DEVICES)
        device = -1;
    r->records[r->record_count++] = (struct record){.call = xs_scan_correlation(scan, 0),
                                                    .start_ns = start_ns,
                                                    .end_ns = end_ns,
                                                    .device = number_of(&r->devices, device + 1, 0),
                                                    .is_of_graph = !xs_scan_null(scan, 4),
                                                    .engine = engine_of(is_copy, xs_scan_int(scan, 5))};
}

static int read_records(struct reading *r) {
    int status = XS_OK;
    for (size_t i = 0; i < sizeof record_tables / sizeof *record_tables && status >= 0; i++) {
        struct xs_scan scan;
        xs_scan_columns(&scan, r->trace, record_tables[i].table, record_tables[i].columns, r->message, r->damaged);
        while (xs_scan_row(&scan))
            read_record(r, &scan, record_tables[i].is_copy);
        status = xs_scan_end(&scan);
    }
    return status;
}

static int by_call(const void *a, const void *b) {
    const struct record *x = a, *y = b;
    return xs_compare(x->call, y->call) ?: xs_compare(x->start_ns, y->start_ns);
}

static void add_operation(struct xs_model *model, const struct record *record) {
    struct xs_model_call *call = &model->calls[record->call];
    struct xs_model_operation *last = call->operations ? &model->operations[model->operation_count - 1] : NULL;
    if (last && record->is_of_graph) { /* all nodes of a graph are one operation */
        last->end_ns = record->end_ns > last->end_ns ? record->end_ns : last->end_ns;
        last->engine = XS_ENGINE_OTHER;
        return;
    }
    if (!call->operations++)
        call->operation = model->operation_count;
    if (!call->device)
        call->device = record->device;
    model->operations[model->operation_count++] = (struct xs_model_operation){.start_ns = record->start_ns,
                                                                              .end_ns = record->end_ns,
                                                                              .call = record->call,
                                                                              .device = record->device,
                                                                              .engine = record->engine};
}

static void join_records(struct reading *r) {
    struct xs_model *model = r->model;
    size_t count = 0;
    for (size_t i = 0; i < r->record_count; i++) {
        uint32_t call = find_correlated(r, r->records[i].call);
        model->unmatched += call == XS_NO_OPERATION;
        if (call == XS_NO_OPERATION)
            continue;
        r->records[count] = r->records[i];
        r->records[count++].call = call;
    }
    if (count)
        qsort(r->records, count, sizeof *r->records, by_call);
    model->operations = xs_realloc(NULL, (count + 1) * sizeof *model->operations);
    for (size_t i = 0; i < count; i++)
        add_operation(model, &r->records[i]);
}

/* --- all --- */

static int read_context_devices(struct reading *r) {
    struct xs_scan scan;
    xs_scan_begin(&scan, r->trace, "SELECT id, device FROM context WHERE device IS NOT NULL", r->message, r->damaged);
    while (xs_scan_row(&scan))
        if (xs_scan_int(&scan, 1) >= 0)
            *xs_hash_put(&r->context_devices, (uint64_t)xs_scan_int(&scan, 0), 0) = (uint64_t)xs_scan_int(&scan, 1) + 1;
    return xs_scan_end(&scan);
}

static void set_device_ids(struct reading *r) {
    struct xs_model *model = r->model;
    model->device_ids = xs_realloc(NULL, ((size_t)r->devices.count + 1) * sizeof *model->device_ids);
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&r->devices.of, entry));)
        model->device_ids[entry->value - 1] = (int64_t)(entry->low - 1);
}

static void set_thread_ids(struct reading *r) {
    struct xs_model *model = r->model;
    model->thread_ids = xs_realloc(NULL, ((size_t)r->threads.count + 1) * sizeof *model->thread_ids);
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&r->threads.of, entry));)
        model->thread_ids[entry->value - 1] = (int64_t)entry->low;
}

/* Sets the main thread's number; -1: the trace does not say which it is, or it made no call. */
static int find_main_thread(struct reading *r) {
    int64_t thread = 0;
    int status = xs_scan_one(r->trace, "SELECT id FROM thread WHERE tid = (SELECT value FROM meta WHERE key = 'pid')",
                             &thread, r->message);
    const uint64_t *number = xs_hash_find(&r->threads.of, (uint64_t)thread, 0);
    r->model->main_thread = number ? (int32_t)*number - 1 : -1;
    return status;
}

/* True if the wait ended soon after the device's work and the copy. Otherwise the thread may have worked while the
 * device did, and slept only for the copy. A wait that begins when another wait ends need not wait for the device,
 * because it is for its own copy. */
static bool is_for_device(const struct xs_model *model, const struct xs_model_call *download,
                          const struct xs_model_call *wait) {
    enum { SOON_NS = 300000 };
    int64_t copy_ns = download->operations ? xs_model_lasted(&model->operations[download->operation]) : 0;
    const struct xs_model_call *before = wait->previous == XS_NO_CALL ? NULL : &model->calls[wait->previous];
    bool goes_on = before && before->row < 0 && before->return_ns == wait->enter_ns;
    return (wait->waited || goes_on) && wait->rest_ns - copy_ns <= SOON_NS;
}

/* Joins downloads with the main thread's waits for them. Any other wait becomes a call that takes no time, because its
 * time counts as the program's own. */
static void join_main_waits(struct xs_model *model) {
    struct xs_hash by_row = {0};
    for (uint32_t i = 0; i < model->call_count; i++)
        if (model->calls[i].row < 0)
            *xs_hash_put(&by_row, (uint64_t)-model->calls[i].row, 0) = i + 1;
    for (uint32_t i = 0; i < model->call_count && by_row.count; i++) {
        struct xs_model_call *call = &model->calls[i];
        const uint64_t *index =
            call->kind == XS_MODEL_TRANSFER && call->row > 0 ? xs_hash_find(&by_row, (uint64_t)call->row, 0) : NULL;
        struct xs_model_call *wait = index ? &model->calls[*index - 1] : NULL;
        if (wait && is_for_device(model, call, wait)) {
            call->main_wait = (uint32_t)*index;
        } else if (wait) {
            wait->return_ns = wait->enter_ns;
            wait->wait = XS_WAITS_NOT;
            wait->waited = false;
            wait->rest_ns = wait->own_ns = 0;
        }
    }
    xs_hash_free(&by_row);
}

static void end(struct reading *r) {
    xs_streams_free(&r->streams);
    xs_main_waits_free(&r->main_waits);
    xs_hash_free(&r->threads.of);
    xs_hash_free(&r->stream_numbers.of);
    xs_hash_free(&r->devices.of);
    xs_hash_free(&r->context_devices);
    free(r->correlations);
    free(r->records);
    r->correlations = NULL;
    r->records = NULL;
}

/* Puts together what was read. */
static void build(struct reading *r, struct xs_parts *parts) {
    struct xs_model *model = r->model;
    join_records(r);
    for (uint32_t i = 0; i < model->call_count; i++)
        model->run_ns = model->calls[i].return_ns > model->run_ns ? model->calls[i].return_ns : model->run_ns;
    if (r->devices.count == 2) /* the devices are "unknown" and only one real device */
        for (uint32_t i = 0; i < model->call_count; i++)
            model->calls[i].device = 1;
    model->threads = r->threads.count;
    model->streams = r->stream_numbers.count;
    model->devices = r->devices.count;
    set_device_ids(r);
    set_thread_ids(r);
    end(r); /* frees memory, because the next steps need memory, too */
    xs_parts_close_up(parts, model);
    xs_model_find_waits(model);
    join_main_waits(model);
    xs_model_find_looks(model);
    xs_model_find_handoffs(model);
}

int xs_model_read(struct xs_model *model, const struct xs_trace *trace, struct xs_parts *parts, struct xs_sites *sites,
                  char *message, uint64_t *damaged) {
    struct reading r = {
        .model = model, .trace = trace, .parts = parts, .sites = sites, .message = message, .damaged = damaged};
    *model = (struct xs_model){.parts = parts, .run_ns = xs_model_ns(xs_trace_meta_int(trace, "duration_ns", 0))};
    number_of(&r.stream_numbers, INT64_MAX, 1); /* stream number 0 means unknown */
    number_of(&r.devices, 0, 1);
    int status = xs_streams_read(&r.streams, trace, message, damaged);
    if (status >= 0)
        status = read_context_devices(&r);
    if (status >= 0)
        status = xs_main_waits_read(&r.main_waits, trace, message, damaged);
    if (status >= 0)
        status = read_calls(&r);
    if (status >= 0)
        status = find_main_thread(&r);
    if (status >= 0)
        status = read_records(&r);
    if (status >= 0)
        build(&r, parts);
    else
        xs_model_free(model);
    end(&r);
    return status;
}

void xs_model_free(struct xs_model *model) {
    free(model->calls);
    free(model->copies);
    free(model->operations);
    free(model->device_ids);
    free(model->thread_ids);
    *model = (struct xs_model){0};
}
