/* Writes the rows of an import, and finds the row ids of its contexts, streams, threads and names. */
#include <stdarg.h>
#include <string.h>

#include "analyzer/base/text.h"
#include "analyzer/commands/import/import_internal.h"

static const char *const insertions[XS_INTO_COUNT] = {
    [XS_INTO_TRANSFER] = "INSERT INTO transfer (entry_point, thread, direction, bytes, src_kind, dst_kind, src_device, "
                         "dst_device, context,"
                         " stream, is_async, is_captured, result, enter_ns, return_ns, correlation, batch_index, skip, "
                         "stack, nvtx_range)"
                         " VALUES (?,?,?,?,?,?,?,?,?,?,?,0,?,?,?,?,?,?,?,?)",
    [XS_INTO_MEMSET] =
        "INSERT INTO memset (entry_point, thread, address, bytes, value, element_bytes, kind, device, context, stream,"
        " is_async, is_captured, result, enter_ns, return_ns, correlation, stack, nvtx_range)"
        " VALUES (?,?,0,?,?,1,?,?,?,?,?,0,?,?,?,?,?,?)",
    [XS_INTO_ALLOCATION] =
        "INSERT INTO allocation (entry_point, thread, address, bytes, kind, origin, device, context, enter_ns, "
        "return_ns,"
        " free_entry_point, free_thread, free_enter_ns, free_return_ns, stack, nvtx_range, free_stack, free_nvtx_range)"
        " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [XS_INTO_LAUNCH] = "INSERT INTO launch (entry_point, thread, kind, context, stream, is_captured, result, enter_ns,"
                       " return_ns, correlation) VALUES (?,?,?,?,?,0,?,?,?,?)",
    [XS_INTO_SYNC] =
        "INSERT INTO sync (entry_point, thread, scope, object, context, stream, result, enter_ns, return_ns,"
        " stack, nvtx_range) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
    [XS_INTO_API_CALL] = "INSERT INTO api_call (entry_point, thread, object, context, stream, is_captured, result,"
                         " enter_ns, return_ns, correlation) VALUES (?,?,?,?,?,0,?,?,?,?)",
    [XS_INTO_DEVICE_COPY] =
        "INSERT INTO device_copy (correlation, kind, src_kind, dst_kind, bytes, start_ns, end_ns, device, src_device,"
        " dst_device, cupti_context, cupti_stream, copies, graph_node) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,1,?)",
    [XS_INTO_DEVICE_MEMSET] =
        "INSERT INTO device_memset (correlation, value, bytes, memory_kind, start_ns, end_ns, device,"
        " cupti_context, cupti_stream, graph_node) VALUES (?,?,?,?,?,?,?,?,?,?)",
    [XS_INTO_DEVICE_KERNEL] =
        "INSERT INTO device_kernel (correlation, name, start_ns, end_ns, device, cupti_context, cupti_stream, grid_x,"
        " grid_y, grid_z, block_x, block_y, block_z, graph, graph_node) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [XS_INTO_DEVICE_SYNC] = "INSERT INTO device_sync (correlation, kind, start_ns, end_ns, cupti_context, cupti_stream,"
                            " cupti_event) VALUES (?,?,?,?,?,?,?)",
    [XS_INTO_DEVICE_MIGRATION] = "INSERT INTO device_migration (kind, address, bytes, start_ns, end_ns, src_device,"
                                 " dst_device, process) VALUES (?,?,?,?,?,?,?,?)",
    [XS_INTO_KERNEL_NAME] = "INSERT INTO kernel_name (id, name) VALUES (?,?)",
    [XS_INTO_CONTEXT] = "INSERT INTO context (id, handle, device) VALUES (?,?,?)",
    [XS_INTO_STREAM] = "INSERT INTO stream (id, handle, context) VALUES (?,?,?)",
    [XS_INTO_THREAD] = "INSERT INTO thread (id, tid, name) VALUES (?,?,?)",
    [XS_INTO_ENTRY_POINT] = "INSERT INTO entry_point (id, name, category) VALUES (?,?,?)",
    [XS_INTO_DEVICE] = "INSERT OR IGNORE INTO device (id, name, uuid, pci_bus_id, compute_capability, memory_bytes)"
                       " VALUES (?,?,?,?,?,?)",
    [XS_INTO_META] = "INSERT OR REPLACE INTO meta (key, value) VALUES (?,?)",
    [XS_INTO_NOTE] = "INSERT INTO note (at_ns, topic, text) VALUES (NULL,?,?)",
    [XS_INTO_RANGE] = "INSERT INTO nvtx_range (id, parent, domain, name) VALUES (?,?,?,?)",
    [XS_INTO_STACK] = "INSERT INTO stack (id, native_frames, python_frames, is_cut) VALUES (?,?,0,?)",
    [XS_INTO_FRAME] = "INSERT INTO stack_frame (id, stack, depth, address, module) VALUES (?,?,?,?,?)",
    [XS_INTO_MODULE] = "INSERT INTO module (id, path, start_address, end_address, load_bias) VALUES (?,?,0,0,0)",
    [XS_INTO_SYMBOL] = "INSERT INTO symbol (module, address, inline_depth, function) VALUES (?,?,0,?)",
};

struct xs_nsys_into xs_into(struct xs_nsys_importer *importer, enum xs_nsys_table table) {
    sqlite3_stmt **statement = &importer->into[table];
    if (!*statement && !importer->failure)
        importer->failure =
            sqlite3_prepare_v3(importer->out, insertions[table], -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
    return (struct xs_nsys_into){importer, *statement, 0};
}

void xs_into_row(struct xs_nsys_into *into) {
    if (!into->statement)
        return;
    sqlite3_step(into->statement);
    int rc = sqlite3_reset(into->statement);
    if (rc != SQLITE_OK && !into->importer->failure)
        into->importer->failure = rc;
}

void xs_nsys_meta_text(struct xs_nsys_importer *importer, const char *key, const char *value) {
    if (!value)
        return;
    struct xs_nsys_into into = xs_into(importer, XS_INTO_META);
    xs_into_text(&into, key);
    xs_into_text(&into, value);
    xs_into_row(&into);
}

void xs_nsys_meta_int(struct xs_nsys_importer *importer, const char *key, int64_t value) {
    struct xs_nsys_into into = xs_into(importer, XS_INTO_META);
    xs_into_text(&into, key);
    xs_into_int(&into, value);
    xs_into_row(&into);
}

void xs_nsys_note(struct xs_nsys_importer *importer, const char *topic, const char *format, ...) {
    struct xs_string text = {0};
    va_list arguments;
    va_start(arguments, format);
    xs_string_vformat(&text, format, arguments);
    va_end(arguments);
    struct xs_nsys_into into = xs_into(importer, XS_INTO_NOTE);
    xs_into_text(&into, topic);
    xs_into_text(&into, text.data);
    xs_into_row(&into);
    xs_string_free(&text);
}

/* True if a number is valid. CUPTI uses 2^32 - 1 for "none"; contexts and devices are counted from 0 or 1. */
static bool is_number(int64_t value) { return value >= 0 && value < UINT32_MAX; }

int32_t xs_nsys_context(struct xs_nsys_importer *importer, int64_t context, int64_t device) {
    if (!is_number(context) || importer->contexts.count >= INT32_MAX)
        return 0;
    uint64_t *row = xs_hash_put(&importer->contexts, (uint64_t)context, 0);
    if (!*row) {
        *row = importer->contexts.count;
        struct xs_nsys_into into = xs_into(importer, XS_INTO_CONTEXT);
        xs_into_int(&into, (int64_t)*row);
        xs_into_int(&into, context);
        xs_into_if(&into, device >= 0 && device < 4096, device);
        xs_into_row(&into);
    }
    return (int32_t)*row;
}

/* Returns the row of a stream. The export has numbers but no handles. A trace's handle 0 is the default stream, 1 and 2
 * are the other default streams. */
int32_t xs_nsys_stream(struct xs_nsys_importer *importer, int64_t context, int64_t stream, int32_t context_row) {
    if (!is_number(stream) || importer->streams.count >= INT32_MAX)
        return 0;
    uint64_t *row = xs_hash_put(&importer->streams, (uint64_t)stream, (uint64_t)context_row);
    if (!*row) {
        *row = importer->streams.count;
        const uint64_t *null_stream = xs_hash_find(&importer->null_streams, (uint64_t)context, 0);
        bool is_null = null_stream && *null_stream == (uint64_t)stream + 1;
        struct xs_nsys_into into = xs_into(importer, XS_INTO_STREAM);
        xs_into_int(&into, (int64_t)*row);
        xs_into_int(&into, is_null ? 0 : stream > 2 ? stream : stream + (INT64_C(1) << 32));
        xs_into_if(&into, context_row, context_row);
        xs_into_row(&into);
    }
    return (int32_t)*row;
}

int32_t xs_nsys_thread(struct xs_nsys_importer *importer, int64_t global) {
    uint64_t *row = xs_hash_put(&importer->threads, (uint64_t)global, 0);
    if (!*row) {
        *row = importer->threads.count;
        struct xs_nsys_into into = xs_into(importer, XS_INTO_THREAD);
        xs_into_int(&into, (int64_t)*row);
        xs_into_int(&into, xs_nsys_tid(global));
        xs_into_null(&into);
        xs_into_row(&into);
    }
    return (int32_t)*row;
}

/* Texts are kept once, so equal texts have equal addresses. */
int32_t xs_nsys_kernel_name(struct xs_nsys_importer *importer, const char *name) {
    uint64_t *row = xs_hash_put(&importer->names, (uint64_t)(uintptr_t)name, 0);
    if (!*row) {
        *row = importer->names.count;
        struct xs_nsys_into into = xs_into(importer, XS_INTO_KERNEL_NAME);
        xs_into_int(&into, (int64_t)*row);
        xs_into_text(&into, name);
        xs_into_row(&into);
    }
    return (int32_t)*row;
}
