/* Which threads are inside the driver. A real CUPTI that is attached or detached while another thread is in there ends
 * in illegal addresses, a damaged heap or a segmentation fault, some of the times. Here it ends in an abort that says
 * why, every time. */
#include "inside.h"

#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* One thread that called the driver. Never freed; the next new thread takes over what an ended one left. */
struct presence {
    atomic_bool taken;
    _Atomic(const char *) function; /* that the thread is in, NULL when it is outside */
    const void *call;               /* that it is in; the thread's own */
    int thread;
    struct presence *next;
};

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct presence *presences;
static size_t left; /* number of free entries; they are searched only if there are some, because there may be thousands
                       of threads */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static __thread struct presence *own;

/* A change: from begin to end, what is changed and by whom. */
static pthread_mutex_t change_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(const char *) changing;
static _Atomic(struct presence *) changer;

/* A thread that ends inside a call, cancelled in a wait, is not there any more. */
static void release(void *data) {
    struct presence *presence = data;
    own = NULL;
    atomic_store(&presence->function, NULL);
    pthread_mutex_lock(&list_lock);
    atomic_store(&presence->taken, false);
    left++;
    pthread_mutex_unlock(&list_lock);
}

static void make_key(void) { pthread_key_create(&key, release); }

static struct presence *own_presence(void) {
    if (own != NULL)
        return own;
    pthread_once(&once, make_key);
    pthread_mutex_lock(&list_lock);
    struct presence *presence = left > 0 ? presences : NULL;
    while (presence != NULL && atomic_load(&presence->taken))
        presence = presence->next;
    if (presence != NULL)
        left--;
    if (presence == NULL) {
        presence = calloc(1, sizeof(*presence));
        if (presence == NULL)
            abort();
        presence->next = presences;
        presences = presence;
    }
    atomic_store(&presence->taken, true);
    presence->thread = (int)syscall(SYS_gettid);
    pthread_mutex_unlock(&list_lock);
    pthread_setspecific(key, presence);
    own = presence;
    return presence;
}

__attribute__((noreturn)) static void misused(const char *what, int thread, const char *function) {
    if (thread != 0)
        dprintf(STDERR_FILENO, "simulated GPU: %s while thread %d is in %s: a real one crashes\n", what, thread,
                function);
    else
        dprintf(STDERR_FILENO, "simulated GPU: %s %s: a real one crashes\n", what, function);
    abort();
}

/* The store and the load are in one order with the store and the load of xs_change_begin. So if one thread enters and
 * another one begins a change, at least one of them sees the other. */
void xs_inside_enter(const char *function, const void *call, struct xs_inside *outer) {
    struct presence *presence = own_presence();
    *outer = (struct xs_inside){atomic_load(&presence->function), presence->call};
    presence->call = call;
    atomic_store(&presence->function, function);
    const char *what = atomic_load(&changing);
    if (what != NULL && atomic_load(&changer) != presence)
        misused(what, presence->thread, function);
}

/* A function that was called from inside of another one is below it on the stack; else the thread jumped out of the
 * other one. */
void xs_inside_leave(const struct xs_inside *outer) {
    if (own == NULL)
        return;
    bool is_inside = outer->function != NULL && (uintptr_t)outer->call > (uintptr_t)own->call;
    own->call = is_inside ? outer->call : NULL;
    atomic_store(&own->function, is_inside ? outer->function : NULL);
}

XS_EXPORT int xs_sim_inside(void) {
    int count = 0;
    pthread_mutex_lock(&list_lock);
    for (struct presence *presence = presences; presence != NULL; presence = presence->next)
        count += presence != own && atomic_load(&presence->function) != NULL;
    pthread_mutex_unlock(&list_lock);
    return count;
}

static bool is_graph_in_the_making(const char *function) {
    return strncmp(function, "cuGraphInstantiate", 18) == 0 || strncmp(function, "cuGraphUpload", 13) == 0;
}

void xs_change_begin(const char *what) {
    pthread_mutex_lock(&change_lock);
    atomic_store(&changer, own_presence());
    atomic_store(&changing, what);
    pthread_mutex_lock(&list_lock);
    for (struct presence *presence = presences; presence != NULL; presence = presence->next) {
        const char *function = atomic_load(&presence->function);
        if (function != NULL && presence != own)
            misused(what, presence->thread, function);
        /* A tool's callback may be in any other function. */
        if (function != NULL && is_graph_in_the_making(function))
            misused(what, presence->thread, function);
    }
    pthread_mutex_unlock(&list_lock);
    if (xs_capturing())
        misused(what, 0, "while a stream is capturing");
}

void xs_change_end(void) {
    atomic_store(&changing, NULL);
    pthread_mutex_unlock(&change_lock);
}
