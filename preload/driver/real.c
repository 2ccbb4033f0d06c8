/* Finds the real driver's entry points, and remembers which driver address belongs to which row.
 *
 * cuGetProcAddress returns the exported symbol itself. So its result says exactly which version and which
 * default-stream variant a program requested. Other interposers infer this from the name, the version and the flags,
 * and make mistakes. */
#define _GNU_SOURCE
#include "preload/driver/real.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "preload/core/alternate_stack.h"
#include "preload/core/glibc_dlsym.h"
#include "preload/core/lock.h"
#include "preload/driver/driver_api.h"
#include "schema/path.h"

void *xs_real[XS_ROW_COUNT];
void *xs_real_gated[XS_GATED_COUNT];
enum { ROWS = XS_ROW_COUNT + XS_GATED_COUNT, SLOTS = 3 };

/* The addresses by which a program may know a row's function: the function that the wrapper calls, the driver's own
 * function, and the result of a look-up. They differ only if another shim of libcuda is loaded. */
static const void *addresses[SLOTS * ROWS];
void *xs_driver_functions[XS_DRIVER_COUNT];

/* The wrappers have the driver's exported names, which cuda.h declares. */
const struct xs_row_info xs_rows[XS_ROW_COUNT] = {
#define XS_ENTRY(symbol, category, ...) {#symbol, XS_CAT_##category, (void *)symbol},
#include "preload/driver/entry_points.def"
#undef XS_ENTRY
};

/* The wrappers, sorted by name. */
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

/* A hash table with open addressing, less than half full; written once under the lock, before `resolved`. */
#define BUCKETS 4096u
static uint16_t buckets[BUCKETS]; /* index into `addresses`, plus 1 */
static _Atomic bool resolved;
static pthread_mutex_t resolve_lock = PTHREAD_MUTEX_INITIALIZER;

_Static_assert(2 * SLOTS * ROWS <= BUCKETS, "there are enough buckets");

static unsigned bucket_of(const void *address) {
    return (unsigned)(((uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15)) >> 52) % BUCKETS;
}

static void **real_at(unsigned row) { return row < XS_ROW_COUNT ? &xs_real[row] : &xs_real_gated[row - XS_ROW_COUNT]; }

static int row_of(const void *address) {
    for (unsigned b = bucket_of(address); buckets[b]; b = (b + 1) % BUCKETS)
        if (addresses[buckets[b] - 1u] == address)
            return (buckets[b] - 1) / SLOTS;
    return -1;
}

/* True if the driver was loaded together with the program, because the program or one of its libraries is linked to
 * libcuda. Then the driver is in the global scope, and a library that was preloaded after this one may come before the
 * driver in the search order. */
static bool is_linked;
static unsigned libraries_at_start;

static int look_for_driver(struct dl_phdr_info *info, size_t bytes, void *unused) {
    (void)bytes;
    (void)unused;
    is_linked |= strcmp(xs_base_name(info->dlpi_name), "libcuda.so.1") == 0;
    libraries_at_start++;
    return 0;
}

bool xs_driver_is_linked(void) { return is_linked; }
unsigned xs_libraries_at_start(void) { return libraries_at_start; }

__attribute__((constructor)) static void see_what_is_linked(void) { dl_iterate_phdr(look_for_driver, NULL); }

/* Sets a slot that is still NULL. A slot that is already set may be in use, or may have been replaced
 * (xs_real_replace). */
