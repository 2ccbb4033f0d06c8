/* Declares what the files of preload/cupti share: the table of CUPTI's functions, the activity buffers, and the
 * decoder. In these comments, a thread is "inside" between xs_cupti_enter and xs_cupti_leave. */
#ifndef XFERSPY_PRELOAD_CUPTI_CUPTI_INTERNAL_H
#define XFERSPY_PRELOAD_CUPTI_CUPTI_INTERNAL_H

#include <cupti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/cupti/cupti.h"
#include "preload/cupti/cupti_multi.h"
#include "preload/cupti/migration_budget.h"
#include "schema/clock.h"
#include "schema/write/store.h"

#if CUPTI_API_VERSION < 130000
#error "xferspy is built with the CUPTI headers of CUDA 13.0 or later; it runs with any CUPTI from 11.0 on"
#endif

/* ---- versions, as cuptiGetVersion counts them (cupti_version.h) ---- */

#define XS_CUPTI_11_0 13u /* graphNodeId in copies, memsets and kernels; the oldest version that is used */
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

/* Finds a CUPTI that fits the driver, and loads it as xs_cupti_api. Returns 0, XS_ERROR_NOT_FOUND (no CUPTI was found)
 * or XS_ERROR_INVALID (none of those found can be used), with the reason in `why`. The loaded CUPTI is never unloaded.
 * The caller must have raised the guard. */
int xs_cupti_load(int driver_version, char why[256]);

/* Looks up a function in a libcupti that is mapped into the process. Prefers a library other than the one with handle
 * `not_this`. NULL: no mapped libcupti has it. Loads nothing. */
void *xs_cupti_mapped_symbol(const char *name, void *not_this);

/* ---- shared by the files of the session (cupti_session.c) ---- */

/* The CUPTI library in use. The table is valid once the session is active, and must be accessed only inside. */
extern struct xs_cupti_api xs_cupti_api;

/* These functions are called around all calls of CUPTI, so that only one thread at a time is inside. xs_cupti_enter
 * waits until no other thread is inside; it returns false if the calling thread itself is inside already.
 * xs_cupti_try_enter does not wait: it also returns false while another thread is inside. A thread that has entered
 * must call xs_cupti_leave. */
bool xs_cupti_enter(void);
bool xs_cupti_try_enter(void);
void xs_cupti_leave(void);

/* True if the session has started and has not ended. Any thread. If the caller is not inside, the session may end right
 * after this call. */
bool xs_cupti_is_active(void);

/* Calls `change` to change what xs_cupti_state returns. Must be called inside. */
void xs_cupti_note(void (*change)(struct xs_cupti_state *state));

/* Subscribes, unless xferspy is subscribed already, and begins to record. Returns NULL, or the name of the CUPTI
 * function that failed; *result gets the result of this function. `holder` gets the name of the subscriber that holds
 * CUPTI, if the name is known. Must be called inside. */
const char *xs_cupti_attach(CUptiResult *result, char *holder, size_t bytes);

/* Calls cuptiActivityFlushAll(flag), and adds the dropped records to the session's state. Must be called inside, and
 * while CUPTI is attached. */
void xs_cupti_flush_all(uint32_t flag);
/* Indexes all queued buffers, so that they can be read without CUPTI, which is about to be detached or may be unloaded.
 * Must be called inside. */
void xs_cupti_index_all(void);
/* Compares CUPTI's clock with CLOCK_MONOTONIC. Must be called inside. */
void xs_cupti_sample_clock(void);

/* ---- attaching to the driver (cupti_attachment.c); all inside ---- */

const char *xs_cupti_result_text(CUptiResult result);
/* The callback with which xferspy subscribes. */
void CUPTIAPI xs_cupti_on_driver_call(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *info);
/* These two functions enable and disable the callbacks and the kinds of records. xs_cupti_record returns the result of
 * enabling the records of copies. */
CUptiResult xs_cupti_record(bool kernels);
void xs_cupti_record_no_more(void);
/* Detaches CUPTI, so that it no longer affects the driver. Waits for the device. Must not be called while there is
 * another subscriber. */
CUptiResult xs_cupti_finalize(void);
/* Returns the offset that is added to the correlation ids of this attachment. Any thread. */
uint32_t xs_cupti_correlation_base(void);
/* True if CUPTI has ever called the callback. CUPTI calls it for copies, memsets and launches. */
bool xs_cupti_saw_calls(void);
/* Notes the correlation id of a call that is left out of the trace (core/call_windows.h), so that its device records
 * are left out as well. Any thread. */
void xs_cupti_left_out(uint32_t correlation);

/* ---- the global interface, or the shared interface for several subscribers (cupti_interface.c); all inside ---- */

/* Chooses the shared interface if CUPTI and the driver support all of it. */
void xs_cupti_choose_interface(int driver_version);
/* True if the shared interface is in use. Any thread. */
bool xs_cupti_shares(void);
/* Uses only the global interface from now on, because the shared one is not available. Must not be called while the
 * library is subscribed. */
void xs_cupti_share_no_more(void);

