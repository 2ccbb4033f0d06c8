/* What the tests of launch arguments share: a driver that knows some functions, a spool, and what was written into
 * it. */
#ifndef XFERSPY_TESTS_UNIT_PRELOAD_ARGUMENTS_UNIT_H
#define XFERSPY_TESTS_UNIT_PRELOAD_ARGUMENTS_UNIT_H

#include "unit.h"

#include <stdatomic.h>

#include "preload/driver/driver_api.h"

#include "preload/capture/arguments.h"
#include "preload/core/memory_map.h"
#include "preload/core/thread.h"

/* A function of the driver: any pointer to one is a CUfunction. */
struct fake_function {
    bool is_kernel; /* a CUkernel: no CUfunction to cuFuncGetParamInfo */
    CUresult broken;
    size_t count;
    struct {
        size_t offset, bytes;
    } parameters[2048];
};
extern _Atomic unsigned driver_asked; /* calls of cuFuncGetParamInfo and cuKernelGetParamInfo */
extern _Atomic unsigned notes;        /* of topic arguments */

void driver_has_param_info(bool has);

/* A fresh spool and an empty map; cmocka set-up and tear-down. */
int open_spool(void **state);
int close_spool(void **state);
#define WITH_SPOOL(test) cmocka_unit_test_setup_teardown(test, open_spool, close_spool)
extern unsigned spool_chunks; /* for the next one */

/* An allocation of [start, start + bytes). */
void allocated(uint32_t id, uint64_t start, uint64_t bytes, enum xs_memory_kind kind);

/* A launch from xs_begin to xs_end, as the wrapper makes it; its argument_set. */
uint32_t launch(const struct fake_function *function, void **params, void **extra, CUresult r);

/* The ids of a set as its events have them, "1,2,3"; "none" where there is no such event. Valid until the next call. */
const char *set_text(uint32_t set);

/* Launches whose set has no event, and sets with two events of which one would do. */
unsigned check_sets(void);

/* How many events of a kind all chunks have. */
unsigned events_of(enum xs_event_kind kind);

#endif
