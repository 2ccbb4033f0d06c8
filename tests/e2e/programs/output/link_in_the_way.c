/* A link that leads nowhere has the trace's name: it is never followed, and the next number is taken.
 *
 * link: cuda
 * run: ln -s nowhere/at-all "$dir/t.db"; "$program"; r=$?; mv "$dir/t.db" "$dir/link"; exit $r
 * env: XFERSPY_OUTPUT=$dir/t.db
 * stdout: data ok
 *
 * > SELECT direction, count(*), sum(bytes) FROM transfers GROUP BY 1 ORDER BY 1
 * d2h|1|4096
 * h2d|1|4096
 *
 * $ readlink $dir/link; ls $dir
 * nowhere/at-all
 * link
 * t.2.db
 *
 * $ grep -c 'events in .*t[.]2[.]db' $stderr
 * 1
 */
#include "../one_copy.h"