static void set_once(const void **slot, const void *value) {
    const void *none = NULL;
    if (value && !__atomic_load_n(slot, __ATOMIC_RELAXED))
        (void)__atomic_compare_exchange_n(slot, &none, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Looks up the function of a row. Holds no lock, because another shim's dlsym may run any code; threads that do this at
 * the same time find the same functions. The wrapper calls the function that the program would have got without
 * libxferspy.so: the result of the next dlsym if that is not the driver's own function, otherwise the function to which
 * a linked program would be bound. A shim that looks up its own function by name gets and returns xferspy's wrapper;
 * then the next function of that name is used. */
static void find_row(void *driver, unsigned row, const char *name, const void *wrapper) {
    void *own = xs_real_dlsym(driver, name);
    void *given = xs_next_dlsym_is_real() ? own : xs_next_dlsym(driver, name);
    if (given == wrapper)
        given = xs_real_dlsym(RTLD_NEXT, name);
    void *bound = own && is_linked ? xs_real_dlsym(RTLD_NEXT, name) : NULL;
    void *real = given && (given != own || !bound) ? given : bound ? bound : own;
    if (!real || real == wrapper)
        return;
    const void *slots[SLOTS] = {real, own, given};
    for (unsigned i = 0; i < SLOTS; i++)
        set_once(&addresses[SLOTS * row + i], slots[i] != wrapper ? slots[i] : NULL);
    set_once((const void **)real_at(row), real);
}

/* Enters a row's addresses into the hash table. If two symbols have the same address (aliases), the first row keeps
 * it. */
static void enter_row(unsigned row) {
    for (unsigned at = SLOTS * row; at < SLOTS * (row + 1); at++) {
        const void *address = __atomic_load_n(&addresses[at], __ATOMIC_RELAXED);
        if (address && row_of(address) < 0) {
            unsigned b = bucket_of(address);
            while (buckets[b])
                b = (b + 1) % BUCKETS;
            buckets[b] = (uint16_t)(at + 1);
        }
    }
}

static void find_all(void *driver) {
    for (unsigned row = 0; row < XS_ROW_COUNT; row++)
        find_row(driver, row, xs_rows[row].name, xs_rows[row].wrapper);
    for (unsigned i = 0; i < XS_GATED_COUNT; i++)
        find_row(driver, XS_ROW_COUNT + i, gated[i].name, gated[i].wrapper);
    for (unsigned i = 0; i < XS_DRIVER_COUNT; i++)
        set_once((const void **)&xs_driver_functions[i], xs_real_dlsym(driver, driver_function_names[i]));
}

static XS_TLS bool is_resolving;

static void resolve(void *arg) {
    bool *is_loaded = arg;
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (!driver)
        return;
    is_resolving = true;
    find_all(driver);
    is_resolving = false;
    pthread_mutex_lock(&resolve_lock);
    if (!atomic_load_explicit(&resolved, memory_order_relaxed)) {
        for (unsigned row = 0; row < ROWS; row++)
            enter_row(row);
        atomic_store_explicit(&resolved, true, memory_order_release);
    }
    pthread_mutex_unlock(&resolve_lock);
    *is_loaded = true; /* the driver is never closed, because its addresses are in use from now on */
}

/* If there is no memory for a scratch stack, resolves on the caller's stack, because otherwise no call could reach the
 * driver. If another shim calls the driver during one of the look-ups, this function is entered again, and then does
 * nothing. */
bool xs_real_resolve(void) {
    bool is_loaded = atomic_load_explicit(&resolved, memory_order_acquire);
    if (!is_loaded && !is_resolving)
        xs_on_scratch_or_here(resolve, &is_loaded);
    return is_loaded;
}

void *xs_real_replace(unsigned row, void *by) {
    void *there = __atomic_load_n(real_at(row), __ATOMIC_RELAXED);
    if (there)
        __atomic_store_n(real_at(row), by, __ATOMIC_RELEASE);
    return there;
}

void xs_real_forget(void) { xs_mutex_forget(&resolve_lock); }

void *xs_real_wrapped(void *real) {
    if (!real || !xs_real_resolve())
        return real;
    int row = row_of(real);
    if (row >= XS_ROW_COUNT)
        return gated[row - XS_ROW_COUNT].wrapper;
    return row < 0 ? real : xs_rows[row].wrapper;
}

static int compare_names(const void *name, const void *entry) { return strcmp(name, *(const char *const *)entry); }

void *xs_wrapper_by_name(const char *name) {
    for (unsigned row = 0; row < XS_ROW_COUNT; row++)
        if (strcmp(xs_rows[row].name, name) == 0)
            return xs_rows[row].wrapper;
    const char *const *found = bsearch(name, gated, XS_GATED_COUNT, sizeof gated[0], compare_names);
    return found ? gated[(__typeof__(&gated[0]))(const void *)found - gated].wrapper : NULL;
}
