/* What the files of preload/cupti share: the table of CUPTI's functions, the activity buffers, and the decoder. */
#ifndef XFERSPY_PRELOAD_CUPTI_INTERNAL_H
#define XFERSPY_PRELOAD_CUPTI_INTERNAL_H

#include <cupti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/cupti/cupti.h"
#include "preload/cupti/cupti_multi.h"
#include "schema/clock.h"
#include "schema/write/store.h"

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
    X(cuptiActivitySetAttribute)                                                                                       \
    X(cuptiActivityEnableAllSyncRecords)                                                                               \
    X(cuptiGetResultString)                                                                                            \
    X(cuptiGetCallbackName)                                                                                            \
    X(cuptiFinalize)

struct xs_cupti_api {
    void *handle;
    char *path; /* owned, kept for the life of the process */
    uint32_t version;
#define X(name) __typeof__(name) *name;
    XS_CUPTI_REQUIRED(X) /* never NULL once loaded */
    XS_CUPTI_OPTIONAL(X) /* NULL where this CUPTI does not have it */
#undef X
#define X(name, parameters) CUptiResult(CUPTIAPI *name) parameters;
    XS_CUPTI_MULTI(X) /* NULL where this CUPTI does not have it */
#undef X
};

/* Finds and loads a CUPTI that fits the driver. Returns 0, XS_ERROR_NOT_FOUND (there is none) or XS_ERROR_INVALID
 * (there is one that cannot be used), with the reason in `text`. The library is never unloaded. The caller has
 * raised the guard. */
int xs_cupti_load(struct xs_cupti_api *api, char *text, size_t text_bytes);

/* Looks a function up in a libcupti that is mapped into the process: in one other than the library of handle
 * `not_this` where there is one, else in that. NULL: no libcupti is mapped. Loads nothing. */
void *xs_cupti_mapped_symbol(const char *name, void *not_this);

/* ---- what the session's files share (cupti_session.c) ---- */

/* The library in use. Valid once the session is active; only inside. */
extern struct xs_cupti_api xs_cupti_api;

/* Around every call of CUPTI: one thread at a time is inside. False: the calling thread is inside already. The second
 * does not wait: it also fails where another thread is inside. */
bool xs_cupti_enter(void);
bool xs_cupti_try_enter(void);
void xs_cupti_leave(void);

/* The session was started and is not over. Any thread; outside, it may be over a moment later. */
bool xs_cupti_is_active(void);

/* Changes what xs_cupti_state will tell. Inside. */
void xs_cupti_note(void (*change)(struct xs_cupti_state *state));

/* Subscribes, where the library is not yet, and begins to record. Returns NULL, or the function of CUPTI that failed,
 * with its result; and who holds CUPTI in `holder`, where that is known. Inside. */
const char *xs_cupti_attach(CUptiResult *result, char *holder, size_t bytes);

/* cuptiActivityFlushAll(flag). Inside, while attached. */
void xs_cupti_flush_all(uint32_t flag);
/* Has all queued buffers read without CUPTI from now on, because it goes, or may go. Inside. */
void xs_cupti_index_all(void);
/* Reads CUPTI's clock beside CLOCK_MONOTONIC. Inside. */
void xs_cupti_sample_clock(void);

/* ---- attaching to the driver (cupti_attachment.c); all inside ---- */

const char *xs_cupti_result_text(const struct xs_cupti_api *api, CUptiResult result);
CUptiResult xs_cupti_subscribe(const struct xs_cupti_api *api, char *holder, size_t bytes);
/* Enables the callbacks and kinds of records, or disables them. The result is that of copies. */
CUptiResult xs_cupti_record(const struct xs_cupti_api *api, bool kernels);
void xs_cupti_record_no_more(const struct xs_cupti_api *api);
/* Detaches CUPTI, as if it had never been subscribed. It waits for the device. Not beside another subscriber. */
CUptiResult xs_cupti_finalize(const struct xs_cupti_api *api);
/* What is added to the correlation ids of this attachment. Any thread. */
uint32_t xs_cupti_correlation_base(void);
/* Has CUPTI ever called back, which it does for copies, memsets and launches? */
bool xs_cupti_saw_calls(void);
/* The call with this id is left out of the trace (core/outside.h), and so are its records. Any thread. */
void xs_cupti_left_out(uint32_t correlation);

/* ---- the global interface, or the one that several subscribers share (cupti_interface.c); all inside ---- */

