/* Merges the tables of calls; see modelled_calls.h. */
#include "analyzer/trace/modelled/modelled_calls.h"

#include <string.h>

#include "analyzer/trace/kind_words.h"
#include "analyzer/trace/ran.h"
#include "analyzer/trace/trait_sql.h"

/* The columns that every kind of call has; a table that lacks one has a constant. */
enum { ID, ENTER, RETURN, CONTEXT, STREAM, ENTRY, CORRELATION, BYTES, ASYNC, HEIGHT, OBJECT, DETAIL, FIRST };
#define COLUMNS(number, bytes, is_async, height, object, detail)                                                       \
    "return_ns, context, stream, entry_point, " number ", " bytes ", " is_async ", " height ", " object ", " detail

static bool read_call(struct xs_scan *scan, struct xs_modelled_call *call, enum xs_call_kind kind) {
    static const unsigned details[XS_CALL_KINDS] = {/* numbers of values of `detail` */
                                                    [XS_CALL_TRANSFER] = 1,
                                                    [XS_CALL_MEMSET] = 1,
                                                    [XS_CALL_LAUNCH] = XS_LAUNCH_KIND_COUNT,
                                                    [XS_CALL_SYNC] = XS_SYNC_SCOPE_COUNT,
                                                    [XS_CALL_EVENT] = 2,
                                                    [XS_CALL_FREE] = 1};
    call->kind = (uint8_t)kind;
    call->id = xs_scan_int(scan, ID);
    call->context = xs_scan_int(scan, CONTEXT);
    call->stream = xs_scan_int(scan, STREAM);
    call->entry_point = xs_scan_entry_point(scan, ENTRY);
    call->correlation = xs_scan_correlation(scan, CORRELATION);
    call->bytes = (uint64_t)xs_scan_int(scan, BYTES);
    call->is_async = xs_scan_int(scan, ASYNC) != 0;
    call->is_box = xs_scan_int(scan, HEIGHT) > 0;
    call->object = (uint64_t)xs_scan_int(scan, OBJECT);
    call->detail = (uint8_t)xs_scan_kind(scan, DETAIL, details[kind]);
    call->batch_index = -1;
    return xs_scan_times(scan, ENTER, RETURN, &call->enter_ns, &call->return_ns);
}

static bool read_transfer(struct xs_scan *scan, void *item) {
    enum { DIRECTION = FIRST, SRC, DST, BATCH };
    struct xs_modelled_call *call = item;
    bool timed = read_call(scan, call, XS_CALL_TRANSFER);
    call->direction = (uint8_t)xs_scan_kind(scan, DIRECTION, XS_DIRECTION_COUNT);
    call->src_kind = (uint8_t)xs_scan_kind(scan, SRC, XS_MEMORY_KIND_COUNT);
    call->dst_kind = (uint8_t)xs_scan_kind(scan, DST, XS_MEMORY_KIND_COUNT);
    int64_t batch = xs_scan_int(scan, BATCH);
    if (batch > 0 || (!batch && !xs_scan_null(scan, BATCH)))
        call->batch_index = batch <= INT32_MAX ? (int32_t)batch : INT32_MAX;
    return timed;
}

static bool read_launch(struct xs_scan *scan, void *item) {
    enum { GRID = FIRST, GRID_END = GRID + 7 };
    struct xs_modelled_call *call = item;
    for (int i = GRID; i < GRID_END; i++)
        call->grid = xs_mix(call->grid + (uint64_t)xs_scan_int(scan, i) + 1);
    return read_call(scan, call, XS_CALL_LAUNCH);
}

static bool read_memset(struct xs_scan *scan, void *item) { return read_call(scan, item, XS_CALL_MEMSET); }
static bool read_sync(struct xs_scan *scan, void *item) { return read_call(scan, item, XS_CALL_SYNC); }
static bool read_event(struct xs_scan *scan, void *item) { return read_call(scan, item, XS_CALL_EVENT); }
static bool read_free(struct xs_scan *scan, void *item) { return read_call(scan, item, XS_CALL_FREE); }

#define WORKED XS_RAN " AND bytes > 0"
#define LAUNCHED XS_RAN " AND kind IN (0, 1, 2)"
#define RECORDED " AND correlation IS NOT NULL"
#define EVENTS XS_RAN " AND (entry_point" XS_RECORDS_EVENT " OR entry_point" XS_WAITS_FOR_EVENT ")"
#define EVENT_COLUMNS COLUMNS("NULL", "0", "0", "NULL", "object", "entry_point" XS_RECORDS_EVENT)
#define TRANSFER_COLUMNS                                                                                               \
    COLUMNS("correlation", "bytes", "is_async", "height", "NULL", "0") ", direction, src_kind, dst_kind, batch_index"
#define MEMSET_COLUMNS COLUMNS("correlation", "bytes", "is_async", "height", "NULL", "0")
#define LAUNCH_COLUMNS                                                                                                 \
    COLUMNS("correlation", "0", "1", "NULL", "function", "kind")                                                       \
    ", grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes"
#define SYNC_COLUMNS COLUMNS("NULL", "0", "0", "NULL", "object", "scope")
#define FREE_COLUMNS "free_return_ns, context, free_stream, free_entry_point, NULL, 0, 0, NULL, NULL, 0"

_Static_assert(XS_LAUNCH_GRAPH == 2 && XS_LAUNCH_COOPERATIVE == 1, "the kinds in the condition above");
#define FREED "free_return_ns > 0 AND free_stream IS NULL AND free_entry_point > 0"
#define KIND(of, at, chosen, read_columns, reader)                                                                     \
    {                                                                                                                  \
        .table = of, .time = at, .where = chosen, .columns = read_columns,                                             \
        .item_bytes = sizeof(struct xs_modelled_call), .read = reader                                                  \
    }
static const struct xs_source_kind all[XS_CALL_KINDS] = {
    [XS_CALL_TRANSFER] = KIND("transfer", "enter_ns", WORKED, TRANSFER_COLUMNS, read_transfer),
    [XS_CALL_MEMSET] = KIND("memset", "enter_ns", WORKED, MEMSET_COLUMNS, read_memset),
    [XS_CALL_LAUNCH] = KIND("launch", "enter_ns", LAUNCHED, LAUNCH_COLUMNS, read_launch),
    [XS_CALL_SYNC] = KIND("sync", "enter_ns", "result = 0", SYNC_COLUMNS, read_sync),
    [XS_CALL_EVENT] = KIND("api_call", "enter_ns", EVENTS, EVENT_COLUMNS, read_event),
    [XS_CALL_FREE] = KIND("allocation", "free_enter_ns", FREED, FREE_COLUMNS, read_free)};

int xs_calls_begin(struct xs_merge *calls, const struct xs_trace *trace, bool recorded, char *message) {
    struct xs_source_kind kinds[XS_CALL_KINDS];
    memcpy(kinds, all, sizeof kinds);
    if (recorded) {
        kinds[XS_CALL_TRANSFER].where = kinds[XS_CALL_MEMSET].where = WORKED RECORDED;
        kinds[XS_CALL_LAUNCH].where = LAUNCHED RECORDED;
    }
    return xs_merge_begin(calls, kinds, XS_CALL_KINDS, trace, NULL, 0, message, NULL);
}

const struct xs_modelled_call *xs_calls_next(struct xs_merge *calls, int *status) {
    int64_t ns;
    unsigned source;
    *status = xs_merge_peek(calls, &ns, &source);
    return *status > 0 ? xs_merge_take(calls, source) : NULL;
}
