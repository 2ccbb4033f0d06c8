/* Driver functions that no table of ours has, from a driver newer than the cuda.h that built xferspy. A look-up that
 * finds one gives the program a stub from a bounded pool instead (intercept/unknown_stubs.c). This table says which
 * function each stub stands for, and what its name says about it (unknown_names.def). */
#ifndef XFERSPY_PRELOAD_DRIVER_UNKNOWN_H
#define XFERSPY_PRELOAD_DRIVER_UNKNOWN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { XS_UNKNOWN_MOST = 256, XS_UNKNOWN_NAME_BYTES = 64 };

enum xs_unknown_effect {
    XS_PASSES,   /* of no interest; needs no stub */
    XS_HARMLESS, /* contents of device memory stay known */
    XS_HERE,     /* contents of device memory become unknown at the call */
    XS_FOR_GOOD  /* contents of device memory are unknown from the call on */
};

struct xs_unknown {
    _Atomic(void *) real;    /* the driver's function; NULL: the place is free */
    _Atomic bool is_told;    /* the fields below are set and final */
    _Atomic bool was_called; /* the program called it, with capture on or off */
    bool is_newer;           /* named in the trace */
    bool launches;           /* may start a kernel that holds the whole device */
    enum xs_unknown_effect effect;
    char name[XS_UNKNOWN_NAME_BYTES]; /* exported name if the driver exports it */
};
extern struct xs_unknown xs_unknown[XS_UNKNOWN_MOST];

/* The way in which a name was asked for. */
enum xs_unknown_asked {
    XS_ASKED_BY_PROC_ADDRESS, /* the driver returned the address for the name, so it is a function */
    XS_ASKED_BY_DLSYM         /* the name may be anybody's: counts only if libcuda.so.1 has it, as a function */
};

/* Returns the index of the stub for an address that no row has and that was found for `name`. XS_NO_STUB: the program
 * gets the address itself, because it is no driver function or of no interest. XS_UNSEEN: the program gets the address
 * itself, because all stubs are in use, and calls may write device memory; the trace will say that contents are unknown
 * from here on. `driver` is any address in libcuda.so.1. Any thread, without a lock. */
enum { XS_NO_STUB = -1, XS_UNSEEN = -2 };
int xs_unknown_stub_for(void *real, const char *name, enum xs_unknown_asked asked, const void *driver);

/* Writes the names in the trace's form, separated by commas: newer functions that were called, or, if not `called`,
 * only looked up. Returns the number of names written; names that do not fit are left out. Any thread. */
unsigned xs_unknown_list(bool called, char *text, size_t bytes);

#endif
