/* A handler jumps out of the first call: the session goes on with the next one.
 *
 * link: cuda
 * only: sim unsanitized
 * stdout: data ok
 *
 * > SELECT entry_point, count(*), sum(bytes) FROM transfers GROUP BY 1 ORDER BY 1
 * cuMemcpyDtoH_v2|1|4096
 * cuMemcpyHtoD_v2|1|4096
 *
 * The abandoned call has no event, but the call that was made instead of it has one:
 * > SELECT count(*) FROM api_call JOIN entry_point ON entry_point.id = entry_point
 * > WHERE name = 'cuDevicePrimaryCtxRetain'
 * 1
 */
#include <setjmp.h>

static sigjmp_buf before;

#define MEANWHILE siglongjmp(before, 1)
#include "first_call.h"

int main(void) {
    if (sigsetjmp(before, 1) == 0) {
        call_first();
        return 99;
    }
    e2e_context();
    copy_once();
    return 0;
}
