/* Writes events of the host side into their tables. For each kind, the SQL text and the code that binds the values are
 * next to each other. */
#include "schema/write/ledger.h"
#include "schema/write/thin_choice.h"

/* Values that are converted in the same way for all kinds of events. */
struct common {
    const struct xs_event *event;
    uint32_t thread;
    int64_t context, stream; /* row ids, 0: NULL */
    int64_t enter_ns, return_ns;
};

static bool has(const struct common *c, unsigned flag) { return (c->event->flags & flag) != 0; }

/* Returns the width of a box, which is computed from its volume, because the event has only the volume. */
static int64_t width_of(uint64_t bytes, uint64_t height, uint64_t depth) {
    uint64_t rows = (height ? height : 1) * (depth ? depth : 1);
    return (int64_t)(bytes / rows);
}

static void put_site(struct xs_row *row, const struct common *c) {
    xs_put_nonzero(row, c->event->stack);
    xs_put_nonzero(row, c->event->range);
}

static void count_call(struct xs_store *store, const struct common *c, enum xs_calls_of of, int64_t site,
                       int64_t kind) {
    if (store->choice)
        xs_choice_count(store->choice, of, c->event->entry, site, kind);
}

/* True if the end is stored as the difference from the start, which takes fewer bytes. */
static bool is_span(int64_t start, int64_t end) { return end >= start; }

static struct xs_row_shape shape_of_transfer(const struct common *c) {
    const struct xs_event_transfer *t = &c->event->transfer;
    struct xs_row_shape shape = {0};
    bool box = has(c, XS_FLAG_BOX);
    xs_shape_put(&shape, c->event->entry);
    xs_shape_put(&shape, c->thread);
    xs_shape_put(&shape, XS_KIND_OR_ZERO(XS_DIRECTIONS, t->direction));
    xs_shape_put(&shape, (int64_t)t->bytes);
    xs_shape_put(&shape, (int64_t)t->src);
    xs_shape_put(&shape, (int64_t)t->dst);
    xs_shape_put(&shape, XS_KIND_OR_ZERO(XS_MEMORY_KINDS, t->src_kind));
    xs_shape_put(&shape, XS_KIND_OR_ZERO(XS_MEMORY_KINDS, t->dst_kind));
    xs_shape_put_device(&shape, t->src_device);
    xs_shape_put_device(&shape, t->dst_device);
    xs_shape_put_nonzero(&shape, t->src_allocation);
    xs_shape_put_nonzero(&shape, t->dst_allocation);
    xs_shape_put_nonzero(&shape, c->context);
    xs_shape_put_nonzero(&shape, c->stream);
    xs_shape_put(&shape, has(c, XS_FLAG_ASYNC));
    xs_shape_put(&shape, has(c, XS_FLAG_CAPTURED));
    xs_shape_put(&shape, c->event->result);
    xs_shape_put_if(&shape, box, width_of(t->bytes, t->height, t->depth));
    xs_shape_put_if(&shape, box, t->height);
    xs_shape_put_if(&shape, box, t->depth);
    xs_shape_put_if(&shape, box, t->src_pitch);
    xs_shape_put_if(&shape, box, t->dst_pitch);
    xs_shape_put_if(&shape, box, t->src_slice_rows);
    xs_shape_put_if(&shape, box, t->dst_slice_rows);
    xs_shape_put_if(&shape, c->event->fingerprint_id == 0 || t->skip == XS_SKIP_FOLLOWS,
                    XS_KIND_OR_ZERO(XS_FINGERPRINT_SKIPS, t->skip));
    xs_shape_put_nonzero(&shape, c->event->stack);
    xs_shape_put_nonzero(&shape, c->event->range);
    return shape;
}

/* True if the call becomes a row. A call that failed always does: such calls are few and important. */
static bool is_kept(struct xs_store *store, const struct common *c) {
    return !store->ledger || c->event->result != 0 || xs_ledger_keeps(store, c->enter_ns, c->event->correlation);
}

/* Adds a call to a sum, instead of writing its row. */
static int add(struct xs_store *store, const struct common *c, const struct xs_ledger_key *key, uint64_t bytes) {
    bool counts = c->event->return_tick != 0 && (!has(c, XS_FLAG_BATCH) || c->event->batch_index == 0);
    struct xs_ledger_sum sum = {.rows = 1,
                                .bytes = (int64_t)bytes,
                                .host_ns =
                                    counts && is_span(c->enter_ns, c->return_ns) ? c->return_ns - c->enter_ns : 0};
    return xs_ledger_add(store, key, &sum);
}

