/* A process with a live session replaces itself by exec with a program that uses CUDA, here itself: both are traced.
 * What the first had done is taken over when its trace is read, although the pid lives on.
 *
 * link: cuda
 * status: any
 * env: XFERSPY_OUTPUT=$dir/exec-%q{XFERSPY_TEST_STAGE}.%p.db XFERSPY_TEST_STAGE=one
 * traces: 2
 * stdout: stage one
 * stdout: stage two
 *
 * trace: exec-one.*.db
 * > SELECT direction, count(*), sum(bytes) FROM transfers GROUP BY 1 ORDER BY 1
 * d2h|1|1000
 * h2d|1|1000
 *
 * > SELECT value FROM meta WHERE key = 'status'
 * recovered
 *
 * trace: exec-two.*.db
 * > SELECT direction, count(*), sum(bytes) FROM transfers GROUP BY 1 ORDER BY 1
 * d2h|1|2000
 * h2d|1|2000
 *
 * > SELECT value FROM meta WHERE key = 'status'
 * complete
 */
#include "exec_self.h"
