/* No name is given, but a launcher's rank. The name has host and rank, so that the processes of a job do not collide.
 *
 * link: cuda
 * env: XFERSPY_OUTPUT= RANK=7 WORLD_SIZE=16 LOCAL_RANK=1
 * run: cd $dir && exec "$program"
 * stdout: data ok
 *
 * > SELECT key, value FROM meta WHERE key IN ('rank', 'rank_source', 'world_size', 'local_rank') ORDER BY key
 * local_rank|1
 * rank|7
 * rank_source|RANK
 * world_size|16
 *
 * $ ls $dir | grep -c "^xferspy-output_default_name_rank.*$(hostname).*7.*[.]db\$"
 * 1
 */
#include "../one_copy.h"