/* Returns the number of the application's subscribers that share CUPTI with the library. */
unsigned xs_cupti_others(void);
void xs_cupti_other_came(void);
void xs_cupti_other_left(void);
/* True if the library is subscribed by the shared interface. */
bool xs_cupti_shares_now(void);
/* True if both the library and the application are subscribed. In this case cuptiActivityFlushAll is not called. It
 * would also hand over the application's buffers by calling the application's callbacks, which is not safe here: the
 * callbacks may take a lock that the calling thread or a thread waiting at the gate holds; at exit, memory that they
 * use may already be freed; and per-thread buffers must not be flushed while their thread is in the driver
 * (xs_cupti_register_buffers). CUPTI hands over full buffers without a flush, and all buffers when the application
 * flushes. */
bool xs_cupti_is_beside(void);
void xs_cupti_forget_interface(void); /* in a forked child */

CUpti_SubscriberHandle xs_cupti_subscriber(void); /* valid while subscribed */
/* Subscribes. `holder` gets the name of the current holder of CUPTI, if there is one and its name is known. */
CUptiResult xs_cupti_subscribe(char *holder, size_t bytes);
/* Unsubscribes. From then on buffers can be read only by their index. */
void xs_cupti_unsubscribe(void);
/* Registers the buffer callbacks, and makes CUPTI use the same buffers for all threads. */
CUptiResult xs_cupti_register_buffers(void);
/* Returns the number of records dropped since the last call. */
size_t xs_cupti_dropped_records(void);
CUptiResult xs_cupti_switch_kind(CUpti_ActivityKind kind, bool on);
/* Switches on or off the records of waits that failed and of queries that found unfinished work. */
void xs_cupti_all_waits(bool on);
CUptiResult xs_cupti_timestamp(uint64_t *stamp);
/* Returns the function that finds the records in a buffer; NULL: no CUPTI is loaded. */
typedef __typeof__(cuptiActivityGetNextRecord) xs_cupti_next_record_fn;
xs_cupti_next_record_fn *xs_cupti_next_record(void);

/* ---- page migrations (cupti_migrations.c); all inside ---- */

struct xs_cupti_buffer;

void xs_cupti_start_migrations(const struct xs_cupti_wishes *wishes, uint64_t now_ns);
/* True if migrations are recorded. While they are recorded, CUPTI must not be detached. */
bool xs_cupti_has_migrations(void);
void xs_cupti_stop_migrations(void);
/* xs_cupti_migrations_decoded notes that a counted buffer has left the queue, because its records were decoded.
 * xs_cupti_migrations_queued notes that such a buffer is in the queue again. */
void xs_cupti_migrations_decoded(const struct xs_cupti_buffer *buffer);
void xs_cupti_migrations_queued(const struct xs_cupti_buffer *buffer);
void xs_cupti_end_migrations(void);

/* ---- windows (cupti_attach_detach.c); all inside ---- */

/* Sets how it is decided when CUPTI is attached. Returns false if CUPTI must not be attached now, because no window has
 * begun that the user, a command or a ledger requests. */
bool xs_cupti_start_switches(const struct xs_cupti_wishes *wishes, uint64_t now_ns);
/* True if the library is subscribed but records nothing, because a window ended while the application was also
 * subscribed. Buffers may still contain records. */
bool xs_cupti_is_paused(void);
/* Closes the gate while the device is idle, because no recorded kernel should be running when activity kinds are
 * disabled. If the device is not idle within half a second, closes the gate anyway if possible. True: the gate is
 * closed, and the caller must open it. */
bool xs_cupti_quiet_device(void);
/* From this call on, CUPTI is never attached or detached again. */
void xs_cupti_end_switches(void);
void xs_cupti_forget_switches(void); /* in a forked child */

/* ---- activity buffers (cupti_buffers.c) ---- */

struct xs_cupti_decoder;

struct xs_cupti_buffer {
    struct xs_cupti_buffer *next;
    uint8_t *data;
    size_t bytes, valid_bytes;
    struct xs_migration_tally migrations; /* the buffer's records of page migrations and faults, valid if `counted` */
    bool counted;
    uint32_t correlation_base; /* added to the buffer's correlation ids (xs_cupti_correlation_base) */
    /* Offsets of the records, set by xs_cupti_buffer_index; NULL: CUPTI finds the records. */
    uint32_t *offsets;
    size_t record_count;
};

/* CUPTI's buffer callbacks. CUPTI may call them on any thread, including an application thread inside a driver call. */
void CUPTIAPI xs_cupti_buffer_requested(uint8_t **data, size_t *bytes, size_t *max_records);
/* True if CUPTI has ever requested a buffer. */
bool xs_cupti_buffers_asked_for(void);
void CUPTIAPI xs_cupti_buffer_completed(CUcontext context, uint32_t stream, uint8_t *data, size_t bytes,
                                        size_t valid_bytes);

/* Indexes the buffer's records and copies its kernel names, which belong to CUPTI. From then on the buffer can be read
 * without CUPTI. If there is no memory for the index, the buffer is not changed. */
