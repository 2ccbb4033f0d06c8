/* Decides which dlsym calls concern CUDA, and what they return. Every program reaches the driver through dlsym(libcuda,
 * "cuGetProcAddress_v2") or dlsym(libcuda, "cu..."). Names that do not start with "cu" are passed on. */
#define _GNU_SOURCE
#include "preload/intercept/dlsym.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "preload/core/dynamic_section.h"
#include "preload/core/glibc_dlsym.h"
#include "preload/core/loader_list.h"
#include "preload/core/thread.h"
#include "preload/cupti/cupti.h"
#include "preload/driver/driver_api.h"
#include "preload/driver/real.h"
#include "preload/driver/unknown.h"
#include "preload/fingerprint/fingerprint.h"
#include "preload/intercept/unknown_stubs.h"

static CUresult CUDAAPI wrap_get_proc_address(const char *symbol, void **pfn, int version, cuuint64_t flags);
static CUresult CUDAAPI wrap_get_proc_address_v2(const char *symbol, void **pfn, int version, cuuint64_t flags,
                                                 CUdriverProcAddressQueryResult *status);

/* The driver's own look-up functions. They are wrapped like entry points, but no events are recorded for them. */
static void *real_get_proc_address, *real_get_proc_address_v2;

static void *real_lookup(void **slot, const char *name, const void *ours) {
    void *real = __atomic_load_n(slot, __ATOMIC_RELAXED);
    if (!real) {
        void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
        real = driver ? xs_next_dlsym(driver, name) : NULL;
        if (real && real == ours) /* another shim looked up its own function, but found ours, which comes first */
            real = xs_real_dlsym(RTLD_NEXT, name);
        if (driver)
            dlclose(driver);
        __atomic_store_n(slot, real, __ATOMIC_RELAXED);
    }
    return real;
}

static bool is_name_of_a_driver_function(const char *name) {
    return name[0] == 'c' && name[1] == 'u' && name[2] >= 'A' && name[2] <= 'Z';
}

/* Returns an address in libcuda.so.1; NULL: the driver is not loaded. */
static const void *drivers_own(void) {
    return real_lookup(&real_get_proc_address, "cuGetProcAddress", (void *)cuGetProcAddress);
}

/* Returns a stub for a function that a look-up found and that is in no table. If no stub is needed, or none is free,
 * returns the function's own address. */
static void *stub_of(void *real, const char *name, enum xs_unknown_asked asked) {
    const void *driver = drivers_own();
    int index =
        driver && is_name_of_a_driver_function(name) ? xs_unknown_stub_for(real, name, asked, driver) : XS_NO_STUB;
    if (index == XS_UNSEEN)
        xs_fingerprint_never_holds();
    return index < 0 ? real : xs_unknown_stub((unsigned)index);
}

/* Returns what the program gets if a look-up of `name` found `real`: the wrapper of an entry point or of a look-up
 * function, the stub of a driver function that is in no table, or `real` itself. */
static void *wrapped(void *real, const char *name, enum xs_unknown_asked asked) {
    if (!real)
        return NULL;
    if (real == real_lookup(&real_get_proc_address_v2, "cuGetProcAddress_v2", (void *)cuGetProcAddress_v2))
        return (void *)wrap_get_proc_address_v2;
    if (real == real_lookup(&real_get_proc_address, "cuGetProcAddress", (void *)cuGetProcAddress))
        return (void *)wrap_get_proc_address;
    void *wrapper = xs_real_wrapped(real);
    return wrapper == real ? stub_of(real, name, asked) : wrapper;
}

/* Returns the result of a look-up by name and version. If the program looks up cuGetProcAddress itself, another shim
 * may return another function. The result must nevertheless be xferspy's wrapper, because all later look-ups must be
 * seen. From version 12.0 on this name means cuGetProcAddress_v2. */
