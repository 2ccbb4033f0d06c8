/* Attaches to the simulated driver, and answers what needs nothing else. */
#include "cupti_sim.h"

#include <dlfcn.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const struct xs_sim_driver *driver;
static const struct xs_sim_tools tools = {xs_cupti_on_api,   xs_cupti_on_activity, xs_cupti_on_resource,
                                          xs_cupti_on_node,  xs_cupti_attachment,  xs_cupti_on_queued,
                                          xs_cupti_on_ended, xs_cupti_fault_ns};

static void attach(void) {
    static void *library; /* stays loaded */
    library = dlopen("libcuda.so.1", RTLD_NOW);
    void *symbol = library != NULL ? dlsym(library, "xs_sim_attach") : NULL;
    xs_sim_attach_fn fn;
    if (symbol == NULL) {
        if (library != NULL)
            dlclose(library);
        return;
    }
    memcpy(&fn, &symbol, sizeof(fn));
    driver = fn(&tools);
}

const struct xs_sim_driver *xs_cupti_driver(void) {
    pthread_once(&once, attach);
    return driver;
}

bool xs_cupti_usable(void) { return xs_cupti_driver() != NULL && driver->usable(); }

uint32_t xs_cupti_version(void) { return (uint32_t)xs_cupti_setting("XFERSPY_SIM_CUPTI_VERSION", CUPTI_API_VERSION); }

XS_EXPORT CUptiResult cuptiGetVersion(uint32_t *version) {
    XS_CUPTI_CALL();
    if (version == NULL)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *version = xs_cupti_version();
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiGetDeviceId(CUcontext context, uint32_t *deviceId) {
    XS_CUPTI_CALL();
    if (deviceId == NULL)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (!xs_cupti_usable() || driver->context_id(context) == 0)
        return CUPTI_ERROR_INVALID_CONTEXT;
    *deviceId = (uint32_t)driver->context_device(context);
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiGetContextId(CUcontext context, uint32_t *contextId) {
    XS_CUPTI_CALL();
    if (contextId == NULL)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (!xs_cupti_usable() || driver->context_id(context) == 0)
        return CUPTI_ERROR_INVALID_CONTEXT;
    *contextId = driver->context_id(context);
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiGetStreamIdEx(CUcontext context, CUstream stream, uint8_t perThreadStream,
                                         uint32_t *streamId) {
    XS_CUPTI_CALL();
    if (streamId == NULL)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (!xs_cupti_usable())
        return CUPTI_ERROR_NOT_INITIALIZED;
    *streamId = driver->stream_id(context, stream, perThreadStream != 0);
    return *streamId != 0 ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_STREAM;
}

XS_EXPORT CUptiResult cuptiGetStreamId(CUcontext context, CUstream stream, uint32_t *streamId) {
    XS_CUPTI_CALL();
    return cuptiGetStreamIdEx(context, stream, 0, streamId);
}

XS_EXPORT CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t *nodeId) {
    XS_CUPTI_CALL();
    if (node == NULL || nodeId == NULL || xs_cupti_driver() == NULL)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *nodeId = driver->graph_node_id(node);
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiGetGraphId(CUgraph graph, uint32_t *pId) {
    XS_CUPTI_CALL();
    if (graph == NULL || pId == NULL || xs_cupti_driver() == NULL)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *pId = driver->graph_id(graph);
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiGetGraphExecId(CUgraphExec graphExec, uint32_t *pId) {
    XS_CUPTI_CALL();
    if (graphExec == NULL || pId == NULL || xs_cupti_driver() == NULL)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *pId = driver->graph_exec_id(graphExec);
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiDeviceSupported(CUdevice dev, int *support) {
    XS_CUPTI_CALL();
    (void)dev;
    if (support == NULL)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *support = 1;
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiGetResultString(CUptiResult result, const char **str) {
    XS_CUPTI_CALL();
    static const struct {
        CUptiResult value;
        const char *name;
    } names[] = {
#define NAME(value) {value, #value},
        NAME(CUPTI_SUCCESS) NAME(CUPTI_ERROR_INVALID_PARAMETER) NAME(CUPTI_ERROR_INVALID_DEVICE)
            NAME(CUPTI_ERROR_INVALID_CONTEXT) NAME(CUPTI_ERROR_INVALID_OPERATION) NAME(CUPTI_ERROR_OUT_OF_MEMORY)
                NAME(CUPTI_ERROR_MAX_LIMIT_REACHED) NAME(CUPTI_ERROR_NOT_READY) NAME(CUPTI_ERROR_NOT_COMPATIBLE)
                    NAME(CUPTI_ERROR_NOT_INITIALIZED) NAME(CUPTI_ERROR_QUEUE_EMPTY) NAME(CUPTI_ERROR_INVALID_STREAM)
                        NAME(CUPTI_ERROR_INVALID_KIND) NAME(CUPTI_ERROR_NOT_SUPPORTED)
                            NAME(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES)
                                NAME(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
#undef NAME
    };
    if (str == NULL)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *str = "CUPTI_ERROR_UNKNOWN";
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].value == result)
            *str = names[i].name;
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiGetErrorMessage(CUptiResult result, const char **str) {
    XS_CUPTI_CALL();
    return cuptiGetResultString(result, str);
}