void xs_cupti_buffer_index(struct xs_cupti_buffer *buffer,
                           const struct xs_cupti_decoder *decoder); /* cupti_records.c */

/* Takes the oldest completed buffer; NULL: there is none. The caller owns the buffer until it calls
 * xs_cupti_buffers_requeue or xs_cupti_buffers_recycle. */
struct xs_cupti_buffer *xs_cupti_buffer_take(void);
/* Returns a list of taken buffers, oldest first, to the head of the queue. */
void xs_cupti_buffers_requeue(struct xs_cupti_buffer *list);
/* Gives a list of taken buffers back for use by CUPTI. */
void xs_cupti_buffers_recycle(struct xs_cupti_buffer *list);
/* Indexes every completed buffer; the buffers stay queued. */
void xs_cupti_buffers_index(const struct xs_cupti_decoder *decoder);
/* Returns how many records of page migrations and faults the queued buffers contain, and what these records have
 * cost. */
struct xs_migration_tally xs_cupti_buffers_migrations(const struct xs_cupti_decoder *decoder);
/* Returns the number of buffers whose records were lost for lack of memory. */
uint64_t xs_cupti_buffers_lost(void);
/* Runs in a forked child: forgets every buffer without touching it. */
void xs_cupti_buffers_forget(void);

/* ---- the decoder (cupti_records.c) ---- */

enum xs_cupti_record { XS_RECORD_COPY, XS_RECORD_MEMSET, XS_RECORD_KERNEL, XS_RECORD_SYNC, XS_RECORD_MIGRATION };

struct xs_cupti_decoder {
    struct xs_store *store;
    const struct xs_clock *clock;
    xs_cupti_next_record_fn *next_record; /* function of the CUPTI that wrote the buffers */
    uint32_t version;                     /* version of that CUPTI */
    int64_t offset_ns;                    /* CUPTI's clock minus CLOCK_MONOTONIC */
    uint32_t correlation_base;            /* added to the ids in the buffer that is being decoded */
    const uint32_t *offsets;              /* offsets of the buffer's records; NULL: next_record finds them */
    size_t record_count;
    uint64_t records[5];                 /* indexed by enum xs_cupti_record; the decoder increments them */
    uint64_t own_kernels, own_kernel_ns; /* kernels of the library itself; the decoder increments them */
    uint64_t damaged;                    /* buffers that could not be read to their end */
};

/* Writes every record of a buffer into the store, and skips records of unknown kinds. Returns the number of records
 * written, or the store's error. After an error the buffer may be decoded again in another batch. */
int64_t xs_cupti_decode(struct xs_cupti_decoder *decoder, uint8_t *data, size_t valid_bytes);

/* Returns the largest correlation id of the records in indexed buffers, in the trace's numbering. Callbacks alone do
 * not give this number, because calls without a callback, such as waits, also have ids. Must be called inside. */
uint32_t xs_cupti_latest_record(void);

/* Returns the duration of the longest kernel decoded so far. Any thread. */
uint64_t xs_cupti_longest_kernel_ns(void);

/* Returns the number of graph kernels decoded so far. Any thread. */
uint64_t xs_cupti_graph_kernels(void);

/* Counts the buffer's records of page migrations and faults in buffer->migrations. Does nothing if they were counted
 * before. Several records may have the same time. Their total cost is then at most the time since the previous record,
 * because they cannot have delayed the program for longer. Must be called inside. */
void xs_cupti_count_migrations(const struct xs_cupti_decoder *decoder, struct xs_cupti_buffer *buffer);

/* Replaces the pointers to kernel names in a buffer, which point into CUPTI's memory, by pointers to copies that are
 * never freed. */
void xs_cupti_keep_names(const struct xs_cupti_decoder *decoder, uint8_t *data, size_t valid_bytes);

/* ---- stepping aside (cupti_step_aside.c) ---- */

/* Returns the handle of the CUPTI in use; NULL: none is loaded yet. Any thread. */
void *xs_cupti_handle(void);

/* Runs before the application subscribes by the shared interface; `its_function` is the cuptiSubscribe_v2 that it
 * calls. True: the library also stays subscribed, and xs_cupti_other_is must report whether the application's
 * subscription succeeded. Any thread. */
bool xs_cupti_stay_beside(const void *its_function);
/* This function is called with true or false after the application's attempt to subscribe, and with false after one of
 * its subscribers has unsubscribed. Any thread. */
void xs_cupti_other_is(bool subscribed);
/* Notes that the application records graphs as a whole. From then on all subscribers may get only records of whole
 * graphs. Any thread. */
void xs_cupti_graphs_are_theirs(void);
/* True if the library's session uses the shared interface and the application does not. In this case CUPTI would refuse
 * the application's calls of the global functions. Any thread. */
bool xs_cupti_is_in_the_way(void);
/* Runs if CUPTI still refuses the application's call after the library has stepped aside, because CUPTI may remember
 * the shared subscriber. Finalizes CUPTI, at most once in a process. True: the application's call should be tried
 * again. Any thread. */
bool xs_cupti_leave_no_trace(void);

#endif
