/* Imports the work of the device: writes copies, memsets, kernels, waits and migrations as rows. Their records are also
 * kept in memory for the calls that requested them. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/commands/import/import_internal.h"
#include "analyzer/trace/kind_words.h"

/* Returns the CUpti_ActivityMemoryKind, which a trace stores, of a CUDA_MEMOPR_MEMORY_KIND. */
static uint8_t memory_kind(sqlite3_stmt *rows, int column) {
    int64_t kind = xs_nsys_int_or(rows, column, -1);
    return xs_nsys_memory_kind(kind) == XS_MEM_UNKNOWN ? 0 : (uint8_t)(kind + 1);
}

/* Returns a value that is stored as the export has it; `rows` NULL: the export does not have it. */
static struct xs_nsys_value copied(const char *column, sqlite3_stmt *rows, int from) {
    int64_t value = 0;
    bool known = rows && xs_nsys_int(rows, from, &value);
    return xs_if(column, known, value);
}

/* The first columns of all device records. */
enum { START, END, DEVICE, CONTEXT, STREAM, CORRELATION, PID, FIRST };
#define COMMON "start, end, deviceId, contextId, streamId, correlationId, globalPid, "

struct work {
    int64_t start_ns, end_ns, context, stream;
    int32_t device, context_row, stream_row;
    uint32_t correlation;
};

static bool read_work(struct xs_nsys_importer *importer, sqlite3_stmt *rows, struct work *work) {
    if (!xs_nsys_is_ours(importer, rows, PID))
        return false;
    int64_t start, end;
    if (!xs_nsys_span(rows, START, &start, &end)) {
        importer->nsys->skipped++;
        return false;
    }
    *work = (struct work){.start_ns = xs_nsys_since(importer, start),
                          .end_ns = xs_nsys_since(importer, end),
                          .context = xs_nsys_int_or(rows, CONTEXT, -1),
                          .stream = xs_nsys_int_or(rows, STREAM, -1),
                          .device = xs_nsys_device(rows, DEVICE),
                          .correlation = xs_nsys_correlation(rows, CORRELATION)};
    work->context_row = xs_nsys_context(importer, work->context, work->device);
    work->stream_row = xs_nsys_stream(importer, work->context, work->stream, work->context_row);
    return true;
}

static void remember(struct xs_nsys_importer *importer, const struct work *work, struct xs_nsys_record record) {
    if (!work->correlation || importer->record_count >= UINT32_MAX - 1)
        return;
    xs_grow(&importer->records, importer->record_count, &importer->record_capacity, sizeof *importer->records);
    uint64_t *last = xs_hash_put(&importer->by_call, work->correlation, 0);
    record.next = (uint32_t)*last;
    record.device = work->device;
    record.context = work->context_row;
    record.stream = work->stream_row;
    importer->records[importer->record_count++] = record;
    *last = importer->record_count;
}

/* --- copies --- */

enum { COPY_KIND_UM_HTOD = 11, COPY_KIND_UM_DTOH, COPY_KIND_UM_DTOD };
enum { MIGRATION_HTOD = 1, MIGRATION_DTOH = 2, MIGRATION_CPU_FAULT = 3, MIGRATION_GPU_FAULT = 4, MIGRATION_DTOD = 8 };

static void put_migration(struct xs_nsys_importer *importer, int kind, sqlite3_stmt *rows, int address, int64_t bytes,
                          const int64_t span[2], const int32_t devices[2]) {
    xs_nsys_insert(importer, "INTO device_migration",
                   XS_ROW(xs_int("kind", kind), copied("address", rows, address), xs_if("bytes", bytes >= 0, bytes),
                          xs_int("start_ns", span[0]), xs_int("end_ns", span[1]),
                          xs_if("src_device", devices[0] >= 0, devices[0]),
                          xs_if("dst_device", devices[1] >= 0, devices[1]), xs_int("process", importer->process->pid)));
    importer->counts->migrations++;
}

