/* A link that leads nowhere has the trace's name: it is never followed, and the next number is taken.
 *
 * link: cuda
 * run: ln -s nowhere/at-all "$dir/t.db"; exec "$program"
 * env: XFERSPY_OUTPUT=$dir/t.db
 * trace: t.2.db
 * stdout: data ok
 *
 * > SELECT direction, count(*), sum(bytes) FROM transfers GROUP BY 1 ORDER BY 1
 * d2h|1|4096
 * h2d|1|4096
 *
 * $ readlink $dir/t.db; ls $dir
 * nowhere/at-all
 * t.2.db
 * t.db
 *
 * $ grep -c 'events in .*t[.]2[.]db' $stderr
 * 1
 */
#include "../one_copy.h"
