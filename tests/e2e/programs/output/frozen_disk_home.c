/* The home folder does not answer from the start of capture on: events are taken over all the same, and the trace is closed at the end. The
 * spool is so small that copies would wait if they were not.
 *
 * link: cuda
 * only: sim unsanitized
 * run: PATH=$PATH:/usr/sbin:/sbin && cd "$XFERSPY_TEST_DIR" && truncate -s 128M disk && mkfs.ext4 -q disk && mkdir mnt || exit 77; exec unshare -m sh -c 'mount -o loop disk mnt 2> /dev/null || exit 77; exec "$program" mnt'
 * env: XDG_STATE_HOME=$XFERSPY_TEST_DIR/mnt XFERSPY_CUPTI=off XFERSPY_SPOOL_MIB=2
 * stdout: no copy took long
 *
 * > SELECT count(*) > 40000, (SELECT value FROM meta WHERE key = 'coverage.dropped') FROM transfer
 * 1|0
 */
#define FROZEN_FROM_THE_START
#include "frozen_disk.h"
