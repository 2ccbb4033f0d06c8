/* Device times in windows, with eight threads in the middle of everything: CUPTI is detached and attached again while they
 * work, and the trace has exactly what they did; of the device, what ran in the windows.
 *
 * link: cuda
 * env: XFERSPY_WINDOW=20ms/40ms
 * args: 3000
 * stdout: data ok
 *
 * needs: cupti
 * $ . "$here/programs/windows/counts.sh"; compare_counts
 * 17 counts are the same
 *
 * needs: cupti
 * > SELECT (SELECT value FROM meta WHERE key = 'cupti.windows') LIKE '%+%,%+%',
 * > (SELECT value FROM meta WHERE key = 'cupti.detachments') > 0,
 * > (SELECT count(*) FROM transfers WHERE correlation IS NULL AND result = 0) > 0
 * 1|1|1
 */
#include "busy.h"

int main(int argc, char **argv) { return busy_run(argc, argv, busy_sorts); }
