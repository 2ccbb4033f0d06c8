/* Changes of the residency model, event by event; for analyse.c and the files of the model. */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_RESIDENCY_CHANGE_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_RESIDENCY_CHANGE_H

#include "analyzer/base/hash.h"
#include "analyzer/base/pool.h"
#include "analyzer/findings/engine/account.h"
#include "analyzer/findings/engine/residency.h"
#include "analyzer/trace/events.h"

/* A span of device memory, from an address, a length and a shape; a region, once something is known of it. */
struct xs_place {
    int32_t device;
    struct xs_allocation *allocation;                       /* NULL: none known */
    uint64_t address, bytes;                                /* the whole span */
    uint64_t row_bytes, rows, planes, row_step, plane_step; /* rows 0: plain */
    bool has_gaps;
};

/* Orders of the last event of each kind; 0: none yet. */
struct xs_last {
    uint64_t launch; /* kernels and graphs */
    uint64_t unseen; /* the last launch with unseen arguments */
    uint64_t read;   /* a copy that read device memory */
};

struct xs_device_state {
    struct xs_last last;
    struct xs_spans writes;    /* owner: struct xs_write */
    struct xs_written unknown; /* written parts of memory without a known allocation */
};

typedef void xs_write_ended(void *context, const struct xs_write *write, bool freed, enum xs_write_certainty certainty,
                            const struct xs_trace_event *by);

struct xs_residency {
    struct xs_device_state *devices; /* by ordinal + 1 */
    size_t device_count;
    struct xs_last all, nowhere; /* last events on any device; and on an unknown device, which may be any */
    uint64_t order, next_uid;
    bool is_lost;               /* something unknown may write and read at any time, without a call */
    bool mappings_shared;       /* memory of an unknown mapping was handed out */
    uint64_t prefetch_batch;    /* order of the last prefetch of several ranges, 0: none yet */
    struct xs_hash regions;     /* struct xs_region */
    struct xs_hash *holders;    /* by content and device: the first struct xs_region. A look-up may tidy it */
    struct xs_hash allocations; /* by id: struct xs_allocation */
    struct xs_spans addresses;  /* of live allocations; owner: struct xs_allocation */
    struct xs_pool region_pool, write_pool, allocation_pool;
    struct xs_accounts *accounts;
    struct xs_place place; /* of the last upload or download that was looked at, if it has a region */
    xs_write_ended *ended;
    void *context;
};

void xs_residency_begin(struct xs_residency *residency, struct xs_accounts *accounts, xs_write_ended *ended,
                        void *context);
void xs_residency_end(struct xs_residency *residency);

/* Fills in the region of a transfer, its pre if that was not measured, and the device of the event if its row does not
 * name it. Changes nothing in the model. `context_device` is the device of its context, -1: not known. */
void xs_residency_look(struct xs_residency *residency, struct xs_trace_event *event, int32_t context_device);

/* Makes the allocation of a row, which XS_ON_ALLOCATION then shows; xs_residency_apply begins it. */
struct xs_allocation *xs_residency_make(struct xs_residency *residency, const struct xs_row_event *row,
                                        int32_t context_device);

/* Sets launch_ran and unseen_launched, for FREE and LIVE. */
void xs_residency_sum_up(const struct xs_residency *residency, struct xs_allocation *allocation);

/* Says that calls are missing here that may have read and written anything, as a launch with unseen arguments may. */
void xs_residency_gap(struct xs_residency *residency);

/* Forgets all content, writes and copies: so much is missing here that nothing before can be compared with what
 * comes. Allocations stay. */
void xs_residency_forget(struct xs_residency *residency);

/* Updates the model by an event, after the detectors saw it. Only for events that ran. */
void xs_residency_apply(struct xs_residency *residency, struct xs_trace_event *event);

/* Returns the live allocations in the order of their ids; to be freed. */
struct xs_allocation **xs_residency_live(const struct xs_residency *residency, size_t *count);

/* --- between residency.c, residency_contents.c, residency_places.c and residency_writes.c --- */

struct xs_device_state *xs_device_state(struct xs_residency *residency, int32_t device);
struct xs_last xs_last_on(const struct xs_residency *residency, int32_t device);

/* Returns true if a launch since `order` may have touched memory of the allocation (NULL: memory without a known one).
 */
bool xs_touched_since(const struct xs_residency *residency, const struct xs_allocation *allocation, int32_t device,
                      uint64_t order);

static inline bool xs_is_on_device(enum xs_memory_kind kind) { return kind == XS_MEM_DEVICE || kind == XS_MEM_UNKNOWN; }

/* Makes a place. False for memory that the model does not follow: arrays (their addresses are handles), managed and
 * host memory. With `source` the box's numbers of the source count, else those of the destination. */
bool xs_place_make(const struct xs_residency *residency, struct xs_place *place, enum xs_memory_kind kind,
                   uint64_t address, uint64_t bytes, int64_t allocation, int32_t device, const struct xs_box *box,
                   bool source);

/* Make the place that a transfer's bytes came from, or went to; false also if that is the host. */
bool xs_place_of_source(const struct xs_residency *residency, const struct xs_trace_event *event,
                        struct xs_place *place);
bool xs_place_of_destination(const struct xs_residency *residency, const struct xs_trace_event *event,
                             struct xs_place *place);

struct xs_region *xs_region_find(const struct xs_residency *residency, const struct xs_place *place);
struct xs_region *xs_region_make(struct xs_residency *residency, const struct xs_place *place);
bool xs_is_written(struct xs_residency *residency, const struct xs_place *place, struct xs_region *region);

/* xs_region_set_content sets the region's known content, NULL: none. xs_region_forget_content must be called when that
 * content is gone, or when the region ends. */
void xs_region_set_content(struct xs_hash *holders, struct xs_region *region, const struct xs_fingerprint *content,
                           uint64_t bytes);
void xs_region_forget_content(struct xs_hash *holders, struct xs_region *region);

/* Enters the event's write to the place; `region` is the place's, or NULL. */
void xs_write_in(struct xs_residency *residency, const struct xs_place *place, struct xs_region *region,
                 enum xs_write_kind kind, const struct xs_trace_event *event);
void xs_read_out(struct xs_residency *residency, const struct xs_place *place, const struct xs_region *region);

/* Removes every write from a range of addresses: because `freed_by` freed the range, or, if that is NULL, because the
 * writes are forgotten. */
void xs_drop_writes(struct xs_residency *residency, int32_t device, uint64_t start, uint64_t end,
                    const struct xs_trace_event *freed_by);

void xs_written_free(struct xs_written *written);

#endif
