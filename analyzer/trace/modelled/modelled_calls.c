/* Merges the tables of calls; see modelled_calls.h. */
#include "analyzer/trace/modelled/modelled_calls.h"

#include "analyzer/trace/kind_words.h"
#include "analyzer/trace/ran.h"

enum { ID, ENTER, RETURN, CONTEXT, STREAM, ENTRY, CORRELATION, FIRST };
#define COMMON "return_ns, context, stream, entry_point, correlation"
#define NO_NUMBER "return_ns, context, stream, entry_point, NULL"

static void read_common(struct xs_scan *scan, struct xs_call *call, enum xs_call_kind kind) {
    int64_t entry = xs_scan_int(scan, ENTRY);
    call->kind = (uint8_t)kind;
    call->id = xs_scan_int(scan, ID);
    call->context = xs_scan_int(scan, CONTEXT);
    call->stream = xs_scan_int(scan, STREAM);
    call->entry_point = entry > 0 && entry < 1 << 16 ? (int32_t)entry : 0;
    call->correlation = xs_scan_correlation(scan, CORRELATION);
    call->batch_index = -1;
}

static bool read_transfer(struct xs_scan *scan, void *item) {
    enum { BYTES = FIRST, DIRECTION, SRC, DST, ASYNC, BATCH, HEIGHT };
    struct xs_call *call = item;
    read_common(scan, call, XS_CALL_TRANSFER);
    call->bytes = (uint64_t)xs_scan_int(scan, BYTES);
    call->direction = (uint8_t)xs_scan_kind(scan, DIRECTION, XS_DIRECTION_COUNT);
    call->src_kind = (uint8_t)xs_scan_kind(scan, SRC, XS_MEMORY_KIND_COUNT);
    call->dst_kind = (uint8_t)xs_scan_kind(scan, DST, XS_MEMORY_KIND_COUNT);
    call->is_async = xs_scan_int(scan, ASYNC) != 0;
    call->is_box = xs_scan_int(scan, HEIGHT) > 0;
    int64_t batch = xs_scan_int(scan, BATCH);
    if (batch > 0 || (!batch && !xs_scan_null(scan, BATCH)))
        call->batch_index = batch <= INT32_MAX ? (int32_t)batch : INT32_MAX;
    return xs_scan_times(scan, ENTER, RETURN, &call->enter_ns, &call->return_ns);
}

static bool read_memset(struct xs_scan *scan, void *item) {
    enum { BYTES = FIRST, ASYNC, HEIGHT };
    struct xs_call *call = item;
    read_common(scan, call, XS_CALL_MEMSET);
    call->bytes = (uint64_t)xs_scan_int(scan, BYTES);
    call->is_async = xs_scan_int(scan, ASYNC) != 0;
    call->is_box = xs_scan_int(scan, HEIGHT) > 0;
    return xs_scan_times(scan, ENTER, RETURN, &call->enter_ns, &call->return_ns);
}

static bool read_launch(struct xs_scan *scan, void *item) {
    enum { KIND = FIRST, FUNCTION, GRID, GRID_END = GRID + 7 };
    struct xs_call *call = item;
    read_common(scan, call, XS_CALL_LAUNCH);
    call->is_async = true;
    call->detail = (uint8_t)xs_scan_kind(scan, KIND, XS_LAUNCH_KIND_COUNT);
    call->object = (uint64_t)xs_scan_int(scan, FUNCTION);
    for (int i = GRID; i < GRID_END; i++)
        call->grid = xs_mix(call->grid + (uint64_t)xs_scan_int(scan, i) + 1);
    return xs_scan_times(scan, ENTER, RETURN, &call->enter_ns, &call->return_ns);
}

static bool read_sync(struct xs_scan *scan, void *item) {
    enum { SCOPE = FIRST, OBJECT };
    struct xs_call *call = item;
    read_common(scan, call, XS_CALL_SYNC);
    call->detail = (uint8_t)xs_scan_kind(scan, SCOPE, XS_SYNC_SCOPE_COUNT);
    call->object = (uint64_t)xs_scan_int(scan, OBJECT);
    return xs_scan_times(scan, ENTER, RETURN, &call->enter_ns, &call->return_ns);
}

static bool read_event(struct xs_scan *scan, void *item) {
    enum { OBJECT = FIRST, RECORDS };
    struct xs_call *call = item;
    read_common(scan, call, XS_CALL_EVENT);
    call->object = (uint64_t)xs_scan_int(scan, OBJECT);
    call->detail = xs_scan_int(scan, RECORDS) != 0;
    return xs_scan_times(scan, ENTER, RETURN, &call->enter_ns, &call->return_ns);
}

static bool read_free(struct xs_scan *scan, void *item) {
    struct xs_call *call = item;
    read_common(scan, call, XS_CALL_FREE);
    return xs_scan_times(scan, ENTER, RETURN, &call->enter_ns, &call->return_ns);
}

