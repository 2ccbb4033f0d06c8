/* Finds the processors that the program leaves free. Two processors of one core slow each other down, so a processor
 * beside a busy one counts as free only if no core is. */
#ifndef XFERSPY_PRELOAD_SESSION_PROCESSORS_H
#define XFERSPY_PRELOAD_SESSION_PROCESSORS_H

#include <sched.h> /* cpu_set_t: with _GNU_SOURCE */
#include <stdbool.h>

/* Sets `to`, never empty if `all` is not, to the processors of `all` on cores without a busy one; else to those not in
 * `busy`; else to all but `busiest`, which is one of them or -1. `topology` is the folder of
 * cpu0/topology/thread_siblings_list and so on; if it has none, each processor is a core. False: no processor is free.
 * Any thread. */
bool xs_processors_free(const char *topology, const cpu_set_t *all, const cpu_set_t *busy, int busiest, cpu_set_t *to);

#endif
