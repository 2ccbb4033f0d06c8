/* There is no room for the trace from the start: the disk has 64 KiB and is full. One line says so, and the program is
 * not affected.
 *
 * link: cuda
 * mount: 64k
 * env: XFERSPY_OUTPUT=$dir/mnt/trace.%p.db
 * run: head -c 100000 /dev/zero > "$dir/mnt/ballast" 2>/dev/null; exec "$program"
 * traces: 0
 * notices: 1
 * stdout: data ok
 *
 * $ grep -c 'xferspy.*trace.*[.]db.*[Nn]o space' $stderr
 * 1
 */
#include "../one_copy.h"
