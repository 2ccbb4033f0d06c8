/* Subscription and callbacks: one subscriber, driver API and resource domains. */
#include "cupti_sim.h"

#include "newer.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define CBIDS 2048

struct CUpti_Subscriber_st {
    CUpti_CallbackFunc callback;
    void *data;
    char name[64];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUpti_Subscriber_st subscriber;
static bool subscribed;
/* Read on every driver call, so without the lock. */
static _Atomic(CUpti_CallbackFunc) active;
static _Atomic(void *) active_data;
static atomic_uchar wanted[CUPTI_CB_DOMAIN_SIZE][CBIDS];

static void deliver(CUpti_CallbackDomain domain, CUpti_CallbackId cbid, const void *data) {
    CUpti_CallbackFunc callback = atomic_load(&active);
    if (callback != NULL && cbid < CBIDS && atomic_load_explicit(&wanted[domain][cbid], memory_order_relaxed))
        callback(atomic_load(&active_data), domain, cbid, data);
}

void xs_cupti_on_api(const struct xs_sim_api *call) {
    xs_cupti_charge(call);
    xs_cupti_record_api(call);
    CUpti_CallbackData data = {.callbackSite = call->leaving ? CUPTI_API_EXIT : CUPTI_API_ENTER,
                               .functionName = call->function,
                               .functionParams = call->params,
                               .functionReturnValue = call->leaving ? call->result : NULL,
                               .symbolName = call->kernel,
                               .context = call->context,
                               .contextUid = call->context_id,
                               .correlationData = call->correlation_data,
                               .correlationId = call->correlation};
    deliver(CUPTI_CB_DOMAIN_DRIVER_API, call->cbid, &data);
}

void xs_cupti_on_resource(enum xs_sim_resource_kind kind, CUcontext context, CUstream stream) {
    static const CUpti_CallbackIdResource ids[] = {
        [XS_SIM_CONTEXT_CREATED] = CUPTI_CBID_RESOURCE_CONTEXT_CREATED,
        [XS_SIM_CONTEXT_DESTROY_STARTING] = CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
        [XS_SIM_STREAM_CREATED] = CUPTI_CBID_RESOURCE_STREAM_CREATED,
        [XS_SIM_STREAM_DESTROY_STARTING] = CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING,
        [XS_SIM_MODULE_LOADED] = CUPTI_CBID_RESOURCE_MODULE_LOADED,
        [XS_SIM_DRIVER_INITIALISED] = CUPTI_CBID_RESOURCE_CU_INIT_FINISHED};
    CUpti_ResourceData data = {.context = context, .resourceHandle.stream = stream};
    deliver(CUPTI_CB_DOMAIN_RESOURCE, ids[kind], &data);
}

void xs_cupti_on_node(CUgraph graph, CUgraphNode node, CUgraphNodeType type, CUgraphNode original) {
    CUpti_GraphData graph_data = {.graph = graph, .node = node, .originalNode = original, .nodeType = type};
    CUpti_ResourceData data = {.resourceDescriptor = &graph_data};
    deliver(CUPTI_CB_DOMAIN_RESOURCE,
            original != NULL ? CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED : CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, &data);
}

static bool is_taken_locked(const CUpti_SubscriberParams *params) {
    if (subscribed && params != NULL && params->oldSubscriberName != NULL && params->oldSubscriberSize > 0)
        snprintf(params->oldSubscriberName, params->oldSubscriberSize, "%s", subscriber.name);
    return subscribed;
}

static bool is_taken(const CUpti_SubscriberParams *params) {
    pthread_mutex_lock(&lock);
    bool taken = is_taken_locked(params);
    pthread_mutex_unlock(&lock);
    return taken;
}

XS_EXPORT CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle *handle, CUpti_CallbackFunc callback, void *userdata,
                                        CUpti_SubscriberParams *pParams) {
    XS_CUPTI_CALL();
    if (handle == NULL)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (xs_cupti_driver() == NULL || !xs_cupti_usable())
        return CUPTI_ERROR_NOT_INITIALIZED;
    if (is_taken(pParams)) /* which changes nothing in the driver */
        return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    xs_cupti_attach_begin("cuptiSubscribe");
    pthread_mutex_lock(&lock);
    bool taken = is_taken_locked(pParams);
    if (!taken) {
        subscribed = true;
        subscriber.callback = callback;
        subscriber.data = userdata;
        const char *name = pParams != NULL ? pParams->subscriberName : NULL;
        snprintf(subscriber.name, sizeof(subscriber.name), "CUPTI%s%s", name != NULL ? " for " : "",
                 name != NULL ? name : "");
        atomic_store(&active_data, userdata);
        atomic_store(&active, callback);
        *handle = &subscriber;
    }
    pthread_mutex_unlock(&lock);
    xs_cupti_attach_end();
    return taken ? CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED : CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *handle, CUpti_CallbackFunc callback, void *userdata) {
    XS_CUPTI_CALL();
    return cuptiSubscribe_v2(handle, callback, userdata, NULL);
}

