/* Implements the residency model: allocations, launches, and the effect of each event. See residency.h and
 * docs/rules/analysis.md. */
#include "analyzer/findings/engine/residency.h"

#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/search.h"
#include "analyzer/findings/engine/pools.h"
#include "analyzer/findings/engine/residency_change.h"
#include "schema/format/event.h"

enum { INFERRED_BYTES = 64 << 10 }; /* for a larger region the earlier content is never inferred, only measured */

void xs_residency_begin(struct xs_residency *residency, struct xs_accounts *accounts, xs_write_ended *ended,
                        void *context) {
    *residency = (struct xs_residency){.region_pool = {.item_bytes = sizeof(struct xs_region)},
                                       .write_pool = {.item_bytes = sizeof(struct xs_write)},
                                       .allocation_pool = {.item_bytes = sizeof(struct xs_allocation)},
                                       .accounts = accounts,
                                       .ended = ended,
                                       .context = context};
    residency->holders = xs_zeroed(1, sizeof *residency->holders);
}

void xs_residency_end(struct xs_residency *residency) {
    for (size_t i = 0; i < residency->device_count; i++) {
        xs_spans_free(&residency->devices[i].writes);
        xs_written_free(&residency->devices[i].unknown);
    }
    free(residency->devices);
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&residency->allocations, entry));)
        xs_written_free(&((struct xs_allocation *)(uintptr_t)entry->value)->written);
    xs_hash_free(&residency->allocations);
    xs_hash_free(&residency->regions);
    xs_hash_free(residency->holders);
    free(residency->holders);
    xs_spans_free(&residency->addresses);
    xs_pool_free(&residency->region_pool);
    xs_pool_free(&residency->write_pool);
    xs_pool_free(&residency->allocation_pool);
}

struct xs_device_state *xs_device_state(struct xs_residency *residency, int32_t device) {
    size_t index = (size_t)device + 1; /* -1: 0 */
    return xs_reach(&residency->devices, &residency->device_count, index, sizeof *residency->devices);
}

uint64_t xs_residency_order(const struct xs_residency *residency) { return residency->order; }

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Returns the last events on a device. An event on an unknown device counts as well, because it may have been on this
 * one. */
struct xs_last xs_last_on(const struct xs_residency *residency, int32_t device) {
    size_t index = (size_t)device + 1; /* -1: 0 */
    struct xs_last last = device < 0 ? residency->all : residency->nowhere;
    if (residency->is_lost)
        return (struct xs_last){UINT64_MAX, UINT64_MAX, UINT64_MAX};
    if (device >= 0 && index < residency->device_count) {
        const struct xs_last *own = &residency->devices[index].last;
        last = (struct xs_last){later(last.launch, own->launch), later(last.unseen, own->unseen),
                                later(last.read, own->read)};
    }
    return last;
}

/* True if a launch may have touched the memory. For memory without a known allocation any launch counts, because a
 * pointer into it looks like any other argument; so do module variables, which need no argument. */
bool xs_touched_since(const struct xs_residency *residency, const struct xs_allocation *allocation, int32_t device,
                      uint64_t order) {
    struct xs_last last = xs_last_on(residency, device);
    if (!allocation || allocation->any_launch_touches)
        return last.launch > order;
    return allocation->touch_order > order || last.unseen > order;
}

struct xs_allocation *xs_allocation_by_id(const struct xs_residency *residency, int64_t id) {
    return id > 0 ? xs_hash_pointer(&residency->allocations, (uint64_t)id, 0) : NULL;
}

struct xs_allocation *xs_allocation_at(const struct xs_residency *residency, uint64_t address) {
    struct xs_span_cursor place;
    const struct xs_span *span = xs_spans_seek(&residency->addresses, address, &place);
    return span && span->start <= address ? span->owner : NULL;
}

/* --- looking --- */

static int32_t device_of(const struct xs_residency *residency, int32_t device, int64_t allocation,
                         int32_t context_device) {
    if (device >= 0)
        return device;
    const struct xs_allocation *a = xs_allocation_by_id(residency, allocation);
    return a && a->device >= 0 ? a->device : context_device;
}

