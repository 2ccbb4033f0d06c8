/* Threads that launch kernels and graphs and copy, without a rest: a profiler that has to wait until nobody is inside
 * the driver finds it never empty by itself.
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
        busy_launches, busy_launches, busy_launches,       busy_launches,
        busy_copies,   busy_copies,   busy_graph_launches, busy_graph_launches};
    return busy_run(argc, argv, rounds);
}