/* Returns the stack by which the sum of a call is found; 0: there are too many sums to have one for each call site. */
static int64_t site_of_sum(const struct xs_store *store, const struct common *c) {
    return xs_ledger_is_full(store) ? 0 : c->event->stack;
}

static int add_transfer(struct xs_store *store, const struct common *c) {
    struct common alike = *c;
    struct xs_event event = *c->event;
    struct xs_ledger_key key = {.source = "transfer"};
    event.transfer.skip =
        XS_SKIP_LEFT_OUT; /* no property of a call site: contents are not looked at outside of the parts */
    event.fingerprint_id = 0;
    event.stack = (uint32_t)site_of_sum(store, c);
    event.range = xs_ledger_is_full(store) ? 0 : event.range;
    alike.event = &event;
    struct xs_row_shape shape = shape_of_transfer(&alike);
    int status = xs_shape_of_sum(store, XS_SHAPE_TRANSFER, &shape, &key.shape);
    return status ? status : add(store, c, &key, c->event->transfer.bytes);
}

static int put_transfer(struct xs_store *store, const struct common *c) {
    if (!is_kept(store, c))
        return add_transfer(store, c);
    struct xs_row_shape shape = shape_of_transfer(c);
    int64_t id;
    count_call(store, c, XS_CALLS_TRANSFER, c->event->stack,
               has(c, XS_FLAG_BATCH) ? -1 : XS_KIND_OR_ZERO(XS_DIRECTIONS, c->event->transfer.direction));
    int status = xs_shape_find(store, XS_SHAPE_TRANSFER, &shape, &id);
    if (status)
        return status;
    struct xs_row row =
        xs_row_into(store, "INSERT INTO transfer_row(shape, enter_ns, host_ns, correlation, fingerprint,"
                           " batch_index, return_ns, bytes, src_address, dst_address, src_allocation,"
                           " dst_allocation, host_read)");
    xs_put(&row, id);
    xs_put(&row, c->enter_ns);
    xs_put_if(&row, is_span(c->enter_ns, c->return_ns), c->return_ns - c->enter_ns);
    xs_put_nonzero(&row, c->event->correlation);
    xs_put_nonzero(&row, c->event->fingerprint_id);
    xs_put_if(&row, has(c, XS_FLAG_BATCH), c->event->batch_index);
    xs_put_if(&row, !is_span(c->enter_ns, c->return_ns), c->return_ns);
    xs_put_loose(&row, &shape, XS_TRANSFER_SHAPE_BYTES);
    xs_put_loose(&row, &shape, XS_TRANSFER_SHAPE_SRC_ADDRESS);
    xs_put_loose(&row, &shape, XS_TRANSFER_SHAPE_DST_ADDRESS);
    xs_put_loose(&row, &shape, XS_TRANSFER_SHAPE_SRC_ALLOCATION);
    xs_put_loose(&row, &shape, XS_TRANSFER_SHAPE_DST_ALLOCATION);
    xs_put_if(&row, has(c, XS_FLAG_WATCHED) && !has(c, XS_FLAG_BOX), c->event->transfer.host_read);
    return xs_row_insert(&row);
}

int xs_store_host_read(struct xs_store *store, const struct xs_host_read *read) {
    struct xs_row row =
        xs_row_into(store, "INSERT INTO host_read(id, watched_bytes, read_bytes, pieces, read_pieces, doubt,"
                           " edge_read_bytes)");
    bool is_known = read->doubt == XS_HOST_READS_NO_DOUBT;
    xs_put(&row, read->id);
    xs_put_nonzero(&row, (int64_t)read->watched_bytes);
    xs_put_if(&row, is_known, (int64_t)read->read_bytes);
    xs_put_if(&row, is_known, read->pieces);
    xs_put_if(&row, is_known, read->read_pieces);
    xs_put_nonzero(&row, read->doubt);
    xs_put_if(&row, is_known, (int64_t)read->edge_read_bytes);
    return xs_row_insert(&row);
}

