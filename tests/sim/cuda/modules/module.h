/* Modules and libraries, for the files that load them and the files that read them. */
#ifndef XS_SIM_MODULE_H
#define XS_SIM_MODULE_H

#include "sim.h"

/* A variable of a module; or a variable that a library declares, with its instance in the context that first queried
 * it. */
struct xs_global {
    char *name;
    size_t bytes;
    bool managed;
    void *initial; /* initial content; NULL: zeros */
    CUdeviceptr address;
    struct CUctx_st *context;
    unsigned generation;
    struct xs_global *next;
};

/* `opaque`: the image is a fatbin or cubin, which the simulator cannot read; it counts as having all kernels of the
 * table (kernels.h). */
struct xs_image {
    bool opaque;
    struct CUfunc_st *functions;
    struct xs_global *globals;
};

struct CUmod_st {
    struct CUctx_st *context;
    struct CUlib_st *library;
    struct xs_image *image; /* image of the library, or owned by the module */
    bool managed_by_library;
};

struct CUlib_st {
    struct xs_image image;
    struct CUmod_st module;
};

/* Reads an image. Text is read as PTX; an image with a known magic number is opaque (ptx.c). */
CUresult xs_image_load(const void *data, struct xs_image *image);
CUresult xs_image_load_file(const char *name, struct xs_image *image);
void xs_image_free(struct xs_image *image);
CUresult xs_image_function(struct xs_image *image, const char *name, struct CUmod_st *module, struct CUlib_st *library,
                           struct CUfunc_st **out);
/* Finds the variable's instance in the current context, and makes it at its first use. */
CUresult xs_image_global(struct xs_image *image, const char *name, bool managed, CUdeviceptr *address, size_t *bytes);
CUresult xs_image_declare(struct xs_image *image, const char *name, size_t bytes, bool managed, const void *initial);
struct CUfunc_st *xs_function_new(const char *name);

#endif
