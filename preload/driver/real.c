/* Finds the real driver's entry points and remembers which of its addresses belong to which row.
 *
 * What cuGetProcAddress returns is the exported symbol itself. So an address says exactly which version and which
 * default-stream variant a program asked for. Other interposers decide that from name, version and flags, and get it
 * wrong. */
#define _GNU_SOURCE
#include "preload/driver/real.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "preload/core/glibc_dlsym.h"
#include "preload/core/scratch.h"
#include "preload/driver/driver_api.h"

void *xs_real[XS_ROW_COUNT];
void *xs_real_gated[XS_GATED_COUNT];
static const void *addresses[XS_ROW_COUNT + XS_GATED_COUNT]; /* the driver's own, of both */
void *xs_driver_functions[XS_DRIVER_COUNT];

/* The wrappers are referred to as what they are exported as: by the names that cuda.h declares. */
const struct xs_row_info xs_rows[XS_ROW_COUNT] = {
#define XS_ENTRY(symbol, category, ...) {#symbol, XS_CAT_##category, (void *)symbol},
#include "preload/driver/entry_points.def"
#undef XS_ENTRY
};

/* In the order of their names. */
static const struct {
    const char *name;
    void *wrapper;
} gated[XS_GATED_COUNT] = {
#define XS_GATED(symbol, ...) {#symbol, (void *)symbol},
#include "preload/driver/gated_points.def"
#undef XS_GATED
};

static const char *const driver_function_names[XS_DRIVER_COUNT] = {
#define X(name) #name,
    XS_DRIVER_FUNCTIONS(X)
#undef X
};

/* Open addressing, at most a quarter full; written once under the lock, before `resolved`. */
#define BUCKETS 4096u
static uint16_t buckets[BUCKETS]; /* row + 1; behind the last row, the functions that are not recorded */
static _Atomic bool resolved;
static pthread_mutex_t resolve_lock = PTHREAD_MUTEX_INITIALIZER;

_Static_assert(4 * (XS_ROW_COUNT + XS_GATED_COUNT) <= BUCKETS, "there are enough buckets");

static unsigned bucket_of(const void *address) {
    return (unsigned)(((uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15)) >> 52) % BUCKETS;
}

static void **real_at(unsigned row) { return row < XS_ROW_COUNT ? &xs_real[row] : &xs_real_gated[row - XS_ROW_COUNT]; }

static int row_of(const void *address) {
    for (unsigned b = bucket_of(address); buckets[b]; b = (b + 1) % BUCKETS) {
        if (addresses[buckets[b] - 1u] == address) {
            return buckets[b] - 1;
        }
    }
    return -1;
}

/* Two symbols may share an address (aliases); the first row keeps it. */
static void enter_row(void *driver, unsigned row, const char *name, const void *wrapper) {
    void *real = xs_real_dlsym(driver, name), **at = real_at(row);
    if (!real || real == wrapper) {
        return;
    }
    int known = row_of(real);
    addresses[row] = real;
    __atomic_store_n(at, real, __ATOMIC_RELAXED);
    if (known < 0) {
        unsigned b = bucket_of(real);
        while (buckets[b]) {
            b = (b + 1) % BUCKETS;
        }
        buckets[b] = (uint16_t)(row + 1);
    }
}

static void resolve(void *arg) {
    bool *is_loaded = arg;
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (!driver) {
        return;
    }
    pthread_mutex_lock(&resolve_lock);
    if (!atomic_load_explicit(&resolved, memory_order_relaxed)) {
        for (unsigned row = 0; row < XS_ROW_COUNT; row++) {
            enter_row(driver, row, xs_rows[row].name, xs_rows[row].wrapper);
        }
        for (unsigned i = 0; i < XS_GATED_COUNT; i++) {
            enter_row(driver, XS_ROW_COUNT + i, gated[i].name, gated[i].wrapper);
        }
        for (unsigned i = 0; i < XS_DRIVER_COUNT; i++) {
            xs_driver_functions[i] = xs_real_dlsym(driver, driver_function_names[i]);
        }
        atomic_store_explicit(&resolved, true, memory_order_release);
    }
    pthread_mutex_unlock(&resolve_lock);
    *is_loaded = true; /* the reference from dlopen is kept: the addresses are in use from now on */
}

/* Without it no call can reach the driver, so it is done on the caller's stack if need be. */
bool xs_real_resolve(void) {
    bool is_loaded = atomic_load_explicit(&resolved, memory_order_acquire);
    if (!is_loaded) {
        xs_on_scratch_or_here(resolve, &is_loaded);
    }
    return is_loaded;
}

void *xs_real_replace(unsigned row, void *by) {
    void *there = __atomic_load_n(real_at(row), __ATOMIC_RELAXED);
    if (there) {
        __atomic_store_n(real_at(row), by, __ATOMIC_RELEASE);
    }
    return there;
}

void xs_real_forget(void) { pthread_mutex_init(&resolve_lock, NULL); }

void *xs_real_wrapped(void *real) {
    if (!real || !xs_real_resolve()) {
        return real;
    }
    int row = row_of(real);
    if (row >= XS_ROW_COUNT) {
        return gated[row - XS_ROW_COUNT].wrapper;
    }
    return row < 0 ? real : xs_rows[row].wrapper;
}

static int compare_names(const void *name, const void *entry) { return strcmp(name, *(const char *const *)entry); }

void *xs_wrapper_by_name(const char *name) {
    for (unsigned row = 0; row < XS_ROW_COUNT; row++) {
        if (strcmp(xs_rows[row].name, name) == 0) {
            return xs_rows[row].wrapper;
        }
    }
    const char *const *found = bsearch(name, gated, XS_GATED_COUNT, sizeof gated[0], compare_names);
    return found ? gated[(__typeof__(&gated[0]))(const void *)found - gated].wrapper : NULL;
}
