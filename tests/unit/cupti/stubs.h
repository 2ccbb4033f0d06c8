/* Replaces what preload/cupti uses from other folders, for tests: look-ups are those of plain dlsym, notes are only
 * counted, and the store keeps only the last row of each kind. */
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
    void (*during_write)(void); /* set by the test: called during each write; NULL: none */
};
extern struct stub_store stub_store;
extern _Atomic unsigned stub_notes;

/* A clock whose trace times are equal to CLOCK_MONOTONIC. */
extern const struct xs_clock stub_clock;

#endif