static int put_memset(struct xs_store *store, const struct common *c) {
    if (!is_kept(store, c)) {
        struct xs_ledger_key key = {.source = "memset",
                                    .entry_point = c->event->entry,
                                    .kind = has(c, XS_FLAG_CAPTURED),
                                    .stack = site_of_sum(store, c)};
        return add(store, c, &key, c->event->memset.bytes);
    }
    struct xs_row row =
        xs_row_into(store, "INSERT INTO memset(entry_point, thread, address, bytes, value, element_bytes, kind,"
                           " device, allocation, context, stream, is_async, is_captured, result, enter_ns,"
                           " return_ns, correlation, width_bytes, height, pitch_bytes, stack, nvtx_range)");
    const struct xs_event_memset *m = &c->event->memset;
    bool box = has(c, XS_FLAG_BOX);
    count_call(store, c, XS_CALLS_MEMSET, c->event->stack, has(c, XS_FLAG_CAPTURED));
    xs_put(&row, c->event->entry);
    xs_put(&row, c->thread);
    xs_put_u64(&row, m->address);
    xs_put_u64(&row, m->bytes);
    xs_put(&row, m->value);
    xs_put(&row, m->element_bytes);
    xs_put(&row, XS_KIND_OR_ZERO(XS_MEMORY_KINDS, m->kind));
    xs_put_device(&row, m->device);
    xs_put_nonzero(&row, m->allocation);
    xs_put_nonzero(&row, c->context);
    xs_put_nonzero(&row, c->stream);
    xs_put(&row, has(c, XS_FLAG_ASYNC));
    xs_put(&row, has(c, XS_FLAG_CAPTURED));
    xs_put(&row, c->event->result);
    xs_put(&row, c->enter_ns);
    xs_put(&row, c->return_ns);
    xs_put_nonzero(&row, c->event->correlation);
    xs_put_if(&row, box, width_of(m->bytes, m->height, 1));
    xs_put_if(&row, box, m->height);
    xs_put_if(&row, box, m->pitch);
    put_site(&row, c);
    return xs_row_insert(&row);
}

/* Writes an allocation. Events are drained chunk by chunk per thread, so a free may come before the allocation of
 * another thread. */
static int put_alloc(struct xs_store *store, const struct common *c) {
    struct xs_row row =
        xs_row_into(store, "UPSERT INTO allocation(id, entry_point, thread, address, bytes, kind, origin, device,"
                           " context, stream, enter_ns, return_ns, stack, nvtx_range)");
    const struct xs_event_alloc *a = &c->event->alloc;
    xs_put(&row, a->id);
    xs_put(&row, c->event->entry);
    xs_put(&row, c->thread);
    xs_put_u64(&row, a->address);
    xs_put_u64(&row, a->bytes);
    xs_put(&row, XS_KIND_OR_ZERO(XS_MEMORY_KINDS, a->kind));
    xs_put(&row, XS_KIND_OR_ZERO(XS_ORIGINS, a->origin));
    xs_put_device(&row, a->device);
    xs_put_nonzero(&row, c->context);
    xs_put_nonzero(&row, c->stream);
    xs_put(&row, c->enter_ns);
    xs_put(&row, c->return_ns);
    put_site(&row, c);
    return xs_row_insert(&row);
}

static int put_free(struct xs_store *store, const struct common *c) {
    struct xs_row row =
        xs_row_into(store, "UPSERT INTO allocation(id, free_entry_point, free_thread, free_stream, free_enter_ns,"
                           " free_return_ns, free_stack, free_nvtx_range)");
    xs_put(&row, c->event->alloc.id);
    xs_put(&row, c->event->entry);
    xs_put(&row, c->thread);
    xs_put_nonzero(&row, c->stream);
    xs_put(&row, c->enter_ns);
    xs_put(&row, c->return_ns);
    put_site(&row, c);
    return xs_row_insert(&row);
}

