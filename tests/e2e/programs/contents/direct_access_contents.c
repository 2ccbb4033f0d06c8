/* A program with the library of a network card, on a machine that has one: the card may write device memory without a
 * call. The trace says so, in words and by a row in front of all copies, from which on nothing is concluded from calls
 * alone: that the first upload was overwritten unused would be certain otherwise. The digest that the GPU took right before
 * the second one counts still.
 *
 * link: cuda ibverbs_fake
 * only: sim
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * > SELECT count(*) FROM note WHERE topic = 'contents' AND text LIKE '%RDMA%not known from here on.%'
 * 1
 *
 * !
 * bounce|1|1|65536
 * noop-upload|1|1|65536
 * pageable|3|3|196608
 *
 * > SELECT e.name, count(*), max(a.argument) FROM api_call a JOIN entry_point e ON e.id = a.entry_point
 * > WHERE e.name = 'cuUnknownFunction' GROUP BY 1
 * cuUnknownFunction|1|2
 */
#define _GNU_SOURCE
#include <cuda.h>

#include "../check.h"
#include "../own_devices.h"

enum { BYTES = 65536 };

int fake_is_there(void);

int main(void) {
    static unsigned char source[BYTES], target[BYTES];
    CUdeviceptr device;
    REQUIRE(fake_is_there());
    e2e_own_devices(true);
    e2e_context();
    OK(cuMemAlloc(&device, BYTES));
    e2e_fill(source, BYTES, 1);
    OK(cuMemcpyHtoD(device, source, BYTES));
    OK(cuMemcpyHtoD(device, source, BYTES));
    OK(cuMemcpyDtoH(target, device, BYTES));
    e2e_expect(target, BYTES, 1);
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
