/* Makes traces whose process was killed while its spool was in memory. */
#ifndef XFERSPY_TESTS_UNIT_SCHEMA_KILLED_H
#define XFERSPY_TESTS_UNIT_SCHEMA_KILLED_H

#include "support.h"

#include "schema/spool/spool_location.h"

enum { MIB = 1 << 20 };

/* Paths of the trace that was made last, of the file beside it, and of the spool. */
extern const char *path, *beside;
extern char memory[sizeof((struct xs_spool_files *)0)->memory];

/* Gives this process a /dev/shm of its own, where the machine allows that. Every command of xferspy that runs at the
 * same time, of another test or of a user, sweeps the machine's /dev/shm: it deletes spools without events there, and
 * sets the times of others. Called by main, before the first test. */
void have_own_memory(void);

/* Makes the trace of a killed process, with this name and this number of events. No event was drained. `start` false:
 * the process was killed before the trace contained the spool's id. Returns false if spools are not in memory on this
 * machine; then there is nothing to test. */
bool make_killed(const char *name, uint64_t events, bool start);

/* Opens the trace, and requires that it has this number of transfers. It must have no warning; but if the number is 0,
 * it must warn that nothing was recorded. */
void expect_events(int64_t events);

/* Overwrites a part of the pointer's header. */
void change_pointer(size_t offset, const void *to, size_t bytes);

/* Sets the time of the file's last change to `seconds` ago. */
void make_older(const char *name, int64_t seconds);

#endif
