/* The library of a network card is loaded where no card is, as NCCL does everywhere: the repairs go on.
 *
 * link: cuda
 * env: XFERSPY_ENABLE=off XFERSPY_REPAIR=drop-uploads,stay-on-device,gather XFERSPY_REPAIR_LOG=$dir/repair.json
 * traces: 0
 * notices: 3
 * stdout: data ok
 *
 * $ grep -o '"name":"[^{]*"applied":[0-9]*' $dir/repair.json | sed 's/"name"://; s/"applied"://'
 * "drop-uploads",2
 * "stay-on-device",0
 * "gather",32
 *
 * $ grep -c 'reach the memory directly' $dir/repair.json
 * 0
 */
#define HAS_CARD false
#include "direct_access.c"
