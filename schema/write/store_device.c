/* Writes CUPTI's activity records into the device_* tables. */
#include "schema/write/ledger.h"
#include "schema/write/thin_choice.h"

#define CUPTI_NONE UINT32_MAX /* CUPTI's value for a context, stream or event that does not apply */

static void put_times(struct xs_row *row, int64_t start_ns, int64_t end_ns) {
    bool known = start_ns != 0 || end_ns != 0;
    xs_put_if(row, known, start_ns);
    xs_put_if(row, known, end_ns);
}

/* Writes the start and the duration; if the end is before the start, writes the end instead of the duration. */
static void put_span(struct xs_row *row, int64_t start_ns, int64_t end_ns) {
    bool known = start_ns != 0 || end_ns != 0;
    xs_put_if(row, known, start_ns);
    xs_put_if(row, known && end_ns >= start_ns, end_ns - start_ns);
    xs_put_if(row, known && end_ns < start_ns, end_ns);
}

static void shape_number(struct xs_row_shape *shape, uint32_t number) {
    xs_shape_put_if(shape, number != CUPTI_NONE, number);
}

static void shape_graph(struct xs_row_shape *shape, uint32_t graph, uint64_t node) {
    xs_shape_put_if(shape, node != 0, graph);
    xs_shape_put_nonzero(shape, (int64_t)node);
}

static void put_number(struct xs_row *row, uint32_t number) { xs_put_if(row, number != CUPTI_NONE, number); }

static void put_graph(struct xs_row *row, uint32_t graph, uint64_t node) {
    xs_put_if(row, node != 0, graph);
    xs_put_nonzero(row, (int64_t)node);
}

/* Adds a device record to a sum, instead of writing its row. */
static int add(struct xs_store *store, const struct xs_ledger_key *key, uint64_t bytes, int64_t start_ns,
               int64_t end_ns) {
    bool known = start_ns != 0 || end_ns != 0;
    struct xs_ledger_sum sum = {.rows = 1,
                                .bytes = (int64_t)bytes,
                                .timed = known,
                                .device_ns = known && end_ns >= start_ns ? end_ns - start_ns : 0};
    return xs_ledger_add(store, key, &sum);
}

/* If the transfer of a device record was deleted by thinning, adds the record's time to the transfer's sums. The next
 * pass will delete the record, too, but the transfer may be forgotten by then. */
static int put_late(struct xs_store *store, const struct xs_device_copy *copy) {
    bool may_be = store->choice && copy->graph_node == 0;
    int64_t shape = may_be ? xs_choice_late(store->choice, copy->correlation) : 0;
    if (!shape)
        return XS_OK;
    struct xs_row row =
        xs_row_start(store, "UPDATE thinned SET timed = timed + ?, device_ns = device_ns + ? WHERE source ="
                            " 'transfer' AND shape = ? AND entry_point = 0 AND kind = 0 AND stack = 0 AND device = 0");
    bool known = copy->start_ns != 0 || copy->end_ns != 0;
    xs_put(&row, known ? (copy->copies ? copy->copies : 1) : 0);
    xs_put(&row, known ? copy->end_ns - copy->start_ns : 0);
    xs_put(&row, shape);
    return xs_row_insert(&row);
}

int xs_store_device_copy(struct xs_store *store, const struct xs_device_copy *copy) {
    struct xs_row_shape shape = {0};
    xs_shape_put(&shape, XS_KIND_OR_ZERO(XS_COPY_KINDS, copy->kind));
    xs_shape_put(&shape, XS_KIND_OR_ZERO(XS_DEVICE_MEMORY_KINDS, copy->src_kind));
    xs_shape_put(&shape, XS_KIND_OR_ZERO(XS_DEVICE_MEMORY_KINDS, copy->dst_kind));
    xs_shape_put(&shape, (int64_t)copy->bytes);
    xs_shape_put_device(&shape, copy->device);
    xs_shape_put_device(&shape, copy->src_device);
    xs_shape_put_device(&shape, copy->dst_device);
    shape_number(&shape, copy->context);
    shape_number(&shape, copy->stream);
    xs_shape_put(&shape, copy->is_async != 0);
    xs_shape_put(&shape, copy->copies);
    shape_graph(&shape, copy->graph, copy->graph_node);
    if (!xs_ledger_keeps_record(store, copy->correlation)) {
        struct xs_ledger_key key = {.source = "device_copy"};
        int found = xs_shape_of_sum(store, XS_SHAPE_DEVICE_COPY, &shape, &key.shape);
        return found ? found : add(store, &key, copy->bytes, copy->start_ns, copy->end_ns);
    }
    int64_t id;
    int status = xs_shape_find(store, XS_SHAPE_DEVICE_COPY, &shape, &id);
    if (status)
        return status;
    struct xs_row row =
        xs_row_into(store, "INSERT INTO device_copy_row(shape, correlation, start_ns, device_ns, end_ns, bytes)");
    xs_put(&row, id);
    xs_put(&row, copy->correlation);
    put_span(&row, copy->start_ns, copy->end_ns);
    xs_put_loose(&row, &shape, XS_DEVICE_COPY_SHAPE_BYTES);
    status = xs_row_insert(&row);
    return status ? status : put_late(store, copy);
}

