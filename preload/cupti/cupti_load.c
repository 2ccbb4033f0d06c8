/* Finds a libcupti that fits the driver, and loads it. It prefers the application's own copy, so that there is only
 * one in the process. */
#include <dlfcn.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "preload/core/glibc_dlsym.h"
#include "preload/core/loader_list.h"
#include "preload/cupti/cupti_internal.h"
#include "schema/error.h"

#define LIST_LIMIT 32

/* Paths are first collected here, because nothing may be loaded while the loader's lock is held. */
struct path_list {
    char *paths[LIST_LIMIT];
    unsigned count;
};

static void list_add(struct path_list *list, const char *path, size_t length) {
    for (unsigned i = 0; i < list->count; i++)
        if (strncmp(list->paths[i], path, length) == 0 && list->paths[i][length] == 0)
            return;
    if (list->count < LIST_LIMIT && (list->paths[list->count] = strndup(path, length)))
        list->count++;
}

static void list_free(struct path_list *list) {
    while (list->count)
        free(list->paths[--list->count]);
}

/* ---- what the process has mapped ---- */

static int collect_libcupti(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    if (slash && strncmp(slash + 1, "libcupti.so", strlen("libcupti.so")) == 0)
        list_add(data, info->dlpi_name, strlen(info->dlpi_name));
    return 0;
}

/* Collects the folder .../nvidia of a mapped library, because CUDA's pip packages all lie in one folder:
 * .../site-packages/nvidia/PACKAGE/lib/libSOMETHING.so. */
static int collect_nvidia_folder(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    const char *name = info->dlpi_name ? info->dlpi_name : "";
    const char *folder = strstr(name, "-packages/nvidia/");
    if (folder && strstr(folder, "/lib/"))
        list_add(data, name, (size_t)(folder - name) + strlen("-packages/nvidia"));
    return 0;
}

