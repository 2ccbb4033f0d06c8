/* Subscription and callbacks, of the driver API and resource domains: one subscriber, or from CUPTI 13.3 on several
 * that share it. */
#include "cupti_sim.h"

#include "newer.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define CBIDS 2048

struct CUpti_Subscriber_st {
    bool subscribed;
    char name[64];
    /* Read on every driver call, so without the lock. */
    _Atomic(CUpti_CallbackFunc) active;
    _Atomic(void *) data;
    atomic_uchar wanted[CUPTI_CB_DOMAIN_SIZE][CBIDS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUpti_Subscriber_st subscribers[XS_CUPTI_CLIENTS];
static atomic_uint sharing;   /* subscribers of those that share CUPTI */
static atomic_bool remembers; /* XFERSPY_SIM_CUPTI_REMEMBERS, and there was one since cuptiFinalize */

int xs_cupti_client_of(CUpti_SubscriberHandle handle) {
    for (int i = 0; i < XS_CUPTI_CLIENTS; i++)
        if (handle == &subscribers[i])
            return xs_cupti_is_subscribed(i) ? i : -1;
    return -1;
}

bool xs_cupti_is_subscribed(int client) {
    pthread_mutex_lock(&lock);
    bool result = subscribers[client].subscribed;
    pthread_mutex_unlock(&lock);
    return result;
}

bool xs_cupti_is_shared(void) { return atomic_load(&sharing) > 0 || atomic_load(&remembers); }

unsigned xs_cupti_subscribers(void) {
    unsigned count = 0;
    for (int i = 0; i < XS_CUPTI_CLIENTS; i++)
        count += xs_cupti_is_subscribed(i);
    return count;
}

static void deliver(CUpti_CallbackDomain domain, CUpti_CallbackId cbid, const void *data) {
    for (int i = 0; i < XS_CUPTI_CLIENTS; i++) {
        struct CUpti_Subscriber_st *s = &subscribers[i];
        CUpti_CallbackFunc callback = atomic_load(&s->active);
        if (callback != NULL && cbid < CBIDS && atomic_load_explicit(&s->wanted[domain][cbid], memory_order_relaxed))
            callback(atomic_load(&s->data), domain, cbid, data);
    }
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

static void tell_name(const CUpti_SubscriberParams *params) {
    for (int i = 0; i < XS_CUPTI_CLIENTS; i++) {
        if (subscribers[i].subscribed && params != NULL && params->oldSubscriberName != NULL &&
            params->oldSubscriberSize > 0) {
            snprintf(params->oldSubscriberName, params->oldSubscriberSize, "%s", subscribers[i].name);
            return;
        }
    }
}

/* The place of a new subscriber, or -1. */
static int place_locked(bool shares, const CUpti_SubscriberParams *params) {
    int free_one = -1;
    if (!shares)
        free_one = subscribers[XS_CUPTI_GLOBAL_CLIENT].subscribed || xs_cupti_is_shared() ? -1 : XS_CUPTI_GLOBAL_CLIENT;
    else if (!subscribers[XS_CUPTI_GLOBAL_CLIENT].subscribed && !xs_cupti_any_kind(XS_CUPTI_GLOBAL_CLIENT))
        for (int i = XS_CUPTI_CLIENTS - 1; i >= XS_CUPTI_FIRST_SUBSCRIBER; i--)
            free_one = subscribers[i].subscribed ? free_one : i;
    if (free_one < 0)
        tell_name(params);
    return free_one;
}

static bool has_place(bool shares, const CUpti_SubscriberParams *params) {
    pthread_mutex_lock(&lock);
    bool result = place_locked(shares, params) >= 0;
    pthread_mutex_unlock(&lock);
    return result;
}

static bool wants_to_share(const CUpti_SubscriberParams *params) {
    struct xs_cupti_subscriber_params known;
    if (xs_cupti_version() < 130300 || params == NULL || params->structSize < sizeof(known))
        return false;
    memcpy(&known, params, sizeof(known));
    return known.allow_multiple_subscribers == 1;
}

XS_EXPORT CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle *handle, CUpti_CallbackFunc callback, void *userdata,
                                        CUpti_SubscriberParams *pParams) {
    XS_CUPTI_CALL();
    bool shares = wants_to_share(pParams);
    if (handle == NULL)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (xs_cupti_driver() == NULL || !xs_cupti_usable())
        return CUPTI_ERROR_NOT_INITIALIZED;
    if (shares && xs_cupti_setting("XFERSPY_SIM_CUPTI_SHARING", 1) == 0)
        return CUPTI_ERROR_NOT_SUPPORTED;
    if (!has_place(shares, pParams)) /* this call changes nothing in the driver */
        return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    xs_cupti_attach_begin("cuptiSubscribe");
    pthread_mutex_lock(&lock);
    int place = place_locked(shares, pParams);
    if (place >= 0) {
        struct CUpti_Subscriber_st *s = &subscribers[place];
        const char *name = pParams != NULL ? pParams->subscriberName : NULL;
        snprintf(s->name, sizeof(s->name), "CUPTI%s%s", name != NULL ? " for " : "", name != NULL ? name : "");
        s->subscribed = true;
        if (shares) {
            atomic_fetch_add(&sharing, 1);
            atomic_store(&remembers, xs_cupti_setting("XFERSPY_SIM_CUPTI_REMEMBERS", 0) != 0);
        }
        atomic_store(&s->data, userdata);
        atomic_store(&s->active, callback);
        *handle = s;
    }
    pthread_mutex_unlock(&lock);
    xs_cupti_attach_end();
    return place < 0 ? CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED : CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *handle, CUpti_CallbackFunc callback, void *userdata) {
    XS_CUPTI_CALL();
    return cuptiSubscribe_v2(handle, callback, userdata, NULL);
}

static void want_all(struct CUpti_Subscriber_st *s, CUpti_CallbackDomain domain, bool enable) {
    for (size_t i = 1; i < CBIDS; i++)
        atomic_store_explicit(&s->wanted[domain][i], enable, memory_order_relaxed);
}

static void forget_locked(int client) {
    struct CUpti_Subscriber_st *s = &subscribers[client];
    atomic_store(&s->active, NULL);
    if (s->subscribed && client != XS_CUPTI_GLOBAL_CLIENT)
        atomic_fetch_sub(&sharing, 1);
    s->subscribed = false;
    for (int domain = 0; domain < CUPTI_CB_DOMAIN_SIZE; domain++)
        want_all(s, (CUpti_CallbackDomain)domain, false);
}

/* Removes everything that one of the sharing subscribers has. */
XS_EXPORT CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle handle) {
    XS_CUPTI_CALL();
    int client = xs_cupti_client_of(handle);
    if (client < 0)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (client != XS_CUPTI_GLOBAL_CLIENT) {
        xs_cupti_forget_kinds(client);
        xs_cupti_forget_buffers(client);
    }
    pthread_mutex_lock(&lock);
    forget_locked(client);
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

/* NULL: there is no such subscriber or domain. */
static struct CUpti_Subscriber_st *find(CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain) {
    int client = xs_cupti_client_of(handle);
    return client >= 0 && domain > CUPTI_CB_DOMAIN_INVALID && domain < CUPTI_CB_DOMAIN_SIZE ? &subscribers[client]
                                                                                            : NULL;
}

XS_EXPORT CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain,
                                          CUpti_CallbackId cbid) {
    XS_CUPTI_CALL();
    struct CUpti_Subscriber_st *s = find(handle, domain);
    if (s == NULL || cbid == 0 || cbid >= CBIDS)
        return CUPTI_ERROR_INVALID_PARAMETER;
    atomic_store(&s->wanted[domain][cbid], enable != 0);
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain) {
    XS_CUPTI_CALL();
    struct CUpti_Subscriber_st *s = find(handle, domain);
    if (s == NULL)
        return CUPTI_ERROR_INVALID_PARAMETER;
    want_all(s, domain, enable != 0);
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiEnableAllDomains(uint32_t enable, CUpti_SubscriberHandle handle) {
    XS_CUPTI_CALL();
    struct CUpti_Subscriber_st *s = find(handle, CUPTI_CB_DOMAIN_DRIVER_API);
    if (s == NULL)
        return CUPTI_ERROR_INVALID_PARAMETER;
    for (int domain = 1; domain < CUPTI_CB_DOMAIN_SIZE; domain++)
        want_all(s, (CUpti_CallbackDomain)domain, enable != 0);
    return CUPTI_SUCCESS;
}

XS_EXPORT CUptiResult cuptiGetCallbackState(uint32_t *enable, CUpti_SubscriberHandle handle,
                                            CUpti_CallbackDomain domain, CUpti_CallbackId cbid) {
    XS_CUPTI_CALL();
    struct CUpti_Subscriber_st *s = find(handle, domain);
    if (enable == NULL || s == NULL || cbid >= CBIDS)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *enable = atomic_load(&s->wanted[domain][cbid]);
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
    for (int client = 0; client < XS_CUPTI_CLIENTS; client++)
        forget_locked(client);
    atomic_store(&remembers, false);
    pthread_mutex_unlock(&lock);
}
