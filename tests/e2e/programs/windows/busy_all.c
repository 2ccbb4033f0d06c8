/* Has a thread for each kind of work that a program may be doing when a profiler attaches to CUPTI or detaches from it.
 *
 * link: cuda
 * stdout: data ok
 *
 * $ . "$here/programs/windows/counts.sh"; compare_counts
 * 17 counts are the same
 */
#include "busy.h"

int main(int argc, char **argv) { return busy_run(argc, argv, busy_sorts); }
