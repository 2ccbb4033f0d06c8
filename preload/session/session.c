/* The life of a session: it starts at the first call that makes or uses a context, and ends with the process. Nothing at
 * all happens in a process that does not come that far. */
#define _GNU_SOURCE
#include "preload/session/session.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/capture/thread.h"
#include "preload/cupti/cupti.h"
#include "preload/intercept/real.h"

#define EXIT_PATIENCE_MS 60000u
#define FAST_EXIT_PATIENCE_MS 3000u /* _exit may be called in a signal handler, on top of any lock */

static struct xs_options options;
static struct xs_spool spool;
static char trace_path[4200];
static pid_t session_pid;
static bool cupti_started;
static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static struct stat stderr_at_start; /* st_nlink 0: unknown */

struct xs_spool *xs_session_spool(void) {
    return &spool;
}

/* Prints only to the stderr that the session started with: a program that closed it may have got the number back for
 * a file of its own. */
static void say(const char *text) {
    struct stat now;
    if (options.quiet || fstat(STDERR_FILENO, &now) != 0 || now.st_dev != stderr_at_start.st_dev ||
        now.st_ino != stderr_at_start.st_ino) {
        return;
    }
    dprintf(STDERR_FILENO, "xferspy: %s\n", text);
}

void xs_complain(bool *once, const char *format, ...) {
    char text[1024];
    va_list args;
    if (__atomic_exchange_n(once, true, __ATOMIC_RELAXED)) {
        return;
    }
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    say(text);
}

static void on_fork_child(void) {
    atomic_store(&xs_state, XS_STATE_CHILD);
    xs_thread_forget();
    xs_cupti_forget();
}

/* Runs before the driver's own exit handler, because it was registered after cuInit: CUPTI still works. */
static void on_exit_flush(void) {
    if (getpid() != session_pid || atomic_load(&xs_state) != XS_STATE_ACTIVE) {
        return;
    }
    xs_flusher_still();
    xs_guard_enter();
    xs_cupti_flush(true); /* also waits for the flusher's last one */
    xs_guard_leave();
}

static void finish(unsigned patience_ms) {
    uint64_t events = 0;
    static bool finished, said;
    if (!spool.header || getpid() != session_pid || __atomic_exchange_n(&finished, true, __ATOMIC_RELAXED)) {
        return;
    }
    atomic_store(&xs_state, XS_STATE_CLOSED);
    switch (xs_drain_finish(patience_ms, &events)) {
    case XS_FINISH_OK:
        xs_complain(&said, "%llu events in %s; `xferspy report %s` shows them", (unsigned long long)events, trace_path,
                    trace_path);
        break;
    case XS_FINISH_LATE:
        xs_complain(&said, "%s was not closed in time; any xferspy command on it takes over the rest", trace_path);
        break;
    case XS_FINISH_FAILED:
        xs_complain(&said, "capture stopped early: %s; %s holds what came before", xs_drain_why(), trace_path);
        break;
    }
}

/* After every exit handler and every destructor of the program: the last frees are in the trace. */
__attribute__((destructor)) static void on_unload(void) { finish(EXIT_PATIENCE_MS); }

/* _exit runs no handlers; children of Python's multiprocessing end by it. A vforked child shares this memory but not
 * the pid, and passes. */
XS_EXPORT __attribute__((noreturn)) void _exit(int status) {
    void (*real)(int) = (void (*)(int))xs_real_dlsym(RTLD_NEXT, "_exit");
    if (xs_guard_depth == 0 && atomic_load(&xs_state) == XS_STATE_ACTIVE && getpid() == session_pid) {
        if (cupti_started) {
            xs_flusher_now(FAST_EXIT_PATIENCE_MS);
        }
        finish(FAST_EXIT_PATIENCE_MS);
    }
    if (real) {
        real(status);
    }
    __builtin_trap();
}

XS_EXPORT __attribute__((noreturn)) void _Exit(int status) { _exit(status); }

/* A context must be about to be made, or be there already: cuInit alone, as in a look for devices, is no reason. */
static bool worth_a_session(unsigned row) {
    CUcontext context = NULL;
    __typeof__(&cuCtxGetCurrent) get_current = xs_real_resolve() ? xs_driver(cuCtxGetCurrent) : NULL;
    if (!get_current || get_current(&context) != CUDA_SUCCESS) {
        return false;
    }
    switch (row) {
    case XS_ROW_cuCtxCreate:
    case XS_ROW_cuCtxCreate_v2:
    case XS_ROW_cuCtxCreate_v3:
    case XS_ROW_cuCtxCreate_v4:
    case XS_ROW_cuDevicePrimaryCtxRetain:
        return true;
    default:
        return context != NULL;
    }
}

static void complain_option(const char *message) { say(message); }

static bool give_up(const char *why) {
    static bool said;
    xs_complain(&said, "not capturing: %s", why);
    atomic_store(&xs_state, XS_STATE_DISABLED);
    return false;
}

static bool start_locked(void) {
    char why[256];
    if (fstat(STDERR_FILENO, &stderr_at_start) != 0) {
        memset(&stderr_at_start, 0, sizeof stderr_at_start);
    }
    session_pid = getpid();
    xs_options_load(&options, NULL); /* quiet holds for the complaints of the second reading */
    xs_options_load(&options, complain_option);
    if (!options.enable) {
        atomic_store(&xs_state, XS_STATE_DISABLED);
        return false;
    }
    if (xs_trace_name(options.output, trace_path, sizeof trace_path) != 0) {
        return give_up("XFERSPY_OUTPUT is not a usable template (%p %h %e %r %q{VAR} %%)");
    }
    xs_facts_read_devices();
    if (xs_drain_start(trace_path, sizeof trace_path, &options, &spool, why) != 0) {
        return give_up(why);
    }
    xs_clock_source = (enum xs_clock_source)spool.header->clock.source;
    if (strcmp(options.cupti, "off") != 0) {
        xs_cupti_start(options.kernels);
        cupti_started = strcmp(xs_cupti_state()->status, "active") == 0;
    }
    if (cupti_started) {
        xs_flusher_start();
    }
    pthread_atfork(NULL, NULL, on_fork_child);
    atexit(on_exit_flush);
    atomic_store(&xs_state, XS_STATE_ACTIVE);
    xs_drain_wake();
    return true;
}

bool xs_session_wake(unsigned row) {
    int state = atomic_load(&xs_state);
    if (xs_guard_depth) {
        if (state == XS_STATE_ACTIVE) {
            atomic_fetch_add_explicit(&spool.header->nested, 1, memory_order_relaxed);
        }
        return false;
    }
    if (state != XS_STATE_IDLE) {
        return state == XS_STATE_ACTIVE;
    }
    xs_guard_enter();
    bool started = false;
    if (worth_a_session(row)) {
        pthread_mutex_lock(&start_lock);
        started = atomic_load(&xs_state) == XS_STATE_IDLE ? start_locked() : atomic_load(&xs_state) == XS_STATE_ACTIVE;
        pthread_mutex_unlock(&start_lock);
    }
    xs_guard_leave();
    return started;
}
