/* What is inside a loaded image: functions by name and variables with their storage. */
#include "module.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void xs_images_catch_up(void) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

struct CUfunc_st *xs_function_new(const char *name) {
    struct CUkern_st *kernel = calloc(1, sizeof(*kernel)); /* a CUkernel and a CUfunction in one */
    if (kernel == NULL)
        return NULL;
    struct CUfunc_st *function = &kernel->function;
    function->name = strdup(name);
    function->kernel = xs_kernel_find(name);
    const char *letters = function->kernel != NULL ? function->kernel->parameters : "";
    function->parameter_count = strlen(letters);
    function->parameters = calloc(function->parameter_count + 1, sizeof(*function->parameters));
    if (function->name == NULL || function->parameters == NULL) {
        free(function->name);
        free(function->parameters);
        free(kernel);
        return NULL;
    }
    size_t offset = 0;
    for (size_t i = 0; i < function->parameter_count; i++) {
        size_t bytes = xs_kernel_parameter_bytes(letters[i]);
        offset = (offset + bytes - 1) / bytes * bytes;
        function->parameters[i] = (struct xs_parameter){offset, bytes};
        offset += bytes;
    }
    function->argument_bytes = offset;
    return function;
}

CUresult xs_image_function(struct xs_image *image, const char *name, struct CUmod_st *module, struct CUlib_st *library,
                           struct CUfunc_st **out) {
    pthread_mutex_lock(&lock);
    struct CUfunc_st *function = image->functions;
    while (function != NULL && strcmp(function->name, name) != 0)
        function = function->next;
    if (function == NULL && image->opaque && xs_kernel_find(name) != NULL &&
        (function = xs_function_new(name)) != NULL) {
        function->next = image->functions;
        image->functions = function;
    }
    if (function != NULL) {
        function->module = module;
        function->library = library;
    }
    pthread_mutex_unlock(&lock);
    if (function == NULL || function->kernel == NULL)
        return CUDA_ERROR_NOT_FOUND;
    *out = function;
    return CUDA_SUCCESS;
}

CUresult xs_image_declare(struct xs_image *image, const char *name, size_t bytes, bool managed, const void *initial) {
    struct xs_global *global = calloc(1, sizeof(*global));
    if (global == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *global = (struct xs_global){.name = strdup(name), .bytes = bytes, .managed = managed};
    if (initial != NULL && (global->initial = malloc(bytes)) != NULL)
        memcpy(global->initial, initial, bytes);
    pthread_mutex_lock(&lock);
    global->next = image->globals;
    image->globals = global;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

static CUresult instantiate(struct xs_global *global, struct CUctx_st *context) {
    CUresult result = global->managed ? xs_cuMemAllocManaged(&global->address, global->bytes, CU_MEM_ATTACH_GLOBAL)
                                      : xs_allocate_device(context, global->bytes, XS_STATIC, &global->address);
    if (result != CUDA_SUCCESS)
        return result;
    global->context = context;
    global->generation = context->generation;
    if (global->initial != NULL)
        memcpy((void *)global->address, global->initial, global->bytes);
    else
        memset((void *)global->address, 0, global->bytes);
    return CUDA_SUCCESS;
}

CUresult xs_image_global(struct xs_image *image, const char *name, bool managed, CUdeviceptr *address, size_t *bytes) {
    struct CUctx_st *context;
    CUresult result = xs_need_context(&context);
    if (result != CUDA_SUCCESS)
        return result;
    struct xs_global *declared = NULL, *found = NULL;
    pthread_mutex_lock(&lock);
    for (struct xs_global *global = image->globals; global != NULL; global = global->next) {
        if (strcmp(global->name, name) != 0 || (managed && !global->managed))
            continue;
        declared = global;
        if (global->context == NULL || global->managed ||
            (global->context == context && global->generation == context->generation)) {
            found = global;
            break;
        }
    }
    /* Another context has its own instance of the same declaration. */
    if (found == NULL && declared != NULL && (found = calloc(1, sizeof(*found))) != NULL) {
        *found = (struct xs_global){.name = strdup(name), .bytes = declared->bytes, .next = image->globals};
        image->globals = found;
    }
    if (found == NULL)
        result = CUDA_ERROR_NOT_FOUND;
    else if (found->context == NULL || found->generation != found->context->generation)
        result = instantiate(found, context);
    if (result == CUDA_SUCCESS) {
        if (address != NULL)
            *address = found->address;
        if (bytes != NULL)
            *bytes = found->bytes;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

void xs_image_free(struct xs_image *image) {
    while (image->functions != NULL) {
        struct CUfunc_st *function = image->functions;
        image->functions = function->next;
        free(function->name);
        free(function->parameters);
        free(function);
    }
    while (image->globals != NULL) {
        struct xs_global *global = image->globals;
        struct xs_allocation removed;
        image->globals = global->next;
        if (global->context != NULL && global->generation == global->context->generation &&
            xs_map_remove(global->address, 1u << XS_STATIC | 1u << XS_MANAGED, &removed))
            xs_release_allocation(&removed);
        free(global->name);
        free(global->initial);
        free(global);
    }
}
