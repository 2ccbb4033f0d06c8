/* Keeps the addresses of the residency model's writes and regions, and ends writes. See residency.h. */
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/findings/engine/residency_change.h"

enum {
    ROWS_WRITTEN_ONE_BY_ONE = 4096
}; /* the most rows of a box with gaps that are recorded as written; if there are more, only the box's region has the
    * write */

/* --- written parts --- */

static void written_add(struct xs_written *written, uint64_t start, uint64_t end) {
    if (!written->more) {
        if (written->start == written->end) {
            written->start = start;
            written->end = end;
            return;
        }
        if (start <= written->end && end >= written->start) {
            written->start = start < written->start ? start : written->start;
            written->end = end > written->end ? end : written->end;
            return;
        }
        written->more = xs_zeroed(1, sizeof *written->more);
        xs_spans_cover(written->more, written->start, written->end);
    }
    xs_spans_cover(written->more, start, end);
}

static bool written_covers(const struct xs_written *written, uint64_t start, uint64_t end) {
    if (written->more)
        return xs_spans_covered(written->more, start, end);
    return written->start <= start && written->end >= end;
}

void xs_written_free(struct xs_written *written) {
    if (written->more)
        xs_spans_free(written->more);
    free(written->more);
    *written = (struct xs_written){0};
}

static struct xs_written *written_of(struct xs_residency *residency, const struct xs_extent *extent) {
    return extent->allocation ? &extent->allocation->written : &xs_device_state(residency, extent->device)->unknown;
}

static bool covers_rows(const struct xs_written *written, const struct xs_extent *extent) {
    if (!extent->has_gaps || written_covers(written, extent->address, extent->address + extent->bytes))
        return written_covers(written, extent->address, extent->address + extent->bytes);
    if (extent->rows * extent->planes > ROWS_WRITTEN_ONE_BY_ONE)
        return false;
    for (uint64_t plane = 0; plane < extent->planes; plane++) {
        for (uint64_t row = 0; row < extent->rows; row++) {
            uint64_t start = extent->address + plane * extent->plane_step + row * extent->row_step;
            if (!written_covers(written, start, start + extent->row_bytes))
                return false;
        }
    }
    return true;
}

bool xs_is_written(struct xs_residency *residency, const struct xs_extent *extent, struct xs_region *region) {
    if (region && region->all_written)
        return true;
    uint64_t since = extent->allocation ? extent->allocation->begin_order : 0;
    bool all = extent->allocation && (extent->allocation->any_launch_touches || extent->allocation->is_shared);
    if (!all && !xs_touched_since(residency, extent->allocation, extent->device, since) &&
        !covers_rows(written_of(residency, extent), extent))
        return false;
    if (region)
        region->all_written = true;
    return true;
}

static void mark_written(struct xs_residency *residency, const struct xs_extent *extent, struct xs_region *region) {
    if (region && region->all_written)
        return;
    struct xs_written *written = written_of(residency, extent);
    if (!extent->has_gaps) {
        written_add(written, extent->address, extent->address + extent->bytes);
    } else if (extent->rows * extent->planes <= ROWS_WRITTEN_ONE_BY_ONE) {
        for (uint64_t plane = 0; plane < extent->planes; plane++) {
            for (uint64_t row = 0; row < extent->rows; row++) {
                uint64_t start = extent->address + plane * extent->plane_step + row * extent->row_step;
                written_add(written, start, start + extent->row_bytes);
            }
        }
    }
    if (region)
        region->all_written = true;
}

/* --- regions --- */

static void region_key(const struct xs_extent *extent, uint64_t key[2]) {
    uint64_t allocation = extent->allocation ? (uint64_t)extent->allocation->id : 0;
    key[0] = extent->address;
    key[1] = xs_mix(extent->bytes ^ allocation << 40) + allocation + ((uint64_t)(uint32_t)(extent->device + 1) << 48);
    if (extent->rows)
        key[1] ^=
            xs_mix(extent->row_bytes + xs_mix(extent->rows + xs_mix(extent->row_step + xs_mix(extent->plane_step))));
}

struct xs_region *xs_region_find(const struct xs_residency *residency, const struct xs_extent *extent) {
    uint64_t key[2];
    region_key(extent, key);
    return xs_hash_pointer(&residency->regions, key[0], key[1]);
}

struct xs_region *xs_region_make(struct xs_residency *residency, const struct xs_extent *extent) {
    uint64_t key[2];
    region_key(extent, key);
    uint64_t *found = xs_hash_put(&residency->regions, key[0], key[1]);
    if (*found)
        return (struct xs_region *)(uintptr_t)*found;
    struct xs_region *region = xs_pool_take(&residency->region_pool);
    *region = (struct xs_region){.uid = ++residency->next_uid,
                                 .address = extent->address,
                                 .bytes = extent->bytes,
                                 .device = extent->device,
                                 .allocation = extent->allocation ? extent->allocation->id : 0,
                                 .owner = extent->allocation,
                                 .key = {key[0], key[1]}};
    if (extent->allocation) {
        region->next = extent->allocation->regions;
        extent->allocation->regions = region;
    }
    *found = (uint64_t)(uintptr_t)region;
    return region;
}

