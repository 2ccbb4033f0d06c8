/* Keeps the driver functions that are in no table of xferspy, because the driver is newer than the cuda.h with which
 * xferspy was built. If a look-up finds such a function, the program gets a stub for it, from a pool of limited size
 * (intercept/unknown_stubs.c). The table xs_unknown says which function each stub calls, and what is known about this
 * function by its name (unknown_names.def). */
#ifndef XFERSPY_PRELOAD_DRIVER_UNKNOWN_H
#define XFERSPY_PRELOAD_DRIVER_UNKNOWN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { XS_UNKNOWN_MOST = 256, XS_UNKNOWN_NAME_BYTES = 64 };

enum xs_unknown_effect {
    XS_PASSES,   /* needs no stub */
    XS_HARMLESS, /* does not change device memory in an unknown way */
    XS_HERE,     /* contents of device memory become unknown at the call */
    XS_FOR_GOOD  /* contents of device memory are unknown from the call on */
};

struct xs_unknown {
    _Atomic(void *) real; /* the driver's function, set last; NULL: the entry is free or is being filled */
    _Atomic bool is_taken;
    _Atomic bool was_called; /* the program called it, with capture on or off */
    bool is_newer;           /* belongs to a newer driver, so the trace names it */
    bool launches;           /* may start a kernel that needs the whole device */
    enum xs_unknown_effect effect;
    char name[XS_UNKNOWN_NAME_BYTES]; /* exported name, if the driver exports the function */
};
extern struct xs_unknown xs_unknown[XS_UNKNOWN_MOST];

/* The way in which the program looked up a name. */
enum xs_unknown_asked {
    XS_ASKED_BY_PROC_ADDRESS, /* the driver returned the address for the name, so it is a function */
    XS_ASKED_BY_DLSYM         /* the name may belong to any library: ignored unless it is a function of libcuda.so.1 */
};

/* Returns the index of the stub for an address that a look-up of `name` found, if the address belongs to no row.
 * XS_NO_STUB: the program gets the address itself, because it is not the address of a driver function, or because the
 * function's calls need not be seen. XS_UNSEEN: the program gets the address itself, because all stubs are in use. In
 * this case xferspy does not see the calls of the function. They may write device memory, so the trace will say that
 * contents are unknown from now on. `driver` is any address in libcuda.so.1. Any thread, without a lock. */
enum { XS_NO_STUB = -1, XS_UNSEEN = -2 };
int xs_unknown_stub_for(void *real, const char *name, enum xs_unknown_asked asked, const void *driver);

/* Writes the names of functions of a newer driver in the trace's form, separated by commas. If `called` is true, writes
 * the functions that were called, otherwise the functions that were only looked up. Returns the number of names
 * written; names that do not fit are left out. Any thread. */
unsigned xs_unknown_list(bool called, char *text, size_t bytes);

#endif