static void take_copies(struct xs_nsys_importer *importer) {
    enum { BYTES = FIRST, KIND, SRC_KIND, DST_KIND, SRC_DEVICE, DST_DEVICE, NODE, ADDRESS };
    XS_SCOPED_STATEMENT *rows = xs_nsys_select(importer->nsys, "CUPTI_ACTIVITY_KIND_MEMCPY",
                                               COMMON "bytes, copyKind, srcKind, dstKind, srcDeviceId, dstDeviceId,"
                                                      " graphNodeId, virtualAddress",
                                               NULL);
    while (xs_nsys_row(importer->nsys, rows)) {
        struct work work;
        int64_t kind = xs_nsys_int_or(rows, KIND, -1), bytes = xs_nsys_int_or(rows, BYTES, -1);
        if (!read_work(importer, rows, &work))
            continue;
        if (kind < 0 || kind > COPY_KIND_UM_DTOD || bytes < 0) {
            importer->nsys->skipped++;
            continue;
        }
        int32_t devices[2] = {xs_nsys_device(rows, SRC_DEVICE), xs_nsys_device(rows, DST_DEVICE)};
        if (kind >= COPY_KIND_UM_HTOD) {
            if (kind == COPY_KIND_UM_HTOD)
                devices[0] = -1, devices[1] = devices[1] >= 0 ? devices[1] : work.device;
            if (kind == COPY_KIND_UM_DTOH)
                devices[1] = -1, devices[0] = devices[0] >= 0 ? devices[0] : work.device;
            static const int kinds[] = {MIGRATION_HTOD, MIGRATION_DTOH, MIGRATION_DTOD};
            put_migration(importer, kinds[kind - COPY_KIND_UM_HTOD], rows, ADDRESS, bytes,
                          (int64_t[]){work.start_ns, work.end_ns}, devices);
            continue;
        }
        struct xs_nsys_record record = {.type = XS_NSYS_COPY,
                                        .src_kind = memory_kind(rows, SRC_KIND),
                                        .dst_kind = memory_kind(rows, DST_KIND),
                                        .src_device = devices[0],
                                        .dst_device = devices[1],
                                        .bytes = bytes};
        record.kind = (uint8_t)xs_kind_of_copy(kind, record.src_kind, record.dst_kind);
        int64_t node = xs_nsys_int_or(rows, NODE, 0);
        xs_nsys_insert(
            importer, "INTO device_copy",
            XS_ROW(xs_int("correlation", work.correlation), xs_int("kind", kind), xs_int("src_kind", record.src_kind),
                   xs_int("dst_kind", record.dst_kind), xs_int("bytes", bytes), xs_int("start_ns", work.start_ns),
                   xs_int("end_ns", work.end_ns), xs_if("device", work.device >= 0, work.device),
                   xs_if("src_device", devices[0] >= 0, devices[0]), xs_if("dst_device", devices[1] >= 0, devices[1]),
                   xs_if("cupti_context", work.context_row, work.context),
                   xs_if("cupti_stream", work.stream_row, work.stream), xs_int("copies", 1),
                   xs_id("graph_node", node)));
        if (!node)
            remember(importer, &work, record);
    }
}

static void take_memsets(struct xs_nsys_importer *importer) {
    enum { VALUE = FIRST, BYTES, KIND, NODE };
    sqlite3_stmt *rows =
        xs_nsys_select(importer->nsys, "CUPTI_ACTIVITY_KIND_MEMSET", COMMON "value, bytes, memKind, graphNodeId", NULL);
    while (xs_nsys_row(importer->nsys, rows)) {
        struct work work;
        int64_t bytes = xs_nsys_int_or(rows, BYTES, -1), value = xs_nsys_int_or(rows, VALUE, 0);
        if (!read_work(importer, rows, &work))
            continue;
        if (bytes < 0) {
            importer->nsys->skipped++;
            continue;
        }
        struct xs_nsys_record record = {
            .type = XS_NSYS_MEMSET, .dst_kind = memory_kind(rows, KIND), .bytes = bytes, .value = value};
        int64_t node = xs_nsys_int_or(rows, NODE, 0);
        xs_nsys_insert(importer, "INTO device_memset",
                       XS_ROW(xs_int("correlation", work.correlation), xs_int("value", value), xs_int("bytes", bytes),
                              xs_int("memory_kind", record.dst_kind), xs_int("start_ns", work.start_ns),
                              xs_int("end_ns", work.end_ns), xs_if("device", work.device >= 0, work.device),
                              xs_if("cupti_context", work.context_row, work.context),
                              xs_if("cupti_stream", work.stream_row, work.stream), xs_id("graph_node", node)));
        if (!node)
            remember(importer, &work, record);
    }
    sqlite3_finalize(rows);
}

