/* Attaching and detaching: what must have the driver for itself, what it takes, and what the kinds cost each call. Some
 * misuse of the real CUPTI crashes a program now and then; here it ends in an abort every time. */
#include "cupti_sim.h"

#include "clock/virtual_clock.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint32_t attached; /* number of the attachment, 0 while there is none */
static uint32_t attachments;      /* so far */
static atomic_bool finalized;     /* at least once */
static __thread bool changing;    /* this thread called change_begin */

/* The three levels of checks: none; what README.md says; and the first attachment, too. */
enum { CHECK_NOTHING, CHECK_LATER, CHECK_ALL };

uint32_t xs_cupti_attachment(void) { return atomic_load_explicit(&attached, memory_order_relaxed); }

bool xs_cupti_was_finalized(void) { return atomic_load(&finalized); }

uint64_t xs_cupti_setting(const char *name, uint64_t fallback) {
    const char *text = getenv(name);
    return text == NULL || *text == '\0' ? fallback : strtoull(text, NULL, 10);
}

/* ---- times ---- */

static uint64_t launch_ns, copy_ns, attach_ns, finalize_ns, checks;
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load(void) {
    launch_ns = xs_cupti_setting("XFERSPY_SIM_CUPTI_LAUNCH_NS", 0);
    copy_ns = xs_cupti_setting("XFERSPY_SIM_CUPTI_COPY_NS", 0);
    attach_ns = xs_cupti_setting("XFERSPY_SIM_CUPTI_ATTACH_US", 0) * 1000;
    finalize_ns = xs_cupti_setting("XFERSPY_SIM_CUPTI_FINALIZE_US", 0) * 1000;
    checks = xs_cupti_setting("XFERSPY_SIM_CUPTI_CHECKS", CHECK_LATER);
}

static uint64_t monotonic_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void be_busy(uint64_t ns) {
    if (ns == 0)
        return;
    if (xs_virtual_clock_advance != NULL) {
        xs_virtual_clock_advance(ns);
        return;
    }
    for (uint64_t end = monotonic_ns() + ns; monotonic_ns() < end;)
        ;
}

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

/* Half of the cost stays until CUPTI is finalized. */
static uint64_t share(uint64_t ns, CUpti_ActivityKind kind, CUpti_ActivityKind other) {
    if (xs_cupti_enabled(kind) || xs_cupti_enabled(other))
        return ns;
    return xs_cupti_was_enabled(kind) || xs_cupti_was_enabled(other) ? ns / 2 : 0;
}

void xs_cupti_charge(const struct xs_sim_api *call) {
    if (call->leaving || xs_cupti_attachment() == 0 || (launch_ns | copy_ns) == 0)
        return;
    if (begins(call->function, "cuMemcpy"))
        be_busy(share(copy_ns, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2));
    else if (begins(call->function, "cuGraphLaunch") ||
             (begins(call->function, "cuLaunch") && !begins(call->function, "cuLaunchHost")))
        be_busy(share(launch_ns, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_KERNEL));
}

/* ---- forked children ---- */

/* A page that a child finds empty, however it was made. */
static struct process { bool attached; } * _Atomic process;

/* Under the lock. */
static void mark_process(void) {
    static struct process *page;
    if (page == NULL) {
        void *fresh = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (fresh == MAP_FAILED)
            return;
        page = fresh;
        page->attached = true;
        if (madvise(page, sizeof(*page), MADV_WIPEONFORK) == 0)
            atomic_store(&process, page);
    }
}

void xs_cupti_check_process(const char *function) {
    const struct process *here = atomic_load_explicit(&process, memory_order_acquire);
    if (here == NULL || here->attached || checks == CHECK_NOTHING)
        return;
    dprintf(STDERR_FILENO, "simulated GPU: %s in a forked child of a process that used CUPTI: a real one crashes\n",
            function);
    abort();
}

/* ---- attaching and detaching ---- */

static void change_begin(const char *function, bool is_checked) {
    const struct xs_sim_driver *driver = xs_cupti_driver();
    changing = is_checked && checks != CHECK_NOTHING && driver != NULL;
    if (changing)
        driver->change_begin(function);
}

static void change_end(void) {
    if (changing)
        xs_cupti_driver()->change_end();
    changing = false;
}

void xs_cupti_attach_begin(const char *function) {
    pthread_once(&loaded, load);
    change_begin(function, checks == CHECK_ALL || atomic_load(&finalized));
    pthread_mutex_lock(&lock);
    bool fresh = atomic_load(&attached) == 0;
    if (fresh) {
        mark_process();
        if (xs_cupti_driver() != NULL)
            xs_cupti_driver()->attached();
        atomic_store(&attached, ++attachments);
    }
    pthread_mutex_unlock(&lock);
    if (fresh)
        be_busy(attach_ns);
}

void xs_cupti_disable_begin(const char *function) {
    pthread_once(&loaded, load);
    change_begin(function, checks == CHECK_ALL);
}

void xs_cupti_attach_end(void) { change_end(); }

void xs_cupti_flush_check(const char *function) {
    const struct xs_sim_driver *driver = xs_cupti_driver();
    pthread_once(&loaded, load);
    if (checks != CHECK_NOTHING && xs_cupti_enabled(CUPTI_ACTIVITY_KIND_MEMCPY) &&
        xs_cupti_enabled(CUPTI_ACTIVITY_KIND_MEMCPY2)) {
        dprintf(STDERR_FILENO,
                "simulated GPU: %s while MEMCPY and MEMCPY2 are both on: on a real one later graph launches fail\n",
                function);
        abort();
    }
    if (checks == CHECK_NOTHING || driver == NULL || xs_cupti_attachment() == 0 || !xs_cupti_threads_have_buffers() ||
        driver->inside() == 0)
        return;
    dprintf(STDERR_FILENO,
            "simulated GPU: %s of buffers that belong to threads, while one is inside of the driver: a real one "
            "crashes\n",
            function);
    abort();
}

XS_EXPORT CUptiResult cuptiFinalize(void) {
    XS_CUPTI_CALL();
    pthread_once(&loaded, load);
    if (xs_cupti_subscribers() > 1)
        return CUPTI_SUCCESS; /* it says nothing, and does nothing */
    change_begin(__func__, true);
    if (xs_cupti_attachment() != 0)
        xs_cupti_end_counters();
    pthread_mutex_lock(&lock);
    if (atomic_load(&attached) != 0)
        atomic_store(&finalized, true);
    atomic_store(&attached, 0);
    pthread_mutex_unlock(&lock);
    xs_cupti_forget_subscriber();
    for (int client = 0; client < XS_CUPTI_CLIENTS; client++)
        xs_cupti_forget_kinds(client);
    xs_cupti_forget_activity();
    be_busy(finalize_ns);
    change_end();
    return CUPTI_SUCCESS;
}
