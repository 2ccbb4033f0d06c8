/* Replaces what surrounds preload/nvtx, for its tests; see nvtx_unit.h. */
#include "nvtx_unit.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include "preload/core/hooks.h"

XS_TLS struct xs_guard xs_guard;
unsigned nvtx_unit_window_changes;
static void window_asked(void) { nvtx_unit_window_changes++; }
const struct xs_hooks xs_hooks = {.window_asked = window_asked};
void *xs_real_dlsym(void *handle, const char *name) { return dlsym(handle, name); }

struct told_range *told;
bool spool_is_full;
static pthread_mutex_t told_lock = PTHREAD_MUTEX_INITIALIZER;

bool xs_define(struct xs_event **e, enum xs_definition what, uint32_t id, const void *data, size_t bytes) {
    struct xs_define_range head;
    (void)e;
    assert_int_equal(what, XS_DEFINE_RANGE);
    assert_true(id > 0 && id < XS_RANGES_MOST);
    if (spool_is_full)
        return false;
    memcpy(&head, data, sizeof head);
    assert_int_equal(bytes, sizeof head + head.domain_bytes + head.name_bytes);
    const char *text = (const char *)data + sizeof head;
    pthread_mutex_lock(&told_lock);
    struct told_range *d = &told[id];
    d->times++;
    d->parent = head.parent;
    snprintf(d->domain, sizeof d->domain, "%.*s", (int)head.domain_bytes, text);
    snprintf(d->name, sizeof d->name, "%.*s", (int)head.name_bytes, text + head.domain_bytes);
    pthread_mutex_unlock(&told_lock);
    return true;
}

static __thread char path[4096];

static void add_to_path(uint32_t range) {
    const struct told_range *d = &told[range];
    if (d->parent)
        add_to_path(d->parent);
    size_t n = strlen(path);
    assert_int_equal(d->times, 1);
    snprintf(path + n, sizeof path - n, "%s%s%s%s", n ? "/" : "", d->domain, *d->domain ? ":" : "", d->name);
}

const char *here(void) {
    uint32_t range = xs_nvtx_range(NULL);
    *path = '\0';
    if (range)
        add_to_path(range);
    return path;
}

bool nvtx_unit_prepare(void) {
    unsetenv("NVTX_INJECTION64_PATH");
    InitializeInjectionNvtx2_fnptr = InitializeInjectionNvtx2;
    told = calloc(XS_RANGES_MOST, sizeof *told);
    return told != NULL;
}