/* --- kernels --- */

/* Stores a kernel until its call is read. The call only needs the context and the stream of the kernel. */
static void remember_kernel(struct xs_nsys_importer *importer, const struct work *work) {
    if (work->correlation)
        *xs_hash_put(&importer->by_call, work->correlation, 1) =
            (uint64_t)1 << 62 | (uint64_t)work->context_row << 31 | (uint64_t)work->stream_row;
}

enum { MANGLED = FIRST, DEMANGLED, SHORT, NODE, SHAPE }; /* columns of a kernel */

/* `shaped`: a row of a kernel; NULL: the kernel's shape is not known. */
static void put_kernel(struct xs_nsys_importer *importer, const struct work *work, const char *name,
                       sqlite3_stmt *shaped, int64_t graph, int64_t node) {
    int32_t name_row = xs_nsys_kernel_name(importer, name);
    xs_nsys_insert(importer, "INTO device_kernel",
                   XS_ROW(xs_int("correlation", work->correlation), xs_int("name", name_row),
                          xs_int("start_ns", work->start_ns), xs_int("end_ns", work->end_ns),
                          xs_if("device", work->device >= 0, work->device),
                          xs_if("cupti_context", work->context_row, work->context),
                          xs_if("cupti_stream", work->stream_row, work->stream), copied("grid_x", shaped, SHAPE + 0),
                          copied("grid_y", shaped, SHAPE + 1), copied("grid_z", shaped, SHAPE + 2),
                          copied("block_x", shaped, SHAPE + 3), copied("block_y", shaped, SHAPE + 4),
                          copied("block_z", shaped, SHAPE + 5), xs_id("graph", graph), xs_id("graph_node", node)));
    importer->counts->kernels++;
}

static void take_kernels(struct xs_nsys_importer *importer) {
    const char *unknown = xs_texts_keep(&importer->nsys->texts, "(unknown)");
    sqlite3_stmt *rows =
        xs_nsys_select(importer->nsys, "CUPTI_ACTIVITY_KIND_KERNEL",
                       COMMON "mangledName, demangledName, shortName, graphNodeId, gridX, gridY, gridZ,"
                              " blockX, blockY, blockZ",
                       NULL);
    while (xs_nsys_row(importer->nsys, rows)) {
        struct work work;
        if (!read_work(importer, rows, &work))
            continue;
        const char *name = xs_nsys_string(importer->nsys, rows, MANGLED);
        name = name && *name ? name : xs_nsys_string(importer->nsys, rows, DEMANGLED);
        name = name && *name ? name : xs_nsys_string(importer->nsys, rows, SHORT);
        int64_t node = xs_nsys_int_or(rows, NODE, 0);
        put_kernel(importer, &work, name && *name ? name : unknown, rows, 0, node);
        if (!node)
            remember_kernel(importer, &work);
    }
    sqlite3_finalize(rows);
}

