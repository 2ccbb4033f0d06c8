/* A library that looks symbols up for dlsym_calls.c. It is built twice: linked to the program, and loaded by it. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "dlsym_library.h"

/* In the program too, which comes first; in the C library's case the other way round. */
__attribute__((visibility("default"))) int in_program_and_library = 1;

/* Seen by a look-up in the scope of this library alone when it is loaded with RTLD_LOCAL. */
__attribute__((visibility("default"))) int LIBRARY_SYMBOL = 2;
__attribute__((visibility("default"))) int CU_LIBRARY_SYMBOL = 3;

__attribute__((visibility("default"))) void *LIBRARY_LOOK_UP(void *handle, const char *name) {
    void *volatile address = dlsym(handle, name); /* no tail call: the caller is to be here */
    return address;
}
