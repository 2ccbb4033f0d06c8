/* XFERSPY_STACK=none: no event says where it was called from.
 *
 * link: cuda
 * env: XFERSPY_STACK=none
 * stdout: data ok
 *
 * > SELECT (SELECT count(*) FROM transfer), (SELECT count(stack) FROM transfer),
 * > (SELECT count(stack) + count(free_stack) FROM allocation),
 * > (SELECT count(*) FROM stack), (SELECT count(*) FROM module)
 * 2|0|0|0|0
 */
#include "../one_copy.h"
