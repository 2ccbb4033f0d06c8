/* frozen_disk with a spool that is full after a moment: a copy waits two seconds, once, and the program continues
 * without being recorded until the file system answers again.
 *
 * link: cuda
 * only: sim unsanitized
 * run: PATH=$PATH:/usr/sbin:/sbin && cd "$XFERSPY_TEST_DIR" && truncate -s 128M disk && mkfs.ext4 -q disk && mkdir mnt || exit 77; exec unshare -m sh -c 'mount -o loop disk mnt 2> /dev/null || exit 77; "$program" mnt; r=$?; find mnt -name "*.db" -exec cp {} "$dir" \; 2> /dev/null; exit $r'
 * env: XFERSPY_OUTPUT=$XFERSPY_TEST_DIR/mnt/t.db XFERSPY_CUPTI=off XFERSPY_SPOOL_MIB=2
 * stdout: no copy took long
 *
 * > SELECT count(*) > 1000, (SELECT value FROM meta WHERE key = 'coverage.dropped') > 0 FROM transfer
 * 1|1
 */
#include "frozen_disk.h"
