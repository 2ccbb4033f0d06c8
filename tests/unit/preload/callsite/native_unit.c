#include "native_unit.h"

#include <execinfo.h>
#include <pthread.h>
#include <stdio.h>

struct module_seen modules_seen[MODULES_SEEN_MAX];
bool is_definition_refused;
static pthread_mutex_t define_lock = PTHREAD_MUTEX_INITIALIZER;

bool xs_define(struct xs_event **e, enum xs_definition what, uint32_t id, const void *data, size_t bytes) {
    const char *text = (const char *)data + sizeof(struct xs_define_module);
    struct xs_define_module d;
    (void)e;
    if (is_definition_refused)
        return false;
    memcpy(&d, data, sizeof d);
    if (what != XS_DEFINE_MODULE || id == 0 || id >= MODULES_SEEN_MAX || d.path_bytes >= sizeof modules_seen->path ||
        bytes != sizeof d + d.build_id_bytes + d.path_bytes)
        abort();
    pthread_mutex_lock(&define_lock);
    struct module_seen *m = &modules_seen[id];
    m->times++;
    m->definition = d;
    memcpy(m->build_id, text, d.build_id_bytes);
    memcpy(m->path, text + d.build_id_bytes, d.path_bytes);
    m->path[d.path_bytes] = '\0';
    pthread_mutex_unlock(&define_lock);
    return true;
}

__attribute__((noinline)) void walk(enum xs_unwinder how, unsigned limit, struct walked *walked) {
    struct xs_caller caller = CALLER;
    walked->count = xs_native_walk(how, &caller, walked->pcs, limit, &walked->is_cut, NULL);
}

__attribute__((noinline)) void walk_with_fp(enum xs_unwinder how, uint64_t fp, struct walked *walked) {
    struct xs_caller caller = CALLER;
    caller.fp = fp;
    walked->count = xs_native_walk(how, &caller, walked->pcs, SEEN_MAX, &walked->is_cut, NULL);
}

__attribute__((noinline)) void see(struct seen *seen) {
    struct xs_caller caller = CALLER;
    void *frames[SEEN_MAX];
    int count = backtrace(frames, SEEN_MAX), skipped = 0;
    while (skipped < count && (uint64_t)frames[skipped] != caller.pc)
        skipped++; /* this function, and a sanitizer's backtrace */
    struct walked *glibc = &seen->by[XS_UNWIND_NONE];
    glibc->count = (unsigned)(count - skipped);
    memcpy(glibc->pcs, frames + skipped, glibc->count * sizeof *frames);
    for (unsigned how = XS_UNWIND_AUTO; how <= XS_UNWIND_DWARF; how++) {
        struct walked *w = &seen->by[how];
        w->count = xs_native_walk((enum xs_unwinder)how, &caller, w->pcs, SEEN_MAX, &w->is_cut, NULL);
    }
}

static bool is_beginning(const struct walked *w, const struct walked *of, const char *name) {
    for (unsigned i = 0; i < w->count; i++) {
        if (i >= of->count || w->pcs[i] != of->pcs[i]) {
            print_error("%s differs from backtrace at frame %u of %u, %u\n", name, i, w->count, of->count);
            return false;
        }
    }
    if (!w->is_cut && w->count != of->count) {
        print_error("%s says that %u of %u frames are all\n", name, w->count, of->count);
        return false;
    }
    return w->count > 0;
}

bool is_beginning_of_backtrace(const struct seen *seen) {
    const struct walked *glibc = &seen->by[XS_UNWIND_NONE];
    return is_beginning(&seen->by[XS_UNWIND_AUTO], glibc, "auto") &&
           is_beginning(&seen->by[XS_UNWIND_DWARF], glibc, "dwarf");
}

bool is_as_backtrace(const struct seen *seen) {
    bool is_cut = seen->by[XS_UNWIND_AUTO].is_cut || seen->by[XS_UNWIND_DWARF].is_cut;
    if (is_cut) {
        print_error("cut after %u and %u frames of %u\n", seen->by[XS_UNWIND_AUTO].count,
                    seen->by[XS_UNWIND_DWARF].count, seen->by[XS_UNWIND_NONE].count);
    }
    return !is_cut && is_beginning_of_backtrace(seen);
}
