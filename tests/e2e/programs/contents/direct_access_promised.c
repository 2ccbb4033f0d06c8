/* direct_access_contents with the user's promise that the card does not change what the program copies: calls alone are
 * believed, so the first upload was overwritten unused.
 *
 * link: cuda ibverbs_fake
 * only: sim
 * env: XFERSPY_FINGERPRINT=all XFERSPY_DIRECT_ACCESS=no
 * stdout: data ok
 *
 * > SELECT count(*) FROM note WHERE topic = 'contents'
 * 0
 *
 * !
 * bounce|1|1|65536
 * noop-upload|1|1|65536
 * pageable|3|3|196608
 * unused-upload/certain|1|1|65536
 */
#include "direct_access_contents.c"
