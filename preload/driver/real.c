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
#include <string.h>

#include "preload/core/glibc_dlsym.h"
#include "preload/core/scratch.h"
#include "preload/driver/driver_api.h"

void *xs_real[XS_ROW_COUNT];
void *xs_driver_functions[XS_DRIVER_COUNT];

/* The wrappers are referred to as what they are exported as: by the names that cuda.h declares. */
const struct xs_row_info xs_rows[XS_ROW_COUNT] = {
#define XS_ENTRY(symbol, category, ...) {#symbol, XS_CAT_##category, (void *)symbol},
#include "preload/driver/entry_points.def"
#undef XS_ENTRY
};

static const char *const driver_function_names[XS_DRIVER_COUNT] = {
#define X(name) #name,
    XS_DRIVER_FUNCTIONS(X)
#undef X
};

/* Open addressing, at most a quarter full; written once under the lock, before `resolved`. */
#define BUCKETS 2048u
static uint16_t buckets[BUCKETS]; /* row + 1 */
static _Atomic bool resolved;
static pthread_mutex_t resolve_lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned bucket_of(const void *address) {
    return (unsigned)(((uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15)) >> 53) % BUCKETS;
}

static int row_of(const void *address) {
    for (unsigned b = bucket_of(address); buckets[b]; b = (b + 1) % BUCKETS) {
        if (xs_real[buckets[b] - 1] == address) {
            return buckets[b] - 1;
        }
    }
    return -1;
}

/* Two symbols may share an address (aliases); the first row keeps it. */
static void enter_row(unsigned row) {
    if (xs_real[row] && row_of(xs_real[row]) < 0) {
        unsigned b = bucket_of(xs_real[row]);
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
            void *real = xs_real_dlsym(driver, xs_rows[row].name);
            if (real != xs_rows[row].wrapper) {
                __atomic_store_n(&xs_real[row], real, __ATOMIC_RELAXED);
            }
            enter_row(row);
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

void xs_real_forget(void) { pthread_mutex_init(&resolve_lock, NULL); }

void *xs_real_wrapped(void *real) {
    if (!real || !xs_real_resolve()) {
        return real;
    }
    int row = row_of(real);
    return row < 0 ? real : xs_rows[row].wrapper;
}

void *xs_wrapper_by_name(const char *name) {
    for (unsigned row = 0; row < XS_ROW_COUNT; row++) {
        if (strcmp(xs_rows[row].name, name) == 0) {
            return xs_rows[row].wrapper;
        }
    }
    return NULL;
}
