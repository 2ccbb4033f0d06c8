/* A thread of each sort of work: whatever a program may be in the middle of when a profiler attaches to CUPTI or detaches
 * from it.
 *
 * link: cuda
 * stdout: data ok
 *
 * $ . "$here/programs/windows/counts.sh"; compare_counts
 * 17 counts are the same
 */
#include "busy.h"

int main(int argc, char **argv) { return busy_run(argc, argv, busy_sorts); }
