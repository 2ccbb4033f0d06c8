/* A guard that is not valid is ignored, and one line says why; so is a rule that no call of this run can break, and the
 * other rules hold. With XFERSPY_QUIET=on nothing is printed, and the trace has the note.
 *
 * link: cuda
 * run: for guard in 'fail:h2d' 'always' 'warn:h2d-in-step>0,d2h>0'; do XFERSPY_GUARD=$guard "$program"; done; XFERSPY_QUIET=on XFERSPY_GUARD='warn:d2h>0' XFERSPY_OUTPUT=$dir/quiet.db "$program"
 * stdout: data ok
 * stdout: data ok
 * stdout: data ok
 * stdout: data ok
 * traces: 4
 * notices: 7
 *
 * $ grep -o "XFERSPY_GUARD.*" $stderr | sed 's| (B, kB.*||; s|: give --step.*||'
 * XFERSPY_GUARD is ignored: h2d: a size has to follow, as in d2h>64B or pageable>1MiB
 * XFERSPY_GUARD is ignored: use warn or fail, or these with rules: fail:d2h>64B,noop-upload
 * XFERSPY_GUARD: the rule h2d-in-step>0 is ignored: it is about steps, and nothing tells them
 *
 * $ grep -c "rule d2h>0 is broken by a download of 4096 bytes (cuMemcpyDtoH_v2) at guard_wrong+0x" $stderr
 * 1
 *
 * trace: quiet.db
 * > SELECT count(*) FROM note WHERE topic = 'guard' AND text LIKE '%rule d2h>0 is broken%'
 * 1
 */
#include "../one_copy.h"
