/* Modules and libraries, shared by the files that load them and those that look into them. */
#ifndef XS_SIM_MODULE_H
#define XS_SIM_MODULE_H

#include "sim.h"

/* A variable of a module, or a library's declaration of one with its instance in the context that asked first. */
struct xs_global {
    char *name;
    size_t bytes;
    bool managed;
    void *initial; /* or NULL for zeros */
    CUdeviceptr address;
    struct CUctx_st *context;
    unsigned generation;
    struct xs_global *next;
};

/* `opaque`: the image is a fatbin or cubin that the simulator cannot read; its kernels are those that the table has. */
struct xs_image {
    bool opaque;
    struct CUfunc_st *functions;
    struct xs_global *globals;
};

struct CUmod_st {
    struct CUctx_st *context;
    struct CUlib_st *library;
    struct xs_image *image; /* the library's, or owned */
    bool managed_by_library;
};

struct CUlib_st {
    struct xs_image image;
    struct CUmod_st module;
};

/* Reads an image; text is PTX, everything with a known magic number is opaque (ptx.c). */
CUresult xs_image_load(const void *data, struct xs_image *image);
CUresult xs_image_load_file(const char *name, struct xs_image *image);
void xs_image_free(struct xs_image *image);
CUresult xs_image_function(struct xs_image *image, const char *name, struct CUmod_st *module, struct CUlib_st *library,
                           struct CUfunc_st **out);
/* The variable's instance in the current context, made on first use. */
CUresult xs_image_global(struct xs_image *image, const char *name, bool managed, CUdeviceptr *address, size_t *bytes);
CUresult xs_image_declare(struct xs_image *image, const char *name, size_t bytes, bool managed, const void *initial);
struct CUfunc_st *xs_function_new(const char *name);

#endif
