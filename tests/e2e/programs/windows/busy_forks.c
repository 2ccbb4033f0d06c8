/* Threads that fork while others work: the children call _exit or exec, and must find no CUPTI to call and no lock to wait
 * for.
 *
 * link: cuda
 * stdout: data ok
 *
 * $ . "$here/programs/windows/counts.sh"; compare_counts
 * 17 counts are the same
 */
#include "busy.h"

int main(int argc, char **argv) {
    static void (*const rounds[BUSY_THREADS])(struct busy_thread * t) = {
        busy_forks, busy_forks, busy_forks, busy_forks, busy_launches, busy_modules, busy_allocations, busy_graphs};
    return busy_run(argc, argv, rounds);
}
