/* The file system of the trace does not answer when capture starts: the first call waits two seconds, one line says why nothing is captured,
 * and the program goes on.
 *
 * link: cuda
 * only: unsanitized
 * run: PATH=$PATH:/usr/sbin:/sbin && cd "$XFERSPY_TEST_DIR" && truncate -s 128M disk && mkfs.ext4 -q disk && mkdir mnt || exit 77; exec unshare -m sh -c 'mount -o loop disk mnt 2> /dev/null || exit 77; "$program" mnt; r=$?; find mnt -name "*.db" -exec cp {} "$dir" \; 2> /dev/null; exit $r'
 * env: XFERSPY_OUTPUT=$XFERSPY_TEST_DIR/mnt/t.db XFERSPY_CUPTI=off
 * traces: 0
 * notices: 1
 * stdout: no copy took long
 *
 * $ grep -c 'not capturing: .*t[.]db could not be made within two seconds; set XFERSPY_OUTPUT' $stderr
 * 1
 */
#define FROZEN_FROM_THE_START
/* The thread that made the trace goes on when the file system answers, and takes away what it made. A process that ends
 * in the middle of that leaves it. */
#define UNTIL_XFERSPY_IS_GONE
#include "frozen_disk.h"
