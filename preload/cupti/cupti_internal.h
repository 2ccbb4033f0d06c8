/* What the files of preload/cupti share: the table of CUPTI's functions, the activity buffers, and the decoder. */
#ifndef XFERSPY_PRELOAD_CUPTI_INTERNAL_H
#define XFERSPY_PRELOAD_CUPTI_INTERNAL_H

#include <cupti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/cupti/cupti.h"
#include "schema/clock.h"
#include "schema/store/store.h"

#if CUPTI_API_VERSION < 130000
#error "xferspy is built with the CUPTI headers of CUDA 13.0 or later; it runs with any CUPTI from 11.0 on"
#endif

/* ---- versions, as cuptiGetVersion counts them (cupti_version.h) ---- */

#define XS_CUPTI_11_0 13u /* graphNodeId in copies, memsets and kernels; nothing older is used */
#define XS_CUPTI_11_1 14u /* graphId */
#define XS_CUPTI_12_8 26u /* copyCount in MEMCPY records */
#define XS_CUPTI_OLDEST XS_CUPTI_11_0

/* ---- the library (cupti_load.c) ---- */

#define XS_CUPTI_REQUIRED(X)                                                                                           \
    X(cuptiGetVersion)                                                                                                 \
    X(cuptiGetTimestamp)                                                                                               \
    X(cuptiSubscribe)                                                                                                  \
    X(cuptiUnsubscribe)                                                                                                \
    X(cuptiEnableCallback)                                                                                             \
    X(cuptiActivityRegisterCallbacks)                                                                                  \
    X(cuptiActivityEnable)                                                                                             \
    X(cuptiActivityDisable)                                                                                            \
    X(cuptiActivityFlushAll)                                                                                           \
    X(cuptiActivityGetNextRecord)

#define XS_CUPTI_OPTIONAL(X)                                                                                           \
    X(cuptiSubscribe_v2)                                                                                               \
    X(cuptiActivityConfigureUnifiedMemoryCounter)                                                                      \
    X(cuptiActivityGetNumDroppedRecords)                                                                               \
    X(cuptiActivityEnableAllSyncRecords)                                                                               \
    X(cuptiGetResultString)

struct xs_cupti_api {
    void *handle;
    char *path; /* owned, kept for the life of the process */
    uint32_t version;
#define X(name) __typeof__(name) *name;
    XS_CUPTI_REQUIRED(X) /* never NULL once loaded */
    XS_CUPTI_OPTIONAL(X) /* NULL where this CUPTI does not have it */
#undef X
};

/* Finds and loads a CUPTI that fits the driver. Returns 0, XS_ERROR_NOT_FOUND (there is none) or XS_ERROR_INVALID
 * (there is one that cannot be used), with the reason in `text`. The library is never unloaded. The caller has
 * raised the guard. */
int xs_cupti_load(struct xs_cupti_api *api, char *text, size_t text_bytes);

/* Looks a function up in a libcupti that is mapped into the process: in one other than the library of handle
 * `not_this` where there is one, else in that. NULL: no libcupti is mapped. Loads nothing. */
void *xs_cupti_mapped_symbol(const char *name, void *not_this);

/* ---- page migrations (cupti_migrations.c) ---- */

/* Turns all counters of managed memory on or off. After cuInit, and before the activity kind is enabled
 * (cupti_activity.h). Machines without managed memory, MPS clients and GPUs that are no peers refuse it. */
CUptiResult xs_cupti_configure_migrations(const struct xs_cupti_api *api, bool on);

/* The same and the activity kind, in the order that this needs, to what the budget says; and tells it how long it took.
 */
struct xs_migration_budget; /* migration_budget.h */
void xs_cupti_turn_migrations(const struct xs_cupti_api *api, struct xs_migration_budget *budget);

/* The windows as the trace has them: "start+length,start+length,...", microseconds since the trace's start. Returns the
 * length. */
size_t xs_cupti_windows_text(const struct xs_migration_budget *budget, const struct xs_clock *clock, char *text,
                             size_t bytes);

/* ---- activity buffers (cupti_buffers.c) ---- */

struct xs_cupti_buffer {
    struct xs_cupti_buffer *next;
    uint8_t *data;
    size_t bytes, valid_bytes;
    uint64_t migrations; /* records of page migrations, where `counted` */
    bool counted;
};

/* CUPTI's two callbacks. CUPTI may call them on any thread, also on a thread of the application inside a driver
 * call. */
void CUPTIAPI xs_cupti_buffer_requested(uint8_t **data, size_t *bytes, size_t *max_records);
void CUPTIAPI xs_cupti_buffer_completed(CUcontext context, uint32_t stream, uint8_t *data, size_t bytes,
                                        size_t valid_bytes);

/* The oldest completed buffer, NULL when there is none. The caller owns it until it gives it back. */
struct xs_cupti_buffer *xs_cupti_buffer_take(void);
/* Puts a list of taken buffers, oldest first, back to the head of the queue. */
void xs_cupti_buffers_requeue(struct xs_cupti_buffer *list);
/* Gives a list of taken buffers back for use by CUPTI. */
void xs_cupti_buffers_recycle(struct xs_cupti_buffer *list);
/* Runs fn on every completed buffer while it stays queued. */
void xs_cupti_buffers_each(void (*fn)(struct xs_cupti_buffer *buffer, void *data), void *data);
/* How many records of page migrations are in completed buffers that are queued. */
struct xs_cupti_decoder;
uint64_t xs_cupti_buffers_migrations(const struct xs_cupti_decoder *decoder);
/* Buffers that were lost with their records for want of memory. */
uint64_t xs_cupti_buffers_lost(void);
/* In a forked child: forgets every buffer without touching it. */
void xs_cupti_buffers_forget(void);

/* ---- the decoder (cupti_records.c) ---- */

enum xs_cupti_record { XS_RECORD_COPY, XS_RECORD_MEMSET, XS_RECORD_KERNEL, XS_RECORD_SYNC, XS_RECORD_MIGRATION };

struct xs_cupti_decoder {
    struct xs_store *store;
    const struct xs_clock *clock;
    __typeof__(cuptiActivityGetNextRecord) *next_record; /* of the library that wrote the buffers */
    uint32_t version;                                    /* of the same library */
    int64_t offset_ns;                                   /* CUPTI's clock minus CLOCK_MONOTONIC */
    uint64_t records[5];                                 /* by enum xs_cupti_record; counted up */
    uint64_t own_kernels, own_kernel_ns;                 /* of the library itself; counted up as well */
    uint64_t damaged;                                    /* buffers that could not be read to their end */
};

/* Writes every record of a buffer into the store, and skips records of kinds that it does not know. Returns how many
 * it wrote, or the store's error; after an error the buffer may be decoded again in another batch. */
int64_t xs_cupti_decode(struct xs_cupti_decoder *decoder, uint8_t *data, size_t valid_bytes);

/* How many records of page migrations a buffer has. */
uint64_t xs_cupti_count_migrations(const struct xs_cupti_decoder *decoder, uint8_t *data, size_t valid_bytes);

/* Replaces the kernel names in a buffer, which belong to CUPTI, by copies that outlive it. Copies are never freed. */
void xs_cupti_keep_names(const struct xs_cupti_decoder *decoder, uint8_t *data, size_t valid_bytes);

/* ---- stepping aside (cupti_step_aside.c) ---- */

/* The handle of the library in use, NULL before one is loaded. Any thread. */
void *xs_cupti_handle(void);

#endif
