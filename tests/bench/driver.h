/* Looks up the driver's functions by name, so that a benchmark runs without a toolkit. Must be included after
 * cuda.h. */
#ifndef XFERSPY_TESTS_BENCH_DRIVER_H
#define XFERSPY_TESTS_BENCH_DRIVER_H

#include "measure.h"

static inline void *driver_symbol(const char *name) {
    static void *handle;
    if (!handle)
        handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    void *address = handle ? dlsym(handle, name) : NULL;
    if (!address) {
        fprintf(stderr, "no %s: %s\n", name, dlerror());
        exit(1);
    }
    return address;
}
#define DRIVER(name) ((__typeof__(&name))driver_symbol(#name))

/* A kernel that does nothing, for DRIVER(cuModuleLoadData). */
static const char noop_ptx[] = ".version 7.0\n"
                               ".target sm_75\n"
                               ".address_size 64\n"
                               ".visible .entry xs_noop()\n"
                               "{\n"
                               "    ret;\n"
                               "}\n";

#endif
