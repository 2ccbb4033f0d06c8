/* The simulated CUPTI's shared declarations: the attached driver, callbacks, and the buffers for records. */
#ifndef XS_SIM_CUPTI_H
#define XS_SIM_CUPTI_H

#include <cupti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "preload/cupti/cupti_multi.h"
#include "xs_sim_tools.h"

#define XS_EXPORT __attribute__((visibility("default")))

/* Begins every exported function. In a forked child of a process that had attached CUPTI, ends the process, because the
 * real CUPTI hangs or crashes there. */
#define XS_CUPTI_CALL() xs_cupti_check_process(__func__)
void xs_cupti_check_process(const char *function);
/* XS_CUPTI_GLOBAL_CALL begins every global function that also exists as a function for one subscriber;
 * XS_CUPTI_CLIENT_CALL begins those functions for one subscriber. */
#define XS_CUPTI_GLOBAL_CALL()                                                                                         \
    XS_CUPTI_CALL();                                                                                                   \
    if (xs_cupti_is_shared())                                                                                          \
    return CUPTI_ERROR_NOT_COMPATIBLE
#define XS_CUPTI_CLIENT_CALL(client, subscriber)                                                                       \
    XS_CUPTI_CALL();                                                                                                   \
    int client = xs_cupti_client_of(subscriber);                                                                       \
    if (xs_cupti_version() < 130200)                                                                                   \
        return CUPTI_ERROR_NOT_SUPPORTED;                                                                              \
    if (client < 0)                                                                                                    \
    return CUPTI_ERROR_INVALID_PARAMETER
/* Returns the result of cuptiGetVersion. */
uint32_t xs_cupti_version(void);

/* ---- clients (cupti_callbacks.c) ---- */

/* The first client is the user of the global functions. Each other client is one of the subscribers that share CUPTI,
 * and has its own kinds, attributes and buffers. */
enum { XS_CUPTI_GLOBAL_CLIENT, XS_CUPTI_FIRST_SUBSCRIBER, XS_CUPTI_CLIENTS = 4 };
/* Returns the number of the client; -1: the handle belongs to no subscriber. */
int xs_cupti_client_of(CUpti_SubscriberHandle subscriber);
bool xs_cupti_is_subscribed(int client);
/* True if there are subscribers that share CUPTI. */
bool xs_cupti_is_shared(void);
unsigned xs_cupti_subscribers(void);
/* For tests: returns how many clients have a kind enabled. */
XS_EXPORT unsigned xs_sim_recording(void);

/* ---- attached and detached (cupti_life.c) ---- */

/* Returns the number of the attachment, which lasts from the first subscription or the first enabled kind until
 * cuptiFinalize; 0: there is none. */
uint32_t xs_cupti_attachment(void);
/* Attaches CUPTI, unless it is attached. From xs_cupti_attach_begin to xs_cupti_attach_end no other thread may be
 * inside the driver; `function` names the reason. */
void xs_cupti_attach_begin(const char *function);
/* Begins disabling a kind. Other threads must be outside the driver only if the simulator checks everything. */
void xs_cupti_disable_begin(const char *function);
void xs_cupti_attach_end(void); /* called after xs_cupti_attach_begin and after xs_cupti_disable_begin */
/* Ends the process if handing over buffers is unsafe now: threads inside the driver may be writing to their own
 * buffers, or MEMCPY and MEMCPY2 are both enabled. */
void xs_cupti_flush_check(const char *function);
/* True after the first cuptiFinalize; from then on there are no records of migrations. */
bool xs_cupti_was_finalized(void);
/* Keeps the calling thread busy for the time that the enabled kinds cost this call. */
void xs_cupti_charge(const struct xs_sim_api *call);
/* Returns a number from the environment; `fallback` if the variable is not set. */
uint64_t xs_cupti_setting(const char *name, uint64_t fallback);
/* The parts of cuptiFinalize. They delete all data of subscribers and buffers; afterwards none of their callbacks
 * runs. */
void xs_cupti_forget_subscriber(void);
void xs_cupti_forget_activity(void);
/* Deletes the client's buffers and callbacks; afterwards none of the callbacks runs. */
void xs_cupti_forget_buffers(int client);

/* Returns the simulated driver's functions, and attaches CUPTI to it at the first call; NULL: libcuda is not the
 * simulated one (cupti_attach.c). */
const struct xs_sim_driver *xs_cupti_driver(void);
bool xs_cupti_usable(void);

/* The hooks that the driver calls (cupti_callbacks.c, cupti_records.c). */
void xs_cupti_on_api(const struct xs_sim_api *call);
void xs_cupti_on_resource(enum xs_sim_resource_kind kind, CUcontext context, CUstream stream);
void xs_cupti_on_node(CUgraph graph, CUgraphNode node, CUgraphNodeType type, CUgraphNode original);
void xs_cupti_on_activity(const struct xs_sim_activity *activity);
void xs_cupti_record_api(const struct xs_sim_api *call);

/* Which kinds are on (cupti_kinds.c), and how a record gets into a buffer (cupti_activity.c). */
bool xs_cupti_enabled(CUpti_ActivityKind kind); /* true if any client has enabled the kind */
bool xs_cupti_client_wants(int client, CUpti_ActivityKind kind);
/* Does the client get records of this kind? MEMCPY alone brings MEMCPY2, too (measured with CUPTI 13.0.1). */
bool xs_cupti_client_gets(int client, CUpti_ActivityKind kind);
bool xs_cupti_any_kind(int client);
/* True if the kind is disabled but was enabled earlier in this attachment. */
bool xs_cupti_was_enabled(CUpti_ActivityKind kind);
/* True if each thread has its own buffers for any client (CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER). */
bool xs_cupti_threads_have_buffers(void);
bool xs_cupti_counts(bool to_device, bool to_host);
/* True if faults of devices are recorded. */
bool xs_cupti_counts_faults(void);
/* Returns what the recording of such a fault costs now. */
uint64_t xs_cupti_fault_ns(void);
void xs_cupti_forget_kinds(int client);
/* These functions are for the counters of managed memory. xs_cupti_counted is called for each record of a counter;
 * xs_cupti_end_counters waits for the counters to end, if they are enabled. */
void xs_cupti_counted(void);
void xs_cupti_end_counters(void);
/* Writes a record to the buffers of all clients that want it, unless its attachment is over. */
void xs_cupti_append(uint32_t attachment, const void *record, size_t bytes);
size_t xs_cupti_record_bytes(CUpti_ActivityKind kind);
/* These implement `queued` and `ended` of struct xs_sim_tools (xs_sim_tools.h). */
uint32_t xs_cupti_on_queued(enum xs_sim_activity_kind kind);
void xs_cupti_on_ended(uint32_t attachment);
/* Converts a CLOCK_MONOTONIC time to the client's clock. */
uint64_t xs_cupti_client_time(uint64_t monotonic_ns);

#endif