/* Decides for the interface that subscribers share where library and driver have all of it. */
void xs_cupti_choose_interface(const struct xs_cupti_api *api, int driver_version);
/* Is it that one? Any thread. */
bool xs_cupti_shares(void);
/* It could not be had: the global one from now on. While the library is not subscribed. */
void xs_cupti_share_no_more(void);

/* Subscribers of the application's that share CUPTI with the library. */
unsigned xs_cupti_others(void);
void xs_cupti_other_came(void);
void xs_cupti_other_left(void);
/* The library is subscribed by the interface that subscribers share. */
bool xs_cupti_shares_now(void);
/* So is the application. Then cuptiActivityFlushAll is not called: it hands over the application's buffers as well, and
 * to call the application's callbacks from here is not safe. They may take a lock that the calling thread holds, or
 * that belongs to a thread at the gate; what they use may be gone at exit; and buffers that belong to threads may not
 * be flushed while one is in the driver (xs_cupti_register_buffers). CUPTI hands over full buffers by itself, and all
 * of them when the application flushes. */
bool xs_cupti_is_beside(void);
void xs_cupti_forget_interface(void); /* in a forked child */

CUpti_SubscriberHandle xs_cupti_subscriber(void); /* while subscribed */
/* With who holds CUPTI in `holder`, where it is held and that is known. */
CUptiResult xs_cupti_subscribe_by(const struct xs_cupti_api *api, CUpti_CallbackFunc callback, char *holder,
                                  size_t bytes);
/* From then on buffers are read only by their index. */
void xs_cupti_unsubscribe(const struct xs_cupti_api *api);
/* Registers the callbacks of buffers, into which all threads are to write. */
CUptiResult xs_cupti_register_buffers(const struct xs_cupti_api *api);
/* Records that were dropped since the last call. */
size_t xs_cupti_dropped_records(const struct xs_cupti_api *api);
CUptiResult xs_cupti_turn_kind(const struct xs_cupti_api *api, CUpti_ActivityKind kind, bool on);
/* Are waits recorded that failed, and queries that found nothing? */
void xs_cupti_all_waits(const struct xs_cupti_api *api, bool on);
CUptiResult xs_cupti_timestamp(const struct xs_cupti_api *api, uint64_t *stamp);
/* What finds the records in a buffer; NULL: no library is loaded. */
typedef __typeof__(cuptiActivityGetNextRecord) xs_cupti_next_record_fn;
xs_cupti_next_record_fn *xs_cupti_next_record(void);

/* ---- page migrations (cupti_migrations.c); all inside ---- */

void xs_cupti_start_migrations(const struct xs_cupti_wishes *wishes, uint64_t now_ns);
/* Migrations are counted, so CUPTI must not be detached. */
bool xs_cupti_has_migrations(void);
void xs_cupti_stop_migrations(void);
/* So many of their records are no longer in a queued buffer; fewer than 0: they are again. */
void xs_cupti_decoded_migrations(int64_t count);
void xs_cupti_end_migrations(void);

/* ---- windows (cupti_turns.c); all inside ---- */

/* False: CUPTI is to be attached later, for a window that is asked for. */
bool xs_cupti_start_turns(const struct xs_cupti_wishes *wishes, uint64_t now_ns);
bool xs_cupti_is_attached(void);
/* Nothing is recorded, but the library is still subscribed: the window ended beside a subscriber of the application's,
 * and buffers may have records. */
bool xs_cupti_is_paused(void);
/* Closes the gate while the device has nothing to do: recorded kernels should not be under way when kinds are disabled.
 * Waits for such a moment half a second at most, and then closes it where that is possible. True: the gate is closed,
 * and the caller opens it. */
bool xs_cupti_quiet_device(void);
/* Detaches CUPTI, which the library is not subscribed to any more. With the gate closed. False: a thread went in all
 * the same, the device works, or this CUPTI cannot be detached. */
bool xs_cupti_finalize_alone(void);
/* CUPTI is not turned any more. */
void xs_cupti_end_turns(void);
void xs_cupti_forget_turns(void); /* in a forked child */

/* ---- activity buffers (cupti_buffers.c) ---- */

struct xs_cupti_decoder;

struct xs_cupti_buffer {
    struct xs_cupti_buffer *next;
    uint8_t *data;
    size_t bytes, valid_bytes;
    uint64_t migrations; /* records of page migrations, where `counted` */
    bool counted;
    uint32_t correlation_base; /* of the attachment that filled it */
    /* Where its records begin, once xs_cupti_buffer_index has looked; else NULL, and CUPTI is asked. */
    uint32_t *offsets;
    size_t record_count;
};

