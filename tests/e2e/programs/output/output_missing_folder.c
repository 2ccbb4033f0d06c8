/* The trace cannot be created because its folder is not there: one line, the program runs on.
 *
 * link: cuda
 * env: XFERSPY_OUTPUT=$dir/no/such/folder/trace.db
 * traces: 0
 * notices: 1
 * stdout: data ok
 *
 * $ grep -c 'no/such/folder/trace.db.*No such file' $stderr
 * 1
 *
 * $ ls $dir
 */
#include "../one_copy.h"
