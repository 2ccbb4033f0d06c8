/* The simulated CUPTI's shared declarations: the attached driver, callbacks, and the buffers that records go to. */
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

/* Begins every exported function. Ends a forked child of a process that had attached CUPTI: the real one hangs or
 * crashes there. */
#define XS_CUPTI_CALL() xs_cupti_check_process(__func__)
void xs_cupti_check_process(const char *function);
/* Begins every function that has a namesake for subscribers, and one of those. */
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
/* What cuptiGetVersion says. */
uint32_t xs_cupti_version(void);

/* ---- clients (cupti_callbacks.c) ---- */

/* The first client is whoever calls the global functions; each of the others is a subscriber of those that share CUPTI,
 * with kinds, attributes and buffers of its own. */
enum { XS_CUPTI_GLOBAL_CLIENT, XS_CUPTI_FIRST_SUBSCRIBER, XS_CUPTI_CLIENTS = 4 };
/* Number of the client, -1 where the handle is no subscriber's. */
int xs_cupti_client_of(CUpti_SubscriberHandle subscriber);
bool xs_cupti_is_subscribed(int client);
/* Is CUPTI with subscribers that share it? */
bool xs_cupti_is_shared(void);
unsigned xs_cupti_subscribers(void);
/* For tests: how many clients have a kind enabled. */
XS_EXPORT unsigned xs_sim_recording(void);

/* ---- attached and detached (cupti_life.c) ---- */

/* From the first subscription or kind on until cuptiFinalize there is an attachment, which has a number; 0: none. */
uint32_t xs_cupti_attachment(void);
/* Attaches if that was not done yet. Before begins and after ends what must have the driver for itself, for which
 * `function` is the name. */
void xs_cupti_attach_begin(const char *function);
/* Disabling a kind needs the driver for itself only where all is checked. */
void xs_cupti_disable_begin(const char *function);
void xs_cupti_attach_end(void); /* of both */
/* Buffers are handed over that threads inside of the driver may be writing into. */
void xs_cupti_flush_check(const char *function);
/* After the first cuptiFinalize there are no migrations any more. */
bool xs_cupti_was_finalized(void);
/* What the kinds cost the call: the calling thread is busy for as long. */
void xs_cupti_charge(const struct xs_sim_api *call);
/* A number from the environment, or the fallback. */
uint64_t xs_cupti_setting(const char *name, uint64_t fallback);
/* The parts of cuptiFinalize: nothing of the subscriber and of the buffers is left, and none of their callbacks runs.
 */
void xs_cupti_forget_subscriber(void);
void xs_cupti_forget_activity(void);
/* The client's buffers and callbacks: none of them runs any more. */
void xs_cupti_forget_buffers(int client);

/* The simulated driver's side, attached on first use; NULL where libcuda is another one (cupti_attach.c). */
const struct xs_sim_driver *xs_cupti_driver(void);
bool xs_cupti_usable(void);

/* The hooks that the driver calls (cupti_callbacks.c, cupti_records.c). */
void xs_cupti_on_api(const struct xs_sim_api *call);
void xs_cupti_on_resource(enum xs_sim_resource_kind kind, CUcontext context, CUstream stream);
void xs_cupti_on_node(CUgraph graph, CUgraphNode node, CUgraphNodeType type, CUgraphNode original);
void xs_cupti_on_activity(const struct xs_sim_activity *activity);
void xs_cupti_record_api(const struct xs_sim_api *call);

/* Which kinds are on (cupti_kinds.c), and how a record gets into a buffer (cupti_activity.c). */
bool xs_cupti_enabled(CUpti_ActivityKind kind); /* by any client */
bool xs_cupti_client_wants(int client, CUpti_ActivityKind kind);
/* Does the client get records of this kind? MEMCPY alone brings MEMCPY2, too (measured with CUPTI 13.0.1). */
bool xs_cupti_client_gets(int client, CUpti_ActivityKind kind);
bool xs_cupti_any_kind(int client);
/* Is it off, but was on in this attachment? */
bool xs_cupti_was_enabled(CUpti_ActivityKind kind);
/* Has each thread buffers of its own (CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER), of any client that is there? */
bool xs_cupti_threads_have_buffers(void);
bool xs_cupti_counts(bool to_device, bool to_host);
void xs_cupti_forget_kinds(int client);
/* The counters of managed memory: a record of them comes; are they on; waits until they have ended. */
void xs_cupti_counted(void);
void xs_cupti_end_counters(void);
/* Where the attachment is over, the record is nobody's. */
void xs_cupti_append(uint32_t attachment, const void *record, size_t bytes);
size_t xs_cupti_record_bytes(CUpti_ActivityKind kind);
/* xs_sim_tools.h has the meaning. */
uint32_t xs_cupti_on_queued(enum xs_sim_activity_kind kind);
void xs_cupti_on_ended(uint32_t attachment);
/* The client's clock for a CLOCK_MONOTONIC time. */
uint64_t xs_cupti_client_time(uint64_t monotonic_ns);

#endif
