/* A child is forked while another thread looks up the driver's entry points. The child looks them up itself
 * (xs_real_forget). */
#include "fork_unit.h"

#include <dlfcn.h>

#include "preload/core/glibc_dlsym.h"
#include "preload/driver/driver_api.h"
#include "preload/driver/real.h"

/* The wrappers, which are only named here. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define XS_ENTRY(symbol, category, default_stream, params, ...)                                                        \
    CUresult CUDAAPI symbol params { return CUDA_ERROR_NOT_INITIALIZED; }
#include "preload/driver/entry_points.def"
#undef XS_ENTRY
#define XS_GATED(symbol, params, ...)                                                                                  \
    CUresult CUDAAPI symbol params { return CUDA_ERROR_NOT_INITIALIZED; }
#include "preload/driver/gated_points.def"
#undef XS_GATED

/* In the place of dlopen: the linker's --wrap. */
void *__wrap_dlopen(const char *name, int flags);  // NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
void *__wrap_dlopen(const char *name, int flags) { // NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
    static int driver;
    assert_string_equal(name, "libcuda.so.1");
    assert_true(flags & RTLD_NOLOAD);
    return &driver;
}

static unsigned asked;

void *xs_real_dlsym(void *handle, const char *name) {
    (void)handle;
    (void)name;
    if (asked++ == 0)
        stay_in();
    return NULL;
}

void *xs_next_dlsym(void *handle, const char *name) { return xs_real_dlsym(handle, name); }

bool xs_next_dlsym_is_real(void) { return false; }

static void resolve(void) { (void)xs_real_resolve(); }

static void lock_of_the_real_addresses(void **state) {
    (void)state;
    child_gets_through_inside(resolve, xs_real_forget);
    assert_true(asked > XS_ROW_COUNT);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lock_of_the_real_addresses)};
    return cmocka_run_group_tests_name("fork_locks_real", tests, NULL, NULL);
}
