/* Converts the tables' rows into events; see events.h. (source.c puts the rows of a table into order, and merges the
 * tables.) */
#include "analyzer/trace/events.h"

#include <stddef.h>

#include "analyzer/base/hash.h"
#include "analyzer/trace/kind_words.h"
#include "analyzer/trace/ran.h"

static int32_t small_id(struct xs_scan *scan, int column) {
    int64_t value = xs_scan_int(scan, column);
    return value > 0 && value <= INT32_MAX ? (int32_t)value : 0;
}

/* Returns the entry point in a column; -1 if it is NULL or impossible. Number 0 is a function of the driver. */
static int32_t entry_of(struct xs_scan *scan, int column) {
    int64_t value = xs_scan_int(scan, column);
    if (value == 0 && xs_scan_null(scan, column))
        return -1;
    return value >= 0 && value <= INT32_MAX ? (int32_t)value : -1;
}

/* Returns the device in a column; -1 for NULL. The check is needed because SQLite gives 0 for NULL, and 0 is also the
 * first device. */
static int32_t device_of(struct xs_scan *scan, int column) {
    int64_t value = xs_scan_int(scan, column);
    if (value == 0 && xs_scan_null(scan, column))
        return -1;
    return value >= 0 && value < 4096 ? (int32_t)value : -1;
}

static uint32_t length(struct xs_scan *scan, int column) {
    int64_t value = xs_scan_int(scan, column);
    return value > 0 && value <= UINT32_MAX ? (uint32_t)value : 0;
}

/* Starts an event from a row. The row's first columns are id, enter_ns and the columns of COLUMNS. If a table does not
 * have one of these columns, a constant replaces it. */
enum { ID, ENTER, RETURN, ENTRY, THREAD, CONTEXT, STREAM, RESULT, ASYNC, CAPTURED, CORRELATION, STACK, FIRST };
#define CALLED "entry_point, thread, context, stream, "
#define COLUMNS(is_async, is_captured, correlation, stack, others)                                                     \
    "return_ns, " CALLED "result, " is_async ", " is_captured ", " correlation ", " stack ", " others
static void start(struct xs_scan *scan, struct xs_row_event *row, enum xs_on on) {
    struct xs_trace_event *e = &row->event;
    uint64_t ns;
    e->on = on;
    e->id = xs_scan_int(scan, ID);
    e->enter_ns = e->return_ns = xs_scan_int(scan, ENTER);
    if (on != XS_ON_ALLOCATION && xs_scan_span(scan, ENTER, RETURN, &ns))
        e->return_ns = xs_scan_int(scan, RETURN);
    e->entry_point = entry_of(scan, ENTRY);
    e->thread = small_id(scan, THREAD);
    e->context = small_id(scan, CONTEXT);
    e->stream = small_id(scan, STREAM);
    e->result = (int32_t)xs_scan_int(scan, RESULT);
    e->is_async = xs_scan_int(scan, ASYNC) != 0;
    e->is_captured = xs_scan_int(scan, CAPTURED) != 0;
    e->correlation = xs_scan_correlation(scan, CORRELATION);
    e->ran = xs_ran(e->result, e->is_captured);
    e->device = -1;
    row->stack = xs_scan_int(scan, STACK);
}

static bool read_transfer(struct xs_scan *scan, void *item) {
    enum {
        DIRECTION = FIRST,
        BYTES,
        SRC,
        DST,
        SRC_KIND,
        DST_KIND,
        SRC_DEVICE,
        DST_DEVICE,
        SRC_ALLOCATION,
        DST_ALLOCATION,
        BATCH,
        FINGERPRINT,
        SKIP,
        HEIGHT,
        WIDTH,
        DEPTH,
        SRC_PITCH,
        DST_PITCH,
        SRC_ROWS,
        DST_ROWS,
        HOST_READ
    };
    struct xs_row_event *row = item;
    start(scan, row, XS_ON_TRANSFER);
    struct xs_trace_event *e = &row->event;
    struct xs_transfer_view *t = &e->u.transfer;
    t->direction = xs_scan_kind(scan, DIRECTION, XS_DIRECTION_COUNT);
    t->bytes = xs_scan_count(scan, BYTES);
    t->src_address = (uint64_t)xs_scan_int(scan, SRC);
    t->dst_address = (uint64_t)xs_scan_int(scan, DST);
    t->src_kind = xs_scan_kind(scan, SRC_KIND, XS_MEMORY_KIND_COUNT);
    t->dst_kind = xs_scan_kind(scan, DST_KIND, XS_MEMORY_KIND_COUNT);
    t->src_device = device_of(scan, SRC_DEVICE);
    t->dst_device = device_of(scan, DST_DEVICE);
    t->src_allocation = xs_scan_int(scan, SRC_ALLOCATION);
    t->dst_allocation = xs_scan_int(scan, DST_ALLOCATION);
    int64_t batch = xs_scan_int(scan, BATCH);
    t->batch_index = (batch == 0 && xs_scan_null(scan, BATCH)) || batch < 0 || batch > INT32_MAX ? -1 : (int32_t)batch;
    if (xs_scan_int(scan, HEIGHT) > 0)
        t->box = (struct xs_box){length(scan, WIDTH),     length(scan, HEIGHT),    length(scan, DEPTH),
                                 length(scan, SRC_PITCH), length(scan, DST_PITCH), length(scan, SRC_ROWS),
                                 length(scan, DST_ROWS)};
    int64_t fingerprint = xs_scan_int(scan, FINGERPRINT), skip = xs_scan_int(scan, SKIP);
    t->fingerprint = fingerprint > 0 ? fingerprint : 0;
    t->skip = skip > 0 && skip < 256 ? (unsigned)skip : 0;
    int64_t host_read = xs_scan_int(scan, HOST_READ);
    t->host_read_id = host_read > 0 ? host_read : 0;
    e->ran = e->ran && t->bytes > 0;
    return true;
}

