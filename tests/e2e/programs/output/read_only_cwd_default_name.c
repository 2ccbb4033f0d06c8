/* A working directory in which nothing can be created, and no name given: one line says so, the program runs on.
 *
 * link: cuda
 * env: XFERSPY_OUTPUT=
 * run: cd /proc && exec "$program"
 * traces: 0
 * notices: 1
 * stdout: data ok
 *
 * The line names the file and the reason:
 * $ grep -c 'xferspy.*[.]db.*\(denied\|No such file\|not permitted\|Read-only\)' $stderr
 * 1
 */
#include "../one_copy.h"
