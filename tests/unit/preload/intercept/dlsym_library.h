/* The names of the functions in the two builds of dlsym_library.c. */
#ifndef XFERSPY_TESTS_UNIT_PRELOAD_DLSYM_LIBRARY_H
#define XFERSPY_TESTS_UNIT_PRELOAD_DLSYM_LIBRARY_H

#define CONCATENATE(a, b) a##b
#define WITH_BUILD(prefix, build) CONCATENATE(prefix, build)
#define LIBRARY_SYMBOL WITH_BUILD(symbol_of_, LIBRARY_BUILD)
#define CU_LIBRARY_SYMBOL WITH_BUILD(cu_symbol_of_, LIBRARY_BUILD)
#define LIBRARY_LOOK_UP WITH_BUILD(look_up_from_, LIBRARY_BUILD)

void *LIBRARY_LOOK_UP(void *handle, const char *name);

#endif