static bool read_memset(struct xs_scan *scan, void *item) {
    enum { ADDRESS = FIRST, BYTES, VALUE, ELEMENT, KIND, DEVICE, ALLOCATION, WIDTH, HEIGHT, PITCH };
    struct xs_row_event *row = item;
    start(scan, row, XS_ON_MEMSET);
    struct xs_trace_event *e = &row->event;
    struct xs_memset_view *m = &e->u.memset;
    m->address = (uint64_t)xs_scan_int(scan, ADDRESS);
    m->bytes = xs_scan_count(scan, BYTES);
    m->value = (uint32_t)xs_scan_int(scan, VALUE);
    m->element_bytes = (unsigned)xs_scan_int(scan, ELEMENT);
    m->kind = xs_scan_kind(scan, KIND, XS_MEMORY_KIND_COUNT);
    e->device = device_of(scan, DEVICE);
    m->allocation = xs_scan_int(scan, ALLOCATION);
    m->box.width_bytes = length(scan, WIDTH);
    m->box.height = length(scan, HEIGHT);
    m->box.dst_pitch_bytes = length(scan, PITCH);
    m->box.depth = m->box.height ? 1 : 0;
    e->ran = e->ran && m->bytes > 0;
    return true;
}

/* Reads an allocation. An allocation begins to exist when its call returns, so the return time is the key, and the
 * enter time is in the column that holds the return time in other tables. */
static bool read_allocation(struct xs_scan *scan, void *item) {
    enum { ADDRESS = FIRST, BYTES, KIND, ORIGIN, DEVICE, FREE_ENTRY, FREE_THREAD, FREE_ENTER, FREE_RETURN };
    struct xs_row_event *row = item;
    start(scan, row, XS_ON_ALLOCATION);
    struct xs_allocation_row *a = &row->allocation;
    a->enter_ns = xs_scan_int(scan, RETURN);
    if (a->enter_ns > row->event.enter_ns)
        a->enter_ns = row->event.enter_ns;
    a->address = (uint64_t)xs_scan_int(scan, ADDRESS);
    a->bytes = xs_scan_count_or_null(scan, BYTES);
    a->kind = xs_scan_kind(scan, KIND, XS_MEMORY_KIND_COUNT);
    a->origin = xs_scan_kind(scan, ORIGIN, XS_ORIGIN_MODULE + 1);
    a->device = device_of(scan, DEVICE);
    a->free_entry_point = entry_of(scan, FREE_ENTRY);
    a->free_thread = small_id(scan, FREE_THREAD);
    a->free_enter_ns = a->free_return_ns = INT64_MAX;
    if (!xs_scan_null(scan, FREE_ENTER)) {
        uint64_t ns;
        a->free_enter_ns = a->free_return_ns = xs_scan_int(scan, FREE_ENTER);
        if (xs_scan_span(scan, FREE_ENTER, FREE_RETURN, &ns))
            a->free_return_ns = xs_scan_int(scan, FREE_RETURN);
    }
    return true;
}

static bool read_launch(struct xs_scan *scan, void *item) {
    enum { KIND = FIRST, FUNCTION, ARGUMENTS, SHAPE, SHAPE_END = SHAPE + 7 };
    struct xs_row_event *row = item;
    start(scan, row, XS_ON_LAUNCH);
    row->event.u.launch.kind = xs_scan_kind(scan, KIND, XS_LAUNCH_KIND_COUNT);
    row->event.u.launch.function = (uint64_t)xs_scan_int(scan, FUNCTION);
    row->arguments = xs_scan_int(scan, ARGUMENTS);
    row->event.u.launch.shape = 0;
    for (int column = SHAPE; column < SHAPE_END; column++)
        row->event.u.launch.shape = xs_mix(row->event.u.launch.shape ^ (uint64_t)xs_scan_int(scan, column)) + 1;
    return true;
}

