/* The trace's name is that of a device, by a link: nothing is made beside it, one line says why, and the program runs on.
 *
 * link: cuda
 * run: ln -s /dev/null "$dir/t.db"; "$program"; r=$?; rm "$dir/t.db"; exit $r
 * env: XFERSPY_OUTPUT=$dir/t.db
 * traces: 0
 * notices: 1
 * stdout: data ok
 *
 * $ grep -c 'not capturing: .*t.db is no regular file; set XFERSPY_OUTPUT to another name' $stderr
 * 1
 *
 * $ ls $dir
 */
#include "../one_copy.h"
