/* Does what happens around every driver call: finds out whether the driver is usable in this process and which default
 * stream the call means, and informs a tool. Also handles initialisation, fork and exit. */
#include "inside.h"
#include "modules/module.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Atomic(const struct xs_sim_tools *) attached;
static atomic_int initialised, initialised_by, forked, exiting;
static _Atomic uint32_t correlations;
static _Atomic uint64_t owners;
static pthread_mutex_t init_lock = PTHREAD_MUTEX_INITIALIZER;

static __thread struct xs_thread thread_state;

struct xs_thread *xs_thread(void) {
    if (thread_state.capture_owner == 0)
        thread_state.capture_owner = atomic_fetch_add(&owners, 1) + 1;
    return &thread_state;
}

bool xs_initialised(void) { return atomic_load(&initialised) != 0; }

/* A child that was made without fork handlers (_Fork, clone) is recognised only by its process number. */
bool xs_forked(void) {
    int parent = atomic_load(&initialised_by);
    return atomic_load(&forked) != 0 || (parent != 0 && parent != getpid());
}

bool xs_exiting(void) { return atomic_load(&exiting) != 0; }

static bool usable(void) { return !xs_forked() && !xs_exiting(); }

const struct xs_sim_tools *xs_tools(void) { return atomic_load_explicit(&attached, memory_order_acquire); }

XS_EXPORT const struct xs_sim_driver *xs_sim_attach(const struct xs_sim_tools *tools);
XS_EXPORT const struct xs_sim_driver *xs_sim_attach(const struct xs_sim_tools *tools) {
    atomic_store_explicit(&attached, tools, memory_order_release);
    return &xs_driver_side;
}

/* A child has none of the parent's worker threads, and locks may be held by threads it lacks: CUDA makes every call
 * fail there. */
static void after_fork(void) { atomic_store(&forked, 1); }

/* Runs after the handlers that were registered later than cuInit. Those may still call the driver; destructors that run
 * after this function may not. */
static void at_exit(void) {
    if (xs_forked())
        return;
    atomic_store(&exiting, 1);
    xs_quiesce(500 * 1000 * 1000);
}

CUresult xs_cuInit(unsigned int Flags) {
    if (Flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&init_lock);
    bool first = !xs_initialised();
    if (first) {
        xs_config_load();
        if (xs_config()->devices == 0) {
            pthread_mutex_unlock(&init_lock);
            return CUDA_ERROR_NO_DEVICE;
        }
        atomic_store(&initialised_by, (int)getpid());
        pthread_atfork(NULL, NULL, after_fork);
        atexit(at_exit);
        atomic_store(&initialised, 1);
    }
    pthread_mutex_unlock(&init_lock);
    if (first)
        xs_report_resource(XS_SIM_DRIVER_INITIALISED, NULL, NULL);
    return CUDA_SUCCESS;
}

CUresult xs_cuDriverGetVersion(int *driverVersion) {
    if (driverVersion == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    const char *version = getenv("XFERSPY_SIM_DRIVER_VERSION");
    *driverVersion = version != NULL && *version != '\0' ? (int)strtol(version, NULL, 10) : CUDA_VERSION;
    return CUDA_SUCCESS;
}

CUresult xs_cuGetExportTable(const void **ppExportTable, const CUuuid *pExportTableId) {
    (void)pExportTableId;
    if (ppExportTable != NULL)
        *ppExportTable = NULL;
    return CUDA_ERROR_NOT_FOUND;
}

static void report_call(struct xs_sim_call *call, bool leaving) {
    const struct xs_sim_tools *tools = xs_tools();
    if (tools == NULL || tools->api == NULL || !usable())
        return;
    struct CUctx_st *context = xs_current();
    call->api.leaving = leaving;
    call->api.context = context;
    call->api.context_id = context != NULL ? context->id : 0;
    call->api.kernel = thread_state.kernel;
    tools->api(&call->api);
    call->reported = true;
}

/* The symbol name of a launch has to be known on entry, before the implementation looks at its parameters. */
static const char *launch_name(const char *name, const void *params) {
    if (params == NULL || strncmp(name, "cuLaunch", 8) != 0 || strncmp(name, "cuLaunchHost", 12) == 0)
        return NULL;
    CUfunction function;
    bool extended = strncmp(name, "cuLaunchKernelEx", 16) == 0;
    memcpy(&function, (const char *)params + (extended ? sizeof(void *) : 0), sizeof(function));
    return function != NULL ? xs_function_of(function)->name : NULL; /* a CUkernel will do, too */
}

CUresult xs_call_enter(struct xs_sim_call *call, const char *name, uint32_t cbid, const void *params, bool per_thread,
                       bool early) {
    struct xs_thread *thread = xs_thread();
    call->outer_correlation = thread->correlation;
    call->outer_per_thread = thread->per_thread_default;
    call->outer_kernel = thread->kernel;
    call->reported = false;
    call->outer = (struct xs_inside){NULL, NULL};
    call->correlation_data = 0;
    call->result = CUDA_SUCCESS;
    thread->per_thread_default = per_thread;
    if (xs_forked())
        return CUDA_ERROR_NOT_INITIALIZED;
    xs_inside_enter(name, call, &call->outer);
    xs_checkpoint_wait(name);
    if (xs_exiting())
        return early ? CUDA_SUCCESS : CUDA_ERROR_DEINITIALIZED;
    if (xs_is_virtual())
        xs_virtual_call(name);
    thread->correlation = atomic_fetch_add_explicit(&correlations, 1, memory_order_relaxed) + 1;
    if (xs_tools() != NULL) {
        thread->kernel = launch_name(name, params);
        call->api = (struct xs_sim_api){.cbid = cbid,
                                        .correlation = thread->correlation,
                                        .function = name,
                                        .params = params,
                                        .result = &call->result,
                                        .correlation_data = &call->correlation_data,
                                        .start_ns = xs_now_ns()};
        report_call(call, false);
    }
    return early || xs_initialised() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult xs_call_exit(struct xs_sim_call *call, CUresult result) {
    struct xs_thread *thread = xs_thread();
    call->result = result;
    if (xs_is_virtual())
        xs_virtual_return();
    if (call->reported) {
        call->api.end_ns = xs_now_ns();
        report_call(call, true);
    }
    thread->correlation = call->outer_correlation;
    thread->per_thread_default = call->outer_per_thread;
    thread->kernel = call->outer_kernel;
    xs_inside_leave(&call->outer);
    return result;
}