static void look_at_transfer(struct xs_residency *residency, struct xs_trace_event *e, int32_t context_device) {
    struct xs_transfer_view *t = &e->u.transfer;
    bool up = t->direction == XS_DIR_H2D, down = t->direction == XS_DIR_D2H;
    struct xs_extent *extent = &residency->extent;
    if (!down && t->direction != XS_DIR_H2H)
        t->dst_device = device_of(residency, t->dst_device, t->dst_allocation, context_device);
    if (!up && t->direction != XS_DIR_H2H)
        t->src_device = device_of(residency, t->src_device, t->src_allocation, context_device);
    t->host_kind = up ? t->src_kind : down ? t->dst_kind : XS_MEM_UNKNOWN;
    e->device = up ? t->dst_device : t->src_device;
    if (!e->ran || (!up && !down) ||
        !(up ? xs_extent_of_destination(residency, e, extent) : xs_extent_of_source(residency, e, extent)))
        return;
    t->region = xs_region_make(residency, extent);
    if (!up)
        return;
    if (!xs_is_written(residency, extent, t->region)) {
        t->pre = XS_PRE_NONE;
    } else if (t->pre != XS_PRE_MEASURED && t->region->bytes <= INFERRED_BYTES &&
               xs_region_state(residency, t->region) == XS_REGION_SURE) {
        t->pre = XS_PRE_INFERRED;
        t->before = t->region->content;
    }
}

void xs_residency_look(struct xs_residency *residency, struct xs_trace_event *e, int32_t context_device) {
    if (e->on == XS_ON_TRANSFER)
        look_at_transfer(residency, e, context_device);
    else if (e->on == XS_ON_MEMSET)
        e->device = device_of(residency, e->device, e->u.memset.allocation, context_device);
    else if (e->on == XS_ON_LAUNCH || e->on == XS_ON_SYNC || e->on == XS_ON_API)
        e->device = context_device;
    else if (e->on == XS_ON_MIGRATION)
        e->u.migration.allocation = xs_allocation_at(residency, e->u.migration.address);
}

/* --- allocations --- */

struct xs_allocation *xs_residency_make(struct xs_residency *residency, const struct xs_row_event *row,
                                        int32_t context_device) {
    const struct xs_allocation_row *r = &row->allocation;
    const struct xs_trace_event *e = &row->event;
    struct xs_allocation *a = xs_pool_take(&residency->allocation_pool);
    *a = (struct xs_allocation){.id = e->id,
                                .address = r->address,
                                .bytes = r->bytes,
                                .kind = r->kind,
                                .origin = r->origin,
                                .device = r->device < 0 && xs_is_on_device(r->kind) ? context_device : r->device,
                                .context = e->context,
                                .site = e->site,
                                .enter_ns = r->enter_ns,
                                .return_ns = e->return_ns,
                                .free_enter_ns = r->free_enter_ns,
                                .free_return_ns = r->free_return_ns,
                                .free_entry_point = r->free_entry_point,
                                .free_thread = r->free_thread};
    a->is_shared = a->origin == XS_ORIGIN_IPC || a->origin == XS_ORIGIN_EXTERNAL ||
                   (a->origin == XS_ORIGIN_VMM && residency->mappings_shared);
    a->any_launch_touches = a->origin == XS_ORIGIN_MODULE || a->is_shared;
    if (a->free_enter_ns < a->return_ns) { /* it was freed before it began, so the times are wrong */
        a->free_enter_ns = a->return_ns;
        a->free_return_ns = later((uint64_t)a->free_return_ns, (uint64_t)a->return_ns) == (uint64_t)a->return_ns
                                ? a->return_ns
                                : a->free_return_ns;
    }
    a->account = xs_account_open(residency->accounts, false);
    return a;
}

static bool has_addresses(const struct xs_allocation *a) {
    uint64_t end;
    return a->kind != XS_MEM_ARRAY && a->bytes && !__builtin_add_overflow(a->address, a->bytes, &end);
}

static void begin_allocation(struct xs_residency *residency, struct xs_allocation *a) {
    a->begin_order = residency->order;
    *xs_hash_put(&residency->allocations, (uint64_t)a->id, 0) = (uint64_t)(uintptr_t)a;
    if (!has_addresses(a))
        return;
    if (xs_is_on_device(a->kind)) /* earlier writes were to memory whose free the trace lacks */
        xs_drop_writes(residency, a->device, a->address, a->address + a->bytes, NULL);
    xs_spans_clear(&residency->addresses, a->address, a->address + a->bytes, NULL, NULL);
    xs_spans_insert(&residency->addresses, a->address, a->address + a->bytes, a);
}

