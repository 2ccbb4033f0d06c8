/* No name is given, so the name has the executable and the process, and the trace is in the working directory.
 *
 * link: cuda
 * env: XFERSPY_OUTPUT=
 * run: cd $dir && exec "$program"
 * stdout: data ok
 *
 * $ ls $dir | sed -E 's/[0-9]+/N/'
 * xferspy-output_default_name.N.db
 */
#include "../one_copy.h"
