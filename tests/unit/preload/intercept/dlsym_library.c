/* This library looks up symbols for dlsym_calls.c. It is built twice: one is linked to the program, and the program
 * loads the other. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "dlsym_library.h"

/* The program has this symbol, too, and comes first. For the C library's symbol it is the other way round. */
__attribute__((visibility("default"))) int in_program_and_library = 1;

/* A look-up in the scope of this library alone finds this symbol if the library was loaded with RTLD_LOCAL. */
__attribute__((visibility("default"))) int LIBRARY_SYMBOL = 2;
__attribute__((visibility("default"))) int CU_LIBRARY_SYMBOL = 3;

__attribute__((visibility("default"))) void *LIBRARY_LOOK_UP(void *handle, const char *name) {
    void *volatile address = dlsym(handle, name); /* no tail call: the caller is to be here */
    return address;
}