static struct xs_row_shape shape_of_launch(const struct common *c) {
    const struct xs_event_launch *l = &c->event->launch;
    unsigned kind = XS_KIND_OR_ZERO(XS_LAUNCH_KINDS, l->kind);
    bool has_grid = kind == XS_LAUNCH_KERNEL || kind == XS_LAUNCH_COOPERATIVE;
    struct xs_row_shape shape = {0};
    xs_shape_put(&shape, c->event->entry);
    xs_shape_put(&shape, c->thread);
    xs_shape_put(&shape, kind);
    xs_shape_put(&shape, (int64_t)l->function);
    xs_shape_put_nonzero(&shape, c->context);
    xs_shape_put_nonzero(&shape, c->stream);
    for (int i = 0; i < 3; i++)
        xs_shape_put_if(&shape, has_grid, l->grid[i]);
    for (int i = 0; i < 3; i++)
        xs_shape_put_if(&shape, has_grid, l->block[i]);
    xs_shape_put_if(&shape, has_grid, l->shared_bytes);
    xs_shape_put(&shape, has(c, XS_FLAG_CAPTURED));
    xs_shape_put(&shape, c->event->result);
    xs_shape_put_nonzero(&shape, c->event->argument_set);
    return shape;
}

static int put_launch(struct xs_store *store, const struct common *c) {
    struct xs_row_shape shape = shape_of_launch(c);
    int64_t id;
    if (!is_kept(store, c)) {
        struct xs_ledger_key key = {.source = "launch"};
        int found = xs_shape_of_sum(store, XS_SHAPE_LAUNCH, &shape, &key.shape);
        return found ? found : add(store, c, &key, 0);
    }
    count_call(store, c, XS_CALLS_LAUNCH, (int64_t)c->event->launch.function,
               XS_KIND_OR_ZERO(XS_LAUNCH_KINDS, c->event->launch.kind));
    int status = xs_shape_find(store, XS_SHAPE_LAUNCH, &shape, &id);
    if (status)
        return status;
    struct xs_row row = xs_row_into(
        store, "INSERT INTO launch_row(shape, enter_ns, host_ns, correlation, return_ns, arguments, stack)");
    bool measured = c->event->return_tick != 0, span = is_span(c->enter_ns, c->return_ns);
    xs_put(&row, id);
    xs_put(&row, c->enter_ns);
    xs_put_if(&row, measured && span, c->return_ns - c->enter_ns);
    xs_put_nonzero(&row, c->event->correlation);
    xs_put_if(&row, measured && !span, c->return_ns);
    xs_put_loose(&row, &shape, XS_LAUNCH_SHAPE_ARGUMENTS);
    xs_put_nonzero(&row, c->event->stack);
    return xs_row_insert(&row);
}

static int put_sync(struct xs_store *store, const struct common *c) {
    unsigned scope = XS_KIND_OR_ZERO(XS_SYNC_SCOPES, c->event->sync.scope);
    if (!is_kept(store, c)) {
        struct xs_ledger_key key = {
            .source = "sync", .entry_point = c->event->entry, .kind = scope, .stack = site_of_sum(store, c)};
        return add(store, c, &key, 0);
    }
    struct xs_row row =
        xs_row_into(store, "INSERT INTO sync(entry_point, thread, scope, object, context, stream, result, enter_ns,"
                           " return_ns, stack, nvtx_range)");
    count_call(store, c, XS_CALLS_SYNC, c->event->stack, scope);
    xs_put(&row, c->event->entry);
    xs_put(&row, c->thread);
    xs_put(&row, scope);
    xs_put_u64(&row, c->event->sync.object);
    xs_put_nonzero(&row, c->context);
    xs_put_nonzero(&row, c->stream);
    xs_put(&row, c->event->result);
    xs_put(&row, c->enter_ns);
    xs_put(&row, c->return_ns);
    put_site(&row, c);
    return xs_row_insert(&row);
}

/* Writes any other call, and also an allocation or a free that had no effect; such a call has no argument. */
static int put_api(struct xs_store *store, const struct common *c) {
    if (!is_kept(store, c))
        return add(store, c, &(struct xs_ledger_key){.source = "api_call", .entry_point = c->event->entry}, 0);
    struct xs_row row =
        xs_row_into(store, "INSERT INTO api_call(entry_point, thread, object, address, bytes, argument, context,"
                           " stream, is_captured, result, enter_ns, return_ns, correlation)");
    bool api = c->event->kind == XS_EVENT_API;
    count_call(store, c, XS_CALLS_API, 0, c->event->result);
    xs_put(&row, c->event->entry);
    xs_put(&row, c->thread);
    xs_put_u64(&row, api ? c->event->api.object : 0);
    xs_put_u64(&row, api ? c->event->api.address : c->event->alloc.address);
    xs_put_u64(&row, api ? c->event->api.bytes : c->event->alloc.bytes);
    xs_put_if(&row, api, (int64_t)c->event->api.argument);
    xs_put_nonzero(&row, c->context);
    xs_put_nonzero(&row, c->stream);
    xs_put(&row, has(c, XS_FLAG_CAPTURED));
    xs_put(&row, c->event->result);
    xs_put(&row, c->enter_ns);
    xs_put(&row, c->return_ns);
    xs_put_nonzero(&row, c->event->correlation);
    return xs_row_insert(&row);
}