static void *looked_up(const char *symbol, int version, void *real) {
    if (real && symbol && strcmp(symbol, "cuGetProcAddress") == 0) {
        void *known = xs_real_wrapped(real);
        void *ours = version >= 12000 ? (void *)wrap_get_proc_address_v2 : (void *)wrap_get_proc_address;
        return known == real ? ours : known;
    }
    return wrapped(real, symbol, XS_ASKED_BY_PROC_ADDRESS);
}

static CUresult CUDAAPI wrap_get_proc_address(const char *symbol, void **pfn, int version, cuuint64_t flags) {
    CUresult (*real)(const char *, void **, int, cuuint64_t) =
        real_lookup(&real_get_proc_address, "cuGetProcAddress", (void *)cuGetProcAddress);
    CUresult r = real ? real(symbol, pfn, version, flags) : CUDA_ERROR_SHARED_OBJECT_INIT_FAILED;
    if (r == CUDA_SUCCESS && pfn && !xs_thread_is_guarded(XS_GUARD_HERE()))
        *pfn = looked_up(symbol, version, *pfn);
    return r;
}

static CUresult CUDAAPI wrap_get_proc_address_v2(const char *symbol, void **pfn, int version, cuuint64_t flags,
                                                 CUdriverProcAddressQueryResult *status) {
    CUresult (*real)(const char *, void **, int, cuuint64_t, CUdriverProcAddressQueryResult *) =
        real_lookup(&real_get_proc_address_v2, "cuGetProcAddress_v2", (void *)cuGetProcAddress_v2);
    CUresult r = real ? real(symbol, pfn, version, flags, status) : CUDA_ERROR_SHARED_OBJECT_INIT_FAILED;
    if (r == CUDA_SUCCESS && pfn && !xs_thread_is_guarded(XS_GUARD_HERE()))
        *pfn = looked_up(symbol, version, *pfn);
    return r;
}

/* Programs that are linked to libcuda call this function directly, so it is exported. */
XS_EXPORT CUresult CUDAAPI cuGetProcAddress(const char *symbol, void **pfn, int version, cuuint64_t flags) {
    return wrap_get_proc_address(symbol, pfn, version, flags);
}
XS_EXPORT CUresult CUDAAPI cuGetProcAddress_v2(const char *symbol, void **pfn, int version, cuuint64_t flags,
                                               CUdriverProcAddressQueryResult *status) {
    return wrap_get_proc_address_v2(symbol, pfn, version, flags, status);
}

static bool is_driver_name(const char *name) {
    return xs_wrapper_by_name(name) || strcmp(name, "cuGetProcAddress") == 0 ||
           strcmp(name, "cuGetProcAddress_v2") == 0;
}

static bool is_ours(const char *name, const void *address) {
    return address && (address == xs_wrapper_by_name(name) || address == (void *)cuGetProcAddress ||
                       address == (void *)cuGetProcAddress_v2);
}

/* Searches the caller's library and what it depends on. */
static void *search_in_library_of(const void *caller, const char *name) {
    Dl_info where;
    void *library = dladdr(caller, &where) && where.dli_fname ? dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *found = library ? xs_next_dlsym(library, name) : NULL;
    if (library)
        dlclose(library);
    return found;
}

/* Searches for the driver's function as the caller's search would run without xferspy. A plain global search would find
 * xferspy's exports first even if no driver is loaded, and would mislead a program that checks whether there is a
 * driver. The caller can reach the driver if the driver is in the global scope after xferspy, or among the dependencies
 * of the caller's library. */
static void *search_globally(const char *name, const void *caller) {
    void *real = xs_real_dlsym(RTLD_NEXT, name);
    if (real)
        return real;
    real = search_in_library_of(caller, name);
    return is_ours(name, real) ? NULL : real;
}

struct next {
    const char *name;
    uintptr_t caller;
    bool is_after_caller;
    unsigned libraries; /* up to the caller's */
    void *found;
};

static bool has_address(const struct dl_phdr_info *library, uintptr_t address) {
    for (unsigned i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &library->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && address - (library->dlpi_addr + segment->p_vaddr) < segment->p_memsz)
            return true;
    }
    return false;
}

