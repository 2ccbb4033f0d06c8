/* A name that is no repair: nothing is repaired, and one line says so with the names that there are.
 *
 * link: cuda
 * env: XFERSPY_REPAIR=gather,drop-upload
 * notices: 2
 * stdout: data ok
 *
 * $ grep -c "nothing is repaired: XFERSPY_REPAIR has 'drop-upload', which is none of drop-uploads, stay-on" $stderr
 * $ grep -c 'keep-pinned, prefetch and all$' $stderr; grep -c 'gathered' $stderr
 * 1
 * 1
 * 0
 */
#include "../one_copy.h"
