/* Nothing can be created in the working directory, and no name is given. One line says so, and the program continues.
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