static void end_allocation(struct xs_residency *residency, struct xs_allocation *a, const struct xs_trace_event *e) {
    if (has_addresses(a)) {
        if (xs_is_on_device(a->kind))
            xs_drop_writes(residency, a->device, a->address, a->address + a->bytes, e);
        if (xs_allocation_at(residency, a->address) == a)
            xs_spans_clear(&residency->addresses, a->address, a->address + a->bytes, NULL, NULL);
    }
    while (a->regions) {
        struct xs_region *region = a->regions;
        a->regions = region->next;
        xs_hash_remove(&residency->regions, region->key[0], region->key[1]);
        region->uid = 0;
        xs_region_forget_content(residency->holders, region);
        xs_pool_give(&residency->region_pool, region);
    }
    xs_hash_remove(&residency->allocations, (uint64_t)a->id, 0);
    xs_written_free(&a->written);
    xs_account_close(residency->accounts, a->account);
    xs_pool_give(&residency->allocation_pool, a);
}

void xs_residency_sum_up(const struct xs_residency *residency, struct xs_allocation *a) {
    struct xs_last last = xs_last_on(residency, a->device);
    a->launch_ran = last.launch > a->begin_order;
    a->unseen_launched = last.unseen > a->begin_order;
    a->touched = a->touched || (a->kind == XS_MEM_MANAGED && residency->prefetch_batch > a->begin_order);
    a->is_pool = xs_is_used_in_parts(a);
}

static int by_id(const void *a, const void *b) {
    const struct xs_allocation *x = *(struct xs_allocation *const *)a, *y = *(struct xs_allocation *const *)b;
    return (x->id > y->id) - (x->id < y->id);
}

struct xs_allocation **xs_residency_live(const struct xs_residency *residency, size_t *count) {
    const struct xs_hash *table = &residency->allocations;
    struct xs_allocation **live = xs_realloc(NULL, table->count * sizeof(struct xs_allocation *));
    *count = 0;
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(table, entry));)
        live[(*count)++] = (struct xs_allocation *)(uintptr_t)entry->value;
    xs_sort(live, *count, sizeof *live, by_id);
    return live;
}

/* --- events --- */

static void use(const struct xs_residency *residency, struct xs_allocation *a) {
    if (!a)
        return;
    a->touched = true;
    a->use_order = residency->order;
}

static void touch(const struct xs_residency *residency, int64_t id) {
    use(residency, xs_allocation_by_id(residency, id));
}

static void note_read(struct xs_residency *residency, int32_t device) {
    residency->all.read = residency->order;
    if (device >= 0)
        xs_device_state(residency, device)->last.read = residency->order;
    else
        residency->nowhere.read = residency->order;
}

static void set_content(struct xs_residency *residency, struct xs_region *region, const struct xs_fingerprint *content,
                        uint64_t bytes) {
    region->was_unsure = false;
    region->order = residency->order;
    xs_region_set_content(residency->holders, region, content, bytes);
}

static void apply_upload(struct xs_residency *residency, const struct xs_trace_event *e) {
    const struct xs_transfer_view *t = &e->u.transfer;
    struct xs_region *region = t->region;
    if (!region)
        return;
    bool known = t->state == XS_CONTENT_KNOWN;
    xs_write_in(residency, &residency->extent, region, XS_WRITE_UPLOAD, e);
    set_content(residency, region, known ? &t->content : NULL, t->bytes);
    region->last_upload = e->id;
    region->upload_order = residency->order;
    region->upload_known = known;
    region->upload = t->content;
    region->look = region->upload_look = xs_look_of(t);
}

