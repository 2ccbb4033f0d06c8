/* Threads that capture, instantiate, upload and launch graphs: during some of it CUPTI may be neither attached nor
 * detached.
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
        busy_graphs,   busy_graphs,   busy_graphs,         busy_graph_launches,
        busy_captures, busy_captures, busy_graph_launches, busy_modules};
    return busy_run(argc, argv, rounds);
}