#define WORKED XS_RAN " AND bytes > 0"
#define LAUNCHED XS_RAN " AND kind IN (0, 1, 2)"
#define RECORDED " AND correlation IS NOT NULL"
#define NAMED(pattern) "name GLOB '" pattern "'"
#define EVENTS                                                                                                         \
    XS_RAN " AND entry_point IN (SELECT id FROM entry_point WHERE " NAMED("cuEventRecord*") " OR " NAMED(              \
        "cuStreamWaitEvent*") ")"
#define EVENT_COLUMNS                                                                                                  \
    NO_NUMBER ", object, entry_point IN (SELECT id FROM entry_point WHERE " NAMED("cuEventRecord*") ")"
#define TRANSFER_COLUMNS COMMON ", bytes, direction, src_kind, dst_kind, is_async, batch_index, height"
#define MEMSET_COLUMNS COMMON ", bytes, is_async, height"
#define LAUNCH_COLUMNS COMMON ", kind, function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes"
#define FREE_COLUMNS "free_return_ns, context, free_stream, free_entry_point, NULL"

_Static_assert(XS_LAUNCH_GRAPH == 2 && XS_LAUNCH_COOPERATIVE == 1, "the kinds in the condition above");
#define FREED "free_return_ns > 0 AND free_stream IS NULL AND free_entry_point > 0"
#define KIND(table, time, where, columns, read)                                                                        \
    { table, time, where, columns, sizeof(struct xs_call), read }
static const struct xs_source_kind all[XS_CALL_KINDS] = {
    [XS_CALL_TRANSFER] = KIND("transfer", "enter_ns", WORKED, TRANSFER_COLUMNS, read_transfer),
    [XS_CALL_MEMSET] = KIND("memset", "enter_ns", WORKED, MEMSET_COLUMNS, read_memset),
    [XS_CALL_LAUNCH] = KIND("launch", "enter_ns", LAUNCHED, LAUNCH_COLUMNS, read_launch),
    [XS_CALL_SYNC] = KIND("sync", "enter_ns", "result = 0", NO_NUMBER ", scope, object", read_sync),
    [XS_CALL_EVENT] = KIND("api_call", "enter_ns", EVENTS, EVENT_COLUMNS, read_event),
    [XS_CALL_FREE] = KIND("allocation", "free_enter_ns", FREED, FREE_COLUMNS, read_free)};
/* Only calls that have a correlation number. */
static const struct xs_source_kind recorded_only[] = {
    [XS_CALL_TRANSFER] = KIND("transfer", "enter_ns", WORKED RECORDED, TRANSFER_COLUMNS, read_transfer),
    [XS_CALL_MEMSET] = KIND("memset", "enter_ns", WORKED RECORDED, MEMSET_COLUMNS, read_memset),
    [XS_CALL_LAUNCH] = KIND("launch", "enter_ns", LAUNCHED RECORDED, LAUNCH_COLUMNS, read_launch)};

void xs_calls_begin(struct xs_calls *calls, const struct xs_trace *trace, bool recorded, char *message) {
    unsigned window = xs_events_window(trace);
    *calls = (struct xs_calls){.taken = -1};
    for (unsigned i = 0; i < XS_CALL_KINDS; i++) {
        const struct xs_source_kind *kind = recorded && i <= XS_CALL_LAUNCH ? &recorded_only[i] : &all[i];
        calls->sources[i] = xs_source_begin(kind, trace, window, message, NULL);
        calls->alive[i] = true;
        calls->heads[i] = (struct xs_order_key){INT64_MIN, INT64_MIN}; /* not known yet */
    }
}

void xs_calls_end(struct xs_calls *calls) {
    for (unsigned i = 0; i < XS_CALL_KINDS; i++)
        xs_source_end(calls->sources[i]);
    *calls = (struct xs_calls){.taken = -1};
}

static int look(struct xs_calls *calls, unsigned i) {
    int status = XS_OK;
    calls->alive[i] = xs_source_peek(calls->sources[i], &calls->heads[i], &status) != NULL;
    return status;
}

const struct xs_call *xs_calls_next(struct xs_calls *calls, int *status) {
    int first = -1;
    *status = XS_OK;
    if (calls->taken >= 0) {
        xs_source_pop(calls->sources[calls->taken]);
        *status = look(calls, (unsigned)calls->taken);
    }
    for (unsigned i = 0; i < XS_CALL_KINDS && *status >= 0; i++) {
        if (calls->alive[i] && calls->heads[i].ns == INT64_MIN)
            *status = look(calls, i);
        if (calls->alive[i] && (first < 0 || calls->heads[i].ns < calls->heads[first].ns))
            first = (int)i;
    }
    calls->taken = first;
    if (*status < 0 || first < 0)
        return NULL;
    struct xs_order_key key;
    return xs_source_peek(calls->sources[first], &key, status);
}
