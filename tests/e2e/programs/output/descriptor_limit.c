/* The program may open four files: that is too few for a trace. One line says so, the program is not affected, and no half of a trace is left.
 *
 * link: cuda
 * only: sim
 * run: ulimit -n 4 && exec "$program"
 * env: XFERSPY_OUTPUT=$dir/trace.db
 * traces: 0
 * notices: 1
 * stdout: data ok
 *
 * $ grep -c 'not capturing: cannot write .*trace[.]db: Too many open files' $stderr; ls -A $dir
 * 1
 */
#include "../one_copy.h"