int xs_store_device_memset(struct xs_store *store, const struct xs_device_memset *memset_row) {
    if (!xs_ledger_keeps_record(store, memset_row->correlation)) {
        struct xs_ledger_key key = {.source = "device_memset",
                                    .kind = memset_row->graph_node != 0,
                                    .device = memset_row->device > 0 ? memset_row->device : 0};
        return add(store, &key, memset_row->bytes, memset_row->start_ns, memset_row->end_ns);
    }
    struct xs_row row =
        xs_row_into(store, "INSERT INTO device_memset(correlation, value, bytes, memory_kind, start_ns, end_ns,"
                           " device, cupti_context, cupti_stream, graph, graph_node)");
    xs_put(&row, memset_row->correlation);
    xs_put(&row, memset_row->value);
    xs_put_u64(&row, memset_row->bytes);
    xs_put(&row, XS_KIND_OR_ZERO(XS_DEVICE_MEMORY_KINDS, memset_row->memory_kind));
    put_times(&row, memset_row->start_ns, memset_row->end_ns);
    xs_put_device(&row, memset_row->device);
    put_number(&row, memset_row->context);
    put_number(&row, memset_row->stream);
    put_graph(&row, memset_row->graph, memset_row->graph_node);
    return xs_row_insert(&row);
}

int xs_store_device_kernel(struct xs_store *store, const struct xs_device_kernel *kernel) {
    int64_t name, id;
    int status = xs_intern_kernel_name(store, kernel->name, &name);
    if (status)
        return status;
    struct xs_row_shape shape = {0};
    xs_shape_put(&shape, name);
    xs_shape_put_device(&shape, kernel->device);
    shape_number(&shape, kernel->context);
    shape_number(&shape, kernel->stream);
    for (int i = 0; i < 3; i++)
        xs_shape_put(&shape, kernel->grid[i]);
    for (int i = 0; i < 3; i++)
        xs_shape_put(&shape, kernel->block[i]);
    shape_graph(&shape, kernel->graph, kernel->graph_node);
    if (!xs_ledger_keeps_record(store, kernel->correlation)) {
        struct xs_ledger_key key = {.source = "device_kernel"};
        status = xs_shape_of_sum(store, XS_SHAPE_DEVICE_KERNEL, &shape, &key.shape);
        return status ? status : add(store, &key, 0, kernel->start_ns, kernel->end_ns);
    }
    status = xs_shape_find(store, XS_SHAPE_DEVICE_KERNEL, &shape, &id);
    if (status)
        return status;
    struct xs_row row =
        xs_row_into(store, "INSERT INTO device_kernel_row(shape, correlation, start_ns, device_ns, end_ns)");
    xs_put(&row, id);
    xs_put(&row, kernel->correlation);
    put_span(&row, kernel->start_ns, kernel->end_ns);
    return xs_row_insert(&row);
}

int xs_store_device_sync(struct xs_store *store, const struct xs_device_sync *sync_row) {
    if (!xs_ledger_keeps_record(store, sync_row->correlation))
        return add(store, &(struct xs_ledger_key){.source = "device_sync", .kind = sync_row->kind}, 0,
                   sync_row->start_ns, sync_row->end_ns);
    struct xs_row row = xs_row_into(store, "INSERT INTO device_sync(correlation, kind, start_ns, end_ns, cupti_context,"
                                           " cupti_stream, cupti_event)");
    xs_put(&row, sync_row->correlation);
    xs_put(&row, sync_row->kind);
    put_times(&row, sync_row->start_ns, sync_row->end_ns);
    put_number(&row, sync_row->context);
    put_number(&row, sync_row->stream);
    put_number(&row, sync_row->event);
    return xs_row_insert(&row);
}

int xs_store_device_migration(struct xs_store *store, const struct xs_device_migration *migration) {
    struct xs_row row =
        xs_row_into(store, "INSERT INTO device_migration(kind, address, bytes, start_ns, end_ns, src_device,"
                           " dst_device, stream, process)");
    xs_put(&row, XS_KIND_OR_ZERO(XS_MIGRATION_KINDS, migration->kind));
    xs_put_u64(&row, migration->address);
    xs_put_u64(&row, migration->bytes);
    put_times(&row, migration->start_ns, migration->end_ns);
    xs_put_device(&row, migration->src_device);
    xs_put_device(&row, migration->dst_device);
    put_number(&row, migration->stream);
    xs_put(&row, migration->process);
    return xs_row_insert(&row);
}
