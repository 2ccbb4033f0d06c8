/* With XFERSPY_QUIET=on no line is printed about refused values either, whichever option they are for (bad_options has
 * the lines). Some come before QUIET in the environment, and some after it. The defaults hold.
 *
 * link: cuda
 * env: XFERSPY_OUTPUT=%z XFERSPY_ENABLE=perhaps XFERSPY_START=later XFERSPY_MODE=some XFERSPY_BUDGET=much XFERSPY_CUPTI=sometimes XFERSPY_KERNELS=perhaps XFERSPY_MIGRATIONS=some XFERSPY_ARGUMENTS=2 XFERSPY_QUIET=on XFERSPY_FINGERPRINT=some XFERSPY_FINGERPRINT_SHARE=101 XFERSPY_HOST_READS=some XFERSPY_STACK=deep XFERSPY_STACK_DEPTH=none XFERSPY_SPOOL_MIB=1 XFERSPY_MAX_SIZE=3 XFERSPY_REPAIR_MIB=1 XFERSPY_OUTSIDE=some XFERSPY_SPOOL=there XFERSPY_SOURCE_LINES=some XFERSPY_SKIP_STEPS=-1 XFERSPY_STEPS=some XFERSPY_REDACT=a{2,1} XFERSPY_GUARD=no XFERSPY_NO_SUCH_OPTION=1
 * run: cd $dir && exec "$program"
 * notices: 0
 * stdout: data ok
 *
 * $ ls $dir | sed -E 's/[0-9]+/N/'
 * xferspy-quiet_bad_options.N.db
 *
 * > SELECT key, value FROM meta WHERE key LIKE 'option.%' AND key NOT IN ('option.output', 'option.cupti_library')
 * > ORDER BY key
 * option.arguments|on
 * option.budget|2
 * option.control|
 * option.cupti|auto
 * option.direct_access|auto
 * option.enable|on
 * option.fingerprint|auto
 * option.fingerprint_share|0
 * option.guard|
 * option.host_reads|off
 * option.host_samples|on
 * option.kernels|on
 * option.labels|
 * option.max_size|4096
 * option.migrations|auto
 * option.mode|trace
 * option.outside|auto
 * option.quiet|on
 * option.redact|[hidden]
 * option.repair|
 * option.repair_log|
 * option.repair_mib|1024
 * option.repair_plan|
 * option.skip_steps|0
 * option.source_lines|on
 * option.spool|auto
 * option.spool_mib|16
 * option.stack|auto
 * option.stack_depth|64
 * option.start|on
 * option.step|
 * option.steps|0
 * option.window|
 */
#include "../one_copy.h"