void *xs_cupti_mapped_symbol(const char *name, void *not_this) {
    struct path_list mapped = {0};
    xs_loader_walk(collect_libcupti, &mapped);
    void *symbol = NULL, *fallback = NULL;
    for (unsigned i = 0; i < mapped.count && !symbol; i++) {
        void *handle = dlopen(mapped.paths[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
        if (handle && handle != not_this)
            symbol = xs_real_dlsym(handle, name);
        else if (handle)
            fallback = xs_real_dlsym(handle, name);
    }
    list_free(&mapped);
    dlerror(); /* so that the application's dlerror does not report a failed look-up of this function */
    return symbol ? symbol : fallback;
}

/* ---- one candidate ---- */

static const char *loaded_path(void *handle) {
    struct link_map *map = NULL;
    return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map ? map->l_name : "";
}

/* Looks up the functions and reads the version. False: `why` has the reason. */
static bool bind_library(void *handle, char why[256]) {
    struct xs_cupti_api found = {.handle = handle};
    const char *missing = NULL;
    void *symbol;
#define X(name)                                                                                                        \
    symbol = xs_real_dlsym(handle, #name);                                                                             \
    memcpy(&found.name, &symbol, sizeof symbol);
#define REQUIRED(name) X(name) if (!symbol) missing = #name;
#define MULTI(name, parameters) X(name)
    XS_CUPTI_REQUIRED(REQUIRED)
    XS_CUPTI_OPTIONAL(X)
    XS_CUPTI_MULTI(MULTI)
#undef MULTI
#undef REQUIRED
#undef X
    const char *path = loaded_path(handle);
    if (missing) {
        snprintf(why, 256, "%s has no %s", path, missing);
        return false;
    }
    CUptiResult result = found.cuptiGetVersion(&found.version);
    if (result != CUPTI_SUCCESS || found.version < XS_CUPTI_OLDEST) {
        snprintf(why, 256, "%s: version %u (result %d) is too old", path, found.version, (int)result);
        return false;
    }
    found.path = strdup(path);
    xs_cupti_api = found;
    return true;
}

/* True if the name exists and is not a regular file; for a FIFO, for example, the loader would wait for a writer.
 * Always false for a name without a slash, which the loader searches in its own folders. */
static bool is_no_file(const char *name) {
    struct stat st;
    return strchr(name, '/') && stat(name, &st) == 0 && !S_ISREG(st.st_mode);
}

/* Tries one candidate. A failure is explained in `why` only if the file exists but cannot be used. */
static bool try_open(const char *name, int flags, char why[256]) {
    void *handle = is_no_file(name) ? NULL : dlopen(name, RTLD_NOW | RTLD_LOCAL | flags);
    return handle && bind_library(handle, why);
}

__attribute__((format(printf, 2, 3))) static bool try_format(char why[256], const char *format, ...) {
    char path[4096];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    return length > 0 && (size_t)length < sizeof path && try_open(path, 0, why);
}

/* ---- the folders, for one major version ---- */

static bool try_beside_packages(int major, char why[256]) {
    struct path_list folders = {0};
    xs_loader_walk(collect_nvidia_folder, &folders);
    bool done = false;
    for (unsigned i = 0; i < folders.count && !done; i++)
        done = try_format(why, "%s/cu%d/lib/libcupti.so.%d", folders.paths[i], major, major) ||
               try_format(why, "%s/cuda_cupti/lib/libcupti.so.%d", folders.paths[i], major);
    list_free(&folders);
    return done;
}

static bool try_toolkits(int major, char why[256]) {
    const char *roots[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
    static const char *const folders[] = {"lib64", "extras/CUPTI/lib64", "lib"};
    for (size_t r = 0; r < sizeof roots / sizeof roots[0]; r++)
        for (size_t f = 0; f < sizeof folders / sizeof folders[0] && roots[r] && *roots[r]; f++)
            if (try_format(why, "%s/%s/libcupti.so.%d", roots[r], folders[f], major))
                return true;
    return false;
}

static bool try_mapped(char why[256]) {
    struct path_list mapped = {0};
    xs_loader_walk(collect_libcupti, &mapped);
    bool done = false;
    for (unsigned i = 0; i < mapped.count && !done; i++)
        done = try_open(mapped.paths[i], RTLD_NOLOAD, why);
    list_free(&mapped);
    return done;
}

static int load(int driver, char why[256]) {
    why[0] = 0;
    const char *chosen = getenv("XFERSPY_CUPTI_LIBRARY");
    if (chosen && *chosen) {
        if (is_no_file(chosen)) {
            snprintf(why, 256, "XFERSPY_CUPTI_LIBRARY: %s is no regular file", chosen);
            return XS_ERROR_NOT_FOUND;
        }
        void *handle = dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
        if (!handle) {
            const char *error = dlerror();
            snprintf(why, 256, "XFERSPY_CUPTI_LIBRARY: %s", error ? error : chosen);
            return XS_ERROR_NOT_FOUND;
        }
        return bind_library(handle, why) ? 0 : XS_ERROR_INVALID;
    }
    if (try_mapped(why))
        return 0;
    /* A CUPTI of an older major version than the driver works, one of a newer major version does not. All folders are
     * searched for the better major version first, and then for the other one. Packages are searched before toolkits,
     * because the process uses the CUDA of the packages. */
    const int majors[] = {driver == 0 || driver >= 13000 ? 13 : 12, driver == 0 || driver >= 13000 ? 12 : 13};
    for (int i = 0; i < 2; i++)
        if (try_format(why, "libcupti.so.%d", majors[i]) || try_beside_packages(majors[i], why) ||
            try_toolkits(majors[i], why))
            return 0;
    if (why[0])
        return XS_ERROR_INVALID;
    snprintf(why, 256,
             "no libcupti.so.%d or .%d in the library path, beside the CUDA libraries in use, or under "
             "CUDA_HOME, CUDA_PATH, /usr/local/cuda; XFERSPY_CUPTI_LIBRARY can name one",
             majors[0], majors[1]);
    return XS_ERROR_NOT_FOUND;
}

int xs_cupti_load(int driver_version, char why[256]) {
    int status = load(driver_version, why);
    /* Clears the errors of the search, because otherwise the application's next dlerror() would return the last one. */
    dlerror();
    return status;
}
