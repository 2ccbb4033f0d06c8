/* This library stands before libcupti (XFERSPY_CUPTI_LIBRARY) and passes every call on to it. If CUPTI calls the driver
 * on a thread that does not have descriptor 100, which the program keeps open, the process ends. */
#include <cupti.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

enum { KEPT_OPEN = 100 };

static void *real(const char *name) {
    static void *library;
    void *symbol = NULL;
    if (library == NULL)
        library = dlopen("libcupti.so.13", RTLD_NOW | RTLD_LOCAL);
    if (library != NULL)
        symbol = dlsym(library, name);
    return symbol;
}

static void with_the_drivers_descriptors(void) {
    if (fcntl(KEPT_OPEN, F_GETFD) == -1)
        abort();
}

static void from_anywhere(void) {}

#define FORWARD(name, check, params, args)                                                                             \
    EXPORT CUptiResult CUPTIAPI name params {                                                                          \
        CUptiResult(CUPTIAPI *next) params;                                                                            \
        check();                                                                                                       \
        *(void **)&next = real(#name);                                                                                 \
        return next != NULL ? next args : CUPTI_ERROR_UNKNOWN;                                                         \
    }

FORWARD(cuptiGetVersion, from_anywhere, (uint32_t * version), (version))
FORWARD(cuptiGetTimestamp, from_anywhere, (uint64_t * stamp), (stamp))
FORWARD(cuptiActivityGetNextRecord, from_anywhere, (uint8_t * buffer, size_t bytes, CUpti_Activity **record),
        (buffer, bytes, record))
FORWARD(cuptiGetResultString, from_anywhere, (CUptiResult result, const char **text), (result, text))
FORWARD(cuptiActivityGetNumDroppedRecords, from_anywhere, (CUcontext context, uint32_t stream, size_t *dropped),
        (context, stream, dropped))
FORWARD(cuptiSubscribe, with_the_drivers_descriptors,
        (CUpti_SubscriberHandle * subscriber, CUpti_CallbackFunc callback, void *data), (subscriber, callback, data))
FORWARD(cuptiUnsubscribe, with_the_drivers_descriptors, (CUpti_SubscriberHandle subscriber), (subscriber))
FORWARD(cuptiEnableCallback, with_the_drivers_descriptors,
        (uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain, CUpti_CallbackId id),
        (enable, subscriber, domain, id))
FORWARD(cuptiActivitySetAttribute, with_the_drivers_descriptors,
        (CUpti_ActivityAttribute attribute, size_t *bytes, void *value), (attribute, bytes, value))
FORWARD(cuptiActivityRegisterCallbacks, with_the_drivers_descriptors,
        (CUpti_BuffersCallbackRequestFunc requested, CUpti_BuffersCallbackCompleteFunc completed),
        (requested, completed))
FORWARD(cuptiActivityEnable, with_the_drivers_descriptors, (CUpti_ActivityKind kind), (kind))
FORWARD(cuptiActivityDisable, with_the_drivers_descriptors, (CUpti_ActivityKind kind), (kind))
FORWARD(cuptiActivityFlushAll, with_the_drivers_descriptors, (uint32_t flag), (flag))
