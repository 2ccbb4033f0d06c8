/* Finds the processors that the program does not use. Two processors of the same core slow each other down. Therefore a
 * processor that shares its core with a busy one is chosen only if no whole core is free. */
#ifndef XFERSPY_PRELOAD_SESSION_PROCESSORS_H
#define XFERSPY_PRELOAD_SESSION_PROCESSORS_H

#include <sched.h> /* cpu_set_t: with _GNU_SOURCE */
#include <stdbool.h>

/* Chooses processors from `all`: those on cores without a busy processor; if there are none, those that are not in
 * `busy`; if there are none either, all except `busiest`, unless `busiest` is the only one. `busiest` is one of `all`,
 * or -1. Stores the chosen processors in *to, which is empty only if `all` is empty. `topology` is the folder that
 * contains cpu0/topology/thread_siblings_list and so on; without such files each processor counts as a core. False: all
 * processors of `all` are in `busy`. Any thread may call this function. */
bool xs_processors_free(const char *topology, const cpu_set_t *all, const cpu_set_t *busy, int busiest, cpu_set_t *to);

#endif
