/* If a core runs several threads at the same time, the kernel shows it as several processors, and lists these as
 * siblings. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* cpu_set_t */
#endif
#include "preload/session/processors.h"

#include <stdio.h>
#include <stdlib.h>

#include "schema/small_file.h"

/* Adds the processors of a list such as "0,8-9". */
static void add_list(const char *list, cpu_set_t *set) {
    for (char *end; *list >= '0' && *list <= '9'; list = *end == ',' ? end + 1 : end) {
        unsigned long first = strtoul(list, &end, 10), last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
        for (unsigned long cpu = first; cpu <= last && cpu < CPU_SETSIZE; cpu++)
            CPU_SET(cpu, set);
    }
}

static void add_core(const char *topology, size_t cpu, cpu_set_t *set) {
    char path[256], list[128];
    CPU_SET(cpu, set);
    snprintf(path, sizeof path, "%s/cpu%zu/topology/thread_siblings_list", topology, cpu);
    xs_read_small_file(path, list, sizeof list);
    add_list(list, set);
}

static cpu_set_t without(const cpu_set_t *set, const cpu_set_t *others) {
    cpu_set_t both, rest;
    CPU_AND(&both, set, others);
    CPU_XOR(&rest, set, &both);
    return rest;
}

bool xs_processors_free(const char *topology, const cpu_set_t *all, const cpu_set_t *busy, int busiest, cpu_set_t *to) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, busy))
            add_core(topology, cpu, &cores);
    cpu_set_t free_cores = without(all, &cores), free_ones = without(all, busy);
    bool is_free = CPU_COUNT(&free_ones) > 0;
    *to = CPU_COUNT(&free_cores) > 0 ? free_cores : is_free ? free_ones : *all;
    if (!is_free && busiest >= 0 && CPU_COUNT(all) > 1)
        CPU_CLR((size_t)busiest, to);
    return is_free;
}
