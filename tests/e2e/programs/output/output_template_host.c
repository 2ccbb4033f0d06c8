/* %h is this host's name and %p this process's number, as the trace itself says.
 *
 * link: cuda
 * env: XFERSPY_OUTPUT=$dir/at-%h-%p.db
 * stdout: data ok
 *
 * $ [ "$(basename $traces)" = "$(q $traces "SELECT 'at-' || (SELECT value FROM meta WHERE key = 'host') || '-' || (SELECT value FROM meta WHERE key = 'pid') || '.db'")" ] && echo same
 * same
 */
#include "../one_copy.h"
