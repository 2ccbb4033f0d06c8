/* A trace whose process was killed while its spool lay in memory. */
#ifndef XFERSPY_TESTS_UNIT_SCHEMA_KILLED_H
#define XFERSPY_TESTS_UNIT_SCHEMA_KILLED_H

#include "support.h"

#include "schema/spool/spool_place.h"

enum { MIB = 1 << 20 };

/* Of the one that was made last: the trace, what lies beside it, and the spool. */
extern const char *path, *beside;
extern char memory[sizeof((struct xs_spool_files *)0)->memory];

/* Leaves a killed trace of that name with so many events, none of which was drained; `start` false: killed before the
 * trace had the spool's number. False where spools do not lie in memory on this machine: the test has nothing to
 * test. */
bool make_killed(const char *name, uint64_t events, bool start);

/* Opens the trace, which has so many transfers then, and warns of nothing else than that it has none. */
void expect_events(int64_t events);

/* Writes over a part of the pointer's header. */
void change_pointer(size_t offset, const void *to, size_t bytes);

/* Last changed so long ago. */
void make_older(const char *name, int64_t seconds);

#endif
