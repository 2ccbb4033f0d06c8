/* What nvcc's generated code calls at start: the fatbins of a program, their kernels and variables, and finding them
 * again by the address of their host-side twin. */
#include "cudart.h"

#include <stdlib.h>

struct fatbin {
    const void *image;
    CUlibrary library;
    struct fatbin *next;
};

struct entity {
    const void *host;
    struct fatbin *fatbin;
    const char *name;
    size_t bytes;
    bool variable, managed;
    bool declared, placed;
    CUkernel kernel;
    struct entity *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fatbin *fatbins;
static struct entity *entities;

void **__cudaRegisterFatBinary(void *image);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int threads, void *tid,
                            void *bid, void *block, void *grid, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t bytes, int constant,
                       int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext, size_t bytes,
                              int constant, int global);
char __cudaInitModule(void **handle);

XS_EXPORT void **__cudaRegisterFatBinary(void *image) {
    struct fatbin *fatbin = calloc(1, sizeof(*fatbin));
    if (fatbin == NULL)
        return NULL;
    pthread_mutex_lock(&lock);
    *fatbin = (struct fatbin){.image = image, .next = fatbins};
    fatbins = fatbin;
    pthread_mutex_unlock(&lock);
    return (void **)fatbin;
}

XS_EXPORT void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }

XS_EXPORT void __cudaUnregisterFatBinary(void **handle) {
    struct fatbin *fatbin = (struct fatbin *)handle;
    pthread_mutex_lock(&lock);
    for (struct entity **link = &entities; *link != NULL;) {
        struct entity *entity = *link;
        if (entity->fatbin != fatbin) {
            link = &entity->next;
            continue;
        }
        *link = entity->next;
        free(entity);
    }
    struct fatbin **link = &fatbins;
    while (*link != NULL && *link != fatbin)
        link = &(*link)->next;
    if (*link != NULL)
        *link = fatbin->next;
    pthread_mutex_unlock(&lock);
    /* At exit the driver may have shut down already, and says so; a program that unloads a plugin gets its memory
     * back. */
    if (fatbin->library != NULL)
        DRV(cuLibraryUnload)(fatbin->library);
    free(fatbin);
}

static void add(void **handle, const void *host, const char *name, size_t bytes, bool variable, bool managed) {
    struct entity *entity = calloc(1, sizeof(*entity));
    if (entity == NULL)
        return;
    pthread_mutex_lock(&lock);
    *entity = (struct entity){.host = host,
                              .fatbin = (struct fatbin *)handle,
                              .name = name,
                              .bytes = bytes,
                              .variable = variable,
                              .managed = managed,
                              .next = entities};
    entities = entity;
    pthread_mutex_unlock(&lock);
}

XS_EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int threads,
                                      void *tid, void *bid, void *block, void *grid, int *warp) {
    (void)device, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    add(handle, host, name, 0, false, false);
}

XS_EXPORT void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t bytes,
                                 int constant, int global) {
    (void)device, (void)ext, (void)constant, (void)global;
    add(handle, host, name, bytes, true, false);
}

XS_EXPORT void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext,
                                        size_t bytes, int constant, int global) {
    (void)device, (void)ext, (void)constant, (void)global;
    add(handle, host, name, bytes, true, true);
}

static struct entity *find_locked(const void *host, bool variable) {
    struct entity *entity = entities;
    while (entity != NULL && !(entity->variable == variable && entity->host == host))
        entity = entity->next;
    return entity;
}

/* Loads a fatbin on first use, and tells the driver about its variables: the stand-in cannot read them out of the
 * image. */
static cudaError_t load_locked(struct fatbin *fatbin) {
    if (fatbin->library == NULL)
        TRY(xs_rt_error(DRV(cuLibraryLoadData)(&fatbin->library, fatbin->image, NULL, NULL, 0, NULL, NULL, 0)));
    CUresult (*declare)(CUlibrary, const char *, size_t, int) = NULL;
    void *symbol = xs_rt_driver_symbol("xs_sim_declare_variable");
    memcpy(&declare, &symbol, sizeof(declare));
    for (struct entity *entity = entities; declare != NULL && entity != NULL; entity = entity->next) {
        if (entity->fatbin != fatbin || !entity->variable || entity->declared)
            continue;
        TRY(xs_rt_error(declare(fatbin->library, entity->name, entity->bytes, entity->managed)));
        entity->declared = true;
    }
    return cudaSuccess;
}

cudaError_t xs_rt_function(const void *host, CUfunction *out) {
    TRY(xs_rt_ready());
    pthread_mutex_lock(&lock);
    struct entity *entity = find_locked(host, false);
    cudaError_t result = entity == NULL ? cudaErrorInvalidDeviceFunction : load_locked(entity->fatbin);
    if (result == cudaSuccess && entity->kernel == NULL)
        result = xs_rt_error(DRV(cuLibraryGetKernel)(&entity->kernel, entity->fatbin->library, entity->name));
    if (result == cudaSuccess)
        *out = (CUfunction)entity->kernel;
    if (result == (cudaError_t)CUDA_ERROR_NOT_FOUND)
        result = cudaErrorInvalidDeviceFunction;
    pthread_mutex_unlock(&lock);
    return result;
}

/* A managed variable's host-side twin is a pointer that the generated code reads: set it once the variable exists. */
static cudaError_t place_locked(struct entity *entity) {
    CUdeviceptr address;
    size_t bytes;
    if (entity->placed)
        return cudaSuccess;
    TRY(xs_rt_error(DRV(cuLibraryGetManaged)(&address, &bytes, entity->fatbin->library, entity->name)));
    memcpy((void *)entity->host, &address, sizeof(address));
    entity->placed = true;
    return cudaSuccess;
}

XS_EXPORT char __cudaInitModule(void **handle) {
    if (xs_rt_ready() != cudaSuccess)
        return 0;
    pthread_mutex_lock(&lock);
    bool done = load_locked((struct fatbin *)handle) == cudaSuccess;
    for (struct entity *entity = entities; entity != NULL; entity = entity->next)
        if (entity->fatbin == (struct fatbin *)handle && entity->managed)
            done &= place_locked(entity) == cudaSuccess;
    pthread_mutex_unlock(&lock);
    return done;
}

cudaError_t xs_rt_variable(const void *host, CUdeviceptr *address, size_t *bytes) {
    TRY(xs_rt_ready());
    pthread_mutex_lock(&lock);
    struct entity *entity = find_locked(host, true);
    for (struct entity *other = entities; entity == NULL && other != NULL; other = other->next)
        if (other->managed && other->placed && memcmp(other->host, &host, sizeof(host)) == 0)
            entity = other;
    cudaError_t result = entity == NULL ? cudaErrorInvalidSymbol : load_locked(entity->fatbin);
    if (result == cudaSuccess && entity->managed)
        result = place_locked(entity);
    if (result == cudaSuccess)
        result = xs_rt_error(DRV(cuLibraryGetGlobal)(address, bytes, entity->fatbin->library, entity->name));
    pthread_mutex_unlock(&lock);
    return result;
}
