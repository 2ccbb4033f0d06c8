/* The simulated CUPTI's shared declarations: the attached driver, callbacks, and the buffers that records go to. */
#ifndef XS_SIM_CUPTI_H
#define XS_SIM_CUPTI_H

#include <cupti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "xs_sim_tools.h"

#define XS_EXPORT __attribute__((visibility("default")))

/* The simulated driver's side, attached on first use; NULL where libcuda is another one (cupti_attach.c). */
const struct xs_sim_driver *xs_cupti_driver(void);
bool xs_cupti_usable(void);

/* The hooks that the driver calls (cupti_callbacks.c, cupti_records.c). */
void xs_cupti_on_api(const struct xs_sim_api *call);
void xs_cupti_on_resource(enum xs_sim_resource_kind kind, CUcontext context, CUstream stream);
void xs_cupti_on_node(CUgraph graph, CUgraphNode node, CUgraphNodeType type, CUgraphNode original);
void xs_cupti_on_activity(const struct xs_sim_activity *activity);
void xs_cupti_record_api(const struct xs_sim_api *call);

/* Which kinds are on, and how a record gets into a buffer (cupti_activity.c). */
bool xs_cupti_enabled(CUpti_ActivityKind kind);
bool xs_cupti_counts(bool to_device, bool to_host);
void xs_cupti_append(const void *record, size_t bytes);
size_t xs_cupti_record_bytes(CUpti_ActivityKind kind);
void xs_cupti_disable_all(void);
/* The client's clock for a CLOCK_MONOTONIC time. */
uint64_t xs_cupti_client_time(uint64_t monotonic_ns);

#endif
