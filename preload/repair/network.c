/* Looks for libraries of networks among those that are loaded; see network.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dl_iterate_phdr */
#endif
#include "preload/repair/network.h"

#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "preload/core/signals.h"

/* How their files' names begin: behind it is no letter or digit, or anything where the name ends in '*'. Wheels of Python
 * put more between the name and ".so". */
static const char *const names[] = {"libibverbs", "librdmacm", "libucp",     "libuct",       "libfabric",
                                    "libpsm2",    "libcxi",    "libcufile*", "libnccl-net*", "libnvshmem*"};

static _Atomic bool is_loaded;     /* stays so: memory may be registered still */
static _Atomic uint64_t seen_adds; /* how many libraries had been loaded when none of them was one */

static bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_of_network(const char *path) {
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t length = strcspn(names[i], "*");
        if (!strncmp(file, names[i], length) && (names[i][length] == '*' || !is_letter_or_digit(file[length]))) {
            return true;
        }
    }
    return false;
}

struct look {
    uint64_t adds;
    bool found;
};

static int look(struct dl_phdr_info *library, size_t bytes, void *argument) {
    struct look *l = argument;
    (void)bytes;
    l->adds = library->dlpi_adds;
    if (l->adds == atomic_load_explicit(&seen_adds, memory_order_relaxed)) {
        return 1; /* none came */
    }
    l->found = library->dlpi_name && is_of_network(library->dlpi_name);
    return l->found;
}

bool xs_network_is_loaded(void) {
    struct look l = {0};
    uint64_t signals;
    if (atomic_load_explicit(&is_loaded, memory_order_relaxed)) {
        return true;
    }
    xs_signals_hold(&signals); /* a handler that jumps away would keep the loader's lock */
    dl_iterate_phdr(look, &l);
    xs_signals_let(&signals);
    if (l.found) {
        atomic_store_explicit(&is_loaded, true, memory_order_relaxed);
    } else {
        atomic_store_explicit(&seen_adds, l.adds, memory_order_relaxed);
    }
    return l.found;
}
