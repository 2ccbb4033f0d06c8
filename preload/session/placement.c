/* Chooses the drain thread's processors. The CPU time of each thread is read from /proc, in ticks of 10 ms. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* cpu_set_t */
#endif
#include "preload/session/placement.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/session/processors.h"
#include "schema/clock.h"
#include "schema/small_file.h"

#define BUSY_PERCENT 25u

struct look {
    int32_t tid;
    uint64_t ticks;
    int cpu;
};

const char *xs_placement_topology = "/sys/devices/system/cpu";
static struct look before[XS_PLACEMENT_THREADS];
static unsigned before_count;
static uint64_t looked_ns;
/* The processors that the drain thread may use according to its creator or `taskset`, and those of them that are chosen
 * at present. */
static cpu_set_t allowed, present;
static bool has_looked;

/* Reads the fields of proc(5) after the name, which may contain blanks and brackets: 14 and 15 are the ticks in user
 * mode and in the kernel, 39 is the processor. */
static bool read_thread(int32_t tid, struct look *look) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)tid);
    xs_read_small_file(path, text, sizeof text);
    char *at = strrchr(text, ')');
    *look = (struct look){.tid = tid, .cpu = -1};
    for (int field = 3; at && (at = strchr(at, ' ')) && field <= 39; field++) {
        at++;
        if (field == 14 || field == 15)
            look->ticks += strtoull(at, NULL, 10);
        else if (field == 39)
            look->cpu = (int)strtol(at, NULL, 10);
    }
    return look->cpu >= 0 && look->cpu < CPU_SETSIZE;
}

/* Returns the ticks that the thread has used since the last call; 0 for a thread that is seen for the first time. */
static uint64_t ticks_since(const struct look *now) {
    for (unsigned i = 0; i < before_count; i++)
        if (before[i].tid == now->tid)
            return now->ticks > before[i].ticks ? now->ticks - before[i].ticks : 0;
    return 0;
}

/* Moves the calling thread away from the busy processors. False: no processor is free. */
static bool go_off(const cpu_set_t *busy, int busiest) {
    cpu_set_t to;
    bool is_free = xs_processors_free(xs_placement_topology, &allowed, busy, busiest, &to);
    if (!CPU_EQUAL(&to, &present) && sched_setaffinity(0, sizeof to, &to) == 0)
        present = to;
    return is_free;
}

/* Chooses processors by the ticks since the last look. False: no processor is free. */
static bool choose(const struct look *now, unsigned count, uint64_t least_ticks) {
    cpu_set_t busy;
    uint64_t most = 0;
    int busiest = -1;
    CPU_ZERO(&busy);
    for (unsigned i = 0; i < count; i++) {
        uint64_t ticks = ticks_since(&now[i]);
        if (ticks < least_ticks)
            continue;
        CPU_SET((size_t)now[i].cpu, &busy);
        if (ticks > most) {
            most = ticks;
            busiest = now[i].cpu;
        }
    }
    return go_off(&busy, busiest);
}

/* Finds the processors that the thread may use. If somebody else has changed them since the last call, that change is
 * respected. */
static bool find_allowed(void) {
    cpu_set_t mine;
    if (sched_getaffinity(0, sizeof mine, &mine) != 0)
        return false;
    if (!has_looked || !CPU_EQUAL(&mine, &present)) {
        has_looked = true;
        allowed = present = mine;
    }
    return true;
}

void xs_placement_begin(int cpu) {
    cpu_set_t busy;
    if (find_allowed() && cpu >= 0 && cpu < CPU_SETSIZE) {
        CPU_ZERO(&busy);
        CPU_SET((size_t)cpu, &busy);
        go_off(&busy, cpu);
    }
}

bool xs_placement_look(const int32_t *tids, unsigned count) {
    static struct look now[XS_PLACEMENT_THREADS];
    if (!find_allowed())
        return false;
    unsigned found = 0;
    bool in_the_way = false;
    uint64_t now_ns = xs_monotonic_ns(), since_ns = now_ns - looked_ns;
    for (unsigned i = 0; i < count && i < XS_PLACEMENT_THREADS; i++)
        found += read_thread(tids[i], &now[found]);
    if (before_count) {
        uint64_t per_second = (uint64_t)sysconf(_SC_CLK_TCK);
        uint64_t busy = since_ns * per_second / 1000000000 * BUSY_PERCENT / 100;
        in_the_way = !choose(now, found, busy ? busy : 1);
    }
    memcpy(before, now, sizeof before);
    before_count = found;
    looked_ns = now_ns;
    return in_the_way;
}
