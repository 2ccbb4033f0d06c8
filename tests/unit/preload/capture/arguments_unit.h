/* Defines what the tests of launch arguments share: a fake driver with some functions, a spool, and queries of what was
 * written into the spool. */
#ifndef XFERSPY_TESTS_UNIT_PRELOAD_ARGUMENTS_UNIT_H
#define XFERSPY_TESTS_UNIT_PRELOAD_ARGUMENTS_UNIT_H

#include "unit.h"

#include <stdatomic.h>

#include "preload/driver/driver_api.h"

#include "preload/capture/arguments.h"
#include "preload/core/memory_map.h"
#include "preload/core/thread.h"

/* A function of the fake driver. A pointer to it is used as a CUfunction. */
struct fake_function {
    bool is_kernel; /* it is a CUkernel, which cuFuncGetParamInfo does not accept */
    CUresult broken;
    size_t count;
    struct {
        size_t offset, bytes;
    } parameters[2048];
};
extern _Atomic unsigned driver_asked; /* calls of cuFuncGetParamInfo and cuKernelGetParamInfo */
extern _Atomic unsigned notes;        /* number of notes with the topic "arguments" */

void driver_has_param_info(bool has);

/* Set-up and tear-down for cmocka: each test gets a new spool and an empty map. */
int open_spool(void **state);
int close_spool(void **state);
#define WITH_SPOOL(test) cmocka_unit_test_setup_teardown(test, open_spool, close_spool)
extern unsigned spool_chunks; /* number of chunks of the next spool */

/* Adds an allocation of [start, start + bytes). */
void allocated(uint32_t id, uint64_t start, uint64_t bytes, enum xs_memory_kind kind);

/* Makes a launch from xs_begin to xs_end, as the wrapper does. Returns its argument_set. */
uint32_t launch(const struct fake_function *function, void **params, void **extra, CUresult r);

/* Returns the ids in a set's events, such as "1,2,3"; "none" if there is no such event. Valid until the next call of
 * this function. */
const char *set_text(uint32_t set);

/* Returns the number of launches whose set has no event, plus the number of repeated events of sets. */
unsigned check_sets(void);

/* Returns the number of events of a kind in all chunks. */
unsigned events_of(enum xs_event_kind kind);

#endif