int xs_store_fingerprint(struct xs_store *store, const struct xs_event_fingerprint *f) {
    struct xs_row row =
        xs_row_into(store, "INSERT OR IGNORE INTO fingerprint(id, content_low, content_high, before_low,"
                           " before_high, leaves, changed_leaves, constant_value, on_device)");
    bool before = f->flags & XS_FINGERPRINT_BEFORE;
    xs_put(&row, f->id);
    xs_put_u64(&row, f->content[0]);
    xs_put_u64(&row, f->content[1]);
    xs_put_if(&row, before, (int64_t)f->before[0]);
    xs_put_if(&row, before, (int64_t)f->before[1]);
    xs_put(&row, f->leaves);
    xs_put_if(&row, f->flags & XS_FINGERPRINT_CHANGED, f->changed_leaves);
    xs_put_if(&row, f->flags & XS_FINGERPRINT_CONSTANT, f->constant_value);
    xs_put(&row, (f->flags & XS_FINGERPRINT_DEVICE) != 0);
    return xs_row_insert(&row);
}

static int put_arguments(struct xs_store *store, const struct xs_event_arguments *a) {
    if (a->set == 0 || a->count > XS_ARGUMENTS_EVENT_COUNT)
        return XS_ERROR_INVALID;
    struct xs_row set = xs_row_into(store, "INSERT OR IGNORE INTO argument_set(id)");
    xs_put(&set, a->set);
    int status = xs_row_insert(&set);
    for (unsigned i = 0; status == XS_OK && i < a->count; i++) {
        struct xs_row row = xs_row_into(store, "INSERT INTO argument(argument_set, allocation)");
        xs_put(&row, a->set);
        xs_put(&row, a->allocations[i]);
        status = xs_row_insert(&row);
    }
    return status;
}

int xs_store_event(struct xs_store *store, const struct xs_event *event, uint32_t thread,
                   const struct xs_clock *clock) {
    struct common c = {
        event, thread, 0, 0, xs_clock_to_ns(clock, event->enter_tick), xs_clock_to_ns(clock, event->return_tick)};
    switch (event->kind) {
    case XS_EVENT_FINGERPRINT:
        return event->fingerprint.id ? xs_store_fingerprint(store, &event->fingerprint) : XS_ERROR_INVALID;
    case XS_EVENT_ARGUMENTS:
        return put_arguments(store, &event->arguments);
    default:
        if (event->kind < XS_EVENT_TRANSFER || event->kind > XS_EVENT_ARGUMENTS)
            return XS_ERROR_INVALID;
    }
    int status = xs_intern_context(store, event->context, &c.context);
    if (!status)
        status = xs_intern_stream(store, event, c.context, thread, &c.stream);
    if (status)
        return status;
    if (event->correlation > store->newest_correlation)
        store->newest_correlation = event->correlation;
    bool tracked = event->alloc.id != 0 && event->result == 0;
    switch ((enum xs_event_kind)event->kind) {
    case XS_EVENT_TRANSFER:
        return put_transfer(store, &c);
    case XS_EVENT_MEMSET:
        return put_memset(store, &c);
    case XS_EVENT_ALLOC:
        return tracked ? put_alloc(store, &c) : put_api(store, &c);
    case XS_EVENT_FREE:
        return tracked ? put_free(store, &c) : put_api(store, &c);
    case XS_EVENT_LAUNCH:
        return put_launch(store, &c);
    case XS_EVENT_SYNC:
        return put_sync(store, &c);
    case XS_EVENT_API:
        return put_api(store, &c);
    case XS_EVENT_FINGERPRINT:
    case XS_EVENT_ARGUMENTS:
    case XS_EVENT_DEFINITION:
        break;
    }
    return XS_ERROR_INVALID;
}