static bool read_sync(struct xs_scan *scan, void *item) {
    enum { SCOPE = FIRST, OBJECT };
    struct xs_row_event *row = item;
    start(scan, row, XS_ON_SYNC);
    row->event.u.sync.scope = xs_scan_kind(scan, SCOPE, XS_SYNC_SCOPE_COUNT);
    row->event.u.sync.object = (uint64_t)xs_scan_int(scan, OBJECT);
    return true;
}

static bool read_api(struct xs_scan *scan, void *item) {
    enum { OBJECT = FIRST, ADDRESS, BYTES, ARGUMENT };
    struct xs_row_event *row = item;
    start(scan, row, XS_ON_API);
    row->event.u.api = (struct xs_api_view){.object = (uint64_t)xs_scan_int(scan, OBJECT),
                                            .address = (uint64_t)xs_scan_int(scan, ADDRESS),
                                            .bytes = (uint64_t)xs_scan_int(scan, BYTES),
                                            .argument = xs_scan_int(scan, ARGUMENT)};
    return true;
}

static bool read_migration(struct xs_scan *scan, void *item) {
    enum { KIND = 3, ADDRESS, BYTES, SRC, DST };
    struct xs_row_event *row = item;
    uint64_t ns;
    row->event.on = XS_ON_MIGRATION;
    row->event.ran = true;
    row->event.id = xs_scan_int(scan, ID);
    row->event.enter_ns = row->event.return_ns = xs_scan_int(scan, ENTER);
    if (xs_scan_span(scan, ENTER, RETURN, &ns))
        row->event.return_ns = xs_scan_int(scan, RETURN);
    struct xs_migration_view *m = &row->event.u.migration;
    m->kind = xs_scan_kind(scan, KIND, XS_MIGRATION_KIND_COUNT);
    m->address = (uint64_t)xs_scan_int(scan, ADDRESS);
    m->bytes = xs_scan_count_or_null(scan, BYTES);
    m->src_device = device_of(scan, SRC);
    m->dst_device = device_of(scan, DST);
    row->event.device = m->dst_device >= 0 ? m->dst_device : m->src_device;
    return true;
}

enum { ROW_BYTES = offsetof(struct xs_row_event, allocation), ALLOCATION_BYTES = sizeof(struct xs_row_event) };
#define KIND(source, table, name, time, where, bytes, columns)                                                         \
    [XS_SOURCE_##source] = {table, time, where, columns, bytes, read_##name, XS_SOURCE_##source != XS_SOURCE_ALLOCATION}
static const struct xs_source_kind kinds[XS_SOURCES] = {
    /* a row without these values is a free whose allocation was lost */
    KIND(ALLOCATION, "allocation", allocation, "return_ns", "return_ns IS NOT NULL AND address IS NOT NULL",
         ALLOCATION_BYTES,
         "enter_ns, " CALLED "0, 0, 0, NULL, stack, address, bytes, kind, origin, device,"
         " free_entry_point, free_thread, free_enter_ns, free_return_ns"),
    KIND(TRANSFER, "transfer", transfer, "enter_ns", "1", ROW_BYTES,
         COLUMNS("is_async", "is_captured", "correlation", "stack",
                 "direction, bytes, src_address, dst_address, src_kind, dst_kind, src_device, dst_device,"
                 " src_allocation, dst_allocation, batch_index, fingerprint, skip, height, width_bytes, depth,"
                 " src_pitch_bytes, dst_pitch_bytes, src_slice_rows, dst_slice_rows, host_read")),
    KIND(MEMSET, "memset", memset, "enter_ns", "1", ROW_BYTES,
         COLUMNS("is_async", "is_captured", "correlation", "stack",
                 "address, bytes, value, element_bytes, kind, device, allocation, width_bytes, height, pitch_bytes")),
    KIND(LAUNCH, "launch", launch, "enter_ns", "1", ROW_BYTES,
         COLUMNS("1", "is_captured", "correlation", "stack",
                 "kind, function, arguments,"
                 " grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes")),
    KIND(SYNC, "sync", sync, "enter_ns", "1", ROW_BYTES, COLUMNS("0", "0", "NULL", "stack", "scope, object")),
    KIND(API, "api_call", api, "enter_ns", "1", ROW_BYTES,
         COLUMNS("0", "is_captured", "correlation", "NULL", "object, address, bytes, argument")),
    KIND(MIGRATION, "device_migration", migration, "start_ns", "1", ROW_BYTES,
         "end_ns, kind, address, bytes, src_device, dst_device"),
};

int xs_events_begin(struct xs_merge *events, const struct xs_trace *trace, struct xs_ahead *ahead, unsigned most_rows,
                    char *message, uint64_t *damaged) {
    return xs_merge_begin(events, kinds, XS_SOURCES, trace, ahead, most_rows, message, damaged);
}
