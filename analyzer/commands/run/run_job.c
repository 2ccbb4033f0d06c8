/* Helps an xferspy run that is one rank of a job, whose other ranks also use xferspy run. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/commands/common/process.h"
#include "analyzer/commands/run/run.h"
#include "schema/clock.h"
#include "schema/rank.h"

enum { BILLION = 1000000000, MOST_ANCESTORS = 64 };
/* How much the clock of files can be behind: one tick of the kernel, at most 10 ms. A file may therefore seem older
 * than the process that made it. */
enum { FILES_CLOCK_LAG_NS = 10000000 };

static bool was_started_with(long pid, const char *variable) {
    size_t bytes = 0, length = strlen(variable);
    XS_SCOPED char *all = xs_process_file(pid, "environ", &bytes);
    bool found = false;
    if (!all)
        return false;
    for (size_t at = 0; at < bytes && !found; at += strlen(all + at) + 1)
        found = !strncmp(all + at, variable, length) && all[at + length] == '=';
    return found;
}

/* Finds the parent of a process, and its start in nanoseconds since 1970. False: not known. */
static bool look_at(long pid, long *parent, int64_t *start_ns) {
    size_t bytes = 0;
    char *stat = xs_process_file(pid, "stat", &bytes),
         *at = stat ? strrchr(stat, ')') : NULL; /* the name may have blanks */
    unsigned long long ticks = 0;
    bool known =
        at && sscanf(at + 1, " %*c %ld %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                     parent, &ticks) == 2;
    free(stat);
    int64_t boot_ns = xs_time_ns(CLOCK_REALTIME) - xs_time_ns(CLOCK_BOOTTIME);
    *start_ns = boot_ns + (int64_t)(ticks * (BILLION / (unsigned long long)sysconf(_SC_CLK_TCK)));
    return known;
}

/* Returns the start time of the launcher, which is the nearest ancestor without a rank. -1: there is none, or the job
 * has only this process. */
static int64_t job_start_ns(void) {
    const char *variable = NULL;
    long pid = getpid(), parent = 0;
    int64_t start_ns = -1;
    if (!xs_is_rank_of_many())
        return -1;
    xs_rank(&variable);
    for (int i = 0; i < MOST_ANCESTORS && look_at(pid, &parent, &start_ns) && parent > 0; i++) {
        pid = parent;
        if (!was_started_with(pid, variable))
            return look_at(pid, &parent, &start_ns) ? start_ns : -1;
    }
    return -1;
}

static int64_t birth_ns(const char *path) {
    struct statx st;
    if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BTIME | STATX_MTIME, &st) != 0)
        return -1;
    const struct statx_timestamp *time = st.stx_mask & STATX_BTIME ? &st.stx_btime : &st.stx_mtime;
    return time->tv_sec * (int64_t)BILLION + time->tv_nsec;
}

bool xs_is_rank_of_many(void) { return xs_rank(NULL) >= 0 && xs_world_size(NULL) != 1; }

bool xs_is_of_this_job(const char *path) {
    int64_t start_ns = job_start_ns();
    return start_ns >= 0 && birth_ns(path) + FILES_CLOCK_LAG_NS >= start_ns;
}
