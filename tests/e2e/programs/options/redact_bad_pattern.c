/* XFERSPY_REDACT that is no expression: everything is hidden, one line and a note say why, and neither shows what the
 * variable holds.
 *
 * link: cuda
 * env: XFERSPY_REDACT=(sekret XFERSPY_CUPTI_LIBRARY=/no/such/libcupti.so RANK=3
 * args: a --name=b -c d
 * notices: 2
 * stdout: data ok
 *
 * $ grep -c 'XFERSPY_REDACT is no extended regular expression; all arguments and values are hidden' $stderr
 * $ grep -c sekret $stderr $traces | sed 's/.*://'
 * 1
 * 0
 * 0
 *
 * needs: cupti
 * > SELECT key, value FROM meta WHERE key IN ('command', 'cupti.text', 'option.cupti_library', 'option.output', 'option.redact', 'rank') ORDER BY key
 * command|redact_bad_pattern [hidden] [hidden] [hidden] [hidden]
 * cupti.text|[hidden]
 * option.cupti_library|[hidden]
 * option.output|[hidden]
 * option.redact|[hidden]
 *
 * > SELECT text FROM note WHERE topic = 'redact'
 * XFERSPY_REDACT is no extended regular expression; all arguments and values are hidden
 */
#include "../one_copy.h"