/* True if the region contains a write later than `order`. */
static bool written_since(const struct xs_residency *residency, const struct xs_region *region, uint64_t order) {
    if (region->write)
        return region->write->order > order;
    size_t index = (size_t)region->device + 1; /* -1: 0 */
    if (index >= residency->device_count)
        return false;
    const struct xs_spans *writes = &residency->devices[index].writes;
    struct xs_span_cursor place;
    for (const struct xs_span *span = xs_spans_seek(writes, region->address, &place);
         span && span->start < region->address + region->bytes; span = xs_spans_next(writes, &place))
        if (((const struct xs_write *)span->owner)->order > order)
            return true;
    return false;
}

enum xs_region_state xs_region_state(const struct xs_residency *residency, const struct xs_region *region) {
    if (!region->has_content || written_since(residency, region, region->order))
        return XS_REGION_NOTHING;
    if (region->was_unsure || (region->owner && region->owner->is_shared) ||
        xs_touched_since(residency, region->owner, region->device, region->order))
        return XS_REGION_UNSURE;
    return XS_REGION_SURE;
}

bool xs_region_upload_intact(const struct xs_residency *residency, const struct xs_region *region) {
    return region->last_upload && !written_since(residency, region, region->upload_order);
}

/* --- writes --- */

/* Sets how certain it is that nothing read a write. False: the trace shows something that may have read it. */
static bool certainty_of(const struct xs_residency *residency, const struct xs_write *write,
                         enum xs_write_certainty *certainty) {
    const struct xs_allocation *owner = write->owner;
    struct xs_last last = xs_last_on(residency, write->device);
    bool launched = last.launch > write->order;
    if (write->read || (owner && (owner->is_shared || owner->touch_order > write->order)))
        return false;
    *certainty = XS_WRITE_UNDECIDED;
    if (last.unseen > write->order)
        return true;
    if (launched && (!owner || owner->any_launch_touches))
        return false;
    *certainty = launched || last.read > write->order ? XS_WRITE_LIKELY : XS_WRITE_CERTAIN;
    return true;
}

static void end_write(struct xs_residency *residency, struct xs_write *write, const struct xs_trace_event *by) {
    enum xs_write_certainty certainty;
    if (write->region && write->region->write == write)
        write->region->write = NULL;
    if (by && (write->kind == XS_WRITE_UPLOAD || write->kind == XS_WRITE_MEMSET) &&
        certainty_of(residency, write, &certainty))
        residency->ended(residency->context, write, by->on == XS_ON_FREE, certainty, by);
    xs_account_close(residency->accounts, write->account);
}

struct taking {
    struct xs_residency *residency;
    const struct xs_trace_event *by;
    const struct xs_region *region; /* the new write's region */
    bool has_gaps;                  /* the new write does not change the bytes between its rows */
};

static void take_part(void *context, void *owner, uint64_t bytes) {
    const struct taking *taking = context;
    struct xs_write *write = owner;
    if (write->region && write->region->write == write)
        write->region->write = NULL;
    if (taking->has_gaps && !(taking->region && write->region == taking->region))
        write->read =
            true; /* counts as read, because it was overwritten in part and reads of the rest are not followed */
    write->remaining -= bytes;
    if (write->remaining)
        return;
    end_write(taking->residency, write, taking->by);
    xs_pool_give(&taking->residency->write_pool, write);
}

void xs_drop_writes(struct xs_residency *residency, int32_t device, uint64_t start, uint64_t end,
                    const struct xs_trace_event *freed_by) {
    struct taking taking = {.residency = residency, .by = freed_by};
    xs_spans_clear(&xs_device_state(residency, device)->writes, start, end, take_part, &taking);
}

void xs_write_in(struct xs_residency *residency, const struct xs_extent *extent, struct xs_region *region,
                 enum xs_write_kind kind, const struct xs_trace_event *event) {
    struct xs_write *write = region ? region->write : NULL;
    uint64_t end = extent->address + extent->bytes;
    if (write) { /* the usual case: the same region is written again, and no other write overlapped it in between */
        end_write(residency, write, event);
    } else {
        struct taking taking = {residency, event, region, extent->has_gaps};
        struct xs_spans *writes = &xs_device_state(residency, extent->device)->writes;
        xs_spans_clear(writes, extent->address, end, take_part, &taking);
        write = xs_pool_take(&residency->write_pool);
        xs_spans_insert(writes, extent->address, end, write);
    }
    bool counts = kind == XS_WRITE_UPLOAD || kind == XS_WRITE_MEMSET;
    if (counts && event->account)
        event->account->references++;
    *write = (struct xs_write){.kind = kind,
                               .id = event->id,
                               .order = residency->order,
                               .bytes = kind == XS_WRITE_MEMSET  ? event->u.memset.bytes
                                        : kind == XS_WRITE_OTHER ? extent->bytes
                                                                 : event->u.transfer.bytes,
                               .remaining = extent->bytes,
                               .device = extent->device,
                               .site = event->site,
                               .owner = extent->allocation,
                               .times = xs_event_times(event),
                               .enter_ns = event->enter_ns,
                               .account = counts ? event->account : NULL,
                               .region = region};
    if (region)
        region->write = write;
    mark_written(residency, extent, region);
}

void xs_read_out(struct xs_residency *residency, const struct xs_extent *extent, const struct xs_region *region) {
    if (region && region->write) {
        region->write->read = true;
        return;
    }
    const struct xs_spans *writes = &xs_device_state(residency, extent->device)->writes;
    struct xs_span_cursor at;
    for (const struct xs_span *span = xs_spans_seek(writes, extent->address, &at);
         span && span->start < extent->address + extent->bytes; span = xs_spans_next(writes, &at))
        ((struct xs_write *)span->owner)->read = true;
}
