/* Each bad or unknown option gives one clear line. The defaults hold, and the program notices nothing.
 *
 * link: cuda
 * env: XFERSPY_CUPTI=sometimes XFERSPY_SPOOL_MIB=lots XFERSPY_KERNELS=perhaps XFERSPY_NO_SUCH_OPTION=1
 * notices: 5
 * stdout: data ok
 *
 * $ grep -c 'XFERSPY_CUPTI.*sometimes' $stderr; grep -c 'XFERSPY_SPOOL_MIB.*lots' $stderr
 * $ grep -c 'XFERSPY_KERNELS.*perhaps' $stderr; grep -c 'XFERSPY_NO_SUCH_OPTION' $stderr
 * 1
 * 1
 * 1
 * 1
 *
 * > SELECT key, value FROM meta WHERE key IN ('option.cupti', 'option.spool_mib', 'option.kernels') ORDER BY key
 * option.cupti|auto
 * option.kernels|on
 * option.spool_mib|16
 */
#include "../one_copy.h"
