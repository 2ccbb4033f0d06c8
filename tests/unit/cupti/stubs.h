/* What preload/cupti needs of its neighbours, for tests: look-ups that are dlsym's own, notes that are counted, a
 * store that remembers the last row of each kind. */
#ifndef XFERSPY_TESTS_CUPTI_STUBS_H
#define XFERSPY_TESTS_CUPTI_STUBS_H

#include <stdatomic.h>

#include "schema/write/store.h"

struct stub_store {
    struct xs_device_copy copy;
    struct xs_device_memset memset;
    struct xs_device_kernel kernel;
    struct xs_device_sync sync;
    struct xs_device_migration migration;
    unsigned rows;
    int fail;                   /* the status that every write returns */
    void (*during_write)(void); /* the test's; NULL: none */
};
extern struct stub_store stub_store;
extern _Atomic unsigned stub_notes;

/* The clock whose trace time is CLOCK_MONOTONIC itself. */
extern const struct xs_clock stub_clock;

#endif
