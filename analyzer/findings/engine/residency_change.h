/* Changes the residency model event by event. Only the analysis and the files of the model include this header. */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_RESIDENCY_CHANGE_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_RESIDENCY_CHANGE_H

#include "analyzer/base/hash.h"
#include "analyzer/base/pool.h"
#include "analyzer/findings/engine/account.h"
#include "analyzer/findings/engine/residency.h"
#include "analyzer/trace/events.h"

/* A part of device memory, described by address, length and shape. It becomes a region when something about its content
 * is known. */
struct xs_extent {
    int32_t device;
    struct xs_allocation *allocation;                       /* NULL: none known */
    uint64_t address, bytes;                                /* from the first to the last byte */
    uint64_t row_bytes, rows, planes, row_step, plane_step; /* the shape of a 2D or 3D copy; rows is 0 for any other
                                                             * memory */
    bool has_gaps;
};

/* The `order` of the last event of each kind; 0: there was no such event yet. */
struct xs_last {
    uint64_t launch; /* the last launch of a kernel or a graph */
    uint64_t unseen; /* the last launch with unseen arguments */
    uint64_t read;   /* the last copy that read device memory */
};

struct xs_device_state {
    struct xs_last last;
    struct xs_spans writes;    /* owner: struct xs_write */
    struct xs_written unknown; /* the written bytes of memory without a known allocation */
};

typedef void xs_write_ended(void *context, const struct xs_write *write, bool freed, enum xs_write_certainty certainty,
                            const struct xs_trace_event *by);

struct xs_residency {
    struct xs_device_state *devices; /* by ordinal + 1 */
    size_t device_count;
    struct xs_last all, nowhere; /* all: last events on any device; nowhere: last events on an unknown device, which may
                                  * be any device */
    uint64_t order, next_uid;
    bool is_lost;         /* an unknown writer or reader may access memory at any time, without a call in the trace */
    bool mappings_shared; /* memory of an unknown mapping was shared with other processes or APIs */
    uint64_t prefetch_batch;    /* `order` of the last prefetch of several ranges; 0: none yet */
    struct xs_hash regions;     /* struct xs_region */
    struct xs_hash *holders;    /* maps content and device to the first struct xs_region of a list. A look-up may remove
                                 * outdated regions */
    struct xs_hash allocations; /* maps allocation.id to struct xs_allocation */
    struct xs_spans addresses;  /* of live allocations; owner: struct xs_allocation */
    struct xs_pool region_pool, write_pool, allocation_pool;
    struct xs_accounts *accounts;
    struct xs_extent extent; /* extent of the last upload or download that xs_residency_look received, if it has a
                              * region */
    xs_write_ended *ended;
    void *context;
};

void xs_residency_begin(struct xs_residency *residency, struct xs_accounts *accounts, xs_write_ended *ended,
                        void *context);
void xs_residency_end(struct xs_residency *residency);

/* Sets the region of a transfer, its `pre` if that was not measured, and the event's device if its row does not name
 * one. Does not change what the model knows. `context_device` is the device of the event's context; -1: not known. */
void xs_residency_look(struct xs_residency *residency, struct xs_trace_event *event, int32_t context_device);

/* Makes the struct of an allocation's row, for the event XS_ON_ALLOCATION. xs_residency_apply then adds it to the
 * model. */
struct xs_allocation *xs_residency_make(struct xs_residency *residency, const struct xs_row_event *row,
                                        int32_t context_device);

/* Sets launch_ran and unseen_launched, for FREE and LIVE. */
void xs_residency_sum_up(const struct xs_residency *residency, struct xs_allocation *allocation);

/* Records that the trace lacks calls between the last event and the next one. These calls may have read and written
 * anything, like a launch with unseen arguments. */
void xs_residency_gap(struct xs_residency *residency);

/* Forgets all contents, writes and copies, because the trace lacks so many calls between the last event and the next
 * one that nothing before this gap can be compared with anything after it. Allocations are kept. */
void xs_residency_forget(struct xs_residency *residency);

/* Updates the model by an event. Must be called after the detectors have received the event, and only for events that
 * ran. */
void xs_residency_apply(struct xs_residency *residency, struct xs_trace_event *event);

/* Returns the live allocations in the order of their ids; the caller frees the array. */
struct xs_allocation **xs_residency_live(const struct xs_residency *residency, size_t *count);

/* --- used only by residency.c, residency_contents.c, residency_extents.c and residency_writes.c --- */

struct xs_device_state *xs_device_state(struct xs_residency *residency, int32_t device);
struct xs_last xs_last_on(const struct xs_residency *residency, int32_t device);

/* Returns true if a launch since `order` may have touched memory of the allocation (NULL: memory without a known
 * allocation). */
bool xs_touched_since(const struct xs_residency *residency, const struct xs_allocation *allocation, int32_t device,
                      uint64_t order);

static inline bool xs_is_on_device(enum xs_memory_kind kind) { return kind == XS_MEM_DEVICE || kind == XS_MEM_UNKNOWN; }

/* Makes an extent. Returns false for memory that the model does not follow: arrays (their addresses are handles),
 * managed and host memory. If `source` is true, the box's numbers for the source are used, else its numbers for the
 * destination. */
bool xs_extent_make(const struct xs_residency *residency, struct xs_extent *extent, enum xs_memory_kind kind,
                    uint64_t address, uint64_t bytes, int64_t allocation, int32_t device, const struct xs_box *box,
                    bool source);

/* These functions make the extent of a transfer's source or destination in device memory. They return false if the
 * source or destination is in host memory, and for all memory for which xs_extent_make returns false. */
bool xs_extent_of_source(const struct xs_residency *residency, const struct xs_trace_event *event,
                         struct xs_extent *extent);
bool xs_extent_of_destination(const struct xs_residency *residency, const struct xs_trace_event *event,
                              struct xs_extent *extent);

struct xs_region *xs_region_find(const struct xs_residency *residency, const struct xs_extent *extent);
struct xs_region *xs_region_make(struct xs_residency *residency, const struct xs_extent *extent);
bool xs_is_written(struct xs_residency *residency, const struct xs_extent *extent, struct xs_region *region);

/* xs_region_set_content sets the region's known content; NULL: not known. xs_region_forget_content must be called when
 * that content is overwritten, or when the region ends. */
void xs_region_set_content(struct xs_hash *holders, struct xs_region *region, const struct xs_fingerprint *content,
                           uint64_t bytes);
void xs_region_forget_content(struct xs_hash *holders, struct xs_region *region);

/* Records the event's write to the extent. `region` is the region of the extent, or NULL. */
void xs_write_in(struct xs_residency *residency, const struct xs_extent *extent, struct xs_region *region,
                 enum xs_write_kind kind, const struct xs_trace_event *event);
void xs_read_out(struct xs_residency *residency, const struct xs_extent *extent, const struct xs_region *region);

/* Removes every write from a range of addresses, either because `freed_by` freed this memory, or, if `freed_by` is
 * NULL, because the writes are forgotten. */
void xs_drop_writes(struct xs_residency *residency, int32_t device, uint64_t start, uint64_t end,
                    const struct xs_trace_event *freed_by);

void xs_written_free(struct xs_written *written);

#endif
