/* Functions of the driver that no table of ours has: those of a driver newer than the cuda.h that xferspy is built
 * with. A look-up that finds one gives the program a stub from a bounded pool (intercept/unknown_stubs.c) in its place.
 * Here is which function each stub stands for, and what is known of it by its name (unknown_names.def). */
#ifndef XFERSPY_PRELOAD_DRIVER_UNKNOWN_H
#define XFERSPY_PRELOAD_DRIVER_UNKNOWN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { XS_UNKNOWN_MOST = 256, XS_UNKNOWN_NAME_BYTES = 64 };

enum xs_unknown_effect {
    XS_PASSES,   /* of no interest, and needs no stub */
    XS_HARMLESS, /* what device memory holds stays known */
    XS_HERE,     /* what device memory holds is not known at the call */
    XS_FOR_GOOD  /* nor at any time after */
};

struct xs_unknown {
    _Atomic(void *) real;    /* the driver's function; NULL: the place is free */
    _Atomic bool is_told;    /* what follows is there and stays as it is */
    _Atomic bool was_called; /* by the program, with capture on or off */
    bool is_newer;           /* named in the trace */
    bool launches;           /* may start a kernel that holds the whole device */
    enum xs_unknown_effect effect;
    char name[XS_UNKNOWN_NAME_BYTES]; /* as the driver exports it, where it does */
};
extern struct xs_unknown xs_unknown[XS_UNKNOWN_MOST];

/* How a name came to be asked for. */
enum xs_unknown_asked {
    XS_ASKED_BY_PROC_ADDRESS, /* the driver gave the address for the name, so it is a function */
    XS_ASKED_BY_DLSYM         /* the name may be anybody's: of libcuda.so.1 alone, and only if it is a function */
};

/* The index of the stub for an address that no row has, and that was found for `name`. XS_NO_STUB: the program gets the
 * address itself, because it is no function of the driver, or is of no interest. XS_UNSEEN: it gets it because all
 * stubs are in use, and calls may write device memory; the trace will say that nothing is known of that from here on.
 * `driver` is any address in libcuda.so.1. Any thread, without a lock. */
enum { XS_NO_STUB = -1, XS_UNSEEN = -2 };
int xs_unknown_stub_for(void *real, const char *name, enum xs_unknown_asked asked, const void *driver);

/* The names as the trace has them, with commas between: those of newer functions that were called, or of those that
 * were only looked up. Returns how many there are; names that do not fit are left out. Any thread. */
unsigned xs_unknown_list(bool called, char *text, size_t bytes);

#endif
