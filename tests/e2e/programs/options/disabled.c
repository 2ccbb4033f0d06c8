/* XFERSPY_ENABLE=off: nothing is captured, written or said.
 *
 * link: cuda
 * env: XFERSPY_ENABLE=off
 * traces: 0
 * notices: 0
 * stdout: data ok
 *
 * $ ls $dir
 */
#include "../one_copy.h"