static void apply_download(struct xs_residency *residency, const struct xs_trace_event *e) {
    const struct xs_transfer_view *t = &e->u.transfer;
    struct xs_region *region = t->region;
    note_read(residency, t->src_device);
    if (!region)
        return;
    bool known = t->state == XS_CONTENT_KNOWN;
    xs_read_out(residency, &residency->extent, region);
    if (known) {
        set_content(residency, region, &t->content, t->bytes);
        region->look = xs_look_of(t);
    }
    region->download_look = xs_look_of(t);
    region->last_download = e->id;
    region->download_known = known;
    region->download = t->content;
    region->download_bytes = t->bytes;
}

/* Applies the write of a device copy, and sets the content of its destination if the source's content is known. */
static void copy_into(struct xs_residency *residency, const struct xs_trace_event *e, const struct xs_extent *extent,
                      enum xs_region_state state, const struct xs_fingerprint *content, enum xs_look look) {
    struct xs_region *into =
        state == XS_REGION_NOTHING ? xs_region_find(residency, extent) : xs_region_make(residency, extent);
    xs_write_in(residency, extent, into, XS_WRITE_COPY, e);
    if (state != XS_REGION_NOTHING) {
        set_content(residency, into, content, e->u.transfer.bytes);
        into->was_unsure = state == XS_REGION_UNSURE;
        into->look = look;
    }
}

/* Applies device copies, peer copies, and copies without a direction, which copy from one region to another. The writes
 * that the copy overwrites end before the copy counts as a read, so that its own read does not make their end less
 * certain. */
static void apply_copy(struct xs_residency *residency, const struct xs_trace_event *e) {
    const struct xs_transfer_view *t = &e->u.transfer;
    struct xs_extent extent;
    struct xs_region *from = NULL;
    enum xs_region_state state = XS_REGION_NOTHING;
    struct xs_fingerprint content = {0};
    enum xs_look look = XS_LOOK_NONE;
    if (xs_extent_of_source(residency, e, &extent)) {
        from = xs_region_find(residency, &extent);
        xs_read_out(residency, &extent, from);
        if (from && from->content_bytes == t->bytes &&
            (state = xs_region_state(residency, from)) != XS_REGION_NOTHING) {
            content = from->content;
            look = from->look;
        }
    }
    if (xs_extent_of_destination(residency, e, &extent))
        copy_into(residency, e, &extent, state, &content, look);
    note_read(residency, t->src_device);
}

static void apply_transfer(struct xs_residency *residency, const struct xs_trace_event *e) {
    const struct xs_allocation *own = e->u.transfer.region ? residency->extent.allocation : NULL;
    if (own)
        use(residency, residency->extent.allocation);
    if (!own || own->id != e->u.transfer.src_allocation)
        touch(residency, e->u.transfer.src_allocation);
    if (!own || own->id != e->u.transfer.dst_allocation)
        touch(residency, e->u.transfer.dst_allocation);
    if (e->u.transfer.direction == XS_DIR_H2D)
        apply_upload(residency, e);
    else if (e->u.transfer.direction == XS_DIR_D2H)
        apply_download(residency, e);
    else if (e->u.transfer.direction != XS_DIR_H2H)
        apply_copy(residency, e);
}

static void apply_memset(struct xs_residency *residency, const struct xs_trace_event *e) {
    const struct xs_memset_view *m = &e->u.memset;
    struct xs_extent extent;
    touch(residency, m->allocation);
    if (xs_extent_make(residency, &extent, m->kind, m->address, m->bytes, m->allocation, e->device, &m->box, false))
        xs_write_in(residency, &extent, xs_region_make(residency, &extent), XS_WRITE_MEMSET, e);
}

static void note_launch(struct xs_residency *residency, int32_t device, bool seen) {
    struct xs_last *own = device >= 0 ? &xs_device_state(residency, device)->last : &residency->nowhere;
    own->launch = residency->all.launch = residency->order;
    if (!seen)
        own->unseen = residency->all.unseen = residency->order;
}

void xs_residency_gap(struct xs_residency *residency) {
    residency->order++;
    note_launch(residency, -1, false);
}

/* Forgets all contents. The writes end without a call of `ended`. */
void xs_residency_forget(struct xs_residency *residency) {
    for (size_t i = 0; i < residency->device_count; i++)
        xs_drop_writes(residency, (int32_t)i - 1, 0, UINT64_MAX, NULL);
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&residency->regions, entry));) {
        struct xs_region *region = (struct xs_region *)(uintptr_t)entry->value;
        xs_region_forget_content(residency->holders, region);
        region->look = region->download_look = region->upload_look = XS_LOOK_NONE;
        region->last_download = region->last_upload = 0;
        region->download_known = region->upload_known = false;
    }
    xs_residency_gap(residency);
}