static int look_after_caller(struct dl_phdr_info *library, size_t bytes, void *arg) {
    struct next *next = arg;
    (void)bytes;
    if (!next->is_after_caller) {
        next->libraries++;
        next->is_after_caller = has_address(library, next->caller);
        return 0;
    }
    const struct xs_dynamic dynamic = xs_dynamic_of(library);
    next->found = xs_dynamic_function(&dynamic, next->name);
    return next->found != NULL;
}

/* Searches for a function that is in no table, in the same way as dlsym(RTLD_NEXT) searches for this caller. glibc's
 * dlsym cannot be called for this, because the caller of dlsym would be xferspy. If the driver was loaded with the
 * program, the libraries from the caller's to the driver's have the same order in the loader's list as in the search.
 * Otherwise a caller finds the driver only if the caller's library was loaded with dlopen and depends on the driver.
 * Such a library may define the function itself. NULL: the driver's function is not what the search finds. */
static void *search_after(const char *name, const void *caller, const void *driver) {
    struct next next = {.name = name, .caller = (uintptr_t)caller};
    Dl_info where, of_driver, of_caller;
    if (!driver || !dladdr(driver, &of_driver))
        return NULL;
    if (xs_driver_is_linked())
        xs_loader_walk(look_after_caller, &next);
    bool is_of_start = next.is_after_caller && next.libraries <= xs_libraries_at_start();
    void *found = next.found || is_of_start ? next.found : search_in_library_of(caller, name);
    if (found && dladdr(found, &where) && dladdr(caller, &of_caller) && where.dli_fbase == of_caller.dli_fbase)
        found = search_in_library_of(driver, name);
    return found && dladdr(found, &where) && where.dli_fbase == of_driver.dli_fbase ? found : NULL;
}

static void *look_up(void *handle, const char *name, const void *caller) {
    void *real = handle == RTLD_DEFAULT ? NULL : xs_next_dlsym(handle, name);
    return handle == RTLD_DEFAULT || is_ours(name, real) ? search_globally(name, caller) : real;
}

/* The results of calls with RTLD_NEXT are changed only for functions that are in no table. For all other functions, a
 * caller before libxferspy.so in the search order finds the wrappers, and a caller after it finds the driver; both are
 * right. A failed look-up is repeated as the caller made it, so that dlerror describes the caller's call. After a
 * successful look-up the errors of the searches here are cleared. */
int xs_dlsym_route(void *handle, const char *name, void **result, const void *caller) {
    *result = xs_next_dlsym_address();
    if (XS_LIKELY(!name || name[0] != 'c' || name[1] != 'u') || xs_thread_is_guarded(XS_GUARD_HERE()))
        return 0;
    void *found = NULL;
    if (handle == RTLD_NEXT) {
        if (!is_name_of_a_driver_function(name) || is_driver_name(name))
            return 0;
        void *real = search_after(name, caller, drivers_own());
        found = wrapped(real, name, XS_ASKED_BY_DLSYM);
        if (found == real)
            return 0;
    } else if (strncmp(name, "cupti", 5) == 0) {
        void *real = xs_next_dlsym(handle, name);
        found = xs_cupti_override(name, real);
        if (found == real)
            return 0; /* not overridden, or not there */
    } else if (handle != RTLD_DEFAULT || is_driver_name(name)) {
        found = wrapped(look_up(handle, name, caller), name, XS_ASKED_BY_DLSYM);
    } else if (is_name_of_a_driver_function(name)) {
        void *real = search_globally(name, caller);
        found = wrapped(real, name, XS_ASKED_BY_DLSYM);
        found = found == real ? NULL : found;
    }
    if (!found && !(is_driver_name(name) && (handle == RTLD_DEFAULT || is_ours(name, xs_next_dlsym(handle, name)))))
        return 0;
    if (!found)
        xs_real_dlsym(RTLD_NEXT, name); /* fails, and sets dlerror */
    else
        dlerror();
    *result = found;
    return 1;
}
