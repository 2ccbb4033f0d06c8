/* The library is preloaded into a shell and everything that it starts. There is exactly one trace, that of the only
 * process that used CUDA.
 *
 * link: cuda
 * run: sh -c 'echo one two | tr " " "\n" | grep two; "$program" | sed "s/data/all data/" | cat; ls / > /dev/null; (exit 3)'
 * exit: 3
 * stdout: two
 * stdout: all data ok
 *
 * > SELECT direction, count(*), sum(bytes) FROM transfers GROUP BY 1 ORDER BY 1
 * d2h|1|4096
 * h2d|1|4096
 *
 * $ ls $dir | sed -E 's/[0-9]+/N/'
 * shell_pipeline.N.db
 */
#include "../one_copy.h"
