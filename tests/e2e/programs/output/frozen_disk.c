/* The file system of the trace does not answer for five seconds: the program goes on, because its events are in memory, and when the file
 * system is back the trace gets them.
 *
 * link: cuda
 * only: unsanitized
 * run: PATH=$PATH:/usr/sbin:/sbin && cd "$XFERSPY_TEST_DIR" && truncate -s 128M disk && mkfs.ext4 -q disk && mkdir mnt || exit 77; exec unshare -m sh -c 'mount -o loop disk mnt 2> /dev/null || exit 77; "$program" mnt; r=$?; find mnt -name "*.db" -exec cp {} "$dir" \; 2> /dev/null; exit $r'
 * env: XFERSPY_OUTPUT=$XFERSPY_TEST_DIR/mnt/t.db XFERSPY_CUPTI=off
 * stdout: no copy took long
 *
 * > SELECT count(*) > 1000 FROM transfer
 * 1
 */
#include "frozen_disk.h"