/* Imports graphs that were recorded as a whole. Their single operations are not known, but the device was busy. */
static void take_graphs(struct xs_nsys_importer *importer) {
    enum { GRAPH = FIRST };
    const char *name = xs_texts_keep(&importer->nsys->texts, "(a whole graph)");
    XS_SCOPED_STATEMENT *rows =
        xs_nsys_select(importer->nsys, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", COMMON "graphId", NULL);
    while (xs_nsys_row(importer->nsys, rows)) {
        struct work work;
        if (!read_work(importer, rows, &work))
            continue;
        put_kernel(importer, &work, name, NULL, xs_nsys_int_or(rows, GRAPH, 0), 0);
        remember_kernel(importer, &work);
    }
}

/* --- waits, events, page faults --- */

static void take_waits(struct xs_nsys_importer *importer) {
    enum { TYPE = FIRST, EVENT };
    sqlite3_stmt *rows =
        xs_nsys_select(importer->nsys, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", COMMON "syncType, eventId", NULL);
    while (xs_nsys_row(importer->nsys, rows)) {
        struct work work;
        if (!read_work(importer, rows, &work))
            continue;
        int64_t type = xs_nsys_int_or(rows, TYPE, 0), event = xs_nsys_int_or(rows, EVENT, 0);
        bool has_event = event > 0 && event < UINT32_MAX;
        xs_nsys_insert(
            importer, "INTO device_sync",
            XS_ROW(xs_int("correlation", work.correlation), xs_int("kind", type), xs_int("start_ns", work.start_ns),
                   xs_int("end_ns", work.end_ns), xs_if("cupti_context", work.context_row, work.context),
                   xs_if("cupti_stream", work.stream_row, work.stream), xs_if("cupti_event", has_event, event)));
        remember(importer, &work, (struct xs_nsys_record){.type = XS_NSYS_SYNC, .value = has_event ? event : 0});
    }
    sqlite3_finalize(rows);
}

static void take_event_records(struct xs_nsys_importer *importer) {
    enum { DEVICE_ID, CONTEXT_ID, STREAM_ID, CALL, OWNER, EVENT };
    XS_SCOPED_STATEMENT *rows =
        xs_nsys_select(importer->nsys, "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
                       "deviceId, contextId, streamId, correlationId, globalPid, eventId", NULL);
    while (xs_nsys_row(importer->nsys, rows)) {
        if (!xs_nsys_is_ours(importer, rows, OWNER))
            continue;
        struct work work = {.device = xs_nsys_device(rows, DEVICE_ID), .correlation = xs_nsys_correlation(rows, CALL)};
        int64_t context = xs_nsys_int_or(rows, CONTEXT_ID, -1);
        work.context_row = xs_nsys_context(importer, context, work.device);
        work.stream_row = xs_nsys_stream(importer, context, xs_nsys_int_or(rows, STREAM_ID, -1), work.context_row);
        remember(importer, &work,
                 (struct xs_nsys_record){.type = XS_NSYS_EVENT, .value = xs_nsys_int_or(rows, EVENT, 0)});
    }
}

static void take_faults(struct xs_nsys_importer *importer, const char *table, int kind) {
    enum { BEGIN, FINISH, OWNER, ON, ADDRESS };
    XS_SCOPED_STATEMENT *rows = xs_nsys_select(importer->nsys, table, "start, end, globalPid, deviceId, address", NULL);
    while (xs_nsys_row(importer->nsys, rows)) {
        int64_t start, end;
        if (!xs_nsys_is_ours(importer, rows, OWNER))
            continue;
        if (!xs_nsys_span(rows, BEGIN, &start, &end)) { /* faults of the host have no end */
            if (sqlite3_column_type(rows, FINISH) != SQLITE_NULL || !xs_nsys_int(rows, BEGIN, &start) || start < 0 ||
                start > INT64_C(1) << 62) {
                importer->nsys->skipped++;
                continue;
            }
            end = start;
        }
        put_migration(importer, kind, rows, ADDRESS, -1,
                      (int64_t[]){xs_nsys_since(importer, start), xs_nsys_since(importer, end)},
                      (int32_t[]){-1, xs_nsys_device(rows, ON)});
    }
}

void xs_nsys_take_device(struct xs_nsys_importer *importer) {
    take_copies(importer);
    take_memsets(importer);
    take_kernels(importer);
    take_graphs(importer);
    take_waits(importer);
    take_event_records(importer);
    take_faults(importer, "CUDA_UM_CPU_PAGE_FAULT_EVENTS", MIGRATION_CPU_FAULT);
    take_faults(importer, "CUDA_UM_GPU_PAGE_FAULT_EVENTS", MIGRATION_GPU_FAULT);
}