/* CUPTI's two callbacks. CUPTI may call them on any thread, also on a thread of the application inside a driver
 * call. */
void CUPTIAPI xs_cupti_buffer_requested(uint8_t **data, size_t *bytes, size_t *max_records);
void xs_cupti_small_buffer_requested(uint8_t **data, size_t *bytes, size_t *max_records);
/* Whether CUPTI has ever asked for one. */
bool xs_cupti_buffers_asked_for(void);
void CUPTIAPI xs_cupti_buffer_completed(CUcontext context, uint32_t stream, uint8_t *data, size_t bytes,
                                        size_t valid_bytes);

/* Finds the buffer's records, and keeps the names of its kernels, which are CUPTI's memory: from now on it is read
 * without CUPTI. Where there is no memory it stays as it is. */
void xs_cupti_buffer_index(struct xs_cupti_buffer *buffer,
                           const struct xs_cupti_decoder *decoder); /* cupti_records.c */

/* The oldest completed buffer, NULL when there is none. The caller owns it until it gives it back. */
struct xs_cupti_buffer *xs_cupti_buffer_take(void);
/* Puts a list of taken buffers, oldest first, back to the head of the queue. */
void xs_cupti_buffers_requeue(struct xs_cupti_buffer *list);
/* Gives a list of taken buffers back for use by CUPTI. */
void xs_cupti_buffers_recycle(struct xs_cupti_buffer *list);
/* Runs fn on every completed buffer while it stays queued. */
void xs_cupti_buffers_each(void (*fn)(struct xs_cupti_buffer *buffer, void *data), void *data);
/* How many records of page migrations are in completed buffers that are queued. */
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
    xs_cupti_next_record_fn *next_record; /* of the library that wrote the buffers */
    uint32_t version;                     /* of the same library */
    int64_t offset_ns;                    /* CUPTI's clock minus CLOCK_MONOTONIC */
    uint32_t correlation_base;            /* of the buffer that is decoded */
    const uint32_t *offsets;              /* of its records; NULL: next_record finds them */
    size_t record_count;
    uint64_t records[5];                 /* by enum xs_cupti_record; counted up */
    uint64_t own_kernels, own_kernel_ns; /* of the library itself; counted up as well */
    uint64_t damaged;                    /* buffers that could not be read to their end */
};

/* Writes every record of a buffer into the store, and skips records of kinds that it does not know. Returns how many
 * it wrote, or the store's error; after an error the buffer may be decoded again in another batch. */
int64_t xs_cupti_decode(struct xs_cupti_decoder *decoder, uint8_t *data, size_t valid_bytes);

/* The largest correlation id of the records in buffers that were indexed, as the trace has it: calls that are not
 * called back, as waits, have ids as well. Inside. */
uint32_t xs_cupti_latest_record(void);

/* The longest kernel that was decoded so far. Any thread. */
uint64_t xs_cupti_longest_kernel_ns(void);

/* How many kernels of graphs were decoded so far. Any thread. */
uint64_t xs_cupti_graph_kernels(void);

/* How many records of page migrations a buffer has. */
uint64_t xs_cupti_count_migrations(const struct xs_cupti_decoder *decoder, uint8_t *data, size_t valid_bytes);

/* Replaces the kernel names in a buffer, which belong to CUPTI, by copies that outlive it. Copies are never freed. */
void xs_cupti_keep_names(const struct xs_cupti_decoder *decoder, uint8_t *data, size_t valid_bytes);

/* ---- stepping aside (cupti_step_aside.c) ---- */

/* The handle of the library in use, NULL before one is loaded. Any thread. */
void *xs_cupti_handle(void);

/* The application is about to subscribe by the interface that subscribers share, with `its_function`. True: the library
 * stays beside it, and is told by xs_cupti_arrived what became of it. Any thread. */
bool xs_cupti_stay_beside(const void *its_function);
void xs_cupti_arrived(bool subscribed);
/* A subscriber of the application's has left. Any thread. */
void xs_cupti_departed(void);
/* The application has records of whole graphs. Then it may have made all subscribers get those alone. Any thread. */
void xs_cupti_graphs_are_theirs(void);
/* The library's session uses that interface, and the application does not, so CUPTI would refuse its global functions.
 * Any thread. */
bool xs_cupti_is_in_the_way(void);
/* The library stepped aside, and CUPTI still refuses the application's call: takes from it what it may remember of a
 * subscriber that shared it. True: the call is worth another try. Once in a process. Any thread. */
bool xs_cupti_leave_no_trace(void);

#endif