static void apply_launch(struct xs_residency *residency, const struct xs_trace_event *e) {
    const struct xs_launch_view *l = &e->u.launch;
    if (l->kind == XS_LAUNCH_HOST_FUNCTION)
        return;
    note_launch(residency, e->device, l->arguments_seen);
    for (unsigned i = 0; i < l->argument_count && l->arguments_seen; i++) {
        struct xs_allocation *a = xs_allocation_by_id(residency, l->arguments[i]);
        if (a) {
            a->touch_order = residency->order;
            use(residency, a);
        }
    }
}

static void share(struct xs_allocation *a) { a->is_shared = a->any_launch_touches = a->touched = true; }

/* Applies a call that shares memory with other processes or APIs, by address, or by a handle whose mapping the trace
 * does not have. */
static void apply_sharing(struct xs_residency *residency, const struct xs_api_view *call) {
    struct xs_allocation *a = call->address ? xs_allocation_at(residency, call->address) : NULL;
    if (a)
        share(a);
    if (call->address)
        return;
    residency->mappings_shared = true;
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&residency->allocations, entry));) {
        a = (struct xs_allocation *)(uintptr_t)entry->value;
        if (a->origin == XS_ORIGIN_VMM)
            share(a);
    }
}

/* Applies other calls that write or read device memory, and prefetches, which count as a use of the memory. */
static void apply_api(struct xs_residency *residency, const struct xs_trace_event *e) {
    const struct xs_api_view *call = &e->u.api;
    if (call->traits & XS_TRAIT_DOES_ANYTHING) {
        residency->is_lost = residency->is_lost || call->argument == XS_UNKNOWN_FOR_GOOD;
        note_launch(residency, -1, false);
        return;
    }
    if (call->traits & XS_TRAIT_SHARES_MEMORY)
        apply_sharing(residency, call);
    if (call->traits & XS_TRAIT_PREFETCHES && call->address) {
        struct xs_allocation *a = xs_allocation_at(residency, call->address);
        use(residency, a);
        if (call->object > 1) /* a batch of ranges; the trace has only the first */
            residency->prefetch_batch = residency->order;
    }
    if (call->category != XS_CAT_STREAM_MEMOP && !(call->traits & XS_TRAIT_DECOMPRESSES))
        return;
    struct xs_allocation *a = call->address ? xs_allocation_at(residency, call->address) : NULL;
    use(residency, a);
    struct xs_extent extent;
    bool known = a && xs_extent_make(residency, &extent, a->kind, call->address, call->bytes, a->id, a->device,
                                     &(struct xs_box){0}, false);
    if (known && call->traits & XS_TRAIT_WRITES_VALUE)
        xs_write_in(residency, &extent, NULL, XS_WRITE_OTHER, e);
    else if (known && call->traits & XS_TRAIT_READS_VALUE)
        xs_read_out(residency, &extent, NULL);
    else if (!call->address) /* a batch of addresses, which the trace does not have */
        note_launch(residency, e->device, false);
}

void xs_residency_apply(struct xs_residency *residency, struct xs_trace_event *e) {
    /* loads of code do not count, because a runtime makes them when it likes, often many at the first launch */
    residency->order += e->on != XS_ON_API || !(e->u.api.traits & XS_TRAIT_LOADS_CODE);
    switch (e->on) {
    case XS_ON_ALLOCATION:
        begin_allocation(residency, e->u.allocation);
        break;
    case XS_ON_FREE:
        end_allocation(residency, e->u.allocation, e);
        break;
    case XS_ON_TRANSFER:
        apply_transfer(residency, e);
        break;
    case XS_ON_MEMSET:
        apply_memset(residency, e);
        break;
    case XS_ON_LAUNCH:
        apply_launch(residency, e);
        break;
    case XS_ON_API:
        apply_api(residency, e);
        break;
    case XS_ON_MIGRATION:
        use(residency, e->u.migration.allocation);
        break;
    default:
        break;
    }
}
