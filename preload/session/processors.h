/* Which processors the program leaves free. Two that are one core slow each other down, so a processor beside a busy
 * one is free only where no core is. */
#ifndef XFERSPY_PRELOAD_SESSION_PROCESSORS_H
#define XFERSPY_PRELOAD_SESSION_PROCESSORS_H

#include <sched.h> /* cpu_set_t: with _GNU_SOURCE */
#include <stdbool.h>

/* Into `to`, never empty where `all` is not: those of `all` whose cores have no processor of `busy`; else those that
 * are not in `busy`; else all but `busiest`, one of them or -1. `topology` is the folder that has
 * cpu0/topology/thread_siblings_list and so on; where it has none, each processor is a core. False: no processor is
 * free. Any thread. */
bool xs_processors_free(const char *topology, const cpu_set_t *all, const cpu_set_t *busy, int busiest, cpu_set_t *to);

#endif
