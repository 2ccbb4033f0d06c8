/* Tests the name's template: process, executable, rank, variables, a percent sign; folders of the name stay as they
 * are.
 *
 * link: cuda
 * env: XFERSPY_OUTPUT=$dir/%e-%r-%q{XFERSPY_TEST_JOB}-%q{XFERSPY_TEST_UNSET}-100%%.db SLURM_PROCID=3 XFERSPY_TEST_JOB=blue
 * stdout: data ok
 *
 * $ ls $dir
 * output_template-3-blue--100%.db
 *
 * > SELECT key, value FROM meta WHERE key IN ('rank', 'rank_source') ORDER BY key
 * rank|3
 * rank_source|SLURM_PROCID
 */
#include "../one_copy.h"
