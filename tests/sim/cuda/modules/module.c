/* Modules and libraries: loading, unloading and looking things up in them. */
#include "module.h"

#include <stdlib.h>
#include <string.h>

/* ---- modules ---- */

static CUresult make_module(CUmodule *out, const void *data, const char *file) {
    struct CUctx_st *context;
    struct xs_image image;
    CUresult result = xs_need_context(&context);
    if (result == CUDA_SUCCESS)
        result = xs_capture_unsafe();
    if (result == CUDA_SUCCESS && out == NULL)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = file != NULL ? xs_image_load_file(file, &image) : xs_image_load(data, &image);
    if (result != CUDA_SUCCESS)
        return result;
    struct CUmod_st *module = xs_handle_new(sizeof(*module));
    struct xs_image *own = malloc(sizeof(*own));
    if (module == NULL || own == NULL) {
        xs_handle_free(module);
        free(own);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *own = image;
    *module = (struct CUmod_st){.context = context, .image = own};
    /* A module's variables exist from the start, and tools hear of them then. */
    for (struct xs_global *global = own->globals; global != NULL; global = global->next)
        xs_image_global(own, global->name, false, NULL, NULL);
    *out = module;
    xs_report_resource(XS_SIM_MODULE_LOADED, context, NULL);
    return CUDA_SUCCESS;
}

CUresult xs_cuModuleLoad(CUmodule *module, const char *fname) {
    return fname == NULL ? CUDA_ERROR_INVALID_VALUE : make_module(module, NULL, fname);
}

CUresult xs_cuModuleLoadData(CUmodule *module, const void *image) { return make_module(module, image, NULL); }

CUresult xs_cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions, CUjit_option *options,
                               void **optionValues) {
    (void)numOptions, (void)options, (void)optionValues;
    return make_module(module, image, NULL);
}

CUresult xs_cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin) {
    return make_module(module, fatCubin, NULL);
}

CUresult xs_cuModuleUnload(CUmodule hmod) {
    if (hmod == NULL || hmod->managed_by_library)
        return CUDA_ERROR_INVALID_HANDLE;
    xs_device_drain(hmod->context->device);
    xs_image_free(hmod->image);
    free(hmod->image);
    xs_handle_free(hmod);
    return CUDA_SUCCESS;
}

CUresult xs_cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
    if (mode == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *mode = CU_MODULE_LAZY_LOADING;
    return CUDA_SUCCESS;
}

CUresult xs_cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name) {
    if (hfunc == NULL || hmod == NULL || name == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    return xs_image_function(hmod->image, name, hmod, hmod->library, hfunc);
}

CUresult xs_cuModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod, const char *name) {
    if (hmod == NULL || name == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    return xs_image_global(hmod->image, name, false, dptr, bytes);
}

static unsigned count_functions(const struct xs_image *image) {
    unsigned count = 0;
    for (const struct CUfunc_st *function = image->functions; function != NULL; function = function->next)
        count += function->kernel != NULL;
    return count;
}

CUresult xs_cuModuleGetFunctionCount(unsigned int *count, CUmodule mod) {
    if (count == NULL || mod == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *count = count_functions(mod->image);
    return CUDA_SUCCESS;
}

CUresult xs_cuModuleEnumerateFunctions(CUfunction *functions, unsigned int numFunctions, CUmodule mod) {
    if (functions == NULL || mod == NULL || numFunctions == 0)
        return CUDA_ERROR_INVALID_VALUE;
    unsigned i = 0;
    for (struct CUfunc_st *function = mod->image->functions; function != NULL && i < numFunctions;
         function = function->next)
        if (function->kernel != NULL)
            functions[i++] = function;
    return CUDA_SUCCESS;
}

/* ---- libraries: the same without a context ---- */

static CUresult make_library(CUlibrary *out, const void *data, const char *file) {
    if (out == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    struct CUlib_st *library = xs_handle_new(sizeof(*library));
    if (library == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = file != NULL ? xs_image_load_file(file, &library->image) : xs_image_load(data, &library->image);
    if (result != CUDA_SUCCESS) {
        xs_handle_free(library);
        return result;
    }
    library->module = (struct CUmod_st){.library = library, .image = &library->image, .managed_by_library = true};
    *out = library;
    return CUDA_SUCCESS;
}

CUresult xs_cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions, void **jitOptionsValues,
                              unsigned int numJitOptions, CUlibraryOption *libraryOptions, void **libraryOptionValues,
                              unsigned int numLibraryOptions) {
    (void)jitOptions, (void)jitOptionsValues, (void)numJitOptions, (void)libraryOptions, (void)libraryOptionValues;
    (void)numLibraryOptions;
    return make_library(library, code, NULL);
}

CUresult xs_cuLibraryLoadFromFile(CUlibrary *library, const char *fileName, CUjit_option *jitOptions,
                                  void **jitOptionsValues, unsigned int numJitOptions, CUlibraryOption *libraryOptions,
                                  void **libraryOptionValues, unsigned int numLibraryOptions) {
    (void)jitOptions, (void)jitOptionsValues, (void)numJitOptions, (void)libraryOptions, (void)libraryOptionValues;
    (void)numLibraryOptions;
    return fileName == NULL ? CUDA_ERROR_INVALID_VALUE : make_library(library, NULL, fileName);
}

CUresult xs_cuLibraryUnload(CUlibrary library) {
    if (library == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    xs_device_drain(-1);
    xs_image_free(&library->image);
    xs_handle_free(library);
    return CUDA_SUCCESS;
}

CUresult xs_cuLibraryGetKernel(CUkernel *pKernel, CUlibrary library, const char *name) {
    struct CUfunc_st *function;
    if (pKernel == NULL || library == NULL || name == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = xs_image_function(&library->image, name, &library->module, library, &function);
    if (result == CUDA_SUCCESS)
        *pKernel = xs_kernel_handle(function);
    return result;
}

CUresult xs_cuLibraryGetKernelCount(unsigned int *count, CUlibrary lib) {
    if (count == NULL || lib == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *count = count_functions(&lib->image);
    return CUDA_SUCCESS;
}

CUresult xs_cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int numKernels, CUlibrary lib) {
    if (lib == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = xs_cuModuleEnumerateFunctions((CUfunction *)kernels, numKernels, &lib->module);
    for (unsigned i = 0; result == CUDA_SUCCESS && i < numKernels && i < count_functions(&lib->image); i++)
        kernels[i] = xs_kernel_handle((struct CUfunc_st *)kernels[i]);
    return result;
}

CUresult xs_cuLibraryGetModule(CUmodule *pMod, CUlibrary library) {
    if (pMod == NULL || library == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *pMod = &library->module;
    return CUDA_SUCCESS;
}

CUresult xs_cuLibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name) {
    return library == NULL || name == NULL ? CUDA_ERROR_INVALID_VALUE
                                           : xs_image_global(&library->image, name, false, dptr, bytes);
}

CUresult xs_cuLibraryGetManaged(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name) {
    return library == NULL || name == NULL ? CUDA_ERROR_INVALID_VALUE
                                           : xs_image_global(&library->image, name, true, dptr, bytes);
}

/* A fatbin's variables cannot be read out of it here, so the simulated runtime says what was registered. Exported for
 * it alone. */
XS_EXPORT CUresult xs_sim_declare_variable(CUlibrary library, const char *name, size_t bytes, int managed);
XS_EXPORT CUresult xs_sim_declare_variable(CUlibrary library, const char *name, size_t bytes, int managed) {
    return xs_image_declare(&library->image, name, bytes, managed != 0, NULL);
}