static void want_all(CUpti_CallbackDomain domain, bool enable) {
    for (size_t i = 1; i < CBIDS; i++)
        atomic_store_explicit(&wanted[domain][i], enable, memory_order_relaxed);
}

static void forget_locked(void) {
    atomic_store(&active, NULL);
    subscribed = false;
    for (int domain = 0; domain < CUPTI_CB_DOMAIN_SIZE; domain++)
        want_all((CUpti_CallbackDomain)domain, false);
}

XS_EXPORT CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle handle) {
    XS_CUPTI_CALL();
    pthread_mutex_lock(&lock);
    bool ours = subscribed && handle == &subscriber;
    if (ours)
        forget_locked();
    pthread_mutex_unlock(&lock);
    return ours ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

static bool ours(CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain) {
    pthread_mutex_lock(&lock);
    bool result = subscribed && handle == &subscriber;
    pthread_mutex_unlock(&lock);
    return result && domain > CUPTI_CB_DOMAIN_INVALID && domain < CUPTI_CB_DOMAIN_SIZE;
}

XS_EXPORT CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain,
                                          CUpti_CallbackId cbid) {
    XS_CUPTI_CALL();
    if (!ours(handle, domain) || cbid == 0 || cbid >= CBIDS)
        return CUPTI_ERROR_INVALID_PARAMETER;
    atomic_store(&wanted[domain][cbid], enable != 0);
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain) {
    XS_CUPTI_CALL();
    if (!ours(handle, domain))
        return CUPTI_ERROR_INVALID_PARAMETER;
    want_all(domain, enable != 0);
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiEnableAllDomains(uint32_t enable, CUpti_SubscriberHandle handle) {
    XS_CUPTI_CALL();
    if (!ours(handle, CUPTI_CB_DOMAIN_DRIVER_API))
        return CUPTI_ERROR_INVALID_PARAMETER;
    for (int domain = 1; domain < CUPTI_CB_DOMAIN_SIZE; domain++)
        want_all((CUpti_CallbackDomain)domain, enable != 0);
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiGetCallbackState(uint32_t *enable, CUpti_SubscriberHandle handle,
                                            CUpti_CallbackDomain domain, CUpti_CallbackId cbid) {
    XS_CUPTI_CALL();
    if (enable == NULL || !ours(handle, domain) || cbid >= CBIDS)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *enable = atomic_load(&wanted[domain][cbid]);
    return CUPTI_SUCCESS;
}

static const char *const newer_names[] = {
#define NAMES(symbol) #symbol, #symbol "_ptsz",
    XS_SIM_NEWER(NAMES)
#undef NAMES
};

/* Of the functions that the headers have only that they have some name. */
XS_EXPORT CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t cbid, const char **name) {
    XS_CUPTI_CALL();
    if (domain != CUPTI_CB_DOMAIN_DRIVER_API || name == NULL || cbid == 0 || cbid >= XS_SIM_NEWER_END)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *name = cbid > XS_SIM_NEWER_BEGIN ? newer_names[cbid - XS_SIM_NEWER_BEGIN - 1] : "cuOther";
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiSupportedDomains(size_t *domainCount, CUpti_DomainTable *domainTable) {
    XS_CUPTI_CALL();
    static const CUpti_CallbackDomain domains[] = {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_RESOURCE};
    if (domainCount == NULL || domainTable == NULL)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *domainCount = 2;
    *domainTable = (CUpti_DomainTable)(uintptr_t)domains;
    return CUPTI_SUCCESS;
}

void xs_cupti_forget_subscriber(void) {
    pthread_mutex_lock(&lock);
    forget_locked();
    pthread_mutex_unlock(&lock);
}
